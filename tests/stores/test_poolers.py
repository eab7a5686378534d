"""PostgreSQL behind a pooler, which lends its connections for one transaction each."""

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest

from memzoo.errors import StoreError
from memzoo.stores import SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import commit, fill, records
from tests.poolers import PgBouncer, Pooler, SwappingProxy, load
from tests.postgres import PostgresServer, connected

TABLES = ["conversations", "messages", "states", "items", "embeddings", "epochs"]


@pytest.fixture(params=[SwappingProxy, PgBouncer])
def pooler(request: pytest.FixtureRequest, postgres_server: PostgresServer) -> Iterator[Pooler]:
    """A proxy of our own, and PgBouncer where it is installed."""
    try:
        pooler: Pooler = request.param(postgres_server)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with closing(pooler):
        yield pooler


def test_nothing_is_lost_behind_a_pooler(pooler: Pooler, postgres_server: PostgresServer):
    """Who clears, reads and writes at the same time meets no error and loses nothing, with no setting of the pooler."""
    counted = load(pooler.url(postgres_server.new_database()), calls=240)
    assert (counted.failed, counted.lost, counted.doubled) == (0, 0, 0), counted.errors


def test_prepared_statements_do_harm_behind_a_pooler(pooler: Pooler, postgres_server: PostgresServer):
    """Who asks for prepared statements gets them, and the same calls show what they do behind such a pooler."""
    counted = load(pooler.url(postgres_server.new_database()), calls=240, options="&prepare_threshold=2")
    assert "prepared statement" in counted.errors[0]


def test_a_store_is_awaited_through_a_pooler(pooler: Pooler, postgres_server: PostgresServer):
    """The connections of an event loop do without what the pooler refuses, too."""
    with closing(SQLStore(pooler.url(postgres_server.new_database()))) as store:
        assert [entry.seq for entry in asyncio.run(store.append("c", records("a"), turn_id="1"))] == [1]


def test_what_a_pooler_refuses_is_asked_of_it_once(postgres_server: PostgresServer):
    """Later connections of a store, those of event loops too, go without the options that were refused."""
    try:
        pooler = PgBouncer(postgres_server)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with closing(pooler), closing(SQLStore(pooler.url(postgres_server.new_database()))) as store:
        fill(store, "c", "a")
        for text in "bc":
            pooler.kill()
            pooler.start()
            fill(store, "c", text)
            asyncio.run(store.append("c", records(text), turn_id=f"async-{text}"))
        assert pooler.count_refusals() == 1


def test_refused_options_are_explained(postgres_server: PostgresServer):
    """Options that somebody asked for are not left out; the error names the setting that lets them pass."""
    with closing(SwappingProxy(postgres_server)) as pooler:
        url = f"{pooler.url('postgres')}&options=-c%20search_path%3Dmine"
        with pytest.raises(StoreError, match=r"unsupported startup parameter: options.*ignore_startup_parameters"):
            SQLStore(url)


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A store of which a row was deleted that nobody cleared: that of `lost`, which has a message and a state."""
    with closing(SQLStore(postgres_url)) as store:
        for id_ in ("lost", "kept"):
            fill(store, id_, "old")
            commit(store, id_, {"key": "value"})
        with connected(postgres_url) as other:
            other.execute("DELETE FROM memzoo_conversations WHERE id = 'lost'")
        assert drive(store.read("lost")) == []
        yield store


def test_clear_deletes_what_lost_its_conversation(store: SQLStore, postgres_url: str):
    """A conversation whose row is gone is cleared all the same, in every table."""
    drive(store.clear("lost"))
    with connected(postgres_url) as other:
        for table in TABLES:
            column = "id" if table == "conversations" else "conversation_id"
            found = other.execute(f"SELECT FROM memzoo_{table} WHERE {column} = 'lost'".encode()).fetchall()
            assert not found, table
    assert [entry.seq for entry in fill(store, "lost", "old")] == [1]
    assert len(drive(store.read("kept"))) == 1


def test_a_lost_row_is_named(store: SQLStore):
    """The check names the conversation, and a save to it is an error, not an answer that nobody can read."""
    assert drive(store.check()) == ["'lost' is missing, but its messages exist"]
    with pytest.raises(StoreError, match="lost"):
        fill(store, "lost", "new")
