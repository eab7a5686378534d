"""Reads the prompts of Google AI Studio, in the folder of that name in Google Drive: JSON without a file suffix."""

from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import text_at

__all__ = ["FIELDS"]


def _with_files(chunk: Any, place: str) -> Any:
    words = [text] if (text := text_at(chunk, "text", place)) else chunk.get("parts") or []
    return chunk | {
        "content": [*words, *({"type": key} for key in chunk if key.startswith(("drive", "inline", "youtube")))]
    }


FIELDS = Fields(
    messages="chunkedPrompt.chunks",
    date="createTime?",
    title="",
    conversation="",
    left_out={"isThought": "thought"},
    system="systemInstruction.text|systemInstruction.parts",
    entry=_with_files,
)
