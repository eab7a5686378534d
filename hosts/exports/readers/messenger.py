"""Messenger and Instagram, from Meta's download of your own data: for each chat a folder with `message_1.json` ..."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, mark_of
from memzoo.hosts.exports.files import parse
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_chat", "is_folder", "mend", "read", "read_encrypted", "read_folder"]

_FILE = re.compile(r"message_(\d+)\.json")
_KINDS = ("Call", "Subscribe", "Unsubscribe")
_NOTICE = re.compile(r"[^\n]{1,100} sent an attachment\.|Liked a message|Reacted .{1,20} to your message ?")


def is_chat(item: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a chat without end-to-end encryption."""
    return any({"sender_name", "timestamp_ms"} & one.keys() for one in dicts_of(item.get("messages"))[:50])


def is_folder(names: Iterable[str]) -> bool:
    """Return whether these are the names in the folder of a chat."""
    return any(map(_FILE.fullmatch, names))


def read_folder(folder: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat of a folder: each file has at most 10,000 messages."""
    files = [(int(match[1]), one) for one in folder.iterdir() if (match := _FILE.fullmatch(one.name))]
    parts = [parse(one.read_text(encoding="utf-8")) for _, one in sorted(files, key=lambda file: file[0])]
    yield from read(
        parts[0] | {"messages": [item for part in parts for item in take_list(part, "messages", "a file")]}, title
    )


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat. A chat of two is named after the other one."""
    name = mend(document.get("title")) or title
    is_pair = len(document.get("participants") or ()) == 2  # noqa: PLR2004 - a pair
    talk = Talk(name, str(document.get("thread_path") or ""))
    for number, item in enumerate(take_list(document, "messages", "the file"), start=1):
        place = f"message {number}"
        sender, date = mend(take(item, "sender_name", place, str)), find_time(item, "timestamp_ms", place)
        words = mend(item.get("content")) or dict_of(item.get("share")).get("link")
        if mark_of(item, "is_unsent", place):
            talk.leave_out("unsent message")
        elif "call_duration" in item or item.get("type") in _KINDS or (words and _NOTICE.fullmatch(words)):
            talk.leave_out("notice")
        else:
            talk.say(sender, words, date, is_user=False if is_pair and sender == name else None)
    yield talk.log()


def read_encrypted(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat with end-to-end encryption, in the form of its own download."""
    name = str(document["threadName"])
    name = re.sub(r"_\d+$", "", name) or title
    is_pair = len(document.get("participants") or ()) == 2  # noqa: PLR2004 - a pair
    talk = Talk(name)
    for number, item in enumerate(take_list(document, "messages", "the file"), start=1):
        place = f"message {number}"
        sender, date = take(item, "senderName", place, str), find_time(item, "timestamp", place)
        if mark_of(item, "isUnsent", place):
            talk.leave_out("unsent message")
        else:
            talk.say(sender, item.get("text"), date, is_user=False if is_pair and sender == name else None)
    yield talk.log()


def mend(text: Any) -> Any:
    r"""Return a text as it was written: the download has a character for each byte of UTF-8.

    Example:
        >>> mend("Caf\u00c3\u00a9"), mend("Caf\u00e9"), mend(None)
        ('Café', 'Café', None)
    """
    try:
        return text.encode("latin-1").decode("utf-8")
    except (AttributeError, UnicodeError):
        return text
