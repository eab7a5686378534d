"""A `BaseStore` for LangGraph that uses memzoo's stores, and functions that put a memory into your own graph."""

import json
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from memzoo.errors import ConflictError, OptionError
from memzoo.forks import new_lock
from memzoo.hosts.langchain_threads import akeep, akeep_and_view, keep, keep_and_view
from memzoo.hosts.shared import Memories, host_module
from memzoo.memories import Embedder
from memzoo.stores import JSON, Record, Store
from memzoo.sync import drive
from memzoo.text import copy_json

__all__ = ["MemzooStore", "remember", "this_turn", "view"]

Key: TypeAlias = tuple[tuple[str, ...], str]  # namespace and key of an item
_host = host_module("langgraph.store.memory", "langgraph")
_base = host_module("langgraph.store.base", "langgraph")
_message = host_module("langgraph.graph.message", "langgraph")
_runnables = host_module("langchain_core.runnables", "langgraph")
_STATE = "langgraph-store"
_FIRST = {"role": "system", "content": "The items of a store of LangGraph are kept with this conversation."}


class _Namespaces(dict[tuple[str, ...], dict[str, Any]]):
    """Items, or embeddings, by namespace and key. Reading a missing namespace does not add the namespace."""

    def __missing__(self, _: tuple[str, ...]) -> dict[str, Any]:
        return {}


class _Held(NamedTuple):
    """An immutable snapshot of everything committed at the time of reading.

    Attributes:
        items: LangGraph's items, by namespace and key.
        vectors: For each namespace and key, the item's embeddings, keyed by path.
        version: The version of the state in the store; 0 for none. A cleared state starts again with a higher version.
    """

    items: _Namespaces = _Namespaces()
    vectors: _Namespaces = _Namespaces()
    version: int = 0

    def with_changes(self, changes: Mapping[str, JSON], version: int) -> "_Held":
        """Return a new snapshot with changes of the stored state; `version` is the version after these changes."""
        items, vectors = _Namespaces(self.items), _Namespaces(self.vectors)
        places = [(tuple(json.loads(name)[0]), json.loads(name)[1], kept) for name, kept in changes.items()]
        for held in (items, vectors):
            held.update({namespace: dict(held[namespace]) for namespace, _, _ in places})
        for namespace, key, kept in places:
            if kept is None:
                items[namespace].pop(key, None)
                vectors[namespace].pop(key, None)
            else:
                own = {part: kept[part] for part in ("value", "created_at", "updated_at")}
                items[namespace][key] = _base.Item(key=key, namespace=namespace, **own)
                vectors[namespace][key] = kept["vectors"]
        for namespace in {namespace for namespace, _, _ in places if not items[namespace]}:
            del items[namespace], vectors[namespace]
        return _Held(items, vectors, version)


