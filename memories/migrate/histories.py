"""LangChain's message histories: in SQL databases, on Redis, of MongoDB."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memzoo.memories.migrate.chat_log import ChatLog
from memzoo.memories.migrate.documents import by_session
from memzoo.stores.errors import MissingExtraError, TransferError

__all__ = ["langchain_mongo", "langchain_redis", "langchain_sql", "parsed", "rows"]

_ASYNC = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}
_PREFIX = "message_store:"
_HEX = 16


def langchain_sql(url: str) -> Iterator[ChatLog]:
    """The table of a `SQLChatMessageHistory` in any database that SQLAlchemy knows.

    Args:
        url: The database, with `#table` behind it if the table is not called `message_store`.
    """
    url, _, named = url.partition("#")
    table = named or "message_store"
    if not re.fullmatch(r"\w+(\.\w+)?", table):
        raise TransferError(f"{table!r} is not the name of a table")
    found = rows(url, f"SELECT session_id, message FROM {table} ORDER BY id", "SQLChatMessageHistory")  # noqa: S608
    yield from by_session((str(row["session_id"]), json.loads(row["message"])) for row in found)


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
    kept = _of_redis(url, prefix) if "://" in url else _documents(source, "key", "value")
    said = ((str(one["key"]).removeprefix(prefix), message) for one in kept for message in reversed(one["value"]))
    yield from by_session((session, parsed(message)) for session, message in said)


def langchain_mongo(source: str) -> Iterator[ChatLog]:
    """What a `MongoDBChatMessageHistory` keeps: a document for each message, in the order of their ids.

    Args:
        source: A file with a line of JSON for each document: `{"_id": ..., "SessionId": ..., "History": ...}`.
    """
    if "://" in source:
        raise TransferError("MongoDB is read from a file with a line of JSON for each document, not from a URL")
    in_order = sorted(_documents(source, "SessionId", "History"), key=lambda one: str(one.get("_id", "")))
    yield from by_session(
        (str(one["SessionId"]), {**parsed(one["History"]), "created_at": _time_of(one.get("_id"))}) for one in in_order
    )


def parsed(value: Any) -> Any:
    """A JSON value that may be a text of JSON: libraries, or who exported from them, dump some of them once more."""
    return json.loads(value) if isinstance(value, str) else value


def _time_of(object_id: Any) -> int | None:
    """When MongoDB gave an id, in seconds since 1970: its first four bytes say so."""
    identity: Any = object_id.get("$oid") if isinstance(object_id, Mapping) else object_id  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        return int(str(identity)[:8], _HEX)
    except ValueError:
        return None


def _of_redis(url: str, prefix: str) -> Iterator[dict[str, Any]]:
    try:
        import redis
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("import --from langchain-redis", "redis") from error
    try:
        with redis.Redis.from_url(url, decode_responses=True) as client:
            for key in sorted(client.scan_iter(f"{prefix}*")):
                yield {"key": key, "value": client.lrange(key, 0, -1)}
    except (redis.RedisError, ValueError) as error:
        raise TransferError(f"Redis cannot be read as that of a RedisChatMessageHistory: {error}") from error


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
