"""Reads LM Studio's conversations: `*.conversation.json` in `~/.lmstudio/conversations`."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, mark_of
from memzoo.hosts.exports.fields import need, role_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.talks import take

__all__ = ["read"]


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation with the selected version of each message; the messages have no times."""
    said: list[Any] = []
    if document.get("systemPrompt"):
        said.append({"role": "system", "content": document["systemPrompt"]})
    others = 0
    for number, item in enumerate(document["messages"], start=1):
        versions = need(item, "versions", number)
        version = versions[take(item, "currentlySelected", f"message {number}", int)]
        others += len(versions) - 1
        role = role_at(version, "role", number)
        steps = version.get("steps") or [version]
        parts = [
            part
            for step in steps
            if step.get("type") != "debugInfoBlock" and not _is_thought(step, number)
            for part in step.get("content") or [""]
        ]
        said += messages_of({"role": role, "content": parts})
    notes = [f"{count(others, 'other version')} of messages left out"] if others else []
    yield ChatLog.of(str(document.get("name") or title), [(message, None) for message in said], notes)


def _is_thought(step: Any, number: int) -> bool:
    place = f"a step of message {number}"
    style = mark_of(step, "style", place)
    return style is not None and take(style, "type", place, str) == "thinking"
