"""The answers that views show, beside those that a model gives from them."""

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app


def run(folder: Path, *more: str) -> str:
    """What the command prints about one memory."""
    given = ["answered", str(folder), "--memory", "buffer", "--budgets", "300", *more]
    return CliRunner().invoke(app, given).output


def row(table: str) -> list[str]:
    """The cells of the memory's row, without its name."""
    (line,) = (line for line in table.splitlines() if line.startswith("| buffer @300"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_views_are_answered_then_marked_then_packed(tmp_path: Path) -> None:
    """Each step waits for its file, a missing number is an error that names it, and packed answers give the same."""
    assert row(run(tmp_path))[0] == "0"
    views = (tmp_path / "buffer-300.views").read_text(encoding="utf-8")
    numbers = re.findall(r"^### (\d+)$", views, re.MULTILINE)
    assert len(numbers) == len(set(numbers)) == views.count("\nQUESTION: ")

    replies = tmp_path / "buffer-300.replies"
    replies.write_text(json.dumps(dict.fromkeys(numbers[1:], "I do not know.")), encoding="utf-8")
    assert f"buffer-300.replies has nothing for {numbers[0]}" in run(tmp_path)
    replies.write_text(json.dumps(dict.fromkeys(numbers, "I do not know.")), encoding="utf-8")
    assert row(run(tmp_path))[0] == "0"
    assert "given: I do not know." in (tmp_path / "buffer-300.sheet").read_text(encoding="utf-8")

    marks = {number: place == 0 for place, number in enumerate(numbers)}
    (tmp_path / "buffer-300.marks").write_text(json.dumps(marks), encoding="utf-8")
    table = run(tmp_path)
    questions, shown, by_key, by_reader, only_shown, only_answered, _, changed = row(table)
    assert (questions, by_key, by_reader, changed) == (str(len(numbers)), "0", "1", "0")
    assert int(only_shown) - int(only_answered) == int(shown) - 1

    told = run(tmp_path, "--disagreements")
    assert told.count("'I do not know.'") == int(only_shown) + int(only_answered)
    packed = tmp_path / "buffer-300.json"
    assert run(tmp_path) == table
    others = json.loads(packed.read_text(encoding="utf-8"))
    packed.write_text(json.dumps([{**one, "view": "another"} for one in others]), encoding="utf-8")
    assert row(run(tmp_path))[-1] == str(len(numbers))


def test_a_second_reader_marks_a_sample(tmp_path: Path) -> None:
    """It has the replies without views and marks, always the same ones; the command says how far both agree."""
    run(tmp_path)
    numbers = re.findall(r"^### (\d+)$", (tmp_path / "buffer-300.views").read_text(encoding="utf-8"), re.MULTILINE)
    (tmp_path / "buffer-300.replies").write_text(json.dumps(dict.fromkeys(numbers, "Oslo.")), encoding="utf-8")
    run(tmp_path)
    (tmp_path / "buffer-300.marks").write_text(json.dumps(dict.fromkeys(numbers, False)), encoding="utf-8")
    assert "Two readers" not in run(tmp_path, "--second", "4")

    sheet = (tmp_path / "second.sheet").read_text(encoding="utf-8")
    names = re.findall(r"^### (buffer-300/\d+)$", sheet, re.MULTILINE)
    assert len(set(names)) == sheet.count("given: Oslo.") == 4
    run(tmp_path, "--second", "4")
    assert (tmp_path / "second.sheet").read_text(encoding="utf-8") == sheet
    marks = {name: place == 0 for place, name in enumerate(names)}
    other = {"entity-300/1": True}  # of a memory that is not chosen
    (tmp_path / "second.json").write_text(json.dumps(marks | other), encoding="utf-8")
    told = run(tmp_path, "--disagreements")
    assert "Two readers agree on 3 of 4 replies (kappa 0.00)." in told
    assert f"{names[0]}: 'Oslo.' is right to one reader" in told
