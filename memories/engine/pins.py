"""Pinned messages: finding, pinning and unpinning messages, and adding pinned messages to views."""

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter

from memzoo.errors import ConflictError, MessageError, OverBudgetError
from memzoo.memories.engine.log import CachedLog, Log, messages_of
from memzoo.memories.engine.state import CachedState, Changes
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import group_messages, is_instruction, is_of_tools, kind_of
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry, Record
from memzoo.stores.forgetting import PINS

# The mark is a field of the record itself, so that a message is stored and pinned in one step.
_FIELD = "@pinned"
# The number of newest messages searched for marks by `write_down`: more than are added between two of its calls.
_LOOKED_BACK = 256

# The distances from a tool call within which its results are searched, in messages: the first, and the farthest.
_PAGE, _FARTHEST = 16, 1024

_seq = attrgetter("seq")


@dataclass(slots=True)
class _Known:
    """The pinned messages found in one epoch of the log.

    Attributes:
        epoch: The epoch.
        last: The last log number searched for marks.
        marked: The numbers of all messages found so far that were stored as pinned.
        groups: By the log number of a pinned message, all entries shown with this message.
        open: The numbers of pinned messages for which a tool result is still missing.
    """

    epoch: Hashable = None
    last: int = 0
    marked: frozenset[int] = frozenset()
    groups: Mapping[int, Sequence[Entry]] = field(default_factory=dict[int, Sequence[Entry]])
    open: frozenset[int] = frozenset()


