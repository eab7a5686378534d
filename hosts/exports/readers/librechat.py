"""Reads LibreChat's export of a conversation in JSON, as a tree or as a list."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.talks import take

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
    is_tree = key == "messagesTree" or bool(document.get("recursive"))
    yield from _FIELDS(document | {"messages": list(_flat(document[key], is_tree=is_tree))}, title)


def _flat(messages: Any, *, is_tree: bool) -> Iterator[Any]:
    waiting = list(reversed(messages))
    while waiting:
        message = waiting.pop()
        place = f"message {message.get('messageId')!r}"
        children = take(message, "children", place, list) if is_tree else message.get("children")
        # The program's own copy of a new message in a tree has no time yet.
        yield ({"createdAt": None} if "children" in message else {}) | message
        waiting += reversed(children or ())
