"""Reads Le Chat's export: a file `chat-<uuid>.json` for each conversation."""

from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import list_at, need


def _with_content(item: Any, place: str) -> Any:
    """Return a message with the text of its chunks, where the content is empty because a tool was used."""
    if item.get("content") or not item.get("contentChunks"):
        return item
    chunks = [one for one in list_at(item, "contentChunks", place) if need(one, "type", place, str) == "text"]
    return item | {"content": "".join(need(chunk, "text", place, str) for chunk in chunks)}


FIELDS = Fields(messages="", date="createdAt", title="0.chatId", conversation="0.chatId", entry=_with_content)
