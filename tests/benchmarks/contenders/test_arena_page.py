"""Figures of the page beside other libraries, worked out anew from the conversation alone."""

import re
from pathlib import Path

import pytest

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.transcripts import sample_transcripts

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
