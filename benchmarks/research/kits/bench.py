"""Where the checks run, and what they share."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from memzoo.benchmarks.research.kits.contenders import Kit, Memzoo
from memzoo.benchmarks.research.kits.server import Server

__all__ = ["PROMPT", "SECRET", "Bench", "Check", "chat", "open_cassette"]

SECRET = "b_token-S3cr3tV4lue010"  # noqa: S105 - planted
PROMPT = "You are a kind assistant, and you know the capitals of all countries. " * 60


@dataclass
class Bench:
    """Where a check runs.

    Attributes:
        kit: The kit in question.
        server: A living server.
        folder: An empty folder.
    """

    kit: Kit
    server: Server
    folder: Path

    @property
    def path(self) -> Path:
        """A cassette's file."""
        return self.folder / "tape.yaml"

    def ask(self, body: Any, **options: Any) -> httpx.Response:
        """Send a request."""
        with httpx.Client(verify=False) as client:  # noqa: S501 - plain HTTP; certificates take longer than all the rest
            return client.post(f"{self.server.url}/chat/completions", json=body, **options)

    def record(self, *bodies: Any, **options: Any) -> None:
        """Record requests."""
        with self.kit.open(self.path, record=True):
            for body in bodies:
                self.ask(body, **options)

    def fails(self, *bodies: Any, **options: Any) -> bool:
        """Tell whether a replay of these requests fails, without asking the server."""
        asked = self.server.count
        try:
            with self.kit.open(self.path, **options):
                for body in bodies:
                    self.ask(body)
        except (Exception, AssertionError):  # noqa: BLE001 - each kit has its own
            return self.server.count == asked
        return False

    def error(self, body: Any, **options: Any) -> str:
        """Return what a failing replay says."""
        try:
            with self.kit.open(self.path, **options):
                self.ask(body)
        except Exception as error:  # noqa: BLE001 - each kit has its own
            return str(error)
        return ""

    def chunks(self) -> list[str]:
        """Read a stream chunk by chunk."""
        with httpx.Client() as client, client.stream("POST", f"{self.server.url}/s", json={}) as response:
            return [chunk.decode() for chunk in response.iter_bytes()]

    def in_threads(self, *calls: Callable[[], object]) -> None:
        """Run calls in threads of their own, all at once."""
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


Check: TypeAlias = Callable[[Bench], bool]
"""Tells whether a kit does what a row asks for."""


def chat(text: str, **more: Any) -> dict[str, Any]:
    """A chat request."""
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def open_cassette(bench: Bench, *, record: bool = False, **options: Any) -> Any:
    """Open its cassette, with options that only ours has."""
    from memzoo.cassettes import use_cassette

    if not isinstance(bench.kit, Memzoo):
        return bench.kit.open(bench.path, record=record)
    return use_cassette(bench.path, record="all" if record else "none", **options)
