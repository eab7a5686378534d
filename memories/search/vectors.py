"""Search by embeddings that follows the store."""

from memzoo.memories.engine.state import State
from memzoo.stores import Store, VectorIndex, managed
from memzoo.stores.indexes.index import digest

__all__ = ["VectorSearch"]

_NEAREST = 200
_NEWEST = 32
_NEVER = -1


class VectorSearch:
    """The embeddings of one conversation in an index that is kept in step with the store.

    The store owns the embeddings; the index can be lost or behind, and is then filled from the store.

    Args:
        index: Searches.
        conversation_id: Whose embeddings.
        space: The state that owns them in the store, and their space in the index.
    """

    def __init__(self, index: VectorIndex, conversation_id: str, space: str) -> None:
        self._index = index
        self._key = (conversation_id, space)
        self._epoch = _NEVER
        self._last = 0
        self._size: tuple[int, int] | None = None

    async def follow(self, store: Store, epoch: int) -> None:
        """Put in what the store has and the index lacks. The first time, and after a clear, all is compared."""
        if epoch != self._epoch:
            await self._repair(store)
            self._epoch = epoch
        new = await managed(store, "embeddings").embeddings(*self._key, after=self._last)
        if new:
            await self._index.add(*self._key, new)
            self._last = max(new)

    async def size(self, store: Store, state: State) -> int | None:
        """The bytes of an embedding here, as the newest ones tell; `None` if there are none."""
        if self._size is None or self._size[0] != state.epoch:
            newest = await managed(store, "embeddings").embeddings(*self._key, after=max(state.watermark - _NEWEST, 0))
            if not newest:
                return None
            self._size = state.epoch, len(next(iter(newest.values())))
        return self._size[1]

    async def search(self, vector: bytes) -> list[tuple[int, float]]:
        """The nearest 200 as pairs of log number and cosine, nearest first."""
        return await self._index.search(*self._key, vector, _NEAREST)

    async def clear(self) -> None:
        """Take everything out."""
        await self._index.remove(*self._key)

    async def _repair(self, store: Store) -> None:
        # The index first: what another process puts in meanwhile is then in the store, and not taken for a leftover.
        known = await self._index.known(*self._key)
        stored = await managed(store, "embeddings").embeddings(*self._key)
        wanted = {number: digest(embedding) for number, embedding in stored.items()}
        if known.keys() - wanted.keys():
            await self._index.remove(*self._key)
            known = {}
        missing = {number: stored[number] for number, sign in wanted.items() if known.get(number) != sign}
        if missing:
            await self._index.add(*self._key, missing)
        self._last = max(stored, default=0)
