# memzoo_shelf.py
"""A store with six methods, as a package of yours may have one."""

import copy
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memzoo.errors import ConflictError
from memzoo.stores import JSON, Closing, Entries, Entry, Record, StateUpdate


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class _Shelf:
    """A conversation. Its epoch is the version with which it began; 0 if there is none."""

    epoch: int = 0
    log: list[Entry] = field(default_factory=list[Entry])
    marks: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])  # version and watermark
    items: dict[str, dict[str, tuple[int, JSON]]] = field(default_factory=dict[str, dict[str, tuple[int, Any]]])


class ShelfStore(Closing):
    """Keeps conversations in dictionaries. Yours asks a database, and holds a transaction where this holds a lock."""

    def __init__(self, url: str, *, clock: Callable[[], datetime] = _now) -> None:
        self.url, self._clock = url, clock
        self._lock, self._versions = threading.Lock(), itertools.count(1)
        self._shelves: dict[str, _Shelf] = {}

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """Store a turn, all of it or nothing; one that is there already is returned as it is."""
        with self._lock:
            new, now = list(records), self._clock()
            shelf = self._shelves.get(conversation_id, _Shelf())
            turn = [entry for entry in shelf.log if entry.turn_id == turn_id]
            if new and not turn:
                shelf = self._shelves.setdefault(conversation_id, _Shelf(next(self._versions)))
                numbered = enumerate(new, len(shelf.log) + 1)
                turn = [Entry(seq, record.message, turn_id, now, record.fields) for seq, record in numbered]
                shelf.log += turn
            return [*turn]

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> Entries:
        """Return a part of the log, with the epoch."""
        with self._lock:
            shelf = self._shelves.get(conversation_id, _Shelf())
            found = shelf.log[max(after, 0) : until]
            if limit is not None:
                found = found[max(len(found) - limit, 0) :] if newest else found[:limit]
            return Entries(found, shelf.epoch)

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """Return what changed in a state after a version; all of it if that version is of no use any more."""
        with self._lock:
            shelf = self._shelves.get(conversation_id, _Shelf())
            version, watermark = shelf.marks.get(strategy, (shelf.epoch, 0))
            reset = not shelf.epoch <= since <= version
            items = shelf.items.get(strategy, {})
            changes = {
                key: copy.deepcopy(value)
                for key, (changed, value) in items.items()
                if (value is not None if reset else changed > since)
            }
            return StateUpdate(version, watermark, changes, reset)

    async def commit(
        self,
        conversation_id: str,
        strategy: str,
        *,
        expected: int,
        watermark: int,
        changes: Mapping[str, JSON],
        embeddings: Mapping[int, bytes] | None = None,
    ) -> int:
        """Change a state, unless somebody else was faster. Embeddings are for managed stores."""
        with self._lock:
            shelf = self._shelves.get(conversation_id, _Shelf())
            if not shelf.epoch or shelf.marks.get(strategy, (shelf.epoch, 0))[0] != expected:
                raise ConflictError(f"the state {strategy!r} of {conversation_id!r} is another by now")
            version, new = next(self._versions), copy.deepcopy(dict(changes))
            shelf.marks[strategy] = (version, watermark)
            shelf.items.setdefault(strategy, {}).update({key: (version, value) for key, value in new.items()})
            return version

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """Delete a conversation. Here an empty one is never kept."""
        with self._lock:
            if not only_empty:
                self._shelves.pop(conversation_id, None)
