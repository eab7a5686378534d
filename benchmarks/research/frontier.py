"""What each weight of the search is worth on several sets: `python -m memzoo.benchmarks.research.frontier`.

By words only. First the frontier: what a message pays for its length, by how much and from how many words on; then
each weight of the search by itself, from half to twice what is shipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.measure.statistics import difference
from memzoo.benchmarks.research.inputs import LOCOMO, REALMEM, conversations, limits_of, refusals
from memzoo.benchmarks.research.retrieval_paired import difference_shown, mean_shown
from memzoo.benchmarks.research.retrieval_picture import weight_curves
from memzoo.benchmarks.research.reweighing import Shares, reweigh
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.results import Interval
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories.search.weights import Weights

__all__ = ["AIMS", "FACTORS", "Verdict", "app", "costs", "frontier", "multiples", "verdicts"]

FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0)
"""What each weight is multiplied by."""

SHIPPED = "shipped"

AIMS: Mapping[tuple[str, int], Shares] = {
    ("locomo", 250): Shares(0.74, 0),
    ("locomo", 1_000): Shares(0.872, 0),
    ("locomo", 2_000): Shares(0.905, 0),
    ("realmem", 500): Shares(0.25, 0.53),
    ("realmem", 1_000): Shares(0.34, 0.65),
    ("realmem", 2_000): Shares(0.45, 0.77),
}
"""What is to be shown by words only, by set and budget; it was set before anything was measured."""

_WEIGHTS = ("own", "around", "segment", "speaker", "telling", "asking", "answering", "length", "talkative", "short")
# What a doubling costs, and the words from which on; every cost from a few lengths, the middle one from all.
_LENGTHS = (28, 36, 44, 48, 50, 53, 55, 57, 80)
_SOME_LENGTHS = (44, 53, 57)
_COSTS = (0.2, 0.4, 0.6)

Found = Mapping[tuple[str, int], Sequence[Shares]]
"""What was shown, by weights and budget."""

app = typer.Typer(help="What the weights of the search are worth.")


class Verdict(NamedTuple):
    """What a point of the frontier gains and loses.

    Attributes:
        name: The point.
        differences: By file: recall there, less that of the shipped point, question by question.
        worst: The most that it finds less, on any file at any budget, than `AIMS` has for that; on a file without aims,
            than the best point there.
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
    """Compare points with the shipped one at a budget, and with the aims at all; the least worst loss comes first."""
    judged = [
        Verdict(
            name,
            {file: _difference(some[name, budget], some[SHIPPED, budget]) for file, some in found.items()},
            max(loss for file, some in found.items() for loss in _losses(name, file, some)),
        )
        for name in dict.fromkeys(name for some in found.values() for name, _ in some)
    ]
    return sorted(judged, key=lambda one: one.worst)


def _losses(name: str, file: str, found: Found) -> Iterator[float]:
    """How much less a point finds on a file than is aimed at; without aims, than the best point finds."""
    limits = {limit for _, limit in found}
    aims = {limit: AIMS[file, limit] for limit in limits if (file, limit) in AIMS}
    for limit in aims or limits:
        aim = aims.get(limit) or Shares(max(_mean(some) for (_, at), some in found.items() if at == limit), 0)
        yield aim.whole - _mean(found[name, limit])
        yield aim.sessions - _mean_of_sessions(found[name, limit])


@app.command()
def frontier(
    files: Annotated[list[Path] | None, typer.Argument(help="Files of conversations with questions.")] = None,
    *,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "250,500,1000,2000",
    decide: Annotated[int, typer.Option(help="The budget that decides.", min=1)] = 1_000,
    pictures: Annotated[Path | None, typer.Option(help="Folder for an SVG of the weights for each file.")] = None,
) -> None:
    """Measure recall with other costs of length, and with each weight halved and doubled."""
    with refusals():
        limits = sorted({*limits_of(budgets), decide})
        talks = {_title(path): conversations(path) for path in files or [LOCOMO, REALMEM]}
        by_cost, by_weight = _measure_files(talks, limits, decide)
    judged = verdicts(by_cost, decide)
    show(
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


def _measure_files(
    talks: Mapping[str, Sequence[Transcript]], limits: Sequence[int], decide: int
) -> tuple[dict[str, Found], dict[str, dict[tuple[str, float], Sequence[Shares]]]]:
    """What was shown by file, with the points of the frontier and with each weight multiplied."""
    counter, singles = named_counter("o200k_base"), multiples()
    by_cost: dict[str, Found] = {}
    by_weight: dict[str, dict[tuple[str, float], Sequence[Shares]]] = {}
    for name, transcripts in talks.items():
        by_cost[name] = reweigh(transcripts, costs(), limits, counter)
        named = {f"{weight} {factor}": weights for (weight, factor), weights in singles.items()}
        found = reweigh(transcripts, named, [decide], counter)
        by_weight[name] = {key: found[f"{key[0]} {key[1]}", decide] for key in singles}
    return by_cost, by_weight


def _title(path: Path) -> str:
    """The folder's name for a file such as "locomo/dev.json", else its own."""
    return path.resolve().parent.name if path.stem in ("dev", "train") else path.stem


def _times(weights: Weights, name: str, factor: float) -> Weights:
    value: Any = getattr(weights, name)
    multiplied: Any = round(value * factor) if isinstance(value, int) else value * factor
    return replace(weights, **{name: multiplied})


def _mean(shares: Sequence[Shares]) -> float:
    return sum(one.whole for one in shares) / len(shares)


def _mean_of_sessions(shares: Sequence[Shares]) -> float:
    return sum(one.sessions for one in shares) / len(shares)


def _difference(some: Sequence[Shares], others: Sequence[Shares]) -> Interval:
    pair = ({place: one.whole for place, one in enumerate(shares)} for shares in (some, others))
    found = difference(*pair)
    assert found is not None  # noqa: S101 - there are questions
    return found


def _points_table(name: str, found: Found, limits: Sequence[int]) -> str:
    points = dict.fromkeys(point for point, _ in found)
    rows = [[point, *(_write_shares(found[point, limit]) for limit in limits)] for point in points]
    heads = ["cost of a doubling", *(f"{limit:,} tokens" for limit in limits)]
    return table(heads, rows, f"{name}: evidence shown whole / sessions of it")


def _write_shares(shares: Sequence[Shares]) -> str:
    return f"{mean_shown([one.whole for one in shares])} / {_mean_of_sessions(shares):.3f}"


def _verdict_table(judged: Sequence[Verdict], decide: int) -> str:
    rows = [
        [one.name, *(difference_shown(apart) for apart in one.differences.values()), f"{one.worst:.3f}"]
        for one in judged
    ]
    title = f"Recall less the shipped point's, question by question, at {decide:,} tokens; the worst loss of the aims"
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
