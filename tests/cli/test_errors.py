"""Whatever goes wrong in a command is told in one line, with the exit code that docs/commands.md has for it."""

import io
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo import create_memory, open_store
from tests.cli.conftest import Command, Ran

KEPT = [
    *("history", "show --memory buffer", "show --as state", "export", "show --as graph", "forget --thorough"),
    *("forget 1 --yes", "forget --older-than 30d --yes"),
]

NAMING = [
    *(f"{command} --store {{store}}" for command in (*KEPT[:5], "pin", "learn --memory summary", "forget 1 --yes")),
    *("chat", "import {bytes} --store {store}", "play", "play --store {store}", "mcp --store {store}"),
]


@pytest.fixture
def places(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A store with a conversation, a port that is busy, one where nobody listens, a folder, and a file of bytes."""
    url = f"sqlite:///{tmp_path}/kept.db"
    with open_store(url) as store:
        create_memory("buffer", store=store, conversation_id="anna").save_context({"input": "hi"}, {"output": "hello"})
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\0" * 100)
    (tmp_path / "talk").write_text('[\n{"role": "user", "content": "hi"}\n]', encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as busy, socket.socket() as silent:
        # Bound, but not listening: whoever connects is refused.
        silent.bind(("127.0.0.1", 0))
        ports = {"busy": str(busy.getsockname()[1]), "silent": str(silent.getsockname()[1])}
        files = {name: str(tmp_path / name) for name in ("bytes", "talk", "cassette")}
        yield {"store": url, "folder": str(tmp_path), **files, **ports}


def told(ran: Ran) -> str:
    """The one line of an error, which has the exit code 2."""
    assert ran.code == 2, ran
    [line] = ran.errors.splitlines()
    assert line.startswith("error: ")
    return line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("chat --memory nope", "there is no strategy 'nope'; there are 'buffer'"),
        ("chat --memory sumary", "Did you mean 'summary'?"),
        ("chat --store chat.db", "write 'sqlite:///chat.db'"),
        ("chat --store sqlite:////no/such/chat.db", "folder /no/such does not exist"),
        ("chat --store sqlite:///{folder}", "{folder}"),
        ("chat --store sqlite:///{bytes}", "{bytes}"),
        ("chat --model m:base_url=localhost:80", "must be like http://127.0.0.1:8080/v1, not 'localhost:80'"),
        ("chat --model m:base_url=http://[::1", "must be like http://127.0.0.1:8080/v1, not 'http://[::1'"),
        *((f"{command} --conversation=", "--conversation must name a conversation, not ''") for command in NAMING),
        ("chat --model m:temperature=warm", "temperature must be a number, not 'warm'"),
        ("chat --model qwen3:4b:base_url=http://127.0.0.1:1,temprature=0", "Did you mean 'temperature'?"),
        ("chat --memry buffer", "--memory"),
        ("compare missing.json", "missing.json"),
        ("compare {bytes}", "{bytes}"),
        ("compare --prices bash.15,0.60", "put a price with $ in quotes, such as '$0.15,0.60'"),
        ("compare --memory nope", "there is no strategy 'nope'"),
        ("compare --prices 1", "--prices '1' is neither prices, such as 0.15,0.60, nor an existing TOML file"),
        (
            "compare --prices gpt=1,2",
            "--prices 'gpt=1,2' is neither prices, such as 0.15,0.60, nor an existing TOML file",
        ),
        ("compare --write-questions q.txt", "--write-questions writes YAML: give q.yaml"),
        ("compare --jobs 0", "Invalid value for '--jobs': Input should be greater than or equal to 1, not '0'"),
        ("show --memory window:k=2,k=3 --store {store}", "'k=2,k=3' gives an option twice"),
        ("show --as state --out x --store {store}", "--out needs the strategy whose state to write"),
        ("learn --memory summary --conversation ana --store {store}", "Did you mean 'anna'?"),
        (
            "learn --memory summary:conversation_id=a --store {store}",
            "is not an option of --memory: use --conversation",
        ),
        ("learn --memory summary:llm=m --store {store}", "llm is not an option of --memory: use --model"),
        ("learn --again --yes --memory window --store {store}", "'window' learns nothing"),
        ("pin one --store {store}", "Invalid value for 'ids': Input should be a valid integer, not 'one'"),
        ("mcp --http 70000", "'--http': Input should be less than or equal to 65535, not '70000'"),
        ("mcp --http {busy} --store {store}", "cannot listen on port {busy}: Address already in use"),
        ("mcp --export x --store sqlite:///{folder}/no.db", "there is no file {folder}/no.db"),
        ("cassettes proxy {cassette} --record http://a --port {busy}", "cannot listen on port {busy}: Address already"),
        ("export --store {store} --out /no/such/folder/x", "'/no/such/folder/x' cannot be written"),
        ("export --store {store} --out {folder}", "'{folder}' cannot be written: Is a directory"),
        ("show --as graph --store {store} --out /no/such/folder/x", "'/no/such/folder/x' cannot be written"),
        ("history --store {store} --conversation ana", "Did you mean 'anna'?"),
        ("history", "'--store'"),
        ("show --store {store}", "--as view needs a strategy"),
        ("show --as stat --store {store}", "Invalid value for '--as': 'stat' is not one of"),
        ("hsitory", "Did you mean 'history'"),
        ("import missing.jsonl --store {store}", "there is no file missing.jsonl"),
        ("import {bytes} --store {store}", "{bytes} cannot be read as UTF-8 text"),
        ("import {folder} --store {store}", "kept.db cannot be read as OpenAI Agents' sessions"),
        ("forget --store {store}", "choose one thing to delete"),
        ("forget --store {store} --idle-for long --yes", "--idle-for must be a number of days"),
        ("serve-offline --port {busy}", "cannot listen on port {busy}: Address already in use"),
        ("serve-offline --port 70000", "'--port'"),
        ("show --as state --store {store} --memory nope", "there is no state 'nope'; there are none"),
        ("list --store mysql://localhost", "unknown kind of store 'mysql'"),
        ("list --store postgres://me@127.0.0.1:{silent}/db?timeout=1", "127.0.0.1:{silent}"),
    ],
)
def test_an_error_is_one_line(
    arguments: str, message: str, places: dict[str, str], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names what is wrong and what would be right; there is no traceback."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    if "postgres:" in arguments:
        pytest.importorskip("psycopg", reason="needs the 'postgres' extra")
    assert message.format(**places) in told(command(*arguments.format(**places).split()))


@pytest.mark.parametrize("arguments", KEPT)
@pytest.mark.parametrize("url", ["sqlite:////no/such/kept.db", "sqlite:///{bytes}", "sqlite:///{folder}"])
def test_a_bad_store_is_one_line(arguments: str, url: str, places: dict[str, str], command: Command) -> None:
    """Of a file that is not there, is no database, or is a folder, each command names the path."""
    url = url.format(**places)
    assert url.removeprefix("sqlite:///") in told(command(*arguments.split(), "--store", url))


@pytest.mark.parametrize(
    "arguments", ["export --store {store} --out", "show --as graph --store {store} --out", "compare --out"]
)
def test_a_place_without_permission_is_one_line(arguments: str, places: dict[str, str], command: Command) -> None:
    """Where not even the administrator may write, the line names the place; `compare` has told of its work before."""
    ran = command(*arguments.format(**places).split(), "/proc/here")
    errors = [line for line in ran.errors.splitlines() if line.startswith("error: ")]
    assert "/proc/here" in told(ran._replace(errors="\n".join(errors)))


def test_no_network_is_one_line(places: dict[str, str], command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that refuses the connection costs a message its answer: one line, and the exit code 1."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0)
    monkeypatch.setattr("sys.stdin", io.StringIO("hi\n"))
    endpoint = ["--model", f"m:base_url=http://127.0.0.1:{places['silent']}/v1"]
    code, _, errors = command("chat", "--memory", "buffer", *endpoint)
    assert code == 1
    [line] = errors.splitlines()
    assert "Connection error" in line


def test_ctrl_c_ends_with_its_own_code(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is interrupted ends without a traceback, with the code that shells expect."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memzoo.benchmarks.comparing.compare", interrupted)
    ran = command("compare")
    assert ran.code == 130
    assert "Traceback" not in ran.errors


@pytest.mark.parametrize("width", [30, 80])
def test_an_error_is_one_line_on_a_narrow_terminal(
    width: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However narrow the terminal is, an error is not broken into lines, and off a terminal it has no colours."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in told(command("chat", "--memory", "nope"))


def test_nothing_at_all_shows_the_commands(command: Command) -> None:
    """`memzoo` alone is refused with the help, and no error."""
    ran = command()
    assert ran.code == 2
    assert "migrate" in ran.output + ran.errors
    assert "error:" not in ran.errors
