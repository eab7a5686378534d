"""Kills the parts of a server fleet while users talk: `make fleet` prints lost turns and answer times.

HAProxy distributes the requests over two processes of `docs/examples/server.py`. The processes share a slow model, and
a PostgreSQL server behind PgBouncer. Needs the packages pgbouncer and haproxy of the distribution.
"""

import asyncio
import contextlib
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from wsgiref.types import StartResponse, WSGIEnvironment

import httpx
import typer
from openai import OpenAI
from rich.console import Console

from memzoo.errors import StoreError
from memzoo.memories import ChatModel, upkeep
from memzoo.memories.models.offline.endpoint import application
from memzoo.memories.models.offline.server import listen
from memzoo.stores import ManagedStore, open_store
from memzoo.sync import drive
from tests.poolers import PgBouncer
from tests.postgres import PostgresServer
from tests.redis_servers import free_ports

__all__ = ["Fleet", "Phase", "fleet", "is_installed"]

_PROGRAM = Path(__file__).parents[2] / "docs" / "examples" / "server.py"
_MEMORY = "summary"
_TURN = re.compile(r"#(\d+)#")
_NEW = re.compile(r"<new_lines>\n(.*?)\n</new_lines>", re.DOTALL)
_ASKED = re.compile(r"^Human: #(\d+)#", re.MULTILINE)  # answers quote earlier questions
_USERS = 16  # who talk at the same time
_KILLS = 3
_DOWN = 0.5  # seconds until somebody starts again what was killed
_BALANCER = """
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    option redispatch
frontend web
    bind 127.0.0.1:{port}
    default_backend workers
backend workers
    balance roundrobin
    default-server check inter 200ms fall 1 rise 1
"""


@dataclass
class Phase:
    """The counts of turns while one part of the fleet was killed again and again.

    Attributes:
        name: The name of the killed part.
        answered: The answered turns, each with its time in seconds.
        failed: The number of turns without an answer.
        calls: The number of learning calls of the model.
        twice: The turns from which the model was asked to learn more than once.
        lost: The turns that were answered, but not stored or not stored whole.
        doubled: The turns that were stored more than once.
    """

    name: str
    answered: dict[int, float] = field(default_factory=dict[int, float])
    failed: int = 0
    calls: int = 0
    twice: int = 0
    lost: int = 0
    doubled: int = 0

    def row(self) -> str:
        """Return the phase as a row of the table."""
        turns = len(self.answered) + self.failed
        took = sorted(self.answered.values())
        middle, slow = statistics.median(took), took[int(len(took) * 0.99)]
        seconds = f"{middle:.2f} | {slow:.2f} | {took[-1]:.1f}"
        counted = self.failed, self.lost, self.doubled, self.calls, self.twice
        return f"| {self.name} | {turns} | {' | '.join(map(str, counted))} | {seconds} |"


class _Model:
    """A slow offline model over HTTP that records each request to learn, with its turns."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, threading.Lock()
        self.calls, self.asked = 0, Counter[int]()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        time.sleep(self._seconds)
        prompt = json.loads(body)["messages"][-1]["content"]
        if prompt.startswith(f"Task: {_MEMORY}."):
            with self._lock:
                self.calls += 1
                self.asked.update({int(turn) for lines in _NEW.findall(prompt) for turn in _ASKED.findall(lines)})
        return application(environ, start_response)

    @contextlib.contextmanager
    def served(self) -> Generator[str]:
        """Serve the model while the block runs, and yield the `base_url`."""
        with listen("127.0.0.1", 0) as server:
            server.set_app(self)
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}/v1"
            finally:
                server.shutdown()
                thread.join()


class _Program:
    """A process that listens on a port."""

    def __init__(self, port: int, *command: str, env: dict[str, str] | None = None) -> None:
        self.port, self._command, self._env = port, command, env
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, env=self._env, cwd=_PROGRAM.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with httpx.Client(timeout=5) as client:  # one for all attempts: each reads the certificates
            while True:
                with contextlib.suppress(httpx.TransportError):
                    client.get(f"http://127.0.0.1:{self.port}/")
                    return
                if self._process.poll() is not None:
                    raise OSError(f"{self._command} ended with {self._process.returncode}")
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill the process with signal 9."""
        self._process.kill()
        self._process.wait()


