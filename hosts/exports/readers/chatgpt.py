"""Reads ChatGPT's export: a tree of messages. `current_node` is the last message of the branch that was shown."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.members import mark_of
from memzoo.hosts.exports.messages import message_of
from memzoo.hosts.exports.trees import tree_of
from memzoo.hosts.messages import dict_of, dicts_of
from memzoo.hosts.roles import role_of
from memzoo.stores import Message

_CITATION = re.compile("\ue200.*?\ue201", re.DOTALL)
_NOUNS = {
    "thoughts": "thought",
    "user_editable_context": "custom instruction",
    "model_editable_context": "memory note",
}
_EMPTY = "node without a message"
_UNSAID = (*_NOUNS, "reasoning_recap")
"""The types of contents that the page does not show as words of the conversation."""


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation in an object of the export. The object has the messages under "mapping"."""
    nodes: dict[str, Any] = document["mapping"]
    key = str(document.get("conversation_id") or document.get("id") or "")
    for id_, node in nodes.items():
        if "parent" not in node or "message" not in node:
            missing = "parent" if "message" in node else "message"
            raise TransferError(f"the message {id_!r} has no {missing!r}")
    parents = {id_: node["parent"] for id_, node in nodes.items()}
    yield tree_of(
        str(document.get("title") or key or title),
        parents,
        lambda id_: _said(nodes[id_]["message"]),
        shown=document.get("current_node"),
        unsaid=lambda id_: _noun_of(nodes[id_]["message"]) if nodes[id_]["message"] else _EMPTY * bool(parents[id_]),
        id=key,
    )


def _said(message: Any) -> list[tuple[Message, datetime | None]]:
    if message is None:
        return []
    given = dict_of(message.get("author")).get("role")
    role = role_of(given)
    if role is None:
        raise TransferError(f"a message is from {given!r}, which is not a known role")
    place = f"the message {message.get('id')!r}"
    metadata, content = mark_of(message, "metadata", place, dict) or {}, message.get("content")
    hidden = mark_of(metadata, "is_visually_hidden_from_conversation", place)
    # Tool calls and results are left out, because the export has no ids that connect them.
    if role == "tool" or hidden or (mark_of(message, "recipient", place) or "all") != "all":
        return []
    if not isinstance(content, dict):
        raise TransferError(f"{place} has no 'content': {message!r:.80}")
    if content.get("content_type") in _UNSAID:
        return []
    parts: Any = content.get("parts", [content.get("text")])
    if not isinstance(parts, list):
        raise TransferError(f"the parts of a message are not a list: {parts!r:.80}")
    parts = [*parts, *_list_files(metadata)] if "attachments" in metadata else parts
    said: Message | None
    if len(parts) == 1 and isinstance(parts[0], str):  # nearly all messages are of this kind
        said = {"role": role, "content": parts[0]}
    else:
        said = message_of({"role": role, "content": [part for part in parts if part]})
    if said is None or (not said["content"] and content.keys() & {"parts", "text"}):
        return []
    if name := message["author"].get("name"):
        said["name"] = str(name)
    said["content"] = _cite(said["content"], metadata)
    return [(said, date_of(mark_of(message, "create_time", place)))]


def _list_files(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a part for each attached file; pictures are among the message's parts already."""
    attached = dicts_of(metadata.get("attachments"))
    kinds = (str(one.get("mime_type") or one.get("mimeType") or "") for one in attached)
    return [
        {"type": "file", "filename": str(one.get("name") or "file")}
        for one, kind in zip(attached, kinds, strict=True)
        if not kind.startswith("image/")
    ]


def _noun_of(message: Any) -> str:
    """Return the word for a message that the page shows apart from the conversation, or not at all; "" for others."""
    author, content = dict_of(message.get("author")), dict_of(message.get("content"))
    to = str(message.get("recipient") or "all")
    if (kind := content.get("content_type")) in _NOUNS:
        given = any(value for key, value in content.items() if key != "content_type")
        return _NOUNS[kind] if given else ""
    if author.get("role") == "tool" or to != "all":
        is_canvas = "canmore." in f"{to} {author.get('name')}"
        return "canvas step" if is_canvas else "tool step"
    return ""


def _cite(text: Any, metadata: dict[str, Any]) -> Any:
    """Return a text with the words that the page shows in place of citations' marks; parts unchanged."""
    if "\ue200" not in text:
        return text
    for reference in dicts_of(metadata.get("content_references")):
        if matched := reference.get("matched_text"):
            text = text.replace(str(matched), str(reference.get("alt") or ""))
    return _CITATION.sub("", text)
