"""Turns: visible together, marked if unfinished, one at a time."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories import STRATEGIES, BaseMemory, ConversationBufferMemory, Turn, create_memory
from memzoo.memories.testing import ScriptedModel
from memzoo.stores import InMemoryStore, Message, Store, open_store
from memzoo.stores.errors import MessageError, ModelError, OptionError, TurnError, TurnInProgressError

Make = Callable[..., BaseMemory]

CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT: Message = {"role": "tool", "tool_call_id": "c", "content": "done"}


class Mishap(BaseException):
    """Something that no `except Exception` catches, like an interrupt."""


def roles(messages: list[Message]) -> str:
    """The roles of messages, by their first letters."""
    return "".join(message["role"][0] for message in messages)


def contents(messages: list[Message]) -> list[Any]:
    """What messages say."""
    return [message["content"] for message in messages]


def failed(turn: Turn, error: type[BaseException], *said: Message) -> Turn:
    """A turn that an exception ended after something was said."""

    def talk() -> None:
        with turn:
            turn.add(*said)
            raise error

    with pytest.raises(error):
        talk()
    return turn


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
        assert roles(turn.messages()) == "suu"
        turn.add(RESULT)
        assert roles(turn.messages()) == "suuat"
        turn.messages()[-1]["content"] = "forged"
        assert contents(turn.messages())[-1] == "done"
        turn.add("Yes")


def test_memories_that_search_get_the_question() -> None:
    """A memory that needs a query gets the user's words, once for the whole turn."""
    asked: list[str] = []

    def model(messages: list[Message]) -> str:
        asked.append(messages[-1]["content"])
        return "NONE"

    memory = create_memory("entity", llm=model)
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
            assert roles(turn.messages()) == "uu"
            turn.add("Sorry")
        assert memory.unfinished_turn() == []
        assert contents(memory.messages()) == ["Call f!", "Well?", "Sorry"]

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
    memory = create_memory("summary", llm=model)
    failed(memory.turn("I am Sam"), Mishap)
    assert model.asked == []
    model.enqueue("Sam came.")
    assert contents(memory.messages())[0] == "Sam came."


def test_a_finished_turn_that_cannot_be_learnt_from_is_stored() -> None:
    """The error of the memory's model comes at the end, as from `save_context`; the turn is there (I2)."""

    def model(messages: list[Message]) -> str:
        raise OSError("down")

    memory = create_memory("summary", llm=model)
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

    @pytest.mark.parametrize("user", [{"role": "assistant", "content": "hi"}, {"role": "user"}, 5])
    def test_a_turn_begins_with_the_user(self, user: Any, memory: BaseMemory) -> None:
        """Anything but text or a user message is refused before anything happens."""
        with pytest.raises(MessageError):
            memory.turn(user)

    def test_a_refused_message_adds_nothing(self, memory: BaseMemory) -> None:
        """Of several messages all are added, or none."""
        with memory.turn("hi") as turn:
            with pytest.raises(MessageError, match="role 'robot' is unknown"):
                turn.add("hello", {"role": "robot", "content": "beep"})
            assert roles(turn.messages()) == "u"
            turn.add("hello")

    @pytest.mark.parametrize("options", [{"on_failure": "explode"}, {"busy": "later"}])
    def test_policies_are_checked(self, options: dict[str, Any], memory: BaseMemory) -> None:
        """A policy that there is not is refused by name."""
        with pytest.raises(OptionError, match=next(iter(options.values()))):
            memory.turn("hi", **options)


