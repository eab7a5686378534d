"""Real Redis for tests: a server, or a cluster of six, on loopback ports, from the distribution's packages."""

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import redis
import redis.cluster

__all__ = ["RedisServer", "cluster", "free_ports"]

_PATIENCE = 60.0


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
            _wait_for(client.ping, self._process)

    def client(self) -> redis.Redis:
        """A client of its own, beside the store."""
        return redis.Redis(port=self.port)

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
                _wait_for(lambda client=client: client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
        yield servers


def free_ports(count: int) -> list[int]:
    """Ports of which a server may take one; a cluster's server also takes the one that is 10,000 higher."""
    with contextlib.ExitStack() as stack:
        found: list[int] = []
        while len(found) < count:
            one = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            if one < 55_000:
                found.append(one)
        return found


def _wait_for(is_there: Callable[[], object], process: "subprocess.Popen[bytes] | None" = None) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and (process is None or process.poll() is None):
        with contextlib.suppress(redis.ConnectionError, redis.exceptions.BusyLoadingError):
            if is_there():
                return
        time.sleep(0.02)
    raise TimeoutError("Redis does not answer")
