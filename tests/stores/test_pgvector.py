"""The index in PostgreSQL, beside what every index does."""

import contextlib

import pytest

from memzoo.errors import OptionError, StoreError
from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.stores import PgVectorIndex, open_store
from memzoo.sync import drive
from memzoo.testing.store_tools import vector
from tests.postgres import PostgresServer, connected


def told(url: str, index: PgVectorIndex, *said: str) -> str:
    """What a process of its own, with one embedding for cats and another for the rest, shows to a question."""
    with contextlib.closing(open_store(url)) as store:
        memory = VectorStoreRetrieverMemory(
            store=store,
            index=index,
            conversation_id="a",
            k=1,
            embedder=lambda texts: [[float("cat" in text or "feline" in text), 1.0] for text in texts],
        )
        for text in said:
            memory.save_context({"input": text}, {"output": "ok"})
        return memory.load_memory_variables({"input": "feline?"})["history"]


def test_processes_share_what_they_learn(postgres_url: str):
    """What one memory embedded, another finds, which has its own connections to the same database."""
    with (
        contextlib.closing(PgVectorIndex(postgres_url)) as one,
        contextlib.closing(PgVectorIndex(postgres_url)) as two,
    ):
        told(postgres_url, one, "my cat", "my dog")
        assert "my cat" in told(postgres_url, two)
        (space,) = {space for _, space in places(postgres_url)}
        assert drive(one.known("a", space)) == drive(two.known("a", space)) != {}


def places(url: str) -> list[tuple[str, str]]:
    """Whose embeddings are in the table."""
    with connected(url) as other:
        return other.execute("SELECT DISTINCT conversation_id, space FROM memzoo_vectors").fetchall()


def test_others_are_not_read(postgres_url: str):
    """A search finds a conversation's embeddings by the key, and looks at no others."""
    with contextlib.closing(PgVectorIndex(postgres_url)) as index, connected(postgres_url) as other:
        for id_ in ("a", "b"):
            drive(index.add(id_, "s", {number: vector(number, 1) for number in range(1000)}))
        drive(index.add("c", "s", {number: vector(number, 1) for number in range(5)}))
        other.execute("ANALYZE memzoo_vectors")
        assert [number for number, _ in drive(index.search("c", "s", vector(1, 0), 9))] == [4, 3, 2, 1, 0]
        plan = other.execute(
            "EXPLAIN SELECT seq FROM memzoo_vectors WHERE conversation_id = 'c' AND space = 's'"
            " ORDER BY embedding <=> '[1,0]', seq LIMIT 9"
        ).fetchall()
    assert "memzoo_vectors_pkey" in str(plan)


def test_a_database_without_pgvector_is_explained(postgres_server: PostgresServer):
    """Where the extension is missing and may not be created, the message says what to do; nothing is left."""
    with pytest.raises(StoreError, match=r"(?s)permission denied.*CREATE EXTENSION vector"):
        PgVectorIndex(postgres_server.poor_url())


def test_another_database_is_refused_by_name():
    """Nobody connects to a PostgreSQL server that the URL does not mean."""
    with pytest.raises(OptionError, match=r"written postgresql://.*, not sqlite://"):
        PgVectorIndex("sqlite:///memories.db")


def test_a_closed_index_says_so(postgres_url: str):
    """After `close` every call is an error, and a second `close` is none."""
    index = PgVectorIndex(postgres_url)
    index.close()
    index.close()
    with pytest.raises(StoreError, match="closed"):
        drive(index.known("c", "s"))
