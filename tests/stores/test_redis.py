"""The store on Redis, and on a cluster of six servers."""

import pickle
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import ConflictError, OptionError, StoreError, UnsupportedError, WrongKeyError
from memzoo.stores import EncryptedStore, ManagedStore, Store, open_store
from memzoo.stores.redis.store import RedisStore
from memzoo.sync import drive
from memzoo.testing import StoreContract
from memzoo.testing.store_tools import commit, fill, records, vector
from tests.postgres import awaiting
from tests.redis_servers import RedisServer, cluster, free_ports, wait_for


@pytest.fixture
def store(redis_url: str) -> Iterator[Store]:
    """A new store on a server."""
    with open_store(redis_url) as store:
        yield store


class TestAwaiting(StoreContract):
    """Awaited it keeps the contract."""

    @pytest.fixture
    def store(self, store: Store) -> Iterator[Store]:
        """The store, called from an event loop."""
        with awaiting(store) as awaited:
            yield awaited


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RedisServer]]:
    """A cluster for all tests of the file."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    if shutil.which("redis-cli") is None:
        pytest.skip("needs redis-server and redis-cli (Debian's packages redis-server and redis-tools)")
    with cluster(tmp_path_factory.mktemp("cluster")) as servers:
        yield list(servers)


@pytest.fixture
def cluster_url(servers: list[RedisServer]) -> str:
    """The URL of an empty cluster."""
    for server in servers:
        with closing(server.client()) as client:
            if client.info("replication")["role"] == "master":
                client.flushall()
    return f"redis+cluster://127.0.0.1:{servers[0].port}"


class TestCluster(StoreContract):
    """On a cluster, called synchronously, it keeps the contract: no command ever crosses slots."""

    @pytest.fixture
    def store(self, cluster_url: str) -> Iterator[Store]:
        """A new store on the cluster."""
        with open_store(cluster_url) as store:
            yield store


@pytest.mark.parametrize("way", ["blocking", "awaited"])
def test_nothing_stays_open(way: str, servers: list[RedisServer], cluster_url: str):
    """Who has closed the store has no connection to any server of the cluster; none waits for the garbage collector."""
    with open_store(f"{cluster_url}?client_name={way}") as store, _called(way, store) as called:
        for id_ in "abcdefghi":
            fill(called, id_, "hello")
        assert _connected(servers, way) >= 3
    wait_for(lambda: not _connected(servers, way), patience=10)


def test_all_of_a_conversation_ends_at_one_moment(redis_server: RedisServer, redis_url: str):
    """`ttl` seconds after its last save, by the server's clock: messages, tombstones and each part of its states."""
    with closing(redis_server.client()) as client, open_store(f"{redis_url}?ttl=100") as store:
        _filled(store)
        before = _now(client)
        fill(store, "c", "later")
        after = _now(client)
        assert len(client.keys("memzoo:*")) == len(PARTS)
        assert before + 100_000 <= _end(client) <= after + 100_000


def test_seconds_may_be_counted_from_the_beginning(redis_server: RedisServer, redis_url: str):
    """With `renew=never` a save leaves the end where it was, also for what is new."""
    with closing(redis_server.client()) as client, open_store(f"{redis_url}?ttl=100&renew=never") as store:
        fill(store, "c", "first")
        end = _end(client)
        _filled(store)
        assert len(client.keys("memzoo:*")) == len(PARTS)
        assert _end(client) == end


def test_who_knows_no_end_keeps_to_it(redis_server: RedisServer, redis_url: str):
    """A conversation that was begun with an end keeps it, whole, when somebody without one goes on with it."""
    with closing(redis_server.client()) as client, open_store(redis_url) as store:
        with open_store(f"{redis_url}?ttl=100") as limited:
            fill(limited, "c", "first")
        end = _end(client)
        _filled(store)
        assert _end(client) == end
        fill(store, "other", "for ever")
        assert client.pttl("memzoo:{id=other}:log") == -1


def test_a_save_waits_for_replicas(redis_server: RedisServer, redis_url: str, tmp_path: Path):
    """With `wait=1` a save is told to have failed if no replica has it; it can be saved again, and is there once."""
    with open_store(f"{redis_url}?wait=1&timeout=1") as store:
        with pytest.raises(StoreError, match="0 of 1 replicas"):
            fill(store, "c", "a")
        (port,) = free_ports(1)
        replica = RedisServer(tmp_path, port, "--replicaof", f"127.0.0.1 {redis_server.port}")
        with closing(replica), closing(replica.client()) as client:
            wait_for(lambda: client.info("replication")["master_link_status"] == "up")
            assert [one.seq for one in fill(store, "c", "a", "b")] == [1, 2]
            assert client.zcard("memzoo:{id=c}:log") == 2


