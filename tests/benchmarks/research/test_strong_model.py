"""What memories learn of a talk from a model's replies, and show of it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.recorded_states import Learnt, fingerprint, log_of
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.strong_model import Replies, learn_talk
from memzoo.errors import OptionError
from memzoo.stores import Message

LOAD = {"name": "load-1", "prompt": "Who?", "reply": "NONE"}


@pytest.fixture(autouse=True)
def short_sample(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    """The short conversation in place of the bundled ones."""

    def short(_language: str) -> list[Transcript]:
        return [transcript]

    monkeypatch.setattr("memzoo.benchmarks.research.strong_model.sample_transcripts", short)


def answered(
    folder: Path, transcript: Transcript, name: str = "summary", reply: str = "Nobody said anything.", before: str = ""
) -> int:
    """Write down what a memory asks when it learns the talk, always with the same reply.

    Returns:
        How often it asks.
    """
    asked: list[dict[str, str]] = [LOAD]

    class Asking(Replies):
        def __call__(self, messages: Sequence[Message]) -> str:
            asked.append({"prompt": f"{before}{messages[0]['content']}", "reply": reply})
            return reply

    learn_talk(transcript, name, Asking([]), 6000)
    (folder / f"{name}.json").write_text(json.dumps(asked), encoding="utf-8")
    return len(asked) - 1


def rows(output: str) -> dict[str, list[str]]:
    """The cells of the table by memory."""
    lines = [line for line in output.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {name: rest for name, *rest in cells}


def learnt_in(folder: Path, *more: str) -> tuple[Learnt | None, str]:
    """What `learn` makes of the replies in a folder, and what it says."""
    out = folder / "learnt.json"
    done = CliRunner().invoke(app, ["learn", str(folder), str(out), *more])
    return (Learnt.model_validate_json(out.read_bytes()) if out.exists() else None), done.output


def test_replies_become_a_state(tmp_path: Path, transcript: Transcript) -> None:
    """The memory reads them; their cost is counted, and replies to loads are passed over."""
    calls = answered(tmp_path, transcript)
    learnt, output = learnt_in(tmp_path, "--by", "somebody")
    assert learnt is not None
    assert (learnt.by, learnt.talk) == ("somebody", fingerprint(transcript))
    found = learnt.memories["summary"]
    assert found.items["summary"] == "Nobody said anything."
    assert found.steps[-1].watermark == len(log_of(transcript))
    assert found.spent.calls == calls
    assert found.spent.prompt_tokens > found.spent.completion_tokens > 0
    assert "entity: there is no" in output


def test_a_prompt_that_nobody_answered_ends_it(tmp_path: Path, transcript: Transcript) -> None:
    """Its beginning is shown, and nothing is written."""
    answered(tmp_path, transcript, before="Earlier: ")
    learnt, output = learnt_in(tmp_path)
    assert learnt is None
    assert "nobody answered prompt 1, which begins: Task: summary" in output


def test_replies_to_earlier_prompts_can_be_taken_in_order(tmp_path: Path, transcript: Transcript) -> None:
    """The number of prompts that differ is told; where there is no reply left, it ends."""
    calls = answered(tmp_path, transcript, before="Earlier: ")
    learnt, output = learnt_in(tmp_path, "--in-order")
    assert learnt is not None
    assert f"{calls} of the prompts are others today" in output
    with pytest.raises(OptionError, match="nobody answered prompt 1"):
        Replies([LOAD], in_order=True)([{"role": "user", "content": "Who?"}])


def test_shows_all_that_learnt_and_the_search(tmp_path: Path, transcript: Transcript) -> None:
    """There is a row for each memory with replies at each limit, and for the retriever."""
    (question,) = [one for one in transcript.measured if one.answer][:1]
    answered(tmp_path, transcript, "summary", question.answer)
    answered(tmp_path, transcript, "entity", "NONE")
    answered(tmp_path, transcript, "knowledge-graph", "NONE")
    done = CliRunner().invoke(app, ["strong-model", str(tmp_path), "--budgets", "50,500"])
    assert done.exit_code == 0, done.output
    found = rows(done.output)
    own = [f"{name} @{limit}" for name in ("entity", "knowledge-graph", "vector-retriever") for limit in (50, 500)]
    assert [*found] == ["summary @500", *own]
    assert float(found["summary @500"][0]) > 0
    assert float(found["knowledge-graph @500"][0]) == 0
