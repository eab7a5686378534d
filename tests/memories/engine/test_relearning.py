"""Learning anew: what was known is thrown away only for something that is whole."""

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memzoo.errors import ConflictError, ModelError
from memzoo.memories import VectorStoreRetrieverMemory, create_memory
from memzoo.memories.engine.learner import relearn
from memzoo.memories.search.unit_index import KnownUnit
from memzoo.memories.strategies import knowledge_graph
from memzoo.memories.strategies.entity_notes import EntityIndex
from memzoo.stores import Entries, InMemoryStore, Message
from memzoo.sync import drive
from tests.memories.engine.failing import FAILS, NEVER, POISON, make, talked


def test_replaces_a_bad_summary() -> None:
    """What a model got wrong is written anew from the log, by one that is right."""
    replies = iter(["Mara runs a bakery.", "Nonsense.", "Mara runs a bakery that moves."])
    memory = make("summary", lambda _: next(replies))
    memory.save_context({"input": "I am Mara"}, {"output": "Hi"})
    memory.save_context({"input": "It moves"}, {"output": "ok"})
    memory.relearn()
    assert memory.load_memory_variables({}) == {"history": "Mara runs a bakery that moves."}


def test_lets_go_of_what_is_not_learnt_again() -> None:
    """Facts that the new state does not have are gone, from the graph in memory too."""
    replies = iter(["Sam | likes | tea", "Sam | likes | milk"])
    memory = make("knowledge-graph", lambda _: next(replies))
    memory.save_context({"input": "I like tea"}, {"output": "ok"})
    memory.relearn()
    assert memory.load_memory_variables({"input": "What of Sam?"}) == {"history": "Sam likes milk."}


def test_goes_on_at_a_bad_exchange() -> None:
    """It fails several times within the call, is set aside, and the rest is learnt."""
    memory, model = talked("summary", NEVER)
    model.fails = FAILS[POISON]
    memory.relearn()
    assert [entry.seq for entry in memory.set_aside()] == [11, 12]
    assert memory.load_memory_variables({})["history"].startswith("A summary.")


def test_is_refused_if_something_is_deleted_meanwhile() -> None:
    """What a model writes from a message that is forgotten at that moment does not become the state."""
    replies, store = iter(["Sam likes tea.", "Sam likes tea and milk."]), InMemoryStore()
    other = create_memory("buffer", store=store, conversation_id="a")
    summarised = iter([lambda: None, lambda: other.forget([1])])

    def model(_: list[Message]) -> str:
        next(summarised)()
        return next(replies)

    memory = make("summary", model, store=store)
    memory.add_messages([{"role": "user", "content": "I like tea"}, {"role": "assistant", "content": "ok"}])
    with pytest.raises(ConflictError, match="deleted meanwhile"):
        memory.relearn()
    assert "tea" not in str(drive(store.read_state("a", "summary")).changes)


def test_from_a_message_on_embeds_only_the_rest() -> None:
    """Embeddings stand by themselves: those of older messages are kept."""
    embedded: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[len(text), 1.0] for text in texts]

    memory = VectorStoreRetrieverMemory(embedder=embed, token_counter="approximate")
    for number in range(4):
        memory.save_context({"input": f"pears {number}"}, {"output": "ok"})
    embedded.clear()
    memory.relearn(from_=7)
    assert embedded == ["Human: pears 3", "AI: ok"]
    memory.relearn()
    assert len(embedded) == 10


def test_tells_how_far_it_is() -> None:
    """After each step it tells how many messages were learnt from, and of how many; each strategy counts them."""
    told: list[tuple[int, int]] = []
    memory = make("summary", lambda _: "A summary.")
    for number in range(3):
        memory.save_context({"input": f"{number}"}, {"output": "Noted."})

    def tell(done: int, total: int) -> None:
        told.append((done, total))

    drive(relearn(memory, from_=None, only_set_aside=False, progress=tell))
    assert told[-1] == (6, 6)
    assert told == sorted(told)


