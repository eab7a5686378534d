"""The newest messages word for word as far as they fit a limit, and a summary of what is older."""

from collections.abc import Sequence
from typing import Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import ConversationBufferMemory, ConversationSummaryBufferMemory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import InMemoryStore, Message
from memzoo.testing import ScriptedModel


def words(message: Message) -> int:
    """A token counter: the words of a message."""
    return len(str(message["content"]).split())


def words_times_3(message: Message) -> int:
    """Another one."""
    return 3 * words(message)


def one(message: Message) -> int:
    """A token for each message."""
    return 1


def make(model: ScriptedModel | ChatFunction, limit: int, **options: Any) -> ConversationSummaryBufferMemory:
    """A memory that counts words, and lets as many messages go as have to."""
    given: dict[str, Any] = {"llm": model, "max_token_limit": limit, "token_counter": words, "prune_to": limit}
    given["conversation_id"] = "a"
    return ConversationSummaryBufferMemory(**(given | options))


def tell(memory: ConversationSummaryBufferMemory | ConversationBufferMemory, *numbers: int) -> None:
    """Save exchanges of four words."""
    for number in numbers:
        memory.save_context({"input": f"question {number}"}, {"output": f"answer {number}"})


class TestView:
    """What is shown."""

    def test_below_the_limit_is_everything(self) -> None:
        """As long as all fits, no model is asked and there is no summary."""
        memory = make(ScriptedModel(), 4)
        tell(memory, 0)
        assert memory.load_memory_variables({}) == {"history": "Human: question 0\nAI: answer 0"}
        assert [message["role"] for message in memory.messages()] == ["user", "assistant"]

    def test_above_it_is_a_summary_and_the_rest(self) -> None:
        """The summary comes first as a system turn, then what fits (reference 2.4)."""
        memory = make(ScriptedModel("Earlier."), 5)
        tell(memory, 0, 1)
        assert memory.load_memory_variables({}) == {"history": "System: Earlier.\nHuman: question 1\nAI: answer 1"}
        assert memory.summary == "Earlier."

    def test_as_messages(self) -> None:
        """With `return_messages` the summary is a system message, and absent while there is none (reference 2.4)."""
        memory = make(ScriptedModel("Earlier."), 3, return_messages=True)
        assert memory.load_memory_variables({}) == {"history": []}
        tell(memory, 0)
        shown = memory.load_memory_variables({})["history"]
        assert shown == [{"role": "system", "content": "Earlier."}, {"role": "assistant", "content": "answer 0"}]


