"""Runs memzoo's memories and all contenders on the bundled conversations: `make arena`.

The tables are in docs/arena.md.
"""

import itertools
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import Annotated

import typer

from memzoo.benchmarks import Settings
from memzoo.benchmarks.comparing import Comparison, compare
from memzoo.benchmarks.contenders.environments import install, weigh
from memzoo.benchmarks.contenders.known import Adapter, adapters
from memzoo.benchmarks.outcomes import Survived
from memzoo.benchmarks.report.charts import recall_chart
from memzoo.benchmarks.report.tabulating import share
from memzoo.benchmarks.results import Row, total
from memzoo.benchmarks.variants import choose_variants, contender_variants, parse_variant
from memzoo.memories import STRATEGIES
from memzoo.memories.text.order import find_fault, make_request
from memzoo.types import Piece

_ROOT = Path(__file__).resolve().parents[2]
_SETS = {
    "sample:en": ("English", (300, 1000, 2000)),
    "sample:zh": ("Chinese", (300, 1000, 2000)),
    "sample:survival": ("Ten talks with facts, and deletions", (300, 1000)),  # a talk has some 1,300 tokens
}
# Ways that do the same as a memory of memzoo's with another name.
_ALIKE = {
    "bm25s/exchanges": "vector-retriever",
    "byheart/memory": "vector-retriever",
    "langchain/summarization-middleware": "summary-buffer",
    "langchain/summarization-middleware-20": "summary-buffer",
    "llama-index/chat-memory-buffer": "buffer",
    "llama-index/chat-summary-memory-buffer": "summary-buffer",
    "openai-agents/sqlite-session": "buffer",
}
_MARK = "<!-- arena: {} -->"
_SURE = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class _Weight:
    megabytes: float
    packages: int

    def __str__(self) -> str:
        return f"{self.megabytes:,.0f} MB, {self.packages}" if self.megabytes >= 1 else f"<1 MB, {self.packages}"


def arena(
    out: Annotated[Path, typer.Argument(help="The page whose tables are written anew.")] = _ROOT / "docs/arena.md",
    *,
    only: Annotated[list[str] | None, typer.Option(help="A data set, such as sample:en; can be repeated.")] = None,
    row: Annotated[
        list[str] | None, typer.Option(help="Print rows such as 'bm25s/*', and leave the page; can be repeated.")
    ] = None,
    work: Annotated[Path, typer.Option(help="A folder for finished work; a run continues there.")] = Path(
        "build/arena"
    ),
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
) -> None:
    """Write the tables and curves that compare memzoo's memories with those of other libraries."""
    found, memzoo = adapters(), Adapter("memzoo", _ROOT, (str(_ROOT),), {}, "")
    every = [
        *map(parse_variant, (*STRATEGIES, "combined")),
        *(one for name in found for one in contender_variants(name)),
    ]
    chosen = [one for one in every if any(fnmatch(one.name, name) for name in row or "*")]
    if not chosen:
        raise typer.BadParameter(f"there is no row {row}; there are {', '.join(one.name for one in every)}")
    weights: dict[str, _Weight] = {}
    for adapter in {
        one.contender.name if one.contender else "memzoo": one.contender or memzoo for one in chosen
    }.values():
        install(adapter, typer.echo)
        weights[adapter.name] = _Weight(*weigh(adapter))
    if not row:
        lighter = [f"{name} {one}" for name, one in weights.items() if one.megabytes < weights["memzoo"].megabytes]
        line = f"- Installed, in megabytes and packages: {'; '.join(lighter)}; memzoo {weights['memzoo']}."
        text = _put(out.read_text(encoding="utf-8"), "better weight", line)
        pinned = dict.fromkeys(need.replace("==", " ") for one in found.values() for need in one.requires)
        line = (
            f"- Measured: {', '.join(pinned)}, and memzoo {version('memzoo')}, on Python {platform.python_version()}."
        )
        out.write_text(_put(text, "versions", line), encoding="utf-8", newline="\n")
    for name in only or _SETS:
        title, budgets = _SETS[name]
        short = name.partition(":")[2]
        # Rules answer all alike, so memories taught by a large model are left out.
        settings = Settings(budgets=budgets, survival=short == "survival", learnt=False, timer=time.process_time)
        place = None if row else work / short
        comparison = compare(name, choose_variants(chosen), settings, out=place, executor=jobs, progress=_tell(name))
        table = "\n\n".join(_table(comparison, budget, weights) for budget in budgets)
        if row:
            typer.echo(f"{title}\n\n{table}\n")
            continue
        chart = out.with_name(f"arena-{short}.svg")
        chart.write_text(recall_chart(comparison.results, alone=True), encoding="utf-8", newline="\n")
        text = _put(out.read_text(encoding="utf-8"), name, table)
        better = "\n".join(_better(title, comparison)) or f"- {title}: nowhere."
        out.write_text(_put(text, f"better {name}", better), encoding="utf-8", newline="\n")


