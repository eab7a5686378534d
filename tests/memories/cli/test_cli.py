"""The `memzoo` command, as a user calls it."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import openai
import pytest
from typer.testing import CliRunner, Result

from memzoo import STRATEGIES, create_memory, open_store
from memzoo.memories.cli.commands import app, main
from memzoo.memories.registry import further_names, strategy_named

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


def test_list_has_a_line_for_each_strategy(memzoo: Memzoo) -> None:
    """The zoo is listed with short names, classes and what each shows: the seven first, then the others."""
    lines = memzoo("list").output.splitlines()
    names = [*STRATEGIES, *further_names()]
    assert [line.split()[:2] for line in lines] == [[name, strategy_named(name).__name__] for name in names]
    assert all(len(line.split()) > 4 for line in lines)


def test_compare_writes_its_report(memzoo: Memzoo, tmp_path: Path) -> None:
    """A comparison of chosen strategies on a file ends with a table and the files."""
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "I like tea"}\n{"role": "assistant", "content": "Noted"}\n')
    out = tmp_path / "out"
    options = ["--memory", "window", "--out", str(out), "--token-counter", "approximate", "--budget", "50"]
    output = memzoo("compare", str(chat), *options).output
    assert re.search(r"^window ", output, flags=re.MULTILINE)
    assert {path.name for path in out.iterdir()} == {"report.html", "results.json", "timings.json"}


class TestChat:
    """`memzoo chat`."""

    def test_goes_on_after_a_restart(self, memzoo: Memzoo, tmp_path: Path) -> None:
        """With a store, the next start goes on with its conversation, under another strategy too."""
        store = f"sqlite:///{tmp_path}/chat.db"
        first = memzoo("chat", "--store", store, typed="My sister Anna lives in Oslo.\n/quit\n")
        assert "0 messages so far" in first.output
        again = memzoo("chat", "--store", store, "--memory", "vector-retriever", typed="Where does Anna live?\n")
        assert "2 messages so far" in again.output
        assert "Oslo" in again.output

    def test_shows_what_the_model_sees(self, memzoo: Memzoo) -> None:
        """`/memory` prints the view as chat messages."""
        output = memzoo("chat", "--memory", "buffer", typed="I like tea\n\n/memory\n/quit\nnever said\n").output
        assert '"content": "I like tea"' in output
        assert "never said" not in output

    def test_counts_without_a_vocabulary(self, memzoo: Memzoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the offline model tokens are counted approximately by default; a tokenizer that is asked for is used."""
        monkeypatch.setattr("tiktoken.get_encoding", pytest.fail)
        assert "memory" in memzoo("chat", typed="I like tea\nI like cake\n/quit\n").output
        store = f"sqlite:///{tmp_path}/chat.db"
        with pytest.raises(ValueError, match="gpt-0' is no model"):
            memzoo("chat", "--token-counter", "gpt-0", "--store", store, typed="I like tea\n/quit\n")

    def test_makes_no_file_for_a_strategy_that_there_is_not(self, memzoo: Memzoo, tmp_path: Path) -> None:
        """A wrong name is refused before the store is opened."""
        with pytest.raises(KeyError, match="no strategy 'nope'"):
            memzoo("chat", "--memory", "nope", "--store", f"sqlite:///{tmp_path}/chat.db")
        assert list(tmp_path.iterdir()) == []

    def test_asks_which_of_several_conversations(self, memzoo: Memzoo, tmp_path: Path) -> None:
        """A store with several conversations needs a choice, and the error lists them."""
        store = f"sqlite:///{tmp_path}/chat.db"
        for conversation in ("one", "two"):
            memzoo("chat", "--store", store, "--conversation", conversation, typed="hi\n")
        with pytest.raises(ValueError, match="choose one with --conversation: one, two"):
            memzoo("chat", "--store", store)
        shown = memzoo("chat", "--store", store, "--conversation", "two").output
        assert "2 messages so far" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chat", "--memory", "nope"], "there is no strategy 'nope'; there are 'buffer'"),
        (["chat", "--store", "chat.db"], "write 'sqlite:///chat.db'"),
        (["compare", "missing.json"], "missing.json"),
        (["export", "--store", "{store}", "--out", "/no/such/folder/x"], "'/no/such/folder/x' cannot be written"),
        (["graph", "--store", "{store}", "--out", "/no/such/folder/x"], "'/no/such/folder/x' cannot be written"),
        (["serve-offline", "--port", "{port}"], "cannot listen on 127.0.0.1, port {port}: Address already in use"),
    ],
)
def test_a_foreseen_error_is_one_line(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """What a user gets wrong ends with one line that says what would be right, and exit code 2; no traceback."""
    url = f"sqlite:///{tmp_path}/kept.db"
    with open_store(url) as store:
        create_memory("buffer", store=store).save_context({"input": "hi"}, {"output": "hello"})
    with socket.create_server(("127.0.0.1", 0)) as busy:
        places = {"store": url, "port": busy.getsockname()[1]}
        monkeypatch.setattr("sys.argv", ["memzoo", *(argument.format(**places) for argument in arguments)])
        with pytest.raises(SystemExit) as left:
            main()
    [shown] = capsys.readouterr().err.splitlines()
    assert left.value.code == 2
    assert shown.startswith("error: ")
    assert message.format(**places) in shown


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
