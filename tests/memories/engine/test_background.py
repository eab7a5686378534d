"""Learning after the save has returned."""

import asyncio
import logging
import threading
from typing import Any

import pytest

from memzoo.errors import ModelError, OptionError
from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    CombinedMemory,
    Conversation,
    ConversationSummaryMemory,
    MemoryProvider,
    create_memory,
)
from memzoo.memories.engine.background import Background
from memzoo.stores import InMemoryStore, Message, open_store
from memzoo.sync import drive
from memzoo.testing import MemoryContract, ScriptedModel
from memzoo.testing.failures import FailingTalk
from memzoo.testing.scripted import FlakyModel

SPECIES = [*STRATEGIES, "combined"]


def settling(strategy: type[BaseMemory]) -> type[BaseMemory]:
    """A strategy that waits after each save until its background is done."""

    class Settling(strategy):  # type: ignore[valid-type, misc]  # pyright: ignore[reportGeneralTypeIssues, reportUntypedBaseClass]
        async def asave_context(self, *args: Any, **options: Any) -> None:
            await super().asave_context(*args, **options)
            await self.asettle()

        async def aadd_messages(self, *args: Any, **options: Any) -> None:
            await super().aadd_messages(*args, **options)
            await self.asettle()

    Settling.__name__ = strategy.__name__
    return Settling


class TestBackgroundContract(MemoryContract):
    """The contract of a strategy that learns in the background."""

    strategy = settling(STRATEGIES["entity"])

    def options(self) -> dict[str, Any]:
        """Those of the contract, in the background; the model is asked through the client."""
        return {**super().options(), "learn": "background", "llm": "offline"}

    def talk(self, **options: Any) -> FailingTalk:
        """Not here: these memories settle after each save, and that asks at once, however often a model failed."""
        pytest.skip("settling leaves no model alone")

    def test_learns_later_from_what_was_saved_without_learning(self) -> None:
        """Not here either: to settle is to learn from what waits."""
        pytest.skip("settling leaves nothing for later")

    def test_leaves_learning_for_later(self) -> None:
        """Nor here: what learns in the background does not learn later."""
        pytest.skip("settling leaves nothing for later")


class Gate:
    """A model that answers when it is allowed to."""

    def __init__(self, reply: str = "A summary.") -> None:
        self.entered, self.open = threading.Event(), threading.Event()
        self.reply = reply
        self.calls = 0

    def __call__(self, messages: list[Message]) -> str:
        """Wait, then answer."""
        self.calls += 1
        self.entered.set()
        assert self.open.wait(30)
        return self.reply


