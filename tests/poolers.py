"""Poolers before a PostgreSQL server: PgBouncer, and one of our own; and a load of calls through them.

`python -m tests.poolers --calls 10000` counts what is lost, and which calls fail, through both.
"""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias

import typer

from memzoo.errors import StoreError
from memzoo.stores import ManagedStore, Record, open_store
from memzoo.sync import drive
from tests.postgres import PostgresServer

__all__ = ["Counted", "PgBouncer", "Pooler", "SwappingProxy", "load"]

CLEARERS, READERS, WRITERS = 2, 4, 8
_KEPT = 20  # conversations that are only read
_SERVER_CONNECTIONS = 4
_PORT = 6432
_SSL, _GSS = 80877103, 80877104


class Pooler(Protocol):
    """Something between clients and a server, which lends a connection for one transaction."""

    def url(self, database: str) -> str:
        """The URL of a database behind it."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class PgBouncer:
    """PgBouncer in transaction mode, with the settings that it comes with."""

    def __init__(self, server: PostgresServer) -> None:
        """Start it.

        Raises:
            FileNotFoundError: It is not installed.
        """
        program = self.program()
        if program is None:
            raise FileNotFoundError("pgbouncer is not installed")
        self._folder = Path(tempfile.mkdtemp())
        self._folder.chmod(0o777)
        ini = self._folder / "pgbouncer.ini"
        ini.write_text(
            f"[databases]\n* = host={server.folder} port=5432 user=postgres\n"
            f"[pgbouncer]\nlisten_port = {_PORT}\nunix_socket_dir = {self._folder}\nauth_type = any\n"
            f"pool_mode = transaction\ndefault_pool_size = {_SERVER_CONNECTIONS}\nmax_client_conn = 500\n"
            f"logfile = {self._folder}/log\n"
        )
        self._user = server.folder.stat().st_uid if os.geteuid() == 0 else None
        self._command = [program, "-q", str(ini)]
        self.start()

    @staticmethod
    def program() -> str | None:
        """Where it is installed, if it is."""
        return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")

    def url(self, database: str) -> str:
        """See `Pooler.url`."""
        return f"postgresql://postgres@/{database}?host={self._folder}&port={_PORT}"

    def start(self) -> None:
        """Start it, and wait until it listens; after a `kill`, again."""
        path = self._folder / f".s.PGSQL.{_PORT}"
        path.unlink(missing_ok=True)
        # It refuses to be root; and for others the socket of the server is closed.
        self._process = subprocess.Popen(self._command, user=self._user, stderr=subprocess.DEVNULL)
        while not _listens(path):
            if self._process.poll() is not None:
                raise OSError(f"pgbouncer ended: {(self._folder / 'log').read_text()}")

    def count_refusals(self) -> int:
        """How many connections it has refused because of their options, according to its log."""
        return (self._folder / "log").read_text().count("closing because: unsupported startup parameter")

    def stop(self) -> None:
        """Let it fall silent: its connections stay open, and the system still takes what is sent to them."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `stop`."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it for good."""
        self.kill()
        shutil.rmtree(self._folder)


class SwappingProxy:
    """Lends each transaction another connection of the server than the one before, whoever asks; refuses `options`.

    So does any pooler in transaction mode at times. This one needs nothing installed, and never lends the same twice.
    """

    def __init__(self, server: PostgresServer) -> None:
        """Start it, in a thread of its own."""
        self._server = str(server.folder / ".s.PGSQL.5432")
        self._folder = tempfile.mkdtemp()
        self._free: dict[bytes, asyncio.Queue[_Connection]] = {}
        self._loop, self._ended = asyncio.new_event_loop(), asyncio.Event()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._serve(ready)])
        self._thread.start()
        ready.wait()

    def url(self, database: str) -> str:
        """See `Pooler.url`."""
        return f"postgresql://postgres@/{database}?host={self._folder}&port={_PORT}"

    def close(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()
        self._loop.close()
        shutil.rmtree(self._folder)

    async def _serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_unix_server(self._accept, f"{self._folder}/.s.PGSQL.{_PORT}")
        ready.set()
        await self._ended.wait()
        server.close()
        clients = asyncio.all_tasks() - {asyncio.current_task()}
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        for free in self._free.values():
            while not free.empty():
                free.get_nowait().writer.close()
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            if startup := await _startup(reader, writer):
                await self._lend(_Connection(reader, writer), startup)
        writer.close()

    async def _lend(self, client: "_Connection", startup: bytes) -> None:
        """Take a client's transactions to connections of the server, until the client ends."""
        free = await self._connections(startup)
        one = await free.get()
        client.writer.write(one.greeting)
        free.put_nowait(one)
        while True:
            kind, message = await client.next()
            if kind == b"X":
                return
            one = await free.get()  # the one that was lent longest ago
            try:
                while True:
                    one.writer.write(message)
                    if kind in b"QS" and await one.answer(client.writer) == b"I":
                        break
                    kind, message = await client.next()
            except BaseException:
                one.writer.close()  # in the midst of a transaction, which ends with it
                free.put_nowait(await self._connected(startup))
                raise
            free.put_nowait(one)

    async def _connections(self, startup: bytes) -> "asyncio.Queue[_Connection]":
        if startup not in self._free:
            self._free[startup] = asyncio.Queue()
            for _ in range(_SERVER_CONNECTIONS):
                self._free[startup].put_nowait(await self._connected(startup))
        return self._free[startup]

    async def _connected(self, startup: bytes) -> "_Connection":
        one = _Connection(*await asyncio.open_unix_connection(self._server))
        one.writer.write(startup)
        one.greeting = await one.until_ready()
        return one


