"""The memory as it was at an earlier message, for a turn that takes the place of what was said after that.

1. When such a turn asks for `messages`, `show_earlier` copies the conversation up to that message into a store in
   memory, and a memory with the same options shows it. The conversation itself does not change.
2. When the turn was stored, what it replaces is taken back (`Turn`), and with it what was learnt from that.
3. `keep_learnt` brings in what the copy has learnt meanwhile, so that no model is asked for it twice.
"""

import contextlib
from dataclasses import dataclass

from memzoo.errors import ConflictError
from memzoo.memories.engine.memory import Memory
from memzoo.memories.text.view import Shown
from memzoo.stores import InMemoryStore, Store, StoredState, managed

__all__ = ["Earlier", "keep_learnt", "show_earlier"]


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a conversation was.

    Attributes:
        shown: What the memory showed of it.
        store: The copy, with what was learnt.
    """

    shown: Shown
    store: InMemoryStore


async def show_earlier(memory: Memory, last: int, query: str) -> Earlier:
    """Show a conversation as it was when `last` was its newest message; reads the log up to there once.

    Args:
        memory: Shows it.
        last: A log number.
        query: See `BaseMemory.messages`.
    """
    store, id_ = memory.log.cached.store, memory.log.cached.conversation_id
    entries = await store.read(id_, until=last)
    copy = InMemoryStore()
    if entries:
        names = await managed(store, "states").states(id_)
        states = {name: state for name in names if (state := await _state_until(store, id_, name, last))}
        await copy.restore(id_, entries, states)
    earlier = memory.copy_over(copy)
    try:
        return Earlier(await earlier.amessages(query), copy)
    finally:
        for purpose in earlier.usage:
            memory.usage.add(purpose, earlier.usage[purpose])


async def keep_learnt(memory: Memory, copy: InMemoryStore) -> None:
    """Bring in what was learnt in a copy, where the conversation is still the same up to there."""
    store, id_ = memory.log.cached.store, memory.log.cached.conversation_id
    copied = await copy.read(id_)
    for name in await copy.states(id_):
        new, now = await copy.read_state(id_, name), await store.read_state(id_, name)
        if new.watermark <= now.watermark:
            continue
        # After the state: what is deleted from now on makes the commit be refused.
        there = await store.read(id_, until=copied[-1].seq)
        if there != copied:
            return
        changes = {**dict.fromkeys(now.changes), **new.changes}
        embeddings = await copy.embeddings(id_, name)
        key, watermark = (id_, name), new.watermark
        with contextlib.suppress(ConflictError):  # somebody has learnt it meanwhile
            await store.commit(*key, expected=now.version, watermark=watermark, changes=changes, embeddings=embeddings)


async def _state_until(store: Store, conversation_id: str, name: str, last: int) -> StoredState | None:
    """A state as far as it comes from messages up to a number; `None` for one that goes further."""
    state = await store.read_state(conversation_id, name)
    embeddings = await managed(store, "embeddings").embeddings(conversation_id, name)
    if state.watermark > last and (state.changes or not embeddings):
        return None
    kept = {seq: one for seq, one in embeddings.items() if seq <= last}
    return StoredState(min(state.watermark, last), state.changes, kept)
