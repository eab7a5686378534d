"""Compares memzoo's speed with other libraries: `make speed`, or `python -m memzoo.benchmarks.research speed`."""

import platform
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.research import speed_memzoo as ours
from memzoo.benchmarks.research import speed_peers as peers
from memzoo.benchmarks.research.speed_talk import FREQUENT, RARE
from memzoo.benchmarks.research.speed_timing import Maker, Place, Prepare, medians
from memzoo.benchmarks.research.tables import show, table

MEMZOO, LANGCHAIN, LLAMA, SESSION = "memzoo", "langchain-classic", "llama-index-core", "openai-agents"

_MILLISECOND, _SECOND = 1e-3, 1.0
_MANY = 10_000
_FEW = 3
"""The number of calls in a sample whose calls add messages; a low number, so that the conversation hardly grows."""

_UNITS = (
    "CPU time of one call (all threads of the process), median of {samples} samples; the libraries take turns. "
    "A ratio is memzoo's time divided by the other library's: below 1, memzoo is faster."
)


@dataclass(frozen=True)
class Row:
    """One line of the table: work to measure in several libraries.

    Attributes:
        name: The name for the command line.
        title: A description of the measured work.
        target: The most that memzoo may take, in CPU seconds or model calls.
        makers: A dict from library to a function that sets up the work to be timed.
        most: The maximum number of calls in one sample.
        counts: For a row of counts instead of times, a dict from library to a function that counts model calls.
    """

    name: str
    title: str
    target: float
    makers: Mapping[str, Maker] = field(default_factory=dict[str, Maker])
    most: int = 1_000
    counts: Mapping[str, Callable[[Place], int]] = field(default_factory=dict[str, Callable[[Place], int]])


def _buffer(count: int, target: float, turn_target: float) -> list[Row]:
    turns = {
        MEMZOO: ours.buffer_turn(count),
        LANGCHAIN: peers.langchain_buffer(count, "load", "save"),
        LLAMA: peers.llama_buffer(count, "load", "save"),
    }
    loads = {
        MEMZOO: ours.buffer_load(count),
        LANGCHAIN: peers.langchain_buffer(count, "load"),
        LLAMA: peers.llama_buffer(count, "load"),
    }
    return [
        Row(f"buffer-load-{count}", f"buffer, load as text, {count:,} exchanges", target, loads),
        Row(f"buffer-turn-{count}", f"buffer, save + load by turns, {count:,} exchanges", turn_target, turns, _FEW),
    ]


def _token_buffer(limit: int, target: float) -> list[Row]:
    loads = {
        MEMZOO: ours.token_buffer_load(limit),
        LANGCHAIN: peers.langchain_token_buffer(limit, "load"),
        LLAMA: peers.llama_token_buffer(limit, "load"),
    }
    saves = {MEMZOO: ours.token_buffer_save(limit), LANGCHAIN: peers.langchain_token_buffer(limit, "save")}
    return [
        Row(f"token-buffer-load-{limit}", f"token-buffer, load, limit {limit:,}", target, loads),
        Row(f"token-buffer-save-{limit}", f"token-buffer, save, limit {limit:,}", 100e-6, saves, _FEW),
    ]


