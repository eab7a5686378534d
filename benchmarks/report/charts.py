"""Draws the charts of a comparison as SVG: tokens over the conversation, recall against tokens, and costs.

A chart in a page has the page's colours. A chart in its own file has colours for light and dark mode.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memzoo.benchmarks.report.axis import Axis, apart
from memzoo.benchmarks.report.templates import render_template
from memzoo.benchmarks.results import UNREAD, Results, Row
from memzoo.benchmarks.verdict import MEASURES, measure_of

COLOURS = {
    "buffer": "#3f83c9",
    "window": "#1f9e91",
    "summary": "#d9822b",
    "summary-buffer": "#a95fc0",
    "entity": "#d0524f",
    "vector-retriever": "#4c9f45",
    "knowledge-graph": "#a8842c",
    "combined": "#c2589a",
}
"""A colour for each strategy, visible on white and on black."""

OTHERS = ("#5b6abf", "#8a9a2b", "#b0653f", "#3d97b5", "#9c6f8f", "#6f8a6a")
"""Colours for memories without a colour in `COLOURS`."""

WIDE, NARROW = 960, 350
"""Widths of a chart on a page, and on a phone."""

_MUTED = "var(--muted)"
_LETTER = 7.3  # the approximate width of a letter in a label
_LINE = 17
_SHORTEST = 300
_LEFT, _TOP, _BOTTOM = 46, 40, 44


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Attributes:
        colour: The colour of the line and its points.
        points: The points as (x, y) values, from left to right.
        whiskers: The intervals of the points, each as x, lower end and upper end.
        value: The figure shown after the series' name in the label.
        hollow: True if the points are lower bounds, drawn as hollow dots.
        dashed: True for the dashed line of a baseline.
        dots: True if the points are drawn as dots.
        pale: The measured points, drawn pale, if `points` are smoothed.
    """

    name: str
    colour: str
    points: Sequence[tuple[float, float]]
    whiskers: Sequence[tuple[float, float, float]] = ()
    value: str = ""
    hollow: bool = False
    dashed: bool = False
    dots: bool = False
    pale: Sequence[tuple[float, float]] = ()


def colours_of(rows: Sequence[Row]) -> dict[str, str]:
    """Return a colour for each memory.

    The first variant of a strategy has the strategy's colour. Later variants have other colours, baselines a muted one.
    """
    others, found = iter(OTHERS * len(rows)), dict[str, str]()
    for row in rows:
        own = COLOURS.get(row.memory.strategy)
        free = own if own and own not in found.values() else None
        found[row.memory.name] = _MUTED if row.memory.baseline else free or next(others)
    return found


def recall_chart(results: Results, width: int = WIDE, *, alone: bool = False) -> str:
    """Return a chart of recall against the cost of a request, with a point for each memory and budget.

    Without questions, the chart shows the share of marked lines that are still shown at the end of the conversation.
    Lower bounds have hollow points. Memories that were not measured, since the rules found no name, have none. With
    `alone`, the chart is a complete SVG file.
    """
    silent = UNREAD if results.talks.unread else ()
    rows = [row for row in results.rows if not (row.error or (row.memory.floor and row.memory.strategy in silent))]
    measure = measure_of([row for row in rows if not row.memory.baseline], results.main_budget)
    measure = measure if results.talks.questions else "survival"
    colours = colours_of(results.rows)
    series = [one for row in rows if (one := _make_series(row, measure, colours[row.memory.name])).points]
    what = MEASURES.get(measure, "of the facts are shown at the end")
    what = what.removeprefix("of the ").replace(" is ", " that is ").replace(" are ", " that are ")
    titles = f"Share of the {what}", f"Share of the {what}, against the tokens paid for a request"
    axes = ("tokens paid for a request", "")
    return curves(series, titles, axes, width, 1.05, start=0, share=True, bent=True, alone=alone)


def _make_series(row: Row, measure: str, colour: str) -> Series:
    known = [
        (at.paid, found)
        for budget, at in row.budgets.items()
        if at.paid is not None and (found := row.figure(measure, budget))
    ]
    framing, floor = row.memory.baseline, row.memory.floor
    known = known[:1] if framing else known  # a baseline has the same view at every budget
    return Series(
        row.memory.name,
        colour,
        [(tokens, one.mean) for tokens, one in known],
        [] if floor or framing else [(tokens, one.low, one.high) for tokens, one in known],
        value=f"{'≥ ' if floor else ''}{known[-1][1].mean:.0%}" if known else "",
        hollow=floor,
        dashed=framing,
        dots=True,
    )


def course_chart(results: Results, width: int = WIDE, subtitle: str = "", *, alone: bool = False) -> str:
    """Return a chart of the tokens shown at each exchange of the longest conversation.

    Each memory has a line. The line of the baseline "everything" may be cut off at the top.
    """
    budget, colours = results.main_budget, colours_of(results.rows)
    courses = {row.memory.name: row.budgets[budget].course for row in results.rows if not row.error}
    framing = {row.memory.name for row in results.rows if row.memory.baseline}
    top = max([1, *(tokens for name, course in courses.items() if name not in framing for _, tokens in course)]) * 1.12
    lines = [
        Series(
            name,
            colours[name],
            _below(course, top) if name in framing else _smooth(course),
            value=f"{course[-1][1]:,}",
            dashed=name in framing,
            pale=() if name in framing else course,
        )
        for name, course in sorted(courses.items(), key=lambda one: one[0] in framing)
        if course and (name not in framing or course[-1][1] > 0)
    ]
    about = "Tokens shown over the conversation"
    titles, axes = (about, f"{about}, at each exchange"), ("exchange", f"tokens{subtitle}")
    return curves(lines, titles, axes, width, top, alone=alone)


