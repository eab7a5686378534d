"""The page as text: self-contained, everything from outside escaped, and what there is to see."""

import base64
import hashlib
import json
import re
from collections import Counter
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Results
from memzoo.benchmarks.outcomes import Scored
from memzoo.benchmarks.report.pages import fragment, page
from memzoo.benchmarks.report.tabulating import columns
from memzoo.benchmarks.results import Talks

DATE = datetime(2026, 11, 22, tzinfo=UTC)
_VOID = {"meta", "br", "link", "img", "input", "hr", "rect", "circle", "path"}


class Reader(HTMLParser):
    """Collects attributes, tags and texts, and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str | None]] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        self.attributes += attrs
        self.tags.append(tag)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag that closes itself."""
        self.attributes += attrs
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Remember a text with the tag that it stands in."""
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


def read(text: str) -> Reader:
    """The page, read."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def with_results(comparison: Comparison, **changes: Any) -> Comparison:
    """The same comparison with other results."""
    return Comparison(comparison.results.model_copy(update=changes), comparison.times)


class TestSelfContained:
    """Nothing is fetched, and only the page's own script runs."""

    def test_nothing_outside_is_referred_to(self, comparison: Comparison) -> None:
        """No address anywhere but in the names of XML namespaces."""
        text = page(comparison, DATE)
        assert not [name for name, _ in read(text).attributes if name in {"src", "href", "xlink:href"}]
        assert "url(" not in text
        assert "@import" not in text
        assert set(re.findall(r"(\S+)=\"https?://", text)) == {"xmlns"}

    def test_its_policy_allows_nothing_but_its_own_script(self, comparison: Comparison) -> None:
        """The script that stands there is the one whose hash is allowed; no attribute runs."""
        reader = read(page(comparison, DATE))
        data, script = reader.texts["script"]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert ("content", f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'") in (
            reader.attributes
        )
        assert json.loads(data)["names"] == [row.memory.name for row in comparison.results.competing]
        assert not [name for name, _ in reader.attributes if name.startswith("on")]

    @pytest.mark.parametrize("whole", [True, False])
    def test_texts_of_users_do_not_become_markup(self, comparison: Comparison, *, whole: bool) -> None:
        """Titles, names, options, errors, messages, questions, answers; in a notebook, too."""
        text = page(comparison, DATE) if whole else fragment(comparison)
        reader = read(text)
        assert "img" not in reader.tags
        assert reader.tags.count("script") == (2 if whole else 0)
        assert "{{ 7 * 7 }}" in text
        assert "&lt;script&gt;" in text

    def test_ids_are_unique(self, comparison: Comparison) -> None:
        """So that the script finds the right element."""
        ids = Counter(value for name, value in read(page(comparison, DATE)).attributes if name == "id")
        assert [value for value, count in ids.items() if count > 1] == []

    def test_two_renderings_are_the_same(self, comparison: Comparison) -> None:
        """The page of the same figures and the same date is the same page."""
        assert page(comparison, DATE) == page(comparison, DATE)


