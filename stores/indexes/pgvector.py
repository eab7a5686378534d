"""Search by embedding in PostgreSQL, with pgvector."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, text

from memzoo.errors import StoreError
from memzoo.stores.common import escaped
from memzoo.stores.indexes.index import check_dimension, decode, digest
from memzoo.sync import Closing, drive

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_THERE = text("SELECT to_regclass('memzoo_vectors') IS NOT NULL")
# One table for all dimensions: each search compares within one conversation, which has only one dimension.
_CREATE = (
    text("SELECT pg_advisory_xact_lock(hashtext('memzoo_vectors'))"),
    text("CREATE EXTENSION IF NOT EXISTS vector"),
    text("""
        CREATE TABLE IF NOT EXISTS memzoo_vectors (
            conversation_id text COLLATE "C", space text COLLATE "C", seq bigint,
            digest text NOT NULL, embedding vector NOT NULL,
            PRIMARY KEY (conversation_id, space, seq)
        )
    """),
)
_PUT = text("""
    INSERT INTO memzoo_vectors (conversation_id, space, seq, digest, embedding)
    SELECT :conversation_id, :space, seq, digest, CAST(embedding AS vector)
    FROM unnest(CAST(:seqs AS bigint[]), CAST(:digests AS text[]), CAST(:embeddings AS text[]))
        AS new (seq, digest, embedding)
    ON CONFLICT (conversation_id, space, seq) DO UPDATE SET digest = excluded.digest, embedding = excluded.embedding
""")
# The distance to an embedding of zeros is NaN.
_NEAREST = text("""
    SELECT seq, 1 - distance AS similarity
    FROM (
        SELECT seq, coalesce(nullif(embedding <=> CAST(:query AS vector), 'NaN'), 1) AS distance FROM memzoo_vectors
        WHERE conversation_id = :conversation_id AND space = :space AND vector_dims(embedding) = :dimension
    ) AS compared
    ORDER BY distance, seq LIMIT :k
""")
_OWN = "FROM memzoo_vectors WHERE conversation_id = :conversation_id AND space = :space"
_DIMENSION = text(f"SELECT vector_dims(embedding) {_OWN} LIMIT 1")
_KNOWN = text(f"SELECT seq, digest {_OWN}")
_REMOVE = text(f"DELETE {_OWN}")


class PgVectorIndex(Closing):
    """A `VectorIndex` in a PostgreSQL database, shared by any number of processes and machines.

    A search compares the query with each embedding of the conversation, so the result is exact. Other conversations do
    not slow the search down. Embeddings can have up to 16,000 dimensions.

    The extension pgvector must be installed on the server. If the database has not enabled the extension yet, the index
    enables it; the URL's user then needs the rights of the database's owner.

    Example::

        index = PgVectorIndex("postgresql://me:pw@host/db")
        memory = create_memory("vector-retriever", store=open_store("postgresql://me:pw@host/db"), index=index)
    """

    def __init__(self, url: str) -> None:
        """Open the database, and create the table `memzoo_vectors` if it is missing.

        Args:
            url: As for `memzoo.stores.open_store`.

        Raises:
            OptionError: The URL cannot be understood.
            MissingExtraError: The driver is not installed (extra `postgres`).
            StoreError: The database cannot be reached, or has no pgvector.
        """
        from memzoo.stores.sql.postgres import PostgreSQL

        self._database = PostgreSQL(url)
        try:
            if not drive(self._database.run_read(lambda connection: connection.execute(_THERE).scalar_one())):
                self._create()
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<PgVectorIndex {self._database.shown}>"

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """See `VectorIndex.add`."""
        if not embeddings:
            return
        ids, matrix = _ids(conversation_id, space), decode(embeddings.values())
        new = {"seqs": list(embeddings), "digests": [digest(embedding) for embedding in embeddings.values()]}

        def work(connection: Connection) -> None:
            held = connection.execute(_DIMENSION, ids).scalar_one_or_none()
            check_dimension(held or matrix.shape[1], matrix.shape[1], conversation_id, space)
            connection.execute(_PUT, {**ids, **new, "embeddings": _texts(matrix)})

        await self._database.run_write(work)

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """See `VectorIndex.search`."""
        ids, matrix = _ids(conversation_id, space), decode([query])
        dimension = matrix.shape[1]

        def work(connection: Connection) -> Sequence[Any]:
            wanted = {**ids, "query": _texts(matrix)[0], "dimension": dimension, "k": max(k, 0)}
            found = connection.execute(_NEAREST, wanted).all()
            if not found:
                held = connection.execute(_DIMENSION, ids).scalar_one_or_none()
                check_dimension(held or dimension, dimension, conversation_id, space)
            return found

        rows = await self._database.run_read(work)
        return [(row.seq, max(-1.0, min(1.0, row.similarity))) for row in rows]

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """See `VectorIndex.known`."""
        ids = _ids(conversation_id, space)
        rows = await self._database.run_read(lambda connection: connection.execute(_KNOWN, ids).all())
        return {row.seq: row.digest for row in rows}

    async def remove(self, conversation_id: str, space: str) -> None:
        """See `VectorIndex.remove`."""
        ids = _ids(conversation_id, space)
        await self._database.run_write(lambda connection: connection.execute(_REMOVE, ids).close())

    def close(self) -> None:
        """Release connections. A closed index cannot be used again."""
        self._database.close()

    def _create(self) -> None:
        def work(connection: Connection) -> None:
            for statement in _CREATE:
                connection.execute(statement)

        try:
            drive(self._database.run_write(work))
        except StoreError as error:
            raise StoreError(
                f"{error}\nPgVectorIndex needs pgvector: install it on the server, and let somebody with the right "
                f"to do so run CREATE EXTENSION vector in this database"
            ) from error


def _ids(conversation_id: str, space: str) -> dict[str, str]:
    return {"conversation_id": escaped(conversation_id), "space": escaped(space)}


def _texts(matrix: "NDArray[numpy.float32]") -> list[str]:
    # Nine digits distinguish all float32 numbers.
    return ["[" + ",".join(f"{number:.9g}" for number in row) + "]" for row in matrix.tolist()]
