"""Real Redis for tests: a server, or a cluster of six, on loopback ports, from the distribution's packages."""

import contextlib
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

__all__ = ["RedisServer", "cluster", "free_ports", "redis_server", "redis_url", "wait_for"]


class RedisServer:
    """A Redis server: a process of its own.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        """Start it.

        Args:
            folder: Where its files go.
            port: Where it listens.
            options: More of its options, such as `--appendonly yes`.

        Raises:
            FileNotFoundError: It is not installed.
        """
        program = shutil.which("redis-server")
        if program is None:
            raise FileNotFoundError("redis-server is not installed (Debian's package redis-server)")
        folder.mkdir(parents=True, exist_ok=True)
        self.port = port
        place = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
        self._command = [program, *place, "--save", "", "--daemonize", "no", *options]
        self.start()

    def start(self) -> None:
        """Start it, also again, and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.closing(self.client()) as client:
            wait_for(lambda: self._process.poll() is not None or client.ping())
        if self._process.poll() is not None:
            raise OSError(f"{self._command} ended with {self._process.returncode}")

    def client(self) -> Any:
        """A client of its own, beside the store."""
        import redis

        return redis.Redis(port=self.port, socket_timeout=10)

    def stop(self) -> None:
        """Let it fall silent: its connections stay open."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `stop`."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a power failure would."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


@contextlib.contextmanager
def cluster(folder: Path, *options: str) -> Generator[Sequence[RedisServer]]:
    """Three primaries, each with a replica, as long as the block runs."""
    with contextlib.ExitStack() as stack:
        servers: list[RedisServer] = []
        for number, port in enumerate(free_ports(6)):
            own = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", *options]
            server = RedisServer(folder / str(number), port, *own)
            stack.callback(server.kill)
            servers.append(server)
        places = [f"127.0.0.1:{one.port}" for one in servers]
        command = ["redis-cli", "--cluster", "create", *places, "--cluster-replicas", "1", "--cluster-yes"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for server in servers:
            with contextlib.closing(server.client()) as client:
                wait_for(lambda client=client: client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
        yield servers


def free_ports(count: int) -> list[int]:
    """Ports of which a server may take one, also again after it was killed; a cluster's takes one 10,000 higher, too.

    None is of those that the system gives to clients: one of these could have it when the server comes back.
    """
    with contextlib.ExitStack() as stack:
        found: list[int] = []
        while len(found) < count:
            one = random.randrange(10_000, 20_000)  # noqa: S311 - any will do
            with contextlib.suppress(OSError):
                stack.enter_context(socket.create_server(("127.0.0.1", one)))
                found.append(one)
        return found


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server for all tests; each begins by emptying it."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    try:
        server = RedisServer(tmp_path_factory.mktemp("redis"), free_ports(1)[0])
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with contextlib.closing(server):
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """The URL of an empty server, for `open_store`."""
    with contextlib.closing(redis_server.client()) as client:
        client.flushall()
    return f"redis://127.0.0.1:{redis_server.port}/0"


def wait_for(is_there: Callable[[], object], patience: float = 180.0) -> None:
    """Wait until a server answers as it should; while it starts it refuses to.

    Args:
        is_there: Tells whether it does.
        patience: The most seconds.

    Raises:
        TimeoutError: It has not.
    """
    import redis

    end = time.monotonic() + patience
    while time.monotonic() < end:
        with contextlib.suppress(redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            if is_there():
                return
        time.sleep(0.02)
    raise TimeoutError("Redis does not answer")
