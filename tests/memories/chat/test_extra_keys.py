"""Members of messages that no provider knows stay in the log."""

from typing import TYPE_CHECKING, Any

import pytest

from memzoo.memories import Conversation, create_memory
from memzoo.stores import Message

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

OWN = {"id": "run-1", "usage_metadata": {"input_tokens": 3}, "response_metadata": {"model": "m"}, "tool_calls": None}
SAID: list[Message] = [
    {"role": "system", "content": "Be brief.", "id": "s"},
    {"role": "user", "content": "hi", "name": "anna", "id": "u"},
    {"role": "assistant", "content": "hello", "refusal": None, "annotations": [], **OWN},
]
SENT: list[Message] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "hi", "name": "anna"},
    {"role": "assistant", "content": "hello"},
]


@pytest.mark.parametrize("name", ["buffer", "window", "message-window", "token-window"])
def test_messages_can_be_sent_as_they_are(name: str) -> None:
    """`messages()` has what OpenAI takes and nothing else; the history, and the entries, have all that was said."""
    limits: dict[str, Any] = {"message-window": {"max_messages": 9}, "token-window": {"max_token_limit": 99}}
    memory = create_memory(name, **limits.get(name, {}))
    memory.add_messages(SAID)
    shown = memory.messages()
    assert shown == SENT
    assert memory.history() == SAID
    if name == "buffer":
        assert [entry and entry.message for entry in shown.entries] == SAID


@pytest.mark.parametrize("name", ["summary", "summary-buffer", "entity", "vector-retriever", "knowledge-graph"])
def test_no_strategy_shows_them(name: str) -> None:
    """Whatever a strategy shows of such messages has only members that OpenAI knows."""
    needs: dict[str, Any] = {} if name == "vector-retriever" else {"llm": "offline"}
    memory = create_memory(name, **needs)
    memory.add_messages(SAID)
    known = {"role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id", "function_call"}
    assert not [message for message in memory.messages("hi") if message.keys() - known]


def test_a_conversation_sends_none_of_them(endpoint: "Endpoint") -> None:
    """Neither those of the memory nor those of the message that is said now; both stay in the log."""
    conversation = Conversation(endpoint.model)
    conversation.memory.add_messages(SAID)
    endpoint.says("fine")
    conversation.send({"role": "user", "content": "how are you?", "id": "u2"})
    assert endpoint.sent() == [*SENT, {"role": "user", "content": "how are you?"}]
    assert conversation.memory.history()[:4] == [*SAID, {"role": "user", "content": "how are you?", "id": "u2"}]


def test_a_function_is_given_none_of_them() -> None:
    """A function that passes messages on to an endpoint of its own can do so as they are."""
    seen: list[list[Message]] = []

    def answer(messages: list[Message]) -> str:
        seen.append(messages)
        return "fine"

    conversation = Conversation(answer)
    conversation.send({"role": "user", "content": "hi", "id": "u"})
    assert seen == [[{"role": "user", "content": "hi"}]]
