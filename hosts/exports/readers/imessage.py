"""Reads iMessage chats that imessage-exporter has saved as text."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.talks import Talk, entries_of

_DATE = re.compile(r"[A-Z][a-z]{2} \d\d, \d{4} {1,2}\d{1,2}:\d\d:\d\d [AP]M")
_HEAD = re.compile(rf"({_DATE.pattern})(?: \((?:Read|Unread)[^()\n]*\))?(?: ([^\n]*))?$", re.MULTILINE)
_ADDED = re.compile(r"Sent with [A-Z].*|This message responded to an earlier message\.")
_DELETED = "This message was deleted from the conversation!"


def is_text(head: str) -> bool:
    """Return whether a text begins with a date, followed by a sender or an announcement."""
    return bool(_HEAD.match(head.lstrip().replace("\r\n", "\n")))


def read(text: str, title: str) -> Iterator[ChatLog]:
    """Yield the chat, with "Me" as the user. The times have no zone, and are read as UTC.

    The file contains each reply twice: below the message that it answers, and at its own time. Only the copy at its
    own time is read.
    """
    talk = Talk(title)
    entries = [(head, lines[1:]) for head, lines in entries_of(text, _HEAD.match)]
    strange = [line for _, lines in entries for line in lines if _DATE.search(line) and not line.startswith("    ")]
    if strange:
        talk.notes.append(f"{count(len(strange), 'time')} within messages, such as {strange[0]!r:.80}")
    is_owned = any(lines[:1] == ["Me"] for _, lines in entries)
    for head, lines in entries:
        if head[2]:
            talk.leave_out("announcement")
            continue
        name, *body = lines or [""]
        kept, is_reaction = list[str](), False
        for line in body:
            is_reaction = line in ("Tapbacks:", "Reactions:") or (is_reaction and bool(line.strip()))
            if not is_reaction and not line.startswith("    ") and not _ADDED.fullmatch(line):
                kept.append(line)
        if _DELETED in kept:
            talk.leave_out("deleted message")
        else:
            date = datetime.strptime(" ".join(head[1].split()), "%b %d, %Y %I:%M:%S %p").replace(tzinfo=UTC)
            talk.say(name.strip(), "\n".join(kept), date, is_user=name == "Me" if is_owned else None)
    yield talk.log()
