"""The rules for every strategy about system messages."""

from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.testing.tools import QUESTION, ContractTools, watched_model
from memzoo.stores import Message

__all__ = ["SystemContract"]

_PIRATE: Message = {"role": "system", "content": "You are a pirate."}
_POET: Message = {"role": "developer", "content": "You are a poet."}


class SystemContract(ContractTools):
    """One system message holds, is shown first, and is no part of what was said."""

    def under(self, *system: Message, **options: Any) -> BaseMemory:
        """A memory that was given system messages, a dozen exchanges after each."""
        memory = self.make(**options)
        for message in system:
            memory.add_messages([message])
            for number in range(12):
                memory.save_context({"input": f"Anna has {number} cats."}, {"output": "Noted."})
        return memory

    def test_shows_the_system_message_first(self) -> None:
        """However long ago it was given, the system message stands first, and once though it was given twice."""
        memory = self.under(_PIRATE, _PIRATE)
        shown = memory.messages("Anna")
        assert shown[0] == _PIRATE
        assert shown.count(_PIRATE) == 1
        assert str(memory.load_memory_variables(QUESTION)[memory.memory_variables[-1]]).startswith(
            "System: You are a pirate."
        )

    def test_a_new_system_message_replaces_the_old(self) -> None:
        """Of two system messages only the newer one holds, by either name of the role, in a memory opened later too."""
        memory = self.under(_PIRATE, _POET, conversation_id="two")
        opened = self.make(store=memory.store, conversation_id="two")
        for one in (memory, opened):
            assert one.messages("Anna")[0] == _POET
            assert "pirate" not in f"{one.messages('Anna')} {one.load_memory_variables(QUESTION)}"
        assert memory.history()[0] == _PIRATE

    def test_forgetting_the_system_message_brings_back_the_old(self) -> None:
        """A system message that was forgotten does not hold; the one before it does."""
        memory = self.under(_PIRATE, _POET)
        (newest,) = [entry.seq for entry in memory.entries() if entry.message == _POET]
        memory.forget([newest])
        assert memory.messages("Anna")[0] == _PIRATE
        memory.clear()
        assert memory.messages("Anna") == []

    def test_learns_nothing_from_the_system_message(self) -> None:
        """No model is told what the system message says as if somebody had said it."""
        if not issubclass(self.strategy, ModelBackedMemory):
            return
        model = watched_model()
        memory = self.under(_PIRATE, _POET, llm=model, **self.asking_early())
        memory.messages("Where does Anna live?")
        assert model.asked
        assert not [prompt for _, prompt in model.asked if "pirate" in prompt or "poet" in prompt]

    def test_keeps_the_system_message_without_history(self) -> None:
        """With `keep_history=False` the system message stays when what was said is deleted."""
        memory = self.under(_PIRATE, keep_history=False)
        assert memory.history()[0] == memory.messages("Anna")[0] == _PIRATE
