"""CSV with a message in each row, or with a question and its answer."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.talks import Talk
from memzoo.hosts.roles import ROLES, role_of

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["has_columns", "read"]

_COLUMNS = {
    "role": ("role", "sender_type", "author_type", "type"),
    "name": ("speaker", "author", "from", "sender", "name", "username"),
    "content": ("content", "text", "message", "value", "body", "utterance", "comment"),
    "question": ("question", "prompt", "input", "user", "human", "query"),
    "answer": ("answer", "response", "output", "assistant", "bot", "completion", "reply"),
    "date": ("date", "timestamp", "time", "created_at", "datetime", "sent_at"),
    "conversation": (
        *("conversation", "conversation_id", "session_id", "session", "thread_id", "chat_id", "ticket_id", "ticket"),
    ),
}


def has_columns(columns: Any) -> bool:
    """Return whether a table has columns for speakers and words, or for questions and answers."""
    there = _find(columns)
    return bool(("content" in there and there.keys() & {"role", "name"}) or {"question", "answer"} <= there.keys())


def read(document: Iterable[Mapping[str, str | None]], title: str) -> Iterator[ChatLog]:
    """Yield the conversations of a table; rows without a conversation's id are one.

    Raises:
        TranscriptError: A role is unknown.
    """
    row: Mapping[str, str | None] = {}
    there: dict[str, str] = {}
    logs: dict[str, list[tuple[str, str, str, datetime | None]]] = {}
    for number, row in enumerate(document, start=2):
        there = _find(row)
        cells = {kind: row[column] or "" for kind, column in there.items()}
        date, said = date_of(cells.get("date")), logs.setdefault(cells.get("conversation", ""), [])
        if "content" not in there:
            # In the order of a file that begins with the newest, which is turned round as a whole.
            said += [("user", "", cells["question"], date), ("assistant", "", cells["answer"], date)]
            continue
        role = role_of(cells.get("role") or cells.get("name"))
        if "role" in cells and role in (None, "tool"):
            known = ", ".join(name for name, one in ROLES.items() if one != "tool")
            raise TranscriptError(f"row {number}: expected one of {known}, not {cells['role']!r}")
        said.append((role or "", cells.get("name", ""), cells["content"], date))
    others = ", ".join(repr(column) for column in row if column not in there.values()) if logs else ""
    notes = [f"columns left out: {others}"] if others else []
    for conversation, said in logs.items():
        if all(role for role, *_ in said):
            pairs = (({"role": role, "content": words}, date) for role, _, words, date in said)
            yield ChatLog.of(conversation or title, pairs, notes, id=conversation, sort=True)
        else:
            talk = Talk(conversation or title, conversation, notes)
            for _, name, words, date in said:
                talk.say(name, words, date)
            yield talk.log()


def _find(columns: Iterable[str]) -> dict[str, str]:
    there = set(columns)
    found = {kind: next((name for name in names if name in there), None) for kind, names in _COLUMNS.items()}
    return {kind: name for kind, name in found.items() if name}
