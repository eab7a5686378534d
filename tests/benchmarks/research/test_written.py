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


ADAPTER = """# /// script
# dependencies = []
# [tool.memzoo.ways]
# first = {about = "the replies", asks_model = true}
# ///
import json, os, urllib.request

class Memory:
    def __init__(self, **given):
        self.said = []

    def save(self, messages, said_at):
        said = json.dumps({"model": "any", "messages": messages[:1]}).encode()
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        with urllib.request.urlopen(urllib.request.Request(url, said)) as reply:
            self.said.append(json.load(reply)["choices"][0]["message"])

    def view(self, question):
        return self.said
"""


def run(*given: object) -> str:
    """What the command prints."""
    found = CliRunner().invoke(app, ["written", "--memory", "summary", "--sizes", "2", *map(str, given)])
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


def test_a_folder_beside_packed_replies_takes_the_prompts_of_learning_anew(tmp_path: Path) -> None:
    """After the last packed reply, the memory learns anew, another learns all, and the first is back."""
    talk, replies = tmp_path / "talk.json", tmp_path / "told"
    talk.write_text(json.dumps({"messages": MESSAGES}), encoding="utf-8")
    job = replies / "01-summary-later"
    job.mkdir(parents=True)
    for number, said in enumerate(["The vet is Ilse Brandt.", "A dog eats.", "Ilse Brandt is the vet."], start=1):
        (job / f"{number:04}.reply").write_text(said, encoding="utf-8")
    given = ("--talks", talk, "--learn", "later", "--relearn", 1, "--change")
    table = run(replies, *given, "--pack", replies)
    assert table.splitlines()[2].endswith("|      0 of 1 | summary-buffer 1 of 1, summary 0 of 1 |"), table
    (job / "0001.reply").unlink()
    assert run(replies, *given).splitlines()[2] == table.splitlines()[2]


def test_memories_of_other_libraries_take_replies_from_files_too(tmp_path: Path) -> None:
    """Their prompts are written and answered as those of memzoo's memories."""
    talk, adapter = tmp_path / "talk.json", tmp_path / "other.py"
    talk.write_text(json.dumps({"messages": MESSAGES[:2]}), encoding="utf-8")
    adapter.write_text(ADAPTER, encoding="utf-8")
    name = f"01-{adapter}/first-50".replace("/", "-")
    reply = tmp_path / "told" / name / "0001.reply"
    reply.parent.mkdir(parents=True)
    reply.write_text("The vet is Ilse Brandt.\n", encoding="utf-8")
    table = run(tmp_path / "told", "--talks", talk, "--memory", f"{adapter}/first", "--budget", "50")
    assert "1 of 1" in table, table
    assert reply.with_suffix(".prompt").read_text(encoding="utf-8") == "The vet is called Ilse Brandt."


def test_a_question_underway_is_asked_while_messages_wait_to_be_learnt(tmp_path: Path) -> None:
    """A reply that lost the name shows nothing at the end; before it was learnt, its message showed it."""
    messages = [{**one, "id": str(place)} for place, one in enumerate(MESSAGES)]
    asked = {"question": "Who treats our dog?", "answer": "Ilse Brandt", "evidence": ["0"]}
    talk, reply = tmp_path / "talk.json", tmp_path / "told" / "01-summary-2" / "0001.reply"
    talk.write_text(json.dumps({"messages": messages, "questions": [asked]}), encoding="utf-8")
    reply.parent.mkdir(parents=True)
    reply.write_text("Their dog eats at six.\n", encoding="utf-8")
    *_, row = run(tmp_path / "told", "--talks", talk, "--underway").strip().splitlines()
    assert [row.split("|")[place].strip() for place in (4, 13)] == ["0 of 1", "1.00 of 1"]
    talk.write_text(json.dumps({"messages": MESSAGES}), encoding="utf-8")
    assert "--underway needs questions with their evidence" in run(tmp_path / "told", "--talks", talk, "--underway")
