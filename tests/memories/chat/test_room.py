"""Requests that are too long for the model: what is left out, what is refused, and that the conversation goes on."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from memzoo.errors import ModelError, OverBudgetError
from memzoo.memories import ChatModel, Conversation, create_memory
from memzoo.stores import Message
from memzoo.strategy import text_of
from tests.memories.chat.conftest import Endpoint
from tests.memories.chat.ways import Say, each_strategy, each_way

CONTEXT = 400
LONG = "lorem ipsum dolor " * 100


def words(message: Message) -> int:
    """Counts the words of a message."""
    return len(text_of(message).split())


class SmallModel(Endpoint):
    """An endpoint with a context of 400 characters, which refuses longer requests as llama.cpp does."""

    def fault(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """See `Endpoint.fault`."""
        size = sum(len(text_of(message)) for message in request["messages"])
        if size <= CONTEXT:
            return super().fault(request)
        text = f"request ({size} tokens) exceeds the available context size ({CONTEXT} tokens), try increasing it"
        return {"code": 400, "message": text, "type": "exceed_context_size_error"}


@pytest.fixture
def small() -> Iterator[SmallModel]:
    """A running one."""
    with SmallModel().running() as endpoint:
        yield endpoint


def answered(prompt: list[Message]) -> str:
    """Does the upkeep of a memory that needs a model: all is one sentence."""
    text = str(prompt[-1]["content"])
    replies = {"summary": "They talk.", "triple": "Sam | likes | tea", "entity_notes": "Sam: likes tea."}
    return next((reply for task, reply in replies.items() if text.startswith(f"Task: {task}")), "Sam")


def memory_of(name: str) -> Any:
    """A memory for tests, with members for one that needs them."""
    options: dict[str, Any] = {"token_counter": words}
    if name == "combined":
        options["memories"] = ["window", ("summary-buffer", {"llm": answered})]
    elif name not in ("buffer", "window", "vector-retriever", "message-window", "token-window"):
        options["llm"] = answered
    return create_memory(name, **options)


class TestWithoutALimit:
    """The endpoint says what is too long."""

    @each_strategy
    def test_a_message_that_is_too_long_leaves_the_next_turn_working(
        self, small: SmallModel, say: Say, name: str
    ) -> None:
        """It is an error, nothing of it is stored, and the next turn is as if it had not been."""
        conversation = Conversation(small.model, memory_of(name))
        small.says("Hello!")
        say(conversation, "hi")
        before = conversation.memory.history()
        with pytest.raises(ModelError, match="context size"):
            say(conversation, LONG)
        assert conversation.memory.history() == before
        small.says("Fine.")
        assert say(conversation, "Hello again") == "Fine."
        assert text_of(small.sent()[-1]).endswith("Hello again")

    @each_strategy
    def test_a_memory_that_has_grown_too_long_is_sent_in_part(
        self, small: SmallModel, say: Say, name: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Whatever is in the memory already, each turn is answered, with the newest messages that there is room for."""
        memory = memory_of(name)
        memory.save_context({"input": LONG}, {"output": LONG})
        memory.save_context({"input": "I am Sam."}, {"output": "Hi Sam."})
        conversation = Conversation(small.model, memory, system="Be brief.")
        with caplog.at_level(logging.WARNING):
            for number in range(4):
                small.says(f"answer {number}")
                assert say(conversation, f"question {number}") == f"answer {number}"
        sent = [text_of(message) for message in small.sent()]
        assert sent[0].startswith("Be brief.")
        assert sent[-1].endswith("question 3")
        if name in ("buffer", "window", "message-window"):
            assert "I am Sam." in sent
        assert len(memory.history()) == 12

    @pytest.mark.parametrize("name", ["summary", "entity", "knowledge-graph"])
    def test_a_shorter_request_learns_first_from_what_it_leaves_out(self, small: SmallModel, name: str) -> None:
        """Messages that wait for a portion are in the request that the model accepts, or were learnt from before it."""
        prompts = list[str]()

        def learn(prompt: list[Message]) -> str:
            prompts.append(str(prompt[-1]["content"]))
            return answered(prompt)

        memory = create_memory(name, token_counter=words, llm=learn, learn_every=16)
        for number in range(7):
            memory.save_context({"input": f"number {number} of {'many ' * 12}"}, {"output": "Fine."})
        assert prompts == []
        small.says("Yes.")
        Conversation(small.model, memory).send("Well?")
        told = "\n".join([*prompts, *map(text_of, small.sent())])
        assert [number for number in range(7) if f"number {number} of" not in told] == []

    @pytest.mark.parametrize("max_tokens", [None, 1000])
    def test_what_was_learnt_from_a_refusal_is_used_in_the_next_turn(
        self, small: SmallModel, max_tokens: int | None
    ) -> None:
        """A conversation does not run into the same refusals with each turn, with a limit of its own either."""
        memory = memory_of("buffer")
        for _ in range(20):
            memory.save_context({"input": "lorem ipsum dolor"}, {"output": "sit amet consetetur"})
        conversation = Conversation(small.model, memory, max_tokens=max_tokens)
        for _ in range(5):
            small.says("ok")
            conversation.send("hm")
        assert len(small.refused) == 1

    @pytest.mark.parametrize("key", ["x", "size", "no-key"])
    def test_a_short_key_hides_no_refusal(self, small: SmallModel, key: str) -> None:
        """What a server without keys was given is taken out of no error, so a full context is still known by it."""
        memory = memory_of("buffer")
        memory.save_context({"input": LONG}, {"output": LONG})
        small.says("ok")
        conversation = Conversation(ChatModel("m", base_url=small.url, api_key=key), memory)
        assert conversation.send("hm") == "ok"
        with pytest.raises(ModelError, match="exceeds the available context size"):
            conversation.send(LONG)

    def test_tools_that_acted_are_kept(self, small: SmallModel) -> None:
        """Where a tool gave more than the model can take, the turn is stored as unfinished, and the next one works."""

        def read() -> str:
            """Read the page."""
            return LONG

        conversation = Conversation(small.model, "buffer", tools=[read])
        small.says(None, ("read", "{}"))
        with pytest.raises(ModelError, match="context size"):
            conversation.send("Read it.")
        assert [message["role"] for message in conversation.memory.unfinished_turn()] == ["user", "assistant", "tool"]
        small.says("Sorry.")
        assert conversation.send("And?") == "Sorry."

    def test_other_failures_are_no_reason_to_leave_something_out(self, endpoint: Endpoint) -> None:
        """A request that fails for another reason is made once, and the turn is kept."""
        conversation = Conversation(endpoint.model, "buffer")
        with pytest.raises(ModelError, match="no answer left"):
            conversation.send("hi")
        assert len(endpoint.refused) == 1
        assert conversation.memory.unfinished_turn() == [{"role": "user", "content": "hi"}]