class Pins:
    """The pinned messages of a conversation.

    Pins are a small separate state beside the log, shared by all strategies and memories of the conversation. A message
    stored as pinned also has a mark in its own record, and is therefore pinned from the first moment.

    State: one item per message, with the log number as key: `true` if the message is pinned; `false` if it was stored
    as pinned and unpinned later.

    Attributes:
        log: The conversation, with all tool results in full.
        entries: The pinned messages found by the last call of `current`, oldest first; each tool call has its results.
    """

    def __init__(self, cached: CachedLog) -> None:
        self.log = Log(cached, form="whole")
        self.entries: Sequence[Entry] = ()
        self._cached = cached
        self._state = CachedState(cached.store, cached.conversation_id, PINS, None)
        # Replaced as a whole, so that threads never see half of a change.
        self._known = _Known()
        # The log's epoch, revision and newest number, and the state's version, for which `entries` was found.
        self._found_at: tuple[Hashable, ...] = (None,) * 4

    async def current(self) -> Sequence[Entry]:
        """Return the pinned messages, oldest first. A pinned tool call comes with all its results.

        Refresh the log before this call. The pins are read from the store again only if they may have changed.
        """
        log = self._cached
        moment = log.epoch, log.revision, log.last
        if log.revision is None or (*moment, self._state.newest.version) != self._found_at:
            state = self._state.newest
            if log.revision is None or moment[:2] != self._found_at[:2]:
                state = await self._state.refresh()
            marked = self._look_for_marks(log.entries)
            is_any = state.items or marked or self._known.groups
            self.entries = await self._find(state.items, marked) if is_any else ()
            self._found_at = (*moment, state.version)
        return self.entries

    async def numbers(self) -> list[int]:
        """Return the log numbers of the pinned messages, in ascending order.

        Tool calls and results that are not pinned, but shown together with a pinned message, are not included.
        """
        await self.current()
        return sorted(self._known.groups)

    @property
    def waits(self) -> bool:
        """True if a pinned tool call has no result yet. The call is shown once it has its result."""
        return bool(self._known.open)

    def besides(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the pinned messages found by the last call of `current`, except the given entries."""
        if not self.entries:
            return []
        shown = {entry.seq for entry in entries}
        return [entry for entry in self.entries if entry.seq not in shown]

    def room(self, limit: int, size: Callable[[Entry], float], unit: str = "tokens") -> int:
        """Return the part of a limit that pinned messages leave for other messages.

        Args:
            limit: The limit for all messages.
            size: Returns the size of an entry.
            unit: The unit of the limit, such as "tokens", for the error.

        Raises:
            OverBudgetError: The pinned messages alone are over the limit.
        """
        taken = sum(map(size, self.entries))
        if taken > limit:
            raise OverBudgetError.of("the pinned messages", taken, limit, unit, "; unpin some, or raise the limit")
        return math.floor(limit - taken)

    async def change(self, ids: int | Sequence[int] | set[int], *, pinned: bool) -> None:
        """Pin or unpin messages; unpinning ignores messages that are not pinned.

        Raises:
            OptionError: A log number is not a whole number of at least 1; nothing was changed.
            MessageError: A message does not exist; nothing was changed.
        """
        numbers = [*ids] if isinstance(ids, Collection) else [ids]
        for one in numbers:
            whole_number("id", one, at_least=1)
        log = self._cached
        while numbers:
            state, changes = await self._state.refresh(), dict[str, JSON]()
            for seq in sorted(set(numbers)):
                # Read again in each round: a message forgotten meanwhile must not be pinned.
                entries = await log.read(after=seq - 1, until=seq)
                if not entries:
                    raise MessageError(f"{log.conversation_id!r} has no message {seq}; nothing was changed")
                # A marked message is recorded too, since a memory that opens a long log does not search all of the log.
                if state.items.get(str(seq), _FIELD in entries[0].fields and not pinned) is not pinned:
                    changes[str(seq)] = pinned
            if not changes:
                return
            with suppress(ConflictError):
                # The watermark stays 0, so that forgetting messages never clears the other pins.
                await self._state.commit(state, Changes(changes), 0)
                return

    async def write_down(self, new: Sequence[Entry] = ()) -> None:
        """Complete the conversation's list of pins: add `new`, the messages just stored as pinned.

        Without `new`, add recent messages that are marked as pinned but missing from the list. An interrupted save
        leaves such messages.
        """
        held = () if new else await self._cached.reach(count=_LOOKED_BACK)
        if marked := [entry.seq for entry in new] or self._look_for_marks(held):
            written = (await self._state.refresh()).items
            with suppress(MessageError):  # a message was forgotten meanwhile
                await self.change([seq for seq in marked if str(seq) not in written], pinned=True)

    def _look_for_marks(self, held: Sequence[Entry]) -> frozenset[int]:
        """Return the numbers of all messages found so far that were stored as pinned; only new entries are searched."""
        known = self._known
        if known.epoch != self._cached.epoch or known.epoch is None:
            known = _Known(self._cached.epoch)
        new = held[bisect_right(held, known.last, key=_seq) :]
        marked = known.marked.union(entry.seq for entry in new if _FIELD in entry.fields)
        last = new[-1].seq if new else known.last
        self._known = _Known(known.epoch, last, marked, known.groups, known.open)
        return marked

    async def _find(self, items: Mapping[str, JSON], marked: frozenset[int]) -> Sequence[Entry]:
        """Return the pinned messages, oldest first, tool calls with their results."""
        written = {int(key): value for key, value in items.items() if key.isdecimal()}
        numbers = {seq for seq, value in written.items() if value is True} | (marked - written.keys())
        # Messages for which a result was missing are searched again.
        known, open_ = self._known, set[int]()
        groups = {seq: group for seq, group in known.groups.items() if seq in numbers and seq not in known.open}
        for seq in sorted(numbers - groups.keys()):
            if entries := await self.log.between(seq, seq):
                # A call without its results cannot be sent; the call is shown once the results exist.
                groups[seq] = await self._whole(entries[0])
                if not groups[seq]:
                    open_.add(seq)
        self._known = replace(known, groups=groups, open=frozenset(open_))
        found = {entry.seq: entry for group in groups.values() for entry in group}
        return [found[seq] for seq in sorted(found)]

    async def _whole(self, entry: Entry) -> Sequence[Entry]:
        """Return a message with the tool call and results that it belongs to; an empty list if one is missing."""
        message, size = entry.message, _PAGE
        if not is_of_tools(message):
            return [entry]
        is_result = kind_of(message) == "result"
        while size <= _FARTHEST:
            entries = await self.log.between(max(entry.seq - size * is_result, 1), entry.seq + size)
            for places in group_messages(messages_of(entries)):
                if any(entries[place].seq == entry.seq for place in places):
                    return [entries[place] for place in places]
            size *= 2
        return []


def mark(record: Record) -> Record:
    """Return a copy of a record, marked as pinned."""
    return replace(record, fields={**record.fields, _FIELD: "yes"})


def show_pinned(view: View, pinned: Sequence[Entry]) -> View:
    """Return a view with the pinned messages added at their original places."""
    if view.final:  # pins count towards its limit, so the next view may begin differently
        view = replace(view, room=-1)
    shown = {entry.seq for entry in (*view.entries, *filter(None, [view.system]))}
    new = [entry for entry in pinned if entry.seq not in shown]
    view = replace(view, pinned=frozenset(entry.seq for entry in pinned))
    if not new:
        return view
    entries = sorted([*view.entries, *new], key=lambda entry: entry.seq)
    if view.final:  # a final view is not sorted again later: keep tool calls and results together
        groups = [[entries[place] for place in places] for places in group_messages(messages_of(entries))]
        groups.sort(key=lambda group: not is_instruction(group[0].message))
        entries = [entry for group in groups for entry in group]
    return replace(view, entries=entries)