ROWS = [
    *_buffer(1_000, 100e-6, 150e-6),
    *_buffer(10_000, 1e-3, 1.5e-3),
    Row(
        "save",
        "save, in memory",
        10e-6,
        {
            MEMZOO: ours.buffer_save,
            LANGCHAIN: peers.langchain_buffer(0, "save"),
            LLAMA: peers.llama_buffer(0, "save"),
        },
    ),
    Row(
        "window-load",
        "window `k=5`, load, after 10,000 exchanges",
        9e-6,
        {MEMZOO: ours.window_load(_MANY), LANGCHAIN: peers.langchain_window(_MANY, "load")},
    ),
    Row(
        "window-load-sqlite",
        "window over SQLite, load, the same (openai-agents: the last 20 messages)",
        100e-6,
        {
            MEMZOO: ours.window_load_sqlite(_MANY),
            LANGCHAIN: peers.langchain_window(_MANY, "load", sqlite=True),
            SESSION: peers.sessions(_MANY, "load"),
        },
    ),
    Row(
        "save-sqlite",
        "save over SQLite, after 10,000 exchanges",
        150e-6,
        {
            MEMZOO: ours.window_save_sqlite(_MANY),
            LANGCHAIN: peers.langchain_window(_MANY, "save", sqlite=True),
            SESSION: peers.sessions(_MANY, "save"),
        },
        100,
    ),
    *_token_buffer(2_000, 30e-6),
    *_token_buffer(100_000, 1e-3),
    Row(
        "opened-token-buffer",
        "10,000 stored messages opened with a 2,000 token limit, first load",
        10e-3,
        {MEMZOO: ours.token_buffer_open},
        1,
    ),
    Row(
        "retriever-rare",
        "retriever, 10,000 messages, load, warm, rare words",
        4e-3,
        {MEMZOO: ours.retriever_load(RARE), LANGCHAIN: peers.langchain_retriever(RARE)},
    ),
    Row(
        "retriever-frequent",
        "retriever, 10,000 messages, load, warm, frequent words",
        15e-3,
        {MEMZOO: ours.retriever_load(FREQUENT), LANGCHAIN: peers.langchain_retriever(FREQUENT)},
    ),
    Row(
        "opened-retriever",
        "retriever, first load after opening 10,000 messages on SQLite",
        50e-3,
        {MEMZOO: ours.retriever_open(RARE)},
        1,
    ),
    Row(
        "model-calls",
        "summary-buffer, model calls in 40 exchanges of 100 tokens, `max_token_limit=2000` already full",
        5,
        counts={MEMZOO: ours.model_calls, LANGCHAIN: peers.langchain_model_calls},
    ),
]


@dataclass(frozen=True)
class Figures:
    """The figures of one row.

    Attributes:
        values: A dict from library to the CPU seconds of one call, or to the number of model calls.
    """

    row: Row
    values: Mapping[str, float]

    def write_value(self, value: float) -> str:
        """Return a library's figure as text, with its unit."""
        if self.row.counts:
            return f"{value:.0f}"
        if value >= _SECOND:
            return f"{value:.1f} s"
        return f"{1e3 * value:.3g} ms" if value >= _MILLISECOND else f"{1e6 * value:.3g} us"


def speed(
    *,
    row: Annotated[list[str] | None, typer.Option(help="Only rows of this name (`buffer-*` for several).")] = None,
    samples: Annotated[int, typer.Option(help="Samples of each library in each row.", min=1)] = 21,
) -> None:
    """Print memzoo's CPU times beside those of other libraries that do the same work."""
    wanted = [one for one in ROWS if not row or any(fnmatch(one.name, pattern) for pattern in row)]
    if not wanted:
        raise typer.BadParameter(f"no row matches; there are {', '.join(one.name for one in ROWS)}")
    found: list[Figures] = []
    for asked in wanted:
        typer.echo(asked.name, err=True)
        found.append(measure_row(asked, samples))
    libraries = list(dict.fromkeys(name for one in found for name in one.values if name != MEMZOO))
    heads = ["work", MEMZOO, *(title for name in libraries for title in (name, "ratio")), "target"]
    rows: list[list[str]] = []
    for one in found:
        figure = one.values[MEMZOO]
        beside = [
            cell
            for other in map(one.values.get, libraries)
            for cell in (("", "") if other is None else (one.write_value(other), f"{figure / other:.2g}"))
        ]
        rows.append([one.row.title, one.write_value(figure), *beside, one.write_value(one.row.target)])
    named = ", ".join(f"{name} {version(name)}" for name in (MEMZOO, *libraries))
    about = f"{named}; Python {platform.python_version()}, {platform.system()} {platform.machine()}."
    show(about, _UNITS.format(samples=samples), table(heads, rows))


def measure_row(row: Row, samples: int) -> Figures:
    """Return the figures of one row. Libraries that are not installed are left out."""
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        with place.stack:
            works: dict[str, Prepare] = {}
            for library, make in row.makers.items():
                with suppress(ModuleNotFoundError):
                    works[library] = make(place)
            for library, count in row.counts.items():
                with suppress(ModuleNotFoundError):
                    values[library] = count(place)
            if works:
                values |= medians(works, samples, row.most)
    return Figures(row, values)
