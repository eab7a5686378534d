"""Search by embedding: the interface of indexes, and an exact index that needs no installation."""

import hashlib
import weakref
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from memzoo.errors import StoreError
from memzoo.forks import new_rlock
from memzoo.sync import Closing

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


@runtime_checkable
class VectorIndex(Protocol):
    """Finds the embeddings nearest to a query, within one conversation.

    The contents of an index can be rebuilt from the store. Embeddings are float32, little-endian. All embeddings of one
    conversation and one `space` (the name of a state) have the same dimension. If the index fails, or an embedding is
    invalid, the methods raise a `StoreError`. `memzoo.testing.VectorIndexContract` states the rules as tests.
    """

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """Add embeddings, a dict from log number to embedding; replace earlier embeddings with the same log numbers."""
        ...

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """Return the `k` nearest embeddings, or all if there are fewer, as pairs of log number and cosine similarity.

        The nearest embedding comes first; equally near embeddings are in order of log number.
        """
        ...

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """Return a dict with the log number and the `digest` of each embedding in the index.

        The value "" instead of a digest tells the memory to add the embedding again.
        """
        ...

    async def remove(self, conversation_id: str, space: str) -> None:
        """Remove all embeddings of a conversation in this space. An unknown conversation is not an error."""
        ...


class ExactIndex(Closing):
    """A `VectorIndex` in memory that compares the query with each embedding of the conversation.

    The search is exact, and fast enough for long conversations: a few milliseconds for 20,000 embeddings of 1,536
    dimensions. An embedding of zeros has similarity 0 to every query.

    Example:
        >>> import struct
        >>> from memzoo.sync import drive
        >>> index = ExactIndex()
        >>> drive(index.add("user-42", "toy", {1: struct.pack("<2f", 1, 0), 2: struct.pack("<2f", 0, 1)}))
        >>> drive(index.search("user-42", "toy", struct.pack("<2f", 2, 0), k=2))
        [(1, 1.0), (2, 0.0)]
    """

    def __init__(self) -> None:
        """Make an empty index."""
        self._lock = new_rlock()
        self._collections: dict[tuple[str, str], _Vectors] = {}
        self._leases: weakref.WeakValueDictionary[tuple[str, str], _Lease] = weakref.WeakValueDictionary()

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy begins empty: a memory fills its index from the store.
        return type(self), ()

    def lease(self, conversation_id: str, space: str) -> object:
        """Return an object. When it is garbage-collected, the index drops the conversation's embeddings in `space`."""
        key = conversation_id, space
        with self._lock:
            lease = self._leases.get(key)
            if lease is None:
                lease = self._leases[key] = _Lease()
                weakref.finalize(lease, self._end, key).atexit = False
            return lease

    def _end(self, key: tuple[str, str]) -> None:
        with self._lock:
            if key not in self._leases:  # otherwise the collection has a new lease
                self._collections.pop(key, None)

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """See `VectorIndex.add`."""
        if not embeddings:
            return
        matrix = decode(embeddings.values())
        with self._lock:
            vectors = self._collections.get((conversation_id, space))
            if vectors is None:
                self._collections[conversation_id, space] = _Vectors(embeddings, matrix)
                return
            check_dimension(vectors.dimension, matrix.shape[1], conversation_id, space)
            vectors.put(embeddings, matrix)

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """See `VectorIndex.search`."""
        numbers = decode([query])[0]
        with self._lock:
            vectors = self._collections.get((conversation_id, space))
            if vectors is None:
                return []
            check_dimension(vectors.dimension, len(numbers), conversation_id, space)
            return vectors.nearest(numbers, k)

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """See `VectorIndex.known`. Each value is "": adding an embedding again is faster than computing its digest."""
        with self._lock:
            vectors = self._collections.get((conversation_id, space))
            return dict.fromkeys(vectors.rows, "") if vectors else {}

    async def remove(self, conversation_id: str, space: str) -> None:
        """See `VectorIndex.remove`."""
        with self._lock:
            self._collections.pop((conversation_id, space), None)


