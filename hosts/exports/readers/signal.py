"""Reads chats that signal-export has saved. Each chat has a folder with `data.json` and `chat.md`."""

import re
from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.files import parse
from memzoo.hosts.exports.talks import Talk, entries_of

_HEAD = re.compile(r"\[(\d{4}-\d\d-\d\d),? (\d\d:\d\d(?::\d\d)?)\] ([^:\n]{1,100}):(?: |$)")
_REACTIONS = re.compile(r"\n\(- [^\n]+ -\)")
_ATTACHED = re.compile(r"!?\[[^\]\n]{1,200}\]\(\./[^)\n]{1,200}\)(?: {2})?")


def _spell(entry: Any, _: str) -> Any:
    # A message without a time gets the first day of 1970.
    return entry | {"date": None} if str(entry.get("date")).startswith("1970-01-01") else entry


FIELDS = Fields(
    messages="",
    role="sender",
    text="body",
    date="date",
    name="sender",
    title="",
    conversation="",
    roles={"Me": "user", "*": "assistant"},
    left_out={"deleted": "deleted message", "call": "call"},
    people=True,
    attached=("attachments",),
    entry=_spell,
)


def read_folder(folder: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat in a folder, from `data.json`."""
    lines = (folder / "data.json").read_text(encoding="utf-8").split("\n")
    yield FIELDS.read([parse(line) for line in lines if line.strip()], title)


def is_text(head: str) -> bool:
    """Return whether a text begins like `chat.md`."""
    return bool(_HEAD.match(head.lstrip()))


def read_text(text: str, title: str) -> Iterator[ChatLog]:
    """Yield the chat in the text of `chat.md`. Reactions are left out, and so are links to attachments."""
    entries = entries_of(text, _HEAD.match)
    talk = Talk(title, is_text=True)
    is_owned = any(head[3] == "Me" for head, _ in entries)
    for head, lines in entries:
        words = _ATTACHED.sub("", _REACTIONS.sub("", "\n".join(lines))).strip()
        if words == "(This message was deleted)":
            talk.leave_out("deleted message")
        else:
            talk.say(head[3], words, date_of(f"{head[1]} {head[2]}"), is_user=head[3] == "Me" if is_owned else None)
    yield talk.log()
