"""Reads a talk between people as a conversation of a user with others."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import KINDS, ChatLog, count, date_of, tell_left_out
from memzoo.hosts.exports.messages import message_of

__all__ = ["Talk", "find_time", "take", "take_list", "talk_of"]

Kind = TypeVar("Kind")

_FIRST_YEAR = 1990
_LIKE_HEAD = re.compile(r"\d{1,2}[:.]\d\d[^\n]{0,20}[-\]]\s[^:\n]{1,60}:(?: |$)")
"""A time, a mark after it, and a name with a colon, as in "9:01 - Bo:"."""


@dataclass(slots=True)
class Talk:
    """A talk between people, message by message.

    Attributes:
        title: The talk's title.
        id: The talk's id in its export.
        notes: Sentences about the talk, for the user.
        is_text: The talk is from a text, in which a head such as "4/4/26 - Bo:" begins a message. A note counts the
            lines within messages that are nearly such a head.
    """

    title: str
    id: str = ""
    notes: list[str] = field(default_factory=list[str])
    is_text: bool = False
    _said: list[tuple[str, Any, datetime | None, bool | None]] = field(default_factory=list[Any])
    _left_out: Counter[str] = field(default_factory=Counter[str])

    def say(self, name: str | None, words: Any, date: datetime | None = None, *, is_user: bool | None = None) -> None:
        """Add a message.

        Args:
            name: The speaker's name; "" or `None` if the export has none.
            words: A text, or a list of texts and parts; a message without them is left out, with a note.
            date: The time of the message.
            is_user: True if the speaker is the user; `None` if the export does not say so.
        """
        said: Any = words.strip() if isinstance(words, str) else words if isinstance(words, list) else ""
        self._said.append((name or "", said, date, is_user))

    def leave_out(self, noun: str, number: int = 1) -> None:
        """Count an entry that is no message for a note, as in `leave_out("call")`."""
        self._left_out[noun] += number

    def log(self) -> ChatLog:
        """Return the conversation, in the order of its dates; each message keeps the speaker's name.

        Where the export does not say who the user is, the first speaker is the user, with a note.
        """
        notes = list(self.notes)
        open_names = list(dict.fromkeys(name for name, words, _, user in self._said if user is None and name and words))
        is_known = any(is_user for *_, is_user in self._said)
        user = "" if is_known else next(iter(open_names), "")
        # The only speaker for whom the export leaves it open is the user for certain.
        if user and len(open_names) > 1:
            others = [repr(name) for name in dict.fromkeys(name for name, *_ in self._said) if name != user]
            choices = f" of: {', '.join(others)}" if len(others) > 1 else ""
            notes.append(f"{user!r}, who speaks first, is the user (--user NAME chooses another{choices})")
        if self._said and not is_known and not user:
            notes.append("nobody in it is the user (--user NAME chooses somebody)")
        if self.is_text and (heads := self._find_heads()):
            told = "of another form in messages; their words are read as those of the message before"
            notes.append(f"{count(len(heads), 'beginning')} {told}, such as {heads[0]!r:.80}")
        nameless = sum(not name for name, *_ in self._said)
        if 0 < nameless < len(self._said):
            notes.append(f"{count(nameless, 'message')} without the speaker's name")
        notes += tell_left_out(self._left_out)
        said = (
            (message | ({"name": name} if name else {}), date)
            for name, words, date, is_user in self._said
            for role in ["user" if is_user or (is_user is None and name and name == user) else "assistant"]
            if (message := message_of({"role": role, "content": words})) is not None
        )
        return ChatLog.of(self.title, said, notes, id=self.id, sort=True)

    def _find_heads(self) -> list[str]:
        said = (words for _, words, *_ in self._said if isinstance(words, str) and "\n" in words)
        return [line for words in said for line in words.split("\n")[1:] if _LIKE_HEAD.search(line)]


def talk_of(
    title: str,
    said: Iterable[tuple[str, Any, datetime | None]],
    *,
    owner: str = "",
    assistants: Iterable[str] = (),
    notes: Iterable[str] = (),
    id: str = "",  # noqa: A002 - the name of the attribute
) -> ChatLog:
    """Return a talk between people as a conversation; each message keeps the speaker's name.

    Args:
        title: The talk's title.
        said: Name, words and date of each message. The words are a text, or a list of texts and parts.
        owner: The name of the user. By default the first who speaks and is not an assistant, with a note.
        assistants: The names of programs, which are never the user.
        notes: Further notes.
        id: The talk's id in its export.
    """
    talk, programs = Talk(title, id, list(notes)), set(assistants)
    for name, words, date in said:
        talk.say(name, words, date, is_user=name == owner if owner or name in programs else None)
    return talk.log()


def take(item: Mapping[str, Any], key: str, place: str, kind: type[Kind]) -> Kind:
    """Return a member that each entry of a form has.

    Args:
        item: The entry.
        key: The name of the member.
        place: The place of the entry, for errors.
        kind: The type of the member.

    Raises:
        TranscriptError: The member is missing, or of another type; the error names the place.
    """
    if key not in item:
        raise TranscriptError(f"{place} has no {key!r}; it has {', '.join(map(repr, item)) or 'nothing'}")
    # In Python, true and false are numbers.
    if not isinstance(item[key], kind) or (kind is int and isinstance(item[key], bool)):
        raise TranscriptError(f"{place}: expected {KINDS.get(kind, kind.__name__)} at {key!r}, not {item[key]!r:.60}")
    return cast("Kind", item[key])


def take_list(item: Mapping[str, Any], key: str, place: str) -> list[dict[str, Any]]:
    """Return a member that is a list of objects.

    Raises:
        TranscriptError: The member is missing, or something else; the error names the place.
    """
    listed: list[Any] = take(item, key, place, list)
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, dict):
            raise TranscriptError(f"{place}: expected an object as number {number} of {key!r}, not {one!r:.60}")
    return listed


def find_time(item: Mapping[str, Any], key: str, place: str) -> datetime:
    """Return the time of an entry of a form whose entries all have one: see `date_of`; numbers can be texts.

    Raises:
        TranscriptError: There is no time since 1990; the error names the place.
    """
    value = take(item, key, place, object)
    try:
        found = date_of(float(cast("Any", value)))
    except (TypeError, ValueError):
        found = date_of(value)
    if found is None or found.year < _FIRST_YEAR:
        raise TranscriptError(f"{place}: expected a time at {key!r}, not {value!r:.60}")
    return found
