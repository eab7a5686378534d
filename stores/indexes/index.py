"""Search by embedding: what an index is, and the exact one that needs no installation."""

import hashlib
import threading
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memzoo.stores.driving import Closing
from memzoo.stores.errors import StoreError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["ExactIndex", "VectorIndex", "digest"]


@runtime_checkable
class VectorIndex(Protocol):
    """Finds the embeddings nearest to a query among those of one conversation.

    An index owns nothing: all that it holds can be put in again from the store. Embeddings are float32,
    little-endian; a collection is named by a conversation's id and the strategy's space of embeddings.
    `memzoo.stores.testing.contract.VectorIndexContract` states the rules as tests.
    """

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """Put in embeddings by log number; one that is there already is replaced."""
        ...

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """The `k` nearest as (log number, cosine similarity), best first, ties by lower number; or all, if fewer."""
        ...

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """The `digest` of each embedding in the index, by log number."""
        ...

    async def remove(self, conversation_id: str, space: str) -> None:
        """Take out all there is of a conversation in this space; an unknown one is no error."""
        ...


class ExactIndex(Closing):
    """A `VectorIndex` in memory that compares the query with each embedding of the conversation.

    Exact, and fast enough for long conversations: some milliseconds for 20,000 embeddings of 1,536 numbers.
    An embedding of zeros is similar to nothing: its similarity is 0.

    Example:
        >>> import struct
        >>> from memzoo.stores.driving import drive
        >>> index = ExactIndex()
        >>> drive(index.add("user-42", "toy", {1: struct.pack("<2f", 1, 0), 2: struct.pack("<2f", 0, 1)}))
        >>> drive(index.search("user-42", "toy", struct.pack("<2f", 2, 0), k=2))
        [(1, 1.0), (2, 0.0)]
    """

    def __init__(self) -> None:
        """A new, empty index."""
        self._lock = threading.RLock()
        self._collections: dict[tuple[str, str], _Vectors] = {}

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """See `VectorIndex.add`.

        Raises:
            StoreError: An embedding is empty, has a number that is not finite, or another dimension than the others.
        """
        if not embeddings:
            return
        units = _units(embeddings.values())
        with self._lock:
            vectors = self._collections.get((conversation_id, space)) or _Vectors(units.shape[1])
            check_dimension(vectors.dimension, units.shape[1], conversation_id, space)
            vectors.put(embeddings, units)
            vectors.digests |= {number: digest(embedding) for number, embedding in embeddings.items()}
            self._collections[conversation_id, space] = vectors

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """See `VectorIndex.search`.

        Raises:
            StoreError: The query is empty, has a number that is not finite, or another dimension than the embeddings.
        """
        unit = _units([query])[0]
        with self._lock:
            vectors = self._collections.get((conversation_id, space))
            if vectors is None:
                return []
            check_dimension(vectors.dimension, len(unit), conversation_id, space)
            return vectors.nearest(unit, k)

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """See `VectorIndex.known`."""
        with self._lock:
            vectors = self._collections.get((conversation_id, space))
            return dict(vectors.digests) if vectors else {}

    async def remove(self, conversation_id: str, space: str) -> None:
        """See `VectorIndex.remove`."""
        with self._lock:
            self._collections.pop((conversation_id, space), None)


def digest(embedding: bytes) -> str:
    """Tells embeddings apart, so that it can be seen whether an index has the ones that the store has."""
    return hashlib.blake2b(embedding, digest_size=8).hexdigest()


def decode(embeddings: Collection[bytes]) -> "NDArray[numpy.float32]":
    """Embeddings as the rows of a matrix.

    Raises:
        StoreError: They are empty, of different dimensions, or no float32 numbers.
    """
    import numpy  # loaded only where it is needed

    sizes = sorted({len(embedding) for embedding in embeddings})
    if len(sizes) != 1 or not sizes[0] or sizes[0] % 4:
        raise StoreError(f"embeddings are float32 numbers, all of one dimension; these have {sizes} bytes")
    matrix = numpy.frombuffer(b"".join(embeddings), dtype="<f4").reshape(len(embeddings), -1)
    if not numpy.isfinite(matrix).all():
        raise StoreError("an embedding has a number that is not finite")
    return matrix


def check_dimension(held: int, given: int, conversation_id: str, space: str) -> None:
    """Refuse an embedding of another dimension than those that the index holds.

    Raises:
        StoreError: It is another one.
    """
    if held != given:
        raise StoreError(
            f"the embeddings of {conversation_id!r} in {space!r} have {held} dimensions, this one has {given}: "
            f"use the embedder that made them, or remove them and embed anew"
        )


def _units(embeddings: Collection[bytes]) -> "NDArray[numpy.float32]":
    import numpy  # loaded only where it is needed

    matrix = decode(embeddings).astype(numpy.float64)
    lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
    units: NDArray[numpy.float64] = numpy.divide(matrix, lengths, out=numpy.zeros_like(matrix), where=lengths > 0)
    return units.astype(numpy.float32)


class _Vectors:
    """The unit vectors of one conversation, in buffers that double when they are full."""

    def __init__(self, dimension: int) -> None:
        import numpy  # loaded only where it is needed

        self.dimension = dimension
        self.rows: dict[int, int] = {}
        self.digests: dict[int, str] = {}
        self._numbers = numpy.empty(4, numpy.int64)
        self._matrix = numpy.empty((4, dimension), numpy.float32)

    def put(self, numbers: Collection[int], units: "NDArray[numpy.float32]") -> None:
        for number, unit in zip(numbers, units, strict=True):
            row = self.rows.setdefault(number, len(self.rows))
            if row == len(self._numbers):
                self._numbers.resize(2 * row, refcheck=False)
                self._matrix.resize((2 * row, self.dimension), refcheck=False)
            self._numbers[row], self._matrix[row] = number, unit

    def nearest(self, unit: "NDArray[numpy.float32]", k: int) -> list[tuple[int, float]]:
        import numpy  # loaded only where it is needed

        count = len(self.rows)
        wanted = min(k, count)
        if wanted < 1:
            return []
        # Not `@`: BLAS may round equal rows apart, depending on where they stand, and break ties at random.
        similarities = numpy.einsum("ij,j->i", self._matrix[:count], unit).clip(-1, 1)
        worst = numpy.partition(similarities, count - wanted)[count - wanted]
        best = numpy.flatnonzero(similarities >= worst)
        order = numpy.lexsort((self._numbers[best], -similarities[best]))[:wanted]
        return [(int(self._numbers[row]), float(similarities[row])) for row in best[order]]
