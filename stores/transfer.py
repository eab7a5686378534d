"""Copies conversations, and the states learnt from them, between stores as JSON Lines."""

import base64
import hashlib
import json
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from memzoo.errors import OptionError, StoreError, TransferError
from memzoo.plugins import load_plugin, make_plugin_error, plugins
from memzoo.stores.base import JSON, Entry, Message, Store, StoredState, managed
from memzoo.stores.common import check_numbers
from memzoo.stores.tombstones import tombstones_of
from memzoo.sync import blocking_function, iterated

FORMAT: Final = 1
"""The version of the format; files of newer versions are refused."""

_PAGE = 500
_MOST = 2**53  # the largest number that every program that handles JSON takes
_FLOAT = 4  # bytes of a number in an embedding

_FOREIGN = "this is not a conversation exported by memzoo (`memzoo import` reads those of other programs)"

_CHECKS = "memzoo.import_checks"
"""The group of entry points that check whether strategies can load imported states.

An entry point is a coroutine function that takes a log's entries and the states by name. It changes nothing, and raises
a `ValueError` if a strategy cannot continue from a state. This module itself has no access to the strategies.
"""


async def _write_lines(store: Store, conversation_id: str) -> AsyncGenerator[str]:
    lines, digest = 0, hashlib.sha256()
    async for values in _export(store, conversation_id):
        lines += 1
        line = f"{json.dumps(values)}\n"
        digest.update(line.encode())
        yield line
    yield f"{json.dumps({'end': lines, 'sha256': digest.hexdigest()})}\n"


async def _export(store: Store, conversation_id: str) -> AsyncGenerator[dict[str, Any]]:
    if not await store.read(conversation_id, limit=1):
        raise StoreError(f"there is no conversation {conversation_id!r}")
    buried = await tombstones_of(store, conversation_id)
    yield {"memzoo": "conversation", "format": FORMAT, "conversation_id": conversation_id}
    # Read the states first: the messages read later then include every message that the states have learnt from.
    versions: dict[str, int] = {}
    for name in await managed(store, "states").states(conversation_id):
        state = await store.read_state(conversation_id, name)
        versions[name] = state.version
        yield {"state": name, "watermark": state.watermark}
        for key, value in state.changes.items():
            yield {"state": name, "item": key, "value": value}
        for seq, vector in (await managed(store, "embeddings").embeddings(conversation_id, name)).items():
            yield {"state": name, "seq": seq, "embedding": base64.b64encode(vector).decode()}
    last = 0
    while page := await store.read(conversation_id, after=last, limit=_PAGE):
        for entry in page:
            values = {"seq": entry.seq, "turn_id": entry.turn_id, "created_at": entry.created_at.isoformat()}
            yield {**values, "message": entry.message, "fields": dict(entry.fields)}
        last = page[-1].seq
    for turn in buried:
        yield {"tombstone": turn}
    resets = [(await store.read_state(conversation_id, name, since=old)).reset for name, old in versions.items()]
    if any(resets) or await tombstones_of(store, conversation_id) != buried:
        raise StoreError(f"something of {conversation_id!r} was deleted while it was exported; export it again")


def export_conversation(store: Store, conversation_id: str) -> Generator[str]:
    """Yield a conversation as lines of JSON: header, states, messages, tombstones, and a footer with a checksum.

    In a coroutine, run this in a thread: `await asyncio.to_thread(list, export_conversation(store, "anna"))`.

    Raises:
        StoreError: The conversation does not exist, or part of it was deleted during the export.

    Example:
        >>> from memzoo.stores import InMemoryStore, Record
        >>> from memzoo.sync import drive
        >>> store = InMemoryStore()
        >>> _ = drive(store.append("a", [Record({"role": "user", "content": "hi"})], turn_id="1"))
        >>> lines = list(export_conversation(store, "a"))
        >>> import_conversation(store, lines, "b")
        'b'
        >>> [entry.message["content"] for entry in drive(store.read("b"))]
        ['hi']
    """
    return iterated(_write_lines(store, conversation_id))


