"""The rules for every strategy about pinned messages."""

from typing import Any

import pytest

from memzoo.errors import MessageError, OptionError, OverBudgetError
from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.text.grouping import group_messages
from memzoo.stores import InMemoryStore, Message, export_conversation, import_conversation
from memzoo.testing.tools import QUESTION, ContractTools, tell

_RULE: Message = {"role": "user", "content": "Never delete the zebra table."}
_CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "tables", "arguments": "{}"}}],
}
_RESULT: Message = {"role": "tool", "tool_call_id": "c1", "content": "zebra, okapi"}
_QUERY = "Where does Anna live?"


class PinContract(ContractTools):
    """The rules about pins: every view shows a pinned message word for word until it is unpinned or forgotten."""

    def talked(self, memory: BaseMemory) -> BaseMemory:
        """Save enough exchanges to push the first messages out of any window, and return the memory."""
        tell(memory, *((f"Bo has {number} cats, and some of them are grey.", "Noted. " * 40) for number in range(13)))
        return memory

    def ruled(self, **options: Any) -> BaseMemory:
        """Return a memory whose first message is pinned; many exchanges follow this message."""
        memory = self.make(**options)
        memory.add_messages([_RULE], pinned=True)
        return self.talked(memory)

    def test_shows_what_is_pinned(self) -> None:
        """An old pinned message is shown exactly once, before all later messages."""
        memory = self.ruled()
        shown = memory.messages(_QUERY)
        assert shown.count(_RULE) == 1
        assert shown.pinned == [_RULE]
        numbers = [entry.seq for entry in shown.entries if entry]
        assert numbers == sorted(numbers)
        assert str(memory.load_memory_variables(QUESTION)[memory.memory_variables[-1]]).count("Human: Never") == 1
        assert [one.number for one in memory.explain(_QUERY).shown if one.kind == "pinned"] == memory.pin() == [1]

    def test_pins_what_was_said(self) -> None:
        """A stored message can be pinned, and unpinning it brings back the earlier view."""
        memory = self.make()
        memory.add_messages([_RULE])
        self.talked(memory)
        before = memory.messages(_QUERY)
        memory.pin(1)
        assert memory.messages(_QUERY).count(_RULE) == 1
        assert memory.pin() == [1]
        memory.pin(1)
        memory.pin([1, 2], off=True)
        assert memory.pin() == []
        assert memory.messages(_QUERY) == before

    def test_pins_belong_to_the_conversation(self) -> None:
        """All memories of a conversation share its pins, whatever their strategy."""
        memory = self.ruled(conversation_id="a")
        other = self.make(store=memory.store, conversation_id="a")
        assert other.messages(_QUERY) == memory.messages(_QUERY)
        ConversationBufferMemory(store=memory.store, conversation_id="a").pin(4)
        for one in (memory, other, self.make(store=memory.store, conversation_id="a")):
            assert one.pin() == [1, 4]
            assert one.messages(_QUERY).pinned == [_RULE, memory.entries()[3].message]
        other.pin(1, off=True)
        assert memory.pin() == [4]

    def test_pins_outlive_learning_anew(self) -> None:
        """Pins stay the same after `relearn`, and after an export and import."""
        memory = self.ruled(conversation_id="a")
        memory.relearn()
        assert memory.messages(_QUERY).pinned == [_RULE]
        store = InMemoryStore()
        import_conversation(store, list(export_conversation(memory.store, "a")), "copy")
        assert self.make(store=store, conversation_id="copy").messages(_QUERY).pinned == [_RULE]

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_call_of_a_tool_stays_with_its_results(self, number: int) -> None:
        """If a tool call or its result is pinned, both are shown, the result directly after the call."""
        memory = self.make()
        memory.add_messages([_CALL])
        memory.pin(1)
        assert _CALL not in memory.messages(_QUERY)
        memory.add_messages([_RESULT, {"role": "assistant", "content": "Two tables."}])
        memory.pin(1, off=True)
        memory.pin(number)
        shown = self.talked(memory).messages(_QUERY)
        assert shown[shown.index(_CALL) + 1] == _RESULT
        assert len([place for group in group_messages(shown) for place in group]) == len(shown)

    def test_forgetting_unpins(self) -> None:
        """Forgetting a pinned message unpins and deletes it; other messages stay pinned."""
        memory = self.ruled()
        memory.pin(3)
        memory.forget([1])
        assert memory.pin() == [3]
        shown = f"{memory.messages(_QUERY)} {memory.load_memory_variables(QUESTION)}"
        assert "zebra" not in shown
        memory.clear()
        assert memory.pin() == []

    def test_keeps_what_is_pinned_without_history(self) -> None:
        """With `keep_history=False`, a save deletes no pinned message."""
        memory = self.ruled(keep_history=False)
        assert memory.history()[0] == _RULE
        assert memory.messages(_QUERY).pinned == [_RULE]

    def test_pinned_messages_count(self) -> None:
        """Pinned messages count towards `max_tokens`. If they alone exceed it, an error is raised."""
        memory = self.ruled()
        shown = memory.messages(_QUERY, max_tokens=1200)
        assert _RULE in shown
        assert sum(map(memory.render.counter, shown)) <= 1200
        memory.pin(range(2, 20))
        with pytest.raises(OverBudgetError, match="pinned messages"):
            memory.messages(_QUERY, max_tokens=300)

    def test_shows_a_pinned_system_message(self) -> None:
        """A pinned system message is shown before all other messages, even if a newer system message replaced it."""
        memory = self.make()
        rule: Message = {"role": "system", "content": "Never delete the zebra table."}
        memory.add_messages([rule], pinned=True)
        memory.add_messages([{"role": "system", "content": "You are a pirate."}])
        shown = self.talked(memory).messages(_QUERY)
        roles = [message["role"] == "system" for message in shown]
        assert shown.count(rule) == 1
        assert "pirate" in str(shown)
        assert roles == sorted(roles, reverse=True)

    def test_refuses_to_pin_what_is_not_there(self) -> None:
        """Unknown message numbers, values that are not numbers, and invalid messages are refused. Nothing is pinned."""
        memory = self.told()
        with pytest.raises(MessageError, match="no message 99"):
            memory.pin([1, 99])
        with pytest.raises(OptionError, match="not None"):
            memory.pin(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        with pytest.raises(OptionError, match="'1'"):
            memory.pin("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        with pytest.raises(MessageError):
            memory.add_messages([{"role": "robot", "content": "beep"}], pinned=True)
        assert memory.pin() == []
