"""Forgetting: messages are deleted for good, and what was learnt from them is learnt anew without them."""

import itertools
import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memzoo.memories.engine.log import Log
from memzoo.stores import Store, managed
from memzoo.stores.errors import ModelError, OptionError, StoreError, UnknownMessageError

if TYPE_CHECKING:
    from memzoo.memories.archive import Archive
    from memzoo.memories.strategy import Strategy

__all__ = ["Receipt", "evict", "forget"]

logger = logging.getLogger("memzoo")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a request to forget.

    Attributes:
        removed: The log numbers of the messages that were deleted, in order.
        rederived: The names of the states that had learnt from them, and are derived anew.
        outstanding: What is not done yet: the names of states that were deleted and are derived anew by the next call
            of a memory with that strategy, or in the background; and what failed, with the reason.
        calls: Calls of models and embedders that it took.
        erased: Whether the store could remove the remains from its files, as thoroughly as it was asked to; if not,
            `store.scrub(thorough=True)` does it later.
    """

    removed: tuple[int, ...]
    rederived: tuple[str, ...] = ()
    outstanding: tuple[str, ...] = ()
    calls: int = 0
    erased: bool = True


async def forget(memory: "Archive", ids: Collection[int] | None, *, thorough: bool | None) -> Receipt:
    """As `BaseMemory.aforget`."""
    store, id_, calls = memory.store, memory.conversation_id, memory.usage.total.calls
    if ids is None:
        seqs = [entry.seq for entry in await memory.aentries()]
        await memory.aclear()
        erased, failed = await _scrubbed(store, thorough=thorough)
        return Receipt(tuple(seqs), outstanding=tuple(failed), erased=erased)
    seqs = await _known(Log(store, id_), ids)
    before = set(await managed(store, "states").states(id_))
    removed = await managed(store, "forget").forget(id_, seqs)
    cleared = sorted(before - set(await managed(store, "states").states(id_)))
    followers: dict[Strategy, None] = dict.fromkeys([memory, *memory.deriving])
    failed = [problem for part in followers for problem in await _dropped(part)]
    erased, unscrubbed = await _scrubbed(store, thorough=thorough)
    try:
        await memory.catch_up()
    except ModelError as error:
        error.add_note(f"The messages {removed} are forgotten all the same; the next call catches up.")
        raise
    done = {part.state_name for part in memory.deriving if not await part.behind()}
    return Receipt(
        removed=tuple(removed),
        rederived=tuple(name for name in cleared if name in done),
        outstanding=(*(name for name in cleared if name not in done), *failed, *unscrubbed),
        calls=memory.usage.total.calls - calls,
        erased=erased,
    )


async def evict(memory: "Strategy", newest: int) -> None:
    """Delete what a memory has no more use for, but not what follows a number; if that fails, the next one does it.

    The newest turn stays in any case, or a repetition of it would not be known for one.
    """
    first = min(newest, await memory.first_needed())
    old = [entry.seq for entry in await Log(memory.store, memory.conversation_id).between(1, first - 1)]
    try:
        if old:
            await managed(memory.store, "forget").forget(memory.conversation_id, old, derived=False)
    except StoreError as error:
        logger.warning("%r: what is needed no more was not deleted yet: %s", memory.conversation_id, error)


async def _known(log: Log, ids: Collection[int]) -> list[int]:
    given: object = ids
    if isinstance(given, (int, str)) or not all(type(one) is int for one in ids):
        raise OptionError(f"ids must be log numbers, such as [3, 4], or None for the whole conversation, not {ids!r}")
    found = {entry.seq for first, last in _runs(ids) for entry in await log.between(first, last)}
    if unknown := sorted(set(ids) - found):
        numbers = ", ".join(map(str, unknown))
        raise UnknownMessageError(f"{log.conversation_id!r} has no message {numbers}; nothing was forgotten")
    return sorted(found)


def _runs(ids: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of successive numbers."""
    for _, run in itertools.groupby(enumerate(sorted(set(ids))), lambda one: one[1] - one[0]):
        numbers = [number for _, number in run]
        yield numbers[0], numbers[-1]


async def _dropped(part: "Strategy") -> list[str]:
    try:
        await part.drop_deleted()
    except StoreError as error:
        return [f"{part.state_name}: {error}"]
    return []


async def _scrubbed(store: Store, *, thorough: bool | None) -> tuple[bool, list[str]]:
    try:
        return await managed(store, "scrub").scrub(thorough=thorough), []
    except StoreError as error:
        return False, [f"remains in files: {error}"]