class TestThread:
    """In synchronous code."""

    def test_saves_before_the_model_answers(self) -> None:
        """A save returns while the model is still busy, and the view shows the messages as they are."""
        gate = Gate()
        memory = ConversationSummaryMemory(llm=gate, learn="background", learn_every=1)
        memory.save_context({"input": "q"}, {"output": "a"})
        assert gate.entered.wait(30)
        assert memory.load_memory_variables({}) == {"history": "Human: q\nAI: a"}
        gate.open.set()
        memory.settle()
        assert memory.load_memory_variables({}) == {"history": "A summary."}

    def test_takes_in_together_what_came_meanwhile(self) -> None:
        """Exchanges saved while the model was busy are learnt from with one call, each once."""
        gate, prompts = Gate(), list[str]()

        def answer(messages: list[Message]) -> str:
            prompts.append(str(messages[-1]["content"]).partition("<new_lines>")[2])
            return gate(messages)

        memory = ConversationSummaryMemory(llm=answer, learn="background", learn_every=1)
        memory.save_context({"input": "q0"}, {"output": "a0"})
        assert gate.entered.wait(30)
        for number in (1, 2, 3):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        gate.open.set()
        memory.settle()
        assert [prompt.count("Human: q") for prompt in prompts] == [1, 3]

    def test_is_not_seen_in_the_view_if_it_fails(self, caplog: pytest.LogCaptureFixture) -> None:
        """An error is logged, the messages stay in view, and `settle` makes up for it or raises (I4)."""
        model = FlakyModel(ScriptedModel("A summary."))
        model.fault = ModelError("down")
        memory = ConversationSummaryMemory(llm=model, learn="background", learn_every=1)
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            memory.save_context({"input": "q"}, {"output": "a"})
            with pytest.raises(ModelError, match="down"):
                memory.settle()
        assert "not all of it learnt from yet: down" in caplog.text
        model.fault = None
        memory.settle()
        assert memory.summary == "A summary."

    def test_is_started_by_a_load_for_what_another_process_left(self) -> None:
        """A process that ends loses nothing: where it left off, the next one goes on, without waiting (I2)."""
        store = InMemoryStore()
        create_memory("buffer", store=store, conversation_id="a").save_context({"input": "q"}, {"output": "a"})
        gate = Gate()
        memory = ConversationSummaryMemory(
            llm=gate, learn="background", store=store, conversation_id="a", learn_every=1
        )
        assert memory.load_memory_variables({}) == {"history": "Human: q\nAI: a"}
        assert gate.entered.wait(30)
        gate.open.set()
        memory.settle()
        assert memory.summary == "A summary."
        assert gate.calls == 1

    def test_logs_what_nobody_foresaw(self, caplog: pytest.LogCaptureFixture) -> None:
        """An error that is no model's is logged with its traceback, and the next run goes on."""
        runs = list[int]()

        async def job() -> None:
            runs.append(1)
            raise ZeroDivisionError

        async def twice() -> None:
            background = Background(job)
            for _ in range(2):
                background.start()
                await background.wait()

        with caplog.at_level(logging.ERROR, logger="memzoo"):
            asyncio.run(twice())
        assert len(runs) == 2
        assert caplog.text.count("ZeroDivisionError") >= 2

    def test_tells_in_a_line_that_the_store_was_closed_meanwhile(self, caplog: pytest.LogCaptureFixture) -> None:
        """At the end of a program, say: what was not learnt yet, the next one learns."""
        with open_store("sqlite://") as store:
            memory = create_memory("summary", llm="offline", store=store, learn="later", learn_every=1)

        async def start() -> None:
            background = Background(memory.learners[0].cached_state.refresh)
            background.start()
            await background.wait()

        drive(start())
        (record,) = [one for one in caplog.records if one.name == "memzoo"]
        assert record.getMessage().startswith("learning in the background is left for later: ")
        assert record.exc_info is None


class TestTask:
    """In asynchronous code."""

    def test_saves_before_the_model_answers(self) -> None:
        """A save returns while the model is still busy; the model is asked by a task, not by a thread."""

        async def talk() -> None:
            entered, opened, threads = asyncio.Event(), asyncio.Event(), set[int]()

            async def answer(_: list[Message]) -> str:
                threads.add(threading.get_ident())
                entered.set()
                await opened.wait()
                return "A summary."

            memory = ConversationSummaryMemory(llm=answer, learn="background", learn_every=1)
            await memory.asave_context({"input": "q"}, {"output": "a"})
            await entered.wait()
            assert await memory.aload_memory_variables() == {"history": "Human: q\nAI: a"}
            opened.set()
            await memory.asettle()
            assert await memory.aload_memory_variables() == {"history": "A summary."}
            assert threads == {threading.get_ident()}

        asyncio.run(talk())

    def test_one_run_is_under_way_at_a_time(self) -> None:
        """However often it is asked for meanwhile, one more run follows, which does all that there is to do."""

        async def ask() -> tuple[int, int]:
            running, runs, most, opened = 0, 0, 0, asyncio.Event()

            async def job() -> None:
                nonlocal running, runs, most
                running, runs = running + 1, runs + 1
                most = max(most, running)
                await opened.wait()
                running -= 1

            background = Background(job)
            for _ in range(3):
                background.start()
                await asyncio.sleep(0)
            opened.set()
            await background.wait()
            return most, runs

        assert asyncio.run(ask()) == (1, 2)

    def test_is_made_up_for_if_the_loop_ends(self) -> None:
        """A loop that ends takes the task with it; what it did not learn is learnt later, once."""
        model = ScriptedModel("A summary.")
        memory = ConversationSummaryMemory(llm=model, learn="background", learn_every=1)
        asyncio.run(memory.asave_context({"input": "q"}, {"output": "a"}))
        memory.settle()
        assert memory.summary == "A summary."
        assert len(model.asked) == 1


