"""Charts: the same each time, right on light and on dark pages; they show what was measured, and can be read."""

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Results
from memzoo.benchmarks.report.charts import (
    NARROW,
    WIDE,
    Series,
    bars,
    colours_of,
    course_chart,
    curves,
    recall_chart,
    survival_chart,
)

SVG = "{http://www.w3.org/2000/svg}"
LETTER, HEIGHT = 7.3, 12
"""About what a letter of a text takes up, in points."""


@dataclass
class Text:
    """A text of a chart, and the box around it."""

    said: str
    x: float
    y: float
    anchor: str
    label: bool

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.x - LETTER * len(self.said) * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + LETTER * len(self.said)


class Drawn:
    """A chart, read."""

    def __init__(self, svg: str) -> None:
        self.root = ET.fromstring(svg)  # noqa: S314 - our own
        self.width, self.height = (float(self.root.attrib[name]) for name in ("width", "height"))
        self.texts = [
            Text(
                one.text or "",
                float(one.attrib["x"]),
                float(one.attrib["y"]),
                one.get("text-anchor", "start"),
                one.get("class") == "label",
            )
            for one in self.root.iter(f"{SVG}text")
        ]
        self.labels = [one for one in self.texts if one.label]
        marks = [one for one in self.texts if one.anchor != "start"]
        self.across = [one for one in marks if one.anchor == "middle"]
        self.up = [one for one in marks if one.anchor == "end"]
        self.dots = [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in self.root.iter(f"{SVG}circle")]

    def group(self, colour: str) -> ET.Element:
        """What is drawn in a colour, but for its label."""
        return next(one for one in self.root.iter(f"{SVG}g") if one.get("stroke") == colour)

    def lines(self, colour: str) -> list[list[tuple[float, float]]]:
        """The lines of a colour, as places: what was measured first, if that is told apart."""
        paths = [one.attrib["d"] for one in self.group(colour).findall(f"{SVG}path")]
        return [
            [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", path)]
            for path in paths
            if "V" not in path
        ]

    def values(self, line: Sequence[tuple[float, float]]) -> list[float]:
        """The heights of a line, by the marks beside it."""
        low, high = self.up[0], self.up[-1]
        scale = _number(high.said) / (high.y - low.y)
        return [(y + 4 - low.y) * scale for _, y in line]


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("%"))


def with_courses(results: Results, courses: Mapping[str, Sequence[int]]) -> Results:
    """Results of which only some memories remain, with these tokens at each exchange."""
    rows = [
        row.model_copy(
            update={
                "budgets": {
                    budget: at.model_copy(update={"course": tuple(enumerate(courses[row.memory.name], start=1))})
                    for budget, at in row.budgets.items()
                }
            }
        )
        for row in results.rows
        if row.memory.name in courses
    ]
    return results.model_copy(update={"rows": tuple(rows)})


def with_figures(results: Results, baselines: dict[str, Any], others: dict[str, Any]) -> Results:
    """Results with other figures for the baselines, and for what stands between them."""
    rows = [
        row.model_copy(
            update={
                "budgets": {
                    budget: at.model_copy(update=baselines if row.memory.baseline else others)
                    for budget, at in row.budgets.items()
                }
            }
        )
        for row in results.rows
    ]
    return results.model_copy(update={"rows": tuple(rows)})


def many(results: Results) -> Results:
    """The same with forty windows more."""
    window = next(row for row in results.rows if row.memory.name == "window")
    more = [
        window.model_copy(update={"memory": window.memory.model_copy(update={"name": f"window:k={k}"})})
        for k in range(100, 140)
    ]
    return results.model_copy(update={"rows": (*results.rows, *more)})


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("chart", [recall_chart, course_chart, survival_chart])
@pytest.mark.parametrize("size", ["few", "many", "short"])
def test_texts_neither_overlap_nor_leave_the_chart(comparison: Comparison, chart: Any, width: int, size: str) -> None:
    """However many there are, and however long their names; no room is left over beside the longest."""
    results = comparison.results
    shown = {"few": results, "many": many(results), "short": with_courses(results, {"window": [5, 6], "entity": [3]})}
    drawn = Drawn(chart(shown[size], width))
    assert drawn.width == width
    for one in drawn.texts:
        assert one.left >= -1
        assert one.right <= width, one.said
        assert HEIGHT <= one.y <= drawn.height, one.said
    for one, other in itertools.combinations(drawn.texts, 2):
        apart = one.right <= other.left or other.right <= one.left or abs(one.y - other.y) >= HEIGHT
        assert apart, (one.said, other.said)
    assert max(one.right for one in drawn.labels) > width - LETTER - 4
    # Lines have at least half of the width, and stand between the marks and the labels.
    end = min(one.x for one in drawn.labels)
    assert end >= width / 2
    for colour in set(colours_of(shown[size].rows).values()) - {"var(--muted)"}:
        for line in drawn.lines(colour) if any(one.get("stroke") == colour for one in drawn.root.iter()) else []:
            assert all(drawn.up[0].right < x < end and drawn.up[-1].y - 30 < y < drawn.height for x, y in line)


