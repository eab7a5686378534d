"""A save, in the order in which it happens.

1. `BaseMemory.asave_context` makes two messages of an exchange. `save` redacts them (`redact`), and stores them as one
   turn. From here on nothing is lost.
2. Each state that a strategy keeps learns from them: `Learner.follow`, which is the next page of this story.
3. Pins are recorded at once, and the system message in force now and then.
4. With `keep_history=False`, `evict` deletes messages that are no longer needed.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from memzoo.errors import OptionError, StoreError
from memzoo.memories.engine.hooks import check_returned
from memzoo.stores import Entry, Record, Store
from memzoo.stores.message_list import looking_once
from memzoo.sync import together

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

__all__ = ["append", "evict", "find_set_aside", "learn", "save", "turn_name"]

logger = logging.getLogger("memzoo")


async def save(
    memory: "BaseMemory",
    records: Sequence[Record],
    turn_id: str | None,
    *,
    learns: bool = True,
    pinned: bool = False,
    is_redacted: bool = False,
    question: int | None = None,
    before_learning: Callable[[Sequence[Entry]], Awaitable[None]] | None = None,
) -> None:
    """Store a turn, and learn from it.

    Args:
        memory: The memory.
        records: The messages of the turn, oldest first.
        turn_id: A turn is stored once under its id; `None` for a fresh one.
        learns: Otherwise a later save learns from it.
        pinned: The messages are marked as pinned (see `pins.mark`).
        is_redacted: `redact` has seen them already.
        question: The log number of the question, if that was stored before and is answered again.
        before_learning: Called with the entries of the turn as soon as it is stored.

    Raises:
        ModelError: It is stored, but could not be learnt from.
        StoreError: It is not stored, or may be stored; a note has the `turn_id` for another try.
    """
    if memory.redact is not None and not is_redacted:
        records = list(map(memory.redactor.record, records))
    with looking_once() as looked:
        new: Sequence[Entry] = ()
        if records:
            name = turn_name(turn_id)
            new = await append(memory.store, memory.conversation_id, records, name)
            if pinned:
                await memory.pins.write_down(new)
        if before_learning:
            await before_learning(new)
        if learns:
            await learn(memory, new)
            if any(learner.lease_seconds for learner in memory.learners):
                looked.clear()  # while a model was asked, others may have written
        if new and memory.system.is_far(new):
            await memory.system.write_down()
            await memory.pins.write_down()
        if new and learns and not memory.keep_history:
            await evict(memory, question or new[0].seq)


async def append(store: Store, id_: str, records: Sequence[Record], turn_id: str) -> list[Entry]:
    """Append messages to the log, as `Store.append` does.

    Raises:
        StoreError: They are not stored, or may be stored; a note has the `turn_id` for another try.
    """
    try:
        return await store.append(id_, records, turn_id=turn_id)
    except StoreError as error:
        error.add_note(f"The turn can be saved again with turn_id={turn_id!r}.")
        raise


def turn_name(turn_id: object) -> str:
    """The id of a turn: the one that is given, or a fresh one.

    Raises:
        OptionError: It is no text.
    """
    if turn_id is not None and not isinstance(turn_id, str):
        raise OptionError(f"turn_id must be a text, or None for a fresh one, not {turn_id!r}")
    return turn_id or secrets.token_hex(16)


async def learn(memory: "BaseMemory", new: Sequence[Entry] = (), *, whole: bool = False) -> None:
    """Learn from the log, to which `new` was just appended; with `whole`, in any number of steps.

    Raises:
        ModelError: A model failed, and `on_model_error` says to raise that.
    """
    if memory.learners:
        raising = memory.on_model_error == "raise"
        await together([learner.follow(new, raising=raising, whole=whole) for learner in memory.learners])
    else:
        memory.log.cached.add(new)


async def evict(memory: "BaseMemory", newest: int) -> None:
    """Delete messages that a memory no longer needs.

    Keeps the system message, an unanswered question, pinned and set-aside messages, and anything not learnt from yet.
    If that fails, the next save does it.

    Args:
        memory: The memory.
        newest: The first number of the newest turn. It stays in any case: otherwise, if it were saved again, nobody
            would know that it was there.
    """
    from memzoo.stores.tombstones import forget

    log = await memory.log.refreshed()
    needed = await memory.oldest_needed(log, await memory.known_state())
    first_needed = check_returned(memory, "oldest_needed", needed, int, "a log number, such as 1")
    waits = await log.unanswered()
    stays = (*await find_set_aside(memory), *await memory.pins.current(), *waits, await memory.system.newest())
    kept = {entry.seq for entry in stays if entry}
    # Whatever the strategy says: messages not learnt from yet are needed.
    unlearnt = [(await learner.refresh()).watermark + 1 for learner in memory.learners]
    first = min(newest, first_needed, *unlearnt)
    old = await log.between(1, first - 1)
    # A turn of which something stays is known by that, and can be taken back. Of others, only a tombstone tells.
    known = {entry.turn_id for entry in (*old, *await log.between(first, first)) if entry.seq in {*kept, first}}
    store, id_ = memory.store, memory.conversation_id
    try:
        for is_whole in (True, False):
            gone = [one.seq for one in old if one.seq not in kept and (one.turn_id not in known) is is_whole]
            if gone:
                await forget(store, id_, gone, derived=False, tombstones=is_whole)
    except StoreError as error:
        logger.warning("%r: old messages were not deleted yet: %s", id_, error)


async def find_set_aside(memory: "BaseMemory") -> list[Entry]:
    """Return the messages at which a model failed again and again, oldest first."""
    aside = {one for learner in memory.learners for one in (await learner.refresh()).attempts.aside}
    pages = [await memory.log.page(after=first - 1, before=last + 1) for first, last in sorted(aside)]
    return list({entry.seq: entry for page in pages for entry in page}.values())
