"""Stores that are encrypted at rest."""

import contextlib
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memzoo.errors import ConflictError, MissingExtraError, OptionError, StoreError, UnsupportedError, WrongKeyError
from memzoo.memories import STRATEGIES, create_memory
from memzoo.stores import (
    EncryptedStore,
    InMemoryStore,
    Message,
    MessageListStore,
    Record,
    SQLStore,
    Store,
    export_conversation,
    import_conversation,
    open_store,
)
from memzoo.stores.base import managed
from memzoo.sync import drive
from memzoo.testing import StoreContract
from memzoo.testing.store_tools import commit, fill, records, vector

Fernet = pytest.importorskip("cryptography.fernet", reason="needs the 'encryption' extra").Fernet

KEY, OTHER, THIRD = (EncryptedStore.new_key() for _ in range(3))


class TestOverSQL(StoreContract):
    """Over a store in SQL it keeps the contract, with an old key beside the new one too."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """A new one."""
        with contextlib.closing(EncryptedStore(SQLStore("sqlite://"), [OTHER, KEY])) as store:
            yield store


@pytest.mark.parametrize("name", STRATEGIES)
def test_nothing_can_be_read_in_the_file(name: str, url: str, file: Path):
    """No word of messages, fields, notes or names stands in the file, though all comes back."""
    with contextlib.closing(open_store(url, key=KEY)) as store:
        memory = create_memory(name, store=store, conversation_id="a", token_counter="approximate", learn_every=1)
        memory.save_context({"input": "My sister Annabel lives in Stavanger."}, {"output": "Noted, Zanzibar."})
        memory.save_context({"input": "Annabel works at Equinor."}, {"output": "Good."})
        shown = str(memory.load_memory_variables({"input": "Where does Annabel live?"}))
        content = b"".join(path.read_bytes() for path in file.parent.iterdir()).lower()
    assert b"memzoo_messages" in content
    # Long words: four letters stand in encrypted text by chance, now and then.
    words = ("annabel", "stavanger", "zanzibar", "equinor", "sister", "noted", "assistant", '"role"', "input")
    assert not [word for word in words if word.encode() in content]
    with contextlib.closing(open_store(url, key=KEY)) as store:
        again = create_memory(name, store=store, conversation_id="a", token_counter="approximate", learn_every=1)
        assert str(again.load_memory_variables({"input": "Where does Annabel live?"})) == shown
        assert "Annabel" in shown


def test_embeddings_are_encrypted(url: str, file: Path):
    """Embeddings do not stand in the file either."""
    with contextlib.closing(open_store(url, key=KEY)) as store:
        fill(store, "c", "a")
        commit(store, "c", {}, embeddings={1: vector(*range(1, 100))})
        content = b"".join(path.read_bytes() for path in file.parent.iterdir())
        assert vector(1, 2, 3) not in content
        assert drive(store.embeddings("c", "s")) == {1: vector(*range(1, 100))}


def test_equal_names_are_told_apart(url: str):
    """The same item in two conversations or states has two pseudonyms."""
    inner = InMemoryStore()
    store = EncryptedStore(inner, KEY)
    for id_, strategy in (("a", "s"), ("b", "s"), ("a", "t")):
        fill(store, id_, "x")
        commit(store, id_, {"Anna": 1}, strategy=strategy)
    states = [drive(inner.read_state(id_, strategy)) for id_, strategy in (("a", "s"), ("b", "s"), ("a", "t"))]
    assert len({key for state in states for key in state.changes}) == 3


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        (KEY, OTHER, "none of the given keys"),
        (KEY, [OTHER, THIRD], "none of the given keys"),
        (KEY, None, "a key is needed"),
        (None, KEY, "not encrypted"),
    ],
    ids=["another key", "two other keys", "no key", "a key too many"],
)
def test_a_wrong_key_is_refused_at_once(first: str | None, second: str | list[str] | None, hint: str, url: str):
    """A store with content opens with its key only, and the refusal changes nothing."""
    with contextlib.closing(open_store(url, key=first)) as store:
        entries = fill(store, "c", "hello")
    with pytest.raises(WrongKeyError, match=hint):
        open_store(url, key=second)
    with contextlib.closing(open_store(url, key=first)) as store:
        assert drive(store.read("c")) == entries


def test_content_under_another_key_is_found_later_too():
    """If another key came in after the store was opened, reading says so."""
    inner = InMemoryStore()
    one, other = EncryptedStore(inner, KEY), EncryptedStore(inner, OTHER)
    fill(one, "a", "hello")
    commit(one, "a", {"a": 1}, embeddings={1: vector(1)})
    for call in (other.read("a"), other.read_state("a", "s"), other.embeddings("a", "s")):
        with pytest.raises(WrongKeyError):
            drive(call)


MOVES = {
    "into another conversation": "UPDATE memzoo_messages SET message = (SELECT message FROM memzoo_messages WHERE"
    " conversation_id = 'alice' AND seq = 1) WHERE conversation_id = 'mallory' AND seq = 1",
    "the row itself": "UPDATE memzoo_messages SET conversation_id = 'mallory', seq = 9, place = 9 WHERE"
    " conversation_id = 'alice' AND seq = 4",
    "into another turn": "UPDATE memzoo_messages SET message = (SELECT message FROM memzoo_messages WHERE"
    " conversation_id = 'alice' AND seq = 3) WHERE conversation_id = 'alice' AND seq = 1",
    "within its turn": "UPDATE memzoo_messages SET message = (SELECT message FROM memzoo_messages AS other WHERE"
    " conversation_id = 'alice' AND other.seq = 3 - memzoo_messages.seq) WHERE conversation_id = 'alice' AND seq < 3",
    "once more": "INSERT INTO memzoo_messages SELECT conversation_id, 9, turn_id, message, fields, created_at, 9"
    " FROM memzoo_messages WHERE conversation_id = 'alice' AND seq = 1",
    "a note's value": "UPDATE memzoo_items SET value = (SELECT value FROM memzoo_items WHERE"
    " conversation_id = 'alice' AND strategy = 's') WHERE conversation_id = 'mallory' AND strategy = 's'",
    "a note to another state": "UPDATE memzoo_items SET strategy = 't' WHERE conversation_id = 'mallory'",
    "a note with its name": "UPDATE memzoo_items SET conversation_id = 'mallory' WHERE conversation_id = 'alice'",
    "an embedding": "UPDATE memzoo_embeddings SET vector = (SELECT vector FROM memzoo_embeddings WHERE"
    " conversation_id = 'alice' AND seq = 1) WHERE conversation_id = 'mallory' AND seq = 1",
    "an embedding in its state": "UPDATE memzoo_embeddings SET seq = 3 WHERE conversation_id = 'alice' AND seq = 1",
}


@pytest.mark.parametrize("restored", [False, True], ids=["appended", "imported"])
@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES.keys())
def test_what_was_moved_is_told(move: str, restored: bool, url: str, file: Path):  # noqa: FBT001
    """Who can write to the file shows nobody's words to another, and puts none in another place."""
    with contextlib.closing(EncryptedStore(SQLStore(url), KEY)) as store:
        source = EncryptedStore(InMemoryStore(), KEY) if restored else store
        for id_ in ("alice", "mallory"):
            for turn in "12":
                drive(source.append(id_, records(f"{id_} asks", "answer"), turn_id=turn))
            commit(source, id_, {"Anna": id_}, embeddings={1: vector(1), 2: vector(2)})
            if restored:
                import_conversation(store, export_conversation(source, id_))
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute(move).rowcount
    with contextlib.closing(EncryptedStore(SQLStore(url), KEY)) as store:
        assert sorted(read_all(store)) in (["StoreError"], ["StoreError", "StoreError"])