@pytest.mark.parametrize("chart", [recall_chart, course_chart, survival_chart])
def test_what_leads_to_a_label_ends_just_before_it(comparison: Comparison, chart: Any) -> None:
    """A dot of its colour where points have dots, else the line itself."""
    drawn = Drawn(chart(comparison.results))
    ties = [one.attrib["d"] for one in drawn.root.findall(f"{SVG}path") if one.get("fill") == "none"]
    ends = [float(path.rpartition(" L")[2].split(" ")[0]) for path in ties]
    assert len(ends) == len(drawn.labels)
    for label, end in zip(drawn.labels, ends, strict=True):
        dots = [x + 5.5 for x, y in drawn.dots if y == label.y - 4 and x > end]
        assert 3 <= label.x - max([end, *dots]) <= 6


def test_a_plain_series_is_a_plain_line() -> None:
    """Without dots, whiskers, dashes, and without colours of its own for light and dark."""
    drawn = curves([Series("a", "#123456", [(1, 2), (3, 4)])], ("a", "b"), ("c", "d"), WIDE, 5)
    assert "<circle" not in drawn
    assert "dasharray" not in drawn
    assert "<style>" not in drawn
    marked = curves([Series("a", "#123456", [(1, 2), (3, 4)], dots=True)], ("a", "b"), ("c", "d"), WIDE, 5)
    assert set(re.findall(r'<circle[^>]*fill="([^"]*)"', marked)) == {"#123456"}


class TestRecall:
    """What was found, against the tokens that were shown."""

    def test_the_measure_is_the_one_that_the_memories_have(self, comparison: Comparison) -> None:
        """Whatever is known of the baselines."""
        none: dict[str, Any] = {"answers": None}
        assert ">Share of the answers that are shown<" in recall_chart(with_figures(comparison.results, none, {}))
        assert ">Share of the evidence that is shown<" in recall_chart(with_figures(comparison.results, {}, none))

    def test_its_marks_are_shares_up_to_all_and_tokens_from_0_on(self, comparison: Comparison) -> None:
        """Many tokens stand closer together than few: from 500 to 1,000 it is as far as from 1,000 to 2,000."""
        drawn = Drawn(recall_chart(comparison.results))
        assert [one.said for one in drawn.up] == ["0%", "20%", "40%", "60%", "80%", "100%"]
        places = {one.said: one.x for one in drawn.across}
        assert drawn.across[0].said == "0"
        assert places["1,000"] - places["500"] == pytest.approx(places["2,000"] - places["1,000"], rel=0.1)

    def test_a_point_stands_for_each_budget_with_its_interval(self, comparison: Comparison) -> None:
        """A baseline has but one point; neither it nor what rules found has an interval."""
        drawn = Drawn(recall_chart(comparison.results))
        colours = colours_of(comparison.results.rows)
        found = {
            name: (
                len(drawn.group(colours[name]).findall(f"{SVG}circle")),
                sum("V" in one.attrib["d"] for one in drawn.group(colours[name]).findall(f"{SVG}path")),
            )
            for name in ("window", "entity", "none")
        }
        assert found == {"window": (2, 2), "entity": (2, 0), "none": (1, 0)}

    def test_what_was_not_measured_has_no_point(self, comparison: Comparison) -> None:
        """Notes and facts, if the rules found no name: the table has no figure for them either."""
        results = comparison.results
        talks = results.talks.model_copy(update={"unread": True})
        assert ">entity" in recall_chart(results)
        drawn = recall_chart(results.model_copy(update={"talks": talks}))
        assert ">entity" not in drawn
        assert ">window" in drawn


