"""What each weight of the search is worth on several sets: `python -m memzoo.benchmarks.research.frontier`.

By words only. First the frontier: what a message pays for its length, by how much and from how many words on; then
each weight of the search by itself, from half to twice what is shipped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.measure.statistics import difference
from memzoo.benchmarks.research.retrieval import LOCOMO, REALMEM, limits_of
from memzoo.benchmarks.research.retrieval_paired import difference_shown, mean_shown
from memzoo.benchmarks.research.retrieval_picture import weight_curves
from memzoo.benchmarks.research.reweighing import Shares, reweighed
from memzoo.benchmarks.research.tables import print_plainly, table
from memzoo.benchmarks.results import Interval
from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.memories.search.weights import Weights
from memzoo.stores.errors import MemoryZooError, OptionError

__all__ = ["FACTORS", "Verdict", "app", "costs", "frontier", "multiples", "verdicts"]

FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0)
"""What each weight is multiplied by."""

SHIPPED = "shipped"

_WEIGHTS = ("own", "around", "segment", "speaker", "telling", "asking", "answering", "length", "talkative", "short")
# What a doubling costs, and the words from which on; every cost from a few lengths, the middle one from all.
_LENGTHS = (28, 36, 40, 44, 48, 52, 57, 80)
_SOME_LENGTHS = (40, 48, 57)
_COSTS = (0.2, 0.4, 0.6)

Found = Mapping[tuple[str, int], Sequence[Shares]]
"""What was shown, by weights and budget."""

app = typer.Typer(help="What the weights of the search are worth.")


class Verdict(NamedTuple):
    """What a point of the frontier gains and loses.

    Attributes:
        name: The point.
        differences: By file: recall there, less that of the shipped point, question by question.
        worst: The most that it finds less, on any file at any budget, than the best point there.
    """

    name: str
    differences: Mapping[str, Interval]
    worst: float


def costs() -> dict[str, Weights]:
    """The points of the frontier by name; what a speaker's mean length costs is half of what a message's does."""
    shipped = Weights()
    points = {SHIPPED: shipped, "nothing": replace(shipped, length=0, talkative=0)}
    for cost in _COSTS:
        for short in _LENGTHS if cost == shipped.length else _SOME_LENGTHS:
            points[f"{cost:g} from {short} words"] = replace(shipped, length=cost, talkative=cost / 2, short=short)
    return {name: point for name, point in points.items() if name == SHIPPED or point != shipped}


def multiples() -> dict[tuple[str, float], Weights]:
    """The shipped weights with one of them multiplied, by its name and the factor."""
    shipped = Weights()
    return {(name, factor): _times(shipped, name, factor) for name in _WEIGHTS for factor in FACTORS if factor != 1}


def verdicts(found: Mapping[str, Found], budget: int) -> list[Verdict]:
    """Compare points with the shipped one at a budget, and with the best at all; the least worst loss comes first."""
    means = {
        file: {at: {name: _mean(some[name, at]) for name, size in some if size == at} for _, at in some}
        for file, some in found.items()
    }
    tables = [by_point for by_budget in means.values() for by_point in by_budget.values()]
    judged = [
        Verdict(
            name,
            {file: _difference(some[name, budget], some[SHIPPED, budget]) for file, some in found.items()},
            max(max(by_point.values()) - by_point[name] for by_point in tables),
        )
        for name in tables[0]
    ]
    return sorted(judged, key=lambda one: one.worst)


@app.command()
def frontier(
    files: Annotated[list[Path] | None, typer.Argument(help="Files of conversations with questions.")] = None,
    *,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "250,500,1000,2000",
    decide: Annotated[int, typer.Option(help="The budget that decides.", min=1)] = 1_000,
    pictures: Annotated[Path | None, typer.Option(help="Folder for an SVG of the weights for each file.")] = None,
) -> None:
    """Measure recall with other costs of length, and with each weight halved and doubled."""
    console = Console(width=170)
    try:
        limits = sorted({*limits_of(budgets), decide})
        names = {_title(path): path for path in _existing(files or [LOCOMO, REALMEM])}
        by_cost, by_weight = _measured(names, limits, decide)
    except MemoryZooError as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(1) from error
    judged = verdicts(by_cost, decide)
    print_plainly(
        console,
        *(_points_table(name, some, limits) for name, some in by_cost.items()),
        _verdict_table(judged, decide),
        f"The smallest worst loss: {judged[0].name}. "
        f"{SHIPPED.capitalize()}: {Weights().length:g} from {Weights().short} words.",
        *(_weights_table(name, some, by_cost[name][SHIPPED, decide], decide) for name, some in by_weight.items()),
    )
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
        for name, some in by_weight.items():
            drawn = _picture(name, some, by_cost[name][SHIPPED, decide], decide)
            (pictures / f"weights-{name}.svg").write_text(drawn, encoding="utf-8", newline="\n")


def _measured(
    files: Mapping[str, Path], limits: Sequence[int], decide: int
) -> tuple[dict[str, Found], dict[str, dict[tuple[str, float], Sequence[Shares]]]]:
    """What was shown by file, with the points of the frontier and with each weight multiplied."""
    counter, singles = named_counter("o200k_base"), multiples()
    by_cost: dict[str, Found] = {}
    by_weight: dict[str, dict[tuple[str, float], Sequence[Shares]]] = {}
    for name, path in files.items():
        transcripts = load_transcripts(path)
        by_cost[name] = reweighed(transcripts, costs(), limits, counter)
        named = {f"{weight} {factor}": weights for (weight, factor), weights in singles.items()}
        found = reweighed(transcripts, named, [decide], counter)
        by_weight[name] = {key: found[f"{key[0]} {key[1]}", decide] for key in singles}
    return by_cost, by_weight


def _existing(files: Sequence[Path]) -> Sequence[Path]:
    for path in files:
        if not path.exists():
            raise OptionError(f"there is no {path}: no conversation to measure on")
    return files


def _title(path: Path) -> str:
    """The folder's name for a file such as "locomo/dev.json", else its own."""
    return path.resolve().parent.name if path.stem in ("dev", "train") else path.stem


