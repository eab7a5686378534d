"""Charts: the same each time, right on light and on dark pages."""

import xml.etree.ElementTree as ET

import pytest

from memzoo.benchmarks.comparing import Comparison
from memzoo.benchmarks.report.charts import NARROW, Series, colours_of, course_chart, curves, recall_chart

SVG = "{http://www.w3.org/2000/svg}"


def test_a_chart_that_stands_alone_has_colours_for_light_and_dark(comparison: Comparison) -> None:
    """A picture of a README is no white slab on a dark page."""
    drawn = course_chart(comparison.results, alone=True)
    assert "@media (prefers-color-scheme: dark)" in drawn
    assert ET.fromstring(drawn).find(f"{SVG}rect").attrib["fill"] == "var(--page)"  # type: ignore[union-attr]  # noqa: S314
    assert "<style>" not in course_chart(comparison.results)


def test_what_shows_everything_leaves_the_chart_and_says_where_to(comparison: Comparison) -> None:
    """The other lines keep their room."""
    drawn = ET.fromstring(course_chart(comparison.results))  # noqa: S314
    labels = [one.text or "" for one in drawn.iter(f"{SVG}text") if one.get("class") == "label"]
    assert any(one.startswith("everything ") and one.endswith("6,200") for one in labels)
    assert not any(one.startswith("broken") for one in labels)


@pytest.mark.parametrize("exchanges", [1, 2, 3])
def test_few_exchanges_will_do(comparison: Comparison, exchanges: int) -> None:
    """A chart bears a single point, and figures that are all 0."""
    results = comparison.results
    rows = tuple(
        row.model_copy(
            update={
                "budgets": {
                    budget: at.model_copy(update={"course": tuple((one + 1, 0) for one in range(exchanges))})
                    for budget, at in row.budgets.items()
                }
            }
        )
        for row in results.rows
    )
    drawn = ET.fromstring(course_chart(results.model_copy(update={"rows": rows}), NARROW))  # noqa: S314
    assert drawn.attrib["width"] == str(NARROW)


def test_without_a_single_result_the_charts_are_empty(comparison: Comparison) -> None:
    """Each memory failed: there is nothing to draw, and no error."""
    rows = tuple(row.model_copy(update={"error": "failed", "budgets": {}}) for row in comparison.results.rows)
    results = comparison.results.model_copy(update={"rows": rows})
    for drawn in (course_chart(results), recall_chart(results)):
        assert not [one for one in ET.fromstring(drawn).iter(f"{SVG}text") if one.get("class") == "label"]  # noqa: S314


def test_each_memory_with_a_figure_has_a_label_with_it(comparison: Comparison) -> None:
    """Wherever the points lie: none is left out, on a phone neither; what rules found is a lower bound."""
    labels = [
        one.text or ""
        for one in ET.fromstring(recall_chart(comparison.results, NARROW)).iter(f"{SVG}text")  # noqa: S314
        if one.get("class") == "label"
    ]
    assert len(labels) == len([row for row in comparison.results.rows if not row.error])
    assert any(one.startswith("entity ") and one.endswith("≥ 45%") for one in labels)
    assert any(one.startswith("window ") and one.endswith(" 18%") and "≥" not in one for one in labels)


def test_two_variants_of_a_strategy_have_two_colours(comparison: Comparison) -> None:
    """All that compete can be told apart."""
    colours = colours_of(comparison.results.rows)
    competing = [colours[row.memory.name] for row in comparison.results.rows if not row.memory.baseline]
    assert len(set(competing)) == len(competing)


def test_long_names_are_cut_in_a_label_and_told_in_full(comparison: Comparison) -> None:
    """The label says so with an ellipsis; the whole name is its tooltip."""
    name = "summary-buffer:max_token_limit=500,prune_to=250,count_summary=true"
    drawn = course_chart(comparison.results, NARROW)
    assert f"<title>{name}</title>" in drawn
    assert "…" in drawn


def test_names_are_escaped() -> None:
    """A name cannot add to the drawing."""
    drawn = curves([Series("<script>", "#123456", [(1, 0.5), (2, 0.6)])], ("<b>", "<i>"), ("<u>", "<s>"), share=True)
    assert {one.tag.removeprefix(SVG) for one in ET.fromstring(drawn).iter()} == {"svg", "text", "g", "path"}  # noqa: S314
