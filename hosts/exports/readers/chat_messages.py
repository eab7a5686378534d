"""Messages in the forms of OpenAI, Anthropic, ShareGPT and LangChain: a list, or an object with a list."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.members import id_at, mark_of
from memzoo.hosts.exports.messages import conversation_of, find_date, is_message
from memzoo.hosts.messages import dict_of

__all__ = [
    "SYSTEM_NAMES",
    "check_unbranched",
    "has_sessions",
    "is_chat",
    "is_list",
    "is_several",
    "read_list",
    "read_object",
    "read_sessions",
]

_LISTS = ("messages", "conversations", "conversation", "items", "turns")
_TITLES = ("title", "name", "id", "conversation_id", "thread_id", "session_id", "question_id")


SYSTEM_NAMES = ("system", "system_prompt", "systemPrompt", "system_message", "systemMessage", "system_instruction")
"""The members of an object with messages that hold the system text."""

_SESSIONS = (
    *("conversation_id", "session_id", "thread_id", "chat_id"),
    *("conversationId", "sessionId", "threadId", "chatId"),
)
_ANSWERS = ("response", "output", "completion")
_BRANCHED = {"children", "childrenIds", "parent", "parentId", "parentMessageId", "parent_id", "parentUuid"}


def is_list(items: Any) -> bool:
    """Return whether values are messages, by the first; an object with a role is meant as one."""
    first: Any = items[0] if isinstance(items, list) and items else None
    return is_message(first) or (isinstance(first, dict) and "role" in first and not first.keys() & set(_LISTS))


def is_chat(item: Any) -> bool:
    """Return whether a value is an object with messages; messages of a wrong type are a mistake to be named."""
    messages = item.get("messages", 0)
    return messages != 0 and (not isinstance(messages, list) or not messages or is_list(messages))


def is_several(item: Any) -> bool:
    """Return whether a value is an object with a list of messages under another name, or of several such lists."""
    return isinstance(item, dict) and any(is_list(listed := item.get(key)) or _is_several(listed) for key in _LISTS)


def _is_several(listed: Any) -> bool:
    several: list[Any] = listed if isinstance(listed, list) else []
    return bool(several) and all(is_list(one) if isinstance(one, list) else is_several(one) for one in several)


def check_unbranched(items: Any) -> None:
    """Raise an error for messages that name each other: a list of them can hold several branches.

    Raises:
        TranscriptError: A message has such a member.
    """
    for item in items:
        if isinstance(item, dict) and (found := [key for key in _BRANCHED if item.get(key)]):
            raise TranscriptError(
                f"its messages have {found[0]!r}, so they may be branches of an application that memzoo does not know; "
                "leave the member out of a file whose messages are in order"
            )


def read_list(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a list of messages."""
    check_unbranched(items)
    yield conversation_of(title, items)


def has_sessions(items: Any) -> bool:
    """Return whether values are messages that name their conversations."""
    named = (isinstance(item, dict) and any(item.get(key) for key in _SESSIONS) for item in items)  # pyright: ignore[reportUnknownVariableType]
    return is_list(items) and 2 * sum(named) > len(items)


def read_sessions(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations of messages that name them, in the order of their first messages."""
    sessions: dict[str, list[Any]] = {}
    for number, item in enumerate(items, start=1):
        given: dict[str, Any] = item if isinstance(item, dict) else {}
        name = id_at(given, "|".join(_SESSIONS), f"message {number}")
        if not name:
            raise TranscriptError(f"message {number} does not name its conversation, as others do")
        sessions.setdefault(name, []).append(item)
    is_dated = any(map(find_date, items))
    for name, listed in sessions.items():
        check_unbranched(listed)
        log = conversation_of(name if len(sessions) > 1 else title, listed, id=name)
        lost = len(listed) if is_dated and not any(map(find_date, listed)) else 0
        yield replace(log, notes=[*log.notes, f"{count(lost, 'message')} without a time"]) if lost else log


def read_object(item: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of an object with messages, or several of an object with several."""
    name = next((str(item[key]) for key in _TITLES if isinstance(item.get(key), str | int) and item[key]), title)
    if len(lists := [key for key in item if is_list(item[key])]) > 1:
        for key in lists:
            others = {one: value for one, value in item.items() if one not in lists}
            yield from read_object(others | {"messages": item[key], "name": f"{name}, {key}", "id": ""}, name)
        return
    if not isinstance(item.get("messages", []), list):
        raise TranscriptError(f"expected a list at 'messages', not {item['messages']!r:.80}")
    listed: list[Any] = next((item[key] for key in _LISTS if is_list(item.get(key)) or _is_several(item.get(key))), [])
    if is_list(listed):
        check_unbranched(listed)
        named = next((key for key in SYSTEM_NAMES if item.get(key)), SYSTEM_NAMES[0])
        system = mark_of(item, named, f"the object of {name!r}")
        is_sharegpt = "from" in dict_of(listed[0])  # whose instruction is that of a training
        notes = ["the instruction ('system') left out"] if is_sharegpt and system else []
        answer = next((key for key in _ANSWERS if mark_of(item, key, f"the object of {name!r}") is not None), None)
        notes += [f"the answer at {answer!r} has none of the known forms, and is left out"] if answer else []
        log = conversation_of(name, listed, system=None if is_sharegpt else system, id=str(item.get("id") or ""))
        yield replace(log, notes=[*log.notes, *notes]) if notes else log
        return
    for number, one in enumerate(listed, start=1):
        inner = f"{name} {number}"
        yield from read_list(one, inner) if isinstance(one, list) else read_object(one, inner)
