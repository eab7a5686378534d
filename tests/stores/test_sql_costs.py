"""What the store asks of SQLite."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Pool, event

from memzoo.stores import Entry, SQLStore, Store
from memzoo.sync import drive
from memzoo.testing.store_tools import fill, vector


def plans(file: Path, statements: list[str]) -> list[str]:
    """How SQLite carries the statements out."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return [
            step[3].removesuffix(" LEFT-JOIN")
            for statement in statements
            if not statement.startswith(("BEGIN", "COMMIT", "INSERT INTO memzoo_messages"))
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """The statements that are executed, with their parameters filled in."""
    seen: list[str] = []

    def watch(connection: sqlite3.Connection, *rest: Any) -> None:
        connection.set_trace_callback(seen.append)

    event.listen(Pool, "connect", watch)
    yield seen
    event.remove(Pool, "connect", watch)


@pytest.fixture
def connections() -> Iterator[list[sqlite3.Connection]]:
    """The connections that are used, the latest last."""
    seen: list[sqlite3.Connection] = []

    def see(connection: sqlite3.Connection, *rest: Any) -> None:
        seen.append(connection)

    event.listen(Pool, "checkout", see)
    yield seen
    event.remove(Pool, "checkout", see)


@pytest.mark.parametrize(("options", "synchronous"), [("", 2), ("?synchronous=full", 2), ("?synchronous=normal", 1)])
def test_pragmas_are_as_documented(url: str, options: str, synchronous: int, connections: list[sqlite3.Connection]):
    """Write-ahead log, flushes as the URL says, and no waiting inside of SQLite, where an event loop would wait too."""
    with contextlib.closing(SQLStore(f"{url}{options}")):
        pragmas = ("journal_mode", "synchronous", "busy_timeout")
        found = [connections[-1].execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in pragmas]
    assert found == ["wal", synchronous, 0]


def test_nothing_reads_more_than_it_needs(statements: list[str], store: SQLStore, file: Path):
    """Each statement finds its rows by an index, and sorts none: costs do not grow with the conversation."""
    fill(store, "c", "hello")
    version = drive(store.read_state("c", "s")).version
    fill(store, "other", "forgotten")
    drive(store.forget("other", [1]))
    statements.clear()
    fill(store, "c", "again", "again")
    drive(store.read("c", limit=20, newest=True))
    drive(store.read("c", after=5, until=9))
    drive(store.commit("c", "s", expected=version, watermark=1, changes={"a": 1}, embeddings={1: vector(1)}))
    drive(store.read_state("c", "s", since=version))
    drive(store.embeddings("c", "s", after=1))
    drive(store.conversations(prefix="user-", limit=9))
    drive(store.conversations(prefix="user-", limit=9, behind="s"))
    assert drive(store.count("c")) == 2
    found = [step for step in plans(file, statements) if step != "SCAN CONSTANT ROW"]  # of no table
    assert not [step for step in found if step.startswith(("SCAN", "USE TEMP B-TREE"))]
    assert {
        "SEARCH memzoo_messages USING INDEX sqlite_autoindex_memzoo_messages_1 (conversation_id=? AND seq>?)",
        "SEARCH memzoo_messages USING INDEX sqlite_autoindex_memzoo_messages_1 (conversation_id=? AND seq>? AND seq<?)",
        "SEARCH memzoo_messages USING COVERING INDEX memzoo_messages_by_place (conversation_id=? AND turn_id=?)",
        "SEARCH memzoo_messages USING INDEX memzoo_messages_by_place (conversation_id=? AND turn_id=?)",
        "SEARCH memzoo_tombstones USING PRIMARY KEY (conversation=? AND turn=?)",
        "SEARCH memzoo_messages USING COVERING INDEX sqlite_autoindex_memzoo_messages_1 (conversation_id=?)",
        "SEARCH memzoo_conversations USING PRIMARY KEY (id>? AND id<?)",
        (
            "SEARCH memzoo_embeddings USING INDEX sqlite_autoindex_memzoo_embeddings_1 "
            "(conversation_id=? AND strategy=? AND seq>?)"
        ),
    } <= set(found)
    assert any("items_by_version (conversation_id=? AND strategy=? AND version>?)" in step for step in found)
    assert len(statements) < 25


def test_costs_do_not_grow(connections: list[sqlite3.Connection], store: SQLStore):
    """To append, and to read the latest, takes SQLite as many steps in the 200th turn as in the 50th."""
    steps: list[dict[str, int]] = []
    now: Counter[str] = Counter()
    fill(store, "c", "first")
    for turn in range(200):
        for name, call in (("append", partial(fill, store, "c", str(turn))), ("read", partial(latest, store))):
            connections[-1].set_progress_handler(partial(now.update, [name]), 1)
            call()
        steps.append(dict(now))
        now.clear()
    connections[-1].set_progress_handler(None, 1)
    assert steps[49]["append"] > 50
    assert steps[49] == steps[199]


def latest(store: Store) -> list[Entry]:
    """The last twenty messages."""
    return drive(store.read("c", limit=20, newest=True))
