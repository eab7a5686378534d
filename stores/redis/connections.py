"""Connections to Redis: blocking, or for an event loop."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from memzoo.errors import MissingExtraError, OptionError, StoreError
from memzoo.forks import new_lock
from memzoo.stores.common import UNCERTAIN, read_number
from memzoo.sync import each, is_blocking, pause, settled
from memzoo.text import redact_url

try:
    import redis
    import redis.asyncio
    import redis.asyncio.cluster
    import redis.cluster
    from redis.exceptions import NoScriptError, RedisClusterException, RedisError
except ImportError as error:
    raise MissingExtraError.of("Redis", "redis") from error

_CLUSTER = "+cluster"
_PAUSE = 0.05  # seconds
_YEARS = 100 * 365 * 86_400


class _Cluster(redis.cluster.RedisCluster):
    """A cluster client that does not retry a silent server: redis-py does so up to ten times, with a full time-out."""

    ERRORS_ALLOW_RETRY: Any = tuple(
        kind for kind in redis.cluster.RedisCluster.ERRORS_ALLOW_RETRY if kind is not redis.TimeoutError
    )


class _AwaitedCluster(redis.asyncio.cluster.RedisCluster):
    """Like `_Cluster`, for use in an event loop."""

    ERRORS_ALLOW_RETRY: Any = _Cluster.ERRORS_ALLOW_RETRY


# Raised by redis-py up to 8.1.0 if a connection closes during a write, instead of an error that leads to a retry:
# https://github.com/redis/redis-py/issues/4287
_CLOSED = (AttributeError, TypeError)
_TRIES = 3


class Script:
    """A script that the server runs completely or not at all.

    Attributes:
        text: The Lua source.
        sha: The script's hash; a server that has run the script knows it by this hash.
    """

    __slots__ = ("sha", "text")

    def __init__(self, name: str) -> None:
        """Read the script from its file."""
        folder = files("memzoo.stores.redis") / "scripts"
        parts = [(folder / f"{part}.lua").read_text(encoding="utf-8") for part in ("common", name)]
        self.text = "\n".join(parts)
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class Connections:
    """Clients of a Redis server or cluster: one for all synchronous calls, and one for each event loop.

    Attributes:
        name: The URL without secrets and options.
        has_secret: True if the URL has a password.
        ttl: Seconds after which a conversation expires; 0 for never.
        renew: True if each write restarts the `ttl`.
    """

    def __init__(self, url: str) -> None:
        """Make clients for a URL; connections are opened by the first call.

        Raises:
            OptionError: The URL cannot be understood.
        """
        parts = urlsplit(url)
        given = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.name = redact_url(urlunsplit(parts._replace(query="", fragment="")))
        if (database := parts.path.strip("/")) and not database.isdecimal():  # its client would take database 0
            raise OptionError(f"{self.name}: a database of Redis has a number, such as /0, not {database!r}")
        self.has_secret = parts.password is not None or "password" in given
        self.ttl = read_number("ttl", given.pop("ttl", "0"), 0, _YEARS)
        renew = given.pop("renew", "save")
        if renew not in ("save", "never"):
            raise OptionError(f"renew={renew} is unknown; write renew=save or renew=never")
        self.renew = renew == "save"
        self._replicas = read_number("wait", given.pop("wait", "0"), 0, 100)
        self._timeout = read_number("timeout", given.pop("timeout", "30"), 1, 86_400)
        self._is_cluster = parts.scheme.endswith(_CLUSTER)
        if self._is_cluster and self._replicas:
            raise OptionError("wait= is not for a cluster: set min-replicas-to-write on its servers instead")
        scheme = parts.scheme.removesuffix(_CLUSTER)
        self._url = urlunsplit(parts._replace(scheme=scheme, query=urlencode(given)))
        self._blocking: Any = _Cluster if self._is_cluster else redis.Redis
        self._awaited: Any = _AwaitedCluster if self._is_cluster else redis.asyncio.Redis
        self._client: Any = None
        self._loops: dict[asyncio.AbstractEventLoop, AsyncGenerator[Any]] = {}
        self._lock, self._closed = new_lock(), False
        pool: Any = redis.ConnectionPool
        try:  # making a pool opens no connection
            pool.from_url(self._url).make_connection()
        except (TypeError, ValueError) as error:
            raise OptionError(f"{self.name}: {error}") from None

    async def run(self, script: Script, key: str, *values: Any, writes: bool = False) -> Any:
        """Run a script on a conversation, and return the script's result.

        Args:
            script: The script to run.
            key: The Redis key that stands for the conversation.
            values: The script's further arguments, after `ttl` and `renew`.
            writes: True if the script writes; the call may then wait for replicas.
        """
        arguments = (1, key, self.ttl, int(self.renew), *values)
        wait = self._replicas if writes else 0
        with self._explain_errors():
            client = await self._client_of_call()
            try:
                return await self._send(client, ("EVALSHA", script.sha, *arguments), wait)
            except NoScriptError:  # EVAL also stores the script on the server
                return await self._send(client, ("EVAL", script.text, *arguments), wait)

    async def _send(self, client: Any, command: Sequence[Any], wait: int) -> Any:
        closed = 0
        while True:
            try:
                return await self._send_once(client, command, wait)
            except _CLOSED as error:
                closed += 1
                if closed == _TRIES:
                    raise redis.ConnectionError(f"connections were closed {closed} times in a row: {error}") from error

    async def _send_once(self, client: Any, command: Sequence[Any], wait: int) -> Any:
        if not wait:
            return await settled(client.execute_command(*command))
        pipeline = client.pipeline(transaction=False)  # WAIT concerns only writes over its own connection
        pipeline.execute_command(*command)
        pipeline.execute_command("WAIT", wait, 1000 * self._timeout)
        answer, reached = await settled(pipeline.execute())
        if reached < wait:
            raise StoreError(
                f"{self.name}: the write is on the primary, but reached only {reached} of {wait} replicas in "
                f"{self._timeout} seconds. You may save again under the same turn id"
            )
        return answer

    async def keys(self, pattern: str) -> list[bytes]:
        """Return all keys that match a pattern, on all servers of a cluster."""
        with self._explain_errors():
            found = (await self._client_of_call()).scan_iter(match=pattern, count=1000)
            return [key async for key in each(found)]

    async def some_keys(self, pattern: str) -> list[bytes]:
        """Return some keys that match a pattern, perhaps none: the result of a single step of the server's scan."""
        with self._explain_errors():
            found = (await self._client_of_call()).scan(match=pattern, count=1000)
            _, keys = await settled(found)
            return list(keys)

    async def ask_server(self, *command: Any) -> Any:
        """Send a command to the server that has the command's key, and return the answer."""
        with self._explain_errors():
            return await settled((await self._client_of_call()).execute_command(*command))

    async def together(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Send several commands at once, and return their answers in order."""
        with self._explain_errors():
            pipeline = (await self._client_of_call()).pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            return await settled(pipeline.execute())

    async def rewrite_files(self) -> bool:
        """Make all primary servers rewrite their data files, wait until they finish, and return true if all succeeded.

        A server without data files counts as a success.
        """
        try:
            saves = await self._of_primaries("CONFIG GET", "save")
            started: list[tuple[str, ...]] = [("BGSAVE", "SCHEDULE")] if any(one["save"] for one in saves) else []
            if any(one["aof_enabled"] for one in await self._of_primaries("INFO", "persistence")):
                started.append(("BGREWRITEAOF",))
            for command in started:
                await self._of_primaries(*command)
                while any(map(_is_writing, found := await self._of_primaries("INFO", "persistence"))):
                    await pause(_PAUSE)
                if any("err" in (one["rdb_last_bgsave_status"], one["aof_last_bgrewrite_status"]) for one in found):
                    return False
        except StoreError:  # most hosted servers refuse the question or the rewriting
            return False
        return True

    async def _of_primaries(self, *command: str) -> list[Any]:
        with self._explain_errors():
            client = await self._client_of_call()
            if not self._is_cluster:
                return [await settled(client.execute_command(*command))]
            # For a single primary, the result is the plain answer instead of answers by name.
            answers = await settled(client.execute_command(*command, target_nodes=client.PRIMARIES))
            return [answers[name] for name in answers] if len(client.get_primaries()) > 1 else [answers]

    async def _client_of_call(self) -> Any:
        """Return the client for this call: the blocking client, or the client of the running event loop."""
        if not is_blocking():
            return await self._client_of_loop()
        with self._lock:
            if self._client is None:
                self._client = self._make(self._blocking)
        return self._client

    async def _client_of_loop(self) -> Any:
        loop = asyncio.get_running_loop()
        living = self._loops.get(loop)
        if living is None:
            with self._lock:
                self._loops = {one: kept for one, kept in self._loops.items() if not one.is_closed()}
                living = self._loops[loop] = self._lend_client()
        return await living.asend(None)

    async def _lend_client(self) -> AsyncGenerator[Any]:
        """Yield an event loop's client, again and again; the loop's end (`shutdown_asyncgens`) closes the client."""
        client = self._make(self._awaited)
        try:
            while True:
                yield client
        finally:
            await client.aclose()

    def _make(self, kind: Any) -> Any:
        longest = self._timeout + (1 if self._replicas else 0)  # the server is silent while it waits for replicas
        return kind.from_url(self._url, socket_timeout=longest, socket_connect_timeout=self._timeout)

    def close(self) -> None:
        """Close the blocking client now, and each event loop's client as soon as that loop runs."""
        with self._lock:
            self._closed = True
            client, self._client = self._client, None
            loops, self._loops = self._loops, {}
        if client is not None:
            if self._is_cluster:  # `close` leaves the connections to the servers open (redis-py up to 8.1.0)
                client.disconnect_connection_pools()
            client.close()
        for loop, living in loops.items():
            if not loop.is_closed():
                asyncio.run_coroutine_threadsafe(_end(living), loop)

    @contextmanager
    def _explain_errors(self) -> Generator[None]:
        if self._closed:
            raise StoreError(f"{self.name}: this store is closed")
        try:
            yield
        except (RedisError, RedisClusterException) as error:  # no subclass of RedisError
            lost = isinstance(error, redis.ConnectionError | redis.TimeoutError | RedisClusterException)
            advice = f"; {UNCERTAIN}" if lost and " connecting to " not in str(error) else ""
            raise StoreError(f"{self.name}: {error}{advice}") from error


def _is_writing(persistence: dict[str, Any]) -> bool:
    under_way = "rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled"
    return any(persistence[name] for name in under_way)


async def _end(living: AsyncGenerator[Any]) -> None:
    await living.aclose()