class TestLimit:
    """The limit holds whenever something is shown."""

    def test_on_save(self) -> None:
        """Messages go one by one from the front until the rest fits, and one call summarises all that went (C1)."""
        model = ScriptedModel("Earlier.")
        memory = make(model, 3)
        memory.save_context({"input": "one two three"}, {"output": "four five six seven"})
        ((_, prompt),) = model.asked
        assert "]\nHuman: one two three\nAI: four five six seven\n</new_lines>" in prompt
        assert memory.load_memory_variables({}) == {"history": "System: Earlier."}

    def test_on_the_first_load_of_a_stored_history(self) -> None:
        """A conversation that is in the store already is cut to the limit before it is shown (B3)."""
        store = InMemoryStore()
        tell(ConversationBufferMemory(store=store, conversation_id="a"), *range(5))
        memory = make(ScriptedModel("Earlier."), 4, store=store)
        assert memory.load_memory_variables({}) == {"history": "System: Earlier.\nHuman: question 4\nAI: answer 4"}

    def test_after_opening_with_a_smaller_one(self) -> None:
        """A smaller limit holds from the first load on, and only what has to go is summarised (B3, P1)."""
        first = make(ScriptedModel("Earlier."), 8)
        tell(first, 0, 1, 2)
        model = ScriptedModel("Longer ago.")
        second = make(model, 2, store=first.store)
        assert second.load_memory_variables({}) == {"history": "System: Longer ago.\nAI: answer 2"}
        ((_, prompt),) = model.asked
        assert "<summary>\nEarlier.\n</summary>" in prompt
        assert "]\nHuman: question 1\nAI: answer 1\nHuman: question 2\n</new_lines>" in prompt

    def test_after_opening_with_a_larger_one(self) -> None:
        """What is summarised stays summarised; new messages may use the new room."""
        first = make(ScriptedModel("Earlier."), 4)
        tell(first, 0, 1)
        second = make(ScriptedModel(), 100, store=first.store)
        tell(second, 2)
        assert second.load_memory_variables({})["history"].startswith("System: Earlier.\nHuman: question 1\n")

    def test_after_opening_with_another_counter(self) -> None:
        """Counts of one counter are not taken for those of another: the limit holds in the new tokens (B3, I6)."""
        first = make(ScriptedModel(), 8)
        tell(first, 0, 1)
        model = ScriptedModel("Earlier.")
        second = make(model, 8, store=first.store, token_counter=words_times_3)
        assert second.load_memory_variables({}) == {"history": "System: Earlier.\nAI: answer 1"}
        assert "]\nHuman: question 0\nAI: answer 0\nHuman: question 1\n</new_lines>" in model.asked[0][1]

    @pytest.mark.parametrize("limit", [0, 1])
    def test_that_is_tiny(self, limit: int, clerk: ChatFunction) -> None:
        """A limit below the smallest message leaves the summary alone, without an error (B2)."""
        memory = make(clerk, limit)
        tell(memory, 0, 1)
        said = "Human: question 0 / AI: answer 0 / Human: question 1 / AI: answer 1"
        assert memory.load_memory_variables({}) == {"history": f"System: {said}"}

    def test_is_2000_by_default(self) -> None:
        """LangChain's default is kept."""
        assert ConversationSummaryBufferMemory(llm=ScriptedModel()).max_token_limit == 2000

    def test_that_is_hit_exactly_asks_nobody(self) -> None:
        """What fits to the last word stays; with a word more the model is asked."""
        memory = make(ScriptedModel("Earlier."), 8)
        tell(memory, 0, 1)
        assert memory.summary == ""
        memory = memory.clone(max_token_limit=7, prune_to=7)
        assert memory.load_memory_variables({})["history"].startswith("System: Earlier.\nAI: answer 0")

    @pytest.mark.parametrize(("limit", "tokens"), [(100, 570), (1000, 950), (2000, 1425)])
    def test_is_what_the_summary_should_keep_to(self, limit: int, tokens: int) -> None:
        """The model is told what the messages may have: 600 tokens at least, a quarter of a prompt at most.

        One in twenty is left for bad counting.
        """

        def count(_: Message) -> int:
            return 2 * limit

        model = ScriptedModel("Earlier.")
        memory = make(model, limit, token_counter=count)
        memory.save_context({"input": "question"}, {"output": "answer"})
        assert f"at most {tokens} tokens" in model.asked[0][1]

    def test_that_is_counted_with_the_summary_is_hit_exactly(self) -> None:
        """Six words of messages and two of the summary fit eight."""
        memory = make(lambda _: "two words", 8, count_summary=True)
        tell(memory, 0, 1, 2)
        assert len(memory.messages()) == 4
        memory = memory.clone(max_token_limit=7, prune_to=7)
        assert len(memory.messages()) == 3


class TestCountSummary:
    """Whether the summary counts towards the limit."""

    def test_not_by_default(self) -> None:
        """As in LangChain, the limit is that of the messages alone (reference 2.5)."""
        memory = make(ScriptedModel("a summary of six words here"), 4)
        tell(memory, 0, 1)
        assert memory.load_memory_variables({})["history"].endswith("\nHuman: question 1\nAI: answer 1")

    def test_if_asked_for(self) -> None:
        """With `count_summary` summary and messages fit the limit together (B1)."""
        memory = make(lambda _: "two words", 8, count_summary=True)
        tell(memory, 0, 1, 2)
        shown = memory.load_memory_variables({})["history"]
        assert shown == "System: two words\nAI: answer 1\nHuman: question 2\nAI: answer 2"

    def test_leaves_room_for_messages(self) -> None:
        """A model that writes as much as it may is asked at a third of the saves at most."""

        def write(messages: Sequence[Message]) -> str:
            return "word " * int(str(messages[-1]["content"]).rpartition("at most ")[2].partition(" ")[0])

        memory = make(write, 1000, count_summary=True, prune_to=None)
        for number in range(32):
            memory.save_context({"input": f"question {number}"}, {"output": "answer " * 98})
        assert 0 < memory.usage["summary"].calls <= 32 // 3

    def test_makes_room_for_a_summary_that_grew(self) -> None:
        """If the summary grows over the room that is left, more messages go (B1)."""
        memory = make(ScriptedModel("one two three four five six", "short"), 7, count_summary=True)
        tell(memory, 0, 1)
        assert memory.load_memory_variables({})["history"] == "System: short"

    def test_with_a_summary_above_the_limit_shows_the_summary(self) -> None:
        """A summary that is too long by itself is shown, and nothing else; it does not end in an endless loop (B1)."""
        memory = make(ScriptedModel("one two three four five", "one two three four five"), 4, count_summary=True)
        tell(memory, 0, 1)
        assert memory.load_memory_variables({})["history"] == "System: one two three four five"