class _Lease:
    """A shared reference to a collection of embeddings."""


def digest(embedding: bytes) -> str:
    """Return a digest of an embedding, to compare the embeddings in an index with those in the store."""
    return hashlib.blake2b(embedding, digest_size=8).hexdigest()


def decode(embeddings: Collection[bytes]) -> "NDArray[numpy.float32]":
    """Return embeddings as the rows of a new matrix.

    Raises:
        StoreError: There are no embeddings, an embedding is empty or has anything but finite float32 numbers, or the
            dimensions differ.
    """
    import numpy  # loaded only where it is needed

    sizes = sorted(set(map(len, embeddings)))
    if len(sizes) != 1 or not sizes[0] or sizes[0] % 4:
        raise StoreError(f"embeddings are float32 numbers, all of one dimension; these have {sizes} bytes")
    # A `bytearray`, because NumPy arrays over `bytes` are read-only.
    matrix = numpy.frombuffer(bytearray().join(embeddings), dtype="<f4").reshape(len(embeddings), -1)
    if not numpy.isfinite(matrix).all():
        raise StoreError("an embedding has a number that is not finite")
    return matrix


def check_dimension(held: int, given: int, conversation_id: str, space: str) -> None:
    """Raise a `StoreError` if an embedding's dimension (`given`) differs from that in the index (`held`)."""
    if held != given:
        raise StoreError(
            f"the embeddings of {conversation_id!r} in {space!r} have {held} dimensions, this one has {given}: "
            f"use the embedder that made them, or remove them and embed again"
        )


def _units(matrix: "NDArray[numpy.float32]") -> "NDArray[numpy.float32]":
    """Scale the rows to length 1, in place; a row of zeros stays as it is."""
    import numpy  # loaded only where it is needed

    # In float64, because float32 cannot hold the squares of very large and very small numbers.
    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", matrix, matrix, dtype=numpy.float64))
    scales = numpy.divide(1, lengths, out=numpy.zeros_like(lengths), where=lengths > 0)
    numpy.multiply(matrix, scales[:, None], out=matrix, casting="same_kind")
    return matrix


class _Vectors:
    """The embeddings of one conversation, scaled to length 1, in buffers that at least double when full.

    The first batch, often all of a long conversation, is not copied.
    """

    def __init__(self, numbers: Collection[int], matrix: "NDArray[numpy.float32]") -> None:
        import numpy  # loaded only where it is needed

        self.dimension = matrix.shape[1]
        self.rows = {number: row for row, number in enumerate(numbers)}
        self._numbers = numpy.fromiter(numbers, numpy.int64)
        self._matrix = _units(matrix)

    def put(self, numbers: Collection[int], matrix: "NDArray[numpy.float32]") -> None:
        import numpy  # loaded only where it is needed

        rows = [self.rows.setdefault(number, len(self.rows)) for number in numbers]
        if (count := len(self.rows)) > len(self._numbers):
            more = max(count, 2 * len(self._numbers)) - len(self._numbers)
            self._numbers.resize(len(self._numbers) + more, refcheck=False)
            self._matrix = numpy.concatenate([self._matrix, numpy.empty((more, self.dimension), "<f4")])
        self._numbers[rows] = list(numbers)
        self._matrix[rows] = _units(matrix)

    def nearest(self, query: "NDArray[numpy.float32]", k: int) -> list[tuple[int, float]]:
        import numpy  # loaded only where it is needed

        count = len(self.rows)
        if (wanted := min(k, count)) < 1:
            return []
        # Not `@`: BLAS may round equal rows differently, depending on their position, and so break ties at random.
        products = numpy.einsum("ij,j->i", self._matrix[:count], _units(query[None])[0])
        similarities = numpy.clip(products, -1, 1)
        worst = numpy.partition(similarities, count - wanted)[count - wanted]
        best = numpy.flatnonzero(similarities >= worst)
        order = best[numpy.lexsort((self._numbers[best], -similarities[best]))[:wanted]]
        return list(zip(self._numbers[order].tolist(), similarities[order].tolist(), strict=True))
