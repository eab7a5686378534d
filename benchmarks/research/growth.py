"""Measures how the cost of a comparison grows with the conversation: `python -m memzoo.benchmarks.research growth`."""

import multiprocessing
import re
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Annotated

import typer

from memzoo.benchmarks import Settings
from memzoo.benchmarks.comparing import compare
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Exchange, Transcript, sample_transcripts
from memzoo.strategy import text_of

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_KILOBYTES = 1024**2 if sys.platform == "darwin" else 1024  # ru_maxrss units in a megabyte


def growth(
    sizes: Annotated[str, typer.Option(help="Numbers of messages, with commas.")] = "1000,2000,20000",
    memory: Annotated[list[str] | None, typer.Option(help="A strategy; repeat it. All seven by default.")] = None,
    counter: Annotated[str, typer.Option(help="What counts tokens.")] = "o200k_base",
) -> None:
    """Compare memories on ever longer conversations, and measure the CPU time and RAM that this takes."""
    rows: list[list[str]] = []
    for size in map(int, sizes.split(",")):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            seconds, megabytes = pool.submit(measure_size, size, memory or (), counter).result()
        rows.append([f"{size:,}", f"{seconds:.1f}", f"{1000 * seconds / size:.1f}", f"{megabytes:.0f}"])
    show(table(["messages", "CPU seconds", "milliseconds a message", "peak MB"], rows))


def measure_size(size: int, memories: Sequence[str], counter: str) -> tuple[float, float]:
    """Compare memories on a conversation of `size` messages.

    Returns:
        The CPU seconds of the comparison, and the peak RAM of this process in megabytes.
    """
    transcript = long_conversation(size)
    began = time.process_time()
    compare([transcript], memories, Settings(counter=counter))
    return time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES


def long_conversation(size: int) -> Transcript:
    """Return a conversation of `size` messages: the bundled one repeated, each time with other names."""
    (sample,) = sample_transcripts()
    exchanges = list[Exchange]()
    for exchange in _rounds(sample.exchanges):
        if size <= 0:
            break
        exchanges.append(replace(exchange, messages=exchange.messages[:size], evidence=exchange.evidence[:size]))
        size -= len(exchange.messages)
    return replace(sample, exchanges=tuple(exchanges))


def _rounds(exchanges: Sequence[Exchange]) -> Iterator[Exchange]:
    yield from exchanges
    for number in count(1):
        for exchange in exchanges:
            messages = [one | {"content": _rename(text_of(one), number)} for one in exchange.messages]
            yield replace(exchange, messages=tuple(messages))


def _rename(text: str, number: int) -> str:
    """Return a text with changed names and the number of the round, so that each round differs.

    Example:
        >>> _rename("Yesterday Ilse went to Ghent.", 27)
        'Yesterday Ilsech went to Ghentch. (27)'
    """
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return f"{_NAME.sub(lambda name: name[0] + letters, text)} ({number})"
