"""ChatLab's JSON, in which exporters of iMessage, WeChat, QQ and others write a chat."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["read", "read_lines"]

_MEDIA = {1: "picture", 2: "voice message", 3: "video", 4: "file", 5: "sticker"}
_NOTICES = {23: "call", 80: "system line", 81: "deleted message", 99: "special message"}


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chat; the owner of the export is the user."""
    meta = dict_of(document.get("meta"))
    items = take_list(document, "messages", "the file")
    owner = meta.get("ownerId")
    is_owned = any(item.get("sender") == owner for item in items)
    talk = Talk(str(meta.get("name") or title))
    for number, item in enumerate(items, start=1):
        place = f"message {number}"
        sender, kind = take(item, "sender", place, str), take(item, "type", place, int)
        name = take(item, "accountName", place, str)
        date, words = find_time(item, "timestamp", place), item.get("content")
        if kind in _MEDIA:
            # A dash stands between the name of a file and the words that were sent with it.
            words = str(words or "").partition(" \u2014 ")[2].removeprefix("Transcription: ")
        if kind in _NOTICES or (kind in _MEDIA and not words):
            talk.leave_out(_NOTICES.get(kind) or _MEDIA[kind])
        else:
            talk.say(name or sender, words, date, is_user=sender == owner if is_owned else None)
    yield talk.log()


def read_lines(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat of JSON Lines: a header, members and messages."""
    for number, item in enumerate(dicts_of(items), start=1):
        if take(item, "_type", f"line {number}", str) not in ("header", "member", "message"):
            raise TranscriptError(f"line {number}: {item['_type']!r} at '_type' is not known")
    messages = [item for item in dicts_of(items) if item["_type"] == "message"]
    yield from read(items[0] | {"messages": messages}, title)
