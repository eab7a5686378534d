"""Figures of the page beside other libraries, worked out anew from the conversation alone."""

import re
from pathlib import Path

import pytest

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.transcripts import sample_transcripts
from tests.browser import needs_chromium, opened

PAGE = (Path(__file__).parents[3] / "docs" / "arena.md").read_text(encoding="utf-8")
ENGLISH = PAGE.partition("<!-- arena: sample:en -->")[2].partition("<!-- arena: end sample:en -->")[0]


@pytest.mark.parametrize(
    ("row", "exchanges"), [("window", 5), ("langchain-classic/window", 5), ("none", 0), ("everything", 102)]
)
def test_the_share_of_answers_is_that_of_the_exchanges_shown(row: str, exchanges: int) -> None:
    """The last five exchanges hold the answers that the page says for two windows of five; none and all likewise."""
    (talk,) = sample_transcripts()
    shown = [str(one["content"]) for said in talk.exchanges[len(talk.exchanges) - exchanges :] for one in said.messages]
    found = [answer_found(one.answer, shown) for one in talk.measured]
    asked = [one for one in found if one is not None]
    within_1000 = ENGLISH.partition("Within 1,000 tokens:")[2]
    told = re.search(rf"^\| (?:\[{row}\]\([^)]*\)|{row}) \| (\S+) ", within_1000, re.MULTILINE)
    assert told
    assert float(told[1]) == round(sum(asked) / len(asked), 2)


@needs_chromium
def test_a_click_on_a_heading_sorts_its_table(tmp_path: Path) -> None:
    """By the figure with which a cell begins, the largest first and then the smallest; names go by the alphabet."""
    rows = [("b", "≥ .08 ±.07", "1,104"), ("c", "", "44"), ("a", ".88 ±.08 note", "983")]
    body = "".join(f"<tr>{''.join(f'<td>{cell}' for cell in cells)}" for cells in rows)
    script = PAGE[PAGE.index("<script>") :]
    page = tmp_path / "page.html"
    table = f"<table><thead><tr><th>memory<th>answers<th>paid<tbody>{body}</table>"
    page.write_text(f"<!doctype html><html data-drawn=1><meta charset=utf-8>{table}{script}", encoding="utf-8")
    with opened() as browser:
        tab = browser.tab(page.as_uri())
        orders: list[str] = []
        for place in (2, 2, 1, 0):
            tab.value(f"document.querySelectorAll('th')[{place}].click()")
            orders.append(
                tab.value("[...document.querySelectorAll('td:first-child')].map(c => c.textContent).join('')")
            )
        assert tab.value("document.querySelectorAll('[aria-sort]').length") == 1
    assert orders == ["bac", "cab", "abc", "cba"]
