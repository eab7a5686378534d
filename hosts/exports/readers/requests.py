"""Reads requests of Gemini's API and states of LangGraph; those of other APIs are objects with messages."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import pick
from memzoo.hosts.exports.messages import conversation_of

__all__ = ["read_gemini", "read_langgraph"]


def read_gemini(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a request, with its instruction as the first message."""
    instruction = pick(document, "systemInstruction.parts|system_instruction.parts")
    head = [{"role": "system", "parts": instruction}] if instruction else []
    yield conversation_of(title, [*head, *document["contents"]])


def read_langgraph(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in the state of a thread."""
    key = str(pick(document, "thread_id|config.configurable.thread_id|checkpoint.thread_id") or "")
    yield conversation_of(key or title, document["values"]["messages"], id=key)
