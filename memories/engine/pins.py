"""Pinned messages: finds, pins and unpins them, and adds them to views."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memzoo.errors import ConflictError, OverBudgetError, UnknownMessageError
from memzoo.memories.engine.log import CachedLog, Log, messages_of
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import group_messages, is_answer, is_instruction
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry, Record
from memzoo.stores.forgetting import PINS

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

__all__ = ["Pins", "mark", "show_pinned"]

# A field of the record itself, so that a message is stored and pinned in one step.
_FIELD = "@pinned"
# How many messages are searched for marks now and then: more than are said in between.
_LOOKED_BACK = 256

# How far from a call its results are looked for, in messages: near at first.
_PAGE, _FARTHEST = 16, 1024


@dataclass(frozen=True, slots=True)
class _Stored:
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
    """Facts about one epoch of the log.

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
    """The pinned messages of a conversation.

    The pins are a small separate state beside the log, shared by all strategies and memories of the conversation.
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
        self._stored = _Stored()
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
                await self._read_stored()
            marked = self._look_for_marks(log.entries)
            is_any = self._stored.items or marked or self._known.groups
            self.entries = await self._find(marked) if is_any else ()
            self._found_at = moment
        return self.entries

    async def numbers(self) -> list[int]:
        """Return the log numbers of the pinned messages, in order, without messages that are only shown with them."""
        await self.current()
        return sorted(self._known.groups)

    @property
    def waits(self) -> bool:
        """A pinned call still lacks a result, as `current` found it last; it is shown as soon as it has that."""
        return bool(self._known.open)

    def besides(self, entries: Iterable[Entry]) -> list[Entry]:
        """The pinned messages that are not among some others, as `current` found them last."""
        if not self.entries:
            return []
        shown = {entry.seq for entry in entries}
        return [entry for entry in self.entries if entry.seq not in shown]

    def room(self, limit: int, size: Callable[[Entry], int], unit: str = "tokens") -> int:
        """Return the rest of a limit for messages that are not pinned.

        Args:
            limit: The limit for all messages.
            size: Returns the size of an entry.
            unit: The unit of the limit.

        Raises:
            OverBudgetError: The pinned messages alone are over the limit.
        """
        taken = sum(map(size, self.entries))
        if taken > limit:
            raise OverBudgetError.of("the pinned messages", taken, limit, unit, "; unpin some, or raise the limit")
        return limit - taken

    async def change(self, ids: int | Sequence[int] | set[int], *, pinned: bool) -> None:
        """Pin messages, or unpin the pinned ones among them.

        Raises:
            UnknownMessageError: There is no such message; nothing was changed.
        """
        numbers = [*ids] if isinstance(ids, Collection) else [ids]
        for one in numbers:
            whole_number("id", one, at_least=1)
        log = self._cached
        while True:
            stored, changes = await self._read_stored(), dict[str, JSON]()
            for seq in sorted(set(numbers)):
                # In each round: what was forgotten meanwhile, perhaps with the whole conversation, is pinned no more.
                entries = await log.read(after=seq - 1, until=seq)
                if not entries:
                    raise UnknownMessageError(f"{log.conversation_id!r} has no message {seq}; nothing was changed")
                # A mark is written down too, or nobody who opens a long log would know of it.
                if stored.items.get(str(seq), _FIELD in entries[0].fields and not pinned) is not pinned:
                    changes[str(seq)] = pinned
            if not changes:
                return
            with suppress(ConflictError):
                # The watermark stays 0: whatever is forgotten, the other pins are not.
                key = log.conversation_id, PINS
                await log.store.commit(*key, expected=stored.version, watermark=0, changes=changes)
                await self._read_stored()
                return

    async def write_down(self, new: Sequence[Entry] = ()) -> None:
        """Record marked messages as pinned: new ones, or else old ones whose writer was interrupted."""
        if stored := new or [entry for entry in await self.log.tail(_LOOKED_BACK) if _FIELD in entry.fields]:
            written = (await self._read_stored()).items
            with suppress(UnknownMessageError):  # somebody has forgotten it meanwhile
                await self.change([entry.seq for entry in stored if str(entry.seq) not in written], pinned=True)

    async def _read_stored(self) -> _Stored:
        """Read the state as it is in the store now."""
        known, log = self._stored, self._cached
        now = log.epoch, log.revision
        update = await log.store.read_state(log.conversation_id, PINS, since=known.version)
        items = {**({} if update.reset else known.items), **update.changes}
        new = _Stored(now, update.version, {key: value for key, value in items.items() if value is not None})
        if new.items != known.items:
            self._found_at = ()
        self._stored = new
        return new

    def _look_for_marks(self, held: Sequence[Entry]) -> frozenset[int]:
        """Return the numbers of all messages seen so far that were stored as pinned; looks at new entries only."""
        known = self._known
        if known.epoch != self._cached.epoch or known.epoch is None:
            known = _Known(self._cached.epoch)
        marked, last = known.marked, known.last
        for entry in reversed(held):
            if entry.seq <= known.last:
                break
            if entry.fields and _FIELD in entry.fields:
                marked |= {entry.seq}
            last = max(last, entry.seq)
        self._known = _Known(known.epoch, last, marked, known.groups, known.open)
        return marked

    async def _find(self, marked: frozenset[int]) -> Sequence[Entry]:
        """Return the pinned messages, calls of tools with their results."""
        written = {int(key): value for key, value in self._stored.items.items() if key.isdecimal()}
        numbers = {seq for seq, value in written.items() if value is True} | (marked - written.keys())
        # What waited for a result is looked at again.
        known, open_ = self._known, set[int]()
        groups = {seq: group for seq, group in known.groups.items() if seq in numbers and seq not in known.open}
        for seq in sorted(numbers - groups.keys()):
            if entries := await self.log.between(seq, seq):
                # A call without its results cannot be sent: it is shown as soon as they are there.
                groups[seq] = await self._whole(entries[0])
                if not groups[seq]:
                    open_.add(seq)
        self._known = replace(known, groups=groups, open=frozenset(open_))
        found = {entry.seq: entry for group in groups.values() for entry in group}
        return [found[seq] for seq in sorted(found)]

    async def _whole(self, entry: Entry) -> Sequence[Entry]:
        """Return a message with its results or its call, if it has any; nothing if one of them is missing."""
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


def mark(record: Record) -> Record:
    """Return a record marked as pinned."""
    return replace(record, fields={**record.fields, _FIELD: "yes"})


async def show_pinned(memory: "BaseMemory", view: View, pinned: Sequence[Entry]) -> View:
    """Return a view that also shows the pinned messages, where they were said, or before all others.

    Args:
        memory: The memory.
        view: Its view.
        pinned: The pinned messages, oldest first.
    """
    in_front = set[int]()
    if memory.pinned_first:  # none that is not answered yet
        asked = await memory.log.unanswered()
        answered = max((entry.seq for entry in asked if is_answer(entry.message)), default=0)
        in_front = {entry.seq for entry in pinned} - {entry.seq for entry in asked if entry.seq > answered}
    # The others come to the front when they are answered; and a limit that pins count to may move by any of them.
    if view.final or (memory.pinned_first and len(in_front) < len(pinned)):
        view = replace(view, room=-1)
    shown = {entry.seq for entry in (*view.entries, *filter(None, [view.system]))}
    new = [entry for entry in pinned if entry.seq not in shown]
    view = replace(view, pinned=frozenset(entry.seq for entry in pinned))
    if not (new or in_front):
        return view
    entries = sorted([*view.entries, *new], key=lambda entry: entry.seq) if new else view.entries
    groups = [[entry] for entry in entries]
    if view.final:  # nobody puts it in order after this: a call and its results stay together
        groups = [[entries[place] for place in places] for places in group_messages(messages_of(entries))]
        if new:
            groups.sort(key=lambda group: not is_instruction(group[0].message))
    if in_front:
        groups.sort(
            key=lambda group: (
                not is_instruction(group[0].message) and 1 + in_front.isdisjoint(entry.seq for entry in group)
            )
        )
    return replace(view, entries=[entry for group in groups for entry in group])
