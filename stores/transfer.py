"""Conversations as JSON Lines: out of one store, into another, with all that was learnt from them."""

import base64
import json
from collections.abc import AsyncGenerator, Generator, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from memzoo.stores.base import JSON, Entry, Message, Store, StoredState, managed
from memzoo.stores.driving import blocking_function, iterated
from memzoo.stores.errors import StoreError, TransferError

__all__ = ["FORMAT", "aexport_conversation", "aimport_conversation", "export_conversation", "import_conversation"]

FORMAT: Final = 1
"""The version of the format; a file of a newer one is refused."""

_PAGE = 500


async def aexport_conversation(store: Store, conversation_id: str) -> AsyncGenerator[str]:
    """A conversation as lines of JSON, line ends included: a header, states, messages, and a footer with counts.

    Raises:
        StoreError: There is no such conversation, or something of it was deleted while it was exported.
    """
    lines = 0
    async for values in _exported(store, conversation_id):
        lines += 1
        yield f"{json.dumps(values)}\n"
    yield f"{json.dumps({'end': lines})}\n"


async def _exported(store: Store, conversation_id: str) -> AsyncGenerator[dict[str, Any]]:
    if not await store.read(conversation_id, limit=1):
        raise StoreError(f"there is no conversation {conversation_id!r}")
    yield {"memzoo": "conversation", "format": FORMAT, "conversation_id": conversation_id}
    # States come first: the messages that are read after them are all that they have learnt from, or more.
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
            yield _of_entry(entry)
        last = page[-1].seq
    for name, version in versions.items():
        if (await store.read_state(conversation_id, name, since=version)).reset:
            raise StoreError(f"something of {conversation_id!r} was deleted while it was exported; export it again")


def export_conversation(store: Store, conversation_id: str) -> Generator[str]:
    """Like `aexport_conversation`, for synchronous code.

    Example:
        >>> from memzoo.stores import InMemoryStore, Record
        >>> from memzoo.stores.driving import drive
        >>> store = InMemoryStore()
        >>> _ = drive(store.append("a", [Record({"role": "user", "content": "hi"})], turn_id="1"))
        >>> lines = list(export_conversation(store, "a"))
        >>> import_conversation(store, lines, "b")
        'b'
        >>> [entry.message["content"] for entry in drive(store.read("b"))]
        ['hi']
    """
    return iterated(aexport_conversation(store, conversation_id))


async def aimport_conversation(store: Store, lines: Iterable[str], conversation_id: str | None = None) -> str:
    """Write an exported conversation into a store, as a whole or not at all.

    Args:
        store: Where to.
        lines: What `export_conversation` gave, such as a file opened as UTF-8 text.
        conversation_id: The id that it gets; by default the one that it had.

    Returns:
        The conversation's id.

    Raises:
        TransferError: The lines are no export, were cut off, or written by a newer memzoo; nothing was stored.
        ConflictError: The store has a conversation of this id; nothing was stored.
    """
    found = _Read()
    for number, line in enumerate(lines, start=1):
        try:
            found.take(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise TransferError(f"line {number}: {error}; nothing was stored") from error
    if not found.ended:
        raise TransferError(f"the file ends after {found.lines} lines, before its last one; nothing was stored")
    id_ = found.conversation_id if conversation_id is None else conversation_id
    await managed(store, "restore").restore(id_, found.entries, found.states)
    return id_


import_conversation = blocking_function(aimport_conversation)


def _of_entry(entry: Entry) -> dict[str, Any]:
    values = {"seq": entry.seq, "turn_id": entry.turn_id, "created_at": entry.created_at.isoformat()}
    return {**values, "message": entry.message, "fields": dict(entry.fields)}


def _entry(seq: int, turn_id: str, created_at: str, message: Message, fields: dict[str, str | None]) -> Entry:
    time = datetime.fromisoformat(created_at)
    if time.tzinfo is None:
        raise ValueError(f"the time {created_at!r} has no time zone")
    return Entry(seq, message, turn_id, time, fields)


@dataclass
class _Read:
    """What was read so far of an export."""

    conversation_id: str = ""
    entries: list[Entry] = field(default_factory=list[Entry])
    states: dict[str, StoredState] = field(default_factory=dict[str, StoredState])
    items: dict[str, dict[str, JSON]] = field(default_factory=dict[str, dict[str, JSON]])
    embeddings: dict[str, dict[int, bytes]] = field(default_factory=dict[str, dict[int, bytes]])
    lines: int = 0
    ended: bool = False

    def take(self, values: Any) -> None:
        """Take in a line.

        Raises:
            ValueError, TypeError, KeyError: It is not what has to stand there.
        """
        if not self.lines:
            self._begin(values)
        elif self.ended:
            raise ValueError("something follows the last line")
        else:
            self._go_on(values)
        self.lines += 1

    def _begin(self, values: Any) -> None:
        match values:
            case {"memzoo": "conversation", "format": int(version), "conversation_id": str(id_)}:
                self.conversation_id = id_
            case _:
                raise ValueError("this is no conversation that was exported by memzoo")
        if version > FORMAT:
            raise ValueError(f"the file has format {version}, but this memzoo knows those up to {FORMAT}; upgrade it")

    def _go_on(self, values: Any) -> None:
        match values:
            case {"seq": int(), "turn_id": str(), "message": {"role": str()}, "fields": dict()}:
                self.entries.append(_entry(**values))
            case {"state": str(name), "watermark": int(watermark)}:
                self.items[name], self.embeddings[name] = {}, {}
                self.states[name] = StoredState(watermark, self.items[name], self.embeddings[name])
            case {"state": str(name), "item": str(key), "value": value}:
                self.items[name][key] = value
            case {"state": str(name), "seq": int(seq), "embedding": str(vector)}:
                self.embeddings[name][seq] = base64.b64decode(vector, validate=True)
            case {"end": int(lines)}:
                if lines != self.lines:
                    raise ValueError(f"{lines} lines should stand before this one, not {self.lines}")
                self.ended = True
            case _:
                raise ValueError(f"this line is unknown: {str(values)[:100]}")
