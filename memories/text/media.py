"""Estimates the tokens of pictures, sounds, videos and files in messages."""

from typing import Any

from memzoo.stores import Message

# The least, the tokens of a part of unknown size (a URL or an id), the bytes of a token, and the most. Pictures by
# OpenAI's recipe: 85 and 170 for each tile of 512 pixels; sounds 10 to 32 tokens a second; files some 2,000 a page.
_WEIGHTS = {
    "image": (85, 765, 250, 1_445),
    "audio": (50, 300, 600, 1_000_000),
    "video": (500, 5_000, 500, 1_000_000),
    "file": (500, 2_000, 40, 1_000_000),
}
_KINDS = {"image_url": "image", "input_image": "image", "input_audio": "audio", "video_url": "video"}
_KINDS |= {"audio_url": "audio", "input_video": "video", "input_file": "file", "document": "file"}


def weigh_parts(message: Message) -> int:
    """Return the estimated number of tokens of a message's pictures, sounds, videos and files.

    The estimate for data within the message depends on the number of bytes. A URL or an id counts as a picture, sound,
    video or file of the usual size.

    Example:
        >>> picture = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
        >>> weigh_parts({"role": "user", "content": [{"type": "text", "text": "Who is that?"}, picture]})
        765
    """
    content: Any = message.get("content")
    return sum(map(_weight, content)) if isinstance(content, list) else 0


def _weight(part: dict[str, Any]) -> int:
    kind = _KINDS.get(part.get("type", ""), part.get("type", ""))
    if kind not in _WEIGHTS:
        return 0
    least, unknown, bytes_of_token, most = _WEIGHTS[kind]
    thing = part.get(part["type"], part)
    if isinstance(thing, dict) and thing.get("detail", part.get("detail")) == "low":
        return least
    size = _bytes_in(thing)
    return min(least + size // bytes_of_token, most) if size else unknown


def _bytes_in(thing: Any) -> int:
    """Return the bytes of base64 in a part, by OpenAI's and Anthropic's names; 0 without any."""
    if isinstance(thing, str):
        return len(thing) * 3 // 4 if thing.startswith("data:") else 0
    if not isinstance(thing, dict):
        return 0
    for name in ("data", "file_data"):
        if isinstance(data := thing.get(name), str):
            return len(data) * 3 // 4
    return max(map(_bytes_in, (thing.get(name) for name in ("url", "image_url", "source", "file"))))
