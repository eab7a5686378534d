"""What a model learns of a bundled conversation, from its replies."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.recorded_states import Learnt, fingerprint, log_of
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.learning import Replies, learn_talk
from memzoo.errors import OptionError
from memzoo.stores import Message

LOAD = {"name": "load-1", "prompt": "Who?", "reply": "NONE"}


def asked(transcript: Transcript) -> list[dict[str, str]]:
    """What a summary asks when it learns a conversation, with replies."""
    prompts: list[dict[str, str]] = []

    class Asking(Replies):
        def __call__(self, messages: Sequence[Message]) -> str:
            prompts.append({"prompt": str(messages[0]["content"]), "reply": f"Summary {len(prompts)}."})
            return prompts[-1]["reply"]

    learn_talk(transcript, "summary", Asking([]), 3000)
    return prompts


@pytest.fixture(autouse=True)
def short_sample(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    """The short conversation in place of the bundled one."""

    def short(_language: str) -> list[Transcript]:
        return [transcript]

    monkeypatch.setattr("memzoo.benchmarks.research.learning.sample_transcripts", short)


def run(folder: Path, replies: list[dict[str, str]], *more: str) -> tuple[Learnt | None, str]:
    """What the command makes of replies to the prompts of a summary, and what it says."""
    (folder / "summary.json").write_text(json.dumps([LOAD, *replies]), encoding="utf-8")
    out = folder / "learnt.json"
    done = CliRunner().invoke(app, ["learn", str(folder), str(out), *more])
    return (Learnt.model_validate_json(out.read_bytes()) if out.exists() else None), done.output


def test_replies_become_a_state(tmp_path: Path, transcript: Transcript) -> None:
    """The memory reads them; what they cost is counted, and replies to loads are passed over."""
    learnt, output = run(tmp_path, asked(transcript), "--by", "somebody")
    assert learnt is not None
    assert (learnt.by, learnt.talk) == ("somebody", fingerprint(transcript))
    found = learnt.memories["summary"]
    assert found.items["summary"].startswith("Summary")
    assert found.steps[-1].watermark == len(log_of(transcript))
    assert found.spent.calls >= 1
    assert found.spent.prompt_tokens > found.spent.completion_tokens > 0
    assert "entity: there is no" in output


def test_a_prompt_that_nobody_answered_ends_it(tmp_path: Path, transcript: Transcript) -> None:
    """Its beginning is shown, and nothing is written."""
    other = [one | {"prompt": f"Earlier: {one['prompt']}"} for one in asked(transcript)]
    learnt, output = run(tmp_path, other)
    assert learnt is None
    assert "nobody answered prompt 1, which begins: Task: summary" in output


def test_replies_to_earlier_prompts_can_be_taken_in_order(tmp_path: Path, transcript: Transcript) -> None:
    """It is said how many prompts differ; where there is no reply left, it ends."""
    other = [one | {"prompt": f"Earlier: {one['prompt']}"} for one in asked(transcript)]
    learnt, output = run(tmp_path, other, "--in-order")
    assert learnt is not None
    assert f"{len(other)} of the prompts are others today" in output
    with pytest.raises(OptionError, match="nobody answered prompt 1"):
        Replies([LOAD], in_order=True)([{"role": "user", "content": "Who?"}])
