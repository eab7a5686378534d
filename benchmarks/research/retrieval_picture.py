"""The picture of a retrieval run: evidence recall against the budget, a line for each that was measured."""

from collections.abc import Mapping

from memzoo.benchmarks.report.charts import COLOURS, OTHERS, WIDE, Series, curves

__all__ = ["recall_curves"]

_COLOURS = {"memzoo": COLOURS["vector-retriever"], "langchain-classic": COLOURS["summary"], "oracle": "var(--muted)"}
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
