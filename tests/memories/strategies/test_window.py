"""The last `k` exchanges, and no others."""

from typing import Any

import pytest

from memzoo.memories import ConversationBufferMemory, ConversationBufferWindowMemory
from memzoo.stores import InMemoryStore
from tests.conversations import call, result, said


def told(k: int, exchanges: int, **options: Any) -> ConversationBufferWindowMemory:
    """A memory that was told some exchanges."""
    memory = ConversationBufferWindowMemory(k=k, **options)
    for number in range(exchanges):
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
    return memory


class TestExchanges:
    """How many are shown."""

    @pytest.mark.parametrize("k", [1, 2, 5, 50])
    @pytest.mark.parametrize("exchanges", [0, 1, 2, 5, 12])
    def test_are_exactly_the_last_k(self, k: int, exchanges: int) -> None:
        """The newest `k` exchanges are shown whole, or all if there are fewer."""
        lines = [f"Human: q{number}\nAI: a{number}" for number in range(exchanges)][-k:]
        assert told(k, exchanges).load_memory_variables({}) == {"history": "\n".join(lines)}

    @pytest.mark.parametrize("k", [0, -1, -7])
    def test_are_none_for_k_below_1(self, k: int) -> None:
        """`k` of 0 or less shows nothing, never the whole history (K7)."""
        assert told(k, 3).load_memory_variables({}) == {"history": ""}
        assert told(k, 3, return_messages=True).load_memory_variables({}) == {"history": []}
        assert told(k, 3).messages() == []

    def test_are_5_by_default(self) -> None:
        """LangChain's default is kept."""
        assert ConversationBufferWindowMemory().k == 5

    def test_that_are_older_are_out_of_sight_only(self) -> None:
        """What the window does not show is not deleted (I1)."""
        memory = told(1, 3)
        assert len(memory.history()) == 6
        wide = ConversationBufferMemory(store=memory.store, conversation_id=memory.conversation_id)
        assert "q0" in wide.load_memory_variables({})["history"]


class TestTools:
    """Exchanges of more than two messages."""

    def test_an_exchange_is_never_cut(self) -> None:
        """An exchange reaches from one user message to the next, with the tool calls in it (T2, I6)."""
        memory = told(2, 1, return_messages=True)
        turns = [[said("user", "q"), call(id_), result(id_), said("assistant", "a")] for id_ in ("c1", "c2", "c3")]
        for turn in turns:
            memory.add_messages(turn)
        assert memory.load_memory_variables({}) == {"history": [*turns[1], *turns[2]]}
        assert memory.messages() == [*turns[1], *turns[2]]

    def test_messages_saved_one_by_one_make_exchanges_too(self) -> None:
        """An exchange is told by who speaks, not by how it was saved."""
        memory = ConversationBufferWindowMemory(k=1)
        for number in range(2):
            memory.add_messages([{"role": "user", "content": f"q{number}"}])
            memory.add_messages([{"role": "assistant", "content": f"a{number}"}])
        assert memory.load_memory_variables({}) == {"history": "Human: q1\nAI: a1"}

    def test_a_question_that_waits_for_its_answer_takes_no_place(self) -> None:
        """The newest question comes besides as long as it is not answered; one that never was counts."""
        memory = told(2, 2)
        memory.add_messages([{"role": "user", "content": "hello?"}])
        before = "Human: q0\nAI: a0\nHuman: q1\nAI: a1\n"
        assert memory.load_memory_variables({}) == {"history": f"{before}Human: hello?"}
        memory.add_messages([{"role": "user", "content": "anybody?"}])
        assert memory.load_memory_variables({}) == {"history": "Human: q1\nAI: a1\nHuman: hello?\nHuman: anybody?"}

    def test_a_greeting_belongs_to_no_exchange(self) -> None:
        """What stands before the first question is shown as long as there are fewer than `k` exchanges."""
        store = InMemoryStore()
        memory = ConversationBufferWindowMemory(k=2, store=store)
        memory.add_messages([{"role": "assistant", "content": "Welcome!"}])
        memory.save_context({"input": "q0"}, {"output": "a0"})
        assert memory.load_memory_variables({}) == {"history": "AI: Welcome!\nHuman: q0\nAI: a0"}
        memory.save_context({"input": "q1"}, {"output": "a1"})
        assert memory.load_memory_variables({}) == {"history": "Human: q0\nAI: a0\nHuman: q1\nAI: a1"}
