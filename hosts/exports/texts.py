"""Reads conversations from plain text, in which each message begins with a speaker and a colon, and from CSV."""

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.roles import ROLES, role_of

if TYPE_CHECKING:
    from datetime import datetime

    from memzoo.stores import Message

__all__ = ["read_csv", "read_text"]

_LABEL = re.compile(rf"[ \t>*#_]*+({'|'.join(ROLES)})[*_]*+[ \t]*+:[*_]*+[ \t]*+", re.IGNORECASE)
_COLUMNS = {
    "role": ("role", "speaker", "author", "from", "sender", "type"),
    "content": ("content", "text", "message", "value", "body", "utterance"),
    "date": ("date", "timestamp", "time", "created_at", "datetime"),
    "conversation": ("conversation", "conversation_id", "session_id", "session", "thread_id", "chat_id"),
}


def read_text(text: str, title: str) -> ChatLog | None:
    r"""Return a conversation whose messages begin with "user:", "assistant:" or the like; `None` for another text.

    Example:
        >>> read_text("User: I like tea.\nGreen tea.\n**Assistant:** Noted.", "tea").messages[0]
        {'role': 'user', 'content': 'I like tea.\nGreen tea.'}
    """
    turns: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if label := _LABEL.match(line):
            turns.append((ROLES[label[1].lower()], [line[label.end() :]]))
        elif turns:
            turns[-1][1].append(line)
        elif line.strip():
            return None
    said: list[Message] = [{"role": role, "content": "\n".join(lines).strip()} for role, lines in turns]
    said = [message for message in said if message["content"] and message["role"] != "tool"]
    return ChatLog(title, said, [None] * len(said)) if said else None


def read_csv(text: str, where: str, title: str) -> Iterator[ChatLog]:
    """Yield conversations from a table with columns for speaker and text, and optionally for date and conversation.

    Args:
        text: The file's content.
        where: The file's name, for error messages.
        title: The title of a conversation without an id.

    Raises:
        TranscriptError: A column is missing, or a speaker is unknown.
    """
    # The csv module requires newline="", which preserves line ends within quoted cells.
    rows = csv.DictReader(io.StringIO(text, newline=""), **_form(text))
    names = {name.strip().lower(): name for name in rows.fieldnames or () if name}
    columns = {kind: next((names[one] for one in known if one in names), None) for kind, known in _COLUMNS.items()}
    for kind in ("role", "content"):
        if columns[kind] is None:
            known = ", ".join(_COLUMNS[kind])
            raise TranscriptError(f"{where}: expected a column for the {kind} ({known}); there are {', '.join(names)}")
    logs: dict[str, list[tuple[Message, datetime | None]]] = {}
    for row in rows:
        cells = {kind: (row.get(column) or "") if column else "" for kind, column in columns.items()}
        role = role_of(cells["role"])
        if role is None or role == "tool":
            known = ", ".join(name for name, one in ROLES.items() if one != "tool")
            raise TranscriptError(f"{where}, line {rows.line_num}: expected one of {known}, not {cells['role']!r}")
        message = {"role": role, "content": cells["content"]}
        logs.setdefault(cells["conversation"], []).append((message, date_of(cells["date"])))
    for name, said in logs.items():
        yield ChatLog.of(name or title, said)


def _form(text: str) -> dict[str, Any]:
    """Return the CSV format of a text: the most frequent separator in the header line, by default a comma."""
    titles = next(iter(text.splitlines()), "")
    delimiter = max(",;\t|", key=titles.count)
    return {"delimiter": delimiter, "skipinitialspace": titles.count(f"{delimiter} ") == titles.count(delimiter)}
