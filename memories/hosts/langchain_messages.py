"""LangChain's messages as messages of a log, and a memory's view as LangChain's messages."""

from collections.abc import Sequence
from typing import Any, cast

from memzoo.memories.hosts.langchain.messages import objects
from memzoo.memories.hosts.shared import HostLog, HostMessage, Memories, host_module, memory_of
from memzoo.stores import Message

__all__ = ["chat_of", "log_of", "question_of", "said_of", "view_of"]

_messages = host_module("langchain_core.messages", "langchain")


def log_of(memories: Memories) -> HostLog:
    """The log of the thread that is running.

    Raises:
        ConversationIdError: The run has no thread, or it is not that of the one memory.
    """
    config: dict[str, Any] = host_module("langgraph.config", "langgraph").get_config()
    return HostLog(memory_of(memories, config.get("configurable", {}).get("thread_id")), "langchain")


def question_of(messages: Sequence[Any]) -> str | None:
    """The newest words of a human, which are being answered."""
    return next((str(message.text) for message in reversed(messages) if message.type == "human"), None)


def said_of(messages: Sequence[Any]) -> list[HostMessage]:
    """LangChain's messages as messages of a log, known by their ids."""
    whole = _messages.messages_to_dict(messages)
    return [HostMessage(chat_of(message), own, message.id or "") for message, own in zip(messages, whole, strict=True)]


def view_of(shown: Sequence[HostMessage], live: Sequence[Any] = ()) -> list[Any]:
    """A view as LangChain's messages: the very ones that the host has, and those of earlier runs as they were."""
    by_id = {message.id: message for message in live}
    return [by_id.get(one.key) or _object(one) for one in shown]


def chat_of(message: Any) -> Message:
    """A message as it is learnt from, and as providers take it."""
    chat = cast("Message", _messages.convert_to_openai_messages(message))
    if message.type != "ai":
        return chat
    # Reasoning and what else is no text stands in the host's own form, which is kept beside it.
    return {**chat, "content": str(message.text) or (None if chat.get("tool_calls") else "")}


def _object(said: HostMessage) -> Any:
    return objects([said.message])[0] if said.own is None else _messages.messages_from_dict([said.own])[0]
