"""The store in SQLite."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Generator, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memzoo import create_memory
from memzoo.errors import StoreError
from memzoo.stores import Entry, Record, SQLStore, Store, export_conversation
from memzoo.stores.checking import check
from memzoo.sync import drive
from memzoo.testing import StoreContract
from memzoo.testing.store_tools import commit, fill, vector


class TestFile(StoreContract):
    """In a file it keeps the contract."""


class TestInMemory(StoreContract):
    """In memory it keeps the contract."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """A new one."""
        with contextlib.closing(SQLStore("sqlite://")) as store:
            yield store


def say(store: Store, content: Any, turn_id: str = "1") -> list[Entry]:
    """Append a turn of one message."""
    return drive(store.append("c", [Record({"role": "user", "content": content})], turn_id=turn_id))


def test_survives_reopening(url: str):
    """Log, state and embeddings are there again, with the same versions and times."""
    with contextlib.closing(SQLStore(url)) as store:
        entries = say(store, "Zoë \udcff \0")
        version = drive(store.read_state("c", "s")).version
        drive(store.commit("c", "s", expected=version, watermark=1, changes={"a": 1}, embeddings={1: vector(1, 2)}))
        state = drive(store.read_state("c", "s"))
    with contextlib.closing(SQLStore(url)) as store:
        assert drive(store.read("c")) == entries
        assert drive(store.read_state("c", "s")) == state
        assert drive(store.embeddings("c", "s")) == {1: vector(1, 2)}


def test_versions_do_not_come_back_after_reopening(url: str):
    """What a cleared conversation's versions were is remembered across processes."""
    versions: list[int] = []
    for _ in range(3):
        with contextlib.closing(SQLStore(url)) as store:
            say(store, "hello")
            versions.append(drive(store.read_state("c", "s")).version)
            versions.append(drive(store.commit("c", "s", expected=versions[-1], watermark=1, changes={})))
            drive(store.clear("c"))
    assert sorted(set(versions)) == versions


def test_times_are_utc(url: str):
    """A clock in another zone is understood, and microseconds are kept."""
    time = datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    with contextlib.closing(SQLStore(url, clock=lambda: time)) as store:
        appended = say(store, "hello")
        (entry,) = drive(store.read("c"))
    assert [entry] == appended
    assert entry.created_at == time
    assert entry.created_at.tzinfo == UTC


def test_a_newer_schema_is_refused(url: str, file: Path):
    """A file of a later version is left alone and closed, and the message says what to do."""
    SQLStore(url).close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE memzoo_meta SET value = value + 1 WHERE key = 'schema'")
        connection.commit()
    with pytest.raises(StoreError, match=r"chat\.db: its tables have version 2.* up to 1; upgrade memzoo") as caught:
        SQLStore(url)
    # The error keeps the store alive, so nothing else has closed it.
    assert caught.tb
    assert list(file.parent.glob("chat.db-*")) == []


@pytest.mark.parametrize("key", ["schema", "floor"])
@pytest.mark.parametrize("damage", ["DELETE FROM memzoo_meta", "UPDATE memzoo_meta SET value = 'cut'"])
def test_a_damaged_number_is_named(url: str, file: Path, damage: str, key: str):
    """Where a number of the tables is cut or missing, the error names it, its table and its right value."""
    SQLStore(url).close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(f"{damage} WHERE key = ?", [key])
        connection.commit()
    with pytest.raises(StoreError, match=rf"chat\.db: the table memzoo_meta is damaged: the value of '{key}'.*backup"):
        SQLStore(url)


@pytest.mark.parametrize("damage", [1.5, "many", b"\xff"])
def test_a_damaged_count_is_named(url: str, file: Path, damage: object):
    """A save to a conversation whose last number is none says what is damaged, and stores nothing."""
    with contextlib.closing(SQLStore(url)) as store:
        say(store, "hello")
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE memzoo_conversations SET last_seq = ?", [damage])
        told = rf"chat\.db: the table memzoo_conversations is damaged: last_seq of 'c' is {re.escape(repr(damage))};"
        with pytest.raises(StoreError, match=told):
            say(store, "again", "2")
        assert drive(store.count("c")) == 1


def test_a_damaged_tombstone_is_named(url: str, file: Path):
    """An export reads no tombstone that is none."""
    with contextlib.closing(SQLStore(url)) as store:
        say(store, "hello")
        drive(store.forget("c", [1]))
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE memzoo_tombstones SET turn = x'ff'")
        with pytest.raises(StoreError, match=r"damaged: b'\\xff' is not a string"):
            drive(store.tombstones("c"))


def test_a_damaged_embedding_is_named(url: str, file: Path):
    """An embedding that is not stored as bytes is refused when it is read."""
    with contextlib.closing(SQLStore(url)) as store:
        say(store, "hello")
        commit(store, "c", {}, embeddings={1: vector(1, 2)})
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE memzoo_embeddings SET vector = 'cut'")
        with pytest.raises(StoreError, match="embedding 1 of the state 's' of 'c' is damaged"):
            drive(store.embeddings("c", "s"))


