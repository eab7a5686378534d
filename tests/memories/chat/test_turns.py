"""Turns: visible together, marked if unfinished."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.errors import MessageError, ModelError, StoreError, TurnError
from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    ConversationBufferMemory,
    create_memory,
)
from memzoo.memories.text.order import find_fault
from memzoo.stores import Entry, InMemoryStore, Message, Record
from memzoo.testing import ScriptedModel
from tests.memories.chat.turns import CALL, RESULT, Mishap, contents, failed, roles

Make = Callable[..., BaseMemory]


@pytest.fixture
def memory() -> BaseMemory:
    """A memory."""
    return ConversationBufferMemory()


def test_a_turn_becomes_visible_together(memory: BaseMemory) -> None:
    """While it lasts, others see nothing of it; at its end, all of it, as one turn with one id (I2)."""
    other = ConversationBufferMemory(store=memory.store, conversation_id=memory.conversation_id)
    with memory.turn("2 + 2?", turn_id="t-1") as turn:
        turn.add(CALL, RESULT)
        assert roles(turn.messages()) == "uat"
        turn.add("4")
        assert other.history() == other.messages() == []
    assert roles(other.history()) == "uata"
    assert turn.finished
    entries = asyncio.run(memory.store.read(memory.conversation_id))
    assert {entry.turn_id for entry in entries} == {"t-1"}


def test_what_to_send_is_the_memory_and_the_turn(memory: BaseMemory) -> None:
    """The view before the turn, the user's message, what was added; calls only with their results (I6)."""
    memory.add_messages([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}])
    with memory.turn("Well?") as turn:
        turn.add(CALL)
        assert roles(turn.messages()) == "su"
        assert contents(turn.messages())[-1] == "hi\n\nWell?"
        turn.add(RESULT)
        assert roles(turn.messages()) == "suat"
        turn.messages()[-1]["content"] = "forged"
        assert contents(turn.messages())[-1] == "done"
        turn.add("Yes")


def test_memories_that_search_get_the_question() -> None:
    """A memory that needs a query gets the user's words, once for the whole turn."""
    asked: list[str] = []

    def model(messages: list[Message]) -> str:
        asked.append(messages[-1]["content"])
        return "NONE"

    memory = create_memory("entity", llm=model, ask_at_load=True, learn_every=1)
    memory.save_context({"input": "Sam likes tea."}, {"output": "ok"})
    asked.clear()
    with memory.turn("What about Quebec?") as turn:
        turn.messages()
        turn.add(CALL, RESULT)
        turn.messages()
        assert len(asked) == 1
        assert "What about Quebec?" in asked[0]
        turn.add("Nice")


@pytest.mark.parametrize("error", [ValueError, Mishap, KeyboardInterrupt, GeneratorExit])
class TestFailing:
    """A turn that an exception ends."""

    def test_is_kept_and_marked(self, error: type[BaseException], memory: BaseMemory) -> None:
        """With "keep" the log has what was said so far; the next turn starts from what can be sent of it."""
        assert not failed(memory.turn("Call f!"), error, CALL).finished
        assert roles(memory.history()) == roles(memory.unfinished_turn()) == "ua"
        with memory.turn("Well?") as turn:
            assert roles(turn.messages()) == "uatau"
            assert "nobody knows" in turn.messages()[2]["content"]
            turn.add("Sorry")
        assert memory.unfinished_turn() == []
        assert roles(memory.messages()) == "uatua"

    def test_is_rolled_back(self, error: type[BaseException], memory: BaseMemory) -> None:
        """With "rollback" nothing of it is stored, and the conversation is free for the next turn."""
        assert not failed(memory.turn("Call f!", on_failure="rollback"), error, CALL, RESULT).finished
        assert memory.history() == memory.unfinished_turn() == []
        with memory.turn("Again", busy="refuse") as turn:
            turn.add("ok")


def test_a_turn_without_an_answer_is_unfinished(memory: BaseMemory) -> None:
    """Also without an exception: only the user spoke, or a call has no result; results at the end are an answer."""
    for said, unfinished in [((), "u"), ((CALL,), "ua"), ((CALL, RESULT), ""), (("ok",), "")]:
        with memory.turn("Go") as turn:
            turn.add(*said)
        assert roles(memory.unfinished_turn()) == unfinished
    assert ConversationBufferMemory().unfinished_turn() == []


def test_a_long_unfinished_turn_is_given_whole(memory: BaseMemory) -> None:
    """However many messages it has."""
    memory.add_messages([{"role": "user", "content": "before"}])
    with memory.turn("Go") as turn:
        turn.add(*({"role": "user", "content": f"picture {number}"} for number in range(40)))
    assert len(memory.unfinished_turn()) == 41


def test_a_retry_of_a_stored_turn_changes_nothing(memory: BaseMemory) -> None:
    """A turn with the id of a finished one is not stored again; that of an unfinished one is (I2)."""
    with memory.turn("Go", turn_id="r"):
        pass
    for _ in range(2):
        with memory.turn("Go", turn_id="r") as turn:
            turn.add("Gone")
    assert contents(memory.history()) == ["Go", "Go", "Gone"]


