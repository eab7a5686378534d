"""Conversations in SQL databases: LangChain's message histories."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import named
from memzoo.stores.errors import TransferError

__all__ = ["langchain_sql", "rows"]

_ASYNC = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}


def langchain_sql(url: str) -> Iterator[ChatLog]:
    """The table of a `SQLChatMessageHistory` in any database that SQLAlchemy knows.

    Args:
        url: The database, with `#table` behind it if the table is not called `message_store`.
    """
    sessions: dict[str, list[Any]] = {}
    url, _, table = url.partition("#")
    query = f"SELECT session_id, message FROM {_named(table or 'message_store')} ORDER BY id"  # noqa: S608 - checked
    for row in rows(url, query, "SQLChatMessageHistory"):
        sessions.setdefault(str(row["session_id"]), []).append(json.loads(row["message"]))
    for session, messages in sessions.items():
        yield from named(messages, session)


def _named(table: str) -> str:
    if not re.fullmatch(r"\w+(\.\w+)?", table):
        raise TransferError(f"{table!r} is not the name of a table")
    return table


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
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    try:
        place = make_url(url)
        if place.drivername.startswith("sqlite") and not Path(place.database or "").is_file():
            raise TransferError(f"there is no file {place.database}")
        engine = create_engine(place.set(drivername=_ASYNC.get(place.drivername, place.drivername)))
        with engine.connect() as connection:
            found: list[dict[str, Any]] = [dict(row) for row in connection.execute(text(query)).mappings()]
        engine.dispose()
    except ArgumentError as error:
        raise TransferError(f"{url} is not the URL of a database, such as sqlite:///old.db") from error
    except (SQLAlchemyError, ImportError) as error:
        table = query.partition(" FROM ")[2].split()[0]
        raise TransferError(
            f"the database cannot be read as that of a {kind} (table {table}): {type(error).__name__}"
        ) from error
    return found
