"""Reads the exports of the page of llama.cpp's server: JSON up to June 2026, JSON Lines since."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import date_at, need, role_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.trees import tree_of
from memzoo.stores import Message

__all__ = ["read", "read_lines"]


def read_lines(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in lines: each begins with a line for the session, and has a line for each message."""
    talks: list[dict[str, Any]] = []
    for number, line in enumerate(document, start=1):
        if line.get("type") == "session":
            talks.append({"conv": line, "messages": []})
        elif line.get("type") == "message":
            talks[-1]["messages"].append(need(line, "message", number))
    for talk in talks:
        yield from read(talk, title)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the branch of a conversation that ends at its current node."""
    about = document["conv"]
    nodes = {str(need(one, "id", number)): one for number, one in enumerate(document["messages"], start=1)}
    parents = {id_: need(one, "parent", id_) for id_, one in nodes.items()}
    name = str(about.get("name") or about.get("id") or title)
    shown = need(about, "currNode", "conv")
    yield tree_of(name, parents, lambda id_: list(_said(nodes[id_], id_)), shown=shown, id=str(about.get("id") or ""))


def _said(one: Any, id_: str) -> Iterator[tuple[Message, datetime | None]]:
    if one.get("type") == "root":
        return
    role = role_at(one, "role", id_)
    calls = one.get("toolCalls")
    item = {
        "role": role,
        "content": one.get("content") or "",
        "reasoning_content": one.get("content") and (one.get("reasoningContent") or one.get("thinking")),
        "tool_calls": json.loads(calls) if isinstance(calls, str) and calls else calls,
        "tool_call_id": one.get("toolCallId"),
    }
    date = date_at(one, "timestamp", id_)
    yield from ((message, date) for message in messages_of(item))
