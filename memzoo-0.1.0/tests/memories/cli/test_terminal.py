"""What is stored is shown on a terminal, and never obeyed by it."""

import ast
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.memories import create_memory
from memzoo.memories.cli import chat, commands, deleting, stores
from memzoo.memories.cli.commands import app, main
from memzoo.memories.cli.terminal import shown
from memzoo.stores import open_store

FORGED = "2\t2026-01-01 00:00:00+00:00\tassistant\tFORGED"
HOSTILE = f"\x1b]0;title\x07\x1b[2J\x1b]52;c;aGk=\x07\x9b2J\u202eevil\n{FORGED}\r\v\u2028"
OBEYED = [*map(chr, {*range(32), *range(127, 160)} - {9, 10}), *"\u2028\u2029\u202e\u2066"]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a conversation whose id, names and messages are hostile."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with open_store(url) as store:
        for name in ("buffer", "summary", "knowledge-graph"):
            memory = create_memory(name, store=store, conversation_id=HOSTILE, **_asked(name))
            memory.save_context({"input": HOSTILE}, {"output": HOSTILE}, turn_id="1")
    return url


def _asked(name: str) -> dict[str, Any]:
    replies = {"summary": HOSTILE, "knowledge-graph": f"user | says | {HOSTILE[:30]}"}

    def say(messages: object) -> str:
        return replies[name]

    return {"llm": say} if name in replies else {}


@pytest.mark.parametrize(
    "command",
    [
        "stores {url}",
        "history --store {url}",
        "state --store {url} --name summary",
        "state --store {url} --name knowledge-graph",
        "show --store {url} --memory buffer",
        "show --store {url} --memory summary",
        "show --store {url} --memory knowledge-graph --query user",
        "graph --store {url}",
        "export --store {url}",
        "chat --store {url} --memory buffer",
    ],
)
def test_nothing_is_obeyed(command: str, url: str) -> None:
    """Escapes, bells, turned directions and ends of lines are written out in each command's output."""
    typed = f"Who is {HOSTILE!r}? {HOSTILE[:20]}\n/memory\n/quit\n"
    output = CliRunner().invoke(app, command.format(url=url).split(), input=typed).output
    said = output.replace(typed, "")
    assert "evil" in said or "title" in said
    assert not [char for char in OBEYED if char in said]


@pytest.mark.parametrize("command", ["stores {url}", "history --store {url}"])
def test_no_row_is_forged(command: str, url: str) -> None:
    """A line end in a message or an id begins no row."""
    rows = CliRunner().invoke(app, command.format(url=url).split()).output.splitlines()
    assert len(rows) == (1 if command.startswith("stores") else 2)
    assert not [line for line in rows if line.startswith(FORGED)]


@pytest.mark.parametrize("arguments", [["--conversation", HOSTILE + "no"], ["--conversation", ""]])
def test_an_error_shows_hostile_ids(
    arguments: list[str], url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error that names ids shows them."""
    with open_store(url) as store:
        create_memory("buffer", store=store, conversation_id=f"b{HOSTILE}").save_context(
            {"input": "a"}, {"output": "b"}
        )
    monkeypatch.setattr("sys.argv", ["memzoo", "history", "--store", url, *arguments])
    with pytest.raises(SystemExit):
        main()
    error = capsys.readouterr().err
    assert "evil" in error
    assert not [char for char in OBEYED if char in error]


def test_a_password_is_not_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A URL is shown without its password when something is wrong with it (I16)."""
    url = "postgresql://me:Planted0123@127.0.0.1:1/db?connect_timeout=1&nonsense=1"
    for command in ("history", "graph", "scrub", "forget --all"):
        monkeypatch.setattr("sys.argv", ["memzoo", *command.split(), "--store", url])
        with pytest.raises(SystemExit):
            main()
    printed = capsys.readouterr()
    assert "Planted0123" not in printed.err + printed.out
    assert "error: " in printed.err


def test_only_the_helpers_print() -> None:
    """No command prints past the helpers but what it wrote itself: constants, and what went through `shown`."""
    for module in (chat, commands, deleting, stores):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert [call for call in calls if call.startswith("typer.echo(") and "version" not in call] == []


def test_what_people_write_stays() -> None:
    """Letters of any script, emoji with joiners, tabs and lines are shown as they are."""
    text = "Grüße, 你好 👩\u200d👩\u200d👧 \t\u05e2\u05d1\u05e8\nnext"
    assert shown(text) == text
