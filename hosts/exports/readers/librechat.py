"""Reads LibreChat's export of a conversation in JSON, as a tree or as a list."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import need

_FIELDS = Fields(
    messages="messages",
    role="isCreatedByUser",
    text="text|content",
    date="createdAt",
    name="",
    title="title",
    conversation="conversationId",
    roles={"True": "user", "False": "assistant"},
    id="messageId",
    parent="parentMessageId",
)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the newest branch of a conversation. Messages may be a list, or nested in the messages that they answer."""
    key = "messagesTree" if "messagesTree" in document else "messages"
    is_tree = key == "messagesTree" or bool(document.get("recursive"))
    flat: list[Any] = []
    waiting = document[key][::-1]
    while waiting:
        message = waiting.pop()
        place = f"message {message.get('messageId')!r}"
        waiting += (need(message, "children", place, list) if is_tree else message.get("children") or [])[::-1]
        # The program's own copy of a new message in a tree has no time yet.
        flat.append(({"createdAt": None} if "children" in message else {}) | message)
    yield _FIELDS.read(document | {"messages": flat}, title)
