"""Forgetting: messages are deleted for good, and what was learnt from them is learnt anew without them."""

import itertools
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.engine.state_sync import StateSync
from memzoo.memories.models.usage import Usage
from memzoo.stores import ManagedStore, Store, managed
from memzoo.stores.errors import ModelError, OptionError, StoreError, UnknownMessageError

__all__ = ["Receipt", "clear", "evict", "forget"]

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


async def forget(
    log: Follower,
    ids: Collection[int] | None,
    learners: Sequence[StateSync],
    learn: Callable[[], Awaitable[None]],
    usage: Usage,
    *,
    thorough: bool | None,
) -> Receipt:
    """As `BaseMemory.aforget`.

    Args:
        log: The conversation.
        ids: Log numbers; `None` for all.
        learners: What learns from the log.
        learn: Makes them learn anew.
        usage: What that costs.
        thorough: See `BaseMemory.aforget`.
    """
    store, id_, calls = log.store, log.conversation_id, usage.total.calls
    if ids is None:
        seqs = tuple(entry.seq for entry in await store.read(id_))
        await clear(log, learners)
        erased, failed = await _scrubbed(store, thorough=thorough)
        return Receipt(seqs, outstanding=tuple(failed), erased=erased)
    known = await _known(log, ids)
    before = set(await managed(store, "states").states(id_))
    removed = await managed(store, "forget").forget(id_, known)
    cleared = sorted(before - set(await managed(store, "states").states(id_)))
    failed = [problem for learner in learners for problem in await _let_go(learner)]
    erased, unscrubbed = await _scrubbed(store, thorough=thorough)
    try:
        await learn()
    except ModelError as error:
        error.add_note(f"The messages {removed} are forgotten all the same; a later call catches up.")
        raise
    done = {learner.name for learner in learners if not await learner.behind()}
    return Receipt(
        removed=tuple(removed),
        rederived=tuple(name for name in cleared if name in done),
        outstanding=(*(name for name in cleared if name not in done), *failed, *unscrubbed),
        calls=usage.total.calls - calls,
        erased=erased,
    )


async def clear(log: Follower, learners: Sequence[StateSync]) -> None:
    """Delete a conversation: what was said and everything derived from it."""
    await log.store.clear(log.conversation_id)
    for learner in learners:
        await learner.refresh(reset=True)
    if isinstance(log.store, ManagedStore) and not await log.store.scrub():
        logger.warning("%r is deleted, but the store's log file could not be emptied yet", log.conversation_id)


async def evict(log: Follower, first_needed: int, newest: int, kept: Collection[int] = ()) -> None:
    """Delete what a memory has no more use for; if that fails, the next one does it.

    Args:
        log: The conversation.
        first_needed: The first number that is still needed.
        newest: The first number of the newest turn, which stays in any case: otherwise a repetition of it would not be
            recognised.
        kept: What stays too.
    """
    old = [entry.seq for entry in await Log(log).between(1, min(newest, first_needed) - 1) if entry.seq not in kept]
    try:
        if old:
            await managed(log.store, "forget").forget(log.conversation_id, old, derived=False)
    except StoreError as error:
        logger.warning("%r: what is needed no more was not deleted yet: %s", log.conversation_id, error)


async def _scrubbed(store: Store, *, thorough: bool | None) -> tuple[bool, list[str]]:
    try:
        return await managed(store, "scrub").scrub(thorough=thorough), []
    except StoreError as error:
        return False, [f"remains in files: {error}"]


async def _known(log: Follower, ids: Collection[int]) -> list[int]:
    given: object = ids
    if isinstance(given, (int, str)) or not all(type(one) is int for one in ids):
        raise OptionError(f"ids must be log numbers, such as [3, 4], or None for the whole conversation, not {ids!r}")
    found = {
        entry.seq
        for first, last in _runs(ids)
        for entry in await log.store.read(log.conversation_id, after=first - 1, until=last)
    }
    if unknown := sorted(set(ids) - found):
        numbers = ", ".join(map(str, unknown))
        raise UnknownMessageError(f"{log.conversation_id!r} has no message {numbers}; nothing was forgotten")
    return sorted(found)


def _runs(ids: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of successive numbers."""
    for _, run in itertools.groupby(enumerate(sorted(set(ids))), lambda one: one[1] - one[0]):
        numbers = [number for _, number in run]
        yield numbers[0], numbers[-1]


async def _let_go(learner: StateSync) -> list[str]:
    try:
        await learner.refresh(reset=True)
    except StoreError as error:
        return [f"{learner.name}: {error}"]
    return []
