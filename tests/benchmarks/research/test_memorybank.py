"""The command that measures search in ten days of talk, in each language."""

import json
from pathlib import Path

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.memorybank import banks
from tests.benchmarks.research.test_strong_model import rows

DAYS = [*(f"2023-04-{day}" for day in range(27, 31)), *(f"2023-05-0{day}" for day in range(1, 7))]


def bank(folder: Path) -> Path:
    """Files of a person whose talk has a word of its own in each message, and who asks for five of the words."""
    history = {
        day: [{"query": f"said{place}n{number}", "response": f"told{place}n{number}"} for number in range(1, 10)]
        for place, day in enumerate(DAYS)
    }
    asked = ["said3n4", "said4n1", "told6n3", "said1n2", "said3n2", "said5n2", "said7n2"]
    for suffix in ("cn", "en"):
        (folder / f"memory_bank_{suffix}.json").write_text(json.dumps({"Emily": {"history": history}}))
        (folder / f"probing_questions_{suffix}.jsonl").write_text(json.dumps({"Emily": asked}) + "\n")
    return folder


def test_has_tables_for_each_language(tmp_path: Path) -> None:
    """The labels name the messages that answer, and what a search shows of them is in the table."""
    (person,) = banks(bank(tmp_path))["zh"]
    assert [one.evidence[0] for one in person.questions] == [one.text for one in person.questions]
    assert person.questions[4].evidence == ("said3n2", "said3n3")
    done = CliRunner().invoke(app, ["memorybank", str(tmp_path), "--budgets", "60"])
    assert done.exit_code == 0, done.output
    chinese, _, english, _ = f"\n{done.output}".split("\n**")[1:]
    assert rows(chinese)["memzoo: the message with the answer"] == ["1.000"]
    assert chinese.split("**")[1] == english.split("**")[1]


def test_says_that_the_files_are_absent() -> None:
    """An absent file is named."""
    done = CliRunner().invoke(app, ["memorybank", "no-such-folder"])
    assert (done.exit_code, "no-such-folder/memory_bank_cn.json" in done.output.replace("\n", "")) == (1, True)
