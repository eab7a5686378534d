"""Reads ChatLab's JSON, which exporters of iMessage, WeChat, QQ and other applications write."""

from collections.abc import Iterator
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import need
from memzoo.hosts.messages import dicts_of

_MEDIA = {1: "picture", 2: "voice message", 3: "video", 4: "file", 5: "sticker"}
_NOTICES = {23: "call", 80: "system line", 81: "deleted message", 99: "special message"}


def _spell(entry: Any, place: str) -> Any:
    kind, words = need(entry, "type", place, int), entry.get("content")
    if kind in _MEDIA:
        # A dash stands between the name of a file and the words that were sent with it.
        words = str(words or "").partition(" \u2014 ")[2].removeprefix("Transcription: ")
    if kind in _NOTICES or (kind in _MEDIA and not words):
        return _NOTICES.get(kind) or _MEDIA[kind]
    name = need(entry, "accountName", place, str) or need(entry, "sender", place, str)
    return entry | {"content": words, "name": name}


FIELDS = Fields(
    messages="messages",
    role="",
    text="content",
    date="timestamp",
    name="name",
    title="meta.name",
    conversation="",
    owner="meta.ownerId",
    speaker="sender",
    people=True,
    entry=_spell,
)


def read_lines(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat in JSON Lines. The lines are a header, the members of the chat, and the messages."""
    for number, item in enumerate(dicts_of(items), start=1):
        if need(item, "_type", f"line {number}", str) not in ("header", "member", "message"):
            raise TransferError(f"line {number}: {item['_type']!r} at '_type' is not known")
    messages = [item for item in dicts_of(items) if item["_type"] == "message"]
    yield FIELDS.read(items[0] | {"messages": messages}, title)
