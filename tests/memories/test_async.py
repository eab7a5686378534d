"""Asynchronous methods do exactly what the synchronous ones do (I5)."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.memories import STRATEGIES, BaseMemory, ConversationBufferMemory, create_memory, delete_old
from memzoo.stores import Message
from memzoo.sync import drive

Make = Callable[..., BaseMemory]

SAID = [("Sam lives in Oslo", "ok"), ("Sam likes tea", "fine"), ("Sam lives in Rome", "good"), ("Eve likes milk", "ok")]
QUESTION = {"input": "Who is Sam?"}
TOOL_CALL: list[Message] = [
    {"role": "user", "content": "Sam?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "f"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "Sam likes milk"},
]


def outcome(memory: BaseMemory) -> tuple[object, ...]:
    """What was derived and what was spent."""
    states = [drive(learner.refresh()) for learner in memory.learners]
    calls = {purpose: memory.usage[purpose].calls for purpose in memory.usage}
    return [(state.watermark, state.items) for state in states], calls


@pytest.mark.parametrize("name", STRATEGIES)
def test_learns_and_shows_the_same(name: str, make: Make) -> None:
    """Saved, loaded and shown asynchronously, a conversation leads to the same state, view and spending (A1)."""

    async def talk() -> tuple[object, ...]:
        memory = make(name)
        shown: list[object] = []
        for said, answer in SAID:
            shown.append(await memory.aload_memory_variables({"input": said}))
            await memory.asave_context({"input": said}, {"output": answer})
        await memory.aadd_messages(TOOL_CALL)
        shown += [await memory.aload_memory_variables(QUESTION), await memory.amessages(), await memory.ahistory()]
        return shown, memory

    memory = make(name)
    shown: list[object] = []
    for said, answer in SAID:
        shown.append(memory.load_memory_variables({"input": said}))
        memory.save_context({"input": said}, {"output": answer})
    memory.add_messages(TOOL_CALL)
    shown += [memory.load_memory_variables(QUESTION), memory.messages(), memory.history()]
    awaited, other = asyncio.run(talk())
    assert awaited == shown
    assert isinstance(other, BaseMemory)
    assert outcome(other) == outcome(memory)


@pytest.mark.parametrize("name", STRATEGIES)
def test_clears_the_same(name: str, make: Make) -> None:
    """`aclear` deletes notes, facts, summaries and embeddings with the messages (A2)."""
    memory = make(name)
    for said, answer in SAID:
        memory.save_context({"input": said}, {"output": answer})
    memory.load_memory_variables(QUESTION)
    asyncio.run(memory.aclear())
    fresh = make(name)
    assert (memory.history(), memory.messages("Sam")) == ([], [])
    assert memory.load_memory_variables(QUESTION) == fresh.load_memory_variables(QUESTION)
    assert not any(drive(learner.refresh()).items for learner in memory.learners)


@pytest.mark.parametrize("name", STRATEGIES)
def test_runs_in_one_loop_after_another(name: str, make: Make) -> None:
    """A memory outlives an event loop: each call may run in a loop of its own (A3)."""
    memory = make(name)
    for said, answer in SAID:
        asyncio.run(memory.asave_context({"input": said}, {"output": answer}))
    assert len(asyncio.run(memory.ahistory())) == 2 * len(SAID)
    assert asyncio.run(memory.aload_memory_variables(QUESTION)) == memory.load_memory_variables(QUESTION)


@pytest.mark.parametrize("strategy", STRATEGIES.values())
def test_every_method_has_its_twin(strategy: type[BaseMemory]) -> None:
    """Each asynchronous method has a synchronous one of the same name without the "a", with the same parameters."""
    twins = [name for name in dir(strategy) if inspect.iscoroutinefunction(getattr(strategy, name)) and name[0] == "a"]
    assert {"aload_memory_variables", "asave_context", "aclear", "amessages", "ahistory", "aadd_messages"} <= set(twins)
    for name in twins:
        if name != "ask":
            one, other = getattr(strategy, name), getattr(strategy, name[1:])
            assert inspect.signature(one).parameters.keys() == inspect.signature(other).parameters.keys()
            assert other.__doc__.startswith(f"Like `{name}`")


def test_a_wrong_call_names_the_method_that_was_called() -> None:
    """An error about arguments has the name that stands in the caller's code."""
    memory = create_memory("buffer")
    calls: list[Callable[[], object]] = [
        lambda: memory.save_context({}),  # type: ignore[call-arg]
        lambda: memory.messages(nonsense=1),  # type: ignore[call-arg]
        delete_old,  # type: ignore[list-item]
    ]
    for call, name in zip(calls, ["save_context", "messages", "delete_old"], strict=True):
        with pytest.raises(TypeError, match=rf"(^|\.){name}\(\)"):
            call()
    with pytest.raises(TypeError, match="asave_context"):
        memory.asave_context({})  # type: ignore[call-arg]


def test_an_override_is_followed_by_its_twin() -> None:
    """Who overrides the asynchronous method changes the synchronous one with it."""

    class Shouting(ConversationBufferMemory):
        async def ahistory(self, *args: Any, **options: Any) -> list[Message]:
            return [{"role": "user", "content": "OVERRIDDEN"}]

    assert Shouting().history() == [{"role": "user", "content": "OVERRIDDEN"}]
