"""What finding messages costs as a conversation grows: `python -m memzoo.benchmarks.research.retrieval_cost`."""

import itertools
import math
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from memzoo.benchmarks.research.tables import show, table
from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.stores import InMemoryStore, Message
from memzoo.sync import drive

if TYPE_CHECKING:
    from memzoo.stores.indexes.chroma import ChromaIndex

__all__ = ["Growth", "Tenancy", "app", "growth", "talk", "tenancy"]

app = typer.Typer(help="The cost of retrieval.")

_BUDGET = 1_000
_WORD = "word"
_WORDS = 5_000
_STOP_WORDS = 50
_LENGTH = 20
_DIMENSIONS = 384
_BATCH = 500

Timer = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Growth:
    """The costs at one length of a conversation, in milliseconds of CPU, medians.

    Attributes:
        messages: The length.
        save: Saving an exchange.
        load: Loading for a question right after it, which takes the exchange in.
    """

    messages: int
    save: float
    load: float


@dataclass(frozen=True, slots=True)
class Tenancy:
    """Conversations in Chroma.

    Attributes:
        arrangement: How they are kept.
        build: Seconds to put all in.
        search: Milliseconds for a search, median.
        memory: What the process took at most, in MB, beyond what it took with Chroma loaded and empty.
        files: How many there are on disk.
        megabytes: How large they are.
    """

    arrangement: str
    build: float
    search: float
    memory: float
    files: int
    megabytes: float


def talk(seed: int = 0) -> Iterator[list[Message]]:
    """Exchanges of made-up words without end, few of them frequent and most of them rare, the same in every run."""
    chance = random.Random(seed)  # noqa: S311 - made-up words, no secrets
    words = [f"{_WORD}{number}" for number in range(_WORDS)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(_WORDS)))
    while True:
        yield [
            {"role": role, "content": " ".join(chance.choices(words, cum_weights=weights, k=_LENGTH))}
            for role in ("user", "assistant")
        ]


def growth(lengths: Sequence[int], samples: int = 15, timer: Timer = time.process_time) -> list[Growth]:
    """The cost of an exchange at some lengths of a conversation, in an in-memory store, nothing downloaded."""
    now = itertools.count()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    memory = VectorStoreRetrieverMemory(
        store=InMemoryStore(clock=lambda: start + timedelta(minutes=next(now))),
        max_token_limit=_BUDGET,
        token_counter="approximate",  # noqa: S106 - no password
    )
    exchanges, length, costs = talk(), 0, list[Growth]()
    for wanted in sorted(lengths):
        for size in _steps(wanted - length):
            memory.add_messages(
                [message for exchange in itertools.islice(exchanges, size // 2) for message in exchange]
            )
        # The first load takes in all that is new: that is the cost of opening a conversation.
        memory.messages("word7")
        costs.append(_sample(memory, wanted, list(itertools.islice(exchanges, samples)), timer))
        length = wanted + 2 * samples
    return costs


def tenancy(conversations: int, vectors: int = 20) -> list[Tenancy]:
    """One Chroma collection with a filter, as `ChromaIndex` has it, and a collection for each conversation.

    Each is measured in a process of its own, in a new folder.
    """
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        return [pool.apply(_measure_tenancy, (apart, conversations, vectors)) for apart in (False, True)]


@app.command()
def retrieval_cost(
    lengths: Annotated[str, typer.Option(help="Messages in the conversation.")] = "100,1000,10000,100000",
    conversations: Annotated[int, typer.Option(help="Conversations in Chroma.", min=1)] = 200,
) -> None:
    """Measure what an exchange and a search cost."""
    costs = growth([int(length) for length in lengths.split(",")])
    heads = ["messages", "save, ms CPU", "load, ms CPU", f"save, times that at {costs[0].messages:,}"]
    rows = [
        [f"{one.messages:,}", f"{one.save:.2f}", f"{one.load:.2f}", f"{one.save / costs[0].save:.1f}"] for one in costs
    ]
    show(table(heads, rows), "")
    heads = [f"{conversations} conversations in Chroma", "build, s", "search, ms", "memory, MB", "files", "on disk, MB"]
    kept = (
        (one.arrangement, one.build, one.search, one.memory, one.files, one.megabytes) for one in tenancy(conversations)
    )
    show(table(heads, [[f"{part:.1f}" if isinstance(part, float) else str(part) for part in one] for one in kept]))


def _steps(messages: int) -> Iterator[int]:
    while messages > 0:
        yield min(messages, _BATCH)
        messages -= _BATCH


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
    """Six words of a text; the most frequent ones are left out, as the search leaves out stop words."""
    return " ".join([word for word in text.split() if int(word.removeprefix(_WORD)) >= _STOP_WORDS][:6])


def _measure_tenancy(apart: bool, conversations: int, vectors: int) -> Tenancy:  # noqa: FBT001 - a pool passes by position
    import chromadb
    import numpy

    from memzoo.stores.indexes.chroma import ChromaIndex

    chance = numpy.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        client = chromadb.PersistentClient(folder)
        before, start = _peak(), time.perf_counter()
        together = ChromaIndex(client=client)
        indexes = [
            ChromaIndex(client=client, collection=f"chat-{n}") if apart else together for n in range(conversations)
        ]
        for number, index in enumerate(indexes):
            rows = chance.standard_normal((vectors, _DIMENSIONS)).astype("<f4")
            drive(index.add(f"{number}", "toy", {place: row.tobytes() for place, row in enumerate(rows, start=1)}))
        built = time.perf_counter() - start
        searches = [_time_search(index, f"{number}") for number, index in enumerate(indexes[:50])]
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        name = "a collection for each" if apart else "one collection, filtered"
        return Tenancy(name, built, 1000 * median(searches), _peak() - before, len(files), size)


def _time_search(index: "ChromaIndex", conversation_id: str) -> float:
    import numpy

    query = numpy.ones(_DIMENSIONS, "<f4").tobytes()
    start = time.perf_counter()
    drive(index.search(conversation_id, "toy", query, 5))
    return time.perf_counter() - start


def _peak() -> float:
    """The most memory so far, in MB; not a number where the system has no /proc."""
    # Not `getrusage`: what it tells of a child begins with what its parent took.
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), math.nan)


if __name__ == "__main__":
    app()
