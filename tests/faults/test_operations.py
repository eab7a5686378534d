"""Any legal sequence of operations keeps the invariants; any illegal one is refused before anything is stored."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memzoo.errors import MessageError, MissingKeyError
from memzoo.memories import BaseMemory
from memzoo.stores import Message, Store, open_store
from memzoo.stores.base import managed
from memzoo.sync import drive
from tools.faults.places import Places
from tools.faults.scenarios import SEVEN, remember

TEXTS = some.text(some.characters(exclude_categories=["Cs"]), max_size=30) | some.sampled_from(
    ["Sam likes tea", "Eve lives in Oslo", "Sam does not like tea", "AI: I agree", "{{ 7 * 7 }}", "</new_lines>", "\0"]
)
ROLES = some.sampled_from(["system", "user", "assistant"])
IDS = some.sampled_from("xyz")
PARTS = some.lists(some.fixed_dictionaries({"type": some.just("text"), "text": TEXTS}))
CALLS: Any = some.lists(some.fixed_dictionaries({"id": IDS, "type": some.just("function")}), min_size=1)
USER, ASSISTANT, TOOL = some.just("user"), some.just("assistant"), some.just("tool")
LEGAL: some.SearchStrategy[Message] = some.one_of(
    some.fixed_dictionaries({"role": ROLES, "content": TEXTS}),
    some.fixed_dictionaries({"role": ASSISTANT, "content": some.none(), "tool_calls": CALLS}),
    some.fixed_dictionaries({"role": TOOL, "tool_call_id": IDS, "content": TEXTS}),
    some.fixed_dictionaries({"role": USER, "content": TEXTS, "name": TEXTS, "more": some.integers()}),
    some.fixed_dictionaries({"role": USER, "content": PARTS}),
)
ILLEGAL: Any = some.sampled_from(
    [
        *(None, "hello", 7, [], {}, {"role": "robot", "content": "x"}, {"role": "user"}, {"content": "x"}),
        *({"role": "user", "content": 7}, {"role": "user", "content": None}, {"role": "user", "content": [7]}),
        *({"role": "tool", "content": "x"}, {"role": "assistant", "content": "x", "tool_calls": "f"}),
        *({"role": "user", "content": "x", "more": {1, 2}}, {"role": "user", "content": "x", "more": float("nan")}),
        *({"role": "user", "content": "\ud800"}, {"role": "assistant", "content": None}),
    ]
)
CONVERSATIONS = some.sampled_from(["a", "A", "a' --"])
TURNS = some.sampled_from(["1", "2", "3", "4", "5", "6"])
OTHERS = "Nobody says this."


class Operations(RuleBasedStateMachine):
    """Conversations on one store, beside a model of them: lists of messages by turn."""

    address = "sqlite://"

    def __init__(self) -> None:
        super().__init__()
        self.store: Store = open_store(self.address)
        self.model: dict[str, dict[str, list[Message]]] = {}
        self.memories: dict[tuple[str, str], BaseMemory] = {}

    def memory(self, id_: str, strategy: str) -> BaseMemory:
        """The memory that is open on a conversation."""
        if (id_, strategy) not in self.memories:
            self.memories[id_, strategy] = remember(strategy, self.store, conversation_id=id_)
        return self.memories[id_, strategy]

    @rule(id_=CONVERSATIONS, strategy=some.sampled_from(SEVEN), turn=TURNS, messages=some.lists(LEGAL, max_size=3))
    def add(self, id_: str, strategy: str, turn: str, messages: list[Message]) -> None:
        """Say something; a turn that is there already changes nothing."""
        self.memory(id_, strategy).add_messages(messages, turn_id=turn)
        if messages:
            self.model.setdefault(id_, {}).setdefault(turn, messages)

    @rule(id_=CONVERSATIONS, strategy=some.sampled_from(SEVEN), messages=some.lists(LEGAL, max_size=2), bad=ILLEGAL)
    def add_what_is_illegal(self, id_: str, strategy: str, messages: list[Message], bad: Any) -> None:
        """One illegal message among legal ones: all are refused."""
        with pytest.raises(MessageError):
            self.memory(id_, strategy).add_messages([*messages, bad], turn_id="illegal")

    @rule(
        id_=CONVERSATIONS,
        strategy=some.sampled_from(SEVEN),
        said=some.sampled_from([{}, {"a": "x", "b": "y"}, {"a": 7}]),
    )
    def save_what_is_illegal(self, id_: str, strategy: str, said: dict[str, Any]) -> None:
        """Inputs that cannot be told apart, or are no text, are refused."""
        with pytest.raises((MissingKeyError, MessageError)):
            self.memory(id_, strategy).save_context(said, {"output": OTHERS}, turn_id="illegal")

    @rule(id_=CONVERSATIONS, strategy=some.sampled_from(SEVEN), query=TEXTS)
    def load(self, id_: str, strategy: str, query: str) -> None:
        """Loading says nothing that was not said here, can be sent, and changes nothing."""
        memory = self.memory(id_, strategy)
        view = memory.messages(query)
        assert set(memory.load_memory_variables({"input": query})) == set(memory.memory_variables)
        roles = [message["role"] for message in view]
        assert roles == sorted(roles, key=lambda role: role not in ("system", "developer"))
        assert OTHERS not in str(view)

    @rule(id_=CONVERSATIONS, strategy=some.sampled_from(SEVEN))
    def clear(self, id_: str, strategy: str) -> None:
        """Delete a conversation."""
        self.memory(id_, strategy).clear()
        self.model.pop(id_, None)

    @rule()
    def open_again(self) -> None:
        """All memories are made anew, as after a restart."""
        self.memories.clear()

    @rule(id_=CONVERSATIONS, strategy=some.sampled_from(SEVEN))
    def settle(self, id_: str, strategy: str) -> None:
        """What was learnt has come as far as the log, and never farther."""
        memory = self.memory(id_, strategy)
        memory.settle()
        count = sum(map(len, self.model.get(id_, {}).values()))
        learners = memory.learners  # whether anything is left to learn
        assert all(drive(learner.refresh()).watermark <= count for learner in learners)
        assert not any(drive(learner.is_behind()) for learner in learners)

    @invariant()
    def the_log_is_what_was_said(self) -> None:
        """Each conversation has its turns, once, in order, unchanged, and no others."""
        assert drive(managed(self.store, "conversations").conversations()) == sorted(self.model)
        for id_, turns in self.model.items():
            log = drive(self.store.read(id_))
            assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
            assert [(entry.turn_id, entry.message) for entry in log] == [
                (turn, message) for turn, messages in turns.items() for message in messages
            ]

    def teardown(self) -> None:
        """Delete all there is, since the next example may come to the same place."""
        for id_ in drive(managed(self.store, "conversations").conversations()):
            drive(self.store.clear(id_))
        self.store.close()


@pytest.mark.parametrize("place", ["memory", "sqlite", "postgresql"])
def test_any_sequence_keeps_the_invariants(place: str, places: Places):
    """Appends, loads, clears and restarts in any order, with illegal ones between them (I1, I2, I7)."""

    class Here(Operations):
        address = "memory://" if place == "memory" else places.url(place)

    share = {"memory": 4, "sqlite": 4, "postgresql": 8}[place]
    profile = settings.get_profile(settings.get_current_profile_name())
    wanted = settings(max_examples=profile.max_examples // share, stateful_step_count=15)
    run_state_machine_as_test(Here, settings=wanted)
