"""What a call does when the server falls silent: the connection stays open, and no answer comes."""

import asyncio
import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from memzoo import create_memory, open_store
from memzoo.errors import StoreError
from memzoo.stores import PgVectorIndex
from memzoo.stores.opening import OpenStore
from memzoo.stores.sql import postgres
from memzoo.sync import drive
from memzoo.testing.store_tools import fill, vector
from tests.poolers import PgBouncer
from tests.postgres import PostgresServer, connected
from tests.redis_servers import RedisServer, cluster
from tests.stalling import StallingProxy

Run: TypeAlias = Callable[..., Any]

# A request of a save that passes before silence falls.
POINTS = {
    "postgresql": {"before anything is sent": b"", "when it is stored": b"WITH known"},
    "redis": {"before anything is sent": b"", "when it is stored": b"EVALSHA"},
}
CASES = [pytest.param(kind, points[at], id=f"{kind}, {at}") for kind, points in POINTS.items() for at in points]


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets a second pass from now on whenever somebody who waits for PostgreSQL looks at the clock."""
    return lambda: monkeypatch.setattr(postgres, "monotonic", itertools.count().__next__)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> int | str:
    """Where the server of a kind of store listens."""
    if request.param == "postgresql":
        postgres: PostgresServer = request.getfixturevalue("postgres_server")
        return str(postgres.folder / ".s.PGSQL.5432")
    url: str = request.getfixturevalue("redis_url")
    return int(url.rpartition(":")[2].partition("/")[0])


@pytest.fixture
def proxy(server: int | str) -> Iterator[StallingProxy]:
    """Stands before it."""
    with contextlib.closing(StallingProxy(server)) as proxy:
        yield proxy
        proxy.flow()


@pytest.fixture
def url(server: int | str, proxy: StallingProxy, request: pytest.FixtureRequest) -> str:
    """Of a new store behind the proxy."""
    if isinstance(server, int):
        return f"redis://127.0.0.1:{proxy.port}/0?timeout=1"
    postgres: PostgresServer = request.getfixturevalue("postgres_server")
    return f"postgresql://postgres@127.0.0.1:{proxy.port}/{postgres.new_database()}?timeout=1"


@pytest.fixture
def store(url: str) -> Iterator[OpenStore]:
    """That store."""
    with open_store(url) as store:
        yield store


@pytest.fixture(params=["blocking", "awaiting"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a coroutine: in the call, or in an event loop that goes on afterwards."""
    if request.param == "blocking":
        yield drive
        return
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.mark.parametrize(("server", "point"), CASES, indirect=["server"])
def test_a_save_that_is_not_answered_can_be_saved_again(
    store: OpenStore, run: Run, proxy: StallingProxy, point: bytes, impatience: Callable[[], None]
):
    """It is a `StoreError` that says so, with the turn's id; saved again under that, the turn is there once."""
    memory = create_memory("window", store=store, conversation_id="c")
    run(memory.asave_context({"input": "a"}, {"output": "b"}))
    proxy.stall(after=point)
    impatience()
    with pytest.raises(StoreError, match="may be stored: save it again under its turn_id") as caught:
        run(memory.asave_context({"input": "c"}, {"output": "d"}))
    turn_id = caught.value.__notes__[0].split("'")[1]
    proxy.flow()
    run(memory.asave_context({"input": "c"}, {"output": "d"}, turn_id=turn_id))
    assert [message["content"] for message in memory.history()] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("server", ["postgresql"], indirect=True)
@pytest.mark.parametrize("point", [b"BEGIN", b"INSERT", b"COMMIT\0"])
def test_a_transaction_that_is_not_answered_ends(
    store: OpenStore, run: Run, proxy: StallingProxy, point: bytes, impatience: Callable[[], None]
):
    """Whichever of its steps is not answered, it is a `StoreError`; its connection is not used again."""
    fill(store, "c", "a")
    expected = run(store.read_state("c", "s")).version
    proxy.stall(after=point)
    impatience()
    with pytest.raises(StoreError, match="no answer for 2 seconds"):
        run(store.commit("c", "s", expected=expected, watermark=1, changes={"key": "value"}))
    proxy.flow()
    found = run(store.read_state("c", "s"))
    assert found.changes == ({"key": "value"} if point == b"COMMIT\0" else {})
    run(store.commit("c", "s", expected=found.version, watermark=1, changes={"key": "new"}))
    assert run(store.read_state("c", "s")).changes == {"key": "new"}


