"""Reads a talk between people as a conversation of a user with others."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.messages import message_of

if TYPE_CHECKING:
    from memzoo.stores import Message

__all__ = ["talk_of"]


def talk_of(
    title: str,
    said: Iterable[tuple[str, Any, datetime | None]],
    *,
    owner: str = "",
    assistants: Iterable[str] = (),
    notes: Iterable[str] = (),
    id: str = "",  # noqa: A002 - the name of the attribute
) -> ChatLog:
    """Return a talk between people as a conversation; each message keeps the speaker's name.

    Args:
        title: The talk's title.
        said: Name, words and date of each message. The words are a text, or a list of texts and parts.
        owner: The name of the user. By default the first who speaks and is not an assistant, with a note.
        assistants: The names of programs, which are never the user.
        notes: Further notes.
        id: The talk's id in its export.
    """
    told, programs = list(notes), set(assistants)
    pairs: list[tuple[Message, datetime | None]] = []
    given = list(said)
    names = list(dict.fromkeys(name for name, _, _ in given))
    user = owner or next((name for name in names if name not in programs), "")
    if user and not owner:
        told.append(f"{user!r}, who speaks first, is the user (--user NAME chooses another)")
    for name, words, date in given:
        message = message_of({"role": "user" if name == user else "assistant", "content": words})
        if message is not None:
            pairs.append((message | ({"name": name} if name else {}), date))
    return ChatLog.of(title, pairs, told, id=id, sort=True)
