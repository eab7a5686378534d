"""A model that answers through files."""

import json
from pathlib import Path

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app

MESSAGES = [
    {"role": "user", "content": "The vet is called Ilse Brandt.", "keep": {"kind": "name", "means": "Ilse Brandt"}},
    {"role": "assistant", "content": "A good name."},
    {"role": "user", "content": "Our dog eats at six."},
    {"role": "assistant", "content": "Noted."},
]


def run(*given: object) -> str:
    """What the command prints."""
    found = CliRunner().invoke(app, ["written", *map(str, given), "--memory", "summary", "--sizes", "2"])
    return found.output


def test_replies_are_taken_from_files_and_packed_ones_give_the_same(tmp_path: Path) -> None:
    """Prompts that differ from those answered are counted; a prompt without an answer is an error that names it."""
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps({"messages": MESSAGES}), encoding="utf-8")
    reply = tmp_path / "told" / "01-summary-2" / "0001.reply"
    reply.parent.mkdir(parents=True)
    reply.write_text("The vet is Ilse Brandt.\n", encoding="utf-8")
    table = run(tmp_path / "told", "--talks", talk, "--pack", tmp_path / "packed")
    assert "1 of 1" in table
    assert "Our dog eats at six." in reply.with_suffix(".prompt").read_text(encoding="utf-8")
    assert run(tmp_path / "packed", "--talks", talk) == table
    packed = tmp_path / "packed" / "01-summary-2.json"
    packed.write_text(json.dumps([{"prompt": "another", "reply": "The vet is Ilse Brandt."}]), encoding="utf-8")
    assert [line.split("|")[9].strip() for line in run(packed.parent, "--talks", talk).splitlines()[2:3]] == ["1"]
    packed.write_text("[]", encoding="utf-8")
    assert "01-summary-2.json has no reply to prompt 1;" in run(tmp_path / "packed", "--talks", talk)
