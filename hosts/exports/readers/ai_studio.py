"""Reads the prompts that Google AI Studio keeps in Google Drive, as JSON files without a suffix."""

from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import text_at


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
