"""The pictures of a comparison: tokens over the conversation, recall against tokens, model calls."""

from collections.abc import Sequence
from typing import Any

from memzoo.benchmarks.measure.comparing import Comparison, Row
from memzoo.benchmarks.report.drawing import COLOURS, INLINE, Theme, apart, beside, new_axes, svg_of

__all__ = ["calls_picture", "context_picture", "recall_picture"]

# Linear below, logarithmic above: a memory that shows nothing has its place on the axis, too.
_LINEAR_UNTIL = 100
_LABEL_GAP = 0.052
_LETTER = 0.0125
_LABEL: dict[str, Any] = {"va": "center", "fontweight": "bold", "fontsize": 9}


def context_picture(comparison: Comparison, theme: Theme = INLINE, subtitle: str = "") -> str:
    """Tokens shown to the model at each exchange of the longest conversation, a line for each strategy, as SVG.

    Lines are smoothed over a thirtieth of the conversation; what was measured stands behind them, pale.
    """
    rows = [row for row in comparison.completed if row.scenario.strategy]
    longest = max(range(len(comparison.transcripts)), key=lambda one: len(comparison.transcripts[one].exchanges))
    series = {row.scenario.name: [step.tokens for step in row.measurements[longest].steps] for row in rows}
    with new_axes(theme, (8.6, 4.8), (0.085, 0.12, 0.70, 0.74)) as axes:
        _token_axis(axes, "y", max((max(one) for one in series.values()), default=0))
        for name, tokens in series.items():
            _line(axes, name, tokens, theme)
        axes.set_xlim(1, max(2, *map(len, series.values())))
        axes.set_xlabel("exchange")
        axes.set_title("Tokens shown to the model", pad=26 if subtitle else None)
        axes.text(0, 1.035, subtitle, transform=axes.transAxes, color=theme.muted, fontsize=9)
        _end_labels(axes, {name: _smooth(tokens)[-1] for name, tokens in series.items()}, theme)
        return svg_of(axes.figure, theme, "Tokens shown to the model at each exchange")


def recall_picture(comparison: Comparison, theme: Theme = INLINE) -> str:
    """Recall against the tokens that were shown for a question, a point for each strategy, as SVG."""
    points = {
        row.scenario.name: (row.score.tokens, row.score.recall)
        for row in comparison.completed
        if row.score.tokens is not None and row.score.recall is not None
    }
    with new_axes(theme, (8.6, 4.4), (0.085, 0.13, 0.85, 0.75)) as axes:
        _token_axis(axes, "x", max((tokens for tokens, _ in points.values()), default=0))
        axes.set_ylim(-0.04, 1.08)
        axes.axvline(comparison.budget, color=theme.muted, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.set_xlabel("tokens shown for a question, mean")
        axes.set_ylabel("recall")
        axes.set_title(f"Recall against tokens shown (dashed: the budget of {comparison.budget:,})")
        for name, (tokens, recall) in points.items():
            axes.plot([tokens], [recall], "o", markersize=9, color=COLOURS.get(name, theme.muted), clip_on=False)
        _point_labels(axes, points, theme)
        return svg_of(axes.figure, theme, "Recall against tokens shown")


def calls_picture(comparison: Comparison, theme: Theme = INLINE) -> str:
    """Model calls for an exchange, a bar for each strategy, as SVG."""
    rows = [row for row in comparison.completed if not row.scenario.baseline]
    with new_axes(theme, (8.6, 0.9 + 0.34 * len(rows)), (0.17, 0.16, 0.76, 0.66)) as axes:
        axes.grid(visible=False, axis="y")
        axes.invert_yaxis()
        _bars(axes, rows)
        for place, row in enumerate(rows):
            calls = row.per_exchange(row.upkeep.calls)
            axes.text(calls, place, f"  {calls:.2f}", va="center", color=theme.ink if calls else theme.muted)
        axes.set_yticks(range(len(rows)), [row.scenario.name for row in rows])
        axes.set_xlim(0, max([1.0, *(row.per_exchange(row.upkeep.calls) * 1.1 for row in rows)]))
        axes.set_title("Model calls for an exchange")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
        return svg_of(axes.figure, theme, "Model calls for an exchange")


def _bars(axes: Any, rows: Sequence[Row]) -> None:
    places = range(len(rows))
    saved = [row.per_exchange(row.save.calls) for row in rows]
    loaded = [row.per_exchange(row.load.calls) for row in rows]
    axes.barh(places, saved, height=0.6, color="#4f6d8f", label="to save")
    axes.barh(places, loaded, left=saved, height=0.6, color="#9db4cc", label="to load")


def _token_axis(axes: Any, which: str, most: float) -> None:
    scale, limits, ticks = (getattr(axes, f"set_{which}{part}") for part in ("scale", "lim", "ticks"))
    scale("symlog", linthresh=_LINEAR_UNTIL, linscale=0.6)
    limits(0, max(most, _LINEAR_UNTIL) * 1.25)
    marks = [0, 50, *(digit * 10**power for power in range(2, 9) for digit in (1, 2, 5))]
    marks = [mark for mark in marks if mark <= most * 1.2 or mark <= _LINEAR_UNTIL]
    ticks(marks, [f"{mark:,}" for mark in marks])
    ticks([], minor=True)


def _line(axes: Any, name: str, tokens: Sequence[int], theme: Theme) -> None:
    colour = COLOURS.get(name, theme.muted)
    exchanges = range(1, len(tokens) + 1)
    axes.plot(exchanges, tokens, color=colour, linewidth=0.7, alpha=0.3)
    axes.plot(exchanges, _smooth(tokens), color=colour, linewidth=2, solid_capstyle="round")


def _smooth(tokens: Sequence[int]) -> list[float]:
    """Each figure as the mean of its neighbours, fewer of them at both ends."""
    half = len(tokens) // 60
    spans = [min(half, place, len(tokens) - 1 - place) for place in range(len(tokens))]
    return [sum(tokens[n - span : n + span + 1]) / (2 * span + 1) for n, span in enumerate(spans)]


def _end_labels(axes: Any, ends: dict[str, float], theme: Theme) -> None:
    """A label beside the end of each line, all of them apart, each tied to its line."""
    heights = [axes.transAxes.inverted().transform(axes.transData.transform((1, end)))[1] for end in ends.values()]
    for (name, end), height, place in zip(ends.items(), heights, apart(heights, _LABEL_GAP), strict=True):
        colour = COLOURS.get(name, theme.muted)
        tie = {"transform": axes.transAxes, "color": colour, "linewidth": 0.8, "clip_on": False}
        axes.plot([1, 1.015, 1.03], [height, height, place], **tie)
        axes.text(1.038, place, f"{name}  {end:,.0f}", transform=axes.transAxes, color=colour, **_LABEL)


def _point_labels(axes: Any, points: dict[str, tuple[float, float]], theme: Theme) -> None:
    """A label beside each point, tied to it where another stands in between."""
    at = {name: axes.transAxes.inverted().transform(axes.transData.transform(point)) for name, point in points.items()}
    for name, (left, height) in beside({name: (x, y) for name, (x, y) in at.items()}, _LETTER, _LABEL_GAP).items():
        colour = COLOURS.get(name, theme.muted)
        x, y = at[name]
        near = left if left > x else left + _LETTER * len(name)
        if height != round(y, 6):
            axes.plot([x, near], [y, height], transform=axes.transAxes, color=colour, linewidth=0.8, clip_on=False)
        side = "left" if left > x else "right"
        axes.text(near, height, name, transform=axes.transAxes, ha=side, color=colour, **_LABEL)
