"""Which messages are pinned, as a view or a step of learning asks. `pinning` pins them, and shows them."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memzoo.errors import OverBudgetError
from memzoo.memories.engine.log import CachedLog, Log, messages_of
from memzoo.memories.text.grouping import group_messages
from memzoo.stores import JSON, Entry

__all__ = ["FIELD", "STATE", "Pins", "StoredPins"]

STATE = "pins"
FIELD = "@pinned"
"""A field of the record itself, so that a message is stored and pinned in one step."""

# How far from a call its results are looked for, in messages: near at first.
_PAGE, _FARTHEST = 16, 1024


@dataclass(frozen=True, slots=True)
class StoredPins:
    """The state for pins as the store had it.

    Attributes:
        read_at: The epoch and the revision that the log had before it was read.
        version: See `StateUpdate`.
        items: By log number `true` for a pinned message; `false` for one that was stored as pinned and is not any more.
    """

    read_at: tuple[Hashable, Hashable] = (None, None)
    version: int = 0
    items: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found out for an epoch of the log.

    Attributes:
        epoch: The epoch.
        last: The last log number that was looked at.
        marked: The numbers of the messages seen so far that were stored as pinned.
        groups: By the number of a pinned message all that is shown with it.
        open: Those of which a result is still missing.
    """

    epoch: Hashable = None
    last: int = 0
    marked: frozenset[int] = frozenset()
    groups: Mapping[int, Sequence[Entry]] = field(default_factory=dict[int, Sequence[Entry]])
    open: frozenset[int] = frozenset()


class Pins:
    """Knows which messages of a conversation are pinned.

    They are a small state of their own beside the log, shared by all strategies and memories of the conversation.
    A message that is pinned while it is stored bears the mark itself too, so that there is no moment without it.

    Attributes:
        log: The conversation, with all results of tools as they were.
        entries: The pinned messages as `current` found them last: a tool call with its results, oldest first.

    Args:
        cached: Holds the log.
    """

    def __init__(self, cached: CachedLog) -> None:
        self.log = Log(cached, form="whole")
        self.entries: Sequence[Entry] = ()
        self._cached = cached
        # Each is one object: threads see all of it or nothing.
        self._stored = StoredPins()
        self._known = _Known()
        # For which epoch, revision and newest message they were found.
        self._found_at: tuple[Hashable, ...] = ()

    async def current(self) -> Sequence[Entry]:
        """The pinned messages of a log that is up to date, oldest first, each call of tools with all its results.

        Nothing is read as long as no state of the conversation has changed, nor anything looked at before something is
        said.
        """
        log = self._cached
        moment = log.epoch, log.revision, log.last
        if log.revision is None or moment != self._found_at:
            if log.revision is None or moment[:2] != self._stored.read_at:
                await self.read_stored()
            marked = self._look_for_marks(log.entries)
            is_any = self._stored.items or marked or self._known.groups
            self.entries = await self._find(marked) if is_any else ()
            self._found_at = moment
        return self.entries

    async def numbers(self) -> list[int]:
        """The log numbers of the messages that are pinned, in order, without what is only shown with them."""
        await self.current()
        return sorted(self._known.groups)

    @property
    def waits(self) -> bool:
        """Whether a pinned call lacks a result, as `current` found it last: with that it comes where it was said."""
        return bool(self._known.open)

    def besides(self, entries: Iterable[Entry]) -> list[Entry]:
        """The pinned messages that are not among some others, as `current` found them last."""
        if not self.entries:
            return []
        shown = {entry.seq for entry in entries}
        return [entry for entry in self.entries if entry.seq not in shown]

    def room(self, limit: int, size: Callable[[Entry], int], unit: str = "tokens") -> int:
        """What a limit leaves for all that is not pinned.

        Args:
            limit: What all of it may weigh.
            size: What an entry counts.
            unit: What is counted.

        Raises:
            OverBudgetError: The pinned messages alone are over the limit.
        """
        taken = sum(map(size, self.entries))
        if taken > limit:
            raise OverBudgetError.of("the pinned messages", taken, limit, unit, "; unpin some, or raise the limit")
        return limit - taken

    async def read_stored(self) -> StoredPins:
        """Read the state as it is in the store now."""
        known, log = self._stored, self._cached
        now = log.epoch, log.revision
        update = await log.store.read_state(log.conversation_id, STATE, since=known.version)
        items = {**({} if update.reset else known.items), **update.changes}
        new = StoredPins(now, update.version, {key: value for key, value in items.items() if value is not None})
        if new.items != known.items:
            self._found_at = ()
        self._stored = new
        return new

    def _look_for_marks(self, held: Sequence[Entry]) -> frozenset[int]:
        """The messages seen so far that were stored as pinned, with those that are new in the log."""
        known = self._known
        if known.epoch != self._cached.epoch or known.epoch is None:
            known = _Known(self._cached.epoch)
        marked, last = known.marked, known.last
        for entry in reversed(held):
            if entry.seq <= known.last:
                break
            if entry.fields and FIELD in entry.fields:
                marked |= {entry.seq}
            last = max(last, entry.seq)
        self._known = _Known(known.epoch, last, marked, known.groups, known.open)
        return marked

    async def _find(self, marked: frozenset[int]) -> Sequence[Entry]:
        """The pinned messages, each with what is shown with it."""
        written = {int(key): value for key, value in self._stored.items.items() if key.isdecimal()}
        numbers = {seq for seq, value in written.items() if value is True} | (marked - written.keys())
        known = self._known = await self._group(self._known, numbers)
        entries = {entry.seq: entry for group in known.groups.values() for entry in group}
        return [entries[seq] for seq in sorted(entries)]

    async def _group(self, known: _Known, numbers: Collection[int]) -> _Known:
        # What waited for a result is looked at again.
        groups = {seq: group for seq, group in known.groups.items() if seq in numbers and seq not in known.open}
        unfinished = set[int]()
        for seq in sorted(set(numbers) - groups.keys()):
            if entries := await self.log.between(seq, seq):
                # A call without its results cannot be sent: it is shown as soon as they are there.
                groups[seq] = whole = await self._whole(entries[0])
                if not whole:
                    unfinished.add(seq)
        return replace(known, groups=groups, open=frozenset(unfinished))

    async def _whole(self, entry: Entry) -> Sequence[Entry]:
        """All that has to be sent with a message: of a call its results, of a result its call; nothing if one lacks."""
        message, size = entry.message, _PAGE
        is_result = message["role"] in ("tool", "function")
        if not (is_result or message.get("tool_calls") or message.get("function_call")):
            return [entry]
        while size <= _FARTHEST:
            entries = await self.log.between(max(entry.seq - size * is_result, 1), entry.seq + size)
            for places in group_messages(messages_of(entries)):
                if any(entries[place].seq == entry.seq for place in places):
                    return [entries[place] for place in places]
            size *= 2
        return []