async def aimport_conversation(store: Store, lines: Iterable[str], conversation_id: str | None = None) -> str:
    """Write an exported conversation into a store, all or nothing.

    Args:
        store: The store to write to.
        lines: The lines from `export_conversation`, such as a file opened as UTF-8 text.
        conversation_id: The conversation's new id; by default, the old id.

    Returns:
        The conversation's id.

    Raises:
        TransferError: The lines are not an export, were cut off or changed, or come from a newer memzoo; or a strategy
            cannot load its state. Nothing was stored.
        OptionError: The id is not a string, or is empty; nothing was stored.
        ConflictError: The store already has a conversation with this id; nothing was stored.
        PluginError: An installed package that checks imports cannot be loaded; nothing was stored.
    """
    found = _read(lines)
    states = await _check_states(found)
    id_ = found.conversation_id if conversation_id is None else conversation_id
    # No memory could open it.
    if not isinstance(id_, str) or not id_:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"conversation_id must be a non-empty string, not {id_!r}; nothing was stored")
    await managed(store, "restore").restore(id_, found.entries, states, tombstones=found.tombstones)
    return id_


import_conversation = blocking_function(aimport_conversation)


def _read(lines: Iterable[str]) -> "_Export":
    """Return the contents of a whole export.

    Raises:
        TransferError: The lines are not an export, were cut off, or include a wrong line.
    """
    found, number = _Export(), 0
    try:
        for number, line in enumerate(lines, start=1):  # noqa: B007 - the error names it
            found.take(line)
    except UnicodeDecodeError as error:
        raise TransferError(f"after line {number}: the file is not UTF-8 text; nothing was stored") from error
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        why = _FOREIGN if isinstance(error, json.JSONDecodeError) and not found.lines else error
        raise TransferError(f"line {number}: {why}; nothing was stored") from error
    if not found.ended:
        raise TransferError(f"the file ends after {found.lines} lines, before its last one; nothing was stored")
    return found


async def _check_states(found: "_Export") -> dict[str, StoredState]:
    """Return the states to store, after checking that strategies can load them.

    Raises:
        TransferError: A strategy cannot load one of the states.
    """
    try:
        check_numbers(found.entries)
        last = found.entries[-1].seq
        states = {name: _check_state(last, name, state) for name, state in found.states.items()}
        for plugin in plugins(_CHECKS):
            check: Callable[..., object] = load_plugin(plugin)
            checking = check(found.entries, states)
            if not isinstance(checking, Awaitable):
                raise make_plugin_error(plugin, f"must be a coroutine of entries and states, not {check!r}")
            await checking
    except (ValueError, StoreError) as error:
        raise TransferError(f"{error}; nothing was stored") from error
    return states


def _check_state(last: int, name: str, state: StoredState) -> StoredState:
    """Return a state, after checking that it covers no more messages than the log has.

    When the last messages are forgotten, a state of embeddings alone keeps its watermark. Such a watermark is set back
    to the last message left.

    Raises:
        ValueError: The state covers more messages, or its embeddings cannot be searched together.
    """
    if state.watermark > last and (state.items or not state.embeddings):
        raise ValueError(f"the state {name!r} has taken in {state.watermark} messages, but the last one is {last}")
    if any(not 1 <= seq <= last for seq in state.embeddings):
        raise ValueError(f"the state {name!r} has embeddings of missing messages")
    if len({len(vector) for vector in state.embeddings.values()}) > 1:
        raise ValueError(f"the state {name!r} has embeddings of different lengths")
    return replace(state, watermark=min(state.watermark, last))