def test_a_pooler_that_is_stopped_holds_no_save(
    postgres_server: PostgresServer, run: Run, impatience: Callable[[], None]
):
    """PgBouncer hangs, and its system goes on to acknowledge: a `StoreError`; saved again, the turn is there once."""
    try:
        pooler = PgBouncer(postgres_server)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    url = f"{pooler.url(postgres_server.new_database())}&timeout=1"
    with contextlib.closing(pooler), open_store(url) as store:
        memory = create_memory("window", store=store, conversation_id="c")
        run(memory.asave_context({"input": "a"}, {"output": "b"}))
        pooler.stop()
        impatience()
        with pytest.raises(StoreError, match="may be stored: save it again under its turn_id"):
            run(memory.asave_context({"input": "c"}, {"output": "d"}, turn_id="t"))
        pooler.resume()
        run(memory.asave_context({"input": "c"}, {"output": "d"}, turn_id="t"))
        assert [message["content"] for message in memory.history()] == ["a", "b", "c", "d"]


def test_a_server_of_a_cluster_that_is_stopped_holds_no_save(tmp_path: Path):
    """A primary of a Redis Cluster hangs: a save is a `StoreError`; saved again, the turn is there once."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    if shutil.which("redis-cli") is None:
        pytest.skip("needs redis-server and redis-cli (Debian's packages redis-server and redis-tools)")
    # No replica takes over meanwhile.
    with (
        cluster(tmp_path, "--cluster-node-timeout", "600000") as servers,
        open_store(f"redis+cluster://127.0.0.1:{servers[0].port}?timeout=1") as store,
    ):
        memory = create_memory("window", store=store, conversation_id="c")
        memory.save_context({"input": "a"}, {"output": "b"})
        (holder,) = [one for one in servers if _is_primary_with_keys(one)]
        holder.stop()
        with pytest.raises(StoreError, match="may be stored: save it again under its turn_id"):
            memory.save_context({"input": "c"}, {"output": "d"}, turn_id="t")
        holder.resume()
        memory.save_context({"input": "c"}, {"output": "d"}, turn_id="t")
        assert [message["content"] for message in memory.history()] == ["a", "b", "c", "d"]
        assert drive(store.conversations()) == ["c"]


def _is_primary_with_keys(server: RedisServer) -> bool:
    with contextlib.closing(server.client()) as client:
        return client.info("replication")["role"] == "master" and client.dbsize() > 0


@pytest.mark.parametrize("server", POINTS, indirect=True)
def test_a_connection_that_is_not_made_is_an_error(url: str, proxy: StallingProxy):
    """Who opens a store behind a silent server is told so."""
    proxy.stall()
    with pytest.raises(StoreError, match=r"(?i)time-?out"), open_store(url) as store:
        fill(store, "c", "a")


@pytest.mark.parametrize("server", ["postgresql"], indirect=True)
def test_who_waits_for_a_connection_is_told_so(url: str, proxy: StallingProxy):
    """While a silent server holds up the only connection, others wait for it as long as the URL says."""
    with open_store(f"{url}&pool_size=1") as store, ThreadPoolExecutor(2) as threads:
        proxy.stall()
        outcomes = [threads.submit(fill, store, "c", "a").exception() for _ in range(2)]
    assert [type(one) for one in outcomes] == [StoreError, StoreError]


@pytest.mark.parametrize("server", ["postgresql"], indirect=True)
def test_rewriting_tables_may_take_longer(
    store: OpenStore, run: Run, postgres_server: PostgresServer, url: str, impatience: Callable[[], None]
):
    """A server that rewrites its tables is silent meanwhile, and is not given up; here it waits for somebody else."""
    database = url.rpartition("/")[2].partition("?")[0]
    with connected(f"postgresql://postgres@/{database}?host={postgres_server.folder}") as other, other.transaction():
        other.execute("LOCK memzoo_messages")
        impatience()
        with pytest.raises(StoreError, match="lock timeout"):
            run(store.scrub(thorough=True))


@pytest.mark.parametrize("server", ["postgresql"], indirect=True)
def test_an_index_that_is_not_answered_is_an_error(
    url: str, run: Run, proxy: StallingProxy, impatience: Callable[[], None]
):
    """An index in PostgreSQL is as impatient as a store."""
    with PgVectorIndex(url) as index:
        run(index.add("c", "s", {1: vector(1, 0)}))
        proxy.stall()
        impatience()
        with pytest.raises(StoreError, match="no answer"):
            run(index.search("c", "s", vector(1, 0), 1))