@pytest.mark.usefixtures("redis_server")  # which skips the test where Redis is not installed
def test_a_server_that_comes_back_is_used_again(tmp_path: Path):
    """While it is away a call fails with a `StoreError`; what was saved with `appendfsync always` is there again."""
    server = RedisServer(tmp_path, free_ports(1)[0], "--appendonly", "yes", "--appendfsync", "always")
    with closing(server), open_store(f"redis://127.0.0.1:{server.port}?timeout=1") as store:
        fill(store, "c", "a")
        server.kill()
        with pytest.raises(StoreError, match=r"127\.0\.0\.1"):
            fill(store, "c", "b")
        server.start()
        assert [one.seq for one in fill(store, "c", "a", "b")] == [1, 2]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("0?ttl=soon", "ttl=soon is not a whole number"),
        ("0?renew=always", "write renew=save or renew=never"),
        ("0?timeout=0", "timeout=0"),
        ("0?colour=red", "colour"),
        ("chat", "a database of Redis has a number, such as /0, not 'chat'"),
        ("1/2", "not '1/2'"),
    ],
)
def test_mistakes_are_explained(rest: str, said: str):
    """What cannot be is refused when the store is opened, before anybody connects."""
    with pytest.raises(OptionError, match=said):
        open_store(f"redis://127.0.0.1:1/{rest}")


@pytest.mark.parametrize("way", ["blocking", "awaited"])
def test_what_is_asked_once_more_is_answered_as_before(way: str, cluster_url: str):
    """A client whose connection broke before the answer came asks again: what was removed or restored is told."""
    with RedisStore(cluster_url) as store, _called(way, store) as asked:
        entries = fill(asked, "c", "a", "b", "c")
        fill(asked, "copy", "connected")
        drive(asked.clear("copy"))
        with _lost_answer():
            assert drive(asked.forget("c", [1, 3, 9])) == [1, 3]
        assert drive(asked.forget("c", [1, 2])) == [2]
        with _lost_answer():
            drive(asked.restore("copy", entries, {}))
        assert drive(asked.read("copy")) == entries
        with pytest.raises(ConflictError, match="the conversation 'copy' already exists"):
            drive(asked.restore("copy", entries, {}))


@pytest.mark.parametrize("closed", [TypeError, AttributeError])
def test_a_connection_that_is_closed_as_it_is_written_to(closed: type[Exception], cluster_url: str):
    """What redis-py lets through there is tried again; if it goes on, it is an error of the store like any other."""
    connection: Any = pytest.importorskip("redis").asyncio.connection.Connection
    send, refused = connection.send_packed_command, list[object]()

    async def sending(self: Any, command: Any, **more: Any) -> None:
        if len(refused) < many:
            refused.append(command)
            raise closed("'NoneType' object has no attribute 'writelines'")
        await send(self, command, **more)

    with RedisStore(cluster_url) as store, pytest.MonkeyPatch.context() as patch, awaiting(store) as asked:
        fill(asked, "c", "a")
        patch.setattr(connection, "send_packed_command", sending)
        many = 2
        fill(asked, "c", "b")
        many = 100
        with pytest.raises(StoreError, match="connections were closed 3 times in a row"):
            fill(asked, "c", "c")
        many = 0
        assert [entry.turn_id for entry in drive(asked.read("c"))] == ["turn of a", "turn of b"]


def test_a_call_whose_answer_was_lost_counts_once(cluster_url: str):
    """The client of a cluster sends it again, and hears the same, whatever others have stored meanwhile."""
    redis: Any = pytest.importorskip("redis")
    read, meanwhile = redis.connection.Connection.read_response, list[Callable[[], object]]()

    def reading(self: Any, *given: Any, **more: Any) -> Any:
        answer = read(self, *given, **more)
        if meanwhile:
            meanwhile.pop()()
            raise redis.ConnectionError("the answer was lost")
        return answer

    def others_commit() -> None:
        for number in range(15):
            commit(other, "c", {str(number): number})

    with RedisStore(cluster_url) as store, RedisStore(cluster_url) as other, pytest.MonkeyPatch.context() as patch:
        fill(store, "c", "a")
        version = commit(store, "c", {"first": 1})
        assert drive(other.forget("c", [9])) == []  # each script is known to the server, each client is connected
        patch.setattr(redis.connection.Connection, "read_response", reading)
        meanwhile.append(others_commit)
        mine = drive(store.commit("c", "s", expected=version, watermark=1, changes={"mine": 1}))
        state = drive(store.read_state("c", "s"))
        assert version < mine < state.version
        assert len(state.changes) == 1 + 1 + 15
        with pytest.raises(ConflictError):
            drive(store.commit("c", "s", expected=version, watermark=1, changes={"mine": 2}))
        meanwhile.append(lambda: None)
        assert [one.seq for one in drive(store.append("c", records("b"), turn_id="b"))] == [2]
        meanwhile.append(lambda: None)
        assert drive(store.forget("c", [2])) == [2]
    assert not meanwhile


