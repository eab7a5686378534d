"""Reads everything in a store and reports damage."""

import os
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from memzoo.errors import StoreError
from memzoo.stores.base import Entry, ManagedStore, Store, managed
from memzoo.stores.common import HIGHEST
from memzoo.sync import blocking_function

_PAGE = 500
_MOST = 20  # the maximum number of damaged messages to name for each conversation
_MAGIC = b"SQLite format 3\x00"


async def acheck(store: Store) -> list[str]:
    """Run the database's own checks, then read every message, state and embedding of a store.

    Returns:
        The damage found, one line for each fault; empty if everything can be read.

    Raises:
        UnsupportedError: The store cannot list its conversations.
    """
    whole = managed(store, "conversations")
    own = cast("Callable[[], Awaitable[list[str]]] | None", getattr(store, "check", None))
    found = list[str]()
    try:
        found += await own() if own else []
        ids = await whole.conversations()
    except StoreError as error:
        return [*found, str(error)]
    for id_ in ids:
        found += await _find_damaged_messages(whole, id_)
        found += await _find_damaged_states(whole, id_)
    return list(dict.fromkeys(found))


check = blocking_function(acheck)


async def _find_damaged_messages(store: ManagedStore, id_: str) -> list[str]:
    found, last, error = list[str](), 0, ""
    while len(found) < _MOST:
        page, error = await _try_reading(store, id_, after=last, limit=_PAGE)
        if not error:
            if not page:
                return found
            last = page[-1].seq
            continue
        # Find the lowest `until` with which reading fails: the number of the next damaged message.
        low, high = last, last + 1
        while high < HIGHEST and not (await _try_reading(store, id_, after=last, until=high, limit=_PAGE))[1]:
            low, high = high, min(2 * high - last, HIGHEST)
        while high - low > 1:
            middle = (low + high) // 2
            _, wrong = await _try_reading(store, id_, after=last, until=middle, limit=_PAGE)
            low, high = (low, middle) if wrong else (middle, high)
        _, error = await _try_reading(store, id_, after=high - 1, until=high)
        found.append(error if error.startswith("message ") else f"message {high} of {id_!r}: {error}")
        last = high
    return [*found, f"there is more damage in {id_!r}"]


async def _try_reading(store: ManagedStore, id_: str, **bounds: Any) -> tuple[Sequence[Entry], str]:
    """Return the entries, and a description of the damage that reading them shows; "" without damage."""
    try:
        entries = await store.read(id_, **bounds)
    except StoreError as error:
        return (), str(error)
    # Stores keep any object, but only a chat message can be shown.
    wrong = (entry.seq for entry in entries if not isinstance(entry.message.get("role"), str))
    return entries, next((f"message {seq} of {id_!r} is damaged (it has no role)" for seq in wrong), "")


async def _find_damaged_states(store: ManagedStore, id_: str) -> list[str]:
    found = list[str]()
    try:
        names = await store.states(id_)
    except StoreError as error:
        return [str(error)]
    for name in names:
        reads: list[Awaitable[Any]] = [store.read_state(id_, name), store.embeddings(id_, name)]
        for read in reads:
            try:
                await read
            except StoreError as error:
                found.append(str(error))
    return found


def is_sqlite(path: Path) -> bool:
    """Tell whether a file is an SQLite database."""
    if not isinstance(path, Path):  # pyright: ignore[reportUnnecessaryIsInstance] - another kind of path
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    if not (path.is_file() and os.access(path, os.R_OK)):
        return False
    # Let SQLite open the file: closing it directly would drop the locks that this process's connections have on it.
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            return bool(database.execute("PRAGMA schema_version").fetchone()[0])
    except sqlite3.Error as error:
        return error.sqlite_errorcode != sqlite3.SQLITE_NOTADB
