"""The rules for every strategy on which the adapters of agent frameworks rely."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.testing.tools import QUESTION, SAID, ContractTools, watched_model
from memzoo.stores import Message, Record
from memzoo.stores.driving import drive

__all__ = ["HostingContract"]

_ASKED: Message = {"role": "user", "content": SAID[0][0]}
_ANSWERED: Message = {"role": "assistant", "content": SAID[0][1]}


class HostingContract(ContractTools):
    """A view tells what it shows, learning can wait, and a host's own form of a message is kept and never shown."""

    def test_tells_which_entries_it_shows(self) -> None:
        """Each message of a view comes with its entry in the log, or with none where it was derived."""
        memory = self.told()
        memory.add_messages([{"role": "user", "content": "Where does Anna live?"}])
        shown, entries = memory.messages(), {entry.seq: entry for entry in memory.entries()}
        pairs = list(zip(shown, shown.entries, strict=True))
        assert all(entry == entries[entry.seq] and entry.message == message for message, entry in pairs if entry)
        assert {message["role"] for message, entry in pairs if not entry} <= {"system"}
        assert pairs[-1] == (entries[5].message, entries[5])

    def test_learns_later_from_what_was_saved_without_learning(self) -> None:
        """What is saved with `learn=False` is shown word for word, and the next save learns from it too."""
        memory = self.make(**self.asking_early())
        memory.add_messages([_ASKED, _ANSWERED], learn=False)
        assert (_watermark(memory), memory.usage.total.calls) == (0, 0)
        assert "Oslo" in str(memory.messages("Where does Anna live?", catch_up=False))
        assert _watermark(memory) == 0
        memory.save_context({"input": SAID[1][0]}, {"output": SAID[1][1]})
        assert _watermark(memory) == _watermark(self.told(**self.asking_early()))
        assert "anna" in str(memory.load_memory_variables(QUESTION)).lower()

    def test_keeps_what_is_a_hosts_to_itself(self) -> None:
        """A field whose name begins with `@` is in the log, and neither a view nor a prompt has it."""
        model = watched_model()
        asks = {"llm": model} if issubclass(self.strategy, ModelBackedMemory) else {}
        memory = self.make(**self.asking_early(), **asks)
        memory.add_messages([Record(_ASKED, {"@host": "zebra"}), Record(_ANSWERED, {"@host": "zebra"})])
        for asked, answer in SAID * 10:  # long enough for every window
            memory.save_context({"input": asked}, {"output": answer})
        shown = f"{memory.load_memory_variables(QUESTION)} {memory.messages('Where does Anna live?')}"
        assert "zebra" not in f"{shown} {memory.history()} {model.asked}"
        assert [entry.fields for entry in memory.entries(2)] == [{"@host": "zebra"}] * 2
        assert bool(model.asked) == bool(asks)


def _watermark(memory: BaseMemory) -> int:
    """Up to which log number the memory has learnt."""
    return drive(memory.store.read_state(memory.conversation_id, memory.state_name)).watermark
