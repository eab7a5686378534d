"""The life of a conversation: talk, failures, forgetting, other writers and other strategies, in any order.

Its model is a list of what was said. The clerk answers, who forgets nothing and adds nothing, so that what a memory
knows can be told word by word.
"""

import asyncio
import contextlib
import itertools
import re
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from memzoo.errors import ModelError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.strategies.named import further_names
from memzoo.stores import Message, open_store
from memzoo.stores.base import managed
from memzoo.sync import drive
from tests.clerk import clerk, eager
from tests.provider import refusal

NAMES = some.sampled_from([*STRATEGIES, *further_names()])
# They show all there is, or a summary of it, which the clerk writes without leaving anything out.
SHOW_ALL = {"buffer", "summary", "summary-buffer", "summarizing-window"}
NOTE_ALL = {"entity", "knowledge-graph"}
TALK, OTHER = "talk", "other"
QUERY = "What does Sam like?"


class Model:
    """The clerk, unless it fails or talks nonsense.

    Attributes:
        fault: What it raises or says instead.
        calls: How often it was asked.
    """

    def __init__(self) -> None:
        self.fault: Exception | str | None = None
        self.calls = 0

    def __call__(self, messages: list[Message]) -> str:
        """The clerk's answer, or the fault."""
        self.calls += 1
        if isinstance(self.fault, Exception):
            raise self.fault
        return self.fault or clerk(messages)


