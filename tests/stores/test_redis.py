"""The store on Redis, and on a cluster of six servers."""

import contextlib
import shutil
from collections.abc import Iterator

import pytest

pytest.importorskip("redis", reason="needs the 'redis' extra")
if shutil.which("redis-server") is None:
    pytest.skip("needs redis-server (Debian's package redis-server)", allow_module_level=True)

from memzoo.stores import Store, open_store
from memzoo.stores.testing import TombstoneStoreContract
from tests.postgres import awaiting
from tests.redis_servers import RedisServer, cluster, free_ports


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server for all tests of the file."""
    with contextlib.closing(RedisServer(tmp_path_factory.mktemp("redis"), *free_ports(1))) as server:
        yield server


@pytest.fixture
def url(server: RedisServer) -> str:
    """The URL of an empty server."""
    with contextlib.closing(server.client()) as client:
        client.flushall()
    return f"redis://127.0.0.1:{server.port}/0"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A new store on it."""
    with open_store(url) as store:
        yield store


class TestBlocking(TombstoneStoreContract):
    """Called synchronously it keeps the contract."""


class TestAwaiting(TombstoneStoreContract):
    """Awaited it keeps the contract."""

    @pytest.fixture
    def store(self, store: Store) -> Iterator[Store]:
        """The store, called from an event loop."""
        with awaiting(store) as awaited:
            yield awaited


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    """A cluster for all tests of the file."""
    with cluster(tmp_path_factory.mktemp("cluster")) as servers:
        yield list(servers)


@pytest.fixture
def cluster_url(servers: list[RedisServer]) -> str:
    """The URL of an empty cluster."""
    for server in servers:
        with contextlib.closing(server.client()) as client:
            if client.info("replication")["role"] == "master":
                client.flushall()
    return f"redis+cluster://127.0.0.1:{servers[0].port}"


class TestCluster(TombstoneStoreContract):
    """On a cluster it keeps the contract: no command ever crosses slots."""

    @pytest.fixture
    def store(self, cluster_url: str) -> Iterator[Store]:
        """A new store on the cluster."""
        with open_store(cluster_url) as store:
            yield store


class TestAwaitingCluster(TombstoneStoreContract):
    """Awaited, too."""

    @pytest.fixture
    def store(self, cluster_url: str) -> Iterator[Store]:
        """The store, called from an event loop."""
        with open_store(cluster_url) as store, awaiting(store) as awaited:
            yield awaited
