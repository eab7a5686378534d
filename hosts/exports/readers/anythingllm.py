"""Reads AnythingLLM's export of workspace chats in JSON and CSV; each row is a prompt with its response."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import date_at, need, text_at

__all__ = ["read"]


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chats of each workspace as one conversation; the export names neither threads nor branches."""
    said: dict[str, list[tuple[Any, Any]]] = {}
    for number, row in enumerate(document, start=1):
        date = date_at(row, "sent_at", number)
        pair = ({"role": "user", "content": row.get("prompt")}, {"role": "assistant", "content": row.get("response")})
        need(row, "workspace", number)
        said.setdefault(text_at(row, "workspace", number), []).extend((message, date) for message in pair)
    for workspace, pairs in said.items():
        yield ChatLog.of(workspace or title, pairs, sort=True)
