"""Shared parts of all pictures: matplotlib, loaded when needed; colours; labels that keep apart; SVG as text.

A picture within a page takes the page's colours, so that it reads in the dark as well; one that stands alone brings
its own background.
"""

import importlib
import importlib.util
import io
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from memzoo.stores.errors import MissingExtraError

__all__ = [
    "COLOURS",
    "INLINE",
    "STANDALONE",
    "Theme",
    "apart",
    "beside",
    "can_draw",
    "new_axes",
    "require_matplotlib",
    "svg_of",
]

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
"""A colour for each strategy that reads on white and on black; baselines are muted."""

_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 12,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
    "grid.linewidth": 0.7,
}


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture that are no strategy's.

    Attributes:
        ink: Titles, and labels that matter.
        muted: Axes, ticks and baselines.
        grid: Lines of the grid.
        background: Behind everything; "none" for what is there already.
        variables: Colours that become variables of the page's style sheet.
    """

    ink: str
    muted: str
    grid: str
    background: str
    variables: tuple[tuple[str, str], ...] = ()


STANDALONE = Theme("#1c2128", "#656d76", "#e4e7eb", "#ffffff")
# Colours that occur nowhere else, to be found again in the SVG.
INLINE = Theme(
    "#010203",
    "#040506",
    "#070809",
    "none",
    (("#010203", "var(--ink)"), ("#040506", "var(--muted)"), ("#070809", "var(--line)")),
)


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Make sure that pictures can be drawn, before anything is spent on them.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if not can_draw():
        raise MissingExtraError.of("The HTML report", "report")


def _matplotlib(module: str = "") -> Any:
    """The package or one of its modules; its types are too incomplete to be of help."""
    return importlib.import_module(f"matplotlib.{module}" if module else "matplotlib")


@contextmanager
def new_axes(theme: Theme, size: tuple[float, float], box: tuple[float, float, float, float]) -> Generator[Any]:
    """Axes to draw on, in a figure of their own.

    Args:
        theme: The colours.
        size: Of the figure, in inches: width, height.
        box: Of the axes within the figure, as shares: left, bottom, width, height.
    """
    colours = {
        "text.color": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.labelcolor": theme.muted,
        "axes.edgecolor": theme.muted,
        "xtick.color": theme.muted,
        "ytick.color": theme.muted,
        "grid.color": theme.grid,
        "axes.facecolor": theme.background,
        "figure.facecolor": theme.background,
    }
    with _matplotlib().rc_context({**_SETTINGS, **colours}):
        yield _matplotlib("figure").Figure(figsize=size).add_axes(box)


def svg_of(figure: Any, theme: Theme, label: str) -> str:
    """Write a figure as an SVG element, without date, version or outside references.

    Args:
        figure: What was drawn.
        theme: Its colours.
        label: What it shows, for readers who cannot see it; different for each picture of a page.
    """
    # Ids are made from the salt, and a page may have each but once.
    drawn = io.StringIO()
    with _matplotlib().rc_context({**_SETTINGS, "svg.hashsalt": label}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = drawn.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text).replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    for colour, variable in theme.variables:
        text = text.replace(colour, variable)
    return text


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Move places as little as possible, so that there is a gap between any two; the order of the list stays.

    Example:
        >>> apart([10.0, 0.0, 11.0], 3.0)
        [9.0, 0.0, 12.0]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    groups: list[list[float]] = []
    for index in order:
        groups.append([places[index]])
        while len(groups) > 1 and _top(groups[-2], gap) + gap > _bottom(groups[-1], gap):
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = [_bottom(group, gap) + gap * rank for group in groups for rank in range(len(group))]
    return [place for _, place in sorted(zip(order, moved, strict=True))]


def beside(points: Mapping[str, tuple[float, float]], width: float, height: float) -> dict[str, tuple[float, float]]:
    """Place labels beside their points so that they cover as little as possible; return their left ends.

    Args:
        points: By label; in shares of a square.
        width: Of a letter.
        height: Of a label.

    Example:
        >>> beside({"a": (0.5, 0.5), "b": (0.5, 0.5)}, 0.02, 0.05)
        {'a': (0.52, 0.5), 'b': (0.46, 0.5)}
    """
    placed: dict[str, tuple[float, float]] = {}
    taken = [_Box(x - width / 2, x + width / 2, y, height / 2) for x, y in points.values()]
    for name, (x, y) in points.items():
        long = width * len(name)
        sides = [(x + width, y + step * height) for step in (0, 1, -1, 2, -2, 3, 4)]
        sides = [place for right, up in sides for place in ((right, up), (x - width - long, up))]
        inside = [(left, up) for left, up in sides if left >= 0 and left + long <= 1 and up >= 0] or sides
        boxes = [_Box(left, left + long, up, height / 2) for left, up in inside]
        best = min(range(len(boxes)), key=lambda place: sum(map(boxes[place].overlaps, taken)))
        placed[name] = (round(inside[best][0], 6), round(inside[best][1], 6))
        taken.append(boxes[best])
    return placed


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    right: float
    middle: float
    half: float

    def overlaps(self, other: "_Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and abs(self.middle - other.middle) < self.half + other.half


def _bottom(group: Sequence[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def _top(group: Sequence[float], gap: float) -> float:
    return _bottom(group, gap) + gap * (len(group) - 1)
