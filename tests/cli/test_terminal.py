"""What is stored is shown on a terminal, and never obeyed by it."""

import ast
import io
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from memzoo import cli
from memzoo.cli.commands import app, main
from memzoo.cli.terminal import Terminal
from memzoo.memories import create_memory
from memzoo.stores import open_store
from memzoo.text import visible
from tests.cli.conftest import Command

FORGED = "2\t2026-01-01 00:00:00+00:00\tassistant\tFORGED"
HOSTILE = f"\x1b]0;title\x07\x1b[2J\x1b]52;c;aGk=\x07\x9b2J\u202eevil\n{FORGED}\r\v\u2028"
OBEYED = [*map(chr, {*range(32), *range(127, 160)} - {9, 10}), *"\u2028\u2029\u202e\u2066"]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with a conversation whose id, names and messages are hostile."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with open_store(url) as store:
        for name in ("buffer", "summary", "knowledge-graph"):
            memory = create_memory(name, store=store, conversation_id=HOSTILE, **_asked(name), learn_every=1)
            memory.save_context({"input": HOSTILE}, {"output": HOSTILE}, turn_id="1")
    return url


@pytest.mark.parametrize(
    ("command", "encoding", "shown"),
    [
        ("history", "cp1252", "caf\u00e9 \\u5c0f\\U0001f642"),
        ("history", "gbk", "caf\u00e9 小\\U0001f642"),
        ("export --as openai", "utf-8", "caf\u00e9 小🙂"),
        ("show --memory buffer", "utf-8", "caf\u00e9 小🙂"),
    ],
)
def test_an_encoding_may_lack_letters(
    command: str, encoding: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table then has escapes in their place; files for other programs are UTF-8 whatever the encoding."""
    url, out = f"sqlite:///{tmp_path}/chat.db", io.BytesIO()
    with open_store(url) as store:
        create_memory("buffer", store=store, conversation_id="c").add_messages(
            [{"role": "user", "content": "café 小🙂"}]
        )
    pipe = io.TextIOWrapper(out, "cp1252" if encoding == "utf-8" else encoding)
    monkeypatch.setattr("sys.stdout", pipe)
    monkeypatch.setattr("sys.argv", ["memzoo", *command.split(), "--store", url])
    with pytest.raises(SystemExit) as left:
        main()
    pipe.flush()
    assert left.value.code in (None, 0)
    assert shown in out.getvalue().decode(encoding)


def _asked(name: str) -> dict[str, Any]:
    replies = {"summary": HOSTILE, "knowledge-graph": f"user | says | {HOSTILE[:30]}"}

    def say(messages: object) -> str:
        return replies[name]

    return {"llm": say} if name in replies else {}


@pytest.mark.parametrize(
    "command",
    [
        "list --store {url}",
        "history --store {url}",
        "show --as state --store {url} --memory summary",
        "show --as state --store {url} --memory knowledge-graph",
        "show --store {url} --memory buffer",
        "show --store {url} --memory summary",
        "show --store {url} --memory knowledge-graph --query user",
        "show --as graph --store {url}",
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


@pytest.mark.parametrize("command", ["list --store {url}", "history --store {url}"])
def test_no_row_is_forged(command: str, url: str) -> None:
    """A line end in a message or an id begins no row."""
    rows = CliRunner().invoke(app, command.format(url=url).split()).output.splitlines()
    assert len(rows) == (1 if command.startswith("list") else 2)
    assert not [line for line in rows if line.startswith(FORGED)]


@pytest.mark.parametrize("arguments", [["--conversation", HOSTILE + "no"], ["--conversation", "x"]])
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
    for command in ("history", "show --as graph", "forget --thorough", "forget --all"):
        monkeypatch.setattr("sys.argv", ["memzoo", *command.split(), "--store", url])
        with pytest.raises(SystemExit):
            main()
    printed = capsys.readouterr()
    assert "Planted0123" not in printed.err + printed.out
    assert "error: " in printed.err


def test_only_the_helpers_print() -> None:
    """No command prints past the helpers: it has no console of another kind, and writes nothing by itself."""
    for path in Path(str(cli.__file__)).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        past = ("typer.echo(", "typer.confirm(", "Console(", "print(", "sys.stdout.write")
        found = [call for call in calls if call.startswith(past) and "map(visible, " not in call]
        assert path.name == "terminal.py" or not found, path


def test_a_terminal_keeps_its_own_colours() -> None:
    """What it prints is coloured, and escapes in it are shown, in tables and in progress bars too."""
    from rich.progress import Progress
    from rich.table import Table

    file = io.StringIO()
    console = Terminal(file=file, force_terminal=True, color_system="standard", width=200)
    table = Table(HOSTILE)
    table.add_row(HOSTILE)
    console.print(f"[red]{HOSTILE}[/]", table)
    with Progress(console=console) as bar:
        bar.add_task(HOSTILE.replace("[", "("), total=1)
    assert "\x1b[31m" in file.getvalue()
    assert not [piece for piece in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e") if piece in file.getvalue()]


# What each command is given that may hold an escape: a path, an id, a URL, a name, or the content of a file.
GIVEN = {
    "list": "--store {evil}://x",
    "chat": "--store {url} --conversation {evil} --memory {evil}",
    "compare": "talk{evil}.json --memory window --out out{evil}",
    "play": "talk{evil}.json --html {evil}/x",
    "demo": "{evil}",
    "history": "--store {url} --conversation {evil}",
    "pin": "--store {url} --conversation {evil}",
    "show": "--store {url} --as state --memory {evil}",
    "learn": "--store {url} --memory {evil}",
    "export": "--store {url} --out {evil}/x",
    "import": "{evil} --store {url}",
    "forget": "1 --store {url}",
    "mcp": "--store {evil}://x",
    "migrate": "{evil}.py",
    "serve-offline": "{evil}",
    "cassettes show": ".",
    "cassettes diff": "{evil} {evil}",
    "cassettes check": ".",
    "cassettes export": ". exported{evil}",
    "cassettes rerecord": "--yes",
    "cassettes proxy": "{evil}.yaml",
}
EVIL = "\x1b]0;evil\x07\u202e"
TAPE = """\
version: 1
recorder: memzoo.cassettes
recorded: "2026-11-22"
note: "a \\e]0;evil\\a"
interactions:
- request:
    method: POST
    url: "/v1/\\e]0;evil\\a"
    headers: {content-type: application/json}
    body: '{"model": "\\u001b]0;evil", "messages": [{"role": "user", "content": "sk-abcdefghijklmnopqrstuvwx"}]}'
  response:
    status: 200 OK
    headers: {content-type: application/json}
    body: '{"model": "\\u001b]0;evil\\u0007", "choices": [{"message": {"content": "\\u001b]0;evil\\u0007"}}]}'
"""


def all_commands(group: Any = None, before: str = "") -> Iterator[str]:
    """The names of all commands, with those of their groups before them."""
    for name, one in (group or vars(typer.main.get_command(app))["commands"]).items():
        inner: Any = getattr(one, "commands", None)
        yield from all_commands(inner, f"{before}{name} ") if inner else [before + name]


@pytest.fixture
def hostile_place(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A current folder with a conversation and a cassette whose names and contents are hostile; the URL of a store."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    tape = place / f"tape{EVIL}.yaml"
    tape.write_text(TAPE, encoding="utf-8")
    talk = '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "there"}]'
    (place / f"talk{EVIL}.json").write_text(talk, encoding="utf-8")

    def pytest_run(*arguments: str, quiet: bool = False) -> int:
        for one in arguments:
            if one.startswith("cassette_dir="):
                shutil.copy(tape, one.removeprefix("cassette_dir="))
            elif one.startswith("--cassette-list="):
                Path(one.removeprefix("--cassette-list=")).write_text("# folder: recordings", encoding="utf-8")
        return int(quiet)

    monkeypatch.setattr("memzoo.cassettes.command._pytest", pytest_run)
    return url


@pytest.mark.parametrize("name", [*all_commands()])
def test_whatever_a_command_is_given(
    name: str, hostile_place: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names, paths, URLs and contents with escapes are shown by each command, in its output and in its errors."""
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    given = [one.format(evil=EVIL, url=hostile_place) for one in shlex.split(GIVEN[name])]
    ran = command(*name.split(), *given)
    said = ran.output + ran.errors
    assert name == "forget" or "evil" in said, ran
    assert not [char for char in OBEYED if char in said], ran


def test_what_people_write_stays() -> None:
    """Letters of any script, emoji with joiners, tabs and lines are shown as they are."""
    text = "Grüße, 你好 👩\u200d👩\u200d👧 \t\u05e2\u05d1\u05e8\nnext"
    assert visible(text) == text
