"""`set_messages`: the view starts anew, the log does not."""

import pytest

from memzoo.errors import MessageError, OverBudgetError
from memzoo.memories import CombinedMemory
from memzoo.stores import InMemoryStore, Message
from tests.conversations import call, result, said
from tests.memories.strategies.windows import A1, A2, AB, RA, RB, RC, S2, U1, U2, U3, C, S, told, window
from tests.provider import refusal


class TestSetMessages:
    """Starting anew with other messages."""

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_replaces_what_is_shown_and_nothing_else(self, rules: str) -> None:
        """The view has the new messages and what is said after them; the history has what was said."""
        memory = told(window(rules, 9), U1, A1)
        memory.set_messages([S, U3])
        assert memory.messages() == [S, U3]
        assert told(memory, A2).messages() == [S, U3, A2]
        assert memory.history() == [U1, A1, A2]

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_leaves_the_callers_list_alone(self, rules: str) -> None:
        """The list is not changed, and changing it later, or what was shown, changes nothing."""
        memory = told(window(rules, 2), U1)
        mine: list[Message] = [said("user", "x"), said("assistant", "y"), said("user", "z")]
        memory.set_messages(mine)
        assert len(mine) == 3
        mine[2]["content"] = "changed"
        mine.clear()
        memory.messages()[1]["content"] = "changed"
        assert memory.messages() == [said("assistant", "y"), said("user", "z")]

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_may_be_empty(self, rules: str) -> None:
        """An empty list empties the view, and what is said then is shown."""
        memory = told(window(rules), U1, A1)
        memory.set_messages([])
        assert memory.messages() == []
        assert told(memory, U2).messages() == [U2]

    def test_holds_until_another_system_message_is_said(self) -> None:
        """A new one takes the place of the one that was set; said again, that one stands where it stood."""
        for system_first, moved in ((True, [S2, U3]), (False, [U3, S2])):
            memory = told(window(limit=9, system_first=system_first), U1)
            memory.set_messages([S, U3])
            assert told(memory, S).messages() == [S, U3]
            assert told(memory, S2).messages() == moved

    def test_replaces_a_system_message_that_was_just_said(self) -> None:
        """The one that was set holds, though the other is the last that was said."""
        memory = told(window(limit=9), U1, S)
        memory.set_messages([S2, U3])
        assert memory.messages() == [S2, U3]

    def test_is_evicted_by_the_same_rules(self) -> None:
        """The messages are under the limit like all others, orphans are not sent, and one system message holds."""
        memory = told(window(limit=3), U1)
        memory.set_messages([S, RA, U1, A1, S2, C, RC, U2])
        assert memory.messages() == [S2, U2]
        assert told(window(limit=9), U1).messages() == [U1]

    def test_langchain4j_does_not_look_at_system_messages(self) -> None:
        """LangChain4j's `set` evicts, and keeps two system messages where they are."""
        memory = told(window("langchain4j", 4), U1)
        memory.set_messages([U1, S, U2, S2, A2])
        assert memory.messages() == [S, U2, S2, A2]

    def test_survives_being_opened_again(self) -> None:
        """Another memory of the conversation shows the same; a limit that grows brings back what it hid."""
        store = InMemoryStore()
        memory = told(window(limit=2, store=store, conversation_id="a"), U1)
        memory.set_messages([S, U2, A2])
        told(memory, U3)
        assert window(limit=2, store=store, conversation_id="a").messages() == [S, U3]
        assert window(limit=9, store=store, conversation_id="a").messages() == [S, U2, A2, U3]

    def test_stay_when_all_is_learnt_anew(self) -> None:
        """They were not learnt from the log, so `relearn` leaves them alone; so does a long talk after them."""
        memory = told(window(limit=9), U1, A1)
        memory.set_messages([S, U3])
        memory.relearn()
        assert memory.messages() == [S, U3]
        assert told(memory, *[A1, U1] * 50).messages()[0] == S
        memory.forget([99])
        assert memory.messages()[0] == S

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_in_an_empty_conversation_they_are_its_beginning(self, rules: str) -> None:
        """Where nothing was said, the messages are the first to be said."""
        memory = window(rules)
        memory.set_messages([])
        memory.set_messages([S, U1])
        assert memory.messages() == memory.history() == [S, U1]
        memory.clear()
        assert memory.messages() == memory.history() == []
        assert told(memory, U2).messages() == [U2]

    def test_refuses_what_is_no_message(self) -> None:
        """Nothing changes if one message is not legal."""
        memory = told(window(), U1)
        with pytest.raises(MessageError, match="'robot'"):
            memory.set_messages([U2, said("robot")])
        assert memory.messages() == [U1]

    def test_can_be_a_member_of_a_combined_memory(self) -> None:
        """Messages that are not in the log stand before those that are."""
        memory = told(window(limit=9), U1, A1)
        memory.set_messages([U3, A2])
        told(memory, U2)
        both = CombinedMemory(memories=[memory])
        assert both.messages() == [U3, A2, U2]


def test_a_call_that_was_set_may_share_an_id_with_a_pinned_one() -> None:
    """Whichever of them has the result: the pinned one is shown with it, and the limit holds."""
    for limit in (4, 3):
        memory = told(window(limit=limit), AB, RB, U1)
        memory.pin(2)
        memory.set_messages([call("a"), U3])
        told(memory, RA)
        if limit == 4:
            assert memory.messages() == [U3, AB, RA, RB]
        else:
            with pytest.raises(OverBudgetError, match="4 messages"):
                memory.messages()


def test_a_pinned_call_in_front_takes_its_results_along() -> None:
    """Also the one of the messages that were set: no result stands behind another call."""
    memory = told(window(limit=9, pinned_first=True), call("a"))
    memory.pin(1)
    memory.set_messages([result("a"), A1, call("a"), U3])
    assert refusal(told(memory, RA).messages()) is None


def test_what_was_replaced_is_deleted_where_no_history_is_kept() -> None:
    """With the next message, also if it would have fitted still."""
    memory = told(window("memzoo", 9, keep_history=False), U1, A1)
    memory.set_messages([U2])
    assert told(memory, A2).messages() == [U2, A2]
    assert memory.history() == [A2]


def test_what_was_evicted_is_deleted_where_no_history_is_kept() -> None:
    """LangChain4j's rules keep what is shown in the state: of the log, only the newest turn stays."""
    memory = window("langchain4j", 3, keep_history=False)
    for message in (U1, A1, U2, A2):
        assert told(memory, message).history() == [message]
    assert memory.messages() == [A1, U2, A2]
