"""`set_messages`: the view starts anew behind a mark in the log, and the log goes on."""

import pytest

from memzoo.errors import MessageError
from memzoo.memories import CombinedMemory
from memzoo.memories.strategies.windows import WindowMemory
from memzoo.stores import InMemoryStore, Message, MessageListStore
from tests.conversations import call, said
from tests.memories.sequences import START
from tests.memories.strategies.windows import A1, A2, AB, RA, RB, RC, S2, U1, U2, U3, C, S, told, window


def shout(text: str) -> str:
    """Changes every text, the empty one too."""
    return text.upper() or "!"


class TestSetMessages:
    """Starting anew with other messages."""

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_replaces_what_is_shown_and_nothing_else(self, rules: str) -> None:
        """The view has the new messages and what is said after them; the history has all of it, behind a mark."""
        memory = told(window(rules, 9), U1, A1)
        memory.set_messages([S, U3])
        assert memory.messages() == [S, U3]
        assert told(memory, A2).messages() == [S, U3, A2]
        assert memory.history() == [U1, A1, START, S, U3, A2]

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_has_numbers_and_can_be_forgotten(self, rules: str) -> None:
        """A message that was set is forgotten like any other; without the mark the view is as it was before."""
        memory = told(window(rules, 9), U1, A1)
        memory.set_messages([U2, U3])
        assert [entry.seq for entry in memory.messages().entries if entry] == [4, 5]
        memory.forget([4])
        assert memory.messages() == [U3]
        memory.forget([3])
        assert memory.messages() == [U1, A1, U3]
        memory.rewind(2)
        assert told(memory, U2).messages() == [U1, A1, U2]

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    @pytest.mark.parametrize("keep_history", [True, False])
    def test_is_there_after_a_restart_over_a_list_too(self, rules: str, *, keep_history: bool) -> None:
        """The mark is a message of the list; without history, it and what follows are all that is left."""
        lists: dict[str, list[Message]] = {}

        def opened() -> WindowMemory:
            store = MessageListStore(get=lambda id_: lists.get(id_, []), update=lists.__setitem__, delete=lists.pop)
            return window(rules, 9, store=store, conversation_id="a", keep_history=keep_history)

        memory = told(opened(), S, U1, A1)
        memory.set_messages([U3])
        told(memory, A2)
        assert opened().messages() == memory.messages() == [U3, A2]
        assert lists["a"] == [*([S, U1, A1] if keep_history else []), START, U3, A2]

    def test_the_mark_is_left_as_it_is_by_redact(self) -> None:
        """A function that changes every text changes what is set, and nothing of the mark."""
        memory = told(window(limit=9, redact=shout), U1)
        memory.set_messages([U3])
        assert [message["content"] for message in memory.messages()] == ["QUESTION 3"]

    def test_other_strategies_show_it_as_said(self) -> None:
        """They show what is in the log; the mark is nothing to show, and takes the system message away."""
        memory = told(window(limit=9), S, U1, A1)
        memory.set_messages([U3])
        both = CombinedMemory(memories=["buffer", "window"], store=memory.store, conversation_id=memory.conversation_id)
        assert both.messages() == [U1, A1, U3]
        told(memory, S2)
        assert both.messages() == [S2, U1, A1, U3]

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
        for rules, moved in (("memzoo", [S2, U3]), ("langchain4j", [U3, S2])):
            memory = told(window(rules, 9), U1)
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

    def test_langchain4js_rules_hold_for_each_of_them(self) -> None:
        """One system message holds, and the oldest goes; LangChain4j's `set` would keep both system messages."""
        memory = told(window("langchain4j", 4), U1)
        memory.set_messages([A1, U1, S, U2, S2, A2])
        assert memory.messages() == [U1, U2, S2, A2]

    def test_survives_being_opened_again(self) -> None:
        """Another memory of the conversation shows the same; a limit that grows brings back what it hid."""
        store = InMemoryStore()
        memory = told(window(limit=2, store=store, conversation_id="a"), U1)
        memory.set_messages([S, U2, A2])
        told(memory, U3)
        assert window(limit=2, store=store, conversation_id="a").messages() == [S, U3]
        assert window(limit=9, store=store, conversation_id="a").messages() == [S, U2, A2, U3]

    def test_stay_when_all_is_learnt_anew(self) -> None:
        """`relearn` leaves them alone; so does a long talk after them, and what is forgotten of it."""
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
        """The other members show what they show."""
        memory = told(window(limit=9), U1, A1)
        memory.set_messages([U3, A2])
        told(memory, U2)
        both = CombinedMemory(memories=[memory])
        assert both.messages() == [U3, A2, U2]


def test_a_call_that_was_set_may_share_an_id_with_a_pinned_one() -> None:
    """The newer one has the result; the pinned one is shown if it has all of its own, and the limit holds."""
    newer = [call("a_2"), RA | {"tool_call_id": "a_2"}]
    for before, shown in (([AB, RB], [call("a"), RA, U3]), ([AB, RB, RA], [AB, RA, RB, *newer, U3])):
        memory = told(window(limit=6), *before, U1)
        memory.pin(2)
        memory.set_messages([call("a"), U3])
        assert told(memory, RA).messages() == shown


def test_what_was_replaced_is_deleted_where_no_history_is_kept() -> None:
    """At once, also if it would have fitted still."""
    for rules in ("memzoo", "langchain4j"):
        memory = told(window(rules, 9, keep_history=False), U1, A1)
        memory.set_messages([U2])
        assert memory.history() == [START, U2]