class MemzooStore(_host.InMemoryStore):  # type: ignore[misc, name-defined]
    """A persistent `BaseStore` for LangGraph. It writes each change to a memzoo store.

    Several threads and processes may share the memzoo store. Each process keeps all items in RAM. Values must be JSON.
    Embeddings are stored, so each is computed only once.

    Example:
        `graph.compile(store=MemzooStore(open_store("sqlite:///memories.db"), embedder=HashEmbedder()))`
    """

    def __init__(
        self, store: Store, *, name: str = "langgraph", embedder: Embedder | None = None, index: Any = None
    ) -> None:
        """Open a store.

        Args:
            store: The memzoo store for the items. You must close it yourself.
            name: The id of the conversation that holds the items. To delete or export the items, delete or
                export this conversation.
            embedder: The embedder for searching items by meaning.
            index: Settings for embeddings, as for LangGraph's `InMemoryStore`. Ignored if `embedder` is given.
        """
        # The in-memory store requires the dimensions, but does not use them.
        super().__init__(index={"dims": 0, "embed": _wrap_embedder(embedder)} if embedder else index)
        self._store, self._name = store, name
        self._held, self._lock = _Held(), new_lock()

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Run LangGraph's operations, and return their results in the same order.

        Raises:
            OptionError: A value is not JSON; no part of the batch was stored.
        """

        async def host(store: Any, ops: list[Any]) -> list[Any]:
            return list(_host.InMemoryStore.batch(store, ops))

        return drive(self._run(list(ops), host))

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Do the same as `batch`, in asynchronous code."""
        return await self._run(list(ops), _host.InMemoryStore.abatch)

    async def _run(self, ops: list[Any], host: Callable[[Any, list[Any]], Awaitable[list[Any]]]) -> list[Any]:
        puts = [op._replace(value=_plain(op)) for op in ops if isinstance(op, _base.PutOp)]
        held = await self._refresh()
        reads = [op for op in ops if not isinstance(op, _base.PutOp)]
        found = iter(await host(self._over(held.items, held.vectors), reads) if reads else ())
        results = [None if isinstance(op, _base.PutOp) else _callers(next(found)) for op in ops]
        if puts:
            written = self._over(defaultdict(dict), defaultdict(partial(defaultdict, dict)))
            await host(written, puts)
            await self._commit(written, {(op.namespace, op.key) for op in puts}, held)
        return results

    def _over(self, items: Any, vectors: Any) -> Any:
        """Return a copy of this store that has these items and embeddings."""
        store = copy(self)
        store._data, store._vectors = items, vectors  # noqa: SLF001
        return store

    async def _commit(self, written: Any, keys: Iterable[Key], held: _Held) -> None:
        while True:
            if not held.version:
                await self._begin()
            changes = {json.dumps(key): _to_json(written, key, held) for key in keys}
            try:
                version = await self._store.commit(
                    self._name, _STATE, expected=held.version, watermark=0, changes=changes
                )
            except ConflictError:
                held = await self._refresh()
                continue
            with self._lock:
                # Another thread may already have read these changes from the store, with later changes or a deletion.
                if held.version <= self._held.version < version:
                    self._held = self._held.with_changes(changes, version)
            return

    async def _begin(self) -> None:
        """Create the conversation, because a state needs an existing conversation."""
        if not await self._store.read(self._name, limit=1):
            await self._store.append(self._name, [Record(_FIRST)], turn_id=uuid.uuid4().hex)

    async def _refresh(self) -> _Held:
        """Return the newest snapshot, after reading the commits of other threads and processes."""
        while True:
            before = self._held
            update = await self._store.read_state(self._name, _STATE, since=before.version)
            with self._lock:
                now, anew = self._held, update.reset or not before.version
                if now is before and anew:
                    self._held = _Held().with_changes(update.changes, update.version)
                elif before.version <= now.version and not anew:
                    # Another thread may have read a later version in the meantime; then keep that thread's snapshot.
                    if now.version < update.version:
                        self._held = now.with_changes(update.changes, update.version)
                else:
                    continue
                return self._held


def _plain(op: Any) -> Any:
    """Return an operation's value as JSON, because readers get JSON in this process and in others."""
    try:
        return json.loads(json.dumps(op.value))
    except (TypeError, ValueError, RecursionError) as error:
        where = f"{op.namespace!r}, key {op.key!r}"
        raise OptionError(f"the value of an item must consist of JSON values ({error}); namespace {where}") from error


def _callers(found: Any) -> Any:
    """Return the results with copies of their values, so that the caller may change them."""
    if isinstance(found, list):
        several: list[Any] = found
        return [_callers(one) for one in several]
    if not isinstance(found, _base.Item):
        return found
    item = copy(found)
    item.value = copy_json(found.value)
    return item


def _to_json(written: Any, key: Key, held: _Held) -> JSON:
    item = written._data[key[0]].get(key[1])  # noqa: SLF001
    if item is None:
        return None
    vectors = {path: list(map(float, vector)) for path, vector in written._vectors[key[0]][key[1]].items()}  # noqa: SLF001
    # When an item is put again, LangGraph sets a new time of creation; keep the old time.
    made = held.items[key[0]].get(key[1], item).created_at
    times = {"created_at": made.isoformat(), "updated_at": item.updated_at.isoformat()}
    return {"value": item.value, "vectors": vectors, **times}


def _wrap_embedder(embedder: Embedder) -> Callable[[Sequence[str]], list[list[float]]]:
    """Return an embedder in LangGraph's form: a function from texts to lists of numbers."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        import numpy as np

        found = drive(embedder.embed(list(texts))).vectors
        return [np.frombuffer(vector, dtype="<f4").tolist() for vector in found]

    return embed


def view(memories: Memories) -> Any:
    """Return a Runnable that turns a state's messages into the view to send to a model: `view(memories) | model`.

    The Runnable saves new messages. The newest human message is the query for a memory that searches.
    """
    return _runnables.RunnableLambda(partial(keep_and_view, memories), partial(akeep_and_view, memories))


def remember(memories: Memories) -> Any:
    """Return a node for the end of a turn, which saves the new messages and learns from them."""
    return _runnables.RunnableLambda(
        lambda state: keep(memories, state["messages"]), lambda state: akeep(memories, state["messages"])
    )


def this_turn(left: Any, right: Any) -> list[Any]:
    """Merge messages as `add_messages` does, but keep only the newest turn: `messages: Annotated[list, this_turn]`.

    Checkpoints stay small. They do not need the earlier turns, because the memory's log has them. A turn begins with a
    human message.
    """
    messages: list[Any] = _message.add_messages(left, right)
    starts = [place for place, message in enumerate(messages) if message.type == "human"]
    return messages[starts[-1] :] if starts else messages