def _times(weights: Weights, name: str, factor: float) -> Weights:
    value: Any = getattr(weights, name)
    multiplied: Any = round(value * factor) if isinstance(value, int) else value * factor
    return replace(weights, **{name: multiplied})


def _mean(shares: Sequence[Shares]) -> float:
    return sum(one.whole for one in shares) / len(shares)


def _difference(some: Sequence[Shares], others: Sequence[Shares]) -> Interval:
    pair = ({place: one.whole for place, one in enumerate(shares)} for shares in (some, others))
    found = difference(*pair)
    assert found is not None  # noqa: S101 - there are questions
    return found


def _points_table(name: str, found: Found, limits: Sequence[int]) -> str:
    points = dict.fromkeys(point for point, _ in found)
    rows = [[point, *(_shown(found[point, limit]) for limit in limits)] for point in points]
    heads = ["cost of a doubling", *(f"{limit:,} tokens" for limit in limits)]
    return table(heads, rows, f"{name}: evidence shown whole / sessions of it")


def _shown(shares: Sequence[Shares]) -> str:
    sessions = sum(one.sessions for one in shares) / len(shares)
    return f"{mean_shown([one.whole for one in shares])} / {sessions:.3f}"


def _verdict_table(judged: Sequence[Verdict], decide: int) -> str:
    rows = [
        [one.name, *(difference_shown(apart) for apart in one.differences.values()), f"{one.worst:.3f}"]
        for one in judged
    ]
    title = (
        f"Recall less that of the shipped point, question by question, at {decide:,} tokens; the worst loss anywhere"
    )
    return table(["cost of a doubling", *judged[0].differences, "worst loss"], rows, title)


def _weights_table(
    name: str, found: Mapping[tuple[str, float], Sequence[Shares]], shipped: Sequence[Shares], decide: int
) -> str:
    others = [factor for factor in FACTORS if factor != 1]
    rows = [
        [weight, *(difference_shown(_difference(found[weight, factor], shipped)) for factor in others)]
        for weight in _WEIGHTS
    ]
    title = f"{name}: recall with one weight multiplied, less {_mean(shipped):.3f}, at {decide:,} tokens"
    return table(["weight", *(f"x {factor:g}" for factor in others)], rows, title)


def _picture(
    name: str, found: Mapping[tuple[str, float], Sequence[Shares]], shipped: Sequence[Shares], decide: int
) -> str:
    middle = _mean(shipped)
    recalls = {
        weight: {factor: middle if factor == 1 else _mean(found[weight, factor]) for factor in FACTORS}
        for weight in _WEIGHTS
    }
    return weight_curves(recalls, f"Recall on {name} when one weight changes", f"words only, {decide:,} tokens")


if __name__ == "__main__":
    app()
