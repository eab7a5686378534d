"""The store in SQLite."""

import contextlib
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Pool, event

from memzoo.stores import Entry, Record, SQLStore, Store
from memzoo.stores.driving import drive
from memzoo.stores.errors import StoreError
from memzoo.stores.testing import StoreContract, vector

WRITER = """
import sys
from memzoo.stores import Record, SQLStore
from memzoo.stores.driving import drive
from memzoo.stores.errors import ConflictError

url, name = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
store = SQLStore(url)
for turn in range(40):
    record = Record({"role": "user", "content": f"{name}-{turn}"})
    drive(store.append("c", [record, record], turn_id=f"{name}-{turn}"))
    drive(store.append("c", [record], turn_id=f"shared-{turn}"))
    while True:
        state = drive(store.read_state("c", "s"))
        try:
            changes = {"count": state.changes.get("count", 0) + 1}
            drive(store.commit("c", "s", expected=state.version, watermark=turn, changes=changes))
            break
        except ConflictError:
            pass
store.close()
"""

SPEAKER = """
import itertools, sys
from memzoo.stores import Record, SQLStore
from memzoo.stores.driving import drive

store = SQLStore(sys.argv[1])
for turn in itertools.count():
    drive(store.append("c", [Record({"role": "user"}), Record({"role": "assistant"})], turn_id=str(turn)))
    print(turn, flush=True)
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Where a file is to be."""
    return f"sqlite:///{tmp_path}/chat.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The same place as a path."""
    return tmp_path / "chat.db"


@pytest.fixture
def store(url: str) -> Iterator[SQLStore]:
    """A new store in that file."""
    with contextlib.closing(SQLStore(url)) as store:
        yield store


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


