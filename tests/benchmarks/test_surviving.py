"""Lines that a transcript marks are followed through the talk: what of them is still shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import Settings, compare
from memzoo.benchmarks.drafting import draft_questions
from memzoo.benchmarks.report.pages import page
from memzoo.benchmarks.report.writing import markdown
from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.errors import TransferError
from memzoo.memories import create_memory
from memzoo.stores import Message
from memzoo.stores.base import utc_now

RULE = "Never mail a customer before Rosa has approved of it."
GOAL = {"role": "user", "content": "We want to open on 3 June.", "keep": {"kind": "goal", "means": "3 June"}}


def written(folder: Path, *first: Any, more: int = 24) -> str:
    """A file with a talk that goes on about other things."""
    talk = [
        {"role": role, "content": text}
        for number in range(more)
        for role, text in (("user", f"How do I bake bread number {number}?"), ("assistant", "With flour and patience."))
    ]
    file = folder / "talk.json"
    file.write_text(json.dumps({"messages": [*first, *talk]}), encoding="utf-8")
    return str(file)


def test_what_is_still_shown_is_counted_by_age_and_kind(tmp_path: Path) -> None:
    """A window forgets after its exchanges, the end is counted by kind, and everything has all of it."""
    rule = {"role": "user", "content": RULE, "keep": "safety rule"}
    file = written(tmp_path, rule, {"role": "assistant", "content": "Understood."}, GOAL)
    found = compare(file, ["window:k=5", "buffer"], Settings(budgets=[1000]))
    figures = {row.memory.name: row.budgets[1000] for row in found.rows}
    # The goal is said one exchange after the rule; a window of 5 shows both for 5 exchanges, and none of it after that.
    assert figures["window:k=5"].survival_by_age() == [(1, 1.0), (2, 1.0), (5, 0.2), (10, 0.0), (20, 0.0)]
    assert str(figures["buffer"].at_end("goal")) == "1 of 1"
    assert {name: str(one.at_end("safety rule")) for name, one in figures.items()} == {
        "none": "0 of 1",
        "window:k=5": "0 of 1",
        "buffer": "1 of 1",
        "everything": "1 of 1",
    }
    assert figures["buffer"].at_end("fact") is None
    text = page(found, utc_now())
    assert "Marked lines that are still shown" in text
    assert "What survives to the end" in text
    assert "| window:k=5 | 0/1 | 0/1 |" in markdown(found)


def test_other_words_that_say_it_count(tmp_path: Path) -> None:
    """What a line means is looked for as answers are: a summary says it in its own words."""
    file = written(tmp_path, GOAL, more=1)

    def summary(_: list[Message]) -> str:
        return "They open their shop on June 3."

    def noted(**common: Any) -> Any:
        return create_memory("summary", llm=summary, **common)

    found = compare(file, {"noted": noted}, Settings(budgets=[1000]))
    row = next(row for row in found.rows if row.memory.name == "noted")
    assert str(row.budgets[1000].at_end("goal")) == "1 of 1"


def test_without_marks_nothing_is_said_of_it(tmp_path: Path) -> None:
    """No chart and no table."""
    found = compare(written(tmp_path, more=3), ["window"], Settings(budgets=[1000]))
    assert found.results.kept_kinds == []
    assert "survive" not in markdown(found)
    assert "still shown" not in page(found, utc_now())


@pytest.mark.parametrize("keep", ["rule", 7, {"kind": "wish"}, {"kind": "goal", "means": 3}, {}])
def test_another_kind_is_refused(tmp_path: Path, keep: object) -> None:
    """The file, the line, what was given and what may be given are named."""
    file = written(tmp_path, {"role": "user", "content": "Hello", "keep": keep})
    with pytest.raises(TransferError, match=r"talk.json.*'keep' of 'Hello': expected one of 'name'.*, not"):
        load_transcripts(file)


def test_the_mark_is_no_part_of_the_message(tmp_path: Path) -> None:
    """No memory sees that a line is followed."""
    (talk,) = load_transcripts(written(tmp_path, GOAL, more=1))
    assert talk.exchanges[0].messages[0] == {"role": "user", "content": "We want to open on 3 June."}
    assert talk.exchanges[0].marks[0].means == "3 June"


def test_drafts_keep_the_marks(tmp_path: Path) -> None:
    """`draft_questions` writes the talk with them."""
    file = written(tmp_path, GOAL, more=1)
    (tmp_path / "drafted.yaml").write_text(draft_questions(load_transcripts(file), count=3), encoding="utf-8")
    (first,), (talk,) = load_transcripts(file), load_transcripts(tmp_path / "drafted.yaml")
    assert talk.exchanges[0].marks == first.exchanges[0].marks
    assert talk.exchanges[0].messages == first.exchanges[0].messages
