"""Reads threads of OpenAI's Assistants API: pages of `threads.messages.list`, newest messages first."""

import functools
from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, Unread, make_stand_in
from memzoo.hosts.exports.members import id_at
from memzoo.hosts.exports.messages import conversation_of
from memzoo.hosts.messages import dict_of, dicts_of


def is_page(item: Any) -> bool:
    """Return whether a value is a page of messages, or a list of pages."""
    if isinstance(item, list):
        return any(map(is_page, item))  # pyright: ignore[reportUnknownArgumentType]
    return any("thread_id" in one for one in dicts_of(dict_of(item).get("data")))


def read(document: Any, _: str) -> Iterator[Unread]:
    """Yield the threads in a list of pages."""
    threads: dict[str, dict[str, Any]] = {}
    for number, page in enumerate(document, start=1):
        messages = dict_of(page).get("data", [])
        if not isinstance(page, dict) or not isinstance(messages, list):
            yield make_stand_in(f"page {number}", "this is not a page of messages with 'data'")
            continue
        for place, message in enumerate(messages, start=1):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            known = dict_of(message)
            if known.get("thread_id") is None:
                yield make_stand_in(f"message {place} of page {number}", "it does not say to which thread it belongs")
            else:
                # Overlapping pages, and pages saved twice, repeat messages.
                thread = threads.setdefault(id_at(known, "thread_id", f"message {place}"), {})
                thread.setdefault(str(known.get("id") or len(thread)), known)
    for id_, messages in threads.items():
        yield Unread(id_, functools.partial(_conversation, id_, list(messages.values())))


def _conversation(thread: str, messages: list[Any]) -> ChatLog:
    ordered = sorted(messages, key=lambda message: message["created_at"])
    return conversation_of(thread, ordered, id=thread)
