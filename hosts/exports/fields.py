"""Reads conversations from JSON with a table of paths, so that a new kind of file needs no code."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, count, tell_left_out
from memzoo.hosts.exports.members import date_at, id_at, list_at, need, pick, role_at, text_at
from memzoo.hosts.exports.messages import conversation_of, messages_of
from memzoo.hosts.exports.talks import Talk
from memzoo.hosts.exports.trees import tree_of
from memzoo.hosts.messages import dict_of, dicts_of
from memzoo.stores import Message

_WORK = {"tool_calls", "tool_call_id", "reasoning_content"}
"""The members of a message that are read beside its words, as OpenAI names them."""
_IS_USER = {"user": True, "assistant": False, "person": None}


@dataclass(frozen=True, slots=True)
class Fields:
    """A reader for conversations in JSON, defined by the paths of a conversation's parts; see `pick` for paths.

    Attributes:
        messages: The path of the list of messages, or of a dict from id to message; "" for the document itself.
        role: The path of the role in a message; "" if messages are in a common form, such as OpenAI's.
        text: The path of the words: a text, or a list of texts and parts.
        date: The path of a message's time; "" if no message has one. A "?" at the path's end allows messages without a
            time.
        name: The path of the speaker's name.
        title: The path of the conversation's title in the document.
        conversation: The path of the conversation's id in the document.
        roles: A dict from a value at `role` to a role, such as `{"True": "user"}`. Common names of roles need no entry.
            The key "*" stands for all other texts, "None" for a missing value. A message with the role "" is left out.
            In a talk between people, the role "person" means that the speaker may be the user or somebody else.
        left_out: The entries to leave out, with a noun for each kind of entry. A note states the number of each kind.
            `{"deleted": "deleted message"}` leaves out all entries whose member "deleted" is true.
            `{"type": {"text": "", "*": "notice"}}` leaves out all entries whose type is not "text", and counts them as
            notices.
        system: The path of the system text in the document.
        answer: The path of the answer, if each entry has both a question (at `text`) and its answer.
        owner: The path of the user's id or name in the document, for talks between people.
        speaker: The path of the speaker's id in a message, to compare with `owner`.
        id: The path of a message's id, for a form with branches. In a dict of messages, the keys are the ids.
        parent: The path of the previous message's id, for a form with branches.
        shown: The path of a message's id in the document. The branch that ends with this message is read; by default,
            the last branch in the file.
        versions: The path of the list of versions in a message.
        version: The path, in a message, of the field that names the shown version: by its position in `versions`, from
            0 on, or by its id if `version_id` is given.
        version_id: The path of the id in a version.
        people: True for a talk between people (see `Talk`).
        attached: The paths of the lists of attachments in a message. Pasted texts become part of the message; files
            are counted in a note.
        each: The path of the list of conversations in the document. The other paths then begin at a conversation.
        group: The path of the conversation's id in a message, if a list mixes the messages of several conversations.
        entry: A function that takes an entry and its place (such as "message 3"). It returns the message to read, or a
            noun for an entry to leave out.
    """

    messages: str = "messages"
    role: str = "role"
    text: str = "content"
    date: str = ""
    name: str = ""
    title: str = "title|name|id"
    conversation: str = "conversation_id|uuid|id"
    roles: Mapping[Any, str] = field(default_factory=dict[Any, str])
    left_out: Mapping[str, str | Mapping[str, str | None] | None] = field(default_factory=dict[str, Any])
    system: str = ""
    answer: str = ""
    owner: str = ""
    speaker: str = ""
    id: str = ""
    parent: str = ""
    shown: str = ""
    versions: str = ""
    version: str = ""
    version_id: str = ""
    people: bool = False
    attached: Sequence[str] = ()
    each: str = ""
    group: str = ""
    entry: Callable[[Any, str], Any] | None = None

    def __post_init__(self) -> None:
        """Compare values as texts."""
        object.__setattr__(self, "roles", {str(value): role for value, role in self.roles.items()})

    def __call__(self, document: Any, title: str) -> Iterator[ChatLog | Unread]:
        """Yield the conversations of a document.

        Raises:
            TransferError: A field is missing, or a role is unknown; the error names the message and the field.
        """
        if self.group:
            groups: dict[str, list[Any]] = {}
            reader = replace(self, messages="", group="")
            for number, item in enumerate(need(document, self.messages, "the file"), start=1):
                need(item, self.group, f"message {number}")
                groups.setdefault(id_at(item, self.group, f"message {number}"), []).append(item)
            logs = [reader.read(items, name or title, name) for name, items in groups.items()]
            is_dated, is_named = any(any(log.dates) for log in logs), any(groups)
            for log in logs:
                wants = {"a time": is_dated and not any(log.dates), "its conversation": is_named and not log.id}
                notes = [
                    f"{count(len(log.messages), 'message')} without {what}" for what, is_so in wants.items() if is_so
                ]
                yield replace(log, notes=[*log.notes, *notes])
        elif self.each:
            for number, one in enumerate(list_at(document, self.each, "the file"), start=1):
                name = self._title(one, f"{title} {number}")
                yield Unread(name, functools.partial(self.read, one, name))
        else:
            yield self.read(document, title)

    def _title(self, document: Any, title: str) -> str:
        return str(pick(document, self.title) or title) if self.title else title

    def read(self, document: Any, title: str, key: str = "", notes: Sequence[str] = ()) -> ChatLog:
        """Read a document, or a part of a document, as one conversation.

        Args:
            document: The document or the part.
            title: The conversation's title, if the document has none.
            key: The conversation's id, if the document has none.
            notes: Sentences to add to the conversation's notes.
        """
        name, key = self._title(document, title), str((self.conversation and pick(document, self.conversation)) or key)
        found: Any = pick(document, self.messages)
        if not isinstance(found, list | dict) or found == {}:
            raise TransferError(f"expected a list at {self.messages!r}")
        items: list[Any] = list(found.values()) if isinstance(found, dict) else found  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
        system = need(document, f"{self.system}?", "the file") if self.system else None
        if not (self.role or self.people or self.answer):
            return conversation_of(name, found, system=system, id=key)
        left_out = Counter[str]()
        entries: list[tuple[str, Any, str | None]] = []
        spell, is_mixed = self.entry, bool(self.left_out) or "" in self.roles.values()
        for number, entry in enumerate(items, start=1):
            place, others, noun = f"message {number}", 0, cast("str | None", "")
            if self.versions:
                entry, others = self._version(entry, place)  # noqa: PLW2901
            spelt = spell(entry, place) if spell else entry
            if spell and isinstance(spelt, str):
                noun = spelt
            else:
                entry, noun = spelt, self._noun(spelt, place) if is_mixed else ""  # noqa: PLW2901
            if others and noun == "":
                left_out["other version"] += others
            entries.append((place, entry, noun))
        parent = self.parent.removesuffix("?")
        if parent and any(pick(e, parent, self) is not self or need(e, f"{parent}?", place) for place, e, _ in entries):
            ids = map(str, found if isinstance(found, dict) else (need(e, self.id, place) for place, e, _ in entries))
            nodes = dict(zip(ids, entries, strict=True))
            shown = pick(document, self.shown) if self.shown else None

            def said_at(id_: str) -> list[tuple[Message, datetime | None]]:
                return self._said(*nodes[id_])

            return tree_of(
                name,
                {id_: need(e, parent if parent in e else self.parent, place) for id_, (place, e, _) in nodes.items()},
                said_at if shown else functools.cache(said_at),
                shown=shown,
                unsaid=lambda id_: nodes[id_][2] or "",
                notes=notes,
                id=key,
            )
        left_out.update(noun for *_, noun in entries if noun)
        if self.people:
            return self._talk(Talk(name, key, [*notes], left_out=left_out), document, entries)
        first = [(one, None) for one in messages_of({"role": "system", "content": system})] if system else []
        said = [*first, *(one for entry in entries for one in self._said(*entry))]
        return ChatLog.of(name, said, [*notes, *tell_left_out(left_out)], id=key, sort=True)

    def _noun(self, entry: Any, place: str) -> str | None:
        """Return the noun for an entry that is left out, `None` for one that no note counts; "" for a message."""
        for path, nouns in self.left_out.items():
            if isinstance(nouns, str | None):
                noun = nouns if need(entry, f"{path}?", place) else ""
            else:
                value = str(need(entry, path, place, bool if "True" in nouns else str))
                noun = nouns[value] if value in nouns else nouns.get("*", "")
            if noun != "":
                return noun
        is_spoken = self.answer or "" not in self.roles.values()
        return "" if is_spoken or role_at(entry, self.role, place, self.roles) else "event"

    def _version(self, entry: Any, place: str) -> tuple[Any, int]:
        """Return a message with the members of its shown version, and the number of the others."""
        versions = need(entry, self.versions, place, list) or []
        mark: Any = need(entry, self.version, place, str if self.version_id else int) if versions else None
        ids = [pick(one, self.version_id) for one in versions] if self.version_id else range(len(versions))
        if versions and mark not in ids:
            raise TransferError(f"{place}: expected one of {[*ids]!r:.60} at {self.version!r}, not {mark!r:.60}")
        shown = dict_of(versions[ids.index(mark)]) if versions else {}
        return entry | shown, max(len(versions) - 1, 0)

    def _talk(self, talk: Talk, document: Any, entries: Sequence[tuple[str, Any, str | None]]) -> ChatLog:
        given = pick(document, self.title) if self.title else None
        owner = id_at(document, self.owner, "the file") if self.owner else ""
        name = self.name.removesuffix("?")
        known, names = self.speaker or name, name.split("|")
        said = [(place, entry) for place, entry, noun in entries if noun == ""]
        owned = [one for _, entry in said if owner and str(one := pick(entry, known)) == owner]
        # Where only a user's messages have the mark, a name tells whose the others are.
        users = {pick(entry, name) for _, entry in said if "None" in self.roles and pick(entry, self.role) is not None}
        for place, entry in said:
            for one in (*names[:-1], self.name):
                need(entry, f"{one}?" if one in names[:-1] else one, place)
            who, is_user = text_at(entry, name, place), None
            if owned:
                is_user = need(entry, known, place, type(owned[0])) == owned[0]
            elif who in users:
                is_user = True
            elif self.roles:
                is_user = _IS_USER[role_at(entry, self.role, place, self.roles)]
            if is_user is None and given and given in (pick(entry, one) for one in names):
                is_user = False
            date = date_at(entry, self.date, place) if self.date else None
            words = pick(entry, self.text)
            if isinstance(words, str) and words.strip() and (attached := self._attached(entry)):
                words = [words.strip(), *attached]
            talk.say(who, words, date, is_user=is_user)
        return talk.log()

    def _attached(self, entry: Any) -> list[Any]:
        return [_attachment(one) for path in self.attached for one in dicts_of(pick(entry, path))]

    def _said(self, place: str, entry: Any, noun: str | None = "") -> list[tuple[Message, datetime | None]]:
        if noun != "":
            return []
        role = "user" if self.answer else role_at(entry, self.role, place, self.roles)
        words, date = pick(entry, self.text), date_at(entry, self.date, place) if self.date else None
        is_plain = not (self.attached or self.answer or self.name) and _WORK.isdisjoint(entry)
        if isinstance(words, str) and is_plain:  # nearly all
            return [({"role": role, "content": words}, date)]
        if not isinstance(words, str | list | None):
            raise TransferError(f"{place}: expected text at {self.text!r}, not {words!r:.80}")
        if attached := self._attached(entry):
            words = [*filter(None, [words] if isinstance(words, str) else words or []), *attached]
        work = {key: entry[key] for key in _WORK if entry.get(key)}
        messages = messages_of({"role": role, "content": words or ""} | work)
        if self.answer:
            messages += messages_of({"role": "assistant", "content": pick(entry, self.answer) or ""})
        if messages and self.name and (name := text_at(entry, self.name, place)):
            messages[-1] |= {"name": name}
        return [(message, date) for message in messages]


def _attachment(one: Mapping[str, Any]) -> Any:
    """Return an attachment as a part; a text that was pasted, and so has no name of its own, as words."""
    name, text = str(pick(one, "file_name|name|fileName") or ""), one.get("extracted_content")
    if text and (not name or name.lower().startswith("paste")):
        return f"[{name or 'pasted text'}]\n{text}"
    return {"type": "file", "filename": name or "file"}
