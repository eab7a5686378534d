"""LangChain's message histories: in SQL databases, on Redis, of MongoDB."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import named
from memzoo.stores.errors import MissingExtraError, TransferError

__all__ = ["langchain_mongo", "langchain_redis", "langchain_sql", "rows"]

_ASYNC = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}
_PREFIX = "message_store:"
_HEX = 16


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


def langchain_redis(source: str) -> Iterator[ChatLog]:
    """What a `RedisChatMessageHistory` keeps: lists of messages, newest first.

    Args:
        source: `redis://host:6379/0`, `rediss://...` or `unix://...`, with `#prefix:` behind it if the keys do not
            begin with `message_store:`; or a file with a line of JSON for each key: `{"key": ..., "value": [...]}`.
    """
    url, _, prefix = source.partition("#")
    prefix = prefix or _PREFIX
    kept = _of_redis(url, prefix) if "://" in url else _of_lines(source, "key", "value")
    for key, messages in kept:
        said = [json.loads(message) if isinstance(message, str) else message for message in messages]
        yield from named(said[::-1], str(key).removeprefix(prefix))


def langchain_mongo(source: str) -> Iterator[ChatLog]:
    """What a `MongoDBChatMessageHistory` keeps: a document for each message, in the order of their ids.

    Args:
        source: A file with a line of JSON for each document: `{"_id": ..., "SessionId": ..., "History": ...}`.
    """
    if "://" in source:
        raise TransferError("MongoDB is read from a file with a line of JSON for each document, not from a URL")
    sessions: dict[str, list[Any]] = {}
    for document in sorted(_documents(source, "SessionId", "History"), key=lambda one: str(one.get("_id", ""))):
        history: Any = document["History"]
        message: Any = json.loads(history) if isinstance(history, str) else history
        said_at = _time_of(document.get("_id"))
        sessions.setdefault(str(document["SessionId"]), []).append({**message, "created_at": said_at})
    for session, messages in sessions.items():
        yield from named(messages, session)


def _time_of(object_id: Any) -> int | None:
    """When MongoDB gave an id, in seconds since 1970: its first four bytes say so."""
    identity: Any = object_id.get("$oid") if isinstance(object_id, Mapping) else object_id  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        return int(str(identity)[:8], _HEX)
    except ValueError:
        return None


def _of_redis(url: str, prefix: str) -> Iterator[tuple[str, list[Any]]]:
    try:
        import redis
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("import --from langchain-redis", "redis") from error
    try:
        with redis.Redis.from_url(url, decode_responses=True) as client:
            for key in sorted(client.scan_iter(f"{prefix}*")):
                yield key, client.lrange(key, 0, -1)
    except (redis.RedisError, ValueError) as error:
        raise TransferError(f"Redis cannot be read as that of a RedisChatMessageHistory: {error}") from error


def _of_lines(source: str, key: str, value: str) -> Iterator[tuple[str, list[Any]]]:
    for document in _documents(source, key, value):
        yield str(document[key]), list(document[value])


def _documents(source: str, *needed: str) -> Iterator[dict[str, Any]]:
    """The lines of a file, each a JSON object with these members."""
    try:
        lines = Path(source).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise TransferError(f"{source} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _object(line, f"{source}, line {number}", needed)


def _object(line: str, place: str, needed: tuple[str, ...]) -> dict[str, Any]:
    try:
        found: Any = json.loads(line)
    except ValueError as error:
        raise TransferError(f"{place} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict) or any(name not in found for name in needed):
        raise TransferError(f"{place} must be an object with {' and '.join(map(repr, needed))}")
    return found  # pyright: ignore[reportUnknownVariableType]