class TestPruneTo:
    """How far the messages are cut back when the limit is passed."""

    def test_makes_room_for_several_exchanges(self) -> None:
        """Cut back further, the memory asks its model less often, and shows the same word for word or summarised."""
        calls: list[int] = []
        for option in ({}, {"prune_to": 4}):
            model = ScriptedModel(*["Earlier."] * 20)
            memory = make(model, 16, **option)
            tell(memory, *range(16))
            calls.append(len(model.asked))
        assert calls == [12, 3]

    def test_cuts_back_to_so_many_tokens(self) -> None:
        """Below the limit nothing happens; above it only so much stays."""
        memory = make(ScriptedModel("Earlier."), 8, prune_to=4)
        tell(memory, 0, 1)
        assert memory.load_memory_variables({})["history"].count("\n") == 3
        tell(memory, 2)
        assert memory.load_memory_variables({})["history"] == "System: Earlier.\nHuman: question 2\nAI: answer 2"


def test_the_summary_has_a_limit_of_its_own() -> None:
    """`max_state_tokens` bounds the summary, on load too (#17888): a model is asked to shorten it."""
    first = make(ScriptedModel("One two three. Four five."), 4)
    tell(first, 0, 1)
    second = make(ScriptedModel("One two three."), 4, store=first.store, max_state_tokens=3)
    assert second.load_memory_variables({})["history"].startswith("System: One two three.\nHuman")


class TestFailure:
    """A model that fails while something has to go."""

    def test_loses_no_message(self) -> None:
        """Until the summary that covers them is stored, messages wait in view as far as the limit allows (F1, I4)."""
        now = [0.0]
        model = ScriptedModel(ModelError("down"), "Earlier.")
        memory = make(model, 4, on_model_error="defer", clock=lambda: now[0])
        tell(memory, 0, 1)
        shown = memory.load_memory_variables({})["history"].splitlines()
        assert shown[0] == "System: (2 earlier messages are not shown here, and were not learnt from yet.)"
        assert shown[1:] == ["Human: question 1", "AI: answer 1"]
        assert len(memory.history()) == 4
        now[0] = 601
        assert memory.load_memory_variables({})["history"].startswith("System: Earlier.\nHuman: question 1")

    def test_makes_one_call_later(self) -> None:
        """What a failure left behind is summarised with what comes next, in one call (P1)."""
        model = ScriptedModel(ModelError("down"), "Earlier.")
        memory = make(model, 2, on_model_error="defer")
        tell(memory, 0, 1)
        assert "]\nHuman: question 0\nAI: answer 0\nHuman: question 1\n</new_lines>" in model.asked[-1][1]
        assert len(model.asked) == 2


def test_tool_calls_leave_with_their_results(clerk: ChatFunction) -> None:
    """A call and its results go into the summary together: none is sent alone, none is in neither place (T2, I6)."""
    call = {"id": "c1", "function": {"name": "weather", "arguments": "Oslo"}}
    memory = make(clerk, 2, token_counter=one, return_messages=True)
    memory.add_messages(
        [
            {"role": "user", "content": "And today?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
            {"role": "assistant", "content": "Fine weather."},
        ]
    )
    loaded = memory.load_memory_variables({})["history"]
    for shown in (loaded, memory.messages()):
        assert shown[1]["role"] != "tool"
        assert all(said in str(shown) for said in ("today", "weather(Oslo)", "sunny", "Fine"))


def test_what_is_saved_without_learning_keeps_to_the_limit(clerk: ChatFunction) -> None:
    """Until a save learns from it, the newest that fits is shown, and a line says how much is not; nothing is lost."""
    memory = make(clerk, 4, token_counter=one)
    for number in range(3):
        said = [{"role": "user", "content": f"question {number}"}, {"role": "assistant", "content": f"answer {number}"}]
        memory.add_messages(said, learn=False)
    note, *shown = memory.messages(catch_up=False)
    assert note["content"] == "(2 earlier messages are not shown here, and were not learnt from yet.)"
    assert [message["content"] for message in shown] == ["question 1", "answer 1", "question 2", "answer 2"]
    tell(memory, 3)
    view = str(memory.messages(catch_up=False))
    assert all(f"{said} {number}" in view for said in ("question", "answer") for number in range(4))


def _ten(_message: Message) -> int:
    return 10


def test_by_default_half_of_the_limit_is_left() -> None:
    """So that not each message past the limit asks the model: of 11 messages of 10 words, the newest 5 stay."""
    model = ScriptedModel("Earlier.")
    memory = make(model, 100, prune_to=None, token_counter=_ten)
    memory.add_messages([{"role": "user", "content": f"message {number}"} for number in range(10)])
    assert memory.summary == ""
    memory.add_messages([{"role": "user", "content": "message 10"}])
    shown = [message["content"] for message in memory.messages()]
    assert shown == ["Earlier.", *(f"message {number}" for number in range(6, 11))]
