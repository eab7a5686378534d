"""Reads Copilot chats from VS Code: files written by the command "Chat: Export Chat", and session files."""

from pathlib import PurePosixPath
from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import list_at, need

_SPOKEN = (None, "markdownContent", "inlineReference")
_MARKS = ("undoStop", "prepareToolInvocation", "mcpServersStarting", "codeblockUri", "progressTaskSerialized")
_WORDS = "value|content.value"
_PATH = "inlineReference.path|inlineReference.uri.path|inlineReference.location.uri.path"


def _spell(request: Any, place: str) -> Any:
    """Return a request with the parts of its answer; a sentence goes on after the name of a file in it."""
    parts: list[Any] = []
    for one in list_at(request, "response", place) if request.get("response") is not None else ():
        kind = need(one, "kind?", f"a part of {place}")
        if kind in _SPOKEN:
            is_file = kind == "inlineReference" and not one.get("name")
            words = need(one, _PATH if is_file else "name" if kind == "inlineReference" else _WORDS, place, str)
            words = PurePosixPath(words).name if is_file else words
            parts += [(parts.pop() if parts and isinstance(parts[-1], str) else "") + words]
        elif kind == "thinking":
            parts.append({"type": "thinking", "thinking": need(one, "value", place, str)})
        elif kind not in _MARKS:
            parts.append({"type": "tool step" if kind == "toolInvocationSerialized" else kind})
    return request | {"response": parts}


FIELDS = Fields(
    messages="requests",
    role="",
    text="message.text",
    date="timestamp",
    name="",
    title="customTitle|sessionId",
    conversation="sessionId",
    left_out={"shouldBeRemovedOnSend": "withdrawn request", "isHidden": "withdrawn request"},
    answer="response",
    entry=_spell,
)
