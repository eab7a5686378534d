"""Reads a talk between people as a conversation between a user and others."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, in_order, tell_left_out
from memzoo.hosts.exports.messages import message_of

_LIKE_HEAD = re.compile(r"\d{1,2}[:.]\d\d[^\n]{0,20}[-\]]\s[^:\n]{1,60}:(?: |$)")
"""A time, a mark after it, and a name with a colon, as in "9:01 - Bo:"."""


@dataclass(slots=True)
class Talk:
    """The messages of a talk between people, collected one by one.

    Attributes:
        id: The talk's id in its export.
        notes: Sentences about the talk, for the person who imports it.
        is_text: True if the talk comes from plain text, with a head such as "4/4/26 - Bo:" before each message.
        left_out: A dict from a noun to the number of entries left out, such as `{"call": 2}`, for a note.
    """

    title: str
    id: str = ""
    notes: list[str] = field(default_factory=list[str])
    is_text: bool = False
    left_out: Counter[str] = field(default_factory=Counter[str])
    _said: list[tuple[str, Any, datetime | None, bool | None]] = field(default_factory=list[Any])

    def say(self, name: str | None, words: Any, date: datetime | None = None, *, is_user: bool | None = None) -> None:
        """Add a message.

        Args:
            name: The speaker's name; "" or `None` if the export has none.
            words: A text, or a list of texts and parts. A message without words is left out.
            date: The time of the message.
            is_user: True if the speaker is the user, false if it is somebody else; `None` if the export does not say.
        """
        said: Any = words.strip() if isinstance(words, str) else words if isinstance(words, list) else ""
        self._said.append((name or "", said, date, is_user))

    def leave_out(self, noun: str, number: int = 1) -> None:
        """Count entries that are left out, for a note. `noun` is the word for an entry, such as "call" or "notice"."""
        self.left_out[noun] += number

    def log(self) -> ChatLog:
        """Return the conversation, sorted by date, with the speakers' names.

        If the export does not say who the user is, the first speaker is the user.
        """
        notes = list(self.notes)
        open_said = [(name, date) for name, words, date, user in self._said if user is None and name and words]
        open_names = list(dict.fromkeys(name for name, _ in in_order(open_said)))
        is_known = any(is_user for *_, is_user in self._said)
        user = "" if is_known else next(iter(open_names), "")
        # The only speaker for whom the export leaves it open is the user for certain.
        if user and len(open_names) > 1:
            others = [repr(name) for name in dict.fromkeys(name for name, *_ in self._said) if name != user]
            choices = f" of: {', '.join(others)}" if len(others) > 1 else ""
            notes.append(f"{user!r}, who speaks first, is the user (FILE:user=NAME chooses another{choices})")
        if self._said and not is_known and not user:
            notes.append("none of its speakers is the user (FILE:user=NAME chooses one)")
        if self.is_text and (heads := self._find_heads()):
            lines = count(len(heads), "line, which looks", "lines, which look")
            told = "like the beginning of a message in another form, read as text of the message before"
            notes.append(f"{lines} {told}, such as {heads[0]!r:.80}")
        nameless = sum(not name for name, *_ in self._said)
        if 0 < nameless < len(self._said):
            notes.append(f"{count(nameless, 'message')} without the speaker's name")
        notes += tell_left_out(self.left_out)
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


def entries_of(text: str, head_of: Callable[[str], re.Match[str] | None]) -> list[tuple[re.Match[str], list[str]]]:
    """Return the messages of a text as pairs: the head, such as "4/4/26 - Bo:", and the lines without the head.

    Args:
        text: The text, which begins with a head.
        head_of: A function that returns the head at the beginning of a line; `None` for a line without a head.
    """
    entries: list[tuple[re.Match[str], list[str]]] = []
    for line in text.lstrip().replace("\r\n", "\n").split("\n"):
        if head := head_of(line):
            entries.append((head, [line[head.end() :]]))
        else:
            entries[-1][1].append(line)
    return entries
