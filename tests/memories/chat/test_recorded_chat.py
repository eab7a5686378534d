"""Conversations with a recorded model, the four of LangChain.js' guide to chatbots with a memory among them."""

import pytest

from memzoo.memories import ChatModel, Conversation, ConversationBufferMemory, ConversationBufferWindowMemory
from tests.recording import Call, each_way, recorded, scripted_or_recorded

NEMO = [
    {"role": "user", "content": "Hey there! I'm Nemo."},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "How are you today?"},
    {"role": "assistant", "content": "Fine thanks!"},
]


def temperature(city: str) -> int:
    """How many degrees centigrade it has in a city now."""
    return {"Oslo": -17}[city]


@each_way
class TestLangChainJs:
    """What the guide shows."""

    @recorded("message-passing")
    def test_message_passing(self, recorded_model: ChatModel, call: Call) -> None:
        """Messages that are passed in are the memory: the model knows what it "just said"."""
        conversation = Conversation(recorded_model, "buffer")
        asked = "Translate this sentence from English to French: I love programming."
        said = [{"role": "user", "content": asked}, {"role": "assistant", "content": "J'adore la programmation."}]
        call(conversation.memory, "add_messages", said)
        assert "J'adore la programmation" in call(conversation, "send", "What did you just say?")

    @recorded("automatic-history")
    def test_automatic_history(self, recorded_model: ChatModel, call: Call) -> None:
        """What was asked a turn ago is known in the next, and stored with its answer."""
        conversation = Conversation(recorded_model, "buffer")
        call(conversation, "send", "Translate to French: I love programming.")
        reply = call(conversation, "send", "What did I just ask you?")
        assert "I love programming" in reply
        assert conversation.memory.history()[-1]["content"] == reply

    @recorded("trimming")
    def test_trimming(self, recorded_model: ChatModel, call: Call) -> None:
        """With all messages the name is known; with the last two alone it is not."""
        replies: list[str] = []
        for memory in (ConversationBufferMemory(), ConversationBufferWindowMemory(k=1)):
            conversation = Conversation(recorded_model, memory)
            call(conversation.memory, "add_messages", NEMO)
            replies.append(call(conversation, "send", "What's my name?"))
        assert ["Nemo" in reply for reply in replies] == [True, False]

    @recorded("summary-memory")
    def test_summary_memory(self, recorded_model: ChatModel, call: Call) -> None:
        """Four messages become one that still has the name, and the model answers from it."""
        conversation = Conversation(recorded_model, "summarizing-window", max_messages=4)
        call(conversation.memory, "add_messages", NEMO)
        assert "Nemo" in call(conversation, "send", "What did I say my name was?")
        summary, question, _ = call(conversation.memory, "messages", "")
        assert "Nemo" in summary["content"]
        assert question["content"] == "What did I say my name was?"


@each_way
@recorded("tools")
def test_tools_are_offered(recorded_model: ChatModel, call: Call) -> None:
    """A model that has tools at hand need not call one: it answers from the memory, and nothing else is stored."""
    conversation = Conversation(recorded_model, "buffer", tools=[temperature])
    call(conversation, "send", "My cat is called Pixel.")
    assert "Pixel" in call(conversation, "send", "What is my cat called?")
    assert [message["role"] for message in conversation.memory.history()] == ["user", "assistant"] * 2


@recorded("stream")
def test_stream(recorded_model: ChatModel) -> None:
    """An answer comes in pieces, together it is what was asked for, and the memory has it whole."""
    conversation = Conversation(recorded_model, "buffer")
    list(conversation.stream("My cat is called Pixel, and she sleeps all day."))
    pieces = list(conversation.stream("What is my cat called?"))
    assert len(pieces) > 1
    assert "Pixel" in "".join(pieces)
    assert conversation.memory.history()[-1]["content"] == "".join(pieces)


@scripted_or_recorded("memories/chat/test_recorded_chat", "tool-call")
def test_a_tool_is_called(real: bool, request: pytest.FixtureRequest) -> None:  # noqa: FBT001 - a parameter of pytest's
    """The result of a tool that the model calls is in its answer; the memory has call, result and answer in order.

    The offline model never calls one, so a script does; `make record MODEL=...` records a model.
    """
    model = request.getfixturevalue("recorded_model" if real else "endpoint")
    if not real:
        model.says(None, ("temperature", '{"city": "Oslo"}'))
        model.says("It is -17 degrees in Oslo.")
    conversation = Conversation(model if real else model.model, "buffer", tools=[temperature])
    assert "17" in conversation.send("How cold is it in Oslo? Ask the tool.")
    history = conversation.memory.history()
    assert [message["role"] for message in history] == ["user", "assistant", "tool", "assistant"]
    assert history[2]["content"] == "-17"
