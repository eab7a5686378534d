"""The store owns the embeddings, an index only searches them: it may be lost, behind, shared, or another memory's."""

import struct
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.stores import InMemoryStore
from memzoo.stores.base import managed
from memzoo.stores.indexes.index import ExactIndex
from memzoo.sync import drive

Texts = list[str]
Vectors = list[list[float]]

CAT, DOG = "input: my cat\noutput: ok", "input: my dog\noutput: ok"


class Pets:
    """An embedder that knows cats (also as felines) and dogs (also as canines), and counts what it embeds."""

    def __init__(self, name: str = "pets", size: int = 3) -> None:
        self._name, self._size = name, size
        self.embedded: Counter[str] = Counter()

    def name(self) -> str:
        """The name, as Chroma's functions have one."""
        return self._name

    def __call__(self, texts: Texts) -> Vectors:
        """One vector for each text."""
        self.embedded.update(texts)
        rest = [0.1] * (self._size - 2)
        return [
            [float("cat" in text or "feline" in text), float("dog" in text or "canine" in text), *rest]
            for text in texts
        ]


def make(embedder: Callable[[Texts], Vectors], **options: Any) -> VectorStoreRetrieverMemory:
    """A memory that shows one document."""
    given: dict[str, Any] = {"embedder": embedder, "k": 1, "conversation_id": "a"}
    return VectorStoreRetrieverMemory(**(given | options))


def tell(memory: VectorStoreRetrieverMemory, *said: str) -> VectorStoreRetrieverMemory:
    """Save exchanges."""
    for text in said:
        memory.save_context({"input": text}, {"output": "ok"})
    return memory


def found(memory: VectorStoreRetrieverMemory, query: str) -> str:
    """What is shown for a query; no query here has a word of a document, so that embeddings decide."""
    shown: str = memory.load_memory_variables({"input": query})["history"]
    return shown


def known(index: ExactIndex, memory: VectorStoreRetrieverMemory) -> set[int]:
    """What the index has of a conversation."""
    return set(drive(index.known(memory.conversation_id, memory.learners[0].name)))


def test_embedding_finds_what_words_do_not() -> None:
    """A query that shares no word with any document is answered by the embeddings."""
    memory = tell(make(Pets()), "my cat", "my dog")
    assert found(memory, "feline?") == CAT
    assert found(memory, "canine?") == DOG
    assert found(make(lambda texts: [[1.0]] * len(texts)), "feline?") == ""


def test_each_message_is_embedded_once_in_its_life() -> None:
    """Loading, and opening the conversation again, embeds nothing but the queries (I10)."""
    saving, loading, store = Pets(), Pets(), InMemoryStore()
    found(tell(make(saving, store=store), "my cat", "my dog"), "x")
    assert set(saving.embedded.values()) <= {1, 2}
    for query in ("one", "two"):
        found(make(loading, store=store), query)
    assert loading.embedded == {"one": 1, "two": 1}


def test_usage_counts_embedding_calls() -> None:
    """Each call of the embedder is counted under "embedding"."""
    memory = tell(make(Pets()), "my cat", "my dog")
    found(memory, "feline?")
    assert memory.usage["embedding"].calls == memory.usage.total.calls == 3


