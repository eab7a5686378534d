"""Pinned messages: every view shows them word for word, whatever else it leaves out."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from memzoo.errors import ConflictError, OverBudgetError, UnknownMessageError
from memzoo.memories.engine.log import Follower, Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.engine.state_keeper import StateKeeper
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import grouped, is_instruction
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry, Record

__all__ = ["STATE", "Pins", "marked", "with_pinned"]

STATE = "pins"
# A field of the record itself, so that a message is stored and pinned in one step.
_FIELD = "@pinned"
# So many messages are looked at for marks now and then: more than are said in between.
_LOOKED_BACK = 256
# How far from a call its results are looked for, in messages: near at first.
_PAGE, _FARTHEST = 16, 1024


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

    State: by log number `true` for a pinned message; `false` for one that was stored as pinned and is not any more.

    Attributes:
        entries: The pinned messages as `current` found them last: a tool call with its results, oldest first.

    Args:
        follower: The log.
    """

    def __init__(self, follower: Follower) -> None:
        self._log = Log(follower, form="whole")
        self._keeper = StateKeeper(follower.store, follower.conversation_id, STATE, None)
        self._known = _Known()
        self.entries: Sequence[Entry] = ()

    async def current(self) -> Sequence[Entry]:
        """The pinned messages of a log that is up to date, oldest first, each call of tools with all its results."""
        state = await self._keeper.refresh()
        known = self._known = self._looked_at()
        if not (state.items or known.marked or known.groups):
            self.entries = ()  # as nearly always
            return self.entries
        numbers = _pinned(state, known.marked)
        if numbers or known.groups:
            known = self._known = await self._grouped(known, numbers)
        entries = {entry.seq: entry for group in known.groups.values() for entry in group}
        self.entries = [entries[seq] for seq in sorted(entries)]
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

    async def pin(self, ids: int | Sequence[int] | set[int]) -> None:
        """Pin messages.

        Raises:
            UnknownMessageError: There is no such message; nothing was pinned.
        """
        await self._change(ids, pinned=True)

    async def unpin(self, ids: int | Sequence[int] | set[int]) -> None:
        """Let go of messages again; those that are not pinned are passed over.

        Raises:
            UnknownMessageError: There is no such message; nothing was changed.
        """
        await self._change(ids, pinned=False)

    async def note(self, records: Sequence[Record], new: Sequence[Entry]) -> None:
        """Write down which messages of a turn that was just stored are pinned, unless that was done before."""
        if found := [entry.seq for record, entry in zip(records, new, strict=False) if _FIELD in record.fields]:
            state = await self._keeper.refresh()
            with suppress(UnknownMessageError):  # somebody has forgotten it meanwhile
                await self.pin([seq for seq in found if str(seq) not in state.items])

    async def write_down(self) -> None:
        """Write down what bears the mark itself, if whoever stored it did not come to that."""
        found = [entry.seq for entry in await self._log.tail(_LOOKED_BACK) if _FIELD in entry.fields]
        if found:
            state = await self._keeper.refresh()
            with suppress(UnknownMessageError):
                await self.pin([seq for seq in found if str(seq) not in state.items])

    async def let_go(self, removed: Collection[int]) -> None:
        """Write down that messages are gone."""
        while True:
            state = await self._keeper.refresh()
            gone = {str(seq): None for seq in removed if str(seq) in state.items}
            if not gone or not await self._log.follower.store.read(self._log.follower.conversation_id, limit=1):
                return
            with suppress(ConflictError):
                await self._keeper.commit(state, Changes(gone), 0)
                return

    async def _change(self, ids: int | Sequence[int] | set[int], *, pinned: bool) -> None:
        numbers = [*ids] if isinstance(ids, Collection) else [ids]
        for one in numbers:
            whole_number("id", one, at_least=1)
        while True:
            state = await self._keeper.refresh()
            changes: dict[str, JSON] = {}
            for seq in sorted(set(numbers)):
                # In each round: what was forgotten meanwhile, perhaps with the whole conversation, is pinned no more.
                entries = await self._log.follower.read(after=seq - 1, until=seq)
                if not entries:
                    id_ = self._log.follower.conversation_id
                    raise UnknownMessageError(f"{id_!r} has no message {seq}; nothing was changed")
                # Of what bears the mark itself it is written down too, or nobody who opens a long log would know of it.
                if state.items.get(str(seq), _FIELD in entries[0].fields and not pinned) is not pinned:
                    changes[str(seq)] = pinned
            if not changes:
                return
            with suppress(ConflictError):
                # The watermark stays 0: whatever is forgotten, the other pins are not.
                await self._keeper.commit(state, Changes(changes), 0)
                return

    def _looked_at(self) -> _Known:
        """What is known, after a look at what is new in the log for messages that were stored as pinned."""
        known, held = self._known, self._log.follower.entries
        if known.epoch != self._log.follower.epoch or known.epoch is None:
            known = _Known(self._log.follower.epoch)
        if not held or held[-1].seq <= known.last:
            return known
        place = len(held)
        while place and held[place - 1].seq > known.last:
            place -= 1
        new = {entry.seq for entry in held[place:] if entry.fields and _FIELD in entry.fields}
        marked, groups = known.marked | new, known.groups
        if known.open:  # what waited for a result is to be looked at again
            groups = {seq: group for seq, group in groups.items() if seq not in known.open}
        return _Known(known.epoch, held[-1].seq, marked, groups)

    async def _grouped(self, known: _Known, numbers: Collection[int]) -> _Known:
        groups = {seq: group for seq, group in known.groups.items() if seq in numbers}
        unfinished = {seq for seq in known.open if seq in numbers}
        for seq in sorted(set(numbers) - groups.keys()):
            if entries := await self._log.between(seq, seq):
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
            entries = await self._log.between(max(entry.seq - size * is_result, 1), entry.seq + size)
            for places in grouped(messages_of(entries)):
                if any(entries[place].seq == entry.seq for place in places):
                    return [entries[place] for place in places]
            size *= 2
        return []


def marked(record: Record) -> Record:
    """A record that is stored as pinned."""
    return replace(record, fields={**record.fields, _FIELD: "yes"})


def with_pinned(view: View, pinned: Sequence[Entry], in_front: Collection[int] = ()) -> View:
    """A view with the pinned messages that it does not show yet, where they were said.

    Args:
        view: What a strategy shows.
        pinned: Oldest first.
        in_front: The numbers of those that stand before all others instead.
    """
    if not pinned:
        return view
    shown = {entry.seq for entry in (*view.entries, *filter(None, [view.system]))}
    new = [entry for entry in pinned if entry.seq not in shown]
    entries = view.entries
    if new:
        entries = sorted([*entries, *new], key=lambda entry: entry.seq)
        if view.final:  # nobody puts it in order after this
            entries = [entries[place] for places in grouped(messages_of(entries)) for place in places]
            entries.sort(key=lambda entry: not is_instruction(entry.message))
    if in_front:
        entries = sorted(entries, key=lambda one: not is_instruction(one.message) and 1 + (one.seq not in in_front))
    return replace(view, entries=entries, pinned=frozenset(entry.seq for entry in pinned))


def _pinned(state: State, stored: Collection[int]) -> set[int]:
    items = {int(key): value for key, value in state.items.items() if key.isdecimal()}
    return {seq for seq, value in items.items() if value is True} | {seq for seq in stored if seq not in items}
