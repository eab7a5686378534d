"""Runs memzoo's memories and all contenders on the conversations that ship, and writes docs/arena.md: `make arena`."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks import Settings
from memzoo.benchmarks.comparing import Comparison, compare
from memzoo.benchmarks.contenders.environments import install, weigh
from memzoo.benchmarks.contenders.known import Adapter, adapters
from memzoo.benchmarks.report.charts import recall_chart
from memzoo.benchmarks.report.tabulating import share
from memzoo.benchmarks.results import Row
from memzoo.benchmarks.variants import Variant, choose_variants, contender_variants
from memzoo.memories import STRATEGIES
from memzoo.memories.text.order import find_fault, make_request
from memzoo.types import Piece

__all__ = ["arena", "passed"]

_ROOT = Path(__file__).resolve().parents[2]
_BUDGETS = (300, 1000)
_SETS = {"sample:en": "English", "sample:zh": "Chinese", "sample:survival": "Ten talks with facts, and deletions"}
_MARK = "<!-- arena: {} -->"


@dataclass(frozen=True, slots=True)
class _Weight:
    megabytes: float
    packages: int

    def __str__(self) -> str:
        return f"{self.megabytes:,.0f} MB, {self.packages}"


def arena(
    out: Annotated[Path, typer.Argument(help="The page whose tables are written anew.")] = _ROOT / "docs/arena.md",
    *,
    only: Annotated[list[str] | None, typer.Option(help="A data set, such as sample:en; can be repeated.")] = None,
    work: Annotated[Path, typer.Option(help="A folder for finished work; a run continues there.")] = Path(
        "build/arena"
    ),
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
) -> None:
    """Write the tables and the curves of a page about memzoo's memories beside those of other libraries."""
    found, peers = adapters(), list[Variant]()
    memzoo = Adapter("memzoo", _ROOT, (str(_ROOT),), {}, "")
    for adapter in (memzoo, *found.values()):
        install(adapter, typer.echo)
        peers += contender_variants(adapter.name) if adapter.name in found else []
    weights = {name: _Weight(*weigh(one)) for name, one in {"memzoo": memzoo, **found}.items()}
    for name in only or _SETS:
        survival = name == "sample:survival"
        # Rules answer all alike, so memories taught by a large model are left out.
        settings = Settings(budgets=_BUDGETS, survival=survival, learnt=False, timer=time.process_time)
        variants = choose_variants([*STRATEGIES, "combined", *peers])
        place = work / name.partition(":")[2]
        comparison = compare(name, variants, settings, out=place, executor=jobs, progress=_tell(name))
        parts = [_table(comparison, budget, weights, survival=survival) for budget in _BUDGETS]
        if not survival:
            svg = out.with_name(f"arena-{name.partition(':')[2]}.svg")
            svg.write_text(recall_chart(comparison.results, alone=True), encoding="utf-8", newline="\n")
        text = _put(out.read_text(encoding="utf-8"), name, "\n\n".join(parts))
        better = "\n".join(_better(_SETS[name], comparison)) or f"- {_SETS[name]}: nowhere."
        out.write_text(_put(text, f"better {name}", better), encoding="utf-8", newline="\n")


def passed(row: Row, comparison: Comparison, budget: int) -> tuple[int, int]:
    """Return the number of views that are a request in the strictest order with their question, and of all views.

    A view of memzoo's is made into a request by `memory.request`, and counts as that; a contender's counts as it is.
    """
    right = of = 0
    for one in comparison.results.questions:
        scored = one.memories.get(row.memory.name, {}).get(budget)
        if scored is None or scored.shown is None:
            continue
        asked = [*({"role": role, "content": text} for role, text in scored.shown), _asked(one.question.text)]
        sent = make_request(list(map(Piece, asked))) if row.memory.strategy else asked
        right, of = right + (not find_fault(sent)), of + 1
    return right, of


def _asked(question: str) -> dict[str, str]:
    return {"role": "user", "content": question}


