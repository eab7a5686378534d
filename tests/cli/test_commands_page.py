"""The page about the commands: all of them are on it, and its examples run."""

import io
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer.main

from memzoo.cli.commands import app
from tests.cli.conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| `memzoo (.*)` \|$", PAGE, re.MULTILINE))
# It takes long: test_play_command.py has it.
ELSEWHERE = ("demo",)


def _commands() -> Mapping[str, Any]:
    return vars(typer.main.get_command(app))["commands"]


def test_every_command_is_there() -> None:
    """Each command has a row, in which an example calls it; no row is about a command that there is not."""
    assert set(EXAMPLES) == {name for name, made in _commands().items() if not made.hidden}
    assert [name for name, example in EXAMPLES.items() if shlex.split(example)[0] != name] == []


def test_the_examples_run(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One after another, in an empty folder and without a key, each ends with 0."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for example in (example for name, example in EXAMPLES.items() if name not in ELSEWHERE):
        monkeypatch.setattr("sys.stdin", io.StringIO("My sister Anna lives in Oslo.\n"))
        assert command(*shlex.split(example)).code == 0, example
    assert {"chat.db", "chat.json", "copy.db"} <= {path.name for path in tmp_path.iterdir()}
    assert "My sister ___ lives in Oslo." in Path("questions.yaml").read_text(encoding="utf-8")


def test_the_options_of_the_model_are_there() -> None:
    """The page has those that are about the model, and each command that asks one has them all."""
    documented = set(re.findall(r"^\| `(--[a-z-]+)` \|", PAGE, re.MULTILINE))
    options = {name: {option for one in made.params for option in one.opts} for name, made in _commands().items()}
    asking = {name for name, given in options.items() if "--model" in given}
    assert asking == {"chat", "show", "learn", "compare", "play"}
    assert [name for name in asking if not documented <= options[name]] == []
