"""The `memzoo` command, as a user calls it."""

import io
import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import openai
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

from memzoo import STRATEGIES
from memzoo.cli.commands import app
from memzoo.memories.strategies.named import further_names, strategy_named
from tests.cli.conftest import Command

Memzoo = Callable[..., Result]


@pytest.fixture
def memzoo() -> Memzoo:
    """Runs the command with arguments, and with lines typed in."""

    def run(*arguments: str, typed: str = "") -> Result:
        result = CliRunner().invoke(app, arguments, input=typed, env={"COLUMNS": "200"})
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_list_tells_what_each_strategy_costs_and_needs(memzoo: Memzoo) -> None:
    """Off a terminal, each species is a row: name, class, what it shows, costs and needs; the seven first."""
    names = [*STRATEGIES, *further_names()]
    rows = [line.split("\t") for line in memzoo("list").output.splitlines()][: len(names)]
    assert [cells[:2] for cells in rows] == [[name, strategy_named(name).__name__] for name in names]
    assert [cells for cells in rows if not all(cells)] == []
    assert {cells[0]: cells[4] for cells in rows}["entity"] == "a model"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_list_fits_a_terminal(width: int, memzoo: Memzoo, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, the zoo is no wider than the terminal and names each strategy and class in full."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr("memzoo.cli.zoo.console", console)
    memzoo("list")
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    heads = [word for line in lines if not line.startswith(" ") for word in line.split()]
    names = *STRATEGIES, *further_names()
    assert heads == [*(word for name in names for word in (name, strategy_named(name).__name__)), "Stores"]


def test_help_lists_commands_in_groups(memzoo: Memzoo, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns, what people do first stands first, and each command stands under the heading of its kind."""
    monkeypatch.setenv("COLUMNS", "80")
    found = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output
    assert max(map(len, found.splitlines())) <= 80
    panels = re.findall(r"╭─ ([\w ]+) ─", found)
    assert panels == ["Options", "Talk", "Compare", "Stored data", "Replay tests", "Serving", "Migration"]


def test_help_is_whole_at_80_columns(memzoo: Memzoo) -> None:
    """No word is cut, and no sentence breaks where its line in the source ended."""
    for name in vars(typer.main.get_command(app))["commands"]:
        found = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).output
        assert "…" not in found, name
        above = found.partition("╭")[0].splitlines()
        for line, following in itertools.pairwise(above):
            first = (following.split() or [""])[0]
            assert not first or not line.strip() or len(line.rstrip()) + len(first) > 77, line


@pytest.mark.parametrize("command", ["--help", "compare --help", "forget --help", "cassettes --help", "migrate --help"])
def test_flags_have_no_type(command: str, memzoo: Memzoo) -> None:
    """The help of a flag does not ask for a value."""
    output = memzoo(*command.split()).output
    assert "--help" in output
    assert "bool" not in output


@pytest.mark.parametrize(("given", "taken"), [(None, "1"), ("4", "4")])
def test_small_matrices_are_left_to_one_thread(
    given: str | None, taken: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several only wait for each other, in a search; whoever wants more says so."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert command("list").code == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == taken


def test_compare_writes_its_report(memzoo: Memzoo, tmp_path: Path) -> None:
    """A comparison of chosen strategies on a file ends with a table and the files."""
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "I like tea"}\n{"role": "assistant", "content": "Noted"}\n')
    out = tmp_path / "out"
    options = ["--memory", "window", "--out", str(out), "--token-counter", "approximate", "--budget", "50"]
    output = memzoo("compare", str(chat), *options).output
    assert re.search(r"^window ", output, flags=re.MULTILINE)
    assert {"report.html", "report.md", "results.json"} <= {path.name for path in out.iterdir()}


def test_serve_offline_serves_until_interrupted() -> None:
    """`serve-offline` tells its base_url, answers an OpenAI client there, and ends quietly at Ctrl-C."""
    # Where the tests run in the background, children would ignore Ctrl-C.
    code = "import signal; signal.signal(2, signal.default_int_handler); import runpy; runpy.run_module('memzoo')"
    command = [sys.executable, "-c", code, "serve-offline", "--port", "0"]
    environment = {**os.environ, "COLUMNS": "200"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split("base_url ")[1].split()[0]
        with openai.OpenAI(base_url=url, api_key="none") as client:
            models = [model.id for model in client.models.list()]
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate()
    assert any("offline" in model for model in models)
    assert "Traceback" not in errors
