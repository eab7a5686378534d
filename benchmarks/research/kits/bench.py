"""The parts of a check: a replay kit, a server, a folder, and helpers that record and replay."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from memzoo.benchmarks.research.kits.contenders import Kit, Memzoo
from memzoo.benchmarks.research.kits.server import Server

SECRET = "b_token-S3cr3tV4lue010"  # noqa: S105 - planted
PROMPT = "You are a kind assistant, and you know the capitals of all countries. " * 60


@dataclass
class Bench:
    """Everything that a check needs: a replay kit, a server, a folder, and methods to record and replay requests."""

    kit: Kit
    server: Server
    folder: Path

    @property
    def path(self) -> Path:
        """The path of the cassette."""
        return self.folder / "tape.yaml"

    def ask(self, body: Any, **options: Any) -> httpx.Response:
        """Send a request to the server, and return the response."""
        with httpx.Client(verify=False) as client:  # noqa: S501 - plain HTTP; certificates take longer than all the rest
            return client.post(f"{self.server.url}/chat/completions", json=body, **options)

    def record(self, *bodies: Any, **options: Any) -> None:
        """Record requests with these bodies into the cassette."""
        with self.kit.open(self.path, record=True):
            for body in bodies:
                self.ask(body, **options)

    def fails(self, *bodies: Any, **options: Any) -> bool:
        """Replay requests with these bodies; return True if this fails and nothing is sent to the server."""
        asked = self.server.count
        try:
            with self.kit.open(self.path, **options):
                for body in bodies:
                    self.ask(body)
        except (Exception, AssertionError):  # noqa: BLE001 - each kit has its own
            return self.server.count == asked
        return False

    def error(self, body: Any, **options: Any) -> str:
        """Return the error's text if a replay fails; otherwise ""."""
        try:
            with self.kit.open(self.path, **options):
                self.ask(body)
        except Exception as error:  # noqa: BLE001 - each kit has its own
            return str(error)
        return ""

    def chunks(self) -> list[str]:
        """Return the chunks of a stream from the server."""
        with httpx.Client() as client, client.stream("POST", f"{self.server.url}/s", json={}) as response:
            return [chunk.decode() for chunk in response.iter_bytes()]

    def in_threads(self, *calls: Callable[[], object]) -> None:
        """Run calls at the same time, each in its own thread."""
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


Check: TypeAlias = Callable[[Bench], bool]
"""A function that returns whether a kit has a feature."""


def chat(text: str, **more: Any) -> dict[str, Any]:
    """Return the body of a chat request with one user message."""
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def open_cassette(bench: Bench, *, record: bool = False, **options: Any) -> Any:
    """Open the kit's cassette. `options` go to memzoo's kit only; the other kits have no such options."""
    from memzoo.cassettes import use_cassette

    if not isinstance(bench.kit, Memzoo):
        return bench.kit.open(bench.path, record=record)
    return use_cassette(bench.path, record="all" if record else "none", **options)