def test_an_unfinished_schema_is_made_anew(url: str, file: Path):
    """A process that died while it created the tables leaves an empty file, which the next one fills."""
    file.touch()
    with contextlib.closing(SQLStore(url)) as store:
        assert len(say(store, "hello")) == 1


def test_the_tables_of_others_are_left_alone(url: str, file: Path):
    """A database with tables of the same names is refused, and nothing is added to it."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE memzoo_messages (id INTEGER PRIMARY KEY)")
    with pytest.raises(StoreError, match=r"chat\.db: table memzoo_messages already exists"):
        SQLStore(url)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("memzoo_messages",)]


def test_other_files_are_refused(url: str, file: Path):
    """A file that is no database is an error that names it."""
    file.write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreError, match=r"chat\.db: file is not a database"):
        SQLStore(url)


def test_a_closed_store_says_so(url: str):
    """After `close` every call is an error, and a second `close` is none."""
    store = SQLStore(url)
    store.close()
    store.close()
    for call in (store.read("c"), store.clear("c"), store.conversations()):
        with pytest.raises(StoreError, match="closed"):
            drive(call)


def test_closing_leaves_one_file(url: str, file: Path):
    """The write-ahead log goes into the file at the end."""
    with contextlib.closing(SQLStore(url)) as store:
        say(store, "hello")
        assert Path(f"{file}-wal").exists()
    assert [path.name for path in file.parent.iterdir()] == ["chat.db"]


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes"])
def test_what_is_no_json_is_refused(store: SQLStore, value: object):
    """Nothing of a turn or commit is stored if a part of it cannot be."""
    good = Record({"role": "user", "content": "a"})
    with pytest.raises(StoreError, match="only JSON can be stored"):
        drive(store.append("c", [good, Record({"role": "user", "content": value})], turn_id="1"))
    assert drive(store.conversations()) == []
    say(store, "a")
    version = drive(store.read_state("c", "s")).version
    with pytest.raises(StoreError, match="only JSON can be stored"):
        drive(store.commit("c", "s", expected=version, watermark=1, changes={"a": 1, "b": value}))
    assert drive(store.read_state("c", "s")).version == version


def test_the_file_can_be_read_with_other_tools(store: SQLStore, file: Path):
    """Messages are JSON text under the ids they were stored with."""
    say(store, "Zoë")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        rows = connection.execute(
            "SELECT conversation_id, seq, turn_id, message, fields FROM memzoo_messages"
        ).fetchall()
    assert rows == [("c", 1, "1", '{"role":"user","content":"Zoë"}', "{}")]
    assert json.loads(rows[0][3])["content"] == "Zoë"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_files_are_their_owners(url: str, file: Path):
    """A new file and those beside it can be read by their owner only; a file that is there keeps its mode."""
    with contextlib.closing(SQLStore(url)) as store:
        fill(store, "c", "hello")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
        assert modes == dict.fromkeys(("chat.db", "chat.db-wal", "chat.db-shm"), 0o600)
    file.chmod(0o644)
    with contextlib.closing(SQLStore(url)) as store:
        fill(store, "c", "again")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
        assert modes == dict.fromkeys(("chat.db", "chat.db-wal", "chat.db-shm"), 0o644)


@contextlib.contextmanager
def read_only(folder: Path) -> Generator[None]:
    """Nothing in a folder, nor the folder, can be written: neither by its owner nor by root."""
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if user == 0:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_file_that_can_only_be_read_is_read():
    """All of a file in a folder where nothing can be made can be read; each write says why it is refused."""
    # Not in pytest's own folder, which is closed to other users.
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/100%25 chat.db"
        with SQLStore(url) as store:
            fill(store, "c", "hello")
        with read_only(Path(folder)), SQLStore(url) as store:
            memory = create_memory("window", store=store, conversation_id="c")
            assert memory.load_memory_variables({}) == {"history": "Human: hello"}
            assert len("\n".join(export_conversation(store, "c")).splitlines()) > 1
            assert check(store) == []
            writes = [
                lambda: fill(store, "c", "again"),
                lambda: commit(store, "c", {"key": "value"}),
                lambda: drive(store.forget("c", [1])),
                lambda: drive(store.clear("c")),
                lambda: drive(store.scrub(thorough=True)),
            ]
            for write in writes:
                with pytest.raises(StoreError, match="the file or its folder is read-only"):
                    write()
        with SQLStore(url) as store:
            assert [entry.message["content"] for entry in drive(store.read("c"))] == ["hello"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_log_is_not_passed_over(tmp_path: Path):
    """A file that can only be read, and has a write-ahead log beside it that cannot be used, is not read without it."""
    with tempfile.TemporaryDirectory() as folder:
        with SQLStore(f"sqlite:///{tmp_path}/chat.db") as store:
            fill(store, "c", "hello")
            for name in ("chat.db", "chat.db-wal"):
                shutil.copy(tmp_path / name, folder)
        with read_only(Path(folder)), pytest.raises(StoreError, match="unable to open"):
            SQLStore(f"sqlite:///{folder}/chat.db")