class Life(RuleBasedStateMachine):
    """A conversation on a store, beside a list of what was said in it."""

    address = "memory://"

    def __init__(self) -> None:
        super().__init__()
        self.store, self.model = open_store(self.address), Model()
        self.now, self.words = 0.0, map("w{}q".format, itertools.count())
        self.said: dict[int, Message] = {}
        self.turns: dict[str, list[int]] = {}
        self.last = 0
        self.gone: set[str] = set()
        other = create_memory("buffer", store=self.store, conversation_id=OTHER)
        other.save_context({"input": "Sam likes elsewhere"}, {"output": "I see"})
        self.name = "buffer"
        self.memory = self.opened()

    def opened(self) -> BaseMemory:
        """The memory as another process opens it."""
        own: dict[str, Any] = {
            "combined": {"memories": [(name, eager(name, self.model)) for name in ("summary", "vector-retriever")]},
            "summarizing-window": {"llm": self.model, "max_messages": 2},
            **{name: {"max_messages": 3} for name in ("message-window",)},
        }
        common = {"store": self.store, "conversation_id": TALK, "token_counter": "approximate"}
        common |= {"clock": lambda: self.now, "on_model_error": "defer"}
        options: dict[str, Any] = common | (own.get(self.name) or eager(self.name, self.model))
        return create_memory(self.name, **options)

    def save(self, memory: BaseMemory, turn: str, *, awaited: bool = False) -> None:
        """Save an exchange, in synchronous or asynchronous code."""
        self.now += 1000  # so much later a model that failed is asked again
        asked = f"{'Sam' if len(turn) % 2 else 'Eve'} likes {next(self.words)}"
        answer = f"Noted {next(self.words)}"
        if awaited:
            asyncio.run(memory.asave_context({"input": asked}, {"output": answer}, turn_id=turn))
        else:
            memory.save_context({"input": asked}, {"output": answer}, turn_id=turn)
        if turn not in self.turns:
            self.append(turn, {"role": "user", "content": asked}, {"role": "assistant", "content": answer})

    def append(self, turn: str, *messages: Message) -> None:
        """What the log has after messages were saved."""
        new = dict(enumerate(messages, start=self.last + 1))
        self.said |= new
        self.turns[turn] = list(new)
        self.last += len(new)

    @rule(awaited=some.booleans())
    def talk(self, *, awaited: bool) -> None:
        """Exchange a few words."""
        self.save(self.memory, f"turn {len(self.turns)}", awaited=awaited)

    @rule()
    def ask(self) -> None:
        """Say something that is not answered yet."""
        question, turn = {"role": "user", "content": f"Eve likes {next(self.words)}"}, f"turn {len(self.turns)}"
        self.memory.add_messages([question], turn_id=turn)
        self.append(turn, question)

    @precondition(lambda self: self.turns)
    @rule(data=some.data())
    def save_again(self, data: some.DataObject) -> None:
        """Save a turn that is there, or was forgotten: nothing changes (I2)."""
        self.save(self.memory, data.draw(some.sampled_from(sorted(self.turns))))

    @rule(name=NAMES)
    def let_another_write(self, name: str) -> None:
        """Another memory of the conversation, of any strategy, saves an exchange (I3)."""
        mine, self.name = self.name, name
        other = self.opened()
        self.name = mine
        self.save(other, f"turn {len(self.turns)}")

    @rule(fault=some.sampled_from([OSError("down"), "I'm sorry, but I can't help with that.", None]))
    def fail(self, fault: Exception | str | None) -> None:
        """Let the model fail or talk nonsense from now on, or work again."""
        self.model.fault = fault

    @precondition(lambda self: self.said)
    @rule(data=some.data())
    def forget(self, data: some.DataObject) -> None:
        """Delete some messages for good."""
        numbers = data.draw(some.sets(some.sampled_from(sorted(self.said)), min_size=1, max_size=3))
        self.memory.forget(numbers)
        for number in numbers:
            self.gone |= {*re.findall(r"w\d+q", str(self.said.pop(number)))}

    @rule()
    def relearn(self) -> None:
        """Learn all of it anew; if the model fails, nothing is lost (I4)."""
        with contextlib.suppress(ModelError):
            self.memory.relearn()

    @rule(name=NAMES)
    def change(self, name: str) -> None:
        """Open the conversation with another strategy."""
        self.name = name
        self.memory = self.opened()

    @rule()
    def reopen(self) -> None:
        """Open it anew, as after a restart."""
        self.memory = self.opened()

    @rule()
    def settle(self) -> None:
        """A model that works has learnt everything in the end, and once (I3, I14)."""
        self.model.fault = None
        self.memory.relearn(only_set_aside=True)
        self.memory.settle()
        assert not any(drive(learner.is_behind()) for learner in self.memory.learners)
        assert self.memory.set_aside() == []
        assert self.unknown() == set()

    def unknown(self) -> set[str]:
        """What the notes or the facts do not have of what the log says."""
        if self.name not in NOTE_ALL:
            return set()
        learnt = str(drive(self.store.read_state(TALK, self.memory.learners[0].name)).changes)
        liked = {word for said in self.said.values() for word in re.findall(r"likes (w\d+q)", str(said))}
        return {word for word in liked if word not in learnt}

    @invariant()
    def the_log_is_what_was_said(self) -> None:
        """Each message once, in order, under a number of its own, whatever else happened (I1, I2)."""
        entries = self.memory.entries()
        assert {entry.seq: entry.message for entry in entries} == self.said
        assert [entry.seq for entry in entries] == sorted(self.said)
        for entry in entries:
            entry.message.clear()  # what was returned is the caller's (I9)
        assert self.memory.history() == list(self.said.values())

    @invariant()
    def what_is_shown_is_right(self) -> None:
        """It can be sent, stands still, and has nothing that was forgotten or is said elsewhere (I4, I6, I7, I9)."""
        view = self.memory.messages(QUERY)
        shown, calls = str(view), self.model.calls
        assert not view or refusal(view) is None
        assert "elsewhere" not in shown
        assert {word for word in self.gone if word in shown} == set()
        for message in view:
            message.clear()
        assert str(self.memory.messages(QUERY)) == shown
        assert self.model.calls == calls, "a load that follows another asks nobody (I12)"
        assert {word for word in self.unknown() if word not in shown} == set()  # what waits is shown
        open_questions = [*itertools.takewhile(lambda said: said["role"] == "user", reversed(self.said.values()))]
        if open_questions:
            assert open_questions[0]["content"] in shown
        if self.name in SHOW_ALL:
            # A question that is not answered yet is shown word for word, whatever else is known of it.
            once = [*self.said.values()][: len(self.said) - len(open_questions)]
            words = [word for said in once for word in re.findall(r"w\d+q", str(said))]
            counts = [len(re.findall(rf"\b{word}\b", shown)) for word in words]
            # While the model fails, messages beyond the memory's limit are counted, not shown.
            told = sum(map(int, re.findall(r"\((\d+) earlier messages are not shown", shown)))
            assert sorted(counts) == [0] * told + [1] * (len(words) - told)

    @invariant()
    def no_state_has_what_was_forgotten(self) -> None:
        """Nor does any state of the conversation go beyond the log."""
        for name in drive(managed(self.store, "states").states(TALK)):
            state = drive(self.store.read_state(TALK, name))
            assert state.watermark <= self.last
            assert {word for word in self.gone if word in str(state.changes)} == set()

    def teardown(self) -> None:
        """Nobody wrote in the other conversation; the store is closed."""
        assert [message["content"] for message in self.opened_other().history()] == ["Sam likes elsewhere", "I see"]
        self.store.close()

    def opened_other(self) -> BaseMemory:
        """The conversation beside it."""
        return create_memory("buffer", store=self.store, conversation_id=OTHER)


@pytest.mark.parametrize("address", ["memory://", "sqlite://"])
def test_any_life_keeps_the_invariants(address: str) -> None:
    """Whatever happens in whatever order, nothing is lost, doubled, mixed up or brought back (I1 to I9, I12, I14)."""

    class Here(Life):
        pass

    Here.address = address
    profile = settings.get_profile(settings.get_current_profile_name())
    wanted = settings(max_examples=max(profile.max_examples // 2, 1), stateful_step_count=20)
    run_state_machine_as_test(Here, settings=wanted)
