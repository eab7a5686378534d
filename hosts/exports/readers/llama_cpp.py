"""Reads the exports of llama.cpp's web interface: JSON or JSON Lines."""

import json
from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import need


def _spell(one: Any, _: str) -> Any:
    calls = one.get("toolCalls")
    return one | {
        "reasoning_content": one.get("content") and (one.get("reasoningContent") or one.get("thinking")),
        "tool_calls": json.loads(calls) if isinstance(calls, str) and calls else calls,
        "tool_call_id": one.get("toolCallId"),
    }


FIELDS = Fields(
    date="timestamp",
    title="conv.name|conv.id",
    conversation="conv.id",
    left_out={"type": {"root": None}},
    id="id",
    parent="parent",
    shown="conv.currNode",
    entry=_spell,
)


def read_lines(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in JSON Lines.

    Each conversation begins with a line for the session; a line for each message follows.
    """
    talks: list[dict[str, Any]] = []
    for number, line in enumerate(document, start=1):
        if line.get("type") == "session":
            talks.append({"conv": line, "messages": []})
        elif line.get("type") == "message":
            talks[-1]["messages"].append(need(line, "message", f"line {number}"))
    yield from (FIELDS.read(talk, title) for talk in talks)
