"""Conversations from other programs' files, and helpers for the readers of such files."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from memzoo.errors import MemoryZooError, TransferError
from memzoo.hosts.messages import dict_of, dicts_of
from memzoo.memories.text.messages import tool_call
from memzoo.memories.text.thoughts import THOUGHT_PARTS, name_thoughts, set_thoughts_apart
from memzoo.stores import Message

_LATEST = 10**11
_FIRST_YEAR = 1990
_LONGEST = 300
_STAMP = re.compile(r"\s*\d{9,13}(\.\d+)?\s*")
"""Seconds or milliseconds since 1970, as a text."""
_NUMBERS = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?\d{1,3}ms)?")
"""A spelling of SillyTavern's."""


@dataclass(frozen=True, slots=True)
class ChatLog:
    """A conversation from another program.

    Attributes:
        messages: OpenAI chat messages, oldest first.
        dates: The time of each message; `None` if unknown.
        notes: Sentences about the parts that were left out or changed.
        id: The conversation's id in its export; "" if the export has none.
        branches: A function that yields the branches that are not in `messages`, each as a conversation.
    """

    title: str
    messages: Sequence[Message]
    dates: Sequence[datetime | None]
    notes: Sequence[str] = ()
    id: str = ""
    branches: Callable[[], Iterable["ChatLog"]] = field(default=tuple, compare=False)

    @property
    def key(self) -> str:
        """The id of the conversation; without an id, the title."""
        return self.id or self.title

    @classmethod
    def of(
        cls,
        title: str,
        said: Iterable[tuple[Message, datetime | None]],
        notes: Iterable[str] = (),
        *,
        id: str = "",  # noqa: A002 - the name of the attribute
        sort: bool = False,
    ) -> "ChatLog":
        """Return a conversation made of messages with dates.

        Tool calls get OpenAI's current form, and a model's thoughts are separated from its words.

        Args:
            title: The conversation's name or id.
            said: The messages with their dates. A message with neither words nor tool calls is left out.
            notes: Sentences about the parts that were left out or changed.
            id: The conversation's id in its export.
            sort: True to sort the messages by date, if all have a date.
        """
        told, parts = list(notes), list[str]()
        pairs: list[tuple[Message, datetime | None]] = []
        empty = 0
        for message, date in said:
            if not isinstance(message.get("content"), str):
                message, left_out = _put_in_words(message)  # noqa: PLW2901
                parts += left_out
            if not message.get("content") and _is_empty(message):
                empty += 1
            elif message["role"] == "assistant":
                pairs.append((set_thoughts_apart(_open_thoughts(message)), date))
            else:
                pairs.append((message, date))
        if empty:
            told.append(f"{count(empty, 'message')} without text left out")
        if parts:
            kinds = ", ".join(sorted(set(parts)))
            told.append(f"{count(len(parts), 'part')} other than text left out: {kinds}")
        dates = [date for _, date in pairs if date]
        undated = sum(date is None and message["role"] in ("user", "assistant") for message, date in pairs)
        if undated and dates:
            told.append(f"{count(undated, 'message')} without a time")
        if early := sum(date.year < _FIRST_YEAR for date in dates):
            told.append(f"{count(early, 'time')} before {_FIRST_YEAR}")
        if sort and (ordered := in_order(pairs)) != pairs:
            pairs = ordered
            told.append("the messages were not in the order of their times, and were sorted")
        pairs = _with_answers(pairs, told)
        return cls(
            title, list(_with_ids((message for message, _ in pairs), told)), [date for _, date in pairs], told, id
        )


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation that is not read until you call `read`. If that fails, other conversations can still be read.

    Attributes:
        title: The conversation's name or id, or its place in the source.
        read: A function that reads the conversation; call it before you take the next `Unread`. It may raise any
            exception.
    """

    title: str
    read: Callable[[], ChatLog]


def make_stand_in(place: str, what: str) -> Unread:
    """Return an `Unread` for a conversation that cannot be read. Its `read` raises `TransferError(what)`."""

    def read() -> ChatLog:
        raise TransferError(what)

    return Unread(place, read)


def count(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun, such as "1 message" or "2 messages".

    `several` is the plural of the noun; by default, the noun with an "s".
    """
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


