"""Forgetting: deletes messages for good, and learns again from the rest of the conversation."""

import itertools
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from memzoo.errors import MessageError, ModelError, OptionError, StoreError
from memzoo.memories.engine.log import CachedLog, own_copies
from memzoo.memories.engine.saving import learn
from memzoo.memories.options import whole_number
from memzoo.stores import Entry, tombstones
from memzoo.stores.base import find_lacking, managed
from memzoo.stores.forgetting import Receipt, forget_messages

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

_BEYOND = 2**63  # larger than any log number in a store


async def forget(memory: "BaseMemory", ids: Collection[int] | None, *, thorough: bool) -> Receipt:
    """Delete messages for good, and learn again without them; see `BaseMemory.aforget`."""
    log, calls = memory.log.cached, memory.usage.total.calls
    store, id_ = log.store, log.conversation_id
    if ids is None:
        seqs = tuple(entry.seq for entry in await store.read(id_))
        if tombstones.keeps_tombstones(store):
            # Only `forget` leaves tombstones: after a clear, forgotten messages could be saved again.
            await store.forget(id_, seqs)
            await store.clear(id_, only_empty=True)
        else:
            await store.clear(id_)
        erased, failed = await _clean_up(memory, thorough=thorough)
        return Receipt(seqs, outstanding=tuple(failed), erased=erased)
    known = await _check_ids(log, ids)
    if not (known or thorough):
        return Receipt(())
    before = set(await managed(store, "states").states(id_))
    removed = await forget_messages(store, id_, known)
    cleared = sorted(before - set(await managed(store, "states").states(id_)))
    erased, failed = await _clean_up(memory, thorough=thorough)
    try:
        await learn(memory, whole=True)
    except ModelError as error:
        error.add_note(f"The messages {removed} are forgotten all the same; a later call catches up.")
        raise
    done = {learner.name for learner in memory.learners if not await learner.is_behind()}
    return Receipt(
        removed=tuple(removed),
        rederived=tuple(name for name in cleared if name in done),
        outstanding=(*(name for name in cleared if name not in done), *failed),
        calls=memory.usage.total.calls - calls,
        erased=erased,
    )


async def rewind(memory: "BaseMemory", last: int, *, until: int | None = None) -> list[Entry]:
    """Take back the messages numbered above `last`, up to `until`, and return them; see `BaseMemory.arewind`."""
    whole_number("last", last, at_least=0)
    if until is not None:
        whole_number("until", until, at_least=0)
    store, id_ = memory.store, memory.conversation_id
    gone = await store.read(id_, after=last, until=until)
    if gone:
        await forget_messages(store, id_, [entry.seq for entry in gone], for_good=False)
    for learner in memory.learners:
        await learner.refresh(reset=True)
    return own_copies(gone)


async def clear(memory: "BaseMemory") -> None:
    """Delete a conversation: the log and everything derived from the log."""
    store, id_ = memory.store, memory.conversation_id
    await store.clear(id_)
    for learner in memory.learners:
        await learner.refresh(reset=True)
    if not find_lacking(store, "scrub"):
        await managed(store, "scrub").scrub()


async def _clean_up(memory: "BaseMemory", *, thorough: bool) -> tuple[bool, list[str]]:
    """Read all states again, and scrub the store; return whether its files have no copies left, and what failed."""
    failed: list[str] = []
    for learner in memory.learners:
        try:
            await learner.refresh(reset=True)
        except StoreError as error:
            failed.append(f"{learner.name}: {error}")
    try:
        return await managed(memory.store, "scrub").scrub(thorough=thorough), failed
    except StoreError as error:
        return False, [*failed, f"deleted data remains in the files: {error}"]


async def _check_ids(log: CachedLog, ids: Collection[int]) -> list[int]:
    given: object = ids
    if not isinstance(given, Iterable) or not all(type(one) is int for one in ids):
        raise OptionError(f"ids must be log numbers, such as [3, 4], or None for the whole conversation, not {ids!r}")
    found = set[int]()
    # One read for each run of successive numbers.
    known = sorted(one for one in {*ids} if 0 < one < _BEYOND)
    for _, run in itertools.groupby(enumerate(known), lambda one: one[1] - one[0]):
        seqs = [seq for _, seq in run]
        entries = await log.store.read(log.conversation_id, after=seqs[0] - 1, until=seqs[-1])
        found |= {entry.seq for entry in entries}
    if unknown := sorted(set(ids) - found):
        numbers = ", ".join(str(one) if abs(one) < _BEYOND else "that large" for one in unknown)
        raise MessageError(f"{log.conversation_id!r} has no message {numbers}; nothing was forgotten")
    return sorted(found)
