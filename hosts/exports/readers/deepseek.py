"""Reads DeepSeek's export of an account: `conversations.json`, which looks like ChatGPT's."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import date_at, need
from memzoo.hosts.exports.trees import tree_of
from memzoo.stores import Message

__all__ = ["read"]

_ROLES = {"REQUEST": "user", "RESPONSE": "assistant"}
_WORK = ("THINK", "SEARCH", "TOOL_SEARCH", "TOOL_OPEN", "TOOL_FIND", "TIP", "READ_LINK", "FILE")
"""Fragments that hold thoughts and the work of tools."""


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation; the last child of each message is shown, because the export does not name a branch."""
    nodes: dict[str, Any] = document["mapping"]
    parents = {id_: need(node, "parent", id_) for id_, node in nodes.items()}
    lost = sum(str(child) not in nodes for node in nodes.values() for child in node.get("children") or ())
    notes = [f"{count(lost, 'message')} that others name as an answer not in the file"] if lost else []
    name, key = str(document.get("title") or title), str(document.get("id") or "")
    yield tree_of(
        name,
        parents,
        lambda id_: list(_said(nodes[id_], id_)),
        unsaid=lambda id_: "node without a message" if parents[id_] and nodes[id_]["message"] is None else "",
        notes=notes,
        id=key,
    )


def _said(node: Any, id_: str) -> Iterator[tuple[Message, datetime | None]]:
    message = need(node, "message", id_)
    if message is None:
        return
    date = date_at(message, "inserted_at", id_)
    fragments = need(message, "fragments", id_)
    words: dict[str, list[str]] = {} if fragments else {"assistant": []}
    for fragment in fragments or ():
        kind = need(fragment, "type", id_)
        if kind in _ROLES:
            words.setdefault(_ROLES[kind], []).append(fragment.get("content") or "")
        elif kind not in _WORK:
            raise TranscriptError(f"message {id_!r}: expected 'REQUEST' or 'RESPONSE' at 'type', not {kind!r}")
    for role, texts in words.items():
        yield {"role": role, "content": "\n".join(texts)}, date
