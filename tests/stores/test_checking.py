"""Damaged rows: each is named, the rest of the store goes on, and a check finds them all."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from memzoo.cli.commands import app
from memzoo.errors import StoreError, WrongKeyError
from memzoo.memories import create_memory
from memzoo.stores import EncryptedStore, InMemoryStore, open_store
from memzoo.stores.checking import check
from memzoo.sync import drive

KEY = EncryptedStore.new_key()
DAMAGES = {
    "cut JSON": "message = substr(message, 1, length(message) - 5)",
    "no JSON": "message = 'x'",
    "more than JSON": "message = message || '}'",
    "another value": "message = '[1]'",
    "no role": """message = '{"rolf": "user", "content": "hi"}'""",
    "no text": "message = cast(x'fffe' as text)",
    "a number": "message = 7",
    "no time": "created_at = 'soon'",
    "a time without a zone": "created_at = '2026-01-01T00:00:00'",
    "no fields": "fields = '[]'",
}


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> str | None:
    """The key of a store, or none."""
    key: str | None = request.param
    return key


@pytest.fixture
def file(tmp_path: Path, key: str | None) -> Iterator[Path]:
    """A store of three conversations with two exchanges each."""
    file = tmp_path / "chat.db"
    with closing(open_store(f"sqlite:///{file}", key=key)) as store:
        for id_ in ("anna", "ben", "cleo"):
            memory = create_memory("buffer", store=store, conversation_id=id_)
            for said in ("hi", "bye"):
                memory.save_context({"input": said}, {"output": "ok"})
    yield file
    for beside in tmp_path.iterdir():
        beside.unlink()


def damage(file: Path, how: str, where: str) -> None:
    """Change rows of the messages behind the store's back."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"update memzoo_messages set {how} where {where}")  # noqa: S608


@pytest.mark.parametrize("how", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_row_is_named(how: str, file: Path, key: str | None):
    """It is a `StoreError` with the conversation's name, wherever it stands; the others are read as they were."""
    if key and "role" in how:
        pytest.skip("what is encrypted has its role within")
    damage(file, how, "conversation_id = 'anna' and seq = 1")
    with closing(open_store(f"sqlite:///{file}", key=key)) as store:
        with pytest.raises(StoreError, match="'anna'") as caught:
            create_memory("buffer", store=store, conversation_id="anna").messages("hi")
        assert not isinstance(caught.value, WrongKeyError)
        assert [entry.message["content"] for entry in drive(store.read("anna", after=1))] == ["ok", "bye", "ok"]
        assert len(create_memory("buffer", store=store, conversation_id="ben").history()) == 4
        [found] = [line for line in check(store) if "'anna'" in line]
        assert "1" in found


def test_no_row_keeps_an_encrypted_store_shut(tmp_path: Path):
    """Damaged first and newest messages of many conversations are damage, as long as the keys decrypt another one."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with closing(open_store(url, key=KEY)) as store:
        for number in range(20):
            create_memory("buffer", store=store, conversation_id=f"u{number:02}").save_context(
                {"input": "hi"}, {"output": "ok"}
            )
    damage(tmp_path / "chat.db", "message = replace(message, 'gAAA', 'gAAB')", "conversation_id < 'u15'")
    with closing(open_store(url, key=KEY)) as store:
        assert len(drive(store.read("u17"))) == 2
        with pytest.raises(
            StoreError, match=r"message 1 of 'u03' is damaged, or encrypted under a key that is not given"
        ):
            drive(store.read("u03"))
        assert len(check(store)) == 30
    with pytest.raises(WrongKeyError, match="none of the given keys"):
        open_store(url, key=EncryptedStore.new_key())
    with pytest.raises(WrongKeyError, match="a key is needed"):
        open_store(url)


def test_damage_beyond_a_large_number_is_named():
    """An import keeps its log numbers, however large: the message with the damage is named, and no other."""
    store, first = InMemoryStore(), 2**50
    create_memory("buffer", store=store, conversation_id="a").save_context({"input": "hi"}, {"output": "ok"})
    entries = [replace(entry, seq=first + at) for at, entry in enumerate(drive(store.read("a")))]
    entries[1] = replace(entries[1], message={"content": "no role"})
    drive(store.restore("b", entries, {}))
    assert check(store) == [f"message {first + 1} of 'b' is damaged (it has no role)"]


def test_what_was_exchanged_for_a_note_is_told():
    """A token of another kind in place of a message is refused by name, too."""
    inner = InMemoryStore()
    store = EncryptedStore(inner, KEY)
    create_memory("buffer", store=store, conversation_id="a").save_context({"input": "hi"}, {"output": "ok"})
    drive(store.commit("a", "s", expected=drive(store.read_state("a", "s")).version, watermark=1, changes={"x": 1}))
    [token] = drive(inner.read_state("a", "s")).changes.values()
    drive(inner.read("a"))[0].message["encrypted"] = token
    entry = drive(inner.read("a"))[0]
    moved = InMemoryStore()
    drive(moved.restore("a", [type(entry)(1, {"encrypted": token}, entry.turn_id, entry.created_at)], {}))
    with pytest.raises(StoreError, match="message 1 of 'a' was written for another place"):
        drive(EncryptedStore(moved, KEY).read("a"))


def test_the_check_finds_what_sqlite_finds(file: Path, key: str | None, monkeypatch: pytest.MonkeyPatch):
    """Messages whose rows are gone, while their conversation says that they are there, or SQLite knows their pages."""
    if key:
        monkeypatch.setenv("MEMZOO_KEY", key)
    command = ["list", "--store", f"sqlite:///{file}", "--check"]
    assert CliRunner().invoke(app, command).output == "Everything can be read.\n"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("delete from memzoo_messages where conversation_id = 'cleo'")
    lost = CliRunner().invoke(app, command)
    assert lost.output == "the newest messages of 'cleo' are missing\n"
    assert isinstance(lost.exception, StoreError)
    with closing(sqlite3.connect(file)) as database:
        database.execute("pragma writable_schema = on")
        database.execute("delete from sqlite_master where name = 'memzoo_messages_by_place'")
        database.commit()
    assert any("never used" in line for line in CliRunner().invoke(app, command).output.splitlines())


def test_a_state_that_is_damaged(tmp_path: Path):
    """What was learnt is checked, too."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with closing(open_store(url)) as store:
        memory = create_memory("summary", llm="offline", store=store, conversation_id="anna", learn_every=1)
        memory.save_context({"input": "I am Sam."}, {"output": "Hello."})
    with closing(sqlite3.connect(tmp_path / "chat.db")) as database, database:
        assert database.execute("update memzoo_items set value = 'x' || value").rowcount
    with closing(open_store(url)) as store:
        [found] = check(store)
    assert found.startswith("the state 'summary' of 'anna' is damaged")


def test_postgresql_is_checked_too(postgres_url: str):
    """A damaged row and a lost one are found there as in a file."""
    with closing(open_store(postgres_url)) as store:
        for id_ in ("anna", "ben"):
            create_memory("buffer", store=store, conversation_id=id_).save_context({"input": "hi"}, {"output": "ok"})
        assert check(store) == []
        with psycopg.connect(postgres_url.replace("postgresql+psycopg", "postgresql")) as database:
            database.execute("update memzoo_messages set message = 'x' where conversation_id = 'anna' and seq = 2")
            database.execute("delete from memzoo_messages where conversation_id = 'ben'")
        lost, found = check(store)
    assert lost == "the newest messages of 'ben' are missing"
    assert found.startswith("message 2 of 'anna' is damaged")
