"""A conversation as it was read from somebody's file, and what the readers share."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memzoo.stores import Message

__all__ = ["ROLES", "ChatLog", "date_of", "role_of"]

ROLES = {
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "chatgpt": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
}
"""What a speaker is called, in lower case -> the role of OpenAI's chat messages."""


@dataclass(frozen=True, slots=True)
class ChatLog:
    """A conversation.

    Attributes:
        title: Its name, or id.
        messages: OpenAI chat messages, oldest first.
        dates: When each was said, where that is known.
    """

    title: str
    messages: Sequence[Message]
    dates: Sequence[datetime | None]

    @classmethod
    def of(cls, title: str, said: Iterable[tuple[Message, datetime | None]]) -> "ChatLog":
        """A conversation of messages, each with its date."""
        pairs = list(said)
        return cls(title, [message for message, _ in pairs], [date for _, date in pairs])


def role_of(name: object) -> str | None:
    """The role that a speaker's name stands for; `None` if it stands for none."""
    return ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def date_of(value: Any) -> datetime | None:
    """A date as files have it: ISO 8601, or seconds or milliseconds since 1970; `None` for anything else.

    Example:
        >>> date_of(1772442900).isoformat(), date_of("2026-03-02 09:15"), date_of("soon")
        ('2026-03-02T09:15:00+00:00', datetime.datetime(2026, 3, 2, 9, 15, tzinfo=datetime.timezone.utc), None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        # No conversation took place in the 51st millennium: such numbers are milliseconds.
        seconds = value / 1000 if abs(value) > 10**11 else value
        return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < 10**11 else None
    if not isinstance(value, str):
        return None
    try:
        date = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
