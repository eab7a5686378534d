"""Reads lists of messages, and objects with such lists, in the forms of OpenAI, Anthropic, ShareGPT and LangChain."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import mark_of, pick
from memzoo.hosts.exports.messages import conversation_of, is_message
from memzoo.hosts.messages import dict_of
from memzoo.hosts.roles import role_of

_LISTS = ("messages", "conversations", "conversation", "items", "turns")
_TITLES = ("title", "name", "id", "conversation_id", "thread_id", "session_id", "question_id")


SYSTEM_NAMES = ("system", "system_prompt", "systemPrompt", "system_message", "systemMessage", "system_instruction")
"""The members of an object with messages that hold the system text."""

_SESSIONS = (
    "conversation_id|session_id|thread_id|chat_id|conversationId|sessionId|threadId|chatId|"
    "dialogue_id|dialog_id|conv_id"
)
LIST = Fields(messages="", role="", title="", conversation="")
SESSIONS = replace(LIST, group=_SESSIONS)
_ANSWERS = ("response", "output", "completion")


def is_list(items: Any) -> bool:
    """Return whether a list has messages, judged by its first item."""
    first: Any = items[0] if isinstance(items, list) and items else None
    return is_message(first) or (isinstance(first, dict) and "role" in first and not first.keys() & set(_LISTS))


def is_chat(item: Any) -> bool:
    """Return whether an object has "messages". A list there must be empty or begin with a message."""
    messages = item.get("messages", 0)
    return messages != 0 and (not isinstance(messages, list) or not messages or is_list(messages))


def is_several(item: Any) -> bool:
    """Return whether an object has one or several lists of messages under a common name, such as "turns"."""
    return isinstance(item, dict) and any(is_list(listed := item.get(key)) or _is_several(listed) for key in _LISTS)


def _is_several(listed: Any) -> bool:
    several: list[Any] = listed if isinstance(listed, list) else []
    return bool(several) and all(is_list(one) if isinstance(one, list) else is_several(one) for one in several)


def has_sessions(items: Any) -> bool:
    """Return whether a list has messages, and most of them have the id of a conversation."""
    return is_list(items) and 2 * sum(bool(pick(item, _SESSIONS)) for item in items) > len(items)


def read_object(item: Any, title: str) -> Iterator[ChatLog | Unread]:
    """Yield the conversations in an object with one or several lists of messages."""
    name = next((str(item[key]) for key in _TITLES if isinstance(item.get(key), str | int) and item[key]), title)
    if len(lists := [key for key in item if is_list(item[key])]) > 1:
        for key in lists:
            others = {one: value for one, value in item.items() if one not in lists}
            yield from read_object(others | {"messages": item[key], "name": f"{name}, {key}", "id": ""}, name)
        return
    if not isinstance(item.get("messages", []), list):
        raise TransferError(f"expected a list at 'messages', not {item['messages']!r:.80}")
    listed: list[Any] = next((item[key] for key in _LISTS if is_list(item.get(key)) or _is_several(item.get(key))), [])
    if is_list(listed):
        named = next((key for key in SYSTEM_NAMES if item.get(key)), SYSTEM_NAMES[0])
        system = mark_of(item, named, f"the object of {name!r}")
        is_sharegpt = "from" in dict_of(listed[0])  # whose instruction is that of a training
        notes = ["the instruction ('system') left out"] if is_sharegpt and system else []
        answer = next((key for key in _ANSWERS if mark_of(item, key, f"the object of {name!r}") is not None), None)
        if role_of(dict_of(listed[-1]).get("role")) != "assistant":
            answer = answer or next((key for key in ("choices", "answer") if item.get(key)), None)
        notes += [f"the answer at {answer!r} is in no known format, and is left out"] if answer else []
        log = conversation_of(name, listed, system=None if is_sharegpt else system, id=str(item.get("id") or ""))
        yield replace(log, notes=[*log.notes, *notes]) if notes else log
        return
    for number, one in enumerate(listed, start=1):
        inner = f"{name} {number}"
        yield from LIST(one, inner) if isinstance(one, list) else read_object(one, inner)
