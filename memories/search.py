"""Search by embeddings that follows the store."""

from collections.abc import Mapping

from memzoo.stores import Store, VectorIndex

__all__ = ["VectorSearch"]

_NEAREST = 200
_NEVER = -1
_PROBED = 10
_SAME = 0.999


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

    async def follow(self, store: Store, epoch: int) -> None:
        """Put in what the store has and the index lacks. The first time, and after a clear, all is compared."""
        if epoch != self._epoch:
            cleared = self._epoch != _NEVER
            self._epoch, self._last = epoch, 0
            await self._repair(store, trusted=not cleared)
        new = await store.embeddings(*self._key, after=self._last)
        if new:
            await self._index.add(*self._key, new)
            self._last = max(new)

    async def search(self, vector: bytes) -> list[tuple[int, float]]:
        """The nearest 200 as pairs of log number and cosine, nearest first."""
        return await self._index.search(*self._key, vector, _NEAREST)

    async def clear(self) -> None:
        """Take everything out."""
        await self._index.remove(*self._key)

    async def _repair(self, store: Store, *, trusted: bool) -> None:
        stored, known = await store.embeddings(*self._key), await self._index.known(*self._key)
        # After a clear the same numbers may stand for other messages.
        if not trusted or known - stored.keys() or not await self._agrees(stored, known):
            await self._index.remove(*self._key)
            known = set[int]()
        missing = {number: vector for number, vector in stored.items() if number not in known}
        if missing:
            await self._index.add(*self._key, missing)
        self._last = max(stored, default=0)

    async def _agrees(self, stored: Mapping[int, bytes], known: set[int]) -> bool:
        """Whether the index finds its oldest and its newest embedding under the numbers that the store has for them."""
        for number in {min(known), max(known)} if known else ():
            nearest = await self._index.search(*self._key, stored[number], _PROBED)
            if any(similarity < _SAME for _, similarity in nearest) and number not in dict(nearest):
                return False
            if dict(nearest).get(number, 1.0) < _SAME and any(stored[number]):
                return False
        return True
