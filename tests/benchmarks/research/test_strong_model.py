"""What memories know and show of a talk, learnt by a model's replies."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.learning import Replies, learn_talk
from memzoo.stores import Message

REPLIES = {"summary": "Nobody said anything.", "knowledge-graph": "NONE", "entity": "NONE"}


@pytest.fixture(autouse=True)
def short_sample(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    """The short conversation in place of the bundled ones."""

    def short(_language: str) -> list[Transcript]:
        return [transcript]

    monkeypatch.setattr("memzoo.benchmarks.research.strong_model.sample_transcripts", short)


def answered(folder: Path, transcript: Transcript, name: str, reply: str) -> None:
    """Write down what a memory asks when it learns the talk, always with the same reply."""
    asked: list[dict[str, str]] = []

    class Asking(Replies):
        def __call__(self, messages: Sequence[Message]) -> str:
            asked.append({"prompt": str(messages[0]["content"]), "reply": reply})
            return reply

    learn_talk(transcript, name, Asking([]), 6000)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(asked), encoding="utf-8")


def rows(output: str) -> dict[str, list[str]]:
    """The cells of the table by memory."""
    lines = [line for line in output.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {name: rest for name, *rest in cells}


def run(*arguments: object) -> tuple[int, str]:
    """The exit code of the command, and what it says."""
    done = CliRunner().invoke(app, ["strong-model", *map(str, arguments)])
    return done.exit_code, done.output


def test_shows_all_that_learnt_and_the_search(tmp_path: Path, transcript: Transcript) -> None:
    """There is a row for each memory with replies, the retriever, and both together."""
    (question,) = [one for one in transcript.measured if one.answer][:1]
    for name, reply in REPLIES.items():
        answered(tmp_path / "zh", transcript, name, question.answer if name == "summary" else reply)
    code, output = run(tmp_path, "--talk", "zh", "--budgets", "50,500")
    assert code == 0, output
    found = rows(output)
    assert {"summary @500", "entity @50", "knowledge-graph @500", "vector-retriever @50", "combined @500"} <= set(found)
    assert float(found["summary @500"][0]) > 0
    assert float(found["knowledge-graph @500"][0]) == 0
    assert "others today" not in output


def test_shows_what_a_summary_could_show(tmp_path: Path, transcript: Transcript) -> None:
    """A summary that was written with the questions at hand has a row of its own."""
    answered(tmp_path / "bundled", transcript, "summary", "Nothing.")
    answers = [one.answer for one in transcript.measured if one.answer]
    (tmp_path / "bundled" / "summary-ceiling.txt").write_text("\n".join(answers), encoding="utf-8")
    found = rows(run(tmp_path)[1])
    assert float(found["summary, questions at hand"][1].split()[0]) > float(found["summary @1,000"][1].split()[0])


def test_a_prompt_that_nobody_answered_ends_it(tmp_path: Path, transcript: Transcript) -> None:
    """Replies to prompts of another version count only if they are to be taken in their order, and are counted then."""
    answered(tmp_path / "bundled", transcript, "summary", "Nothing.")
    file = tmp_path / "bundled" / "summary.json"
    file.write_text(json.dumps([one | {"prompt": "Another"} for one in json.loads(file.read_text())]), encoding="utf-8")
    code, output = run(tmp_path)
    assert (code, "nobody answered" in output) == (1, True)
    code, output = run(tmp_path, "--in-order")
    assert (code, "prompts are others today" in output) == (0, True)


@pytest.mark.parametrize("talk", ["bundled", "german"])
def test_says_what_is_missing(tmp_path: Path, talk: str) -> None:
    """Without replies, or of an unknown talk, it says what would be right."""
    code, output = run(tmp_path, "--talk", talk)
    assert code == 1
    assert "bundled" in output


def test_an_unchanged_beginning_is_paid_a_tenth(tmp_path: Path, transcript: Transcript) -> None:
    """A summary is the same for each question: only for the first is it paid whole."""
    answered(tmp_path / "bundled", transcript, "summary", "They met in Oslo. " * 40)
    code, output = run(tmp_path)
    assert code == 0, output
    tokens, paid = (float(figure) for figure in rows(output)["summary @1,000"][6:8])
    count = len([one for one in transcript.measured if one.answer])
    assert count > 1
    assert paid == pytest.approx(tokens * (1 + 0.1 * (count - 1)) / count, abs=1)
