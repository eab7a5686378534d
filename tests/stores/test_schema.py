"""Files that an older memzoo has written; version 2 is the schema of today without `memzoo_epochs` and tombstones."""

import contextlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memzoo.stores import SQLStore, StateUpdate
from memzoo.stores.testing import vector
from memzoo.stores.testing.tools import commit, fill, records
from memzoo.sync import drive

DUMPS = Path(__file__).parent / "data"


@pytest.fixture(params=[1, 2])
def version(request: pytest.FixtureRequest) -> int:
    """Which version."""
    return int(request.param)


@pytest.fixture
def old(file: Path, version: int) -> Path:
    """A file as that version of the schema left it: the dump was made by the code that had it."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript((DUMPS / f"version-{version}.sql").read_text(encoding="utf-8"))
    return file


@pytest.fixture
def store(old: Path, url: str):
    """That file, opened."""
    with contextlib.closing(SQLStore(url)) as store:
        yield store


def test_all_messages_are_there(store: SQLStore):
    """Messages come back with numbers, turns, times and fields."""
    entries = drive(store.read("anna"))
    assert [(entry.seq, entry.turn_id, entry.created_at.minute) for entry in entries] == [
        *((1, "t1", 1), (2, "t1", 2)),
        *((3, "t2", 3), (4, "t2", 4), (5, "t2", 5), (6, "t2", 6)),
    ]
    assert entries[2].message["content"] == "I live in Zürich \U0001f3d4 \0 \ud800"
    assert entries[3].message["tool_calls"][0]["function"]["name"] == "map"
    assert dict(entries[0].fields) == {"input": None, "mood": "good"}
    assert drive(store.conversations()) == ["a\0\\b\ud800", "anna"]


def test_all_states_are_there(store: SQLStore):
    """States come back with watermarks and embeddings; a reader of before is not told to start anew."""
    assert drive(store.states("anna")) == ["entity", "summary", "vector-retriever/hash"]
    summary = drive(store.read_state("anna", "summary"))
    assert summary == StateUpdate(5, 6, {"summary": "Anna lives in Zürich."}, reset=True)
    changed = drive(store.read_state("anna", "entity", since=6))
    assert changed == StateUpdate(7, 6, {"bo": None}, reset=False)
    assert drive(store.embeddings("anna", "vector-retriever/hash")) == {
        1: vector(1, 0),
        2: vector(0, 1),
        3: vector(0.5, 0.5),
    }


def test_it_can_be_written(store: SQLStore):
    """Turns of before are known, and everything goes on: numbers, versions, forgetting."""
    assert len(drive(store.append("anna", records("x"), turn_id="t2"))) == 4
    assert [entry.seq for entry in fill(store, "anna", "new")] == [7]
    assert commit(store, "anna", {"summary": "new"}, strategy="summary", watermark=7) > 8
    assert drive(store.forget("anna", [4])) == [4]
    assert drive(store.states("anna")) == ["vector-retriever/hash"]
    assert [entry.seq for entry in drive(store.append("anna", [], turn_id="t2"))] == [3, 5, 6]
    drive(store.clear("anna"))
    fill(store, "gone", "again")
    assert drive(store.read_state("gone", "s")).version > 9


def test_the_time_of_the_newest_message_is_found(store: SQLStore):
    """Idle conversations are found among those of before."""
    assert drive(store.conversations(idle_since=datetime(2026, 1, 1, 0, 6, 30, tzinfo=UTC))) == ["anna"]


def test_deletions_change_the_epoch(store: SQLStore):
    """Files from before there were epochs have them now."""
    epochs = [drive(store.read("anna")).epoch]
    for work in (store.forget("anna", [1], derived=False), store.forget("anna", [2])):
        drive(work)
        epochs.append(drive(store.read("anna", after=6)).epoch)
    assert len(set(epochs)) == 3


def test_the_tables_become_those_of_a_new_file(store: SQLStore, file: Path, tmp_path: Path):
    """After the step the columns and indexes are those that a new file has, apart from their order."""
    SQLStore(f"sqlite:///{tmp_path}/new.db").close()
    assert shape(file) == shape(tmp_path / "new.db")


def shape(file: Path) -> dict[str, object]:
    """The columns of each table and the columns of each index."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        names = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        return {
            name: sorted(row[1:] for row in connection.execute(f"PRAGMA {kind}_xinfo({name})")) for kind, name in names
        }


def test_what_is_forgotten_stays_forgotten(store: SQLStore):
    """Files from before there were tombstones have them now."""
    drive(store.forget("anna", [1, 2]))
    assert drive(store.append("anna", records("x"), turn_id="t1")) == []
