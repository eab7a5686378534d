"""Reads LM Studio's conversations: `*.conversation.json` in `~/.lmstudio/conversations`."""

from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import need


def _spell(message: Any, place: str) -> Any:
    """Return a message with its words, and those of its steps; a step can be a thought."""
    parts: list[Any] = []
    for step in message.get("steps") or [message]:
        style = need(step, "style?", f"a step of {place}")
        is_thought = style is not None and need(style, "type", f"a step of {place}", str) == "thinking"
        said = [] if step.get("type") == "debugInfoBlock" else step.get("content") or [""]
        parts += [part | {"type": "thinking"} for part in said] if is_thought else said
    return message | {"content": parts}


FIELDS = Fields(title="name", system="systemPrompt", versions="versions", version="currentlySelected", entry=_spell)