@pytest.mark.parametrize("name", SPECIES)
def test_settling_is_harmless_without_background(name: str) -> None:
    """`settle` can always be called."""
    members: dict[str, Any] = {"memories": ["window", "summary"]} if name == "combined" else {}
    memory = create_memory(name, token_counter="approximate", **members, learn_every=1)
    memory.save_context({"input": "q"}, {"output": "a"})
    memory.settle()
    asyncio.run(memory.asettle())
    assert len(memory.history()) == 2


def test_members_learn_in_the_background_too() -> None:
    """A combined memory hands the option on to the members that it makes, and settles them all."""
    gate = Gate()
    memory = CombinedMemory(
        memories=[("summary", {"llm": gate}), ("window", {"k": 0})], learn="background", learn_every=1
    )
    memory.save_context({"input": "q"}, {"output": "a"})
    assert [message["content"] for message in memory.messages()] == ["q", "a"]
    gate.open.set()
    memory.settle()
    assert [message["content"] for message in memory.messages()] == ["A summary."]


class TestLater:
    """`learn="later"`: neither a save nor a load learns."""

    def test_another_time_is_refused(self) -> None:
        """With the three that there are."""
        wrong: dict[str, Any] = {"learn": "never"}
        with pytest.raises(OptionError, match="'now' or 'background' or 'later', not 'never'"):
            create_memory("summary", llm="offline", **wrong, learn_every=1)

    def test_a_memory_that_learns_nothing_leaves_it_alone(self) -> None:
        """It is shared, so that changing the name of a memory is all there is to do."""
        memory = create_memory("buffer", learn="later")
        memory.save_context({"input": "a"}, {"output": "b"})
        assert memory.load_memory_variables({}) == {"history": "Human: a\nAI: b"}

    def test_members_of_a_combined_memory_have_it(self) -> None:
        """It is one of the options that they take over; each one learns when it settles."""
        memory = CombinedMemory(memories=[("summary", {"llm": "offline"}), "window"], learn="later", learn_every=1)
        memory.save_context({"input": "I live in Oslo."}, {"output": "ok"})
        memory.load_memory_variables({})
        assert memory.usage.total.calls == 0
        memory.settle()
        assert memory.usage.total.calls == 1

    def test_a_conversation_of_a_provider_learns_later(self) -> None:
        """Turns of a `Conversation` ask its model for answers, and nothing else; another process learns."""
        store = InMemoryStore()
        provider = MemoryProvider(
            "summary", store=store, llm="offline", learn="later", max_pending_tokens=60, learn_every=1
        )
        conversation = Conversation("offline", provider.get("a"))
        for number in range(20):
            conversation.send(f"I own {number} cats.")
        assert provider.get("a").usage.total.calls == 0
        shown = str(provider.get("a").messages())
        assert "earlier messages are not shown here, and were not learnt from yet" in shown
        assert "I own 19 cats" in shown
        assert "I own 2 cats" not in shown
        other = create_memory("summary", store=store, conversation_id="a", llm="offline", learn="later", learn_every=1)
        other.settle()
        assert other.usage.total.calls > 0
        assert "not learnt from yet" not in str(provider.get("a").messages())

    def test_what_is_forgotten_is_learnt_anew_later(self) -> None:
        """`forget` asks no model either, and says what is left to do."""
        memory = create_memory("summary", llm="offline", learn="later", learn_every=1)
        for text in ("I live in Oslo.", "I like tea."):
            memory.save_context({"input": text}, {"output": "ok"})
        memory.settle()
        receipt = memory.forget([1])
        assert (receipt.calls, receipt.outstanding) == (0, ("summary",))
        assert "Oslo" not in str(memory.messages())
        memory.settle()
        assert "not learnt" not in str(memory.messages())
