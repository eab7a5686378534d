"""Reads CSV with a message in each row, or with a question and its answer in each row."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, Unread, count, date_of
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.messages import BRANCHED, make_branch_error
from memzoo.hosts.roles import role_of

_COLUMNS = {
    "role": ("role", "sendertype", "authortype", "type"),
    "name": ("speaker", "author", "from", "sender", "name", "username"),
    "content": ("content", "text", "message", "value", "body", "utterance", "comment"),
    "question": ("question", "prompt", "input", "user", "human", "query"),
    "answer": ("answer", "response", "output", "assistant", "bot", "completion", "reply"),
    "instruction": ("instruction",),
    "date": ("date", "timestamp", "time", "createdat", "datetime", "sentat"),
    "conversation": (
        *("conversation", "conversationid", "convid", "dialogueid", "dialogid", "sessionid", "session", "threadid"),
        *("chatid", "ticketid", "ticket"),
    ),
}
"""The names of columns, without the blanks and underscores in them."""


def has_columns(columns: Any) -> bool:
    """Return whether a table has columns for speakers and words, or for questions and answers."""
    there = _find(columns)
    return bool(("content" in there and there.keys() & {"role", "name"}) or {"question", "answer"} <= there.keys())


def read(document: Iterable[Mapping[str, str | None]], title: str) -> Iterator[ChatLog | Unread]:
    """Yield the conversations of a table. All rows without a conversation's id form one conversation."""
    rows = list(document)
    if not rows:
        return
    there = _find(rows[0])
    parents = [name.lower() for name in BRANCHED if name != "children"]  # some people have children
    if branched := [one for one in rows[0] if one in parents and any(row[one] for row in rows)]:
        raise make_branch_error(branched[0])
    if "answer" in there and "question" in there and (told := there.get("instruction")):
        # The form of Alpaca, where the input is often empty.
        asked = there["question"]
        rows = [{**row, asked: "\n\n".join(filter(None, (row[told], row[asked])))} for row in rows]
    others = ", ".join(repr(column) for column in rows[0] if column not in there.values())
    notes = [f"columns left out: {others}"] if others else []
    date, role = there.get("date", ""), there.get("role") or there.get("name", "")
    strange = [row[date] for row in rows if date and row[date] and not date_of(row[date])]
    notes += [f"{count(len(strange), 'time')} not understood, such as {strange[0]!r:.80}"] if strange else []
    is_talk = "content" in there and "role" not in there and not all(role_of(row[role]) for row in rows)
    fields = Fields(
        messages="",
        role=role,
        text=there.get("content") or there["question"],
        date=date,
        name=there["name"] if is_talk else "",
        title="",
        conversation="",
        roles={} if is_talk else {"tool": "", "function": ""},
        answer="" if "content" in there else there["answer"],
        people=is_talk,
        group=there.get("conversation", ""),
    )
    if date:
        rows = [{**row, date: row[date] if date_of(row[date]) else None} for row in rows]
    for log in fields(rows, title):
        yield replace(log, notes=[*log.notes, *notes]) if isinstance(log, ChatLog) else log


def _find(columns: Iterable[str]) -> dict[str, str]:
    there = {name.replace(" ", "").replace("_", ""): name for name in columns if name}
    found = {kind: next((there[name] for name in names if name in there), None) for kind, names in _COLUMNS.items()}
    return {kind: name for kind, name in found.items() if name}