class TestIndex:
    """The index beside the store."""

    def test_that_was_lost_is_filled_from_the_store(self) -> None:
        """A new index is filled with the stored embeddings; nothing is embedded again (P2)."""
        first = tell(make(Pets()), "my cat", "my dog")
        embedder, index = Pets(), ExactIndex()
        second = make(embedder, store=first.store, index=index)
        assert found(second, "canine?") == DOG
        assert embedder.embedded == {"canine?": 1}
        assert known(index, second) == set(
            drive(managed(first.store, "embeddings").embeddings("a", first.learners[0].name))
        )

    def test_that_is_behind_is_completed(self) -> None:
        """An index that lacks what another process saved gets it from the store."""
        index, store = ExactIndex(), InMemoryStore()
        found(tell(make(Pets(), store=store, index=index), "my cat"), "x")
        tell(make(Pets(), store=store), "my dog")
        assert found(make(Pets(), store=store, index=index), "canine?") == DOG

    def test_that_was_searched_before_the_first_message_has_it(self) -> None:
        """Opened on nothing, it follows from the very first message on."""
        memory = make(Pets())
        assert found(memory, "feline?") == ""
        memory.add_messages([{"role": "user", "content": "my cat"}])
        memory.add_messages([{"role": "user", "content": "my dog"}])
        assert "my cat" in found(memory, "feline?")

    def test_is_shared_by_conversations(self) -> None:
        """One index serves many conversations, and none finds what another said (I7)."""
        index = ExactIndex()
        a = tell(make(Pets(), index=index, conversation_id="a"), "my cat")
        b = tell(make(Pets(), index=index, conversation_id="b"), "my dog")
        assert found(a, "canine?") == CAT
        assert found(b, "feline?") == DOG
        b.clear()
        assert found(a, "feline?") == CAT
        assert known(index, b) == set()

    def test_is_emptied_by_clear(self) -> None:
        """`clear` takes the conversation out of the index too; it can be used again (P4)."""
        index = ExactIndex()
        memory = tell(make(Pets(), index=index), "my cat", "my dog")
        assert found(memory, "feline?") == CAT
        memory.clear()
        assert known(index, memory) == set()
        assert found(memory, "feline?") == ""
        assert found(tell(memory, "my dog"), "feline?") == DOG

    def test_is_emptied_by_the_clear_of_a_memory_that_never_looked(self) -> None:
        """A new process may clear a conversation before it does anything else, and nothing stays in the index."""
        index, store = ExactIndex(), InMemoryStore()
        other = tell(make(Pets(), store=store, index=index), "my cat")  # held: the index forgets what nobody holds
        assert found(other, "feline?") == CAT
        memory = make(Pets(), store=store, index=index)
        assert known(index, memory)
        memory.clear()
        assert known(index, memory) == set()

    def test_with_stale_entries_is_cleaned(self) -> None:
        """What the store does not have is taken out: the store decides (I1)."""
        index, store = ExactIndex(), InMemoryStore()
        memory = make(Pets(), store=store, index=index)
        drive(index.add("a", memory.learners[0].name, {99: struct.pack("<3f", 1, 0, 0)}))
        assert found(tell(memory, "my dog"), "feline?") == DOG
        assert 99 not in known(index, memory)

    def test_follows_a_clear_by_another_memory(self) -> None:
        """After another memory cleared the conversation and told a new one, no old vector is left in the index (I3)."""
        store = InMemoryStore()
        one = tell(make(Pets(), store=store), "my cat", "my dog")
        assert found(one, "feline?") == CAT
        two = make(Pets(), store=store)
        two.clear()
        tell(two, "my dog", "my cat")
        assert found(two, "feline?") == CAT
        assert found(one, "feline?") == found(one, "a cat?") == CAT

    @pytest.mark.parametrize("first", ["my bird", "hello"])
    def test_that_outlived_a_clear_is_emptied(self, first: str) -> None:
        """An index that missed a clear, by a crash or another process, is not taken for the new one (I3, I7)."""
        store, kept = InMemoryStore(), ExactIndex()
        found(tell(make(Pets(), store=store, index=kept), "hello", "my dog", "my cat"), "x")
        other = make(Pets(), store=store)
        other.clear()
        tell(other, first, "my cat", "my dog")
        assert found(make(Pets(), store=store, index=kept), "feline?") == CAT


class TestEmbedder:
    """A conversation that is opened with another embedder."""

    def test_has_its_own_embeddings(self) -> None:
        """Documents are embedded anew, and vectors of two embedders are never compared, though they have one size."""
        store, index = InMemoryStore(), ExactIndex()
        first = Pets()
        tell(make(first, store=store, index=index), "my cat", "my dog")

        class Opposite(Pets):
            def __call__(self, texts: Texts) -> Vectors:
                return [[dog, cat, rest] for cat, dog, rest in super().__call__(texts)]

        other = Opposite("opposite")
        assert found(make(other, store=store, index=index), "feline?") == CAT
        assert other.embedded == first.embedded + Counter(["feline?"])

    @pytest.mark.parametrize("size", [2, 5])
    def test_may_have_another_size(self, size: int) -> None:
        """Vectors of another size are no conflict."""
        store, index = InMemoryStore(), ExactIndex()
        tell(make(Pets(), store=store, index=index), "my cat", "my dog")
        assert found(make(Pets("other", size), store=store, index=index), "canine?") == DOG

    def test_that_comes_back_finds_its_embeddings(self) -> None:
        """Going back to the first embedder embeds only what was said in between."""
        store = InMemoryStore()
        tell(make(Pets(), store=store), "my cat")
        tell(make(Pets("other"), store=store), "my dog")
        embedder = Pets()
        assert found(make(embedder, store=store), "canine?") == DOG
        assert any("dog" in text for text in embedder.embedded)
        assert not any("cat" in text for text in embedder.embedded)


def test_two_memories_of_a_conversation_share_all() -> None:
    """Each finds what the other saved, by words and by embeddings (I3)."""
    store = InMemoryStore()
    one, two = make(Pets(), store=store), make(Pets(), store=store)
    tell(one, "my cat")
    assert found(two, "feline?") == found(two, "a cat?") == CAT
    tell(two, "my dog")
    assert found(one, "canine?") == found(two, "canine?") == found(one, "a dog?") == DOG
