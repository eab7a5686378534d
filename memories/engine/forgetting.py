"""Forgetting: messages are deleted for good, and what was learnt from them is learnt anew without them."""

import itertools
import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.engine.state_sync import StateSync
from memzoo.stores import Store
from memzoo.stores.errors import OptionError, StoreError, UnknownMessageError

__all__ = ["Receipt", "evict", "forget", "rederived", "scrubbed"]

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
    log: Follower, ids: Collection[int], learners: Sequence[StateSync], *, thorough: bool | None
) -> Receipt:
    """Delete messages and what was learnt from them, everywhere; what is to be learnt anew is outstanding.

    Raises:
        UnknownMessageError: There is no such message; nothing was forgotten.
    """
    store, id_ = log.store, log.conversation_id
    seqs = await _known(log, ids)
    before = set(await store.states(id_))
    removed = await store.forget(id_, seqs)
    cleared = sorted(before - set(await store.states(id_)))
    failed = [problem for learner in learners for problem in await _let_go(learner)]
    erased, unscrubbed = await scrubbed(store, thorough=thorough)
    return Receipt(tuple(removed), (), (*cleared, *failed, *unscrubbed), erased=erased)


async def rederived(receipt: Receipt, learners: Sequence[StateSync], calls: int) -> Receipt:
    """A receipt after learning anew: what was outstanding and is done now is marked so."""
    done = {learner.name for learner in learners if not await learner.behind()}
    return replace(
        receipt,
        rederived=tuple(name for name in receipt.outstanding if name in done),
        outstanding=tuple(name for name in receipt.outstanding if name not in done),
        calls=calls,
    )


async def evict(log: Follower, first_needed: int, newest: int) -> None:
    """Delete what a memory has no more use for; if that fails, the next one does it.

    Args:
        log: The conversation.
        first_needed: The first number that is still needed.
        newest: The first number of the newest turn, which stays in any case: otherwise a repetition of it would not be
            recognised.
    """
    old = [entry.seq for entry in await Log(log).between(1, min(newest, first_needed) - 1)]
    try:
        if old:
            await log.store.forget(log.conversation_id, old, derived=False)
    except StoreError as error:
        logger.warning("%r: what is needed no more was not deleted yet: %s", log.conversation_id, error)


async def scrubbed(store: Store, *, thorough: bool | None) -> tuple[bool, list[str]]:
    """Remove what was deleted from the store's files: whether that was done, and what failed."""
    try:
        return await store.scrub(thorough=thorough), []
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
