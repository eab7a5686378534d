"""Reconstructs conversations from logged model calls.

Each call repeats the history of its conversation, so repeated messages are left out.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.form import having
from memzoo.hosts.exports.members import as_list, date_at, id_at, need, pick
from memzoo.hosts.exports.messages import is_message, messages_of
from memzoo.hosts.messages import dict_of, dicts_of, host_text
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.stores import Message

_INSTRUCTIONS = ("system", "developer")
_INSTRUCTION = (
    "system|instructions|systemInstruction.parts|system_instruction.parts|"
    "config.systemInstruction.parts|config.system_instruction.parts|config.systemInstruction|config.system_instruction"
)
"""The places of the instruction in a request."""
_MARKS = {"role", "type", "lc", "message"}
_WORDS = {"content", "text", "lc", "kwargs", "data", "message"}
"""The members of an item that is a message, not the work of a tool or a thought."""
_DEFINITION: dict[str, object] = {"role": "tool", "content.type": "function"}
"""The sign of a tool's definition, which Langfuse's callback for LangChain writes as a message."""
_INSIDE = (
    *("messages", "choices.0.message", "generations.0.0.message", "generations.0.0.text", "candidates.0.content"),
    *("output.message", "message", "contents", "output", "input", "text", "prompt", "args"),
)
"""The places of messages in requests and answers, in the order of preference."""


@dataclass(frozen=True, slots=True)
class Call:
    """A logged model call, or a logged state of a conversation. A state contains all messages so far.

    Attributes:
        asked: The messages of the request, or of the state.
        answered: The messages of the answer; `None` for a state.
        thread: The id of the conversation; "" if the log does not say.
        began: The time of the request; `None` if unknown.
        ended: The time of the answer; `None` if unknown.
        user: The id of the user; "" if the log does not say.
    """

    asked: list[Message]
    answered: list[Message] | None
    thread: str = ""
    began: datetime | None = None
    ended: datetime | None = None
    user: str = ""

    @property
    def place(self) -> str:
        """A text made of the user's id and the conversation's id. Calls are grouped by this text."""
        return f"{self.user}\n{self.thread}"


@dataclass(frozen=True, slots=True)
class LoggedCalls:
    """A reader for logs of calls, defined by the JSON paths of the parts of a call; see `pick` for paths.

    Use it as `Form.read`.

    Attributes:
        asked: The path of the request; in a log of states, the path of all messages so far.
        answered: The path of the answer; "" if `asked` has all messages.
        began: The path of the request's time.
        ended: The path of the answer's time.
        thread: The path of the conversation's id.
        user: The path of the user's id.
        kind: The path of an entry's kind; "" if all entries of the log are calls to a model.
        call: The value at `kind` in the entries that are calls to a model.
        noun: The word for an entry in notes and errors, such as "span".
        entries: A function that returns the entries of a document.
    """

    asked: str
    answered: str
    began: str
    ended: str = ""
    thread: str = ""
    user: str = ""
    kind: str = ""
    call: str = ""
    noun: str = "call"
    entries: Callable[[Any], list[Any]] = as_list

    def __call__(self, document: Any, title: str) -> Iterator[ChatLog]:
        """Yield the conversations of the calls in a document."""
        entries = self.entries(document)
        calls = [
            Call(
                words_in(pick(entry, self.asked), "user"),
                words_in(pick(entry, self.answered), "assistant") if self.answered else None,
                id_at(entry, self.thread, place),
                date_at(entry, self.began, place),
                date_at(entry, self.ended, place) if self.ended else None,
                str(pick(entry, self.user) or "") if self.user else "",
            )
            for place, entry in ((f"{self.noun} {number}", one) for number, one in enumerate(entries, start=1))
            if not self.kind or need(entry, self.kind, place) == self.call
        ]
        yield from conversations_of(calls, title, len(entries) - len(calls), self.noun)


_Key: TypeAlias = tuple[str, str, int]


@dataclass(slots=True)
class _Talk:
    place: str
    thread: str
    instructions: list[Message]
    said: list[tuple[Message, datetime | None]] = field(default_factory=list[tuple[Message, datetime | None]])
    keys: list[_Key] = field(default_factory=list[_Key])
    end: int = 0
    changes: int = 0
    unasked: int = 0
    unanswered: int = 0
    left: int = 0
    apart: int = 0

    def add(self, said: Iterable[tuple[Message, datetime | None]]) -> None:
        for message, date in said:
            self.said.append((message, date))
            self.keys.append(_key(message))
            self.end = hash((self.end, self.keys[-1]))

    def to_log(self, title: str, notes: list[str]) -> ChatLog:
        told = {
            f"{count(self.left, 'other branch', 'other branches')} left out": self.left,
            f"the instructions differ in {count(self.changes, 'call')}; the first ones are kept": self.changes,
            "it has the id of another conversation, but none of its messages": self.apart,
            f"{count(self.unasked, 'call')} without a request in the log": self.unasked,
            f"{count(self.unanswered, 'call')} without an answer in the log": self.unanswered,
        }
        notes = [*(note for note, number in told.items() if number), *notes]
        said = [*((one, None) for one in self.instructions), *self.said]
        return ChatLog.of(self.thread or title, said, notes, id=self.thread)


def words_in(value: Any, role: str) -> list[Message]:
    """Return the messages in a logged request or answer of any provider.

    Args:
        value: The logged value: a list, an object, or a text, which may be JSON.
        role: The role for a text without a role.
    """
    match value:
        case str():
            inside = _parse(value)
            return words_in(inside, role) if inside else [{"role": role, "content": value}] if value.strip() else []
        case list():
            listed = as_list(value[0]) if value and isinstance(value[0], list) else as_list(value)
            said: list[Message] = []
            if having("toolCallId", "toolName")(listed):  # the AI SDK's attribute for the calls of an answer
                return messages_of({"role": role, "parts": [{"type": "tool-call"} | dict_of(one) for one in listed]})
            for one in listed:
                if having(**_DEFINITION)(one):
                    continue
                called = {call["function"].get("name") for each in said for call in each.get("tool_calls") or ()}
                named = dict_of(one).get("role") in called
                new = words_in(one | {"role": "function", "name": one["role"]} if named else one, role)
                given = set[str]() if isinstance(one, str) else dict_of(one).keys()
                if not isinstance(one, str) and (not given & _MARKS or (not new and given & _WORDS)):
                    raise TransferError(f"this is not a message: {one!r:.80}")
                said += new
            return said
        case {"role": _}:
            return messages_of(value)
        case dict() if is_message(value):
            return messages_of(value)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return _words_in_object(dict_of(value), role)


def _words_in_object(known: dict[str, Any], role: str) -> list[Message]:
    system: Any = pick(known, _INSTRUCTION) if role == "user" else None
    head = messages_of({"role": "system", "content": system}) if system else []
    found = next((one for path in _INSIDE if (one := pick(known, path)) is not None), None)
    if found is None and "content" in known:
        return [*head, *messages_of({"role": role, "content": known["content"]})]
    return [*head, *(words_in(found, role) if found is not None else ())]


def _parse(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip().startswith(("[", "{")) else None
    except ValueError:
        return None


def conversations_of(calls: Iterable[Call], title: str, others: int = 0, noun: str = "") -> Iterator[ChatLog]:
    """Yield the conversations in logged calls, with each message only once.

    A call continues a conversation if it repeats all messages of the conversation. A call that has the
    conversation's id needs to repeat only some of them.

    Args:
        calls: The calls.
        title: The title for conversations without an id.
        others: The number of log entries that are not calls. If there are any, a note in the result states the number.
        noun: The word for such an entry in the note, such as "span".
    """
    given = list(calls)
    ordered = [call for call in given if call.asked or call.answered]
    if all(call.began for call in ordered):
        ordered.sort(key=lambda call: call.began or datetime.now(UTC))
    longest: dict[str, int] = {}
    for call in ordered:
        longest[call.place] = max(longest.get(call.place, 0), len(_turns(call.asked)))
    talks: list[_Talk] = []
    ends: dict[tuple[str, int], _Talk] = {}
    for call in ordered:
        asked = _turns(call.asked)
        instructions = [message for message in call.asked if message["role"] in _INSTRUCTIONS]
        wanted = [_key(message) for message in asked]
        talk, known = _find_repeated(ends, call.place, wanted)
        near = [one for one in talks if one.place == call.place] if call.thread else []
        if talk is None and near:
            talk, known = _find_continued(near, wanted, alone=longest[call.place] == 1)
        if talk is None:
            talks.append(talk := _Talk(call.place, call.thread, instructions, apart=len(near)))
        talk.changes += instructions != talk.instructions
        # Of a history that no earlier call had, only what the user said last has the time of the call.
        dated = max((n for n, one in enumerate(asked, start=1) if one["role"] == "assistant"), default=0)
        dated = known if call.answered is None else dated
        talk.add((one, call.began if n >= dated else None) for n, one in enumerate(asked) if n >= known)
        talk.add((one, call.ended or call.began) for one in call.answered or ())
        talk.unasked += not asked
        talk.unanswered += call.answered == []
        ends[call.place, talk.end] = talk
    told = {
        f"{count(others, noun)} other than model calls left out": others,
        f"{count(lost := len(given) - len(ordered), 'call')} without text left out": lost,
        f"{count(lost := _missing(call.thread for call in ordered), 'call')} without an id of the conversation": lost,
        f"{count(lost := _missing(call.ended for call in ordered if call.answered), 'call')} without an end": lost,
    }
    notes = [note for note, number in told.items() if number]
    if notes and not talks:
        raise TransferError(f"no model call has any text: {'; '.join(notes)}")
    for number, talk in enumerate(talks, start=1):
        yield talk.to_log(title if len(talks) == 1 else f"{title} {number}", notes if number == 1 else [])


def _missing(values: Iterable[object]) -> int:
    """Return the number of values that are missing, where others are not."""
    listed = [bool(value) for value in values]
    return listed.count(False) if any(listed) else 0


def _turns(messages: list[Message]) -> list[Message]:
    return [message for message in messages if message["role"] not in _INSTRUCTIONS]


def _chain(keys: list[_Key]) -> list[int]:
    """Return a number for each beginning of a conversation, from none to all of it."""
    return list(itertools.accumulate(keys, lambda before, key: hash((before, key)), initial=0))


def _find_repeated(ends: dict[tuple[str, int], _Talk], place: str, wanted: list[_Key]) -> tuple[_Talk | None, int]:
    """Return the longest talk that a request repeats whole, and its length."""
    for known, beginning in reversed(list(enumerate(_chain(wanted)))):
        talk = ends.get((place, beginning))
        if talk and talk.keys == wanted[:known]:
            return talk, known
    return None, 0


def _find_continued(talks: list[_Talk], wanted: list[_Key], *, alone: bool) -> tuple[_Talk | None, int]:
    """Return the talk of a thread that a request continues, and the number of the request's messages in the talk."""
    for talk in reversed(talks):
        if talk.keys[-1] in wanted:
            # The application sent the newest messages only, or a summary in place of the older ones.
            return talk, len(wanted) - wanted[::-1].index(talk.keys[-1])
    for talk in reversed(talks):
        same = sum(
            1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(talk.keys, wanted, strict=False))
        )
        if same:
            # The user changed a message, or asked anew.
            del talk.said[same:], talk.keys[same:]
            talk.end = _chain(talk.keys)[-1]
            talk.left += 1
            return talk, same
    return (talks[-1], 0) if alone and talks else (None, 0)


def _key(message: Message) -> _Key:
    text = host_text(set_thoughts_apart(message).get("content"))
    return message["role"], " ".join(text.split()), len(dicts_of(message.get("tool_calls")))
