"""Reads the sessions of Gemini CLI: a JSON object or JSON Lines for each session, in `~/.gemini/tmp/*/chats`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, mark_of
from memzoo.hosts.exports.fields import date_at, need, pick, role_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.messages import make_call
from memzoo.stores import Message

__all__ = ["read", "read_lines"]

_ROLES = {"gemini": "assistant", "info": "", "error": "", "warning": ""}


def read_lines(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in the lines of a session: messages, changes of messages, and rewinds to a message."""
    head, messages, taken_back = dict[str, Any](), dict[str, Any](), 0
    for number, line in enumerate(document, start=1):
        if "$rewindTo" in line:
            ids = [*messages]
            place = ids.index(line["$rewindTo"]) if line["$rewindTo"] in messages else 0
            taken_back += len(ids) - place
            messages = {id_: messages[id_] for id_ in ids[:place]}
        elif "$set" in line:
            head |= line["$set"]
            if "messages" in line["$set"]:
                messages = {one["id"]: one for one in line["$set"]["messages"]}
        elif "sessionId" in line:
            head |= line
            messages |= {one["id"]: one for one in mark_of(line, "messages", f"line {number}") or ()}
        else:
            messages[need(line, "id", number)] = line
    notes = [f"{count(taken_back, 'message')} that the user took back left out"] if taken_back else []
    yield from read(head | {"messages": list(messages.values())}, title, notes)


def read(document: Any, title: str, notes: list[str] | None = None) -> Iterator[ChatLog]:
    """Yield the conversation of a session; the program's own messages are left out."""
    said = [one for number, item in enumerate(document["messages"], start=1) for one in _said(item, number)]
    key = str(document.get("sessionId") or "")
    yield ChatLog.of(key or title, said, notes or [], id=key)


def _said(item: Any, number: int) -> Iterator[tuple[Message, datetime | None]]:
    role, date = role_at(item, "type", number, _ROLES), date_at(item, "timestamp", number)
    if not role:
        return
    for call in item.get("toolCalls") or ():
        made = make_call(call.get("id"), call.get("name"), call.get("args"))
        yield {"role": "assistant", "content": None, "tool_calls": [made]}, date
        results = messages_of({"role": "tool", "content": call.get("result") or ""})
        yield {"role": "tool", "tool_call_id": made["id"], "content": results[0]["content"] if results else ""}, date
    content = pick(item, "displayContent|content|parts") or ""
    for message in messages_of({"role": role, "content": content}):
        yield message, date