class TestTwoAtOnce:
    """Two turns of one conversation."""

    @pytest.fixture
    def twins(self) -> tuple[BaseMemory, BaseMemory]:
        """Two memory objects of one conversation in one store."""
        store = InMemoryStore()
        first, second = (create_memory(name, store=store, conversation_id="a") for name in ("buffer", "window"))
        return first, second

    def test_the_second_is_refused(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """With "refuse" it is a typed error at once, from another memory of the conversation too; others are free."""
        first, second = twins
        with first.turn("one") as turn:
            with pytest.raises(TurnInProgressError, match="'a' is under way"), second.turn("two", busy="refuse"):
                pass
            with create_memory("buffer", store=first.store, conversation_id="b").turn("b", busy="refuse") as other:
                other.add("b")
            turn.add("1")
        assert contents(first.history()) == ["one", "1"]

    def test_a_turn_inside_itself_is_refused(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Waiting for a turn from inside it would never end, in a thread or in a task: an error says so."""
        first, second = twins
        with first.turn("one") as turn:
            with pytest.raises(TurnInProgressError, match="never end"), second.turn("two"):
                pass
            turn.add("1")

        async def nested() -> None:
            async with first.turn("one") as turn:
                with pytest.raises(TurnInProgressError, match="never end"):
                    await second.turn("two").__aenter__()
                with turn.waiting(), pytest.raises(TurnInProgressError, match="never end"):
                    await asyncio.create_task(second.turn("two").__aenter__())
                turn.add("1")

        asyncio.run(nested())
        assert contents(first.history()) == ["one", "1", "one", "1"]

    def test_a_synchronous_turn_does_not_stop_the_loop_that_it_waits_for(
        self, twins: tuple[BaseMemory, BaseMemory]
    ) -> None:
        """A synchronous call in a loop cannot wait for a task of that loop: an error says so; nothing stands still."""
        first, second = twins

        async def scene() -> None:
            held, go = asyncio.Event(), asyncio.Event()

            async def hold() -> None:
                async with first.turn("one") as turn:
                    held.set()
                    await go.wait()
                    turn.add("1")

            task = asyncio.create_task(hold())
            await held.wait()
            with pytest.raises(TurnInProgressError, match="never end"):
                second.turn("two").__enter__()
            go.set()
            await task

        asyncio.run(scene())
        assert contents(first.history()) == ["one", "1"]

    def test_the_second_thread_waits(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """In threads, each turn sees all turns before it whole, and none is lost."""
        seen: list[int] = []

        def talk(memory: BaseMemory) -> None:
            for _ in range(10):
                with memory.turn("tick") as turn:
                    seen.append(len(first.history()))
                    turn.add("tock")

        first, _ = twins
        threads = [threading.Thread(target=talk, args=(memory,)) for memory in (*twins, *twins)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == list(range(0, 80, 2))

    def test_the_second_task_waits_and_the_loop_goes_on(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Tasks wait in the order in which they came, while other tasks run; a cancelled one leaves the row."""
        first, second = twins
        order: list[str] = []

        async def talk(memory: BaseMemory, said: str) -> None:
            async with memory.turn(said) as turn:
                order.append(said)
                turn.add("ok")

        async def scene() -> None:
            async with first.turn("zero") as turn:
                tasks = [asyncio.create_task(talk(second, said)) for said in ("one", "two", "three")]
                await asyncio.sleep(0)
                tasks[1].cancel()
                await asyncio.sleep(0)
                turn.add("ok")
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(result) for result in results] == [type(None), asyncio.CancelledError, type(None)]

        asyncio.run(scene())
        assert order == ["one", "three"]
        assert contents(first.history()) == ["zero", "ok", "one", "ok", "three", "ok"]

    def test_a_place_that_is_given_to_a_cancelled_task_goes_to_the_next(
        self, twins: tuple[BaseMemory, BaseMemory]
    ) -> None:
        """A task that is cancelled just when its turn has come passes it on."""
        first, second = twins

        async def wait() -> None:
            async with second.turn("late") as turn:
                turn.add("never")

        async def scene() -> None:
            async with first.turn("one") as turn:
                waiting = asyncio.create_task(wait())
                await asyncio.sleep(0)
                turn.add("1")
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            async with first.turn("two", busy="refuse") as turn:
                turn.add("2")

        asyncio.run(scene())
        assert contents(first.history()) == ["one", "1", "two", "2"]

    def test_a_task_waits_for_a_thread(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Threads and tasks stand in one row."""
        first, second = twins
        begun, go = threading.Event(), threading.Event()

        def in_thread() -> None:
            with first.turn("thread") as turn:
                begun.set()
                go.wait(timeout=30)
                turn.add("ok")

        async def in_task() -> None:
            async with second.turn("task") as turn:
                turn.add("ok")

        async def scene() -> None:
            thread = asyncio.create_task(asyncio.to_thread(in_thread))
            await asyncio.to_thread(begun.wait, 30)
            task = asyncio.create_task(in_task())
            await asyncio.sleep(0)
            go.set()
            await asyncio.gather(thread, task)

        asyncio.run(scene())
        assert contents(first.history()) == ["thread", "ok", "task", "ok"]

    def test_of_two_processes_both_are_stored_whole(self, tmp_path: Path) -> None:
        """Where nobody can wait, because the other is another process, neither vanishes and they do not mix."""
        stores = [open_store(f"sqlite:///{tmp_path}/a.db") for _ in range(2)]
        first, second = (ConversationBufferMemory(store=store, conversation_id="a") for store in stores)
        with first.turn("one") as one, second.turn("two") as two:
            one.add(CALL, RESULT, "1")
            two.add("2")
        assert contents(first.history()) == ["two", "2", "one", None, "done", "1"]
        for store in stores:
            store.close()


class TestSeeding:
    """Example exchanges at the beginning of a conversation."""

    @pytest.fixture(params=["memory", "sqlite"])
    def store(self, request: pytest.FixtureRequest, tmp_path: Path) -> Any:
        """A store."""
        opened = InMemoryStore() if request.param == "memory" else open_store(f"sqlite:///{tmp_path}/a.db")
        yield opened
        opened.close()

    def test_only_an_empty_conversation_is_seeded(self, store: Store) -> None:
        """Once, and not after something was said."""
        memory = ConversationBufferMemory(store=store, conversation_id="a")
        assert memory.seed([("2 + 2", "4")])
        assert not memory.seed([("2 + 2", "5")])
        assert contents(memory.messages()) == ["2 + 2", "4"]
        other = ConversationBufferMemory(store=store, conversation_id="b")
        other.save_context({"input": "hi"}, {"output": "hello"})
        assert not other.seed([("2 + 2", "4")])
        assert contents(other.history()) == ["hi", "hello"]

    def test_a_system_message_alone_counts_as_empty(self, store: Store) -> None:
        """The examples stand behind it."""
        memory = ConversationBufferMemory(store=store)
        memory.add_messages([{"role": "system", "content": "Calculate."}])
        assert memory.seed([("2 + 2", "4"), ("3 + 4", "7")])
        assert roles(memory.messages()) == "suaua"

    def test_two_processes_seed_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also if both found the conversation empty before either wrote (I2)."""
        stores = [open_store(f"sqlite:///{tmp_path}/a.db") for _ in range(2)]
        first, second = (ConversationBufferMemory(store=store, conversation_id="a") for store in stores)
        found: Any = asyncio.run(second.store.read("a"))

        async def stale(*args: object, **options: object) -> Any:
            return found

        assert first.seed([("2 + 2", "4")])
        with monkeypatch.context() as patch:
            patch.setattr(second.store, "read", stale)
            assert second.seed([("2 + 2", "4")])
        assert contents(second.history()) == ["2 + 2", "4"]
        for store in stores:
            store.close()

    @pytest.mark.parametrize(
        "examples",
        [
            [],
            [{"role": "user", "content": "2 + 2"}],
            [{"role": "assistant", "content": "4"}],
            [{"role": "user", "content": "f"}, CALL],
            [{"role": "user", "content": "f"}, CALL, RESULT],
            [{"role": "user", "content": "f"}, CALL, {"role": "assistant", "content": "4"}],
            [{"role": "system", "content": "Calculate."}, {"role": "user", "content": "a"}, CALL, RESULT],
        ],
    )
    def test_examples_are_whole_exchanges(self, examples: list[Message]) -> None:
        """Anything else is refused, and nothing is stored."""
        memory = ConversationBufferMemory()
        with pytest.raises(MessageError, match="whole exchanges"):
            memory.seed(examples)
        assert memory.history() == []

    def test_examples_may_use_tools(self) -> None:
        """As in real exchanges, calls with their results."""
        memory = ConversationBufferMemory()
        assert memory.seed([{"role": "user", "content": "f"}, CALL, RESULT, {"role": "assistant", "content": "4"}])
        assert roles(memory.messages()) == "uata"


steps = some.lists(
    some.tuples(
        some.lists(some.sampled_from(["call", "result", "text", "user"]), max_size=4),
        some.sampled_from(["ends", "keep", "rollback"]),
    ),
    max_size=5,
)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=15)
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
        assert turn.messages()[-1] == {"role": "user", "content": f"Sam, {number}?"}
        for event in happens:
            turn.add(said[event])
            assert is_accepted(turn.messages())
        _end(end)


def _end(end: str) -> None:
    if end != "ends":
        raise Mishap


def is_accepted(messages: list[Message]) -> bool:
    """OpenAI's rule: behind each message with calls come its results, all of them; no result stands elsewhere."""
    rest = list(messages)
    while rest:
        message = rest.pop(0)
        ids = [call["id"] for call in message.get("tool_calls", [])]
        if message["role"] == "tool" or [answer.get("tool_call_id") for answer in rest[: len(ids)]] != ids:
            return False
        del rest[: len(ids)]
    return True
