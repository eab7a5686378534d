"""LangGraph: a store over memzoo's stores, and a memory inside a graph of one's own."""

import json
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from memzoo.memories.hosts.langchain_threads import akeep, ashown, keep, shown
from memzoo.memories.hosts.shared import Memories, host_module
from memzoo.memories.models.embedders import Embedder
from memzoo.stores import JSON, Record, Store
from memzoo.stores.driving import drive
from memzoo.stores.errors import ConflictError

__all__ = ["MemzooStore", "remember", "this_turn", "view"]

Key: TypeAlias = tuple[tuple[str, ...], str]  # namespace and key of an item
_host = host_module("langgraph.store.memory", "langgraph")
_base = host_module("langgraph.store.base", "langgraph")
_message = host_module("langgraph.graph.message", "langgraph")
_runnables = host_module("langchain_core.runnables", "langgraph")
_STATE = "langgraph-store"
_FIRST = {"role": "system", "content": "The items of a store of LangGraph are kept with this conversation."}


class MemzooStore(_host.InMemoryStore):  # type: ignore[misc, name-defined]
    """LangGraph's `BaseStore` that lasts: its in-memory store, with each change committed to a store of memzoo.

    Any number of processes may share one; each holds all items. Embeddings are kept, and computed once.

    Example:
        `graph.compile(store=MemzooStore(open_store("sqlite:///memories.db"), embedder=HashEmbedder()))`
    """

    def __init__(
        self, store: Store, *, name: str = "langgraph", embedder: Embedder | None = None, index: Any = None
    ) -> None:
        """Open one.

        Args:
            store: Keeps the items. Whoever opened it closes it.
            name: With which conversation they are kept: what deletes or exports it does so with them.
            embedder: Makes items searchable by meaning; or give LangGraph's `index`.
            index: As for `InMemoryStore`.
        """
        # The in-memory store asks for the dimensions, and does not use them.
        super().__init__(index={"dims": 0, "embed": _embedding(embedder)} if embedder else index)
        self._store, self._name, self._version = store, name, 0

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """See `BaseStore.batch`."""

        async def host(ops: list[Any]) -> list[Any]:
            return list(super(MemzooStore, self).batch(ops))

        return drive(self._run(list(ops), host))

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """See `BaseStore.abatch`."""
        return await self._run(list(ops), super().abatch)

    async def _run(self, ops: list[Any], host: Callable[[list[Any]], Awaitable[list[Any]]]) -> list[Any]:
        await self._refresh()
        put: set[Key] = {(op.namespace, op.key) for op in ops if isinstance(op, _base.PutOp)}
        # LangGraph gives an item that is put again a new time of creation.
        before = {key: item.created_at for key in put if (item := self._data.get(key[0], {}).get(key[1]))}
        try:
            results = await host(ops)
            if put:
                await self._commit({json.dumps(key): self._kept(key, before.get(key)) for key in put})
        except BaseException:
            self._version = 0  # what is held may be ahead of the store: it is read anew
            raise
        # A read of LangGraph's leaves an empty namespace behind, which would be listed.
        for namespace in [namespace for namespace, items in self._data.items() if not items]:
            del self._data[namespace]
        return results

    def _kept(self, key: Key, created_at: datetime | None) -> JSON:
        item = self._data[key[0]].get(key[1])
        if item is None:
            return None
        item.created_at = created_at or item.created_at
        vectors = {path: list(map(float, vector)) for path, vector in self._vectors[key[0]][key[1]].items()}
        times = {"created_at": item.created_at.isoformat(), "updated_at": item.updated_at.isoformat()}
        return {"value": item.value, "vectors": vectors, **times}

    async def _commit(self, changes: dict[str, JSON]) -> None:
        if not self._version:  # a state belongs to a conversation that there is
            await self._begin()
        while True:
            try:
                self._version = await self._store.commit(
                    self._name, _STATE, expected=self._version, watermark=0, changes=changes
                )
            except ConflictError:
                await self._refresh()
            else:
                return self._take_in(changes)  # another task may have read everything anew meanwhile

    async def _begin(self) -> None:
        """Make the conversation, also where all of it was forgotten: that turn is never stored again."""
        if not await self._store.read(self._name, limit=1):
            await self._store.append(self._name, [Record(_FIRST)], turn_id=uuid.uuid4().hex)

    async def _refresh(self) -> None:
        update = await self._store.read_state(self._name, _STATE, since=self._version)
        if update.reset or not self._version:
            self._data.clear()
            self._vectors.clear()
        self._take_in(update.changes)
        self._version = update.version

    def _take_in(self, changes: Any) -> None:
        for name, kept in changes.items():
            namespace, key = tuple(json.loads(name)[0]), json.loads(name)[1]
            if kept is None:
                self._data[namespace].pop(key, None)
                self._vectors[namespace].pop(key, None)
            else:
                own = {part: kept[part] for part in ("value", "created_at", "updated_at")}
                self._data[namespace][key] = _base.Item(key=key, namespace=namespace, **own)
                self._vectors[namespace][key] = dict(kept["vectors"])


def _embedding(embedder: Embedder) -> Callable[[Sequence[str]], list[list[float]]]:
    """An embedder as LangGraph takes one: a function from texts to rows of numbers."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        import numpy as np

        found = drive(embedder.embed(list(texts))).vectors
        return [np.frombuffer(vector, dtype="<f4").tolist() for vector in found]

    return embed


def view(memories: Memories) -> Any:
    """What goes in front of a model, `view(memories) | model`: the messages of the state in, what to send out.

    What is new is kept in the log. The question is the newest message of a human, so memories that search are served.
    """
    return _runnables.RunnableLambda(partial(shown, memories), partial(ashown, memories))


def remember(memories: Memories) -> Any:
    """The last node of a turn: it keeps what is new in `state["messages"]`, and learns from the exchange."""
    return _runnables.RunnableLambda(
        lambda state: keep(memories, state["messages"]), lambda state: akeep(memories, state["messages"])
    )


def this_turn(left: Any, right: Any) -> list[Any]:
    """A reducer, `messages: Annotated[list, this_turn]`: the state has this turn alone, and checkpoints stay small.

    What was said before is in the memory's log. Otherwise it is LangGraph's `add_messages`.
    """
    messages: list[Any] = _message.add_messages(left, right)
    starts = [place for place, message in enumerate(messages) if message.type == "human"]
    return messages[starts[-1] :] if starts else messages
