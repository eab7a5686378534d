"""A save, step by step.

1. `BaseMemory.asave_context` turns an exchange into two redacted messages. `save` stores both as one turn. From then
   on, nothing can be lost. Pins are recorded at once.
2. Each state of the strategy learns from the messages: see `Learner.follow`.
3. From time to time, the system message in force is recorded.
4. With `keep_history=False`, `evict` deletes messages that are no longer needed.
"""

import logging
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from memzoo.errors import OptionError, StoreError
from memzoo.memories.engine.hooks import await_hook
from memzoo.memories.engine.state import State
from memzoo.stores import Entry, Record, Store
from memzoo.stores.base import managed
from memzoo.sync import together

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

logger = logging.getLogger("memzoo")

# Fresh ids begin with the time, so that a database adds them at one place of its index. Seeded by the operating system:
# asking it for each id would take a tenth of a save in memory.
_ids = random.Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ids.seed)


async def save(
    memory: "BaseMemory",
    records: Sequence[Record],
    turn_id: str | None,
    *,
    learns: bool = True,
    pinned: bool = False,
    question: int | None = None,
    before_learning: Callable[[Sequence[Entry]], Awaitable[None]] | None = None,
) -> None:
    """Store a turn, and learn from it.

    Args:
        memory: The memory.
        records: The messages of the turn, redacted, oldest first.
        turn_id: The id of the turn, under which it is stored only once; `None` for a fresh id.
        learns: True to learn from the turn now; False to leave that to a later save.
        pinned: True if the messages are marked as pinned (see `pins.mark`).
        question: The log number of the question, if the turn answers an earlier question again.
        before_learning: Called with the entries of the turn as soon as the turn is stored.

    Raises:
        ModelError: The turn is stored, but could not be learnt from.
        StoreError: The store failed, so the turn might not be stored. The error's `__notes__` have the `turn_id` for
            another try.
    """
    cached = memory.log.cached
    with cached.looking_once() as looked:
        new: Sequence[Entry] = ()
        if records:
            name = turn_name(turn_id)
            new = await append(memory.store, memory.conversation_id, records, name)
            if pinned:
                await cached.pins.write_down(new)
        if before_learning:
            await before_learning(new)
        if not memory.learners:
            cached.add(new)
        elif learns:
            await learn(memory, new)
            if any(learner.lease_seconds for learner in memory.learners):
                looked.clear()  # while the model was asked, other writers may have changed the store
        if new and cached.system.is_far(new):
            await cached.system.write_down()
            await cached.pins.write_down()
        if new and learns and not memory.keep_history:
            await evict(memory, question or new[0].seq)


async def append(store: Store, id_: str, records: Sequence[Record], turn_id: str) -> list[Entry]:
    """Append messages to the log by `Store.append`, and return its result.

    Raises:
        StoreError: The store failed, so the messages might not be stored. The error's `__notes__` have the `turn_id`
            for another try.
    """
    try:
        return await store.append(id_, records, turn_id=turn_id)
    except StoreError as error:
        error.add_note(f"The turn can be saved again with turn_id={turn_id!r}.")
        raise


def turn_name(turn_id: object) -> str:
    """Return the given id of a turn, or a fresh id for `None` and "".

    Raises:
        OptionError: The id is not a string.
    """
    if turn_id is not None and not isinstance(turn_id, str):
        raise OptionError(f"turn_id must be a string, or None for a fresh one, not {turn_id!r}")
    return turn_id or (time.time_ns() << 64 | _ids.getrandbits(64)).to_bytes(16).hex()


async def learn(memory: "BaseMemory", new: Sequence[Entry] = (), *, whole: bool = False) -> None:
    """Learn from the log, to which `new` was just appended.

    With `whole`, learn from all of `new`, even if this takes many steps, or there are fewer than `learn_every`
    exchanges.

    Raises:
        ModelError: A model failed, and `on_model_error` is "raise".
    """
    raising = memory.on_model_error == "raise"
    await together([learner.follow(new, raising=raising, whole=whole) for learner in memory.learners])


async def evict(memory: "BaseMemory", newest: int) -> None:
    """Delete messages that a memory no longer needs.

    These messages are kept: the system message, an unanswered question, pinned and set-aside messages, messages not
    learnt from yet, and the newest turn, which begins at the log number `newest`. If the deletion fails, the next save
    tries again.
    """
    log = await memory.log.refreshed()
    own = [learner for learner in memory.learners if learner.hooks is memory]
    called = memory.oldest_needed(log, await own[0].refresh() if own else State())
    first_needed = await await_hook(memory, "oldest_needed", called, int, "a log number, such as 1")
    waits = await log.unanswered()
    stays = (*await find_set_aside(memory), *await memory.log.pins.current(), *waits, await memory.log.system.newest())
    kept = {entry.seq for entry in stays if entry}
    # Messages not learnt from yet are always needed, even if the strategy's `oldest_needed` says otherwise.
    unlearnt = [(await learner.refresh()).watermark + 1 for learner in memory.learners]
    first = min(newest, first_needed, *unlearnt)
    old = await log.between(1, first - 1)
    # A turn with a remaining message is recognised by that message, and can be taken back. A turn that goes as a whole
    # leaves tombstones.
    known = {entry.turn_id for entry in (*old, *await log.between(first, first)) if entry.seq in {*kept, first}}
    store, id_ = memory.store, memory.conversation_id
    try:
        for is_whole in (True, False):
            gone = [one.seq for one in old if one.seq not in kept and (one.turn_id not in known) is is_whole]
            if gone:
                await managed(store, "forget").forget(id_, gone, derived=False, tombstones=is_whole)
    except StoreError as error:
        logger.warning("%r: old messages were not deleted yet: %s", id_, error)


async def find_set_aside(memory: "BaseMemory") -> list[Entry]:
    """Return copies of the messages set aside because a model kept failing on them, oldest first."""
    aside = {one for learner in memory.learners for one in (await learner.refresh()).attempts.aside}
    pages = [await memory.log.page(after=first - 1, before=last + 1) for first, last in sorted(aside)]
    return list({entry.seq: entry for page in pages for entry in page}.values())