def read_all(store: Store) -> Iterator[str]:
    """The errors that reading everything meets."""
    for id_ in ("alice", "mallory"):
        calls = [store.read(id_)]
        for strategy in "st":
            calls += [store.read_state(id_, strategy), managed(store, "embeddings").embeddings(id_, strategy)]
        for call in calls:
            try:
                drive(call)
            except StoreError as error:
                yield type(error).__name__


def test_a_key_is_replaced(url: str):
    """With the new key first, old content is read, and items that are written again are found once."""
    with contextlib.closing(open_store(url, key=KEY)) as store:
        fill(store, "c", "old")
        version = commit(store, "c", {"a": 1, "b": 2, "gone": 3}, embeddings={1: vector(1)})
    with contextlib.closing(open_store(url, key=[OTHER, KEY])) as store:
        fill(store, "c", "new")
        commit(store, "c", {"a": 10, "gone": None}, embeddings={2: vector(2)})
        assert [entry.message["content"] for entry in drive(store.read("c"))] == ["old", "new"]
        assert drive(store.read_state("c", "s")).changes == {"a": 10, "b": 2}
        assert drive(store.read_state("c", "s", since=version)).changes == {"a": 10, "gone": None}
        assert drive(store.embeddings("c", "s")) == {1: vector(1), 2: vector(2)}
        exported = list(export_conversation(store, "c"))
    assert "old" in "".join(exported)
    for alone in (KEY, OTHER):
        with (
            contextlib.closing(open_store(url, key=alone)) as store,
            pytest.raises(
                StoreError, match=r"message \d of 'c' is damaged, or encrypted under a key that is not given"
            ),
        ):
            drive(store.read("c"))