def _tell(name: str) -> Callable[[str, int], None]:
    seen = set[str]()

    def tell(memory: str, _steps: int) -> None:
        if memory not in seen:
            seen.add(memory)
            typer.echo(f"{time.strftime('%H:%M:%S')} {name}: {memory}", err=True)

    return tell


def _table(comparison: Comparison, budget: int, weights: dict[str, _Weight], *, survival: bool) -> str:
    heads = ["memory", "answers", "recall", "corrected", "stale"]
    if survival:
        heads = ["memory", "facts at the end", "must not be shown", "left after a deletion"]
    heads += ["sent", "paid", "calls", "upkeep tokens", "CPU ms", *([] if survival else ["strict"]), "weight"]
    rows: list[list[str]] = []
    for row in comparison.rows:
        if row.error:
            rows.append([_linked(row), f"failed: {row.error.splitlines()[0]}", *[""] * (len(heads) - 2)])
            continue
        figures = row.budgets[budget]
        bound = "≥ " if row.memory.floor else ""
        if survival:
            kept, deleted = figures.at_end(), [one for one in figures.unwanted if one.kind == "forgotten"]
            shown = sum(one.shown for one in figures.unwanted), sum(one.of for one in figures.unwanted)
            left = f"{sum(one.shown for one in deleted)} of {sum(one.of for one in deleted)}"
            cells = [f"{bound}{kept}", f"{shown[0]} of {shown[1]}", left]
        else:
            cells = [
                ("" if name == "stale" else bound) + share(row.figure(name, budget))
                for name in ("answers", "covered", "corrected", "stale")
            ]
        load, save = comparison.times[row.memory.name]
        spent = row.upkeep + row.embedding
        library = "memzoo" if row.memory.strategy else row.memory.name.partition("/")[0]
        cells += [
            f"{figures.sent:,.0f}",
            f"{figures.paid:,.0f}",
            f"{row.per_exchange(spent.calls):.2f}",
            f"{row.per_exchange(spent.tokens):,.0f}",
            "" if row.memory.baseline else f"{load + save:.1f}",
            *([] if survival else ["{} of {}".format(*passed(row, comparison, budget))]),
            str(weights.get(library, "")),
        ]
        rows.append([_linked(row), *cells])
    lines = [f"| {' | '.join(one)} |" for one in (heads, ["---", *["--:"] * (len(heads) - 1)], *rows)]
    return "\n".join([f"Within {budget:,} tokens:", "", *lines])


def _linked(row: Row) -> str:
    """Return the name of a memory, with a link to the page that recommends its options."""
    library, _, way = row.memory.name.partition("/")
    source = adapters()[library].ways[way].source if way else ""
    return f"[{row.memory.name}]({source})" if source else row.memory.name


def _better(title: str, comparison: Comparison) -> Iterable[str]:
    """Yield a line for each figure in which a contender is ahead of all memories of memzoo."""
    rows = [row for row in comparison.rows if not (row.error or row.memory.baseline)]
    names = {
        "answers": "answers",
        "covered": "recall",
        "corrected": "corrections shown",
        "survival": "facts kept",
    }
    for budget in _BUDGETS:
        for name, words in names.items():
            known = [(found.mean, row.memory.name) for row in rows if (found := row.figure(name, budget))]
            ours = max((one for one in known if "/" not in one[1]), default=(1.0, ""))
            theirs = max((one for one in known if "/" in one[1]), default=(0.0, ""))
            if theirs[0] > ours[0]:
                yield (
                    f"- {title}, {words} within {budget:,} tokens: {theirs[1]} {theirs[0]:.2f}, memzoo's best is "
                    f"{ours[1]} with {ours[0]:.2f}."
                )


def _put(text: str, name: str, part: str) -> str:
    """Return a page with the part between its marks replaced."""
    begin, end = _MARK.format(name), _MARK.format(f"end {name}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{part}\n\n{end}{rest.partition(end)[2]}"