def test_has_nothing_to_do_where_nothing_is_learnt() -> None:
    """A buffer learns nothing, and so nothing anew."""
    memory = create_memory("buffer")
    memory.save_context({"input": "hi"}, {"output": "hello"})
    memory.relearn()
    assert memory.set_aside() == []
    assert len(memory.messages()) == 2


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
def test_reads_each_item_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was learnt in a step, the next one looks at what changed, however many steps there are."""
    steps = 40
    line = "Sam{0}: Sam{0} likes tea{0}." if name == "entity" else "Sam{0} | likes | tea{0}"
    replies = map(line.format, range(steps))
    reads = list[str]()

    def counting(of: Callable[..., Sequence[KnownUnit]]) -> Callable[..., Sequence[KnownUnit]]:
        def counted(*arguments: Any) -> Sequence[KnownUnit]:
            reads.append(arguments[-2])
            return of(*arguments)

        return counted

    monkeypatch.setattr(EntityIndex, "units", counting(EntityIndex.units))
    monkeypatch.setattr(knowledge_graph, "units_of_fact", counting(knowledge_graph.units_of_fact))
    memory = make(name, lambda _: next(replies))
    for place in range(steps):
        memory.add_messages([{"role": "user", "content": f"Sam{place} {'likes tea ' * 900}"}], learn=False)
    memory.relearn()
    assert list(replies) == []
    assert len(reads) == steps - 1


def embedding(embedded: list[str], fails: str = "-") -> Callable[[list[str]], list[list[float]]]:
    """A function that embeds texts and notes them, but none with a certain word."""

    def embed(texts: list[str]) -> list[list[float]]:
        if fails in str(texts):
            raise ModelError("400: this text was refused")
        embedded.extend(texts)
        return [[len(text), 1.0] for text in texts]

    return embed


def test_of_an_empty_conversation_it_is_done_at_once() -> None:
    """There is nothing to learn from, before anything was said and after all of it was forgotten."""
    memory = make("summary", lambda _: "A summary.")
    memory.relearn()
    memory.save_context({"input": "I like tea"}, {"output": "ok"})
    memory.forget(None)
    memory.relearn()
    assert memory.load_memory_variables({}) == {"history": ""}


def test_from_a_message_on_leaves_nothing_out() -> None:
    """What waits before that message is embedded too."""
    embedded: list[str] = []
    memory = VectorStoreRetrieverMemory(embedder=embedding(embedded), token_counter="approximate", learn="later")
    for number in range(4):
        memory.save_context({"input": f"pears {number}"}, {"output": "ok"})
    memory.relearn(from_=7)
    assert [text for text in embedded if "pears" in text] == [f"Human: pears {number}" for number in range(4)]


def test_from_a_message_on_keeps_what_was_set_aside_before() -> None:
    """It can still be learnt from later."""
    embedded: list[str] = []
    options: dict[str, Any] = {"token_counter": "approximate", "on_model_error": "defer", "conversation_id": "a"}
    clock = itertools.count(step=1000).__next__
    options |= {"store": InMemoryStore(), "clock": clock}
    memory = VectorStoreRetrieverMemory(embedder=embedding(embedded, fails="plums"), **options)
    for said in ("pears", "plums", *map("apples {}".format, range(6))):
        memory.save_context({"input": said}, {"output": "ok"})
    assert [entry.seq for entry in memory.set_aside()] == [3, 4]
    memory.relearn(from_=9)
    assert [entry.seq for entry in memory.set_aside()] == [3, 4]


class ForgettingStore(InMemoryStore):
    """A store in which a message is forgotten right after the log was read, at the given time."""

    def __init__(self) -> None:
        super().__init__()
        self.reads_left = 0

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        self.reads_left -= 1
        if self.reads_left == 0:
            await self.forget(conversation_id, [1, 2])
        return found


@pytest.mark.parametrize("moment", range(1, 9))
@pytest.mark.parametrize("only_set_aside", [False, True])
def test_what_is_forgotten_at_any_moment_is_not_learnt(moment: int, *, only_set_aside: bool) -> None:
    """Whichever read of the log a deletion follows, the state has nothing of it, or the call is refused."""
    store, failing = ForgettingStore(), ["I like tea"]

    def model(messages: list[Message]) -> str:
        if any(text in str(messages) for text in failing):
            raise ModelError("400: this prompt was refused")
        return "Sam likes tea." if "I like tea" in str(messages) else "Sam likes milk."

    memory = make("summary", model, store=store)
    for said in ("I like tea", *map("I like milk {}".format, range(6))):
        memory.save_context({"input": said}, {"output": "ok"})
    assert [entry.seq for entry in memory.set_aside()] == [1, 2]
    failing.clear()
    store.reads_left = moment
    with contextlib.suppress(ConflictError):
        memory.relearn(only_set_aside=only_set_aside)
    if store.reads_left <= 0:
        memory.save_context({"input": "I like water"}, {"output": "ok"})
        assert "tea" not in str(drive(store.read_state("a", "summary")).changes)