@pytest.mark.parametrize("key", ["", "short", b"x" * 32, "ä" * 43, [], ["x"]])
def test_a_key_must_be_one(key: str | bytes | list[str | bytes]):
    """What is no key is refused with the way to make one, and is not shown."""
    with pytest.raises(OptionError, match=r"new_key\(\)") as caught:
        open_store("memory://", key=key)
    assert "short" not in str(caught.value)


def test_what_is_no_json_is_refused():
    """Nothing is stored of what cannot be."""
    store = EncryptedStore(InMemoryStore(), KEY)
    with pytest.raises(StoreError, match="only JSON"):
        drive(store.append("c", [Record({"role": "user", "content": object()})], turn_id="1"))
    assert drive(store.conversations()) == []


def test_without_cryptography_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    """Where the package is not installed, the message says what to install."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(MissingExtraError, match=r"memzoo\[encryption\]"):
        open_store("memory://", key=KEY)


def test_a_conflict_is_one():
    """Compare-and-swap goes through."""
    store = EncryptedStore(InMemoryStore(), KEY)
    fill(store, "c", "a")
    with pytest.raises(ConflictError):
        drive(store.commit("c", "s", expected=0, watermark=1, changes={"a": 1}))


def test_a_list_of_messages_is_not_encrypted():
    """It has no ids of turns, to which messages are bound, so nobody could read them after a restart."""
    lists: dict[str, list[Message]] = {"c": []}
    store = MessageListStore(get=lists.__getitem__, update=lists.__setitem__, delete=lists.__delitem__)
    with pytest.raises(UnsupportedError, match="MessageListStore, which keeps no ids of turns, cannot be encrypted"):
        EncryptedStore(store, KEY)


def test_over_a_plain_store_it_can_do_what_that_can():
    """What the store within lacks is refused when it is chosen; what a plain store can do works all the same."""
    whole = InMemoryStore()
    six = ("append", "read", "read_state", "commit", "clear", "close")
    plain: Any = SimpleNamespace(**{name: getattr(whole, name) for name in six})
    store = EncryptedStore(plain, KEY)
    with pytest.raises(OptionError, match="keep_history=False needs a store that can delete, not a SimpleNamespace"):
        create_memory("window", store=store, keep_history=False)
    with pytest.raises(UnsupportedError, match="'forget', which SimpleNamespace lacks"):
        managed(store, "forget")
    memory = create_memory("buffer", store=store, conversation_id="c")
    for empty in (memory.clear, lambda: memory.forget(None)):
        memory.save_context({"input": "hi"}, {"output": "hello"})
        empty()
        assert memory.history() == drive(whole.read("c")) == []
