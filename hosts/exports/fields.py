"""Reads conversations from JSON by a table that names the fields; a new form needs a table, and no code."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, count, date_of, mark_of
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.exports.talks import talk_of
from memzoo.hosts.exports.trees import tree_of
from memzoo.hosts.messages import dicts_of
from memzoo.hosts.roles import role_of
from memzoo.stores import Message

__all__ = ["Fields", "as_list", "date_at", "id_at", "need", "pick", "role_at", "text_at"]

_MISSING = object()


def pick(item: Any, path: str, default: Any = None) -> Any:
    """Return the value at a path of keys and places; with several paths, the first value that is not empty.

    Example:
        >>> talk = {"chat": {"messages": [{"text": "", "body": "Hi"}]}}
        >>> pick(talk, "chat.messages.0.text|chat.messages.0.body"), pick(talk, "chat.title")
        ('Hi', None)
    """
    if isinstance(item, dict) and path in item:  # nearly all paths are a key
        return item[path]  # pyright: ignore[reportUnknownVariableType]
    found = default
    for keys in _split(path):
        value = item
        for key in keys:
            if isinstance(value, dict):
                value = value.get(key, _MISSING)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):  # pyright: ignore[reportUnknownArgumentType]
                value = value[int(key)]  # pyright: ignore[reportUnknownVariableType]
            else:
                value = _MISSING
        if value not in (_MISSING, None, "", []):
            return value  # pyright: ignore[reportUnknownVariableType]
        if found is default and value is not _MISSING:
            found = value  # pyright: ignore[reportUnknownVariableType]
    return found


@functools.lru_cache
def _split(path: str) -> list[list[str]]:
    return [one.split(".") if one else [] for one in path.split("|")]


def as_list(value: Any) -> list[Any]:
    """Return a list unchanged, and another value as a list of one; nothing for `None`."""
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]
    return [] if value is None else [value]


def need(item: Any, path: str, where: int | str) -> Any:
    """Return the value at a path, for a part of a form that is never left out; see `pick`.

    Args:
        item: The message, or another part of a document.
        path: The path.
        where: The message's number or id, for the error.

    Raises:
        TranscriptError: There is no such value; the error names the message, the path and the keys that are there.
    """
    value = pick(item, path, _MISSING)
    if value is _MISSING:
        there = ", ".join(map(repr, item)) if isinstance(item, Mapping) else repr(item)  # pyright: ignore[reportUnknownArgumentType]
        raise TranscriptError(f"message {where!r}: there is no {path!r} (there are: {there:.200})")
    return value


def date_at(item: Any, path: str, where: int | str) -> datetime | None:
    """Return the time of a message; `None` for a time that is null.

    Args:
        item: The message.
        path: The path of the time; see `pick`.
        where: The message's number or id, for the error.

    Raises:
        TranscriptError: There is no time, or it cannot be read; the error names the message, the path and the value.
    """
    given = need(item, path, where)
    date = date_of(given)
    if date is None and given is not None:
        raise TranscriptError(f"message {where!r}: expected a time at {path!r}, not {given!r:.80}")
    return date


def text_at(item: Any, path: str, where: int | str) -> str:
    """Return a text that a message may lack; "" without it.

    Args:
        item: The message.
        path: The path of the text; see `pick`.
        where: The message's number or id, for the error.

    Raises:
        TranscriptError: There is something else; the error names the message, the path and the value.
    """
    text = pick(item, path)
    if not isinstance(text, str | None):
        raise TranscriptError(f"message {where!r}: expected a text at {path!r}, not {text!r:.80}")
    return text or ""


def id_at(item: Any, path: str, where: int | str) -> str:
    """Return the id of a conversation, which can be a number in the file; "" without it. See `text_at`."""
    value = pick(item, path)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_at(item, path, where)


def role_at(item: Any, path: str, where: int | str, roles: Mapping[Any, str] = MappingProxyType({})) -> str:
    """Return the role of a message.

    Args:
        item: The message.
        path: The path of the role; see `pick`.
        where: The message's number or id, for the error.
        roles: The role for each value that is not a usual name, and for "*" that of all other texts; values are
            compared as texts.

    Raises:
        TranscriptError: There is no role, or it is unknown; the error names the message, the path and the value.
    """
    given = need(item, path, where)
    named = {str(value): one for value, one in roles.items()}
    role = named[str(given)] if str(given) in named else role_of(given)
    if role is None and isinstance(given, str):
        role = named.get("*")
    if role is None:
        raise TranscriptError(f"message {where!r}: expected a role at {path!r}, not {given!r}")
    return role


@dataclass(frozen=True, slots=True)
class Fields:
    """The places of a conversation's parts in a document, as paths for `pick`; a reader for `Form.read`.

    Attributes:
        messages: The list of messages, or a dict of messages by id; "" for the document itself.
        role: The speaker's role, in a message.
        text: The words: a text, or a list of texts and parts.
        date: The time; "" if the form has none.
        name: The speaker's name. With `people`, the only sign of who speaks.
        title: The conversation's title, in the document.
        conversation: The conversation's id, in the document.
        roles: The role for each value at `role` that is not a usual name, and for "*" that of all other texts; ""
            leaves the message out, and a note counts it. Values are compared as texts, as in `{"True": "user"}`.
        only: Values that a message must have; others are left out, and counted in a note.
        owner: The name of the user, in the document, for talks between people.
        id: The id, in a message, of a form with branches.
        parent: The id of the message before; with it, the messages are a tree. Where no message has this
            member, they are read in the order of their dates.
        shown: The id of the last message of the branch that is shown; the newest branch without it.
        people: Read a talk between people: see `talk_of`.
        attached: The lists of attachments, in a message, each with its name at `file_name|name`. A pasted text is read
            as words of the message; files are counted in a note, and named in a message without words.
    """

    messages: str = "messages"
    role: str = "role"
    text: str = "content"
    date: str = ""
    name: str = ""
    title: str = "title|name|id"
    conversation: str = "conversation_id|uuid|id"
    roles: Mapping[Any, str] = field(default_factory=dict[Any, str])
    only: Mapping[str, Any] = field(default_factory=dict[str, Any])
    owner: str = ""
    id: str = ""
    parent: str = ""
    shown: str = ""
    people: bool = False
    attached: Sequence[str] = ()

    def __call__(self, document: Any, title: str) -> Iterator[ChatLog]:
        """Yield the conversation of a document.

        Raises:
            TranscriptError: A field is missing, or a role is unknown; the error names the message and the field.
        """
        name = str(pick(document, self.title) or title) if self.title else title
        key = str(pick(document, self.conversation) or "")
        found = pick(document, self.messages, _MISSING)
        found = list(found.values()) if isinstance(found, dict) else found  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType, reportUnknownMemberType]
        if not isinstance(found, list):
            raise TranscriptError(f"expected a list at {self.messages!r}")
        items: list[Any] = [*enumerate(found, start=1)]  # pyright: ignore[reportUnknownArgumentType]
        kept = [(n, item) for n, item in items if all(pick(item, path) == value for path, value in self.only.items())]
        if "" in self.roles.values():
            kept = [(n, item) for n, item in kept if role_at(item, self.role, n, self.roles)]
        left_out = len(items) - len(kept)
        notes = [f"{count(left_out, 'entry', 'entries')} of other kinds left out"] if left_out else []
        if self.people:
            said = [
                (str(self._at(item, "name", n) or ""), self._at(item, "text", n), self._date(item, n))
                for n, item in kept
            ]
            owner = str(pick(document, self.owner) or "") if self.owner else ""
            yield talk_of(name, said, owner=owner, notes=notes, id=key)
        elif self.parent and any(
            pick(item, self.parent, _MISSING) is not _MISSING or mark_of(item, self.parent, f"message {n}")
            for n, item in items
        ):
            nodes = {str(self._at(item, "id", n)): (n, item) for n, item in items}
            parents = {id_: self._at(item, "parent", n) for id_, (n, item) in nodes.items()}
            wanted = {n for n, _ in kept}
            yield tree_of(
                name,
                parents,
                lambda id_: self._said(*nodes[id_]) if nodes[id_][0] in wanted else [],
                shown=pick(document, self.shown) if self.shown else None,
                notes=notes,
                id=key,
            )
        else:
            yield ChatLog.of(name, [one for n, item in kept for one in self._said(n, item)], notes, id=key, sort=True)

    def _said(self, number: int, item: Any) -> list[tuple[Message, datetime | None]]:
        role = role_at(item, self.role, number, self.roles)
        words = pick(item, self.text)
        if not isinstance(words, str | list | None):
            raise TranscriptError(f"message {number}: expected words at {self.text!r}, not {words!r:.80}")
        if attached := [one for path in self.attached for one in dicts_of(pick(item, path))]:
            words = [*filter(None, [words] if isinstance(words, str) else words or []), *map(_attachment, attached)]
        messages = messages_of({"role": role, "content": words or ""})
        if messages and self.name and (name := pick(item, self.name)):
            messages[-1] |= {"name": str(name)}
        return [(message, self._date(item, number)) for message in messages]

    def _date(self, item: Any, number: int) -> datetime | None:
        return date_at(item, self.date, number) if self.date else None

    def _at(self, item: Any, what: str, number: int) -> Any:
        return need(item, getattr(self, what), number)


def _attachment(one: Mapping[str, Any]) -> Any:
    """Return an attachment as a part; a text that was pasted, and so has no name of its own, as words."""
    name, text = str(pick(one, "file_name|name") or ""), one.get("extracted_content")
    if text and (not name or name.lower().startswith("paste")):
        return f"[{name or 'pasted text'}]\n{text}"
    return {"type": "file", "filename": name or "file"}