def _entry_of_json(seq: int, turn_id: str, created_at: str, message: Message, fields: dict[str, str | None]) -> Entry:
    time = datetime.fromisoformat(created_at)
    if time.tzinfo is None:
        raise ValueError(f"the time {created_at!r} has no time zone")
    values: list[Any] = list(fields.values())
    if not all(value is None or isinstance(value, str) for value in values):
        raise TypeError(f"the fields of a message must be strings or null, not {fields!r}")
    return Entry(_number(seq, at_least=1), message, turn_id, time.astimezone(UTC), fields)


def _number(number: int, *, at_least: int) -> int:
    if isinstance(number, bool) or not at_least <= number <= _MOST:
        raise ValueError(f"{number} is not a number from {at_least} to 2^53")
    return number


def _vector(text: str) -> bytes:
    vector = base64.b64decode(text, validate=True)
    if not vector or len(vector) % _FLOAT or not all(map(math.isfinite, memoryview(vector).cast("f"))):
        raise ValueError("an embedding is one or more finite float32 numbers")
    return vector


def _parse(line: str) -> Any:
    def finite(text: str) -> float:
        if not math.isfinite(number := float(text)):
            raise ValueError(f"{text} is not JSON")
        return number

    return json.loads(line, parse_float=finite, parse_constant=finite)


@dataclass
class _Export:
    """The part of an export read so far."""

    conversation_id: str = ""
    entries: list[Entry] = field(default_factory=list[Entry])
    states: dict[str, StoredState] = field(default_factory=dict[str, StoredState])
    items: dict[str, dict[str, JSON]] = field(default_factory=dict[str, dict[str, JSON]])
    embeddings: dict[str, dict[int, bytes]] = field(default_factory=dict[str, dict[int, bytes]])
    tombstones: set[str] = field(default_factory=set[str])
    digest: Any = field(default_factory=hashlib.sha256)
    lines: int = 0
    ended: bool = False

    def take(self, line: str) -> None:
        """Add a line to the export.

        Raises:
            ValueError, TypeError, KeyError, OverflowError: The line is wrong at this position.
        """
        self._take(_parse(line))
        self.lines += 1
        # Accept any line ends, because files are copied between systems.
        self.digest.update(line.rstrip("\r\n").encode(errors="surrogatepass") + b"\n")

    def _take(self, values: Any) -> None:
        match values:
            case _ if self.ended:
                raise ValueError("something follows the last line")
            case {"memzoo": "conversation", "format": int(version), "conversation_id": str(id_)} if not self.lines:
                self._begin(version, id_)
            case _ if not self.lines:
                raise ValueError(_FOREIGN)
            case {"seq": int(), "turn_id": str(), "message": {"role": str()}, "fields": dict()}:
                self.entries.append(_entry_of_json(**values))
            case {"state": str(name), "watermark": int(watermark)} if name not in self.states:
                self.items[name], self.embeddings[name] = {}, {}
                watermark = _number(watermark, at_least=0)
                self.states[name] = StoredState(watermark, self.items[name], self.embeddings[name])
            case {"state": str(name), "item": str(key), "value": value}:
                self.items[name][key] = value
            case {"state": str(name), "seq": int(seq), "embedding": str(vector)}:
                self.embeddings[name][_number(seq, at_least=1)] = _vector(vector)
            case {"tombstone": str(turn)}:
                self.tombstones.add(turn)
            case {"end": lines}:
                self._end(lines, values.get("sha256"))
            case _:
                raise ValueError(f"this line is unknown: {str(values)[:100]}")

    def _begin(self, version: int, conversation_id: str) -> None:
        if version > FORMAT:
            known = f"this memzoo reads formats up to {FORMAT}"
            raise ValueError(f"the file has format {version}, but {known}; upgrade it")
        self.conversation_id = conversation_id

    def _end(self, lines: object, digest: object) -> None:
        if digest is None:
            raise ValueError(
                "the file's last line lacks 'sha256', by which it is known to be whole: export the conversation again"
            )
        if lines != self.lines:
            raise ValueError(f"{lines} lines should come before this one, not {self.lines}")
        if digest != self.digest.hexdigest():
            raise ValueError("the lines before this one were changed")
        self.ended = True
