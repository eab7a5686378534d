"""The system message of a conversation: the newest system message is in force, and every strategy shows it first."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from memzoo.errors import ConflictError
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.engine.state import CachedState, Changes
from memzoo.memories.text.grouping import INSTRUCTIONS
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Store, StoredState
from memzoo.stores.base import is_lasting
from memzoo.stores.forgetting import SYSTEM, pack_system, unpack_system

_PAGE = 500
# The message in force is recorded after this many messages: a memory reads as many anyway when it is opened. Reading on
# in memory costs next to nothing; but `Pins.write_down`, called as often, looks back at 256 messages.
_KEPT_EACH, _KEPT_EACH_IN_MEMORY = 64, 192

_seq = attrgetter("seq")


class _Known(NamedTuple):
    """The system message in force up to a number of the log.

    Attributes:
        epoch: The epoch of the searched log.
        entry: The system message in force.
        last: The last log number searched.
    """

    epoch: Hashable
    entry: Entry | None
    last: int


class SystemMessage:
    """Finds the system message in force.

    A new system message replaces the old one, an equal one changes nothing, and an empty one removes the old one.

    The message in force is recorded in a small separate state, which all strategies share. A reopened conversation
    finds the message there, without reading its whole log.

    State: one item, `holds`: a list of the message's log number and the message.
    """

    def __init__(self, cached: CachedLog) -> None:
        self._cached = cached
        self._state = CachedState(cached.store, cached.conversation_id, SYSTEM, None)
        self._kept_each = _KEPT_EACH if is_lasting(cached.store) else _KEPT_EACH_IN_MEMORY
        # Replaced as a whole, so that threads never see half of a change.
        self._known: _Known | None = None

    async def current(self) -> Entry | None:
        """Return the newest system message at the log's last refresh; `None` if there is none, or if it is empty."""
        newest = await self.newest()
        return newest if newest and text_of(newest.message) else None

    async def newest(self) -> Entry | None:
        """Return the newest system message at the log's last refresh, even if it is empty; `None` if there is none."""
        return (await self._look_up()).entry

    def is_far(self, new: Sequence[Entry]) -> bool:
        """Return whether to record the system message again: many messages were added since the last record."""
        known = self._known
        if known is None:
            return (new[0].seq - 1) // self._kept_each != new[-1].seq // self._kept_each
        return new[-1].seq - self._state.newest.watermark >= self._kept_each

    async def write_down(self) -> None:
        """Record the system message in force, for the next opening of the conversation."""
        log = self._cached
        if log.epoch is None:
            await log.refresh()
        known = await self._look_up()
        # The log is read after the state's version: it lacks earlier deletions, and a later deletion makes the commit
        # fail.
        await log.refresh()
        if known.epoch != log.epoch:
            return
        known = await self._look_up()
        try:
            state = await self._state.commit(self._state.newest, Changes(pack_system(known.entry)), known.last)
        except ConflictError:  # another process wrote it down
            self._known = None
        else:
            log.note_commit(state.version)

    async def _look_up(self) -> _Known:
        known, log = self._known, self._cached
        if known is None or known.epoch is None or known.epoch != log.epoch:
            known = await self._open()
        if log.last > known.last:
            held = await log.reach(known.last + 1)
            if new := held[bisect_right(held, known.last, key=_seq) :]:
                known = _Known(known.epoch, _newest(known.entry, new), new[-1].seq)
        self._known = known
        return known

    async def _open(self) -> _Known:
        """Find the message from the state in the store, and from the part of the log before the held entries."""
        log, held = self._cached, self._cached.entries
        epoch, start = log.epoch, held[0].seq if held else 1
        state = await self._state.refresh()
        entry, last = unpack_system(state.items), state.watermark
        while last < start - 1:
            page = await log.store.read(log.conversation_id, after=last, until=start - 1, limit=_PAGE)
            entry, last = _newest(entry, page), page[-1].seq if page else start - 1
        return _Known(epoch, entry, last)


def _newest(known: Entry | None, entries: Iterable[Entry]) -> Entry | None:
    for entry in entries:
        if entry.message["role"] in INSTRUCTIONS and (known is None or known.message != entry.message):
            known = entry
    return known


def system_state(entries: Sequence[Entry]) -> dict[str, StoredState]:
    """Return the state that records a log's system message, for `ManagedStore.restore`."""
    holds = _newest(None, entries)
    return {SYSTEM: StoredState(entries[-1].seq, pack_system(holds) if holds else {})}


async def note_system(store: Store, conversation_id: str) -> None:
    """Record the newest system message of a conversation whose messages were appended to the store directly."""
    await SystemMessage(CachedLog(store, conversation_id)).write_down()
