"""Messages in the forms of OpenAI, Anthropic, ShareGPT and LangChain: a list, or an object with a list."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.messages import conversation_of, is_message

__all__ = ["is_list", "is_object", "read_list", "read_object"]

_LISTS = ("messages", "conversations", "conversation", "items", "turns")
_TITLES = ("title", "name", "id", "conversation_id", "thread_id", "session_id")


def is_list(items: Any) -> bool:
    """Return whether values are messages; an object with a role is meant as one, for a mistake to be named."""
    listed: list[Any] = items if isinstance(items, list) else []
    return bool(listed) and all(is_message(item) or (isinstance(item, dict) and "role" in item) for item in listed)


def is_object(item: Any) -> bool:
    """Return whether a value is an object with a list of messages, or of such lists or objects."""
    if not isinstance(item, dict):
        return False
    return any(is_list(listed := item.get(key)) or _is_several(listed) for key in _LISTS)


def _is_several(listed: Any) -> bool:
    several: list[Any] = listed if isinstance(listed, list) else []
    return bool(several) and all(is_list(one) if isinstance(one, list) else is_object(one) for one in several)


def read_list(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a list of messages."""
    yield conversation_of(title, items)


def read_object(item: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of an object with messages, or several of an object with several."""
    name = next((str(item[key]) for key in _TITLES if isinstance(item.get(key), str | int) and item[key]), title)
    listed = next(item[key] for key in _LISTS if is_list(item.get(key)) or _is_several(item.get(key)))
    if is_list(listed):
        system = item.get("system")
        head = [{"role": "system", "content": system}] if isinstance(system, str | list) and system else []
        yield conversation_of(name, [*head, *listed])
        return
    for number, one in enumerate(listed, start=1):
        inner = f"{name} {number}"
        yield from read_list(one, inner) if isinstance(one, list) else read_object(one, inner)