def plans(file: Path, statements: list[tuple[str, Any]]) -> list[str]:
    """How SQLite carries the statements out."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return [
            step[3]
            for statement, parameters in statements
            if not statement.startswith(("BEGIN", "INSERT INTO messages"))
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]


@pytest.fixture
def statements() -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed, with their parameters."""
    seen: list[tuple[str, Any]] = []

    def see(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        seen.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", see)
    yield seen
    event.remove(Engine, "before_cursor_execute", see)


@pytest.fixture
def connections() -> Iterator[list[sqlite3.Connection]]:
    """The connections that are used, the latest last."""
    seen: list[sqlite3.Connection] = []

    def see(connection: sqlite3.Connection, *rest: Any) -> None:
        seen.append(connection)

    event.listen(Pool, "checkout", see)
    yield seen
    event.remove(Pool, "checkout", see)


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


def test_processes_lose_nothing(url: str):
    """Processes that open a new file and write at once lose nothing, double nothing, and leave no gap."""
    command, pipe = [sys.executable, "-c", WRITER, url], subprocess.PIPE
    writers = [subprocess.Popen([*command, name], stdin=pipe, stdout=pipe, text=True) for name in "ab"]  # noqa: S603
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    with contextlib.closing(SQLStore(url)) as store:
        entries = drive(store.read("c"))
        state = drive(store.read_state("c", "s"))
    turns = [f"{name}-{turn}" for name in ("a", "b") for turn in range(40)]
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert sorted(entry.turn_id for entry in entries) == sorted([*turns, *turns, *(f"shared-{n}" for n in range(40))])
    assert state.changes == {"count": 80}


@pytest.mark.parametrize("mode", ["full", "normal"])
def test_a_killed_process_loses_nothing(url: str, mode: str):
    """Whatever was acknowledged before the process was killed is there, in whole turns without a gap."""
    command = [sys.executable, "-c", SPEAKER, f"{url}?synchronous={mode}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as speaker:  # noqa: S603
        assert speaker.stdout
        acknowledged = [next(speaker.stdout) for _ in range(50)]
        speaker.kill()
        acknowledged += speaker.stdout
    with contextlib.closing(SQLStore(url)) as store:
        entries = drive(store.read("c"))
    turns = [str(turn) for turn in range(len(entries) // 2)]
    assert len(turns) >= len([line for line in acknowledged if line.endswith("\n")]) >= 50
    assert [entry.turn_id for entry in entries] == [turn for turn in turns for _ in range(2)]
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def test_a_writer_that_never_ends_is_an_error(url: str, file: Path):
    """Who cannot get at the file in time is told so, reads meanwhile, and can write afterwards."""
    with (
        contextlib.closing(SQLStore(f"{url}?timeout=0")) as store,
        contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"chat\.db: database is locked"):
            say(store, "hello")
        assert drive(store.read("c")) == []
        other.execute("ROLLBACK")
        assert len(say(store, "hello")) == 1


def test_readers_see_one_moment(store: SQLStore, url: str):
    """A state is read together with its items, while another connection commits."""
    say(store, "hello")
    version = drive(store.read_state("c", "s")).version
    with contextlib.closing(SQLStore(url)) as other:
        for number in range(1, 100):
            changes = dict.fromkeys("abc", number)
            version = drive(other.commit("c", "s", expected=version, watermark=number, changes=changes))
            state = drive(store.read_state("c", "s"))
            assert state.changes == dict.fromkeys("abc", state.watermark)


def test_a_newer_schema_is_refused(url: str, file: Path):
    """A file of a later version is left alone, and the message says what to do."""
    SQLStore(url).close()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'schema'")
        connection.commit()
    with pytest.raises(StoreError, match=r"chat\.db: its tables have version 2.* up to 1; upgrade memzoo"):
        SQLStore(url)


def test_an_unfinished_schema_is_made_anew(url: str, file: Path):
    """A process that died while it created the tables leaves an empty file, which the next one fills."""
    file.touch()
    with contextlib.closing(SQLStore(url)) as store:
        assert len(say(store, "hello")) == 1


def test_the_tables_of_others_are_left_alone(url: str, file: Path):
    """A database with tables of the same names is refused, and nothing is added to it."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY)")
    with pytest.raises(StoreError, match=r"chat\.db: table messages already exists"):
        SQLStore(url)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("messages",)]


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


@pytest.mark.parametrize(("options", "synchronous"), [("", 2), ("?synchronous=full", 2), ("?synchronous=normal", 1)])
def test_pragmas_are_as_documented(url: str, options: str, synchronous: int, connections: list[sqlite3.Connection]):
    """Write-ahead log, flushes as the URL says, half a minute of patience."""
    with contextlib.closing(SQLStore(f"{url}{options}")):
        pragmas = ("journal_mode", "synchronous", "busy_timeout")
        found = [connections[-1].execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in pragmas]
    assert found == ["wal", synchronous, 30_000]


def test_nothing_reads_more_than_it_needs(store: SQLStore, file: Path, statements: list[tuple[str, Any]]):
    """Each statement finds its rows by an index, and sorts none: costs do not grow with the conversation."""
    say(store, "hello")
    version = drive(store.read_state("c", "s")).version
    statements.clear()
    say(store, "again", turn_id="2")
    drive(store.read("c", limit=20, newest=True))
    drive(store.read("c", after=5, until=9))
    drive(store.commit("c", "s", expected=version, watermark=1, changes={"a": 1}, embeddings={1: vector(1)}))
    drive(store.read_state("c", "s", since=version))
    drive(store.embeddings("c", "s", after=1))
    found = plans(file, statements)
    assert not [step for step in found if step.startswith(("SCAN", "USE TEMP B-TREE"))]
    assert {
        "SEARCH messages USING INDEX sqlite_autoindex_messages_1 (conversation_id=? AND seq>?)",
        "SEARCH messages USING INDEX sqlite_autoindex_messages_1 (conversation_id=? AND seq>? AND seq<?)",
        "SEARCH messages USING INDEX messages_by_turn (conversation_id=? AND turn_id=?)",
        "SEARCH embeddings USING INDEX sqlite_autoindex_embeddings_1 (conversation_id=? AND strategy=? AND seq>?)",
    } <= set(found)
    assert any("items_by_version (conversation_id=? AND strategy=? AND version>?)" in step for step in found)


def test_costs_do_not_grow(store: SQLStore, connections: list[sqlite3.Connection]):
    """To append, and to read the latest, takes SQLite as many steps in the 200th turn as in the 50th."""
    steps: list[dict[str, int]] = []
    now: Counter[str] = Counter()
    say(store, "hello", turn_id="first")
    for turn in range(200):
        for name, call in (("append", partial(say, store, "hello", str(turn))), ("read", partial(latest, store))):
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


def test_the_file_can_be_read_with_other_tools(store: SQLStore, file: Path):
    """Messages are JSON text under the ids they were stored with."""
    say(store, "Zoë")
    with contextlib.closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT conversation_id, seq, turn_id, message, fields FROM messages").fetchall()
    assert rows == [("c", 1, "1", '{"role":"user","content":"Zoë"}', "{}")]
    assert json.loads(rows[0][3])["content"] == "Zoë"
