"""Reads Open WebUI's export of chats in JSON."""

import re
from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields, pick

__all__ = ["read"]

_FIELDS = Fields(
    messages="chat.history.messages|chat.messages",
    date="timestamp",
    title="title|chat.title|id",
    id="id",
    parent="parentId",
    shown="chat.history.currentId",
)
_DETAILS = re.compile(r"<details type=\"(?:reasoning|tool_calls|code_interpreter)\".*?</details>\s*", re.DOTALL)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a chat's shown branch, without the folded parts of answers, which hold thoughts and the work of tools."""
    messages: dict[str, Any] = pick(document, "chat.history.messages", {})
    plain = {
        id_: one | {"content": _DETAILS.sub("", one["content"])} if isinstance(one.get("content"), str) else one
        for id_, one in messages.items()
    }
    history = pick(document, "chat.history", {}) | {"messages": plain}
    yield from _FIELDS(document | {"chat": document["chat"] | {"history": history}}, title)