class TestCourse:
    """What was shown at each exchange."""

    def test_a_line_is_the_mean_of_its_neighbours_and_ends_where_it_ends(self, comparison: Comparison) -> None:
        """As many on both sides: one up to 59 exchanges, two from 60 on; what was measured is drawn pale behind it."""
        for size, smooth in (
            # The end is among the neighbours of those before it.
            (59, [0] * 28 + [30] * 3 + [0] * 26 + [20, 60]),
            (60, [0] * 27 + [18] * 5 + [0] * 25 + [12, 20, 60]),
        ):
            course = [90 if place == 29 else 60 if place == size - 1 else 0 for place in range(size)]
            drawn = Drawn(course_chart(with_courses(comparison.results, {"window": course})))
            measured, line = drawn.lines("#1f9e91")
            assert drawn.values(measured) == pytest.approx(course, abs=0.5)
            assert drawn.values(line) == pytest.approx(smooth, abs=0.5)

    def test_the_memories_fill_its_height(self, comparison: Comparison) -> None:
        """A little room stays above the highest."""
        drawn = Drawn(course_chart(with_courses(comparison.results, {"window": [100] * 9, "everything": [9_000] * 9})))
        ((_, highest), *_), _ = drawn.lines("#1f9e91")
        top, low = 40, drawn.up[0].y - 4
        assert 0.85 <= (low - highest) / (low - top) <= 0.95

    def test_what_shows_everything_is_dashed_drawn_last_and_ends_at_the_top(self, comparison: Comparison) -> None:
        """On the straight way to the figure that would lie above."""
        courses = {"everything": [10, 50, 150, 400], "window": [0, 100, 100, 100], "none": [0, 0, 0, 0]}
        drawn = Drawn(course_chart(with_courses(comparison.results, courses)))
        assert [one.said for one in drawn.labels] == ["window  100", "everything  400"]
        (line,) = drawn.lines("var(--muted)")
        # The top is 12% above the highest memory: 112 lies at 62% of the way from 50 to 150.
        assert drawn.values(line) == pytest.approx([10, 50, 112], abs=0.5)
        assert line[2][0] - line[1][0] == pytest.approx(0.62 * (line[1][0] - line[0][0]), abs=0.3)
        dashed = [one.get("stroke-dasharray") for one in drawn.group("var(--muted)").findall(f"{SVG}path")]
        assert dashed == ["2 5"]
        assert "dasharray" not in ET.tostring(drawn.group("#1f9e91"), "unicode")

    def test_what_begins_above_the_chart_is_a_point_at_its_top(self, comparison: Comparison) -> None:
        """With its figure; a single token is drawn as well."""
        drawn = Drawn(course_chart(with_courses(comparison.results, {"everything": [900, 999], "window": [1, 100]})))
        (line,) = drawn.lines("var(--muted)")
        assert drawn.values(line) == pytest.approx([112], abs=0.5)
        drawn = Drawn(course_chart(with_courses(comparison.results, {"none": [0, 1], "window": [1, 100]})))
        assert [one.said for one in drawn.labels] == ["window  100", "none  1"]

    def test_no_two_marks_say_the_same(self, comparison: Comparison) -> None:
        """Even where next to nothing was shown."""
        for tokens in (0, 1, 3, 10, 11):
            drawn = Drawn(course_chart(with_courses(comparison.results, {"window": [tokens] * 3})))
            for marks in (drawn.up, drawn.across):
                assert len({one.said for one in marks}) == len(marks)


class TestBars:
    """Cost, tokens and calls."""

    def test_the_longest_has_the_whole_width(self, comparison: Comparison) -> None:
        """However small it is; where all are 0, none has a width."""
        chart = bars(comparison.results)[0]
        for amount in (0.002, 7.0):
            amounts = {"a": (amount, amount), "b": (amount, 0.0)}
            assert type(chart)(chart.title, chart.parts, amounts, chart.form).longest == 2 * amount
        assert 0 < type(chart)(chart.title, chart.parts, {"a": (0.0, 0.0)}, chart.form).longest < 1e-6

    def test_each_memory_has_its_cost_and_its_calls(self, comparison: Comparison) -> None:
        """A baseline costs what is read of it, and calls nobody; what failed has none."""
        cost, calls = bars(comparison.results)
        names = [row.memory.name for row in comparison.results.rows if not row.error]
        assert list(cost.amounts) == names
        assert list(calls.amounts) == [name for name in names if name not in ("none", "everything")]
        assert cost.amounts["buffer"] == (1234.5, 0.1)
        assert (calls.amounts["entity"], calls.amounts["window"]) == ((1, 1), (0, 0))


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
    series = Series("<script>", "#123456", [(1, 0.5), (2, 0.6)])
    drawn = curves([series], ("<b>", "<i>"), ("<u>", "<s>"), WIDE, 1, share=True)
    assert {one.tag.removeprefix(SVG) for one in ET.fromstring(drawn).iter()} == {"svg", "text", "g", "path"}  # noqa: S314
