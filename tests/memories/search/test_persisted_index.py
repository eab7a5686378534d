"""What was indexed is kept in the store: each message is analysed once, and forgotten words are gone."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.search import persisted_index
from memzoo.memories.search.persisted_index import Documents, PersistedIndex
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex
from memzoo.memories.search.words import Analyser
from memzoo.memories.text.messages import Labels
from memzoo.stores import EncryptedStore, Entries, Entry, InMemoryStore, Message, SQLStore, StateUpdate, Store
from memzoo.stores.base import managed
from memzoo.strategy import Log
from memzoo.sync import drive

ANIMALS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was analysed."""
    texts: Counter[str] = Counter()
    terms = Analyser.terms

    def counting(self: Analyser, some: Iterable[str]) -> Any:
        given = list(some)
        texts.update(text for text in given if text.startswith("message "))
        return terms(self, given)

    monkeypatch.setattr(Analyser, "terms", counting)
    return texts


@pytest.fixture(params=["memory", "sqlite", "encrypted"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store of each kind."""
    opened: Store = InMemoryStore()
    if request.param == "sqlite":
        opened = SQLStore(f"sqlite:///{tmp_path}/a.db?synchronous=normal")
    if request.param == "encrypted":
        opened = EncryptedStore(InMemoryStore(), EncryptedStore.new_key())
    yield opened
    opened.close()


def opened(store: Store, **options: Any) -> VectorStoreRetrieverMemory:
    """A memory of the conversation, as after a restart."""
    return VectorStoreRetrieverMemory(store=store, conversation_id="a", token_counter="approximate", **options)


def said(first: int, count: int = 1) -> list[Message]:
    """Messages, each with a number and an animal."""
    return [
        {"role": "user", "content": f"message {number} about a {ANIMALS[number % len(ANIMALS)]}"}
        for number in range(first, first + count)
    ]


def tell(memory: VectorStoreRetrieverMemory, first: int, count: int) -> None:
    """Save some messages, one at a time."""
    for number in range(first, first + count):
        memory.add_messages(said(number))


def kept(store: Store) -> dict[str, Any]:
    """The items of the words that are kept in the store."""
    names = [name for name in drive(managed(store, "states").states("a")) if name.startswith("words/")]
    return {key: value for name in names for key, value in drive(store.read_state("a", name)).changes.items()}


def shown(memory: VectorStoreRetrieverMemory, query: str) -> str:
    """What is shown for a query."""
    text: str = memory.load_memory_variables({"input": query})["history"]
    return text


class TestRestarts:
    """A conversation that is opened again."""

    def test_analyse_only_what_is_newer_than_what_is_kept(self, store: Store, analysed: Counter[str]) -> None:
        """Each message is analysed once, but for fewer than 64 of the newest, however often a process starts anew."""
        memory = opened(store)
        memory.add_messages(said(1, 300))
        tell(memory, 301, 100)
        assert set(analysed.values()) == {1}
        assert len(analysed) > 400 - 64
        for number in range(3):
            analysed.clear()
            memory = opened(store)
            assert f"message {17 + number}" in shown(memory, f"message {17 + number}")
            assert sum(analysed.values()) < 64
            shown(memory, "a cat?")
            assert set(analysed.values()) <= {1}

    def test_find_the_same(self, store: Store) -> None:
        """What is found does not depend on what was kept, when."""
        memory = opened(store)
        tell(memory, 1, 150)
        other = InMemoryStore()
        opened(other).add_messages(said(1, 150))
        for query in ("message 77", "a fox", "cat and dog", ""):
            whole = shown(opened(other), query)
            assert Counter(shown(memory, query).split()) == Counter(shown(opened(store), query).split())
            assert Counter(shown(memory, query).split()) == Counter(whole.split())

    def test_opened_before_the_first_message_keep_as_much(self, store: Store, analysed: Counter[str]) -> None:
        """A chatbot loads its memory before it saves the first exchange: its words are kept like any other's."""
        memory = opened(store)
        assert not shown(memory, "a cat?")
        for number in range(1, 300, 10):
            tell(memory, number, 10)
            shown(memory, "a cat?")
        assert set(analysed.values()) == {1}
        analysed.clear()
        assert "message 123 " in shown(opened(store), "message 123")
        assert sum(analysed.values()) <= 64

    def test_by_a_view_write_nothing(self) -> None:
        """A load never commits words, whoever waits for it; the next save does."""
        store = InMemoryStore()
        memory = opened(store)
        memory.add_messages(said(1, 50))
        shown(memory, "cat")
        assert kept(store) == {}
        memory.add_messages(said(51, 50))
        assert "000000000001" in kept(store)


class DeletingStore(InMemoryStore):
    """A store in which the first message is forgotten after a certain call.

    Attributes:
        counts: Calls are counted.
        calls: So many were made.
    """

    def __init__(self, moment: int) -> None:
        super().__init__()
        self.moment, self.calls, self.counts = moment, 0, False

    async def _called(self) -> None:
        self.calls += self.counts
        if self.calls == self.moment and self.counts:
            self.counts = False
            await self.forget("a", [1])

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        await self._called()
        return found

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        found = await super().read_state(conversation_id, strategy, since=since)
        await self._called()
        return found


class TestForgetting:
    """Words are forgotten with the messages."""

    def test_clears_what_was_kept(self, store: Store) -> None:
        """After `forget` no word of the message is kept or found, by this memory or another, and the rest is."""
        memory, other = opened(store), opened(store)
        memory.add_messages([{"role": "user", "content": "message 0 about Zanzibar"}, *said(1, 100)])
        assert kept(store)
        assert "Zanzibar" in shown(other, "Zanzibar")
        before = kept(store)
        memory.forget([1])
        assert not before.keys() & kept(store).keys() - {"analyser"}
        for one in (memory, other, opened(store)):
            assert "Zanzibar" not in shown(one, "Zanzibar")
            assert "message 9 " in shown(one, "message 9")
        tell(memory, 101, 70)
        assert "message 150 " in shown(opened(store), "message 150")

    @pytest.mark.parametrize("moment", range(1, 12))
    def test_at_any_moment_keeps_the_words_out(self, moment: int) -> None:
        """Whatever call of the store a deletion in another process follows, no word of the message is kept."""
        store = DeletingStore(moment)
        memory = opened(store)
        memory.add_messages([{"role": "user", "content": "message 0 about Zanzibar"}, *said(1, 10)])
        shown(memory, "a cat?")
        store.counts = True
        for first in range(100, 600, 100):
            memory.add_messages(said(first, 100))
        assert store.calls == moment
        index = WordIndex(Weights())
        index.unpack({key: item for key, item in kept(store).items() if key != "analyser"})
        assert list(index.scores("message 150"))
        assert not index.scores("Zanzibar")

    def test_clear_starts_anew(self, store: Store) -> None:
        """After `clear` a new conversation under the same id has its own words."""
        memory = opened(store)
        memory.add_messages(said(1, 100))
        memory.clear()
        assert kept(store) == {}
        tell(memory, 1, 70)
        assert shown(opened(store), "message 100") == shown(memory, "message 100")
        assert "message 99 " not in shown(memory, "message 99")

    def test_keeps_no_plain_words_where_all_is_encrypted(self) -> None:
        """In an encrypted store the words are sealed, with their speakers."""
        inner = InMemoryStore()
        opened(EncryptedStore(inner, EncryptedStore.new_key()), human_prefix="Zoe Berg").add_messages(said(1, 100))
        assert kept(inner)
        assert "Zoe Berg" not in json.dumps(kept(inner))
        assert "speakers" not in json.dumps(kept(inner))


class TestOthers:
    """Whoever else keeps words of the conversation."""

    def test_that_were_faster_are_followed(self, store: Store, analysed: Counter[str]) -> None:
        """Of two memories that save by turns, each keeps what the other has not, and nothing is kept twice."""
        one, two = opened(store), opened(store)
        for first in range(1, 400, 20):
            tell(one, first, 10)
            tell(two, first + 10, 10)
        assert "message 123 " in shown(one, "message 123")
        assert shown(one, "message 123") == shown(two, "message 123")
        analysed.clear()
        assert shown(opened(store), "message 123") == shown(two, "message 123")
        assert sum(analysed.values()) < 2 * 64

    def test_with_other_speakers_have_words_of_their_own(self, store: Store) -> None:
        """Labels and excluded inputs change what is searched: such memories do not share what is kept."""
        opened(store).add_messages(said(1, 100))
        renamed = opened(store, human_prefix="Zoe")
        assert "Zoe: message 42 " in shown(renamed, "message 42")
        renamed.add_messages(said(101))
        assert len([name for name in drive(managed(store, "states").states("a")) if name.startswith("words/")]) == 2

    def test_of_another_version_are_replaced(
        self, store: Store, analysed: Counter[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Words that another version of the analyser kept are analysed anew once, and nothing is left of them."""
        with monkeypatch.context() as patched:
            patched.setattr(persisted_index, "_VERSION", 0)
            memory = opened(store)
            memory.add_messages(said(1, 70))
            memory.add_messages(said(71, 70))
        before = set(kept(store))
        analysed.clear()
        memory = opened(store)
        assert "message 42 " in shown(memory, "message 42")
        memory.add_messages(said(141))
        assert analysed.total() == 141
        assert set(kept(store)) < before
        assert kept(store)["analyser"] == 12
        analysed.clear()
        assert "message 42 " in shown(opened(store), "message 42")
        assert not analysed


def test_only_what_is_shown_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a long conversation reads the newest messages and those that are looked at, not the log."""
    store = InMemoryStore()
    memory = opened(store)
    memory.add_messages(said(1, 3000))
    memory.settle()
    read = 0
    plain = store.read

    async def counting(*given: Any, **options: Any) -> Any:
        nonlocal read
        entries = await plain(*given, **options)
        read += len(entries)
        return entries

    monkeypatch.setattr(store, "read", counting)
    assert "message 1234 " in shown(opened(store), "message 1234")
    assert read < 1000


@pytest.mark.parametrize(("apart", "questions"), [(1, 1), (16, 1), (17, 5)])
def test_what_stands_near_each_other_is_read_at_once(
    apart: int, questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five messages with at most fifteen others between them take one question to the store, others one each."""
    memory = opened(InMemoryStore())
    memory.add_messages(said(1, 200))
    words = PersistedIndex(
        memory.store, memory.conversation_id, Documents(Labels("Human", "AI"), frozenset()), Weights()
    )
    cached = CachedLog(memory.store, memory.conversation_id)
    drive(cached.refresh())
    log = Log(cached)
    asked: list[tuple[int, int]] = []
    plain = log.between

    async def counting(first: int, last: int) -> Any:
        asked.append((first, last))
        return await plain(first, last)

    monkeypatch.setattr(log, "between", counting)
    seqs = [1 + apart * place for place in (4, 0, 2, 1, 3)]
    assert [passage.seq for passage in drive(words.passages(log, seqs))] == seqs
    assert len(asked) == questions
    assert [passage.seq for passage in drive(words.passages(log, seqs))] == seqs
    assert len(asked) == questions


def test_a_hosts_own_form_is_neither_searched_nor_shown() -> None:
    """A field whose name begins with `@` is left out; other fields are searched and shown beside the message."""
    said = {"role": "user", "content": "It is Rex."}
    fields = {"@host": '{"id": "zebra"}', "place": "Oslo"}
    entry = Entry(1, said, "turn", datetime(2026, 5, 8, tzinfo=UTC), fields)
    documents = Documents(Labels("Human", "AI"), frozenset())
    (passage,) = documents.passages([entry])
    assert passage.text == "It is Rex.\nplace: Oslo"
    assert documents.text([entry]) == "place: Oslo"
    alone = Entry(1, said, "turn", entry.created_at, {"@host": "zebra"})
    assert documents.text([alone]) == "Human: It is Rex."
