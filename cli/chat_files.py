"""Writes a conversation in the forms of other programs; `memzoo import` and `memzoo compare` read them again."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memzoo.stores import Entry
from memzoo.strategy import text_of

__all__ = ["WRITERS"]

_HEADING = re.compile(r"^(?=[ \t*_\\]*###)", re.MULTILINE)
_SHAREGPT = {"user": "human", "assistant": "gpt", "developer": "system"}


def _openai(id_: str, entries: Sequence[Entry]) -> Iterator[str]:  # noqa: ARG001 - all writers take both
    """Yield a list of OpenAI chat messages, each with its time."""
    messages = [
        entry.message | ({"timestamp": entry.said_at.isoformat()} if entry.said_at else {}) for entry in entries
    ]
    yield f"{json.dumps(messages, ensure_ascii=False, indent=1)}\n"


def _chatgpt(id_: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield ChatGPT's export: a tree with one branch. Calls and results of tools stand in it as text."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for entry in entries:
        key, role = f"m{entry.seq}", entry.message["role"]
        calls = role == "assistant" and not entry.message.get("content")
        nodes[last]["children"] = [key]
        nodes[key] = {
            "id": key,
            "parent": last,
            "children": [],
            "message": {
                "id": key,
                "author": {"role": role, "name": entry.message.get("name"), "metadata": {}},
                "create_time": entry.said_at.timestamp() if entry.said_at else None,
                "content": {"content_type": "text", "parts": [text_of(entry.message)]},
                "recipient": "tool" if calls else "all",
                "metadata": {},
            },
        }
        last = key
    times: list[float | None] = [entry.said_at.timestamp() for entry in entries if entry.said_at]
    times = times or [None]
    head = {"title": id_, "id": id_, "conversation_id": id_, "create_time": times[0], "update_time": times[-1]}
    talk = head | {"mapping": nodes, "current_node": last}
    yield f"{json.dumps([talk], ensure_ascii=False, indent=1)}\n"


def _sharegpt(id_: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield a conversation of ShareGPT; calls and results of tools are turns of their own."""
    turns: list[dict[str, str]] = []
    for entry in entries:
        message = entry.message
        role: str = message["role"]
        if message.get("content"):
            words = text_of({"role": role, "content": message["content"]})
            speaker = "observation" if role in ("tool", "function") else _SHAREGPT.get(role, role)
            turns.append({"from": speaker, "value": words})
        for call in message.get("tool_calls") or ():
            function = call["function"]
            told = {"name": function["name"], "arguments": function["arguments"]}
            turns.append({"from": "function_call", "value": json.dumps(told, ensure_ascii=False)})
    yield f"{json.dumps([{'id': id_, 'conversations': turns}], ensure_ascii=False, indent=1)}\n"


def _markdown(id_: str, entries: Sequence[Entry]) -> Iterator[str]:  # noqa: ARG001 - as above
    """Yield Markdown with a heading for each message; a line that looks like one gets a backslash."""
    for entry in entries:
        words = _HEADING.sub(r"\\", text_of(entry.message))
        yield f"### {entry.message['role'].upper()}\n\n{words}\n\n"


WRITERS: Mapping[str, Callable[[str, Sequence[Entry]], Iterator[str]]] = {
    "chatgpt": _chatgpt,
    "openai": _openai,
    "sharegpt": _sharegpt,
    "markdown": _markdown,
}
"""Functions of a conversation's id and entries that yield the pieces of a file, by the names of forms."""
