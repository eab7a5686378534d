"""Pins messages, and puts what is pinned into views: loaded where something is."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memzoo.errors import ConflictError, UnknownMessageError
from memzoo.memories.engine.log import CachedLog, messages_of
from memzoo.memories.engine.pins import FIELD, STATE, Pins, StoredPins
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import group_messages, is_answer, is_instruction
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry, Record, Store

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

__all__ = ["let_go", "mark", "note", "pin", "show_pinned", "unpin", "write_down"]

# So many messages are looked at for marks now and then: more than are said in between.
_LOOKED_BACK = 256


async def pin(pins: Pins, ids: int | Sequence[int] | set[int]) -> None:
    """Pin messages.

    Raises:
        UnknownMessageError: There is no such message; nothing was pinned.
    """
    await _change(pins, ids, pinned=True)


async def unpin(pins: Pins, ids: int | Sequence[int] | set[int]) -> None:
    """Let go of messages again; those that are not pinned are passed over.

    Raises:
        UnknownMessageError: There is no such message; nothing was changed.
    """
    await _change(pins, ids, pinned=False)


def mark(record: Record) -> Record:
    """A record that is stored as pinned."""
    return replace(record, fields={**record.fields, FIELD: "yes"})


async def note(pins: Pins, new: Sequence[Entry]) -> None:
    """Write down that messages are pinned which were just stored as such, unless that was done before."""
    written = (await pins.read_stored()).items
    with suppress(UnknownMessageError):  # somebody has forgotten it meanwhile
        await pin(pins, [entry.seq for entry in new if str(entry.seq) not in written])


async def write_down(pins: Pins) -> None:
    """Write down what bears the mark itself, if whoever stored it did not come to that."""
    if found := [entry for entry in await pins.log.tail(_LOOKED_BACK) if FIELD in entry.fields]:
        await note(pins, found)


async def let_go(store: Store, conversation_id: str, removed: Collection[int]) -> None:
    """Write down that messages are gone."""
    pins = Pins(CachedLog(store, conversation_id))
    while True:
        stored = await pins.read_stored()
        gone = {str(seq): None for seq in removed if str(seq) in stored.items}
        if not gone or not await store.read(conversation_id, limit=1):
            return
        with suppress(ConflictError):
            await _commit(pins, stored, gone)
            return


async def show_pinned(memory: "BaseMemory", view: View, pinned: Sequence[Entry]) -> View:
    """A view with the pinned messages that it does not show yet, where they were said, or before all others.

    Args:
        memory: What remembers.
        view: What its strategy shows.
        pinned: Oldest first.
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
        groups.sort(key=lambda group: not is_instruction(group[0].message) and 1 + _is_behind(group, in_front))
    return replace(view, entries=[entry for group in groups for entry in group])


def _is_behind(group: Sequence[Entry], in_front: set[int]) -> bool:
    return in_front.isdisjoint(entry.seq for entry in group)


async def _change(pins: Pins, ids: int | Sequence[int] | set[int], *, pinned: bool) -> None:
    numbers = [*ids] if isinstance(ids, Collection) else [ids]
    for one in numbers:
        whole_number("id", one, at_least=1)
    while True:
        stored = await pins.read_stored()
        changes: dict[str, JSON] = {}
        for seq in sorted(set(numbers)):
            # In each round: what was forgotten meanwhile, perhaps with the whole conversation, is pinned no more.
            entries = await pins.log.cached.read(after=seq - 1, until=seq)
            if not entries:
                id_ = pins.log.cached.conversation_id
                raise UnknownMessageError(f"{id_!r} has no message {seq}; nothing was changed")
            # Of what bears the mark itself it is written down too, or nobody who opens a long log would know of it.
            if stored.items.get(str(seq), FIELD in entries[0].fields and not pinned) is not pinned:
                changes[str(seq)] = pinned
        if not changes:
            return
        with suppress(ConflictError):
            await _commit(pins, stored, changes)
            return


async def _commit(pins: Pins, stored: StoredPins, changes: dict[str, JSON]) -> None:
    """Change the state; the memory reads it anew, as all others do.

    Raises:
        ConflictError: Another writer was faster; nothing is changed.
    """
    log = pins.log.cached
    # The watermark stays 0: whatever is forgotten, the other pins are not.
    await log.store.commit(log.conversation_id, STATE, expected=stored.version, watermark=0, changes=changes)
    await pins.read_stored()
