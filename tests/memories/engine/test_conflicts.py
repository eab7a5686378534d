"""Two writers of one conversation: nothing is lost, nothing is doubled, and a clear is a clear for both."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.memories import STRATEGIES, BaseMemory, ConversationSummaryMemory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Entries, InMemoryStore, Message
from memzoo.sync import drive, is_blocking

Make = Callable[..., BaseMemory]

MODEL_BACKED = ["summary", "summary-buffer", "entity", "knowledge-graph"]
SAID = [("Sam lives in Oslo", "ok"), ("Sam likes tea", "fine"), ("Eve likes milk", "good")]
QUESTION = {"input": "Who are Sam and Eve?"}


class RivalStore(InMemoryStore):
    """A store in which a rival does something between a derivation and its commit, once."""

    def __init__(self) -> None:
        super().__init__()
        self.rival: Any = None

    async def commit(self, conversation_id: str, strategy: str, **update: Any) -> int:
        """See `Store.commit`."""
        rival, self.rival = self.rival, None
        if rival:
            rival()
        return await super().commit(conversation_id, strategy, **update)


def tell(memory: BaseMemory, number: int) -> None:
    """Save an exchange."""
    memory.save_context({"input": SAID[number][0]}, {"output": SAID[number][1]})


def outcome(memory: BaseMemory) -> tuple[object, ...]:
    """All that can be seen of a memory: its history, its state, its view."""
    shown = memory.load_memory_variables(QUESTION)
    state = drive(memory.store.read_state("a", memory.learners[0].name))
    return memory.history(), state.watermark, state.changes, shown


def told(memory: BaseMemory, *numbers: int) -> tuple[object, ...]:
    """What comes out of some exchanges, one after the other."""
    for number in numbers:
        tell(memory, number)
    return outcome(memory)


@pytest.mark.parametrize("name", MODEL_BACKED)
class TestRivals:
    """Another memory commits between a derivation and its commit."""

    def test_that_learn_the_same(self, name: str, make: Make) -> None:
        """If both derive the same messages, they are in the state once (I3, F4)."""
        store = RivalStore()
        one, two = make(name, store), make(name, store)
        tell(one, 0)
        store.rival = lambda: two.load_memory_variables(QUESTION)
        tell(one, 1)
        assert outcome(one) == outcome(two) == told(make(name), 0, 1)

    def test_that_say_more(self, name: str, make: Make) -> None:
        """If the other one saves a further exchange meanwhile, all are in the state, once and in order (I3, F4)."""
        store = RivalStore()
        one, two = make(name, store), make(name, store)
        tell(one, 0)
        store.rival = lambda: tell(two, 2)
        tell(one, 1)
        assert outcome(one) == outcome(two) == told(make(name), 0, 1, 2)

    def test_that_clear(self, name: str, make: Make) -> None:
        """If the other one clears the conversation meanwhile, nothing of it comes back (I3, I7)."""
        store = RivalStore()
        one, two = make(name, store), make(name, store)
        tell(one, 0)
        store.rival = two.clear
        tell(one, 1)
        assert outcome(one) == outcome(two) == told(make(name))

    def test_that_clear_and_begin_anew(self, name: str, make: Make) -> None:
        """If the other one clears and begins anew meanwhile, only the new conversation is known (I3, I7)."""
        store = RivalStore()
        one, two = make(name, store), make(name, store)
        tell(one, 0)

        def begin_anew() -> None:
            two.clear()
            tell(two, 2)

        store.rival = begin_anew
        tell(one, 1)
        assert outcome(one) == outcome(two) == told(make(name), 2)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_clear_is_noticed_by_all(name: str, make: Make) -> None:
    """A memory that knew a conversation forgets it when another memory clears it, and goes on with the new one (A2)."""
    store = InMemoryStore()
    one, two = make(name, store), make(name, store)
    tell(one, 0)
    assert "Oslo" in str(one.load_memory_variables(QUESTION))
    two.clear()
    assert "Oslo" not in f"{one.load_memory_variables(QUESTION)} {one.messages('Sam')} {one.history()}"
    tell(two, 2)
    tell(one, 1)
    shown = str(one.load_memory_variables(QUESTION))
    assert "Oslo" not in shown
    assert shown == str(two.load_memory_variables(QUESTION))
    assert ("milk" in shown, "tea" in shown) == (True, True)


class SlowStore(InMemoryStore):
    """A store whose readers wait their turn, as those of a database do."""

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        entries = await super().read(conversation_id, **bounds)
        if not is_blocking():
            await asyncio.sleep(0)
        return entries


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("delay", range(8))
def test_a_load_meets_a_clear(name: str, delay: int, make: Make) -> None:
    """A load during which the conversation is cleared shows some of it or nothing; it does not break (I3)."""

    async def meet() -> object:
        memory = make(name, SlowStore())
        for said, answer in SAID:
            await memory.asave_context({"input": said}, {"output": answer})

        async def clear() -> None:
            for _ in range(delay):
                await asyncio.sleep(0)
            await memory.aclear()

        loaded, _ = await asyncio.gather(memory.aload_memory_variables(QUESTION), clear())
        assert loaded.keys() == set(memory.memory_variables)
        return await memory.ahistory()

    assert asyncio.run(meet()) == []


@pytest.mark.parametrize("name", MODEL_BACKED)
@pytest.mark.parametrize("memories", [1, 2])
def test_tasks_learn_each_exchange_once(name: str, memories: int, make: Make, clerk: ChatFunction) -> None:
    """Eight tasks saving at once: each exchange is learnt from exactly once, through one memory or two (I3, F4)."""

    async def answer(messages: list[Message]) -> str:
        await asyncio.sleep(0)
        reply: Any = clerk(messages)
        return str(reply)

    async def talk() -> tuple[BaseMemory, list[str], dict[str, Any]]:
        store = InMemoryStore()
        made = [make(name, store, llm=answer) for _ in range(memories)]
        saves = [made[n % memories].asave_context({"input": f"Sam likes tea{n}"}, {"output": "ok"}) for n in range(8)]
        await asyncio.gather(*saves)
        said = [message["content"] for message in await made[0].ahistory() if message["role"] == "user"]
        return made[0], said, await made[0].aload_memory_variables({"input": "Sam?"})

    memory, said, shown = asyncio.run(talk())
    again = make(name)
    for text in said:
        again.save_context({"input": text}, {"output": "ok"})
    assert sorted(said) == [f"Sam likes tea{n}" for n in range(8)]
    # What a summary buffer shows word for word has not been learnt from.
    learnt = 15 if name == "summary-buffer" else 16
    assert drive(memory.store.read_state("a", memory.learners[0].name)).watermark == learnt
    assert shown == again.load_memory_variables({"input": "Sam?"})


def test_a_thread_and_a_task_share_a_memory(make: Make, clerk: ChatFunction) -> None:
    """While a task waits for its model, a thread can save and load; both exchanges are learnt from once (I3, F4)."""

    async def talk() -> tuple[str, BaseMemory]:
        started, go = asyncio.Event(), asyncio.Event()

        async def slow(messages: list[Message]) -> str:
            started.set()
            await go.wait()
            return str(answer(messages))

        def answer(messages: list[Message]) -> Any:
            return clerk(messages)

        def either(messages: list[Message]) -> Any:
            return answer(messages) if is_blocking() else slow(messages)

        memory = make("summary", llm=either)
        task = asyncio.create_task(memory.asave_context({"input": "first"}, {"output": "ok"}))
        await started.wait()
        meanwhile = str(memory.load_memory_variables({})["history"])
        await asyncio.to_thread(memory.save_context, {"input": "second"}, {"output": "fine"})
        go.set()
        await task
        return meanwhile, memory

    meanwhile, memory = asyncio.run(talk())
    assert meanwhile == "Human: first\nAI: ok"
    assert isinstance(memory, ConversationSummaryMemory)
    assert memory.summary == "Human: first / AI: ok / Human: second / AI: fine"
