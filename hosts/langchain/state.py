"""Reads and writes the state of a memory, for LangChain's methods that change notes and facts."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from memzoo.errors import ConflictError, OptionError
from memzoo.stores import JSON, Entry, InMemoryStore, ManagedStore, MessageListStore, Record, Store, StoredState
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking_function

Content = tuple[list[Entry], dict[str, StoredState]]
"""The whole content of a conversation: its log entries, and its states by name."""

_NOTHING = Record({"role": "system", "content": ""})


async def aread_items(memory: BaseMemory) -> Mapping[str, Any]:
    """Return a memory's stored state as a dict from key to item, without asking a model."""
    return (await memory.learners[0].refresh()).items


async def aput(
    memory: BaseMemory, changes: Callable[[Mapping[str, Any]], Mapping[str, JSON]], *, stands_for_all: bool = False
) -> None:
    """Write items into a memory's state.

    `changes` is a function that takes the existing items, and returns a dict from key to new item; `None` removes an
    item. If `stands_for_all` is true, all messages are marked as learnt, so the memory learns only from later messages.
    """
    store, key, begun = memory.store, (memory.conversation_id, memory.learners[0].name), 0
    while True:
        known = await memory.learners[0].refresh()
        watermark = known.watermark
        if stands_for_all:
            newest = await store.read(key[0], limit=1, newest=True)
            watermark = max([watermark, begun, *(entry.seq for entry in newest)])
        try:
            await store.commit(*key, expected=known.version, watermark=watermark, changes=changes(known.items))
        except ConflictError:
            if not known.version:
                begun = await _begin(store, key[0])
            continue
        return


async def acontent_of_store(store: InMemoryStore, conversation_id: str) -> Content:
    """Return a conversation's log and states, read from an in-memory store."""
    states: dict[str, StoredState] = {}
    for name in await store.states(conversation_id):
        state = await store.read_state(conversation_id, name)
        embeddings = await store.embeddings(conversation_id, name)
        states[name] = StoredState(state.watermark, state.changes, embeddings)
    return list(await store.read(conversation_id)), states


async def arestore_content(conversation_id: str, content: Content) -> InMemoryStore:
    """Return a new in-memory store with a conversation from `acontent_of_store`."""
    store, (entries, states) = InMemoryStore(), content
    if entries:
        await store.restore(conversation_id, entries, states)
        return store
    for name, state in states.items():
        await _begin(store, conversation_id)
        known = await store.read_state(conversation_id, name)
        await store.commit(conversation_id, name, expected=known.version, watermark=0, changes=state.items)
    return store


read_items, put = blocking_function(aread_items), blocking_function(aput)
content_of_store, restore_content = blocking_function(acontent_of_store), blocking_function(arestore_content)


async def _begin(store: Store, conversation_id: str) -> int:
    """Create a conversation if it does not exist, because a state needs a conversation; return the last log number."""
    if entries := await store.read(conversation_id, limit=1, newest=True):
        return entries[0].seq
    if isinstance(store, MessageListStore):
        # The part of the store that keeps the states: the program's own history gets no message.
        store = store._seen  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    if not isinstance(store, ManagedStore):
        raise OptionError(f"{store!r} cannot take an initial state before the first message: it has no 'forget'")
    [entry] = await store.append(conversation_id, [_NOTHING], turn_id=uuid.uuid4().hex)
    await store.forget(conversation_id, [entry.seq], tombstones=False)
    return entry.seq