def survival_chart(results: Results, width: int = WIDE) -> str:
    """Return a chart of the share of marked lines still shown, by their age in exchanges."""
    budget, colours = results.main_budget, colours_of(results.rows)
    lines = [
        Series(
            row.memory.name,
            colours[row.memory.name],
            points,
            value=f"{'≥ ' if row.memory.floor else ''}{points[-1][1]:.0%}",
            hollow=row.memory.floor,
            dashed=row.memory.baseline,
            dots=True,
        )
        for row in results.rows
        if not row.error and (points := row.budgets[budget].survival_by_age())
    ]
    kinds = ", ".join(results.kept_kinds)
    titles = "Marked lines that are still shown", f"Share of the marked lines ({kinds}) that are still shown"
    return curves(lines, titles, ("exchanges since they were said", ""), width, 1.05, start=0, share=True, bent=True)


def _smooth(course: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Return a line smoothed by a moving average, over fewer points near both ends."""
    # The same number of neighbours on both sides keeps the ends unchanged: the label has the last figure.
    half, last = max(1, len(course) // 30), len(course) - 1
    spans = [min(half, place, last - place) for place in range(len(course))]
    return [
        (course[place][0], sum(tokens for _, tokens in course[place - span : place + span + 1]) / (2 * span + 1))
        for place, span in enumerate(spans)
    ]


def _below(course: Sequence[tuple[int, int]], top: float) -> list[tuple[float, float]]:
    """Return the part of a line up to its first crossing of `top`."""
    found: list[tuple[float, float]] = []
    for x, y in course:
        if y > top:
            if found:
                x0, y0 = found[-1]
                found.append((x0 + (x - x0) * (top - y0) / (y - y0), top))
            break
        found.append((x, y))
    return found or [(course[0][0], top)]


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of bars, each of two parts.

    Attributes:
        amounts: A dict from a memory's name to the two parts of its bar.
        form: The format string for the sum of both parts.
    """

    title: str
    parts: tuple[str, str]
    amounts: Mapping[str, tuple[float, float]]
    form: str

    @property
    def longest(self) -> float:
        """The sum of both parts of the longest bar; never 0."""
        return max([*map(sum, self.amounts.values()), 1e-9])


def bars(results: Results) -> list[Bars]:
    """Return two bar charts: one of costs (or of tokens, without prices), and one of model calls."""
    budget, run = results.main_budget, results.run
    measured = {row.memory.name: row for row in results.rows if not row.error}
    if run.prices:
        title = f"What 1,000 exchanges cost{f', in {run.currency}' if run.currency else ''}"
        costs = {
            name: row.costs[budget] for name, row in measured.items() if row.costs and row.budgets[budget].is_counted
        }
        prices = {name: (cost.reading, cost.upkeep) for name, cost in costs.items()}
        spent = Bars(title, ("to read what is shown", "upkeep"), prices, "{:,.2f}")
    else:
        tokens = {name: (row.budgets[budget].tokens, row.upkeep_tokens(budget)) for name, row in measured.items()}
        spent = Bars("Tokens for an exchange", ("shown", "upkeep"), tokens, "{:,.0f}")
    calls = {
        name: (row.per_exchange(row.save.calls), row.per_exchange(row.load.calls))
        for name, row in measured.items()
        if not row.memory.baseline
    }
    return [spent, Bars("Model calls for an exchange", ("to save", "to load"), calls, "{:.2f}")]


def curves(
    series: Sequence[Series],
    titles: tuple[str, str],
    axes: tuple[str, str],
    width: int,
    top: float,
    *,
    start: float | None = None,
    share: bool = False,
    bent: bool = False,
    alone: bool = False,
) -> str:
    """Return a chart of lines with labels on the right.

    Args:
        series: The lines.
        titles: The title, and a description for readers who cannot see the chart.
        axes: The names of the horizontal and the vertical axis.
        width: The width in points.
        top: The end of the vertical axis.
        start: The start of the horizontal axis; `None` for the first point.
        share: True if the vertical axis shows percentages.
        bent: True if the horizontal axis is logarithmic.
        alone: True for a chart in a separate file.
    """
    # Labels have at most two fifths of the width; longer labels are cut, and a tooltip has the full text.
    longest = min(int(width * 0.42 / _LETTER), max((len(f"{one.name}  {one.value}") for one in series), default=0))
    height = max(_SHORTEST, _LINE * len(series) + _TOP + _BOTTOM)
    tie = 34 if any(one.dots for one in series) else 22  # from the end of the axis to a label
    right = round(width - _LETTER * longest - tie - 4, 1)
    xs = [x for one in series for x, _ in one.points] or [1]
    low = min(xs) if start is None else start
    across = Axis(low, max(*xs, low + 1), _LEFT, right, bent)
    up = Axis(0, top, height - _BOTTOM, _TOP)
    heights = apart([up.at(one.points[-1][1]) for one in series], _LINE, up.end, up.start)
    texts = [_short(one.name, longest - len(one.value) - 2) + f"  {one.value}".rstrip() for one in series]
    gap = _LETTER * len(f"{across.high:,.0f}") + 14
    return render_template(
        "chart.svg.jinja",
        title=titles[0],
        about=titles[1],
        axes=axes,
        width=width,
        height=height,
        across=across,
        up=up,
        ticks=(
            [(one, f"{one:,.0f}") for one in across.ticks(gap, 1)],
            [(one, f"{one:.0%}" if share else f"{one:,.0f}") for one in up.ticks(40, 0 if share else 1)],
        ),
        series=series,
        tie=tie,
        labels=list(zip(series, texts, heights, strict=True)),
        alone=alone,
    )


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(length - 1, 1)] + "…"
