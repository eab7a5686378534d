"""The system message of a conversation: the newest one is in force, and every strategy shows it first."""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from memzoo.errors import ConflictError
from memzoo.memories.engine.log import CachedLog
from memzoo.memories.text.grouping import INSTRUCTIONS
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Store, StoredState
from memzoo.stores.forgetting import SYSTEM, pack_system, unpack_system

__all__ = ["SystemMessage", "note_system", "system_state"]

_PAGE = 500
# It is recorded after this many messages: as many as a memory reads anyway when it is opened.
_KEPT_EACH = 64

_seq = attrgetter("seq")


class _Known(NamedTuple):
    """The system message in force up to a number of the log.

    Attributes:
        epoch: The log's epoch, for which this is true.
        entry: The system message in force.
        last: The last number that was looked at.
        version: The version of the state in the store that it was found from.
        kept: The last number that this state goes up to.
    """

    epoch: Hashable
    entry: Entry | None
    last: int
    version: int
    kept: int


class SystemMessage:
    """Finds the system message in force: a new one replaces the old, an equal one changes nothing.

    An empty one takes the old one away.

    Where it stands in a long log is a small state of its own, shared by all strategies, so that opening a conversation
    does not read all of it.

    State: `holds`, the message as `[number, message]`.

    Args:
        cached: The log.
    """

    def __init__(self, cached: CachedLog) -> None:
        self._cached = cached
        # One object: threads see all of it or nothing.
        self._known: _Known | None = None

    async def current(self) -> Entry | None:
        """Return the system message in force, by the known part of the log; `None` if there is none or it is empty."""
        newest = await self.newest()
        return newest if newest and text_of(newest.message) else None

    async def newest(self) -> Entry | None:
        """Return the newest system message in the known part of the log, also if it is empty."""
        return (await self._look_up()).entry

    def is_far(self, new: Sequence[Entry]) -> bool:
        """Tell if it is time to record the system message in force, now that these entries were appended."""
        known = self._known
        if known is None:
            return (new[0].seq - 1) // _KEPT_EACH != new[-1].seq // _KEPT_EACH
        return new[-1].seq - known.kept >= _KEPT_EACH

    async def write_down(self) -> None:
        """Record the one in force, so that opening the conversation does not search for it."""
        log = self._cached
        if log.epoch is None:
            await log.refresh()
        known = await self._look_up()
        # After the version was read: what was deleted before is known to be gone, and afterwards the commit is refused.
        await log.refresh()
        if known.epoch != log.epoch:
            return
        known = await self._look_up()
        key, items = (log.conversation_id, SYSTEM), pack_system(known.entry)
        try:
            version = await log.store.commit(*key, expected=known.version, watermark=known.last, changes=items)
        except ConflictError:  # another process wrote it down
            self._known = None
        else:
            log.note_commit(version)
            self._known = known._replace(version=version, kept=known.last)

    async def _look_up(self) -> _Known:
        known, log = self._known, self._cached
        if known is None or known.epoch is None or known.epoch != log.epoch:
            known = await self._open()
        if log.last > known.last:
            held = await log.reach(known.last + 1)
            if new := held[bisect_right(held, known.last, key=_seq) :]:
                known = known._replace(entry=_newest(known.entry, new), last=new[-1].seq)
        self._known = known
        return known

    async def _open(self) -> _Known:
        """Read it from the state in the store, and from the log before the part that is held."""
        log, held = self._cached, self._cached.entries
        epoch, start = log.epoch, held[0].seq if held else 1
        update = await log.store.read_state(log.conversation_id, SYSTEM)
        entry, last = unpack_system(update.changes), update.watermark
        while last < start - 1:
            page = await log.store.read(log.conversation_id, after=last, until=start - 1, limit=_PAGE)
            entry, last = _newest(entry, page), page[-1].seq if page else start - 1
        return _Known(epoch, entry, last, update.version, update.watermark)


def _newest(known: Entry | None, entries: Iterable[Entry]) -> Entry | None:
    for entry in entries:
        if entry.message["role"] in INSTRUCTIONS and (known is None or known.message != entry.message):
            known = entry
    return known


def system_state(entries: Sequence[Entry]) -> dict[str, StoredState]:
    """Return the state for a log that is restored as a whole, so that no search is needed."""
    holds = _newest(None, entries)
    return {SYSTEM: StoredState(entries[-1].seq, pack_system(holds) if holds else {})}


async def note_system(store: Store, conversation_id: str) -> None:
    """Record the system message in force, after messages were appended that no memory saw."""
    await SystemMessage(CachedLog(store, conversation_id)).write_down()
