"""Reads Chatbox's export of its data: one JSON object with a key for each session."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, date_of
from memzoo.hosts.exports.fields import need, role_at
from memzoo.hosts.exports.messages import messages_of
from memzoo.hosts.messages import dict_of
from memzoo.stores import Message

__all__ = ["is_chatbox", "read"]

_SESSION = "session:"


def is_chatbox(document: Any) -> bool:
    """Return whether an object has sessions of Chatbox."""
    return any(key.startswith(_SESSION) for key in document)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the sessions, and the threads of a session, each as a conversation."""
    for key, session in document.items():
        if not key.startswith(_SESSION):
            continue
        name = str(session.get("name") or session.get("id") or title)
        forks = sum(len(fork["lists"]) - 1 for fork in dict_of(session.get("messageForksHash")).values())
        notes = [f"{count(forks, 'other branch')} left out"] if forks else []
        for thread in session.get("threads") or ():
            yield _log(str(thread.get("name") or name), thread, [])
        yield _log(str(session.get("threadName") or name), session, notes)


def _log(name: str, talk: Any, notes: list[str]) -> ChatLog:
    said = [one for n, item in enumerate(need(talk, "messages", name), start=1) for one in _said(item, n)]
    return ChatLog.of(name, said, notes, id=str(talk.get("id") or ""))


def _said(one: Any, number: int) -> Iterator[tuple[Message, datetime | None]]:
    role = role_at(one, "role", number)
    # Before version 1.9, a message had a text in place of parts.
    content = one.get("contentParts") or one.get("content") or ""
    date = date_of(one.get("timestamp"))
    for message in messages_of({"role": role, "content": content}):
        yield message, date
