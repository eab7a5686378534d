"""The picture of a retrieval run: evidence recall against the budget, a line for each that was measured."""

from collections.abc import Mapping

from memzoo.benchmarks.report.charts import COLOURS, OTHERS, WIDE, Series, curves

__all__ = ["recall_curves", "weight_curves"]

_COLOURS = {"memzoo": COLOURS["vector-retriever"], "langchain-classic": COLOURS["summary"], "oracle": "var(--muted)"}
_MARGIN = 0.005
_OTHERS = (COLOURS["buffer"], COLOURS["summary-buffer"], COLOURS["entity"], COLOURS["window"], *OTHERS)


def recall_curves(recalls: Mapping[str, Mapping[int, float]], subtitle: str) -> str:
    """Draw evidence recall at each budget, a line for each name, as SVG."""
    others = iter(_OTHERS)
    series = [
        Series(
            name,
            _COLOURS.get(name) or next(others, "var(--muted)"),
            sorted(curve.items()),
            value=f"{curve[max(curve)]:.2f}",
            dots=True,
        )
        for name, curve in recalls.items()
    ]
    titles = ("Evidence recall", "Evidence recall against the budget")
    return curves(series, titles, ("tokens that may be shown", subtitle), WIDE, 1.02, share=True, bent=True, alone=True)


def weight_curves(recalls: Mapping[str, Mapping[float, float]], title: str, subtitle: str) -> str:
    """Draw recall when one weight is a multiple of what is shipped, a line for each weight, as SVG."""
    colours = [*COLOURS.values(), *OTHERS]
    series = [
        Series(
            name,
            colours[place % len(colours)],
            [(100 * factor, recall) for factor, recall in sorted(curve.items())],
            value=f"{min(curve.values()):.3f}-{max(curve.values()):.3f}",
            dots=True,
        )
        for place, (name, curve) in enumerate(recalls.items())
    ]
    seen = [recall for curve in recalls.values() for recall in curve.values()]
    axes = ("the weight, in per cent of the shipped one", subtitle)
    low, high = min(seen) - _MARGIN, max(seen) + _MARGIN
    return curves(series, (title, title), axes, WIDE, high, share=True, bent=True, alone=True, bottom=low)
