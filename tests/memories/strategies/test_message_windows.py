"""The windows over messages: limits, tokens, costs, and the contract of all strategies."""

import pickle
from collections import Counter
from typing import Any

import pytest

from memzoo.errors import MemoryZooError, OptionError, OverBudgetError
from memzoo.memories import MessageWindowMemory, TokenWindowMemory, create_memory
from memzoo.stores import Entries, InMemoryStore, Message
from memzoo.testing import MemoryContract
from tests.conversations import call, result, said
from tests.memories.strategies.windows import A1, A2, U1, U2, U3, S, one, told, window, words


class TestTokens:
    """Limits in tokens."""

    LONG = said("user", "one two three four five six")

    def test_messages_are_indivisible(self) -> None:
        """A message is shown whole or not at all, and what is older than one that does not fit goes too."""
        memory = TokenWindowMemory(max_token_limit=5, token_counter=words)
        told(memory, said("user", "hi"), said("assistant", "one two three four"), said("user", "what now"))
        assert memory.messages() == [said("user", "what now")]

    def test_an_oversized_message(self) -> None:
        """One message over the limit is an error that says by how much, or it is kept; LangChain4j forgets it."""
        with pytest.raises(OverBudgetError, match=r"take 6 tokens, 2 more than the limit of 4; a larger max_tok") as it:
            told(TokenWindowMemory(max_token_limit=4, token_counter=words), A1, self.LONG).messages()
        assert (it.value.size, it.value.limit, it.value.over) == (6, 4, 2)
        assert isinstance(it.value, MemoryZooError)
        assert pickle.loads(pickle.dumps(it.value)).over == 2  # noqa: S301 - our own
        assert isinstance(it.value, ValueError)
        keeping = TokenWindowMemory(max_token_limit=4, token_counter=words, oversized="keep")
        assert told(keeping, A1, self.LONG).messages() == [self.LONG]
        broken = TokenWindowMemory(max_token_limit=4, token_counter=words, rules="langchain4j")
        assert told(broken, A1, self.LONG).messages() == []

    def test_an_oversized_answer_goes(self) -> None:
        """An answer over the limit goes like any other message; the conversation can go on."""
        memory = TokenWindowMemory(max_token_limit=4, token_counter=words)
        assert told(memory, U1, said("assistant", "one two three four five six")).messages() == [U1]
        assert told(memory, U2).messages() == [U2]

    def test_a_lone_system_message_stays_though_it_is_too_large(self) -> None:
        """LangChain4j keeps it over the limit; ours raises or keeps it as told."""
        rules = said("system", "one two three four five six")
        kept = [TokenWindowMemory(max_token_limit=4, token_counter=words, rules="langchain4j")]
        kept += [TokenWindowMemory(max_token_limit=4, token_counter=words, oversized="keep")]
        assert [told(memory, rules).messages() for memory in kept] == [[rules], [rules]]
        with pytest.raises(OverBudgetError):
            told(TokenWindowMemory(max_token_limit=4, token_counter=words), rules).messages()

    def test_each_message_is_counted_once(self) -> None:
        """However often it is loaded, and however the limit changes, each message is counted once (I10)."""
        counted: Counter[str] = Counter()

        def count(message: Message) -> int:
            counted[message["content"]] += 1
            return 3

        limits = iter([9, 3, 30, 6] * 30)
        memory = TokenWindowMemory(max_token_limit=lambda _: next(limits), token_counter=count)
        for number in range(50):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
            memory.messages()
            memory.load_memory_variables({})
        assert set(counted.values()) == {1}
        assert len(counted) == 100

    def test_token_buffer_is_langchains(self) -> None:
        """It is made by LangChain's names, too, with LangChain's options; the model is never asked."""
        memory = create_memory(
            "ConversationTokenBufferMemory", llm="gpt-4o-mini", max_token_limit=4, token_counter=words
        )
        assert type(memory) is type(create_memory("token-buffer")) is TokenWindowMemory
        memory.save_context({"input": "hi"}, {"output": "what is up there"})
        memory.save_context({"input": "not much you"}, {"output": "fine"})
        assert memory.load_memory_variables({}) == {"history": "Human: not much you\nAI: fine"}
        assert TokenWindowMemory().max_token_limit == 2000
        assert memory.usage.total.calls == 0

    @pytest.mark.parametrize("name", ["token-window", "buffer"])
    def test_counts_as_the_model_does(self, name: str) -> None:
        """The tokenizer is that of `llm`, also in a memory that asks no model."""
        assert create_memory(name, llm="gpt-4").render.counter.name == "cl100k_base"
        assert create_memory(name, llm="gpt-4o").render.counter.name == "o200k_base"


