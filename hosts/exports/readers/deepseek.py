"""Reads DeepSeek's export of an account: `conversations.json`, which looks like ChatGPT's."""

from collections.abc import Iterator
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import list_at, need

_ROLES = {"REQUEST": "user", "RESPONSE": "assistant"}
_WORK = ("THINK", "SEARCH", "TOOL_SEARCH", "TOOL_OPEN", "TOOL_FIND", "TIP", "READ_LINK", "FILE")
"""Fragments that hold thoughts and the work of tools."""


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation. If a message has several answers, the last in the file is read."""
    nodes: dict[str, Any] = document["mapping"]
    lost = sum(str(child) not in nodes for node in nodes.values() for child in node.get("children") or ())
    notes = [f"{count(lost, 'reply', 'replies')} missing from the file"] if lost else []
    yield _FIELDS.read(document, title, notes=notes)


def _spell(node: Any, place: str) -> Any:
    """Return a node with its role and words, which its fragments have; a node without a message is the first."""
    if need(node, "message", place) is None:
        return "node without a message" if node["parent"] else node | {"first": True}
    words: dict[str, list[str]] = {}
    for fragment in list_at(node["message"], "fragments", place):
        kind = need(fragment, "type", place, str)
        if kind in _ROLES:
            words.setdefault(_ROLES[kind], []).append(fragment.get("content") or "")
        elif kind not in _WORK:
            raise TransferError(f"{place}: expected 'REQUEST' or 'RESPONSE' at 'type', not {kind!r}")
    if len(words) > 1:
        raise TransferError(f"{place} has fragments of a 'REQUEST' and of a 'RESPONSE'")
    [(role, texts)] = words.items() or [("assistant", [])]
    return node | {"role": role, "content": "\n".join(texts)}


_FIELDS = Fields(
    messages="mapping",
    date="message.inserted_at",
    title="title",
    conversation="id",
    left_out={"first": None},
    parent="parent",
    entry=_spell,
)