def counted(found: Survived | None) -> str:
    """Return a count as text, such as "3 of 10", with its 95% interval.

    Example:
        >>> counted(Survived(kind="fact", shown=0, of=10)), counted(None)
        ('0 of 10 (.00-.28)', '')
    """
    if not found:
        return ""
    mean, spread = found.shown / found.of, _SURE**2 / found.of
    middle, half = mean + spread / 2, (spread * (mean * (1 - mean) + spread / 4)) ** 0.5
    low, high = (f"{max((middle + end) / (1 + spread), 0):.2f}".removeprefix("0") for end in (-half, half))
    return f"{found} ({low}-{high})"


def passed(row: Row, comparison: Comparison, budget: int) -> str:
    """Count the requests of a memory that all endpoints accept, and return a text such as "5 of 8".

    A request is a view, followed by the question. Requests of memzoo's memories are built as in `memory.request`.
    """
    right = of = 0
    for one in comparison.results.questions:
        scored = one.memories.get(row.memory.name, {}).get(budget)
        if scored is None or scored.shown is None:
            continue
        asked = [*({"role": role, "content": text} for role, text in scored.shown), _asked(one.question.text)]
        sent = make_request(list(map(Piece, asked))) if row.memory.strategy else asked
        right, of = right + (not find_fault(sent)), of + 1
    return f"{right} of {of}" if of else ""


def _asked(question: str) -> dict[str, str]:
    return {"role": "user", "content": question}


def _tell(name: str) -> Callable[[str, int], None]:
    seen = set[str]()

    def tell(memory: str, _steps: int) -> None:
        if memory not in seen:
            seen.add(memory)
            typer.echo(f"{time.strftime('%H:%M:%S')} {name}: {memory}", err=True)

    return tell


def _table(comparison: Comparison, budget: int, weights: dict[str, _Weight]) -> str:
    rows = [(row, {} if row.error else _cells(row, comparison, budget, weights)) for row in comparison.rows]
    heads = list(next(cells for _, cells in rows if cells))
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)]]
    for row, cells in rows:
        reason = row.error.partition("\n")[0]
        lines.append(list(cells.values()) or [_linked(row), f"failed: {reason}", *[""] * (len(heads) - 2)])
    return "\n".join([f"Within {budget:,} tokens:", "", *(f"| {' | '.join(cells)} |" for cells in lines)])