class TestLimits:
    """The limit is asked for each time, and hides without deleting."""

    def test_is_asked_for_by_conversation(self) -> None:
        """A function is asked with the conversation's id at each load."""
        asked: list[str] = []

        def limit(conversation_id: str) -> int:
            asked.append(conversation_id)
            return len(asked)

        memory = told(window(limit=limit, conversation_id="user-42"), U1, A1, U2)
        assert asked == []
        assert [len(memory.messages()) for _ in range(4)] == [1, 2, 3, 3]
        assert asked == ["user-42"] * 4

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_a_smaller_one_is_a_view(self, rules: str) -> None:
        """What a smaller limit hides, a larger one brings back."""
        limit = 4
        memory = told(window(rules, lambda _: limit), U1, A1, U2, A2)
        limit = 2
        assert memory.messages() == [U2, A2]
        limit = 4
        assert memory.messages() == [U1, A1, U2, A2]

    @pytest.mark.parametrize(("rules", "expected"), [("memzoo", [A1, U2, A2, U3]), ("langchain4j", [A2, U3])])
    def test_what_was_hidden_when_more_was_said(self, rules: str, expected: list[Message]) -> None:
        """It comes back too; LangChain4j has deleted it by then."""
        limit = 4
        memory = told(window(rules, lambda _: limit), U1, A1, U2, A2)
        limit = 2
        told(memory, U3)
        limit = 4
        assert memory.messages() == expected

    @pytest.mark.parametrize("limit", [0, -1, 2.0, None, "3", True])
    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_must_be_positive(self, rules: str, limit: Any) -> None:
        """Another limit is refused when the memory is made, or when the function gives it."""
        with pytest.raises(OptionError, match="max_messages must be a whole number of at least 1, not"):
            window(rules, limit)
        with pytest.raises(OptionError, match="max_messages must be a whole number of at least 1, not"):
            window(rules, lambda _: limit).messages()


class TestCosts:
    """What a load reads."""

    class Counting(InMemoryStore):
        """Counts the entries that are read."""

        entries = 0

        async def read(self, conversation_id: str, **bounds: Any) -> Entries:
            """See `Store.read`."""
            found = await super().read(conversation_id, **bounds)
            self.entries += len(found)
            return found

    @pytest.mark.parametrize(
        ("name", "options"),
        [("message-window", {}), ("token-window", {"max_token_limit": 20})],
    )
    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_a_turn_reads_no_more_of_a_longer_conversation(
        self, name: str, options: dict[str, Any], rules: str
    ) -> None:
        """Neither a save nor a load reads more with the length, and the system message is not lost (I10)."""
        store, reads = self.Counting(), list[int]()
        given: dict[str, Any] = {**options, "rules": rules}
        memory = create_memory(name, **given, store=store, token_counter=one)
        memory.add_messages([S])
        for number in range(400):
            store.entries = 0
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
            assert memory.messages()[0] == S
            reads.append(store.entries)
        assert max(reads[300:]) <= max(reads[50:150])

    @pytest.mark.parametrize("limit", [31, 32, 33, 64, 100, 300])
    def test_reads_as_much_as_fits(self, limit: int) -> None:
        """However large the limit, exactly so many messages are shown."""
        memory = window(limit=limit)
        for number in range(160):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        assert memory.messages() == memory.history()[-limit:]

    def test_reads_back_to_the_newest_user_message(self) -> None:
        """A tool loop of a hundred messages is shown with the question it began with."""
        memory = window(limit=5, oversized="keep")
        memory.add_messages([U1, A1, U2])
        for number in range(50):
            memory.add_messages([call(f"{number}"), result(f"{number}")])
        assert memory.messages() == memory.history()[2:]

    def test_a_new_memory_reads_no_more_either(self) -> None:
        """A process that opens a long conversation reads its end, and knows its system message."""
        store = self.Counting()
        memory = window(limit=4, store=store, conversation_id="a")
        memory.add_messages([S])
        for number in range(300):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        store.entries = 0
        assert window(limit=4, store=store, conversation_id="a").messages()[0] == S
        assert store.entries < 250


class TestEntries:
    """Which messages of the log are shown."""

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_have_turn_and_time_and_fields(self, rules: str) -> None:
        """Each message that is shown is the entry of the log, the system message too."""
        memory = window(rules, 3, input_key="input", output_key="output")
        memory.add_messages([S])
        for number in range(9):
            memory.save_context({"input": f"q{number}", "mood": "glad"}, {"output": f"a{number}"}, turn_id=f"{number}")
        log = memory.entries()
        assert memory.messages().entries == [log[0], *log[-2:]]
        whole = told(window(rules, 9), S, U1, A1)
        assert whole.messages().entries == whole.entries()

    @pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
    def test_that_were_set_are_of_the_log_too(self, rules: str) -> None:
        """What `set_messages` put there has numbers like all that is said."""
        memory = told(window(rules, 9), U1)
        memory.set_messages([S, U3])
        told(memory, A1)
        assert memory.messages().entries == memory.entries(after=2)


class TestContract(MemoryContract):
    """The contract of all strategies."""

    @pytest.fixture(autouse=True, params=[MessageWindowMemory, TokenWindowMemory])
    def _each(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(self), "strategy", request.param, raising=False)
