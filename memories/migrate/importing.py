"""Puts conversations that another library keeps into a store."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import chatgpt, langchain_file, openai_threads
from memzoo.memories.migrate.histories import langchain_mongo, langchain_redis, langchain_sql
from memzoo.memories.migrate.llama_index import llama_index
from memzoo.memories.migrate.sessions import read_sessions
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, ManagedStore, Message, Record
from memzoo.stores.base import utc_now
from memzoo.stores.driving import blocking_function
from memzoo.stores.errors import TransferError

__all__ = ["READERS", "Imported", "aimport_logs", "import_logs", "read_logs"]

READERS: Mapping[str, Callable[[str], Iterator[ChatLog]]] = {
    "langchain-sql": langchain_sql,
    "langchain-redis": langchain_redis,
    "langchain-mongo": langchain_mongo,
    "langchain-file": langchain_file,
    "langgraph": read_sessions,
    "openai-agents": read_sessions,
    "openai-threads": openai_threads,
    "llama-index": llama_index,
    "chatgpt": chatgpt,
}
"""What can be imported from, each with its reader."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a conversation.

    Attributes:
        conversation_id: Its id.
        read: How many messages the source has of it.
        written: How many of them are new in the store.
        digest: SHA-256 of the messages that were read, and of those that the store has now.
    """

    conversation_id: str
    read: int
    written: int
    digest: str


def read_logs(form: str, source: str) -> Iterator[ChatLog]:
    """The conversations of a source, each with its id as title; those without a message are left out.

    Args:
        form: One of `READERS`.
        source: A file, or the URL of a database.

    Raises:
        TransferError: The form is unknown, or the source cannot be read as that.
    """
    if form not in READERS:
        raise TransferError(f"memzoo cannot import from {form!r}; it can from {', '.join(READERS)}")
    found = False
    for log in READERS[form](source):
        if log.messages:
            found = True
            yield ChatLog(log.title, list(map(checked, log.messages)), log.dates)
    if not found:
        raise TransferError(f"{source} has no conversation in the form {form!r}")


async def aimport_logs(store: ManagedStore, logs: Iterator[ChatLog], *, dry_run: bool = False) -> list[Imported]:
    """Write conversations into a store; what is there already is not written again.

    Args:
        store: Where to.
        logs: See `read_logs`.
        dry_run: Only say what would be written.

    Raises:
        TransferError: The store has another conversation of that id, or does not give back what was written.
    """
    return [await _imported(store, log, dry_run=dry_run) for log in logs]


import_logs = blocking_function(aimport_logs)


async def _imported(store: ManagedStore, log: ChatLog, *, dry_run: bool) -> Imported:
    there = [entry.message for entry in await store.read(log.title)]
    said = list(log.messages)
    if there[: len(said)] != said[: len(there)]:
        raise TransferError(f"the store has another conversation {log.title!r}; nothing of this one was written")
    new, digest = said[len(there) :], _digest(said)
    if new and not dry_run:
        await (_append(store, log, len(there)) if there else _restore(store, log))
        kept = [entry.message for entry in await store.read(log.title)]
        if _digest(kept) != digest:
            raise TransferError(f"the store gives back {log.title!r} otherwise than it was written")
    return Imported(log.title, len(said), len(new), digest)


async def _restore(store: ManagedStore, log: ChatLog) -> None:
    """Write a whole conversation, with its times; a message without one has that of the message before."""
    entries: list[Entry] = []
    said_at = next((date for date in log.dates if date), utc_now())
    for place, (message, date) in enumerate(zip(log.messages, log.dates, strict=True)):
        said_at = date.astimezone(UTC) if date else said_at
        entries.append(Entry(place + 1, message, _turn(log.messages, place), said_at))
    await store.restore(log.title, entries, {})


async def _append(store: ManagedStore, log: ChatLog, start: int) -> None:
    """Write what was said since the last import, turn by turn."""
    turns: dict[str, list[Message]] = {}
    for place in range(start, len(log.messages)):
        turns.setdefault(_turn(log.messages, place), []).append(log.messages[place])
    for turn, messages in turns.items():
        await store.append(log.title, list(map(Record, messages)), turn_id=f"{turn}-{start}")


def _turn(messages: Any, place: int) -> str:
    """The id of the turn of a message: it begins with the user's last one."""
    while place and messages[place]["role"] != "user":
        place -= 1
    return f"import-{place}"


def _digest(messages: list[Message]) -> str:
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()
