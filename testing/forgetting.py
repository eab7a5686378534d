"""Rules about forgetting, and about reading the history, that every strategy must keep."""

from typing import Any

import pytest

from memzoo.errors import MessageError, OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.sync import drive
from memzoo.testing.tools import QUESTION, SAID, ContractTools, tell

_ASKED = "Where does Anna live?"


def _all_shown(memory: BaseMemory) -> str:
    """Return a memory's variables, view and history as one text in lower case."""
    return f"{memory.load_memory_variables(QUESTION)} {memory.messages(_ASKED)} {memory.history()}".lower()


class ForgettingContract(ContractTools):
    """The rules for forgetting, for reading the history page by page, and for `keep_history=False`."""

    def test_forgets_messages(self) -> None:
        """Forgotten messages disappear from the store and from all open memories. All other messages stay."""
        memory = self.told(conversation_id="a")
        other = self.make(store=memory.store, conversation_id="a")
        for one in (memory, other):
            assert "oslo" in _all_shown(one)
        receipt = memory.forget([1, 2])
        assert receipt.removed == (1, 2)
        for one in (memory, other, self.make(store=memory.store, conversation_id="a")):
            shown = _all_shown(one)
            assert "oslo" not in shown
            assert "equinor" in shown
        assert [entry.seq for entry in memory.entries()] == [3, 4]

    def test_goes_on_after_forgetting(self) -> None:
        """A memory whose newest messages, or all messages, were forgotten still remembers new messages."""
        for ids in ([3, 4], [1, 2, 3, 4]):
            memory = self.told()
            memory.forget(ids)
            tell(memory, ("Anna plays chess.", "Good."))
            shown = _all_shown(memory)
            assert "chess" in shown
            assert "equinor" not in shown
            assert ("oslo" in shown) == (len(ids) == len(SAID))

    def test_does_not_learn_what_was_forgotten(self) -> None:
        """If another memory forgets messages, an open memory no longer learns from them."""
        for ids in ([1, 2], [1, 2, 3, 4]):
            memory = self.told()
            memory.load_memory_variables(QUESTION)
            # Forget through a memory that does not learn: the open memory then has to learn from all messages.
            ConversationBufferMemory(store=memory.store, conversation_id=memory.conversation_id).forget(ids)
            tell(memory, ("Anna plays chess.", "Good."))
            shown, states = _all_shown(memory), [drive(learner.refresh()) for learner in memory.learners]
            assert "oslo" not in f"{shown} {states}".lower()
            assert ("chess" in shown, "equinor" in shown) == (True, len(ids) < len(SAID) * 2)

    def test_forgets_a_conversation(self) -> None:
        """`forget(None)` forgets the whole conversation."""
        memory = self.told()
        receipt = memory.forget(None, thorough=True)
        assert (receipt.removed, receipt.erased) == ((1, 2, 3, 4), True)
        assert memory.history() == memory.messages(_ASKED) == []

    @pytest.mark.parametrize(("ids", "error"), [([1, 99], MessageError), ("12", OptionError), (3, OptionError)])
    def test_refuses_to_forget_what_is_not_there(self, ids: Any, error: type[Exception]) -> None:
        """A log number that no message has, or a value that is not a list of numbers, is refused. Nothing changes."""
        memory = self.told()
        before = memory.load_memory_variables(QUESTION), memory.history()
        with pytest.raises(error, match=r"99|log numbers"):
            memory.forget(ids)
        assert (memory.load_memory_variables(QUESTION), memory.history()) == before

    def test_history_comes_in_pages(self) -> None:
        """A page of the history can start at any entry and go in either direction; entries have numbers and times."""
        memory = self.told()
        assert [entry.seq for entry in memory.entries(limit=2, newest_first=True)] == [4, 3]
        assert [entry.seq for entry in memory.entries(limit=2, newest_first=True, before=3)] == [2, 1]
        assert [entry.seq for entry in memory.entries(limit=2, after=1)] == [2, 3]
        assert [entry.seq for entry in memory.entries(before=3)] == [1, 2]
        assert memory.entries(limit=0) == memory.entries(before=0) == memory.entries(after=4) == []
        assert memory.history(1, after=2) == [memory.entries()[2].message]
        assert all(entry.created_at.tzinfo for entry in memory.entries())
        with pytest.raises(OptionError, match="limit"):
            memory.history(limit=-1)

    def test_shows_the_same_without_history(self) -> None:
        """With `keep_history=False`, each view is the same as with the whole history."""
        kept, evicted = self.make(conversation_id="a"), self.make(conversation_id="b", keep_history=False)
        for number in range(4):
            for said, answer in SAID:
                for memory in (kept, evicted):
                    tell(memory, (f"{said} ({number})", answer))
                assert evicted.load_memory_variables(QUESTION) == kept.load_memory_variables(QUESTION)
                assert evicted.messages(_ASKED) == kept.messages(_ASKED)
        again = self.make(store=evicted.store, conversation_id="b", keep_history=False)
        assert again.messages(_ASKED) == kept.messages(_ASKED)
