"""Reads Chatbox's export of its data: one JSON object with a key for each session."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.messages import dict_of

_SESSION = "session:"
# Before version 1.9, a message had a text in place of parts.
_FIELDS = Fields(text="contentParts|content", date="timestamp?", title="threadName|name|id", conversation="id")


def is_chatbox(document: Any) -> bool:
    """Return whether an object has Chatbox sessions."""
    return any(key.startswith(_SESSION) for key in document)


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield each session, and each thread of a session, as a conversation."""
    for session in (one for key, one in document.items() if key.startswith(_SESSION)):
        forks = sum(len(fork["lists"]) - 1 for fork in dict_of(session.get("messageForksHash")).values())
        yield from (_FIELDS.read(thread, str(session.get("name") or title)) for thread in session.get("threads") or ())
        yield _FIELDS.read(session, title, notes=[f"{count(forks, 'other branch')} left out"] if forks else [])
