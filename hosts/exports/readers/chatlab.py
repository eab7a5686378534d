"""ChatLab's JSON, in which exporters of iMessage, WeChat, QQ and others write a chat."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, find_time, take
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["read", "read_lines"]

_MEDIA = {1: "picture", 2: "voice message", 3: "video", 4: "file", 5: "sticker"}
_NOTICES = {23: "call", 80: "system line", 81: "deleted message", 99: "special message"}


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chat; the owner of the export is the user."""
    meta = dict_of(document.get("meta"))
    owner = meta.get("ownerId")
    talk = Talk(str(meta.get("name") or title))
    for number, item in enumerate(dicts_of(take(document, "messages", "the file")), start=1):
        place = f"message {number}"
        sender, kind = take(item, "sender", place), take(item, "type", place)
        date, words = find_time(item, "timestamp", place), item.get("content")
        if kind in _MEDIA:
            # A dash stands between the name of a file and the words that were sent with it.
            words = str(words or "").partition(" \u2014 ")[2].removeprefix("Transcription: ")
        if kind in _NOTICES or (kind in _MEDIA and not words):
            talk.leave_out(_NOTICES.get(kind) or _MEDIA[kind])
        else:
            is_user = None if owner is None else sender == owner
            talk.say(str(item.get("accountName") or sender), words, date, is_user=is_user)
    yield talk.log()


def read_lines(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat of JSON Lines: a header, members and messages."""
    messages = [item for item in dicts_of(items) if item.get("_type") == "message"]
    yield from read(items[0] | {"messages": messages}, title)
