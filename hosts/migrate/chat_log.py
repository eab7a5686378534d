"""A conversation as it was read from somebody's file, and what the readers share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memzoo.errors import MemoryZooError
from memzoo.stores import Message

__all__ = ["ROLES", "ChatLog", "Unread", "date_of", "reason", "role_of"]

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


_LATEST = 10**11
_LONGEST = 300


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


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation that a source has, and that is not read yet: what is wrong with it concerns no other one.

    Attributes:
        title: Its name, or id; or its place in the source, where it has no name that can be read.
        read: Reads it, before the next one is asked for. A foreign file can make it raise anything.
    """

    title: str
    read: Callable[[], ChatLog]


def reason(error: Exception) -> str:
    """What an error says, in one line of some hundred characters at most; foreign ones with their kind in front."""
    said = " ".join(str(error).split())
    said = said if isinstance(error, MemoryZooError) else f"{type(error).__name__}: {said}"
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} ..."


def role_of(name: object) -> str | None:
    """The role that a speaker's name stands for; `None` if it stands for none."""
    return ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def date_of(value: Any) -> datetime | None:
    """A date as files have it: ISO 8601, or seconds or milliseconds since 1970; `None` for anything else.

    Example:
        >>> date_of(1772442900).isoformat(), date_of("2026-03-02 09:15"), date_of("soon")
        ('2026-03-02T09:15:00+00:00', datetime.datetime(2026, 3, 2, 9, 15, tzinfo=datetime.timezone.utc), None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 < value < _LATEST * 1000:  # nor is it, if it is no number at all
            return None
        # No conversation took place in the 51st millennium: such numbers are milliseconds.
        return datetime.fromtimestamp(value / 1000 if value > _LATEST else value, UTC)
    if not isinstance(value, str):
        return None
    try:
        date = datetime.fromisoformat(value.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # the latter in the first hours of the year 1, or the last ones of 9999
        return None