class Fleet:
    """All parts of the fleet, each in its own process.

    Attributes:
        parts: For each part that can be killed, the functions that kill and restart the part, by name.
        url: The URL for the users.
        model: The model of the programs.
    """

    def __init__(self, folder: Path, workers: int, *, model_seconds: float) -> None:
        """Start all parts.

        Args:
            folder: The folder for files.
            workers: The number of processes of the program.
            model_seconds: The time that the model takes to answer, in seconds.
        """
        self._stack = contextlib.ExitStack()
        try:
            self.model = _Model(model_seconds)
            self.model_url = self._stack.enter_context(self.model.served())
            self._start(folder, workers)
        except BaseException:
            self.close()
            raise

    def _start(self, folder: Path, count: int) -> None:
        database = PostgresServer(folder / "postgres")
        self._stack.callback(database.cleanup)
        pooler = PgBouncer(database)
        self._stack.callback(pooler.close)
        self.store_url = pooler.url(database.new_database())
        port, *ports = free_ports(1 + count)
        made = {
            "MODEL": "offline-rules",
            "OPENAI_BASE_URL": self.model_url,
            "OPENAI_API_KEY": "none",
            "MEMORY": _MEMORY,
        }
        env = os.environ | made | {"STORE": self.store_url}
        served = [sys.executable, "-m", "uvicorn", "--log-level", "error", "server:app", "--port"]
        workers = [_Program(one, *served, str(one), env=env) for one in ports]
        for worker in workers:
            self._stack.callback(worker.kill)
        settings = folder / "haproxy.cfg"
        listed = [f"    server worker{number} 127.0.0.1:{one}\n" for number, one in enumerate(ports)]
        settings.write_text(_BALANCER.format(port=port) + "".join(listed), encoding="ascii")
        balancer = _Program(port, str(_haproxy()), "-f", str(settings), "-db")
        self._stack.callback(balancer.kill)
        self.url = f"http://127.0.0.1:{port}"
        self.parts: dict[str, list[tuple[Callable[[], None], Callable[[], None]]]] = {
            "nothing": [],
            "a worker": [(one.kill, one.start) for one in workers],
            "PgBouncer": [(pooler.kill, pooler.start)],
            "PostgreSQL": [(database.kill, database.start)],
            "HAProxy": [(balancer.kill, balancer.start)],
        }

    def close(self) -> None:
        """End all parts."""
        self._stack.close()


def is_installed() -> bool:
    """Return whether all programs of the fleet are installed."""
    return bool(PgBouncer.program() and _haproxy())


def _haproxy() -> str | None:
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")


def fleet(parts: Fleet, turns: int, conversations: int, names: Sequence[str] = ()) -> list[Phase]:
    """Let users talk, first without kills, then while each part is killed in turn; return the counts.

    Args:
        parts: The fleet.
        turns: The total number of turns.
        conversations: The number of conversations; the turns of a conversation come one after the other.
        names: The names of the parts to kill, or "nothing"; by default all parts.
    """
    names = names or [*parts.parts]
    each, phases = turns // len(names) // conversations, list[Phase]()
    for number, name in enumerate(names):
        phase, before = Phase(name), parts.model.calls
        first = number * each * conversations
        asyncio.run(_talk(parts, phase, first, each, conversations))
        _keep_up(parts)
        phase.calls = parts.model.calls - before
        phase.twice = sum(parts.model.asked[turn] > 1 for turn in range(first, first + each * conversations))
        phases.append(phase)
    with open_store(parts.store_url) as store:
        for phase in phases:
            _look(store, phase, conversations)
    return phases


