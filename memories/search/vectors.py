"""Searches by embeddings, in an index kept in step with the store."""

from collections.abc import Sequence

from memzoo.errors import ModelError
from memzoo.memories.engine.state import State
from memzoo.stores import ManagedStore, Store, VectorIndex
from memzoo.stores.base import managed
from memzoo.stores.indexes.index import ExactIndex, digest

_NEAREST = 200
_NEWEST = 32


class VectorSearch:
    """The embeddings of one conversation, in an index kept in step with the store.

    The store owns the embeddings. An index that was lost or is out of date is filled from the store.

    Args:
        index: The index to search.
        store: The store that owns the embeddings.
        conversation_id: The conversation.
        space: The name under which both the store and the index keep these embeddings.
    """

    def __init__(self, index: VectorIndex, store: Store, conversation_id: str, space: str) -> None:
        self._index = index
        self._store = store
        self._key = (conversation_id, space)
        # An index in memory may be shared by many memories; it keeps a space only while a memory holds a lease.
        self._lease = index.lease(*self._key) if isinstance(index, ExactIndex) else None
        self._is_compared = False
        self._version = self._last = 0
        self._size: tuple[int, int] | None = None

    async def search(self, vector: bytes, state: State) -> list[tuple[int, float]]:
        """Return the 200 nearest embeddings as pairs of log number and cosine, nearest first."""
        if not self._is_compared:
            await self.mend()
        elif state.version != self._version and (new := await self._managed.embeddings(*self._key, after=self._last)):
            await self._index.add(*self._key, new)
            self._last = max(new)
        self._version = state.version
        return await self._index.search(*self._key, vector, _NEAREST)

    async def mend(self) -> None:
        """Compare the whole index with the store, and correct the index.

        This is needed at first use, and after a deletion.
        """
        self._is_compared = False
        # Read the index first: an embedding that another process adds meanwhile is then in the store too, and does not
        # count as a leftover.
        known = await self._index.known(*self._key)
        stored = await self._managed.embeddings(*self._key)
        if known.keys() - stored.keys():
            await self._index.remove(*self._key)
            known = {}
        same = {number for number, sign in known.items() if sign and digest(stored[number]) == sign}
        if missing := {number: embedding for number, embedding in stored.items() if number not in same}:
            await self._index.add(*self._key, missing)
        self._last = max(stored, default=0)
        self._is_compared = True

    async def check(self, vectors: Sequence[bytes], state: State) -> None:
        """Raise a `ModelError` unless new vectors have as many numbers as the stored vectors."""
        if self._size is None or self._size[0] != state.epoch:
            newest = await self._managed.embeddings(*self._key, after=max(state.watermark - _NEWEST, 0))
            if not newest:
                return
            self._size = state.epoch, len(next(iter(newest.values())))
        given, held = len(vectors[0]) // 4, self._size[1] // 4
        if given != held:
            conversation_id, space = self._key
            raise ModelError(
                f"embedder {space.partition('/')[2]!r} gave {given} numbers for a text, but {held} for others of "
                f"{conversation_id!r}: use the model that made those, or give this one another name"
            )

    @property
    def _managed(self) -> ManagedStore:
        return managed(self._store, "embeddings")
