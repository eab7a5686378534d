"""What the first search over facts costs after opening: `python -m memzoo.benchmarks.research known-cost`.

Facts are read from a store on SQLite, made into a graph, cut into words and searched, as the first load of a process
does. Given is the CPU time of each part, the least of three runs, and of the next search beside it.
"""

import itertools
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from memzoo.benchmarks.recorded_states import learnt_of, log_of
from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.memories.graph.fact import Fact
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.search.unit_index import UnitIndex
from memzoo.memories.strategies.knowledge_graph import units_of_fact
from memzoo.stores import JSON, StoredState, open_store
from memzoo.sync import drive

__all__ = ["known_cost"]

_Got = TypeVar("_Got")
_RUNS = 3
_PARTS = ("rows", "graph", "words", "search")


def known_cost(facts: Annotated[str, typer.Option(help="How many facts there are.")] = "1000,10000") -> None:
    """Measure what the first search over facts costs after opening."""
    with refusals():
        rows: list[list[str]] = []
        for count in limits_of(facts):
            runs = _runs(_items(count))
            *parts, later = (min(run[part] for run in runs) for part in range(len(_PARTS) + 1))
            whole = sum(parts)
            shares = [f"{1_000 * part:,.1f} ({part / whole:.0%})" for part in parts]
            rows.append([f"{count:,}", *shares, f"{1_000 * whole:,.1f}", f"{1_000 * later:,.1f}"])
        heads = ["facts", *_PARTS, "all, ms of CPU", "next search"]
        show(table(heads, rows, "The first search over facts after opening, and its parts"))


def _items(count: int) -> dict[str, JSON]:
    """As many facts as are wanted: those of the bundled conversation, again and again about others."""
    learnt = learnt_of(sample_transcripts("en"))
    items: Mapping[str, Any] = learnt.memories["knowledge-graph"].items if learnt else {}
    known = [Fact.from_json(item) for item in items.values()]
    many = (replace(fact, subject=f"{fact.subject} {about}") for about in itertools.count(1) for fact in known)
    return {fact.key: fact.as_json() for fact in itertools.islice(many, count)}


def _runs(items: dict[str, JSON]) -> list[list[float]]:
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{Path(folder) / 'facts.db'}") as store:
        talk = next(iter(sample_transcripts("en")))
        drive(store.restore("facts", log_of(talk), {"graph": StoredState(1, items)}))
        return [_run(lambda: dict(drive(store.read_state("facts", "graph")).changes)) for _ in range(_RUNS)]


def _run(read: Callable[[], dict[str, JSON]]) -> list[float]:
    rows, items = _time_part(read)
    graph, _ = _time_part(lambda: KnowledgeGraph().apply(items, reset=True))
    index = UnitIndex()
    words, _ = _time_part(lambda: index.put({key: units_of_fact(key, item) for key, item in items.items()}))
    first, _ = _time_part(lambda: index.search("What does the lease cost?"))
    later, _ = _time_part(lambda: index.search("Who bakes the bread?"))
    return [rows, graph, words, first, later]


def _time_part(part: Callable[[], _Got]) -> tuple[float, _Got]:
    began = time.process_time()
    got = part()
    return time.process_time() - began, got
