"""Puts conversations that another library keeps into a store."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import logs_of
from memzoo.memories.migrate.sessions import read_sessions
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, ManagedStore, Message, Record
from memzoo.stores.base import utc_now
from memzoo.stores.driving import blocking_function
from memzoo.stores.errors import TransferError

__all__ = ["READERS", "Imported", "aimport_logs", "import_logs", "read_logs"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a conversation.

    Attributes:
        conversation_id: Its id.
        read: How many messages the source has of it.
        written: How many of them are new in the store.
        digest: SHA-256 of the messages that were read, and of those that the store has now.
    """

    conversation_id: str
    read: int
    written: int
    digest: str


def read_logs(form: str, source: str) -> Iterator[ChatLog]:
    """The conversations of a source, each with its id as title; those without a message are left out.

    Args:
        form: One of `READERS`.
        source: A file, or the URL of a database.

    Raises:
        TransferError: The form is unknown, or the source cannot be read as that.
    """
    if form not in READERS:
        raise TransferError(f"memzoo cannot import from {form!r}; it can from {', '.join(READERS)}")
    found = False
    for log in READERS[form](source):
        if log.messages:
            found = True
            yield ChatLog(log.title, list(map(checked, log.messages)), log.dates)
    if not found:
        raise TransferError(f"{source} has no conversation in the form {form!r}")


async def aimport_logs(
    store: ManagedStore, logs: Iterator[ChatLog], *, dry_run: bool = False, clock: Callable[[], datetime] = utc_now
) -> list[Imported]:
    """Write conversations into a store; what is there already is not written again.

    Args:
        store: Where to.
        logs: See `read_logs`.
        dry_run: Only say what would be written.
        clock: Gives the time for messages whose own is not known.

    Raises:
        TransferError: The store has another conversation of that id, or does not give back what was written.
    """
    return [await _imported(store, log, dry_run=dry_run, clock=clock) for log in logs]


import_logs = blocking_function(aimport_logs)


async def _imported(store: ManagedStore, log: ChatLog, *, dry_run: bool, clock: Callable[[], datetime]) -> Imported:
    there = [entry.message for entry in await store.read(log.title)]
    said = list(log.messages)
    if there[: len(said)] != said[: len(there)]:
        raise TransferError(f"the store has another conversation {log.title!r}; nothing of this one was written")
    new, digest = said[len(there) :], _digest(said)
    if new and not dry_run:
        await (_append(store, log, len(there)) if there else _restore(store, log, clock))
        kept = [entry.message for entry in await store.read(log.title)]
        if _digest(kept) != digest:
            raise TransferError(f"the store gives back {log.title!r} otherwise than it was written")
    return Imported(log.title, len(said), len(new), digest)


async def _restore(store: ManagedStore, log: ChatLog, clock: Callable[[], datetime]) -> None:
    """Write a whole conversation, with its times; a message without one has that of the message before."""
    entries: list[Entry] = []
    said_at = next((date for date in log.dates if date), clock())
    for place, (message, date) in enumerate(zip(log.messages, log.dates, strict=True)):
        said_at = date.astimezone(UTC) if date else said_at
        entries.append(Entry(place + 1, message, _turn(log.messages, place), said_at))
    await store.restore(log.title, entries, {})


async def _append(store: ManagedStore, log: ChatLog, start: int) -> None:
    """Write what was said since the last import, turn by turn."""
    turns: dict[str, list[Message]] = {}
    for place in range(start, len(log.messages)):
        turns.setdefault(_turn(log.messages, place), []).append(log.messages[place])
    for turn, messages in turns.items():
        await store.append(log.title, list(map(Record, messages)), turn_id=f"{turn}-{start}")


def _turn(messages: Any, place: int) -> str:
    """The id of the turn of a message: it begins with the user's last one."""
    while place and messages[place]["role"] != "user":
        place -= 1
    return f"import-{place}"


def _digest(messages: list[Message]) -> str:
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()


def _document(source: str) -> Any:
    try:
        return json.loads(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise TransferError(f"{source} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TransferError(f"{source} cannot be read as JSON: {error}") from error


def _named(document: Any, title: str) -> Iterator[ChatLog]:
    for log in logs_of(document, title):
        yield ChatLog(title, log.messages, log.dates)


def _langchain_file(source: str) -> Iterator[ChatLog]:
    """The file of a `FileChatMessageHistory`, named like the file."""
    yield from _named(_document(source), Path(source).stem)


def _langchain_sql(source: str) -> Iterator[ChatLog]:
    """The table of `SQLChatMessageHistory` in any database that SQLAlchemy knows."""
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import SQLAlchemyError

    sessions: dict[str, list[Any]] = {}
    try:
        engine = create_engine(source)
        with engine.connect() as connection:
            for session, message in connection.execute(
                text("SELECT session_id, message FROM message_store ORDER BY id")
            ):
                sessions.setdefault(str(session), []).append(json.loads(message))
        engine.dispose()
    except (SQLAlchemyError, ValueError) as error:
        raise TransferError(
            f"the database cannot be read as that of a SQLChatMessageHistory (table message_store): "
            f"{type(error).__name__}"
        ) from error
    for session, messages in sessions.items():
        yield from _named(messages, session)


def _sessions(source: str) -> Iterator[ChatLog]:
    """The SQLite file of an agent framework."""
    yield from read_sessions(Path(source))


def _chatgpt(source: str) -> Iterator[ChatLog]:
    """What ChatGPT exports: `conversations.json`."""
    document = _document(source)
    items: list[Any] = document if isinstance(document, list) else [document]
    for item in items:
        yield from _named(item, str(item.get("conversation_id") or item.get("id") or item.get("title")))


def _openai_threads(source: str) -> Iterator[ChatLog]:
    """Pages of `threads.messages.list` as JSON: one of them, or a list of them, newest messages first or last."""
    document = _document(source)
    pages: list[Any] = document if isinstance(document, list) else [document]
    threads: dict[str, dict[str, Any]] = {}
    for message in (message for page in pages for message in page.get("data", ())):
        threads.setdefault(str(message["thread_id"]), {})[str(message["id"])] = message
    for thread, messages in threads.items():
        in_order = sorted(messages.values(), key=lambda message: message["created_at"])
        yield from _named([_of_thread(message) for message in in_order], thread)


def _of_thread(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = [
        {"type": "text", "text": part["text"]["value"]} if part.get("type") == "text" else part
        for part in message["content"]
    ]
    plain = parts[0]["text"] if len(parts) == 1 and parts[0].get("type") == "text" else parts
    return {"role": message["role"], "content": plain, "created_at": message["created_at"]}


READERS: Mapping[str, Callable[[str], Iterator[ChatLog]]] = {
    "langchain-sql": _langchain_sql,
    "langchain-file": _langchain_file,
    "langgraph": _sessions,
    "openai-agents": _sessions,
    "openai-threads": _openai_threads,
    "chatgpt": _chatgpt,
}
"""What can be imported from, each with its reader."""
