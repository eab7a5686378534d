"""Reads Le Chat's export: a file `chat-<uuid>.json` for each conversation."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields, need
from memzoo.hosts.exports.talks import take

__all__ = ["read"]

_FIELDS = Fields(messages="", date="createdAt", title="0.chatId", conversation="0.chatId")


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation in the order of its times, because the file has the messages in any order.

    Where a tool was used, the content is empty, and the chunks have the text.
    """
    yield from _FIELDS([_with_content(one) for one in document], title)


def _with_content(item: Any) -> Any:
    if item.get("content") or not item.get("contentChunks"):
        return item
    where = str(item.get("id"))
    chunks = [chunk for chunk in item["contentChunks"] if take(chunk, "type", f"a chunk of {where}", str) == "text"]
    texts = [need(chunk, "text", where) for chunk in chunks]
    return item | {"content": "".join(texts)}