def test_a_cluster_has_a_setting_for_waiting():
    """`wait=` is refused for a cluster, with the setting of its servers that does the same."""
    with pytest.raises(OptionError, match="min-replicas-to-write"):
        open_store("redis+cluster://127.0.0.1:1?wait=1")


def test_no_secret_is_shown_or_pickled(redis_server: RedisServer, redis_url: str):
    """The password is in no text, and a store that has one does not travel."""
    place = f"127.0.0.1:{redis_server.port}/0"
    with RedisStore(f"redis://me:secret@{place}") as store:
        assert "secret" not in repr(store)
        with pytest.raises(StoreError) as told:
            drive(store.read("c"))
        assert "secret" not in str(told.value)
        with pytest.raises(UnsupportedError):
            pickle.dumps(store)
    with RedisStore(redis_url) as store, pickle.loads(pickle.dumps(store)) as copy:  # noqa: S301 - our own
        assert drive(copy.read("c")) == drive(store.read("c"))


def test_a_damaged_message_is_named(redis_server: RedisServer, redis_url: str):
    """Text that is no message is told with its number and the conversation, and what else is there can be read."""
    with closing(redis_server.client()) as client, open_store(redis_url) as store:
        fill(store, "c", "a", "b")
        client.zadd("memzoo:{id=c}:log", {b"3:00:[": 3})
        with pytest.raises(StoreError, match="message 3 of 'c' is damaged"):
            drive(store.read("c"))
        assert [one.seq for one in drive(store.read("c", until=2))] == [1, 2]


def test_an_encrypted_store_lies_over_it(redis_url: str):
    """It opens with its key only, and without looking through all keys."""
    key = EncryptedStore.new_key()
    with open_store(redis_url, key=key) as store:
        fill(store, "c", "a")
    with pytest.raises(WrongKeyError):
        open_store(redis_url)
    with open_store(redis_url, key=key) as store:
        assert drive(store.read("c"))[0].message["content"] == "a"


PARTS = ["meta", "log", "turns", "tombstones", "states", "values:s", "versions:s", "vectors:s", "numbers:s"]


def _filled(store: Store) -> None:
    """All kinds of keys that a conversation can have."""
    assert isinstance(store, ManagedStore)
    first, second = fill(store, "c", "a", "b")
    commit(store, "c", {"a": 1}, embeddings={second.seq: vector(1)}, watermark=0)
    drive(store.forget("c", [first.seq]))


def _called(way: str, store: Any) -> AbstractContextManager[Any]:
    """A store that is called synchronously, or from an event loop."""
    return awaiting(store) if way == "awaited" else nullcontext(store)


@contextmanager
def _lost_answer() -> Generator[None]:
    """The server does what it is asked first; its answer does not arrive, and the connection is gone."""
    redis: Any = pytest.importorskip("redis")
    blocking, awaited = redis.connection.Connection, redis.asyncio.connection.Connection
    read, read_async = blocking.read_response, awaited.read_response
    lost = list[object]()

    def reading(self: Any, *given: Any, **more: Any) -> Any:
        answer = read(self, *given, **more)
        if not lost:
            lost.append(answer)
            self.disconnect()
            raise redis.ConnectionError
        return answer

    async def reading_async(self: Any, *given: Any, **more: Any) -> Any:
        answer = await read_async(self, *given, **more)
        if not lost:
            lost.append(answer)
            await self.disconnect()
            raise redis.ConnectionError
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocking, "read_response", reading)
        patch.setattr(awaited, "read_response", reading_async)
        yield
    assert lost


def _end(client: Any) -> int:
    """When the conversation "c" ends, in milliseconds; all its keys do."""
    (end,) = {client.pexpiretime(key) for key in client.keys("memzoo:{id=c}:*")}
    return int(end)


def _now(client: Any) -> int:
    seconds, micros = client.time()
    return int(seconds) * 1000 + micros // 1000


def _connected(servers: list[RedisServer], name: str) -> int:
    """How many connections clients of a name have, on all servers."""
    count = 0
    for server in servers:
        with closing(server.client()) as client:
            count += sum(one["name"] == name for one in client.client_list())
    return count
