"""A conversation as it was read from somebody's file, and what the readers share."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memzoo.errors import MemoryZooError
from memzoo.hosts.messages import dict_of, dicts_of
from memzoo.stores import Message
from memzoo.strategy import tool_call

__all__ = ["ChatLog", "Unread", "date_of", "reason"]

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
        """A conversation of messages, each with its date; older forms of tool calls become those of today."""
        pairs = list(said)
        return cls(title, list(_with_ids(message for message, _ in pairs)), [date for _, date in pairs])


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


def _with_ids(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages with tool calls in place of functions', and ids where there were none, the same for their results.

    A result without an id answers the first call that waits for one, of the newest message with calls.
    """
    made, waiting = itertools.count(), dict[str, Any]()
    for message in messages:
        calls = dicts_of(message.get("tool_calls"))
        if not calls and (legacy := dict_of(message.get("function_call"))):
            calls = [tool_call("", str(legacy.get("name") or ""), legacy.get("arguments") or {})]
        if calls and message["role"] == "assistant":
            calls = [call if call.get("id") else call | {"id": f"call-{next(made)}"} for call in calls]
            waiting = {call["id"]: dict_of(call.get("function")).get("name") for call in calls}
            kept = {key: value for key, value in message.items() if key != "function_call"}
            yield kept | {"tool_calls": calls}
        elif message["role"] == "function" or (message["role"] == "tool" and not message.get("tool_call_id")):
            name = str(message.get("name") or "")
            found = next((id_ for id_, its in waiting.items() if name in ("", its)), name)
            waiting.pop(found, None)
            yield {"role": "tool", "content": message["content"], "tool_call_id": found}
        else:
            waiting.pop(str(message.get("tool_call_id")), None)
            yield message