def tell_left_out(nouns: Counter[str]) -> list[str]:
    """Return a list with one note, such as "left out: 2 notices"; an empty list if nothing was left out.

    `nouns` is a dict from a noun in the singular to a number, such as `{"notice": 2}`.
    """
    told = ", ".join(count(n, noun) for noun, n in sorted(nouns.items()) if n)
    return [f"left out: {told}"] if told else []


def reason(error: Exception) -> str:
    """Return an error's text as one short line. For errors other than memzoo's, the type comes first."""
    said = " ".join(str(error).split())
    said = said if isinstance(error, MemoryZooError) else f"{type(error).__name__}: {said}"
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} ..."


def date_of(value: Any) -> datetime | None:
    """Return a value from a file as a date; `None` if the value is not a date.

    The value may be ISO 8601, seconds or milliseconds since 1970 (as a number or a text), MongoDB's `{"$date": ...}`,
    or a time such as "April 4, 2026 9:01am".

    Example:
        >>> date_of(1772442900).isoformat(), date_of("2026-03-02 09:15"), date_of("soon")
        ('2026-03-02T09:15:00+00:00', datetime.datetime(2026, 3, 2, 9, 15, tzinfo=datetime.timezone.utc), None)
    """
    while isinstance(value, dict):
        value = value["$date"] if "$date" in value else value.get("$numberLong")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(value, str):
        if not _STAMP.fullmatch(value):
            return _parse_date(value.strip())
        value = float(value)
    if type(value) not in (int, float) or not 0 < value < _LATEST * 1000:  # neither true, false nor NaN
        return None
    # As seconds, a larger number would be a date in the 51st millennium; so it counts milliseconds.
    return datetime.fromtimestamp(value / 1000 if value > _LATEST else value, UTC)


def _parse_date(text: str) -> datetime | None:
    if numbers := _NUMBERS.fullmatch(text):
        text = "{}-{:0>2}-{:0>2} {:0>2}:{:0>2}:{:0>2}".format(*numbers.groups())
    try:
        if text[:1].isalpha():
            return datetime.strptime(f"{text}Z", "%B %d, %Y %I:%M%p%z")
        date = datetime.fromisoformat(text.removesuffix(" UTC"))
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # OverflowError at either end of the years 1 to 9999
        return None


_RESULTS = ("tool", "function")

_PARTS = {"image_url": dict, "input_audio": dict, "file": dict}
"""The parts of a user's message that endpoints take, with the type of the member of the same name."""


def _put_in_words(message: Message) -> tuple[Message, list[str]]:
    """Return a message without the parts that no endpoint takes, and the kinds of these parts. Thoughts are set apart.

    A message of nothing else keeps the kinds as words, because an answer may follow.
    """
    content = message.get("content")
    if content is None:
        return message, []
    if not isinstance(content, list):
        raise TransferError(f"expected text as a string, not {content!r:.80}")
    taken = _PARTS if message["role"] == "user" else {}
    kept: list[dict[str, Any]] = []
    kinds, thoughts = list[str](), list[str]()
    for part in content:
        kind = part["type"]
        if kind in THOUGHT_PARTS:
            thoughts.append(str(part.get("thinking") or part.get("text") or ""))
        elif kind == "text" or isinstance(part.get(kind), taken.get(kind, ())):
            kept.append(part)
        else:
            kinds.append(str(part.get("filename") or kind.removesuffix("_asset_pointer")))
    message = message | name_thoughts(message, "\n\n".join(filter(None, thoughts)))
    if kinds and not kept:
        return message | {"content": " ".join(f"[{kind}]" for kind in kinds)}, kinds
    words = all(part["type"] == "text" for part in kept)
    return message | {"content": "\n".join(part["text"] for part in kept) if words else kept}, kinds


