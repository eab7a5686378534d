"""Shared parts of all readers, which read each conversation separately; and the readers of JSON files."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, make_stand_in, reason
from memzoo.hosts.exports.messages import (
    conversation_of,
)
from memzoo.hosts.exports.readers import chatgpt as chatgpt_export

__all__ = [
    "by_session",
    "chatgpt",
    "langchain_file",
    "openai_threads",
    "read_json",
]


def read_json(source: str) -> Any:
    """Return the value in a JSON file.

    Raises:
        TransferError: The file cannot be read, or is not JSON.
    """
    try:
        return json.loads(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise TransferError(f"{source} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TransferError(f"{source} cannot be read as JSON: {reason(error)}") from error


def by_session(said: Iterable[tuple[Any, Any]], item_of: Callable[[Any], Any] = lambda item: item) -> Iterator[Unread]:
    """Yield the conversations of messages that are given with the ids of their conversations, oldest first.

    Args:
        said: Pairs of a conversation's id and a message.
        item_of: See `conversation_of`.
    """
    sessions: dict[str, list[Any]] = {}
    for number, (session, message) in enumerate(said, start=1):
        if session is None:
            yield make_stand_in(f"message {number}", "it does not say to which conversation it belongs")
        else:
            sessions.setdefault(str(session), []).append(message)
    for session, messages in sessions.items():
        yield Unread(session, functools.partial(conversation_of, session, messages, item_of))


def langchain_file(source: str) -> Iterator[Unread]:
    """Yield the conversation in a `FileChatMessageHistory`'s file, with the file's name as title."""
    title = Path(source).stem
    yield Unread(title, functools.partial(conversation_of, title, _list_in(read_json(source), source)))


def chatgpt(source: str) -> Iterator[Unread]:
    """Yield the conversations of ChatGPT's export, `conversations.json`."""
    for number, item in enumerate(_as_list(read_json(source)), start=1):
        known: dict[str, Any] = item if isinstance(item, dict) else {}
        title = known.get("conversation_id") or known.get("id") or known.get("title") or f"conversation {number}"
        if isinstance(known.get("mapping"), dict):
            yield Unread(str(title), functools.partial(_of_chatgpt, known, str(title)))
        else:
            yield make_stand_in(str(title), "it has no tree of messages ('mapping')")


def _of_chatgpt(item: dict[str, Any], title: str) -> ChatLog:
    [log] = chatgpt_export.read(item, title)
    return replace(log, title=title)


def openai_threads(source: str) -> Iterator[Unread]:
    """Yield the threads in a JSON file with pages from `threads.messages.list`; messages may be in either order."""
    threads: dict[str, list[Any]] = {}
    for number, page in enumerate(_as_list(read_json(source)), start=1):
        if not isinstance(page, dict) or not isinstance(page.get("data", []), list):  # pyright: ignore[reportUnknownMemberType]
            yield make_stand_in(f"page {number}", "this is not a page of messages with 'data'")
            continue
        messages: list[Any] = cast("dict[str, Any]", page).get("data", [])
        for place, message in enumerate(messages, start=1):
            thread: Any = cast("dict[str, Any]", message).get("thread_id") if isinstance(message, dict) else None
            if thread is None:
                yield make_stand_in(f"message {place} of page {number}", "it does not say to which thread it belongs")
            else:
                threads.setdefault(str(thread), []).append(message)
    for thread, messages in threads.items():
        yield Unread(thread, functools.partial(_of_thread, thread, messages))


def _of_thread(thread: str, messages: list[Any]) -> ChatLog:
    # Overlapping pages, and pages saved twice, repeat messages.
    once = {str(message["id"]): message for message in messages}
    return conversation_of(thread, sorted(once.values(), key=lambda message: message["created_at"]))


def _list_in(document: Any, source: str) -> list[Any]:
    if not isinstance(document, list):
        raise TransferError(f"{source} is not a list of messages")
    return document  # pyright: ignore[reportUnknownVariableType]


def _as_list(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]  # pyright: ignore[reportUnknownVariableType]
