"""Writes a conversation as a file for other programs. `memzoo import` and `memzoo compare` can read the file."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memzoo.stores import Entry, Message
from memzoo.strategy import text_of

_FENCE = re.compile(r"^[^\S\n]*```", re.MULTILINE)
"""The beginning or the end of a block of code."""

_MARKED = re.compile(r"^(?=[ \t*_\\]*###|\\(?:\\|[^\S\n])*```)", re.MULTILINE)
"""A heading, or a fence with a backslash."""

_CALLS = {"tool_calls", "function_call"}
_SHAREGPT = {"user": "human", "assistant": "gpt", "developer": "system"}


def _openai(id_: str, entries: Sequence[Entry]) -> Iterator[str]:  # noqa: ARG001 - all writers take both
    """Yield a list of OpenAI chat messages, each with its time."""
    messages = [
        entry.message | ({"timestamp": entry.said_at.isoformat()} if entry.said_at else {}) for entry in entries
    ]
    yield f"{json.dumps(messages, ensure_ascii=False, indent=1)}\n"


def _chatgpt(id_: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield ChatGPT's export: a tree with one branch, with tool calls and results as text in nodes of their own."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    turns = ((entry, *turn) for entry in entries for turn in _turns(entry.message))
    for number, (entry, role, words) in enumerate(turns, start=1):
        key, is_work = f"m{number}", role == "tool"
        nodes[last]["children"] = [key]
        nodes[key] = {
            "id": key,
            "parent": last,
            "children": [],
            "message": {
                "id": key,
                "author": {"role": entry.message["role"], "name": entry.message.get("name"), "metadata": {}},
                "create_time": entry.said_at.timestamp() if entry.said_at else None,
                "content": {"content_type": "text", "parts": [words]},
                "recipient": "tool" if is_work else "all",
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
    """Yield Markdown with a heading for each message.

    A line of text that looks like a heading gets a backslash, and so does a fence of code that is never closed.
    """
    for role, words in (turn for entry in entries for turn in _turns(entry.message)):
        text = _MARKED.sub(r"\\", words)
        fences = [found.start() for found in _FENCE.finditer(text)]
        if len(fences) % 2:
            text = f"{text[: fences[-1]]}\\{text[fences[-1] :]}"
        yield f"### {role.upper()}\n\n{text}\n\n"


def _turns(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the role and the words of a message, then its tool calls, as text with the role of tools."""
    calls = {"role": "assistant", "content": None} | {key: message[key] for key in _CALLS if message.get(key)}
    spoken = {key: value for key, value in message.items() if key not in _CALLS}
    has_calls = bool(calls.keys() & _CALLS)
    if not has_calls or text_of(spoken):
        yield message["role"], text_of(spoken)
    if has_calls:
        yield "tool", text_of(calls)


WRITERS: Mapping[str, Callable[[str, Sequence[Entry]], Iterator[str]]] = {
    "chatgpt": _chatgpt,
    "openai": _openai,
    "sharegpt": _sharegpt,
    "markdown": _markdown,
}
"""By the name of a form, a function that takes a conversation's id and entries, and yields the pieces of a file."""
