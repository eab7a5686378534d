"""Reads SQLite files of agent frameworks: sessions of OpenAI Agents, and checkpoints of LangGraph."""

import functools
import importlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, make_stand_in
from memzoo.hosts.exports.messages import conversation_of, is_message, spell_out

_EXPECTED = "the sessions of OpenAI Agents (table agent_messages) or LangGraph's checkpoints (table checkpoints)"

# The most levels of nested objects: LangGraph has a few, and each level takes space on the stack.
_DEEPEST = 8

# Read invalid UTF-8 too, so that only that message is refused later, and not the query.
_TEXT = functools.partial(str, encoding="utf-8", errors="surrogateescape")

_NEWEST = """
select thread_id, type, checkpoint from checkpoints where checkpoint_ns = '' and checkpoint_id = (
    select max(checkpoint_id) from checkpoints as newest
    where newest.thread_id = checkpoints.thread_id and newest.checkpoint_ns = ''
) order by thread_id
"""


def read_sessions(path: str | Path) -> Iterator[Unread]:
    """Yield the conversations of an SQLite file, without writing to it.

    Call the `read` of each `Unread` before you take the next one.

    Raises:
        TransferError: The file has none of the known tables, or cannot be read.
        MissingExtraError: The file is LangGraph's, and msgpack is not installed.
    """
    try:
        with closing(_open_read_only(Path(path))) as database:
            database.text_factory = _TEXT
            tables = {str(name) for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
            if "agent_messages" in tables:
                yield from _agents(database)
            elif "checkpoints" in tables:
                yield from _checkpoints(database)
            else:
                raise TransferError(f"{path}: expected {_EXPECTED}; there are the tables {', '.join(sorted(tables))}")
    except sqlite3.Error as error:
        raise TransferError(f"{path} cannot be read as {_EXPECTED}: {error}") from error


def _open_read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _agents(database: sqlite3.Connection) -> Iterator[Unread]:
    sessions = database.execute("select distinct session_id from agent_messages order by session_id").fetchall()
    for (session,) in sessions:
        if session is None:
            yield make_stand_in("messages of no session", "they do not say to which conversation they belong")
            continue
        yield Unread(str(session), functools.partial(_of_session, database, session))


def _of_session(database: sqlite3.Connection, session: Any) -> ChatLog:
    rows = database.execute(
        "select message_data, created_at from agent_messages where session_id = ? order by id", (session,)
    )
    items = [json.loads(data) | {"created_at": created} for data, created in rows]
    # Leave out results of tools other than functions, which are items without a role.
    return conversation_of(str(session), (item for item in items if is_message(item) or not _is_other_item(item)))


def _is_other_item(item: dict[str, Any]) -> bool:
    return isinstance(item.get("type"), str) and item["type"] != "message" and "role" not in item


def _checkpoints(database: sqlite3.Connection) -> Iterator[Unread]:
    """Yield each thread as a conversation, with the messages of its newest checkpoint."""
    for thread, kind, data in database.execute(_NEWEST):
        yield Unread(str(thread), functools.partial(_of_checkpoint, str(thread), kind, data))


def _of_checkpoint(thread: str, kind: Any, data: Any) -> ChatLog:
    document: Any = json.loads(data) if kind == "json" else _unpack(data)
    values: dict[str, Any] = document.get("channel_values") or {}
    if not isinstance(values.get("messages", []), list):
        raise TransferError(f"its 'messages' are not a list: {values['messages']!r:.80}")
    # Short forms are read only in "messages": other channels may be lists of anything, even of plain texts.
    channels = {**values, "messages": [*map(spell_out, values.get("messages", []))]}
    lists = [one for one in channels.values() if isinstance(one, list) and any(map(is_message, one))]
    return conversation_of(thread, max(lists, key=lambda one: sum(map(is_message, one)), default=[]))


def _unpack(data: bytes, depth: int = 0) -> Any:
    """Return the value in MessagePack data, without calling or importing anything from the data.

    LangGraph's extensions are Python objects. An object with fields becomes a dict of its fields, with the name of its
    class as "type" if no field has that name. Any other object becomes the arguments of its constructor.

    Raises:
        ValueError: The data is not MessagePack.
    """
    try:
        msgpack: Any = importlib.import_module("msgpack")
    except ImportError as error:
        raise MissingExtraError.of("reading LangGraph's checkpoints", "migrate") from error

    def rebuild(_: int, inner: bytes) -> Any:
        match _unpack(inner, depth + 1):
            case [_, str(name), dict(fields), *_]:
                return {"type": name, **fields}
            case [_, _, given, *_]:
                return given
            case value:
                return value

    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    try:
        return msgpack.unpackb(data, ext_hook=rebuild, strict_map_key=False, unicode_errors="replace")
    except (msgpack.UnpackException, TypeError) as error:
        raise ValueError(f"not MessagePack: {error!r}") from error
