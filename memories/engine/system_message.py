"""The system message of a conversation: the newest one holds, and every strategy shows it first."""

import contextlib
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.text.grouping import is_instruction
from memzoo.stores import Entry
from memzoo.stores.errors import ConflictError

__all__ = ["SystemMessage"]

_STATE, _ITEM = "system-message", "holds"
_PAGE = 500
# So many messages at most are looked through again after a restart.
_KEPT_EACH = 256
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


class _Known(NamedTuple):
    """What was found up to a number of the log.

    Attributes:
        epoch: The log's epoch, for which this is true.
        entry: The system message that holds.
        last: The last number that was looked at.
        version: The version of the state in the store that it was found from.
    """

    epoch: Hashable
    entry: Entry | None
    last: int
    version: int


class SystemMessage:
    """Knows which system message holds in a conversation: a new one replaces the old, an equal one changes nothing.

    Where it stands in a long log is a small state of its own, shared by all strategies, so that opening a conversation
    does not read all of it.

    State: `holds`, the message as `[number, message]`.

    Args:
        follower: The log.
    """

    def __init__(self, follower: Follower) -> None:
        self._follower, self._log = follower, Log(follower)
        # One object: threads see all of it or nothing.
        self._known: _Known | None = None

    async def current(self) -> Entry | None:
        """The system message that holds, as far as the log is known; `None` if there is none."""
        known, held = self._known, self._follower.entries
        if known is None or known.epoch is None or known.epoch != self._follower.epoch:
            self._known = known = await self._opened()
        if not held or known.last < held[-1].seq:
            self._known = known = await self._following(known)
        return known.entry

    async def keep(self, new: Sequence[Entry]) -> None:
        """Now and then, after new entries, write down which one holds."""
        if not new or (new[0].seq - 1) // _KEPT_EACH == new[-1].seq // _KEPT_EACH:
            return
        await self._follower.refresh()
        # Read anew, since another process may have written it down meanwhile.
        known = await self._following(await self._opened())
        items = {_ITEM: [known.entry.seq, known.entry.message] if known.entry else None}
        key = self._follower.conversation_id, _STATE
        with contextlib.suppress(ConflictError):
            await self._follower.store.commit(*key, expected=known.version, watermark=known.last, changes=items)

    async def _opened(self) -> _Known:
        """What the state in the store and the log before the part that is held tell."""
        log, held = self._follower, self._follower.entries
        epoch, start = log.epoch, held[0].seq if held else 1
        update = await log.store.read_state(log.conversation_id, _STATE)
        number, message = update.changes.get(_ITEM) or (0, {})
        entry, last = Entry(number, message, "", _NEVER) if number else None, update.watermark
        while last < start - 1:
            page = await log.store.read(log.conversation_id, after=last, until=start - 1, limit=_PAGE)
            entry, last = _newest(entry, page), page[-1].seq if page else start - 1
        return _Known(epoch, entry, last, update.version)

    async def _following(self, known: _Known) -> _Known:
        new = await self._log.after(known.last)
        return known._replace(entry=_newest(known.entry, new), last=new[-1].seq) if new else known


def _newest(known: Entry | None, entries: Iterable[Entry]) -> Entry | None:
    for entry in entries:
        if is_instruction(entry.message) and (known is None or known.message != entry.message):
            known = entry
    return known
