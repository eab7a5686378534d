"""The charts of a comparison, as SVG: what was shown over the conversation, and recall against tokens.

Within a page a chart takes the page's colours. One that stands alone brings colours for light and for dark.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memzoo.benchmarks.report.places import Axis, Box, apart, free_places
from memzoo.benchmarks.report.templates import rendered
from memzoo.benchmarks.results import Results, Row
from memzoo.benchmarks.verdict import MEASURES, figure, measure_of

__all__ = ["COLOURS", "NARROW", "OTHERS", "WIDE", "Series", "colours_of", "course_chart", "curves", "recall_chart"]

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
"""A colour for each strategy that can be told from white and from black."""

WIDE, NARROW = 960, 350
"""Widths of a chart: of a page, and of a phone."""

_LETTER = 7.3
_LINE = 17
_SHORT, _TALL = 300, 330
_LEFT, _BOTTOM = 46, 44
OTHERS = ("#5b6abf", "#8a9a2b", "#b0653f", "#3d97b5", "#9c6f8f", "#6f8a6a")
_MUTED = "var(--muted)"


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Attributes:
        name: Its label.
        colour: Of line, points and tie.
        points: From left to right, as values.
        whiskers: By point: its interval.
        value: What the label says besides the name.
        hollow: Whether its points are lower bounds.
        dashed: Whether it frames the others.
        dots: Whether its points are marked.
        pale: What was measured, where `points` are smoothed.
    """

    name: str
    colour: str
    points: Sequence[tuple[float, float]]
    whiskers: Sequence[tuple[float, float]] = ()
    value: str = ""
    hollow: bool = False
    dashed: bool = False
    dots: bool = False
    pale: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class _Label:
    text: str
    whole: str
    x: float
    y: float
    colour: str
    tie: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class _Chart:
    title: str
    about: str
    width: float
    height: float
    frame: Box
    axes: tuple[Axis, Axis]
    titles: tuple[str, str]
    share: bool = False
    series: Sequence[Series] = ()
    labels: Sequence[_Label] = ()

    @property
    def ticks(self) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
        """Place and text of each tick, of both axes."""
        across, up = self.axes
        gap = _LETTER * len(f"{across.high:,.0f}") + 14
        format_up = "{:.0%}" if self.share else "{:,.0f}"
        return (
            [(across.at(one), f"{one:,.0f}") for one in across.ticks(gap)],
            [(up.at(one), format_up.format(one)) for one in up.ticks(40)],
        )

    def places(self, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return the places of points."""
        across, up = self.axes
        return [(across.at(x), up.at(y)) for x, y in points]

    def whiskers(self, series: Series) -> list[tuple[float, float, float]]:
        """Return the place and both ends of the interval of each point."""
        across, up = self.axes
        pairs = zip(series.points, series.whiskers, strict=False)
        return [(across.at(x), up.at(low), up.at(high)) for (x, _), (low, high) in pairs]

    def svg(self, *, alone: bool) -> str:
        """Draw it."""
        return rendered("chart.svg.jinja", chart=self, alone=alone)


def colours_of(rows: Sequence[Row]) -> dict[str, str]:
    """Give each memory a colour: a strategy's own to its first variant, others to the rest; baselines are muted."""
    others, found = iter(OTHERS * len(rows)), dict[str, str]()
    for row in rows:
        own = COLOURS.get(row.memory.strategy)
        free = own if own and own not in found.values() else None
        found[row.memory.name] = _MUTED if row.memory.baseline else free or next(others)
    return found


def course_chart(results: Results, width: int = WIDE, subtitle: str = "", *, alone: bool = False) -> str:
    """Draw the tokens shown at each exchange of the longest conversation, a line for each memory, as SVG.

    What shows everything leaves the chart at the top: the axis ends a little above the memories.
    """
    budget, colours = results.main_budget, colours_of(results.rows)
    shown = {row.memory.name: row.budgets[budget].course for row in results.competing}
    top = max([1, *(tokens for course in shown.values() for _, tokens in course)]) * 1.12
    framing = [row for row in results.rows if row.memory.baseline and not row.error]
    for row in framing:
        course = row.budgets[budget].course
        if course and course[-1][1] > 0:
            shown[row.memory.name] = course
    names = {row.memory.name for row in framing}
    lines = [
        Series(
            name,
            colours[name],
            _below(course, top) if name in names else _smooth(course),
            value=f"{course[-1][1]:,}",
            dashed=name in names,
            pale=() if name in names else course,
        )
        for name, course in shown.items()
        if course
    ]
    about = "Tokens shown over the conversation"
    titles, axes = (about, f"{about}, at each exchange"), ("exchange", f"tokens{subtitle}")
    return curves(lines, titles, axes, width, top, alone=alone)


def _smooth(course: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Each figure as the mean of its neighbours, fewer of them at both ends."""
    half, last = max(1, len(course) // 30), len(course) - 1
    spans = [min(half, place, last - place) for place in range(len(course))]
    return [
        (course[place][0], sum(tokens for _, tokens in course[place - span : place + span + 1]) / (2 * span + 1))
        for place, span in enumerate(spans)
    ]


def _below(course: Sequence[tuple[int, int]], top: float) -> list[tuple[float, float]]:
    """The part of a line until it leaves the chart."""
    found: list[tuple[float, float]] = []
    for x, y in course:
        if y > top:
            if found:
                x0, y0 = found[-1]
                found.append((x0 + (x - x0) * (top - y0) / (y - y0), top))
            break
        found.append((x, y))
    return found or [(course[0][0], top)]


def curves(
    series: Sequence[Series],
    titles: tuple[str, str],
    axes: tuple[str, str],
    width: int = WIDE,
    top: float = 1.0,
    *,
    share: bool = False,
    bent: bool = False,
    alone: bool = False,
    bottom: float = 0.0,
) -> str:
    """Draw lines whose labels stand to the right, as SVG.

    Args:
        series: The lines.
        titles: The title; what the chart shows, for readers who cannot see it.
        axes: What the axes count.
        width: In points.
        top: Where the upright axis ends.
        share: Whether the upright axis counts per cent.
        bent: Whether the other axis is logarithmic.
        alone: Whether it stands alone, without a page around it.
        bottom: Where the upright axis begins.
    """
    texts = [f"{one.name}  {one.value}".strip() for one in series]
    longest = min(int(width * 0.42 / _LETTER), max(map(len, texts), default=0))
    height = max(_SHORT, _LINE * len(series) + 40 + _BOTTOM)
    frame = Box(_LEFT, 40, width - _LETTER * longest - 26, height - _BOTTOM)
    xs = [x for one in series for x, _ in one.points] or [1]
    across = Axis(min(xs), max(*xs, min(xs) + 1), frame.left, frame.right, bent)
    up = Axis(bottom, top, frame.bottom, frame.top)
    chart = _Chart(*titles, width, height, frame, (across, up), axes, share, series)
    return replace(chart, labels=_end_labels(chart, longest)).svg(alone=alone)


def _end_labels(chart: _Chart, longest: int) -> list[_Label]:
    frame, ends = chart.frame, [chart.places(one.points)[-1] for one in chart.series]
    heights = apart([y for _, y in ends], _LINE, frame.top, frame.bottom)
    return [
        _Label(
            _short(one.name, longest - len(one.value) - 2 * bool(one.value)) + f"  {one.value}".rstrip(),
            one.name,
            frame.right + 22,
            height,
            one.colour,
            ((max(x, frame.right) if not one.dashed else x, y), (frame.right + 8, y), (frame.right + 18, height)),
        )
        for one, (x, y), height in zip(chart.series, ends, heights, strict=True)
    ]


def recall_chart(results: Results, width: int = WIDE) -> str:
    """Draw what was found against the tokens shown for a question, as SVG: a point for each memory and budget.

    Points of lower bounds are hollow, and have no interval.
    """
    rows = [row for row in results.rows if not row.error]
    measure = measure_of([row for row in rows if not row.memory.baseline], results.main_budget)
    colours = colours_of(results.rows)
    series = [one for row in rows if (one := _found(row, measure, colours[row.memory.name])).points]
    height, most = _TALL, max([100.0, *(x for one in series for x, _ in one.points)])
    frame = Box(_LEFT, 40, width - 18, height - _BOTTOM)
    axes = Axis(0, most * 1.15, frame.left, frame.right, bent=True), Axis(0, 1.05, frame.bottom, frame.top)
    found, shown = _share_of(measure), "tokens shown for a question"
    chart = _Chart(found, f"{found}, against the {shown}", width, height, frame, axes, (shown, ""), True, series)  # noqa: FBT003
    return replace(chart, labels=_point_labels(chart)).svg(alone=False)


def _share_of(measure: str) -> str:
    what = MEASURES[measure].removeprefix("of the ")
    return f"Share of the {what.replace(' is ', ' that is ').replace(' are ', ' that are ')}"


def _found(row: Row, measure: str, colour: str) -> Series:
    known = [
        (at.tokens_for_a_question, found)
        for budget, at in row.budgets.items()
        if at.tokens_for_a_question is not None and (found := figure(row, budget, measure))
    ]
    if row.memory.baseline:
        known = known[:1]
    whiskers = [] if row.memory.floor or row.memory.baseline else [(one.low, one.high) for _, one in known]
    points = [(tokens, one.mean) for tokens, one in known]
    floor = row.memory.floor
    return Series(row.memory.name, colour, points, whiskers, hollow=floor, dashed=row.memory.baseline, dots=True)


def _point_labels(chart: _Chart) -> list[_Label]:
    places = {one.name: chart.places(one.points) for one in chart.series}
    ends = {name: found[-1] for name, found in places.items()}
    widest = int((chart.frame.right - chart.frame.left) * 0.6 / _LETTER)
    texts = {name: _short(name, widest) for name in ends}
    sizes = {name: (_LETTER * len(text) + 6, 16.0) for name, text in texts.items()}
    taken = [Box.around(x, y, 5) for found in places.values() for x, y in found]
    colours = {one.name: one.colour for one in chart.series}
    return [
        _Label(texts[name], name, box.left, (box.top + box.bottom) / 2, colours[name], _tie(box, *ends[name]))
        for name, box in free_places(ends, sizes, chart.frame, taken).items()
    ]


def _tie(box: Box, x: float, y: float) -> Sequence[tuple[float, float]]:
    middle = (box.top + box.bottom) / 2
    if abs(middle - y) < 1 and box.left > x:
        return ()
    return ((x, y), (min(max(x, box.left), box.right), box.top if y < box.top else min(y, box.bottom)))


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(length - 1, 1)] + "…"
