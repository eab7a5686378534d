"""Makes conversations of logged calls to models, each of which repeats the history."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import pick
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.messages import dicts_of, host_text
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.stores import Message

__all__ = ["Call", "conversations_of", "words_in"]

_INSTRUCTIONS = ("system", "developer")
_INSIDE = (
    *("messages", "choices.0.message", "generations.0.0.message", "generations.0.0.text", "candidates.0.content"),
    *("output.message", "message", "contents", "output", "input", "text"),
)
"""The places of messages in requests and answers, in the order of preference."""


@dataclass(frozen=True, slots=True)
class Call:
    """A logged call of a model.

    Attributes:
        asked: The messages of the request.
        answered: The messages of the answer.
        thread: The id of the conversation; "" if the log does not say.
        began: The time of the request; `None` if unknown.
        ended: The time of the answer; `None` if unknown.
    """

    asked: list[Message]
    answered: list[Message]
    thread: str = ""
    began: datetime | None = None
    ended: datetime | None = None


@dataclass(slots=True)
class _Talk:
    thread: str
    instructions: list[Message]
    said: list[tuple[Message, datetime | None]] = field(default_factory=list[tuple[Message, datetime | None]])
    changes: int = 0
    left: int = 0


def words_in(value: Any, role: str) -> list[Message]:
    """Return the messages in a logged request or answer: a list, an object of any provider, or a text.

    Args:
        value: The logged value; a text that is JSON is read.
        role: The role for words without a role.
    """
    match value:
        case str():
            inside = _parse(value)
            return words_in(inside, role) if inside else [{"role": role, "content": value}] if value.strip() else []
        case list():
            listed: list[Any] = value[0] if value and isinstance(value[0], list) else value
            return [message for one in listed for message in words_in(one, role)]
        case {"role": _} | {"type": "function_call" | "function_call_output"} | {"lc": _}:
            return messages_of({"role": "assistant"} | value if value.get("role") == "model" else value)
        case dict():
            system = value.get("system") or pick(value, "systemInstruction.parts|system_instruction.parts")
            head = messages_of({"role": "system", "content": system}) if system else []
            found = next((one for path in _INSIDE if (one := pick(value, path)) is not None), None)
            if found is None and "content" in value:
                return [*head, *messages_of({"role": role, "content": value["content"]})]
            return [*head, *words_in(found, role)]
        case _:
            return []


def _parse(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip().startswith(("[", "{")) else None
    except ValueError:
        return None


def conversations_of(calls: Iterable[Call], title: str) -> Iterator[ChatLog]:
    """Yield the conversations of calls: what a call repeats of the history stands in its conversation once.

    A call continues the conversation of its thread if the call repeats any of the conversation, or if no call of the
    thread repeats anything. A call without a thread continues the conversation that the call repeats whole.
    """
    ordered = sorted(calls, key=lambda call: call.began or datetime.min.replace(tzinfo=UTC))
    threads: dict[str, bool] = {}
    for call in ordered:
        threads[call.thread] = threads.get(call.thread, True) and len(_turns(call.asked)) == 1
    talks: list[_Talk] = []
    for call in ordered:
        asked = _turns(call.asked)
        instructions = [message for message in call.asked if message["role"] in _INSTRUCTIONS]
        near = [one for one in talks if one.thread == call.thread]
        talk, known = _place(near, asked, alone=bool(call.thread) and threads[call.thread])
        if talk is None:
            talks.append(talk := _Talk(call.thread, instructions))
        talk.changes += instructions != talk.instructions
        # Of a history that no earlier call had, only what the user said last has the time of the call.
        dated = max((n for n, one in enumerate(asked, start=1) if one["role"] == "assistant"), default=0)
        dated = dated if call.answered else known
        talk.said += [(one, call.began if n >= dated else None) for n, one in enumerate(asked) if n >= known]
        talk.said += [(one, call.ended or call.began) for one in call.answered]
    for number, talk in enumerate(talks, start=1):
        notes = [f"{count(talk.left, 'other branch')} left out"] if talk.left else []
        if talk.changes:
            notes.append(f"the instructions were others in {count(talk.changes, 'call')}; the first are kept")
        name = talk.thread or (title if len(talks) == 1 else f"{title} {number}")
        yield ChatLog.of(name, [*((one, None) for one in talk.instructions), *talk.said], notes, id=talk.thread)


def _turns(messages: list[Message]) -> list[Message]:
    return [message for message in messages if message["role"] not in _INSTRUCTIONS]


def _place(talks: list[_Talk], asked: list[Message], *, alone: bool) -> tuple[_Talk | None, int]:
    """Return the talk that a request continues, and the number of the request's messages that the talk has."""
    wanted = [_key(message) for message in asked]
    best: tuple[int, _Talk | None] = (0, None)
    for talk in talks:
        had = [_key(message) for message, _ in talk.said]
        same = next((n for n, (one, other) in enumerate(zip(had, wanted, strict=False)) if one != other), None)
        same = min(len(had), len(wanted)) if same is None else same
        if same == len(had):
            best = max(best, (same, talk), key=lambda pair: pair[0])
        elif talk.thread and had[-1] in wanted:
            # The application sent the newest messages only, or a summary in place of the older ones.
            best = max(best, (len(wanted) - wanted[::-1].index(had[-1]), talk), key=lambda pair: pair[0])
        elif talk.thread and same:
            # The user changed a message, or asked anew.
            del talk.said[same:]
            talk.left += 1
            best = max(best, (same, talk), key=lambda pair: pair[0])
    if best[1] is None and alone and talks:
        return talks[-1], 0
    return best[1], best[0]


def _key(message: Message) -> tuple[str, str, int]:
    text = host_text(set_thoughts_apart(message).get("content"))
    return message["role"], " ".join(text.split()), len(dicts_of(message.get("tool_calls")))