class TestMaxTokens:
    """The user says what is too long."""

    @each_strategy
    def test_bounds_every_request(self, endpoint: Endpoint, say: Say, name: str) -> None:
        """System message, memory and turn together are within the limit, and the question is there."""
        conversation = Conversation(endpoint.model, memory_of(name), system="Be brief.", max_tokens=40)
        for number in range(8):
            endpoint.says(f"answer {number}")
            say(conversation, f"Is this question number {number} ?")
            assert sum(map(words, endpoint.sent())) <= 40
            assert text_of(endpoint.sent()[0]).startswith("Be brief.")
            assert text_of(endpoint.sent()[-1]).endswith(f"Is this question number {number} ?")

    @each_way
    def test_refuses_a_message_before_it_is_sent_or_stored(self, endpoint: Endpoint, say: Say) -> None:
        """What does not fit by itself is a typed error that says by how much, and the next turn works."""
        conversation = Conversation(endpoint.model, memory_of("buffer"), system="Be brief.", max_tokens=100)
        with pytest.raises(OverBudgetError, match=r"302 tokens, 202 more than the limit of 100"):
            say(conversation, LONG)
        assert conversation.memory.history() == endpoint.asked == endpoint.refused == []
        endpoint.says("Fine.")
        assert say(conversation, "hi") == "Fine."

    def test_counts_the_tools(self, endpoint: Endpoint) -> None:
        """What a tool is described by takes room too."""

        def search(words: str) -> str:
            """Search for words in all that was ever written about anything by anybody."""
            return words

        endpoint.says("ok")
        assert Conversation(endpoint.model, memory_of("buffer"), max_tokens=10).send("hi") == "ok"
        with pytest.raises(OverBudgetError, match="tools"):
            Conversation(endpoint.model, memory_of("buffer"), max_tokens=10, tools=[search]).send("hi")

    @each_way
    def test_can_shorten_what_is_too_long(self, endpoint: Endpoint, say: Say) -> None:
        """By choice a long text is cut in the middle in what is sent, also later; the memory keeps all of it."""
        memory = memory_of("buffer")
        conversation = Conversation(endpoint.model, memory, max_tokens=100, oversized="shorten")
        for number in range(3):
            endpoint.says("ok")
            say(conversation, f"start {LONG} {number} end")
            texts = [text_of(message) for message in endpoint.sent()]
            assert sum(map(words, endpoint.sent())) <= 100
            assert texts[-1].startswith("start lorem")
            assert texts[-1].endswith(f"{number} end")
            assert "characters left out" in texts[-1]
        assert memory.history()[0]["content"] == f"start {LONG} 0 end"

    def test_shortens_what_tools_give(self, endpoint: Endpoint) -> None:
        """The result of a tool is cut as well."""

        def read() -> str:
            """Read."""
            return LONG

        endpoint.says(None, ("read", "{}"))
        endpoint.says("Latin.")
        conversation = Conversation(
            endpoint.model, memory_of("buffer"), tools=[read], max_tokens=200, oversized="shorten"
        )
        assert conversation.send("Read it.") == "Latin."
        assert words(endpoint.sent()[-1]) <= 100
        assert json.dumps(conversation.memory.history()).count("lorem") == 100


def test_a_window_over_its_limit_does_not_stop_the_conversation(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """A question that was larger than the window is passed over by the next turn, which says so in the log."""
    memory = create_memory("token-window", max_token_limit=20, token_counter=words)
    conversation = Conversation(endpoint.model, memory)
    for said in ("lorem " * 50, "hi", "hello"):
        endpoint.says("ok")
        assert conversation.send(said) == "ok"
    assert caplog.text.count("without the memory") == 1
    assert [text_of(message) for message in endpoint.sent()][1:] == ["ok", "hi", "ok", "hello"]
