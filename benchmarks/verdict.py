"""Picks a memory from the results of a comparison, and describes the results in words.

Without enough questions, no memory is picked.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain

from memzoo.benchmarks.results import TOLERATED, UNREAD, Results, Row

MEASURES = {
    "judged": "of the questions are answered rightly",
    "answers": "of the answers are shown",
    "covered": "of the evidence is shown",
}
"""The figures to compare, by name, with the words of the verdict; the most reliable figure first."""

_ENOUGH = 20  # the fewest questions for a pick
_MARGIN = 0.1  # a memory that may show this much less than another memory is not picked
_LITTLE = 0.2  # a best figure below this gets a warning
_CLOSE = 0.05  # a share of stale statements above this is mentioned


def measure_of(rows: Sequence[Row], budget: int) -> str:
    """Return the name of the figure to compare memories by.

    A figure is used only if it was measured for at least half of the questions. "judged" is preferred to "answers";
    without either, the name is "covered".
    """
    for name in MEASURES:
        known = [(found.count, row.budgets[budget].questions) for row in rows if (found := row.figure(name, budget))]
        if any(2 * count >= questions for count, questions in known):
            return name
    return "covered"


def choose(results: Results) -> str:
    """Return the name of the memory to pick within the main budget; "" if the questions are too few to tell.

    The choice is between the best memory and all memories that are not measurably worse; the cheapest is picked. A
    memory is never picked if it might be 10 percentage points behind another memory (see `Figures.behind`).
    """
    rows = results.candidates
    budget = results.main_budget
    best = _best(results, rows, budget, measure := measure_of(rows, budget))
    found = best and best.figure(measure, budget)
    alike = _alike(results, rows, best, budget) if best else []
    safe = [row for row in alike if (behind := row.budgets[budget].behind) is not None and behind < _MARGIN]
    if len(rows) == 1 or not safe or not found or found.count < _ENOUGH:
        return ""
    return min(safe, key=lambda row: _price(row, budget)).memory.name


def _alike(results: Results, rows: Sequence[Row], best: Row, budget: int) -> list[Row]:
    """Return the best memory, then the memories that the questions cannot distinguish from the best."""
    near = {pair.other for pair in results.pairs if pair.budget == budget and not pair.distinguishable}
    return [best, *(row for row in rows if row.memory.name in near)]


def verdict(results: Results) -> Iterator[str]:
    """Yield the recommendation, sentence by sentence."""
    rows = results.candidates
    budget = results.main_budget
    measure = measure_of(rows, budget)
    best = _best(results, rows, budget, measure)
    if best is None:
        said = [_without_figures(results)]
    else:
        alike = _alike(results, rows, best, budget)
        equal = _equal(alike, budget, measure)
        finding = _describe_best(equal, budget, measure)
        evidence = ["Evidence: the messages that the answers rest on."] if measure == "covered" else []
        said = [
            iter([finding, *evidence]),
            _say_pick(results, alike, budget, measure),
            _say_whole(results, min(equal, key=lambda row: _price(row, budget)), budget, measure),
            _cautions(rows, best, budget, measure),
        ]
        said += [_afford(rows, paid, measure) for paid in results.run.paid]
    yield from chain(*said, _say_drafted(results), _say_learnt(results), _floors(results), _failures(results))


def _best(results: Results, rows: Sequence[Row], budget: int, measure: str) -> Row | None:
    names = {pair.best for pair in results.pairs if pair.budget == budget}
    known = [row for row in rows if (found := row.figure(measure, budget)) and found.mean > 0]
    # Without pairs only one memory competes.
    named = [row for row in known if row.memory.name in names]
    return next(iter(named or known), None)


def _without_figures(results: Results) -> Iterator[str]:
    if not results.talks.questions:
        yield (
            "There are no questions, so recall was not measured; only tokens, calls and cost can be compared. "
            "`memzoo compare FILE --write-questions questions.yaml` drafts questions."
        )
    elif any(row.failed <= TOLERATED for row in results.competing):
        yield "No memory that was measured showed anything for the questions."


def _describe_best(equal: Sequence[Row], budget: int, measure: str) -> str:
    """Return a sentence that names the best memory, or all memories with the best figure."""
    found = equal[0].figure(measure, budget)
    assert found is not None  # noqa: S101 - it was chosen for its figure
    first = "tie for first place" if len(equal) > 1 else "comes first"
    return (
        f"With {write_number(budget, 'token')} of memory, {_join_names(equal)} {first}: {found.mean:.0%} "
        f"{MEASURES[measure]} ({found.low:.0%} to {found.high:.0%}, {write_number(found.count, 'question')})."
    )


def _say_pick(results: Results, alike: Sequence[Row], budget: int, measure: str) -> Iterator[str]:
    """Yield the sentence that names the memory to pick, with the reason.

    `alike` has the best memory, then the memories that the questions cannot distinguish from the best.
    """
    best, cost = alike[0], _costs(results, alike, budget)
    found = best.figure(measure, budget)
    asked = write_number(found.count if found else 0, "question")
    picked = next((row for row in alike if row.memory.name == results.pick), None)
    if not any(pair.budget == budget for pair in results.pairs):
        yield f"There is no other memory to choose from.{cost}"
    elif picked is None:
        few = "is" if asked == "1 question" else "are"
        more = f"{_ENOUGH} or more" if found and found.count < _ENOUGH else "more"
        cheapest = _say_cheapest(_equal(alike, budget, measure), budget)
        yield f"{asked} {few} too few to choose: ask {more}.{cost}{cheapest}"
    elif len(alike) == 1:
        measured = "that was measured " if any(row.error for row in results.rows) else ""
        yield f"Pick {best.memory.name}: it is ahead of every other memory {measured}{_say_where(results)}.{cost}"
    else:
        yield f"{asked} cannot tell {_join_names(alike)} apart.{cost} Pick {_say_why(picked, alike, budget)}."


def _say_why(picked: Row, alike: Sequence[Row], budget: int) -> str:
    if not all(row.budgets[budget].is_counted for row in alike):
        return f"{picked.memory.name}: the model reports no tokens, so not all costs are known"
    price = _price(picked, budget)
    cheaper = [row for row in alike if _price(row, budget) < price]
    several = len(alike) > 2  # noqa: PLR2004 - more than the two that a comparative compares
    if cheaper:
        less = "less" if picked.costs else "fewer tokens"
        costs = "costs" if len(cheaper) == 1 else "cost"
        return f"{picked.memory.name}: {_join_names(cheaper)} {costs} {less}, but may show a tenth less"
    if all(_price(row, budget) == price for row in alike):
        return f"{picked.memory.name}: {'the others cost' if several else 'the other costs'} as much"
    if picked.costs:
        return f"{picked.memory.name}: it costs {'the least' if several else 'less'}"
    return f"{picked.memory.name}: it costs {'the fewest' if several else 'fewer'} tokens"


def _say_cheapest(equal: Sequence[Row], budget: int) -> str:
    """Return a sentence on the cheapest of the memories with the best figure; "" for a single memory."""
    least = min(_price(row, budget) for row in equal)
    cheapest = [row for row in equal if _price(row, budget) == least]
    if len(equal) == 1 or not all(row.budgets[budget].is_counted for row in equal):
        return ""
    if len(cheapest) == len(equal):
        return f" {_join_names(equal)} cost the same."
    unit = "the least" if equal[0].costs else "the fewest tokens"
    return f" Until then, {_join_names(cheapest)} {'costs' if len(cheapest) == 1 else 'cost'} {unit} of those that tie."


def _equal(alike: Sequence[Row], budget: int, measure: str) -> list[Row]:
    """Return the best memory, and the memories with exactly the same figure."""
    best = alike[0].figure(measure, budget)
    return [row for row in alike if (found := row.figure(measure, budget)) and best and found.mean == best.mean]


def _say_whole(results: Results, best: Row, budget: int, measure: str) -> Iterator[str]:
    """Yield a sentence if the baseline "everything" shows no less and costs no more than the picked or best memory."""
    whole = next((row for row in results.rows if row.memory.name == "everything" and not row.error), None)
    picked = next((row for row in results.rows if row.memory.name == results.pick), best)
    shown, other = (row.figure(measure, budget) if row else None for row in (whole, picked))
    if (
        whole
        and shown
        and other
        and shown.mean >= other.mean
        and _price(whole, budget) <= _price(picked, budget) < math.inf
    ):
        yield (
            f"{'But sending' if results.pick else 'Sending'} everything shows {shown.mean:.0%} and costs "
            "no more: while conversations are as short as this, `buffer` without a limit is enough."
        )


def _afford(rows: Sequence[Row], paid: int, measure: str) -> Iterator[str]:
    """Yield a sentence on the memory that shows the most for at most `paid` tokens a request, at any budget."""
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
            f"No memory costs as little as {paid:,} paid tokens a request; the cheapest is {row.memory.name} with "
            f"{write_number(budget, 'token')} of memory, at {cost:,.0f}."
        )


def _costs(results: Results, rows: Sequence[Row], budget: int) -> str:
    if not results.run.prices:
        return ""
    known = {row.memory.name: row.budgets[budget].is_counted for row in rows}
    prices = [
        f"{row.memory.name} {f'{row.costs[budget].total:,.2f}' if known[row.memory.name] else '(not known)'}"
        for row in rows
    ]
    return f" 1,000 exchanges cost, in {results.run.currency or 'the currency of the prices'}: {', '.join(prices)}."


def _price(row: Row, budget: int) -> float:
    figures = row.budgets[budget]
    if not figures.is_counted:
        return math.inf  # a memory of unknown cost is never the cheapest
    if row.costs:
        return row.costs[budget].total
    return (figures.tokens if figures.paid is None else figures.paid) + row.upkeep_tokens(budget)


def _cautions(rows: Sequence[Row], best: Row, budget: int, measure: str) -> Iterator[str]:
    found = best.figure(measure, budget)
    if found and found.mean < _LITTLE:
        yield "None of these memories shows much: give them more tokens (--budget), or measure others."
    fresh = [(row, one) for row in rows if (one := row.figure("corrected", budget))]
    if not fresh:
        return
    top, share = max(fresh, key=lambda pair: pair[1].mean)
    own = best.figure("corrected", budget)
    if own and share.low > own.high:
        name = best.memory.name
        yield (
            f"Where corrections matter most, {top.memory.name} is better: it shows {share.mean:.0%} of them, "
            f"{name} {own.mean:.0%}."
        )
    yield from _stale(best, budget)


def _stale(best: Row, budget: int) -> Iterator[str]:
    stale = best.figure("stale", budget)
    if stale and stale.mean > _CLOSE:
        yield (
            f"Where facts were corrected, {best.memory.name} shows only the old statement for {stale.mean:.0%} of the "
            "questions."
        )


def _say_learnt(results: Results) -> Iterator[str]:
    learnt = [row.memory for row in results.competing if row.memory.learnt_by and not row.error]
    if learnt:
        yield (
            f"Rows with a star: {learnt[0].learnt_by} learnt the conversation in advance. Calls and upkeep are those "
            "of that run."
        )


def _say_where(results: Results) -> str:
    return "that was measured" if any(row.memory.floor for row in results.competing) else "here"


def _say_drafted(results: Results) -> Iterator[str]:
    talks = results.talks
    if talks.questions and talks.drafted:
        plural = "" if talks.drafted == 1 else "s"
        which = f"The question{plural}" if talks.drafted == talks.questions else write_number(talks.drafted, "question")
        were, them = ("were", "them") if plural else ("was", "it")
        yield (
            f"{which} {were} drafted by rules, from the user's words, and no person has read {them} yet: a first look. "
            "Such questions share words with the conversation, which helps a search."
        )


def _floors(results: Results) -> Iterator[str]:
    floors = [row.memory for row in results.competing if row.memory.floor]
    unread = [one.name for one in floors if results.talks.unread and one.strategy in UNREAD]
    if unread:
        yield f"{_join(unread)}: not measured, since the built-in rules found no name; they read English."
    if others := [one.name for one in floors if one.name not in unread]:
        yield (
            f"{_join(others)} {'needs' if len(others) == 1 else 'need'} a model. Rules answered in its place, so the "
            "table shows only lower bounds, which do not count for the choice; `--model NAME` measures them."
        )


def _failures(results: Results) -> Iterator[str]:
    for row in results.failed:
        if row.error:
            yield f"{row.memory.name} could not be measured: {row.error}"
        else:
            yield (
                f"{row.memory.name}: the model failed in {row.failed:.0%} of the saves; the figures are of the views "
                f"meanwhile{', and do not count for the choice' * (row.failed > TOLERATED)}. The last failure: "
                f"{row.failure}"
            )


def _join_names(rows: Sequence[Row]) -> str:
    return _join([row.memory.name for row in rows])


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_number(number: int, what: str) -> str:
    """Return a number with a noun, such as "1 question"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