def _cells(row: Row, comparison: Comparison, budget: int, weights: dict[str, _Weight]) -> dict[str, str]:
    """Return the cells of a row, by their columns."""
    figures, bound = row.budgets[budget], "≥ " if row.memory.floor else ""
    load, save = comparison.times[row.memory.name]
    spent = figures.upkeep + figures.embedding
    if comparison.results.run.survival:
        cells = {
            "facts at the end": bound + counted(figures.at_end()),
            "must not be shown": counted(total(figures.unwanted)),
            "left after a deletion": counted(total([one for one in figures.unwanted if one.kind == "forgotten"])),
        }
    else:
        cells = {
            "answers": bound + share(figures.answers),
            "recall": bound + share(figures.covered),
            "corrected": bound + share(figures.corrected),
            "stale": share(figures.stale),
            "strict": passed(row, comparison, budget),
        }
    library, _, way = row.memory.name.partition("/")
    cells |= {
        "sent": f"{figures.sent:,.0f}",
        "paid": f"{figures.paid:,.0f}",
        "calls": f"{row.per_exchange(spent.calls):.2f}",
        "upkeep tokens": f"{row.per_exchange(spent.tokens):,.0f}",
        "CPU ms": "" if row.memory.baseline else f"{load + save:.1f}",
        "weight": "" if row.memory.baseline else str(weights[library if way else "memzoo"]),
    }
    remarks = adapters()[library].ways[way].remarks if way else {}
    noted = {title: f"{cell} [note]({remarks[title]})" if title in remarks else cell for title, cell in cells.items()}
    return {"memory": _linked(row), **noted}


def _linked(row: Row) -> str:
    """Return the name of a memory, with a link to the page that recommends its options."""
    library, _, way = row.memory.name.partition("/")
    source = adapters()[library].ways[way].source if way else ""
    return f"[{row.memory.name}]({source})" if source else row.memory.name


def _better(title: str, comparison: Comparison) -> Iterator[str]:
    """Yield a line for each figure in which a contender beats all of memzoo's memories, or the one of its kind."""
    rows = {row.memory.name: row for row in comparison.rows if not (row.error or row.memory.baseline)}
    budgets, shown = comparison.results.run.budgets, "survival" if comparison.results.run.survival else "answers"
    names = {"answers": "answers", "covered": "recall", "corrected": "corrections shown", "survival": "facts kept"}
    for budget in budgets:
        for name, words in names.items():
            known = [(found.mean, one) for one, row in rows.items() if (found := row.figure(name, budget))]
            ours = max((one for one in known if "/" not in one[1]), default=(1.0, ""))
            theirs = max((one for one in known if "/" in one[1]), default=(0.0, ""))
            if theirs[0] > ours[0]:
                yield (
                    f"- {title}, {words} within {budget:,} tokens: {theirs[1]} {theirs[0]:.2f}, memzoo's best is "
                    f"{ours[1]} with {ours[0]:.2f}."
                )
    prices = sorted(
        (row.budgets[budget].paid or 0.0, -found.mean, name)
        for name, row in rows.items()
        for budget in budgets
        if (found := row.figure(shown, budget)) and found.mean
    )
    # In this order, a point is ahead if it shows more than all before it, which cost no more.
    ahead = [one for place, one in enumerate(prices) if all(one[1] < other[1] for other in prices[:place])]
    words = "facts" if shown == "survival" else "answers"
    if cheap := ", ".join(f"{name} {-mean:.2f} for {paid:,.0f}" for paid, mean, name in ahead if "/" in name):
        yield f"- {title}, {words} for paid tokens (no other memory shows as much for as few): {cheap}."
    tokens = {name: row.per_exchange((row.upkeep + row.embedding).tokens) for name, row in rows.items()}
    times = {name: sum(comparison.times[name]) for name in rows}
    alike = {name: own for name in rows if (own := _ALIKE.get(name, name.partition("/")[2])) in rows}
    for words, spent, digits in (("upkeep tokens", tokens, 0), ("CPU ms", times, 1)):
        texts = {name: f"{spent[name]:,.{digits}f}" for name in rows}
        less = [name for name, own in alike.items() if spent[name] < spent[own] and texts[name] != texts[own]]
        if less:
            kinds = "; ".join(
                f"{', '.join(f'{name} {texts[name]}' for name in names)}, memzoo's {own} {texts[own]}"
                for own, names in itertools.groupby(sorted(less, key=alike.__getitem__), alike.__getitem__)
            )
            yield f"- {title}, {words} for an exchange: {kinds}."


def _put(text: str, name: str, part: str) -> str:
    """Return a page's text, with `part` between the two marks called `name`, in place of the old part."""
    begin, end = _MARK.format(name), _MARK.format(f"end {name}")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{part}\n\n{end}{rest.partition(end)[2]}"
