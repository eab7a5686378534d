"""Reads chats of Messenger and Instagram from Meta's download, which has a folder with `message_1.json` per chat."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.files import parse
from memzoo.hosts.exports.members import list_at
from memzoo.hosts.messages import dict_of, dicts_of

_FILE = re.compile(r"message_(\d+)\.json")
_KINDS = ("Call", "Subscribe", "Unsubscribe")
_NOTICE = re.compile(r"[^\n]{1,100} sent an attachment\.|Liked a message|Reacted .{1,20} to your message ?")


def is_chat(item: Mapping[str, Any]) -> bool:
    """Return whether an object is a chat without end-to-end encryption."""
    return any({"sender_name", "timestamp_ms"} & one.keys() for one in dicts_of(item.get("messages"))[:50])


def is_folder(names: Iterable[str]) -> bool:
    """Return whether the names in a folder are those of a chat's folder."""
    return any(map(_FILE.fullmatch, names))


def read_folder(folder: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat in a folder, which may have several files."""
    files = [(int(match[1]), one) for one in folder.iterdir() if (match := _FILE.fullmatch(one.name))]
    parts = [parse(one.read_text(encoding="utf-8")) for _, one in sorted(files, key=lambda file: file[0])]
    messages = [item for part in parts for item in list_at(part, "messages", "a file")]
    yield from read(parts[0] | {"messages": messages}, title)


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat that was not end-to-end encrypted."""
    yield _FIELDS.read({**document, "title": mend(document.get("title"))}, title)


def read_encrypted(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield an end-to-end encrypted chat. Meta offers such chats as a separate download, in another form."""
    yield _ENCRYPTED.read({**document, "title": re.sub(r"_\d+$", "", str(document["threadName"]))}, title)


def mend(text: Any) -> Any:
    r"""Return a text with its encoding repaired: Meta's download has a separate character for each UTF-8 byte.

    Example:
        >>> mend("Caf\u00c3\u00a9"), mend("Caf\u00e9"), mend(None)
        ('Café', 'Café', None)
    """
    try:
        return text.encode("latin-1").decode("utf-8")
    except (AttributeError, UnicodeError):
        return text


def _mended(entry: Any, _: str) -> Any:
    words = mend(entry.get("content")) or dict_of(entry.get("share")).get("link")
    if "call_duration" in entry or entry.get("type") in _KINDS or (words and _NOTICE.fullmatch(words)):
        return "notice"
    return entry | {key: mend(entry[key]) for key in ("sender_name",) if key in entry} | {"content": words}


_FIELDS = Fields(
    messages="messages",
    role="",
    text="content",
    date="timestamp_ms",
    name="sender_name",
    title="title",
    conversation="thread_path",
    left_out={"is_unsent": "unsent message"},
    people=True,
    attached=("photos", "videos", "audio_files", "files", "gifs"),
    entry=_mended,
)
_ENCRYPTED = Fields(
    messages="messages",
    role="",
    text="text",
    date="timestamp",
    name="senderName",
    title="title",
    conversation="",
    left_out={"isUnsent": "unsent message"},
    people=True,
    attached=("media",),
)
