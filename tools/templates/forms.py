"""Reduces a request to its form: roles, calls and kinds of content, with a mark in place of each text."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from memzoo.stores import Message

__all__ = ["Form", "form_of"]

_IS_MISTRALS = re.compile("[A-Za-z0-9]{9}")


@dataclass
class Form:
    """A request with a mark in place of each text.

    Attributes:
        messages: The messages.
        marks: The kind of text that each mark stands for: "system", "words", "call", "beside a call" or "result".
    """

    messages: list[Message]
    marks: dict[str, str]


def form_of(messages: Sequence[Message]) -> Form:
    """Return the form of a request; ids of calls are replaced too."""
    form = Form(json.loads(json.dumps(messages)), {})
    ids: dict[str, str] = {}

    def mark(kind: str) -> str:
        form.marks[name := f"mk{len(form.marks)}z"] = kind
        return name

    for message in form.messages:
        calls: list[Any] = message.get("tool_calls") or []
        kind = {"tool": "result", "system": "system"}.get(message["role"], "beside a call" if calls else "words")
        if isinstance(content := message.get("content"), list):
            for part in cast("list[dict[str, Any]]", content):
                part["text"] = mark(kind)
        elif content:
            message["content"] = mark(kind)
        for call in calls:
            given = call["id"]
            call["id"] = ids[given] = f"call{len(ids):05}" if _IS_MISTRALS.fullmatch(given) else f"call_{len(ids):020}"
            if isinstance(json.loads(call["function"]["arguments"]), dict):
                call["function"]["arguments"] = json.dumps({"name": mark("call")})
        if "tool_call_id" in message:
            message["tool_call_id"] = ids[message["tool_call_id"]]
    return form
