"""Reads LlamaIndex conversations, from the file of a chat store or the database of a memory."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import Unread, make_stand_in, reason
from memzoo.hosts.exports.files import parse
from memzoo.hosts.exports.messages import conversation_of
from memzoo.hosts.migrate.histories import by_session, parse_json, rows
from memzoo.memories.text.messages import tool_call

_QUERY = "SELECT key, timestamp, data FROM llama_index_memory ORDER BY timestamp, id"


def llama_index(source: str) -> Iterator[Unread]:
    """Yield the conversations in a `SimpleChatStore`'s file or a `Memory`'s database, including archived messages."""
    return _of_database(source) if "://" in source else _of_file(source)


def _of_file(source: str) -> Iterator[Unread]:
    try:
        document = parse(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise TransferError(str(error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise TransferError(f"this is not JSON: {reason(error)}") from error
    match document:
        case {"store": dict(store)}:
            sessions: dict[str, Any] = store
        case _:
            raise TransferError("it is not the file of a SimpleChatStore: it has no 'store'")
    for key, items in sessions.items():
        if isinstance(items, list):
            yield Unread(key, functools.partial(conversation_of, key, items, _message))  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield make_stand_in(key, f"this is not a list of messages: {items!r:.80}")


def _of_database(url: str) -> Iterator[Unread]:
    found = rows(url, _QUERY, "Memory of LlamaIndex")
    yield from by_session(((row["key"], row) for row in found), _of_row)


def _of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    # LlamaIndex's timestamps are nanoseconds since 1970.
    return _message({**parse_json(row["data"]), "created_at": row["timestamp"] / 10**9})


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in OpenAI's form, without the model's reasoning."""
    if not {"blocks", "content"} & item.keys():
        raise TransferError("it has neither 'blocks' nor 'content'")
    more: Mapping[str, Any] = item.get("additional_kwargs") or {}
    blocks: Sequence[Mapping[str, Any]] = item.get("blocks") or ()
    calls = [
        tool_call(
            str(block.get("tool_call_id") or block["tool_name"]), block["tool_name"], block.get("tool_kwargs") or {}
        )
        for block in blocks
        if block["block_type"] == "tool_call"
    ]
    known = {key: more[key] for key in ("tool_calls", "tool_call_id", "name") if more.get(key)}
    if calls:
        known["tool_calls"] = calls
    parts = [part for block in blocks if (part := _part(block))] or item.get("content") or ""
    return {"role": item["role"], "content": parts, "created_at": item.get("created_at"), **known}


def _part(block: Mapping[str, Any]) -> dict[str, Any] | None:
    if block["block_type"] == "text":
        return {"type": "text", "text": block["text"]}
    if block["block_type"] == "image" and block.get("url"):
        return {"type": "image_url", "image_url": {"url": str(block["url"])}}
    return None if block["block_type"] in ("tool_call", "thinking") else {"type": str(block["block_type"])}
