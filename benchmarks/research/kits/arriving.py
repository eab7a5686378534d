"""Streams: their chunks, how they break, their pauses."""

import re
import time
from typing import Any

import httpx

from memzoo.benchmarks.research.kits.bench import Bench, open_cassette
from memzoo.benchmarks.research.kits.contenders import Memzoo
from memzoo.benchmarks.research.kits.server import Answer

__all__ = ["breaks_off_again", "replays_pauses", "stream"]

EVENTS = ['data: {"n": 1}\n\n', 'data: {"n"', ": 2}\n\n", "data: [DONE]\n\n"]


def stream(bench: Bench) -> bool:
    """A stream replays in the chunks that came."""
    bench.server.answers.append(Answer(EVENTS, "text/event-stream"))
    with bench.kit.open(bench.path, record=True):
        bench.chunks()
    with bench.kit.open(bench.path):
        return bench.chunks() == EVENTS


def breaks_off_again(bench: Bench) -> bool:
    """A stream that broke off breaks off again."""
    bench.server.answers.append(Answer(EVENTS, "text/event-stream", ends=False))
    found: list[bool] = []
    for record in (True, False):
        options: dict[str, Any] = {"allow_errors": True} if isinstance(bench.kit, Memzoo) else {}
        with open_cassette(bench, record=record, **options):
            try:
                bench.chunks()
            except httpx.RemoteProtocolError:
                found.append(True)
    return found == [True, True]


def replays_pauses(bench: Bench) -> bool:
    """A stream's pauses can be replayed."""
    if not isinstance(bench.kit, Memzoo):
        return False  # neither of the others has such an option
    bench.server.answers.append(Answer(EVENTS, "text/event-stream"))
    with open_cassette(bench, record=True, timing="recorded"):
        bench.chunks()
    bench.path.write_text(re.sub(r"seconds: \[.*\]", "seconds: [0.2, 0.0, 0.0, 0.0]", bench.path.read_text()))
    start = time.perf_counter()
    with open_cassette(bench, timing="recorded"):
        bench.chunks()
    return time.perf_counter() - start > 0.2  # noqa: PLR2004 - as written above
