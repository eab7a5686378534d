"""Reads requests to Gemini's API, and states of LangGraph; `chat_messages` reads requests to other APIs."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.calls import Call, conversations_of, words_in
from memzoo.hosts.exports.chat_log import ChatLog, mark_of
from memzoo.hosts.exports.fields import date_at, id_at, need, pick
from memzoo.hosts.exports.messages import conversation_of
from memzoo.hosts.exports.talks import take

__all__ = ["is_history", "read_gemini", "read_history", "read_langgraph"]

_THREAD = "thread_id|config.configurable.thread_id|checkpoint.thread_id"


def read_gemini(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a request, with its instruction as the first message."""
    key = "system_instruction" if "system_instruction" in document else "systemInstruction"
    instruction = mark_of(document, key, "the request")
    head = [{"role": "system", "parts": need(instruction, "parts", key)}] if instruction is not None else []
    yield conversation_of(title, [*head, *document["contents"]])


def is_history(items: Any) -> bool:
    """Return whether values are several states of LangGraph."""
    return len(items) > 1 and all(isinstance(pick(one, "values.messages"), list) for one in items)


def read_langgraph(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in the state of a thread."""
    key = id_at(document, _THREAD, "state")
    yield conversation_of(key or title, document["values"]["messages"], id=key)


def read_history(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in the states of threads: each state repeats the messages before."""
    told = [(take(one["values"], "messages", "a state", list), one) for one in document]
    states = [(words_in(messages, "user"), one) for messages, one in told if messages]
    calls = [
        Call(said, None, id_at(one, _THREAD, number), date_at(one, "created_at", number))
        for number, (said, one) in enumerate(states, start=1)
    ]
    yield from conversations_of(calls, title)
