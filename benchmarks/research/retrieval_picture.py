"""The picture of a retrieval run: evidence recall against the budget, a line for each that was measured."""

from collections.abc import Mapping

from memzoo.benchmarks.report.drawing import COLOURS, STANDALONE, Theme, apart, new_axes, require_matplotlib, svg_of

__all__ = ["recall_curves"]

_COLOURS = {"memzoo": COLOURS["vector-retriever"], "langchain-classic": COLOURS["summary"], "oracle": "#656d76"}
_OTHERS = (COLOURS["buffer"], COLOURS["summary-buffer"], COLOURS["entity"], COLOURS["window"])
_LABEL_GAP = 0.055


def recall_curves(curves: Mapping[str, Mapping[int, float]], subtitle: str, theme: Theme = STANDALONE) -> str:
    """Evidence recall at each budget, a line for each name, as SVG.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    others = iter(_OTHERS)
    with new_axes(theme, (8.6, 4.8), (0.085, 0.13, 0.64, 0.72)) as axes:
        axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        budgets = sorted({budget for curve in curves.values() for budget in curve})
        axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("tokens that may be shown")
        axes.set_title("Evidence recall", pad=26)
        axes.text(0, 1.04, subtitle, transform=axes.transAxes, color=theme.muted, fontsize=9)
        ends = [max(curve.items())[1] for curve in curves.values()]
        places = apart([end / 1.02 for end in ends], _LABEL_GAP)
        for (name, curve), end, place in zip(curves.items(), ends, places, strict=True):
            colour = _COLOURS.get(name) or next(others, theme.muted)
            axes.plot(list(curve), list(curve.values()), "o-", color=colour, linewidth=2, markersize=5)
            label = {"transform": axes.transAxes, "va": "center", "color": colour, "fontweight": "bold", "fontsize": 9}
            axes.text(1.03, place, f"{name}  {end:.2f}", **label)
        return svg_of(axes.figure, theme, "Evidence recall against the budget")