def test_a_failing_turn_asks_no_model() -> None:
    """What is left to learn from an unfinished turn is learnt later, so that a cancelled turn waits for nothing."""
    model = ScriptedModel()
    memory = create_memory("summary", llm=model, learn_every=1)
    failed(memory.turn("I am Sam"), Mishap)
    assert model.asked == []
    model.enqueue("Sam came.")
    assert contents(memory.messages())[0] == "Sam came."


def test_a_finished_turn_that_cannot_be_learnt_from_is_stored() -> None:
    """The error of the memory's model comes at the end, as from `save_context`; the turn is there (I2)."""

    def model(messages: list[Message]) -> str:
        raise OSError("down")

    memory = create_memory("summary", llm=model, learn_every=1)
    with pytest.raises(ModelError), memory.turn("I am Sam") as turn:
        turn.add("Hello")
    assert turn.finished
    assert roles(memory.history()) == "ua"
    assert memory.unfinished_turn() == []


class TestWrongUse:
    """Errors that say what is right."""

    def test_a_closed_turn_takes_nothing(self, memory: BaseMemory) -> None:
        """What is added before or after the block would be lost, so it is an error."""
        turn = memory.turn("hi")
        with pytest.raises(TurnError, match="not open"):
            turn.add("too early")
        with turn:
            turn.add("hello")
        for use in (lambda: turn.add("too late"), turn.messages, turn.__enter__):
            with pytest.raises(TurnError):
                use()
        assert contents(memory.history()) == ["hi", "hello"]

    def test_a_refused_message_adds_nothing(self, memory: BaseMemory) -> None:
        """Of several messages all are added, or none."""
        with memory.turn("hi") as turn:
            with pytest.raises(MessageError, match="role 'robot' is unknown"):
                turn.add("hello", {"role": "robot", "content": "beep"})
            assert roles(turn.messages()) == "u"
            turn.add("hello")


steps = some.lists(
    some.tuples(
        some.lists(some.sampled_from(["call", "result", "text", "user", "keep"]), max_size=4),
        some.sampled_from(["ends", "keep", "rollback"]),
    ),
    max_size=5,
)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=10)
@given(steps=steps)
def test_whatever_happens_in_turns_the_next_can_be_sent(
    name: str, make: Make, steps: list[tuple[list[str], Any]]
) -> None:
    """No orphan result and no call without results is ever sent, and the user's message is never missing (I6)."""
    memory = make(name)
    for number, (happens, end) in enumerate(steps):
        _live(memory, number, happens, end)
    assert sum(message["role"] == "user" for message in memory.history()) == sum(
        1 + happens.count("user") for happens, end in steps if end != "rollback"
    )


def _live(memory: BaseMemory, number: int, happens: list[str], end: Any) -> None:
    said: dict[str, Message] = {
        "call": {**CALL, "tool_calls": [CALL["tool_calls"][0] | {"id": f"c{number}"}]},
        "result": RESULT | {"tool_call_id": f"c{number}"},
        "text": {"role": "assistant", "content": "Sam likes tea"},
        "user": {"role": "user", "content": "Sam lives in Oslo"},
    }
    turn = memory.turn(f"Sam, {number}?", on_failure="rollback" if end == "rollback" else "keep")
    with contextlib.suppress(Mishap), turn:
        assert turn.messages()[-1]["content"].endswith(f"Sam, {number}?")
        for event in happens:
            if event == "keep":
                turn.keep()
            else:
                turn.add(said[event])
            assert find_fault(turn.messages()) in ("", "a request must not end with answer")
        _end(end)


def _end(end: str) -> None:
    if end != "ends":
        raise Mishap


def kept_early(memory: BaseMemory) -> None:
    """Keep a call before it is carried out."""
    with memory.turn("Call f!") as turn:
        turn.roll_back()
        turn.add(CALL)
        turn.keep()


def given_up(memory: BaseMemory) -> None:
    """Fail in the midst of a turn."""
    with memory.turn("Call f!") as turn:
        turn.add(CALL)
        raise Mishap


def seeded(memory: BaseMemory) -> None:
    """Begin with examples."""
    memory.add_messages(
        [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "So."}], turn_id="examples"
    )


class Silent(InMemoryStore):
    """Stores what it is given, but loses the first answer."""

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        is_new = not await self.read(conversation_id)
        stored = await super().append(conversation_id, records, turn_id=turn_id)
        if is_new:
            raise StoreError("no answer")
        return stored


@pytest.mark.parametrize("save", [kept_early, given_up, seeded])
def test_whatever_may_be_stored_can_be_saved_again(save: Callable[[BaseMemory], None]) -> None:
    """The error of a store has a note with the id, whichever way the messages came: under it they are there once."""
    memory = create_memory("buffer", store=Silent(), conversation_id="a")
    with pytest.raises(StoreError) as caught:
        save(memory)
    turn_id = caught.value.__notes__[0].split("'")[1]
    said = memory.history()
    memory.add_messages(said, turn_id=turn_id)
    assert memory.history() == said
