"""Reads LangChain's message histories in SQL databases, Redis and MongoDB."""

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, make_stand_in, reason
from memzoo.hosts.exports.messages import conversation_of

_ASYNC = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}
_PREFIX = "message_store:"
_HEX = 16


def by_session(said: Iterable[tuple[Any, Any]], item_of: Callable[[Any], Any] = lambda item: item) -> Iterator[Unread]:
    """Group messages by conversation, and yield the conversations in the order of their first messages.

    Args:
        said: Pairs of a conversation's id and an item that contains a message, oldest first.
        item_of: A function that returns the message of an item.
    """
    sessions: dict[str, list[Any]] = {}
    for number, (session, message) in enumerate(said, start=1):
        if session is None:
            yield make_stand_in(f"message {number}", "it does not say to which conversation it belongs")
        else:
            sessions.setdefault(str(session), []).append(message)
    for session, messages in sessions.items():
        yield Unread(session, functools.partial(conversation_of, session, messages, item_of))


def langchain_sql(url: str) -> Iterator[Unread]:
    """Yield the conversations in a `SQLChatMessageHistory`'s table, in any database that SQLAlchemy supports.

    Args:
        url: The database's URL, followed by `#table` if the table is not called `message_store`.
    """
    url, _, named = url.partition("#")
    table = named or "message_store"
    if not re.fullmatch(r"\w+(\.\w+)?", table):
        raise TransferError(f"{table!r} is not the name of a table")
    found = rows(url, f"SELECT session_id, message FROM {table} ORDER BY id", "SQLChatMessageHistory")  # noqa: S608
    yield from by_session(((row["session_id"], row["message"]) for row in found), json.loads)


def rows(url: str, query: str, kind: str) -> list[dict[str, Any]]:
    """Return the rows of a query in an SQL database.

    Args:
        url: The database's URL for SQLAlchemy; an asynchronous driver is replaced with the synchronous one.
        query: The query, of the form `SELECT ... FROM table ...`.
        kind: The program that writes such tables, for error messages.

    Raises:
        TransferError: The database or the table does not exist.
    """
    from sqlalchemy import create_engine, event, make_url, text
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    try:
        place = make_url(url)
        if place.drivername.startswith("sqlite") and not Path(place.database or "").is_file():
            raise TransferError(f"there is no file {place.database}")
        engine = create_engine(place.set(drivername=_ASYNC.get(place.drivername, place.drivername)))
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _read_all_text)
        with ExitStack() as stack:
            stack.callback(engine.dispose)
            connection = stack.enter_context(engine.connect())
            return [dict(row) for row in connection.execute(text(query)).mappings()]
    except ArgumentError as error:
        raise TransferError(f"{url} is not the URL of a database, such as sqlite:///old.db") from error
    except (SQLAlchemyError, ImportError) as error:
        table = query.partition(" FROM ")[2].split()[0]
        raise TransferError(
            f"the database cannot be read as a {kind} (table {table}): {type(error).__name__}"
        ) from error


def _read_all_text(connection: Any, _: Any) -> None:
    """Make a connection accept invalid UTF-8, so that only the invalid message is refused, after the query."""
    connection.text_factory = functools.partial(str, encoding="utf-8", errors="surrogateescape")


def langchain_redis(source: str) -> Iterator[Unread]:
    """Yield the conversations of a `RedisChatMessageHistory`.

    Args:
        source: A URL (`redis://host:6379/0`, `rediss://...` or `unix://...`), or a file with one line of JSON per key:
            `{"key": ..., "value": [...]}`. If your keys begin with `chat:` instead of `message_store:`, add
            `#chat:` to the end of the URL or file name.
    """
    url, _, prefix = source.partition("#")
    prefix = prefix or _PREFIX
    if "://" in url:
        yield from _of_redis(url, prefix)
        return
    for one in _documents(source, "key", "value"):
        if isinstance(one, Unread):
            yield one
        elif isinstance(value := one["value"], list):
            title = str(one["key"]).removeprefix(prefix)
            yield Unread(title, functools.partial(_of_list, title, value))  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield make_stand_in(str(one["key"]), f"'value' is not a list: {value!r:.80}")


def _of_list(title: str, newest_first: list[Any]) -> ChatLog:
    return conversation_of(title, reversed(newest_first), parse_json)


def langchain_mongo(source: str) -> Iterator[Unread]:
    """Yield the conversations of a `MongoDBChatMessageHistory`.

    Args:
        source: A file with one line of JSON per document: `{"_id": ..., "SessionId": ..., "History": ...}`.
    """
    if "://" in source:
        raise TransferError("MongoDB is read from a file with a line of JSON for each document, not from a URL")
    documents: list[dict[str, Any]] = []
    for one in _documents(source, "SessionId", "History"):
        if isinstance(one, Unread):
            yield one
        else:
            documents.append(one)
    in_order = sorted(documents, key=lambda one: str(one.get("_id", "")))
    yield from by_session(((one["SessionId"], one) for one in in_order), _of_document)


def _of_document(one: dict[str, Any]) -> dict[str, Any]:
    return {**parse_json(one["History"]), "created_at": _time_of(one.get("_id"))}


def parse_json(value: Any) -> Any:
    """Parse a value if it is a text, because some programs write JSON inside JSON; return other values unchanged."""
    return json.loads(value) if isinstance(value, str) else value


def _time_of(object_id: Any) -> int | None:
    """Return the time in the first four bytes of a MongoDB id, in seconds since 1970; `None` for an invalid id."""
    identity: Any = object_id.get("$oid") if isinstance(object_id, Mapping) else object_id  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        return int(str(identity)[:8], _HEX)
    except ValueError:
        return None


def _of_redis(url: str, prefix: str) -> Iterator[Unread]:
    try:
        import redis
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("import --from langchain-redis", "redis") from error
    try:
        with redis.Redis.from_url(url, decode_responses=True) as client:
            for key in sorted(client.scan_iter(f"{prefix}*")):
                title = str(key).removeprefix(prefix)
                yield Unread(title, functools.partial(_of_key, client, key, title))
    except (redis.RedisError, ValueError) as error:
        raise TransferError(f"Redis cannot be read as a RedisChatMessageHistory: {error}") from error


def _of_key(client: Any, key: str, title: str) -> ChatLog:
    return _of_list(title, client.lrange(key, 0, -1))


def _documents(source: str, *needed: str) -> Iterator[dict[str, Any] | Unread]:
    """Yield the JSON object in each line of a file; for a line that lacks a needed member, yield a stand-in."""
    try:
        lines = Path(source).read_bytes().splitlines()
    except OSError as error:
        raise TransferError(str(error.strerror)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield make_stand_in(f"line {number}", f"it cannot be read as JSON: {reason(error)}")
            continue
        if isinstance(found, dict) and all(name in found for name in needed):
            yield found  # pyright: ignore[reportUnknownVariableType]
        else:
            yield make_stand_in(f"line {number}", f"it must be an object with {' and '.join(map(repr, needed))}")