def _open_thoughts(message: Message) -> Message:
    """Return an answer with the opening mark of its thoughts, which some chat templates put into the request."""
    text = message.get("content")
    if not isinstance(text, str) or "</think>" not in text:
        return message
    before, _, after = text.partition("</think>")
    is_mark = (before[-1:] in ("", "\n") or after[:1] == "\n") and "<think" not in before and "`" not in before
    return message | {"content": f"<think>{text}"} if is_mark else message


def _with_answers(
    pairs: list[tuple[Message, datetime | None]], notes: list[str]
) -> list[tuple[Message, datetime | None]]:
    """Return the messages, with the role "assistant" for "system" if it is the one that answers.

    In data sets of dialogues, "system" is the machine's name.
    """
    roles = [message["role"] for message, _ in pairs]
    is_asked = "assistant" in roles or "tool" in roles or roles[:1] == ["system"]
    if is_asked or sum(pair == ("user", "system") for pair in pairwise(roles)) <= 1:
        return pairs
    notes.append("'system' answers, and is the assistant")
    first = roles.index("user")
    answers = {"system": {"role": "assistant"}}
    return pairs[:first] + [(message | answers.get(message["role"], {}), date) for message, date in pairs[first:]]


def _is_empty(message: Message) -> bool:
    known = {"tool_calls", "function_call", "reasoning_content"}
    return message["role"] not in _RESULTS and not known & message.keys()


def in_order(pairs: list[tuple[Any, datetime | None]]) -> list[tuple[Any, datetime | None]]:
    """Return pairs of an entry and its date, sorted by date; in the given order if a date is missing."""
    dates = [date for _, date in pairs if date]
    if not dates or len(dates) < len(pairs):
        return pairs
    # Of messages with one time, those of a file that begins with the newest are turned round too.
    newest_first = dates[0] > dates[-1] and all(one >= next_one for one, next_one in pairwise(dates))
    return pairs[::-1] if newest_first else [pairs[place] for place in sorted(range(len(pairs)), key=dates.__getitem__)]


def _with_ids(messages: Iterable[Message], notes: list[str]) -> Iterator[Message]:
    """Yield the messages with tool calls in place of function calls, and with ids for calls and results without ids.

    A result without an id gets the id of the first unanswered call in the newest message with calls. One that no call
    waits for, and that has no name either, gets an id of its own; a note counts these.
    """
    made, waiting, lost = itertools.count(), list[tuple[str, Any]](), 0
    for message in messages:
        if "tool_calls" not in message and "function_call" not in message and message["role"] not in _RESULTS:
            yield message
            continue
        calls = dicts_of(message.get("tool_calls"))
        if not calls and (legacy := dict_of(message.get("function_call"))):
            calls = [tool_call("", str(legacy.get("name") or ""), legacy.get("arguments") or {})]
        if calls and message["role"] == "assistant":
            calls = [call if call.get("id") else call | {"id": f"call-{next(made)}"} for call in calls]
            waiting = [(call["id"], dict_of(call.get("function")).get("name")) for call in calls]
            kept = {key: value for key, value in message.items() if key != "function_call"}
            yield kept | {"tool_calls": calls}
            continue
        answered: tuple[str, Any] | None
        if message["role"] == "function" or (message["role"] == "tool" and not message.get("tool_call_id")):
            name = str(message.get("name") or "")
            answered = next((call for call in waiting if name in ("", call[1])), None)
            lost += not (answered or name)
            id_ = answered[0] if answered else name or f"call-{next(made)}"
            yield {"role": "tool", "content": message["content"], "tool_call_id": id_}
        else:
            answered = next((call for call in waiting if call[0] == message.get("tool_call_id")), None)
            yield message
        if answered:
            waiting.remove(answered)
    if lost:
        notes.append(f"{count(lost, 'result')} of tools without an id, a name and a call")