def _keep_up(parts: Fleet) -> None:
    """Learn from all pending messages, such as messages of a worker that was killed while learning."""
    client = OpenAI(base_url=parts.model_url, api_key="none")
    with open_store(parts.store_url) as store, client:
        done = upkeep(store, _MEMORY, llm=ChatModel("any", client))
        if done.failed or drive(store.conversations(behind=_MEMORY)):
            raise StoreError(f"not all was learnt: {done}")


async def _talk(parts: Fleet, phase: Phase, first: int, each: int, conversations: int) -> None:
    kills, kill_every = parts.parts[phase.name], each * conversations // (_KILLS + 1)
    users, one_at_a_time, killing = asyncio.Semaphore(_USERS), asyncio.Lock(), list[asyncio.Task[None]]()

    async def kill_one(number: int) -> None:
        kill, start = kills[number % len(kills)]
        async with one_at_a_time:
            await asyncio.to_thread(kill)
            await asyncio.sleep(_DOWN)
            await asyncio.to_thread(start)

    async def talk(client: httpx.AsyncClient, conversation: int) -> None:
        async with users:
            for number in range(each):
                turn = first + number * conversations + conversation
                began = time.monotonic()
                try:
                    reply = await client.post(
                        "/chat", json={"text": f"#{turn}# I like tea."}, headers={"X-User": f"user-{conversation}"}
                    )
                    reply.raise_for_status()
                except httpx.HTTPError:
                    phase.failed += 1
                else:
                    phase.answered[turn] = time.monotonic() - began
                done = len(phase.answered) + phase.failed
                if kills and done % kill_every == 0 and len(killing) < _KILLS:
                    killing.append(asyncio.create_task(kill_one(len(killing))))

    async with httpx.AsyncClient(base_url=parts.url, timeout=90) as client, asyncio.TaskGroup() as group:
        for conversation in range(conversations):
            group.create_task(talk(client, conversation))
    await asyncio.gather(*killing)


def _look(store: ManagedStore, phase: Phase, conversations: int) -> None:
    """Check that each answered turn is stored once, as a question followed by its answer."""
    found = Counter[int]()
    for conversation in range(conversations):
        entries = drive(store.read(f"user-{conversation}"))
        for place, entry in enumerate(entries):
            if entry.message["role"] == "user":
                (turn,) = _TURN.findall(str(entry.message["content"]))
                following = entries[place + 1 : place + 2]
                is_whole = any(one.turn_id == entry.turn_id and one.message["role"] == "assistant" for one in following)
                found[int(turn)] += is_whole or int(turn) not in phase.answered
    phase.lost = sum(not found[turn] for turn in phase.answered)
    phase.doubled = sum(found[turn] > 1 for turn in phase.answered)


def main(
    killed: Annotated[
        list[str] | None, typer.Argument(help="Of nothing, 'a worker', PgBouncer, ...; by default all.")
    ] = None,
    turns: Annotated[int, typer.Option(help="How many, with two workers.")] = 10_000,
    conversations: Annotated[int, typer.Option(help="How many they are spread over.")] = 200,
    model: Annotated[float, typer.Option(help="Seconds that the model takes.")] = 0.05,
) -> None:
    """Let users talk to a fleet while its parts are killed (-9) one after the other, and count lost turns."""
    console = Console(soft_wrap=True)
    if not is_installed():
        console.print("pgbouncer and haproxy are needed (Debian's packages of these names)")
        raise typer.Exit(1)
    console.print(
        "| killed three times | turns | failed | lost | doubled | calls to learn | learnt twice | s, median |", end=""
    )
    console.print(" p99 | most |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|", markup=False)
    sound = True
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        contextlib.closing(Fleet(Path(folder), 2, model_seconds=model)) as parts,
    ):
        for phase in fleet(parts, turns, conversations, killed or ()):
            console.print(phase.row(), markup=False)
            sound &= not (phase.lost or phase.doubled)
    raise typer.Exit(code=not sound)


if __name__ == "__main__":
    typer.run(main)
