"""Puts a comparison into words, by rules: cautious if intervals overlap, silent if nothing was measured."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from memzoo.benchmarks.results import UNREAD, Results, Row

__all__ = ["MEASURES", "measure_of", "verdict", "write_number"]

MEASURES = {
    "judged": "of the questions are answered rightly",
    "answers": "of the answers are shown",
    "covered": "of the evidence is shown",
}
"""The figures to compare, in words, the most telling first."""

_FEW = 30  # questions; below, each one moves a share by more than 3 points
_LITTLE = 0.2  # of what was asked for
_CLOSE = 0.05  # of what was corrected; less is not worth a sentence


def measure_of(rows: Sequence[Row], budget: int) -> str:
    """Choose the most telling figure that is known for at least half of the questions; "covered" if there is none."""
    for name in MEASURES:
        known = [(found.count, row.budgets[budget].questions) for row in rows if (found := row.figure(name, budget))]
        if any(2 * count >= questions for count, questions in known):
            return name
    return "covered"


def verdict(results: Results) -> Iterator[str]:
    """Say what to pick, in sentences."""
    rows = [row for row in results.competing if not row.memory.floor]
    budget = results.main_budget
    measure = measure_of(rows, budget)
    best = _best(results, rows, budget, measure)
    if best is None:
        said = [_without_figures(results)]
    else:
        finding = _describe_best(best, budget, measure)
        evidence = ["Evidence is what the answers rest on: the messages that say it."] if measure == "covered" else []
        said = [
            iter([finding, *evidence]),
            _compare(results, rows, best, budget),
            _cautions(rows, best, budget, measure),
        ]
        said += [_afford(rows, paid, measure) for paid in results.run.paid]
    yield from chain(*said, _say_drafted(results), _say_learnt(results), _floors(results), _failures(results))


def _best(results: Results, rows: Sequence[Row], budget: int, measure: str) -> Row | None:
    names = {pair.best for pair in results.pairs if pair.budget == budget}
    known = [row for row in rows if (found := row.figure(measure, budget)) and found.mean > 0]
    # Pairs name the best memory if there are several; otherwise there is only one.
    named = [row for row in known if row.memory.name in names]
    return next(iter(named or known), None)


def _without_figures(results: Results) -> Iterator[str]:
    if not results.talks.questions:
        yield (
            "There are no questions, so what each memory remembers was not measured; there are only tokens, calls and "
            "cost to compare. `memzoo questions FILE` drafts questions."
        )
    elif results.competing:
        yield "No memory that was measured showed anything of what the questions ask for."


def _describe_best(best: Row, budget: int, measure: str) -> str:
    found = best.figure(measure, budget)
    assert found is not None  # noqa: S101 - it was chosen for its figure
    return (
        f"With {write_number(budget, 'token')} of memory, {best.memory.name} comes first: {found.mean:.0%} "
        f"{MEASURES[measure]} ({found.low:.0%} to {found.high:.0%}, {write_number(found.count, 'question')})."
    )


def _compare(results: Results, rows: Sequence[Row], best: Row, budget: int) -> Iterator[str]:
    pairs = [pair for pair in results.pairs if pair.budget == budget]
    tied = {pair.other for pair in pairs if pair.tied}
    near = {pair.other for pair in pairs if not pair.distinguishable} - tied
    alike = [row for row in rows if row.memory.name in tied | near]
    cost = _costs(results, [best, *alike], budget)
    if not pairs:
        yield f"Nothing else was measured beside it.{cost}"
    elif not alike:
        yield f"Pick {best.memory.name}: it is ahead of every other memory {_say_where(results)}.{cost}"
    else:
        cheapest = min([best, *alike], key=lambda row: _price(row, budget))
        do = "does" if len(tied) == 1 else "do"
        said = [f"{_join_named(rows, tied)} {do} exactly as well: a tie."] if tied else []
        said += [f"{_join_named(rows, near)} may do as well: these questions are too few to tell."] if near else []
        yield (
            f"{' '.join(said)}{cost} Pick {cheapest.memory.name}, which "
            f"{'costs the least' if cheapest.costs else 'pays for the fewest tokens'} of these, or ask more questions."
        )


def _join_named(rows: Sequence[Row], names: Collection[str]) -> str:
    return _join([row.memory.name for row in rows if row.memory.name in names])


def _afford(rows: Sequence[Row], paid: int, measure: str) -> Iterator[str]:
    """Say which memory shows the most for a price, at any budget of tokens."""
    points = [(row, budget, at.paid) for row in rows for budget, at in row.budgets.items() if at.paid is not None]
    known = [(found, row, budget, cost) for row, budget, cost in points if (found := row.figure(measure, budget))]
    if affordable := [one for one in known if one[-1] <= paid]:
        found, row, budget, cost = max(affordable, key=lambda one: (one[0].mean, -one[-1]))
        yield (
            f"For at most {paid:,} paid tokens a request, {row.memory.name} shows the most: {found.mean:.0%} "
            f"{MEASURES[measure]} ({found.low:.0%} to {found.high:.0%}), "
            f"with {write_number(budget, 'token')} of memory, at {cost:,.0f}."
        )
    elif known:
        _, row, budget, cost = min(known, key=lambda one: one[-1])
        yield (
            f"No memory costs as little as {paid:,} paid tokens a request; the least is {row.memory.name} with "
            f"{write_number(budget, 'token')} of memory, at {cost:,.0f}."
        )


def _costs(results: Results, rows: Sequence[Row], budget: int) -> str:
    if not results.run.prices:
        return ""
    prices = [f"{row.memory.name} {row.costs[budget].total:,.2f}" for row in rows]
    return f" 1,000 exchanges cost, in {results.run.currency or 'the currency of the prices'}: {', '.join(prices)}."


def _price(row: Row, budget: int) -> float:
    if row.costs:
        return row.costs[budget].total
    figures = row.budgets[budget]
    return (figures.tokens if figures.paid is None else figures.paid) + row.upkeep_tokens


def _cautions(rows: Sequence[Row], best: Row, budget: int, measure: str) -> Iterator[str]:
    found = best.figure(measure, budget)
    if found and found.mean < _LITTLE:
        yield "None of these remembers much of it: give them more tokens (--budget), or measure others."
    if found and found.count < _FEW:
        asked = write_number(found.count, "question")
        yield f"With {asked}, each counts for {1 / found.count:.0%}: take this as a hint."
    fresh = [(row, one) for row in rows if (one := row.figure("corrected", budget))]
    if not fresh:
        return
    top, share = max(fresh, key=lambda pair: pair[1].mean)
    own = best.figure("corrected", budget)
    if own and share.low > own.high:
        yield f"Where corrections matter most, {top.memory.name} shows {share.mean:.0%} of them, it {own.mean:.0%}."
    yield from _stale(best, budget)


def _stale(best: Row, budget: int) -> Iterator[str]:
    stale = best.figure("stale", budget)
    if stale and stale.mean > _CLOSE:
        yield f"Of what was corrected, it shows the old statement alone for {stale.mean:.0%} of the questions."


def _say_learnt(results: Results) -> Iterator[str]:
    learnt = [row.memory for row in results.competing if row.memory.learnt_by and not row.error]
    if learnt:
        yield (
            f"{_join([one.name for one in learnt])} learnt this conversation from {learnt[0].learnt_by} beforehand, "
            "in a few large steps: calls and upkeep are those of these steps, tokens those shown for a question."
        )


def _say_where(results: Results) -> str:
    return "that was measured" if any(row.memory.floor for row in results.competing) else "here"


def _say_drafted(results: Results) -> Iterator[str]:
    talks = results.talks
    if talks.questions and talks.drafted:
        plural = "" if talks.drafted == 1 else "s"
        which = f"The question{plural}" if talks.drafted == talks.questions else write_number(talks.drafted, "question")
        were = "were" if plural else "was"
        yield (
            f"{which} {were} drafted by rules, from what the user said, and nobody has read them: a first look. Such "
            "questions share words with what was said, which helps a search."
        )


def _floors(results: Results) -> Iterator[str]:
    floors = [row.memory for row in results.competing if row.memory.floor]
    unread = [one.name for one in floors if results.talks.unread and one.strategy in UNREAD]
    if unread:
        yield f"{_join(unread)}: not measured, since the rules that work without a key found no name in this language."
    if others := [one.name for one in floors if one.name not in unread]:
        yield (
            f"{_join(others)} {'needs' if len(others) == 1 else 'need'} a model. Rules answered in its place, so the "
            "table shows only the least that they remember, and they are left out of the choice; `--model NAME` "
            "measures them."
        )


def _failures(results: Results) -> Iterator[str]:
    for row in results.failed:
        if row.error:
            yield f"{row.memory.name} could not be measured: {row.error}"
        else:
            yield (
                f"{row.memory.name}: {row.failed:.0%} of its saves failed at the model; the figures are of what it "
                f"showed meanwhile. The last failure: {row.failure}"
            )


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_number(number: int, what: str) -> str:
    """Write a number of things, such as "1 question"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