class TestContent:
    """What there is to see."""

    def test_the_verdict_comes_first(self, comparison: Comparison) -> None:
        """In words, before any table."""
        text = page(comparison, DATE)
        assert text.index("With 1,000 tokens, one comes first.") < text.index("<table")
        assert "<code>--model NAME</code>" in text

    def test_date_version_and_options_are_told(self, comparison: Comparison) -> None:
        """Who finds the page later knows what it is about."""
        text = page(comparison, DATE)
        for said in ("22 November 2026", "<dt>memzoo</dt><dd>0.1.0</dd>", "<code>prune_to=250</code>", "asks offline"):
            assert said in text

    def test_lower_bounds_are_called_so(self, comparison: Comparison) -> None:
        """In the table, in the charts, among the questions, and in a sentence that names the remedy."""
        text = page(comparison, DATE)
        assert re.search(r'<tr class="floor">\s*<th[^>]*>entity</th>\s*<td[^>]*>≥ \.\d\d</td>', text)
        assert "≥ 0%" in text
        assert 'fill="var(--page)"' in text
        assert "Hollow points are lower bounds" in text
        assert "<code>--model NAME</code> would measure" in text

    def test_of_what_is_stale_there_is_no_lower_bound(self, comparison: Comparison) -> None:
        """Rules show less of what no longer holds, too."""
        stale = next(one for one in columns(comparison, 1000, "page") if one.title == "stale")
        shown = {row.memory.name: stale.cell(row) for row in comparison.rows if not row.error}
        assert (shown["entity"], shown["window"]) == ("–", ".06 ±.14")

    def test_a_model_of_ones_own_has_figures_and_no_lower_bounds(self, comparison: Comparison) -> None:
        """Nothing is dimmed, and nothing is said of rules."""
        rows = tuple(
            row.model_copy(update={"memory": row.memory.model_copy(update={"floor": False})})
            for row in comparison.results.rows
        )
        text = page(with_results(comparison, rows=rows), DATE)
        assert "≥" not in text
        assert 'class="floor"' not in text
        assert "Hollow" not in text

    def test_a_failure_is_in_its_row(self, comparison: Comparison) -> None:
        """With the reason."""
        assert "failed: the model cannot be reached" in page(comparison, DATE)

    def test_without_questions_nothing_is_said_of_recall(self, comparison: Comparison) -> None:
        """What was not measured is not shown; tokens and cost are."""
        none: dict[str, Any] = {
            "covered": None,
            "whole": None,
            "answers": None,
            "corrected": None,
            "stale": None,
            "categories": {},
            "survived": (),
        }
        rows = tuple(
            row.model_copy(
                update={"budgets": {budget: at.model_copy(update=none) for budget, at in row.budgets.items()}}
            )
            for row in comparison.results.rows
        )
        talks = Talks(count=1, exchanges=76, messages=152, questions=0)
        text = page(with_results(comparison, rows=rows, talks=talks, questions=(), pairs=()), DATE)
        assert text.count("<svg ") == 2
        shown = re.sub(r"<style>.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL)
        assert "The questions" not in shown
        assert ">recall<" not in shown
        assert "What 1,000 exchanges cost, in USD" in text

    def test_without_prices_tokens_stand_for_cost(self, comparison: Comparison) -> None:
        """Nothing is said of money."""
        results: Results = comparison.results
        run = results.run.model_copy(update={"prices": {}, "currency": ""})
        rows = tuple(row.model_copy(update={"costs": {}}) for row in results.rows)
        text = page(with_results(comparison, run=run, rows=rows), DATE)
        assert "Tokens for an exchange" in text
        assert "USD" not in text

    def test_a_cell_says_what_a_memory_showed_for_a_question(self, comparison: Comparison) -> None:
        """What the judge says, else what words say, else the share; what is stale is missed; what rules miss is not."""
        shown: dict[str, list[dict[str, Any]]] = {
            "buffer": [{"covered": 1.0}, {"covered": 0.5}, {"covered": 0.0}, {}],
            "window": [
                {"answer": True, "covered": 0.0},
                {"answer": False, "covered": 1.0},
                {"judged": True, "answer": False},
                {"judged": False, "answer": True},
            ],
            "vector-retriever": [{"covered": 0.5, "update": "stale"}] * 4,
            "entity": [{"covered": 1.0}, {"covered": 0.5}, {"covered": 0.0}, {}],
        }
        questions = tuple(
            one.model_copy(
                update={"memories": {name: {1000: Scored(**figures[place])} for name, figures in shown.items()}}
            )
            for place, one in enumerate(comparison.results.questions[:4])
        )
        text = page(with_results(comparison, questions=questions), DATE)
        rows = [row.memory.name for row in comparison.results.competing]
        table = text[text.index('id="questions"') :]
        found = [
            [
                (kind, float(order), said)
                for kind, order, said in re.findall(r'<td class="(.*?)" data-order="(.*?)">(.*?)<', line)
            ]
            for line in table.split("<tr data-place")[1:5]
        ]
        cells = {name: [line[rows.index(name)] for line in found] for name in shown}
        assert cells["buffer"] == [("hit", 1, "100%"), ("part", 0.5, "50%"), ("miss", 0, "0%"), ("", -1, "–")]
        assert cells["window"] == [
            ("hit", 1, "said"),
            ("miss", 0, "not said"),
            ("hit", 1, "right"),
            ("miss", 0, "wrong"),
        ]
        assert cells["entity"] == [("hit", 1, "100%"), ("part", 0.5, "50%"), ("", 0, "≥ 0%"), ("", -1, "–")]
        ((kind, order, said),) = set(cells["vector-retriever"])
        assert (kind, said) == ("miss", "50%, stale")
        # Sorted between what showed nothing and what is not known.
        assert -1 < order < 0

    def test_what_was_shown_is_there_as_it_was_said(self, comparison: Comparison) -> None:
        """In its own script; what was not kept is told apart from nothing."""
        question = comparison.results.questions[0]
        answers = {"buffer": {1000: Scored(shown=(("user", "我住在上海。"),), tokens=7)}, "window": {1000: Scored()}}
        changed = question.model_copy(update={"memories": answers})
        text = page(with_results(comparison, questions=(changed,)), DATE)
        assert "我住在上海。" in text
        data = json.loads(read(text).texts["script"][0])
        buffer, window = (data["questions"][0]["memories"][data["names"].index(name)] for name in ("buffer", "window"))
        assert (buffer["tokens"], data["lines"][buffer["shown"][0][1][0]]) == (7, "我住在上海。")
        assert window["shown"] is None

    def test_the_main_budget_comes_first_and_no_budget_twice(self, comparison: Comparison) -> None:
        """The others are folded below it."""
        text = page(comparison, DATE)
        assert re.findall(r">Within ([\d,]+) tokens<", text) == ["1,000", "250"]

    def test_a_line_of_text_stands_there_but_once(self, comparison: Comparison) -> None:
        """What many memories showed for many questions makes no page of megabytes."""
        text = page(comparison, DATE)
        assert text.count("Human: The boat costs 4,200") == 1
