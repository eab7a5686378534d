"""Reads the prompts of Google AI Studio, in the folder of that name in Google Drive: JSON without a file suffix."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, date_of, mark_of
from memzoo.hosts.exports.fields import pick, role_at
from memzoo.hosts.exports.messages import messages_of

__all__ = ["read"]


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a prompt; chunks of thoughts are left out, files are named."""
    mark_of(document, "systemInstruction", "the prompt")
    instruction = pick(document, "systemInstruction.text|systemInstruction.parts.0.text|systemInstruction")
    said: list[tuple[Any, Any]] = []
    notes: list[str] = []
    if instruction and not isinstance(instruction, str):
        notes.append("the instruction has no text")
    elif instruction:
        said.append(({"role": "system", "content": instruction}, None))
    thoughts = 0
    for number, chunk in enumerate(document["chunkedPrompt"]["chunks"], start=1):
        role = role_at(chunk, "role", number)
        if mark_of(chunk, "isThought", f"message {number}"):
            thoughts += 1
            continue
        files = [{"type": key} for key in chunk if key.startswith(("drive", "inline", "youtube"))]
        content = [*([chunk["text"]] if chunk.get("text") else ()), *files]
        new = messages_of({"role": role, "content": content})
        said += [(message, date_of(chunk.get("createTime"))) for message in new]
    notes += [f"{count(thoughts, 'thought')} left out"] if thoughts else []
    yield ChatLog.of(title, said, notes)
