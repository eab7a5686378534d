"""Measures the CPU time of a search in growing conversations: `python -m memzoo.benchmarks.research retrieval-cost`."""

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Annotated

import typer

from memzoo.benchmarks.research.speed_talk import talk
from memzoo.benchmarks.research.tables import show, table
from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.stores import InMemoryStore, Message

_BUDGET = 1_000
_STOP_WORDS = 50
_BATCH = 500

Timer = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Growth:
    """Median CPU times, in milliseconds, in a conversation with a certain number of messages.

    Attributes:
        messages: The number of messages in the conversation.
        save: The time to save an exchange.
        load: The time to load the memory for a question, right after that save.
    """

    messages: int
    save: float
    load: float


def growth(lengths: Sequence[int], samples: int = 15, timer: Timer = time.process_time) -> list[Growth]:
    """Return the median CPU times of a save and a load, for each number of messages in `lengths`."""
    now = itertools.count()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    memory = VectorStoreRetrieverMemory(
        store=InMemoryStore(clock=lambda: start + timedelta(minutes=next(now))),
        max_token_limit=_BUDGET,
        token_counter="approximate",  # noqa: S106 - no password
    )
    exchanges, length, costs = talk(), 0, list[Growth]()
    for wanted in sorted(lengths):
        for first in range(length, wanted, _BATCH):
            said = itertools.islice(exchanges, min(wanted - first, _BATCH) // 2)
            memory.add_messages([message for exchange in said for message in exchange])
        # Not measured: the first load adds all new messages to the index, as after opening a conversation.
        memory.messages("word7")
        costs.append(_sample(memory, wanted, list(itertools.islice(exchanges, samples)), timer))
        length = wanted + 2 * samples
    return costs


def retrieval_cost(
    lengths: Annotated[str, typer.Option(help="Messages in the conversation.")] = "100,1000,10000,100000",
) -> None:
    """Measure the CPU time of an exchange as a conversation grows."""
    costs = growth([int(length) for length in lengths.split(",")])
    heads = ["messages", "save, ms CPU", "load, ms CPU", f"save, times that at {costs[0].messages:,}"]
    rows = [
        [f"{one.messages:,}", f"{one.save:.2f}", f"{one.load:.2f}", f"{one.save / costs[0].save:.1f}"] for one in costs
    ]
    show(table(heads, rows))


def _sample(
    memory: VectorStoreRetrieverMemory, length: int, exchanges: Sequence[list[Message]], timer: Timer
) -> Growth:
    saves: list[float] = []
    loads: list[float] = []
    for exchange in exchanges:
        question = _question(str(exchange[0]["content"]))
        start = timer()
        memory.add_messages(exchange)
        saved = timer()
        memory.messages(question)
        saves.append(saved - start)
        loads.append(timer() - saved)
    return Growth(length, 1000 * median(saves), 1000 * median(loads))


def _question(text: str) -> str:
    """Return the first six words of a text that are not among the most frequent words."""
    return " ".join([word for word in text.split() if int(word.removeprefix("word")) >= _STOP_WORDS][:6])
