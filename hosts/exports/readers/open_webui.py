"""Reads Open WebUI's export of chats in JSON."""

import html
import json
import re
from typing import Any

from memzoo.hosts.exports.fields import Fields

_DETAILS = re.compile(
    r"<details type=\"(?P<type>reasoning|tool_calls|code_interpreter)\"(?P<marks>[^<>]*+)>\s*+"
    r"(?:<summary>[^<]*+</summary>)?+(?P<words>(?:[^<]|<(?!/?details\b))*+)</details>\s*"
)
_MARK = re.compile(r"\b(\w++)=\"([^\"]*+)\"")


def _unfold(message: Any, _: str) -> Any:
    """Return a message with parts for the folded ones of an answer, which hold thoughts and the work of tools."""
    text = message.get("content")
    if not isinstance(text, str) or not _DETAILS.search(text):
        return message
    parts: list[Any] = []
    end = 0
    for found in _DETAILS.finditer(text):
        parts.append(text[end : found.start()])
        marks = {name: html.unescape(value) for name, value in _MARK.findall(found["marks"])}
        words = html.unescape(found["words"]).strip()
        if found["type"] == "reasoning":
            parts.append({"type": "thinking", "thinking": re.sub(r"^> ?", "", words, flags=re.MULTILINE)})
        else:
            result = _value(marks.get("result") or marks.get("output")) or words
            is_code = found["type"] == "code_interpreter"
            name, given = (
                marks.get("name") or found["type"],
                {"code": words} if is_code else _value(marks.get("arguments")),
            )
            parts.append(
                {"type": "tool_call", "id": marks.get("id"), "name": name, "arguments": given, "output": result}
            )
        end = found.end()
    return message | {"content": [*parts, text[end:]]}


def _value(text: str | None) -> Any:
    """Return a value that is written as JSON, once or twice."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return text
    return _value(value) if isinstance(value, str) else value


FIELDS = Fields(
    messages="chat.history.messages|chat.messages",
    role="role",
    text="content",
    date="timestamp",
    name="",
    title="title|chat.title|id",
    conversation="id",
    id="id",
    parent="parentId",
    shown="chat.history.currentId",
    entry=_unfold,
)
