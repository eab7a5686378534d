"""Secrets that must not be in the file, by default."""

import json
from typing import Any

import httpx

from memzoo.benchmarks.research.kits.bench import SECRET, Bench, Check, chat
from memzoo.benchmarks.research.kits.server import Answer

__all__ = ["echo", "secret_in"]


def secret_in(**options: Any) -> Check:
    """Make a check that a secret in one place is not in the file, by default."""

    def check(bench: Bench) -> bool:
        with bench.kit.open(bench.path, record=True), httpx.Client() as client:
            client.post(f"{bench.server.url}/chat/completions", **options)
        return SECRET not in bench.path.read_text()

    check.__doc__ = f"A secret in {', '.join(options)} is not in the file, by default."
    return check


def echo(bench: Bench) -> bool:
    """A key that the server repeats is not in the file, by default."""
    bench.server.answers.append(Answer([json.dumps({"error": f"wrong key {SECRET}"})]))
    bench.record(chat("hi"), headers={"authorization": f"Bearer {SECRET}"})
    return SECRET not in bench.path.read_text()
