"""Reads the prompts of Google AI Studio, in the folder of that name in Google Drive: JSON without a file suffix."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, date_of, mark_of
from memzoo.hosts.exports.fields import pick, role_at, text_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.talks import take

__all__ = ["read"]


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a prompt; chunks of thoughts are left out, files are named."""
    mark_of(document, "systemInstruction", "the prompt")
    whole = document.get("systemInstruction")
    instruction = pick(document, "systemInstruction.text|systemInstruction.parts.0.text", whole)
    said: list[tuple[Any, Any]] = []
    notes: list[str] = []
    if whole and not isinstance(instruction, str):
        notes.append("the instruction has no text")
    elif instruction:
        said.append(({"role": "system", "content": instruction}, None))
    thoughts = 0
    for number, chunk in enumerate(take(document["chunkedPrompt"], "chunks", "the prompt", list), start=1):
        role = role_at(chunk, "role", number)
        if mark_of(chunk, "isThought", f"message {number}"):
            thoughts += 1
            continue
        files = [{"type": key} for key in chunk if key.startswith(("drive", "inline", "youtube"))]
        words = [text] if (text := text_at(chunk, "text", number)) else chunk.get("parts") or []
        content = [*words, *files]
        new = messages_of({"role": role, "content": content})
        said += [(message, date_of(chunk.get("createTime"))) for message in new]
    notes += [f"{count(thoughts, 'thought')} left out"] if thoughts else []
    yield ChatLog.of(title, said, notes)
