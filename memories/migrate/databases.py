"""Conversations in SQL databases: LangChain's message histories."""

import json
from collections.abc import Iterator
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import named
from memzoo.stores.errors import TransferError

__all__ = ["langchain_sql", "rows"]

_ASYNC = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}


def langchain_sql(url: str) -> Iterator[ChatLog]:
    """The table of a `SQLChatMessageHistory` in any database that SQLAlchemy knows."""
    sessions: dict[str, list[Any]] = {}
    for row in rows(url, "SELECT session_id, message FROM message_store ORDER BY id", "SQLChatMessageHistory"):
        sessions.setdefault(str(row["session_id"]), []).append(json.loads(row["message"]))
    for session, messages in sessions.items():
        yield from named(messages, session)


def rows(url: str, query: str, kind: str) -> list[dict[str, Any]]:
    """What a query finds.

    Args:
        url: The database, as SQLAlchemy writes it; an asynchronous driver is replaced by its synchronous twin.
        query: `SELECT ... FROM table ...`.
        kind: What keeps such a table, for the error.

    Raises:
        TransferError: There is no such database, or it has no such table.
    """
    from sqlalchemy import create_engine, make_url, text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        place = make_url(url)
        engine = create_engine(place.set(drivername=_ASYNC.get(place.drivername, place.drivername)))
        with engine.connect() as connection:
            found: list[dict[str, Any]] = [dict(row) for row in connection.execute(text(query)).mappings()]
        engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        table = query.partition(" FROM ")[2].split()[0]
        raise TransferError(
            f"the database cannot be read as that of a {kind} (table {table}): {type(error).__name__}"
        ) from error
    return found
