"""What a memory has learnt, to be read and to be brought in from outside."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.stores import JSON, Entry, InMemoryStore, ManagedStore, Record, StateUpdate, Store, StoredState
from memzoo.stores.driving import drive
from memzoo.stores.errors import ConflictError, OptionError

__all__ = ["Content", "content_of_store", "learnt", "put", "restored_store"]

Content = tuple[list[Entry], dict[str, StoredState]]
"""All there is of a conversation."""

_NOTHING = Record({"role": "system", "content": ""})


def learnt(memory: BaseMemory) -> dict[str, Any]:
    """The items of a memory's state by key, as they are stored; no model is asked."""
    return dict(drive(_read(memory)).changes)


def put(
    memory: BaseMemory, changes: Callable[[Mapping[str, Any]], Mapping[str, JSON]], *, stands_for_all: bool = False
) -> None:
    """Write items into a memory's state.

    Args:
        memory: The memory.
        changes: Items that there are -> new values by key, `None` for one that goes.
        stands_for_all: The state then stands for all that was said so far; nothing of that is learnt from any more.
    """
    drive(_put(memory, changes, stands_for_all=stands_for_all))


def content_of_store(store: InMemoryStore, conversation_id: str) -> Content:
    """All that a store of this process has of a conversation."""
    return drive(_content(store, conversation_id))


def restored_store(conversation_id: str, content: Content) -> InMemoryStore:
    """A store of this process with one conversation."""
    store = InMemoryStore()
    drive(_restore(store, conversation_id, *content))
    return store


async def _read(memory: BaseMemory) -> StateUpdate:
    return await memory.store.read_state(memory.conversation_id, memory.state_name)


async def _put(
    memory: BaseMemory, changes: Callable[[Mapping[str, Any]], Mapping[str, JSON]], *, stands_for_all: bool
) -> None:
    store, key, begun = memory.store, (memory.conversation_id, memory.state_name), 0
    while True:
        known = await _read(memory)
        watermark = known.watermark
        if stands_for_all:
            newest = await store.read(key[0], limit=1, newest=True)
            watermark = max([watermark, begun, *(entry.seq for entry in newest)])
        try:
            await store.commit(*key, expected=known.version, watermark=watermark, changes=changes(known.changes))
        except ConflictError:
            if not known.version:
                begun = await _begin(store, key[0])
            continue
        return


async def _begin(store: Store, conversation_id: str) -> int:
    """Let an empty conversation exist: no store keeps a state of one that does not. Its last number is returned."""
    if entries := await store.read(conversation_id, limit=1, newest=True):
        return entries[0].seq
    if not isinstance(store, ManagedStore):
        raise OptionError(
            "what was learnt before cannot be brought into an empty chat_memory: leave chat_memory out, or set it "
            "after the first message"
        )
    [entry] = await store.append(conversation_id, [_NOTHING], turn_id=uuid.uuid4().hex)
    await store.forget(conversation_id, [entry.seq], derived=False)
    return entry.seq


async def _restore(
    store: InMemoryStore, conversation_id: str, entries: list[Entry], states: Mapping[str, StoredState]
) -> None:
    if entries:
        await store.restore(conversation_id, entries, states)
        return
    for name, state in states.items():
        await _begin(store, conversation_id)
        known = await store.read_state(conversation_id, name)
        await store.commit(conversation_id, name, expected=known.version, watermark=0, changes=state.items)


async def _content(store: InMemoryStore, conversation_id: str) -> Content:
    states: dict[str, StoredState] = {}
    for name in await store.states(conversation_id):
        state = await store.read_state(conversation_id, name)
        embeddings = await store.embeddings(conversation_id, name)
        states[name] = StoredState(state.watermark, state.changes, embeddings)
    return list(await store.read(conversation_id)), states