@dataclass
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    greeting: bytes = b""

    async def next(self) -> tuple[bytes, bytes]:
        """The kind of the next message, and all of it."""
        head = await self.reader.readexactly(5)
        return head[:1], head + await self.reader.readexactly(struct.unpack("!i", head[1:])[0] - 4)

    async def until_ready(self) -> bytes:
        """All that comes until it waits for a query."""
        found = b""
        while True:
            kind, message = await self.next()
            found += message
            if kind == b"Z":
                return found

    async def answer(self, client: asyncio.StreamWriter) -> bytes:
        """Hand the answer on, and tell whether a transaction is open after it: `I` for none."""
        found = await self.until_ready()
        client.write(found)
        return found[-1:]


async def _startup(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The message with which a client begins, without what belongs to the client; none if it was refused."""
    while True:
        size, code = struct.unpack("!ii", await reader.readexactly(8))
        rest = await reader.readexactly(size - 8)
        if code not in (_SSL, _GSS):
            break
        writer.write(b"N")
    texts = rest.rstrip(b"\0").split(b"\0")
    given = dict(zip(texts[::2], texts[1::2], strict=True))
    if b"options" in given:
        error = b"SFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
        writer.write(b"E" + struct.pack("!i", len(error) + 4) + error)
        return b""
    body = b"".join(b"%s\0%s\0" % (name, given[name]) for name in (b"user", b"database")) + b"\0"
    return struct.pack("!ii", len(body) + 8, code) + body


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        return one.connect_ex(str(path)) == 0


@dataclass
class Counted:
    """What came of calls.

    Attributes:
        calls: How many there were.
        failed: Those that ended in a `StoreError`, or read something else than was there.
        lost: Conversations and acknowledged turns that are not there afterwards, though nobody deleted them.
        doubled: Turns that are there twice.
        errors: The first of the errors.
    """

    calls: int = 0
    failed: int = 0
    lost: int = 0
    doubled: int = 0
    errors: list[str] = field(default_factory=list[str])


def load(url: str, calls: int, *, options: str = "", seed: int = 0) -> Counted:
    """Let two clear, four read and eight write at once, each with connections of its own, and count.

    Args:
        url: Of an empty database.
        calls: How many in all.
        options: Added to the URL.
        seed: Of the choices.
    """
    with closing(open_store(url)) as store:
        for number in range(_KEPT):
            drive(store.append(f"kept-{number}", [_record(number)], turn_id="only"))
    counted, lock = Counted(), threading.Lock()
    acknowledged: dict[str, list[str]] = {f"kept-{number}": ["only"] for number in range(_KEPT)}
    work = [_clear] * CLEARERS + [_read] * READERS + [_write] * WRITERS
    each = -(-calls // len(work))

    def one(place: int) -> None:
        chance = random.Random(f"{seed}-{place}")  # noqa: S311 - chance that repeats
        store: ManagedStore | None = None
        for number in range(each):
            try:
                store = store or open_store(f"{url}&pool_size=1{options}")
                said = work[place](store, place, number, chance)
            except StoreError as error:
                with lock:
                    counted.failed += 1
                    counted.errors = [*counted.errors, str(error)][:3]
            else:
                with lock:
                    for id_, turn in said:
                        acknowledged.setdefault(id_, []).append(turn)
        if store:
            store.close()

    with ThreadPoolExecutor(len(work)) as pool:
        list(pool.map(one, range(len(work))))
    counted.calls = each * len(work)
    with closing(open_store(url)) as store:
        for id_, turns in acknowledged.items():
            there = [entry.turn_id for entry in drive(store.read(id_))]
            counted.lost += len({*turns} - {*there})
            counted.doubled += len(there) - len({*there})
    return counted


def _record(number: int) -> Record:
    return Record({"role": "user", "content": str(number)})


Turns: TypeAlias = list[tuple[str, str]]
"""What was saved: the conversation and the turn."""


def _clear(store: ManagedStore, _: int, __: int, chance: random.Random) -> Turns:
    drive(store.clear(f"gone-{chance.randrange(1000)}"))
    return []


def _read(store: ManagedStore, _: int, __: int, chance: random.Random) -> Turns:
    wanted = chance.randrange(_KEPT)
    found = [entry.message["content"] for entry in drive(store.read(f"kept-{wanted}"))]
    if found != [str(wanted)]:
        raise StoreError(f"a read of {wanted} finds {found}")
    return []


def _write(store: ManagedStore, place: int, number: int, _: random.Random) -> Turns:
    id_, turn = f"talk-{place // 2}", f"{place}-{number}"
    drive(store.append(id_, [_record(number)], turn_id=turn))
    return [(id_, turn)]


def main(
    calls: Annotated[int, typer.Option(min=1)] = 10_000,
    options: Annotated[str, typer.Option(help="For the URL: &prepare_threshold=5 shows the harm.")] = "",
) -> None:
    """Count what is lost, and which calls fail, through PgBouncer and through a proxy that lends at random."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = PostgresServer(Path(folder) / "data")
        try:
            for kind in (PgBouncer, SwappingProxy):
                with closing(kind(server)) as pooler:
                    counted = load(pooler.url(server.new_database()), calls, options=options)
                    typer.echo(f"{kind.__name__}: {counted}")
        finally:
            server.cleanup()


if __name__ == "__main__":
    typer.run(main)
