"""Who waits for whom in a large SQLite file: `python -m memzoo.benchmarks.research store-waits`."""

import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from memzoo.benchmarks.research.retrieval_cost import talk
from memzoo.benchmarks.research.tables import show, table
from memzoo.hosts.migrate.chat_log import ChatLog
from memzoo.hosts.migrate.importing import import_logs
from memzoo.memories import BaseMemory, create_memory
from memzoo.stores import Entries, Message, Record, SQLStore
from memzoo.sync import drive

__all__ = ["store_waits"]

_ALONE = 200
_WINDOWS: tuple[tuple[str, dict[str, int]], ...] = (
    ("window", {"k": 5}),
    ("window", {"k": 5, "step": 5}),
    ("message-window", {"max_messages": 20}),
    ("message-window", {"max_messages": 20, "step": 26}),
    ("token-window", {"max_tokens": 1500}),
    ("token-window", {"max_tokens": 1500, "step": 1000}),
)
_SYSTEM: Message = {"role": "system", "content": "You are a bookshop's clerk."}


class CountingStore(SQLStore):
    """Counts the messages that are read.

    Attributes:
        rows: How many, so far.
    """

    rows = 0

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        self.rows += len(found)
        return found


def store_waits(
    *,
    conversations: Annotated[int, typer.Option(help="Conversations of 100 messages in the file.", min=1)] = 5_000,
    lengths: Annotated[str, typer.Option(help="Messages of a conversation that is opened.")] = "1000,10000,100000",
) -> None:
    """Measure saves while another conversation is forgotten, and what opening a long conversation reads."""
    with tempfile.TemporaryDirectory() as folder:
        _show_forgetting(f"sqlite:///{folder}/large.db", conversations)
        _show_opening(f"sqlite:///{folder}/long.db", [int(length) for length in lengths.split(",")])


def _show_forgetting(url: str, conversations: int) -> None:
    said = talk()
    with closing(SQLStore(f"{url}?synchronous=normal")) as store:
        for number in range(conversations):
            records = [Record(one) for exchange in itertools.islice(said, 50) for one in exchange]
            drive(store.append(f"c-{number}", records, turn_id="1"))
    rows: list[list[str]] = []
    with closing(SQLStore(url)) as store:
        ways: list[tuple[str, str, list[int] | None, bool]] = [
            ("forget a conversation", "c-1", None, False),
            ("forget a message", "c-2", [3], False),
            ("forget, thorough=True", "c-3", None, True),
        ]
        for name, id_, ids, thorough in ways:
            with _save_meanwhile(url) as (alone, meanwhile, begin):
                before = time.perf_counter()
                begin()
                _make_memory(store, id_).forget(ids, thorough=thorough)
                seconds = time.perf_counter() - before
            longest, usual = max(meanwhile, default=0.0), median(alone)
            cells = f"{1000 * seconds:,.0f}", f"{1000 * usual:.1f}", f"{1000 * longest:,.1f}", f"{longest / usual:,.0f}"
            rows.append([name, *cells])
    size = Path(url.removeprefix("sqlite:///")).stat().st_size / 1e6
    heads = [f"SQLite, {size:,.0f} MB, ms", "it takes", "another's save, alone", "the longest one meanwhile", "ratio"]
    show(table(heads, rows), "")


@contextmanager
def _save_meanwhile(url: str) -> Generator[tuple[list[float], list[float], Callable[[], None]]]:
    """Save in another conversation all the time, over a store of its own, and take the seconds of each save.

    Those before `begin` was called come in the first list; those that were under way since then, in the second.
    """
    alone, meanwhile, warm, begun, over = list[float](), list[float](), *(threading.Event() for _ in range(3))

    def save() -> None:
        with closing(SQLStore(url)) as store:
            memory = create_memory("window", store=store, conversation_id="another")
            while not over.is_set():
                before = time.perf_counter()
                memory.save_context({"input": "Is it there?"}, {"output": "It is."})
                (meanwhile if begun.is_set() else alone).append(time.perf_counter() - before)
                if len(alone) == _ALONE:
                    warm.set()

    saver = threading.Thread(target=save)
    saver.start()
    warm.wait()
    try:
        yield alone, meanwhile, begun.set
    finally:
        over.set()
        saver.join()


def _show_opening(url: str, lengths: list[int]) -> None:
    rows: list[list[str]] = []
    with closing(CountingStore(f"{url}?synchronous=normal")) as store:
        for name, fill in (
            ("imported", _import),
            ("after forgetting a message", _forget),
            ("after appends past the memory, and a save", _append),
        ):
            opened = [_measure_opening(store, fill(store, length)) for length in lengths]
            rows.append([name, *(f"{read:,} ({1000 * seconds:.1f})" for read, seconds in opened)])
        show(table(["Opening a window: rows read (ms of CPU)", *(f"{length:,}" for length in lengths)], rows), "")
        _show_windows(store, lengths)


def _show_windows(store: CountingStore, lengths: list[int]) -> None:
    """Of each window, as it is by default and in steps, what a process reads that opens an imported conversation."""
    rows: list[list[str]] = []
    for name, options in _WINDOWS:
        opened = [_measure_opening(store, f"imported-{length}", name, **options) for length in lengths]
        given = ", ".join(f"{option}={value}" for option, value in options.items())
        rows.append([f"{name}: {given}", *(f"{read:,} ({1000 * seconds:.1f})" for read, seconds in opened)])
    show(table(["Opening: rows read (ms of CPU)", *(f"{length:,}" for length in lengths)], rows), "")


def _measure_opening(store: CountingStore, id_: str, name: str = "window", **options: Any) -> tuple[int, float]:
    store.rows, before = 0, time.process_time()
    _make_memory(store, id_, name, **options).load_memory_variables({})
    return store.rows, time.process_time() - before


def _make_memory(store: SQLStore, id_: str, name: str = "window", **options: Any) -> BaseMemory:
    options = options or {"k": 5}
    return create_memory(name, store=store, conversation_id=id_, **options)


def _make_messages(length: int) -> list[Message]:
    return [_SYSTEM, *itertools.islice(itertools.chain.from_iterable(talk()), length - 1)]


def _import(store: SQLStore, length: int) -> str:
    said_at = datetime(2026, 1, 1, tzinfo=UTC)
    import_logs(store, [ChatLog(f"imported-{length}", _make_messages(length), [said_at] * length)])
    return f"imported-{length}"


def _forget(store: SQLStore, length: int) -> str:
    _make_memory(store, f"imported-{length}").forget([length // 2])
    return f"imported-{length}"


def _append(store: SQLStore, length: int) -> str:
    id_ = f"appended-{length}"
    drive(store.append(id_, [Record(message) for message in _make_messages(length)], turn_id="1"))
    memory = _make_memory(store, id_)
    memory.load_memory_variables({})
    memory.save_context({"input": "Is it there?"}, {"output": "It is."})
    return id_
