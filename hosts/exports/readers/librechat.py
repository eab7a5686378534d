"""Reads LibreChat's export of a conversation in JSON, as a tree or as a list."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields

__all__ = ["read"]

_FIELDS = Fields(
    role="isCreatedByUser",
    roles={"True": "user", "False": "assistant"},
    text="text|content",
    date="createdAt",
    title="title",
    conversation="conversationId",
    id="messageId",
    parent="parentMessageId",
)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation's newest branch; a tree of messages within messages is read as a list with parents."""
    key = "messagesTree" if "messagesTree" in document else "messages"
    yield from _FIELDS(document | {"messages": list(_flat(document[key]))}, title)


def _flat(messages: Any) -> Iterator[Any]:
    waiting = list(reversed(messages))
    while waiting:
        message = waiting.pop()
        # The program's own copy of a new message in a tree has no time yet.
        yield ({"createdAt": None} if "children" in message else {}) | message
        waiting += reversed(message.get("children") or ())
