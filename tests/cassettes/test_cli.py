"""The commands over cassettes, run as a user runs them."""

import gzip
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import yaml
from typer.testing import CliRunner, Result

from memzoo.cassettes import (
    CassetteError,
    CassetteProxy,
    ReplayError,
    recorded_tool,
    use_cassette,
)
from memzoo.cassettes.format import read_cassette
from memzoo.cli.commands import app
from memzoo.errors import MemoryZooWarning, OptionError
from memzoo.stores.base import utc_now
from tests.forking import run_pytest

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline, Project

ONE_TEST = """
@pytest.mark.cassette
def test_it():
    assert ask("hi") == "You said: hi"
"""
RUN = subprocess.run
Run = Callable[..., Result]
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture
def run(project: "Project", monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `memzoo cassettes` in a project with one recorded test."""
    project.test(ONE_TEST)
    project.record().assert_outcomes(passed=1)
    monkeypatch.chdir(project.root)
    monkeypatch.setattr("memzoo.cassettes.command.subprocess.run", run_pytest)
    return lambda *arguments, **options: CliRunner().invoke(app, ["cassettes", *arguments], **options)


def test_list_and_show(run: Run) -> None:
    """The list has date, calls, tokens and model, and the sums; a cassette is shown as questions and answers."""
    listed = run("show").output
    assert "1 call  7 + 5 tokens" in listed
    assert "tiny-1" in listed
    assert listed.endswith("\n1 call  7 + 5 tokens\n")
    shown = run("show", "cassettes/test_it/test_it.yaml").output
    assert "1. model m (7 + 5 tokens)\n   user: hi\n   -> You said: hi\n1 step, 7 + 5 tokens" in shown
    (step,) = run("show", "--json").output.splitlines()
    assert json.loads(step)["cassette"] == str(Path("cassettes/test_it/test_it.yaml"))


def test_files_that_are_no_cassettes_are_named(run: Run, project: "Project") -> None:
    """A folder of tests has other YAML and JSON, too; the cassettes beside it are still listed."""
    project.write("cassettes/data.json", "[1]")
    listed = run("show")
    assert "not read: cassettes/data.json: it is not a valid cassette" in listed.output
    assert listed.output.endswith("\n1 call  7 + 5 tokens\n")
    assert (listed.exit_code, run("show", "cassettes/test_it").exit_code) == (1, 0)


def test_a_port_that_there_is_not() -> None:
    """It is refused."""
    assert CliRunner().invoke(app, ["cassettes", "proxy", "x.yaml", "--port=70000"]).exit_code == 2


def test_check_and_fix(run: Run, project: "Project") -> None:
    """Orphans, damage and secrets are faults; what can be mended is mended when that is said."""
    sound = run("check")
    assert (sound.exit_code, sound.output) == (0, "1 cassette, 0 faults\n")
    text = project.text("test_it/test_it.yaml")
    project.write("cassettes/old/test_gone.yaml", text.replace("hi", "my key is sk-planted-12345678"))
    project.write("cassettes/old/test_damaged.yaml", "version: 9")
    checked = run("check")
    assert checked.exit_code == 1
    for line in (
        "used by no test: cassettes/old/test_gone.yaml",
        "holds a secret: cassettes/old/test_gone.yaml",
        "damaged: cassettes/old/test_damaged.yaml: it is not a valid",
    ):
        assert line in checked.output
    assert len(project.cassettes()) == 3
    fixed = run("check", "--fix")
    assert "deleted: cassettes/old/test_gone.yaml" in fixed.output
    assert "2 fixed" in fixed.output
    assert (fixed.exit_code, project.cassettes()) == (0, ["test_it/test_it.yaml"])


@pytest.mark.parametrize(
    ("name", "text", "because"),
    [
        ("pytest.ini", "[pytest]\naddopts = -k nothing_like_it\n", "options of pytest deselect tests"),
        ("pytest.ini", "[pytest]\naddopts = tests/test_other.py\n", "only tests/test_other.py is collected"),
        ("tests/conftest.py", "collect_ignore = ['test_it.py']\n", "tests/test_it.py is ignored"),
        ("tests/test_it.py", "import not_there\n", "tests/test_it.py cannot be collected"),
        ("tests/test_it.py", "import pytest\npytest.importorskip('not_there')\n", "tests/test_it.py is skipped"),
        (
            "tests/test_wrong.py",
            "import pytest\n@pytest.mark.cassette(ignores=[])\ndef test_it():\n    pass\n",
            "test_wrong.py::test_it: @pytest.mark.cassette has no option 'ignores'",
        ),
    ],
)
def test_not_all_tests_are_known(name: str, text: str, because: str, run: Run, project: "Project") -> None:
    """Nothing is deleted where pytest does not collect all tests, and it is said why; a check says so, too."""
    project.write("tests/test_other.py", "def test_other():\n    pass\n")
    project.write("cassettes/test_gone/test_gone.yaml", project.text("test_it/test_it.yaml"))
    project.write(name, text)
    checked = run("check", "--fix")
    assert checked.exit_code == 1
    assert "perhaps used by no test (" in checked.output
    assert because in checked.output
    assert project.cassettes() == ["test_gone/test_gone.yaml", "test_it/test_it.yaml"]


def test_fix_elsewhere(run: Run, project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is deleted from a folder below the project, from that of another one, or where there are no tests."""
    text = project.text("test_it/test_it.yaml")
    project.write("other/cassettes/test_it/test_it.yaml", text)
    assert "the tests here keep their cassettes in" in run("check", "--fix", "other/cassettes").output
    monkeypatch.chdir(project.root / "tests")
    assert (
        f"the tests belong to '{project.root}', so run the command there"
        in run("check", "--fix", "../other/cassettes").output
    )
    monkeypatch.chdir(project.root)
    project.write("tests/test_it.py", "")
    assert "pytest finds no tests here" in run("check", "--fix").output
    assert project.text("test_it/test_it.yaml") == text


def test_what_use_cassette_opens_is_no_orphan(run: Run, project: "Project") -> None:
    """A file beside the folders of the modules belongs to no mark, so it is not deleted for the lack of one."""
    project.write("cassettes/demo.yaml", project.text("test_it/test_it.yaml"))
    assert run("check", "--fix").exit_code == 0
    assert project.cassettes() == ["demo.yaml", "test_it/test_it.yaml"]


def test_secrets(run: Run, project: "Project") -> None:
    """A cassette from before today's rules is cleaned, keeps its date, and then replays for the same request."""
    text = project.text("test_it/test_it.yaml").replace("recorded: '20", "recorded: '19")
    project.write("cassettes/test_it/test_it.yaml", text.replace("content: hi", "content: use sk-planted-12345678"))
    assert run("check").exit_code == 1
    assert "secrets removed: cassettes/test_it/test_it.yaml" in run("check", "--fix").output
    clean = project.text("test_it/test_it.yaml")
    assert "content: use SCRUBBED" in clean
    assert "recorded: '19" in clean
    project.test(ONE_TEST.replace('ask("hi")', 'ask("use sk-planted-12345678")'))
    project.go_offline()
    project.replay().assert_outcomes(passed=1)


def test_rerecord(run: Run, project: "Project", server: "ModelServer") -> None:
    """The drift is shown, and nothing is replaced before that is said."""
    project.test(ONE_TEST.replace("ask(", "ask_over_http("))
    before = project.text("test_it/test_it.yaml")
    server.model = "tiny-2"
    shown = run("rerecord")
    assert "models: tiny-1 -> tiny-2" in shown.output
    assert "Nothing was replaced" in shown.output
    assert project.text("test_it/test_it.yaml") == before
    assert "1 cassette replaced." in run("rerecord", "--yes").output
    assert "model: tiny-2" in project.text("test_it/test_it.yaml")
    assert "no drift" in run("rerecord").output


def test_a_test_that_fails_replaces_nothing(run: Run, project: "Project", monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is said to be replaced; here the tests run as they do for a user, in a process of their own."""
    monkeypatch.setattr("memzoo.cassettes.command.subprocess.run", RUN)
    before = project.text("test_it/test_it.yaml")
    project.test(ONE_TEST.replace("You said: hi", "something else"))
    ran = run("rerecord", "--yes")
    assert (ran.exit_code, "Nothing was replaced." in ran.output) == (1, True)
    assert project.text("test_it/test_it.yaml") == before


def test_vcrpys_are_converted(run: Run, project: "Project", server: "ModelServer", pipeline: "Pipeline") -> None:
    """A cassette of vcrpy's own is replayed as it is, and converted without its secrets."""
    server.compress = True
    old = project.root / "old" / "deep" / "test_x.yaml"
    vcrpy: Any = import_module("vcr")
    with vcrpy.use_cassette(str(old)):
        pipeline.ask("my password is sk-planted-12345678", at=server.url)
    with vcrpy.use_cassette(str(old.with_name("clean.yaml"))):
        pipeline.ask("hi", at=server.url)
    assert "sk-planted" in old.read_text()
    with pytest.warns(MemoryZooWarning), use_cassette(old):
        assert pipeline.ask("my password is sk-planted-12345678") == "You said: my password is SCRUBBED"
    project.write("old/broken.yaml", "interactions: 7")
    fixed = run("check", "--fix", "old")
    assert fixed.exit_code == 1
    assert "secrets removed: old/deep/test_x.yaml" in fixed.output
    assert "converted: old/deep/clean.yaml" in fixed.output
    assert "damaged: old/broken.yaml" in fixed.output
    assert "sk-planted" not in old.read_text()
    assert "recorder: memzoo" in old.read_text()
    with pytest.warns(MemoryZooWarning), use_cassette(old):
        assert pipeline.ask("my password is sk-planted-12345678")


def test_an_empty_body_of_vcrpy_is_no_secret(run: Run, project: "Project") -> None:
    """A request without a body has `''` there."""
    project.write("cassettes/use.yaml", recordings(("body: '', headers: {}", "body: {string: '[]'}, headers: {}")))
    checked = run("check")
    assert "holds a secret" not in checked.output


def test_parsed_bodies_are_converted(run: Run, project: "Project", pipeline: "Pipeline") -> None:
    """Serializers that keep JSON parsed, as pydantic-ai's does, are read as well, whatever the file's name."""
    message = {"role": "assistant", "content": "Oslo"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    kind = {"content-type": ["application/json"]}
    request = {
        "method": "POST",
        "uri": "https://api.openai.com/v1/chat/completions",
        "headers": kind,
        "parsed_body": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False},
    }
    response = {
        "status": {"code": 200, "message": "OK"},
        "headers": {**kind, "content-encoding": ["gzip"]},
        "parsed_body": {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]},
    }
    document = {"version": 1, "interactions": [{"request": request, "response": response}]}
    project.write("old/a.yml", yaml.safe_dump(document))
    assert "converted: old/a.yaml" in run("check", "--fix", "old").output
    assert not (project.root / "old" / "a.yml").exists()
    with use_cassette(project.root / "old" / "a.yaml"):
        assert pipeline.ask("hi") == "Oslo"
    there = (project.root / "old" / "a.yaml").read_bytes()
    project.write("old/a.yml", yaml.safe_dump(document))
    assert "not converted, because old/a.yaml exists" in run("check", "--fix", "old").output
    assert (project.root / "old" / "a.yaml").read_bytes() == there
    assert (project.root / "old" / "a.yml").exists()


def test_cassettes_of_langchains_tests_are_read(run: Run, project: "Project", pipeline: "Pipeline") -> None:
    """LangChain's serializer, which keeps all requests before all answers, compressed, is read as well."""
    message = {"role": "assistant", "content": "Oslo"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False}
    document = {
        "requests": [
            {
                "method": "POST",
                "uri": "https://api.openai.com/v1/chat/completions",
                "body": json.dumps(asked).encode(),
                "headers": {"Content-Type": ["**REDACTED**"]},
            }
        ],
        "responses": [
            {
                "status": {"code": 200, "message": "OK"},
                "body": {"string": json.dumps(answer).encode()},
                "headers": {"content-type": ["application/json"]},
            }
        ],
    }
    old = project.root / "old" / "a.yaml.gz"
    old.parent.mkdir()
    old.write_bytes(gzip.compress(yaml.safe_dump(document).encode()))
    for _ in range(2):
        with use_cassette(old):
            assert pipeline.ask("hi") == "Oslo"
        run("check", "--fix", "old")
    assert b"memzoo" in gzip.decompress(old.read_bytes())


def recordings(*pairs: tuple[str, str]) -> str:
    """A cassette of vcrpy's own: the body and headers of each request, and the rest of its answer."""
    parts = (
        f"- request: {{method: POST, uri: 'https://api.invalid/{number}', {request}}}\n"
        f"  response: {{status: {{code: 200, message: OK}}, {response}}}\n"
        for number, (request, response) in enumerate(pairs)
    )
    return f"version: 1\ninteractions:\n{''.join(parts)}"


@pytest.mark.filterwarnings("ignore::memzoo.errors.MemoryZooWarning")
def test_what_converting_keeps_and_hides(run: Run, project: "Project") -> None:
    """A recording is as old as its oldest answer says, and else of today; a secret goes wherever it stands.

    A key that only the last request sends, and a cookie or a path of the machine that only the last answer names, are
    removed from what came before, too.
    """
    plain, secret = "body: null, headers: {}", "kd83hfk20dkqpa91mz"

    def dated(date: str) -> tuple[str, str]:
        return plain, f"body: {{string: hi}}, headers: {{Date: ['{date}']}}"

    kind = "headers: {content-type: [application/json]}"
    model = '{"model": "/home/ann/small.gguf"}'
    files = {
        "old": recordings(dated("Tue, 04 Mar 2025 10:00:00 GMT"), dated("Mon, 03 Mar 2025 23:59:59 GMT")),
        "today": recordings(dated("yesterday")),
        "key": recordings(
            (plain, f"headers: {{}}, body: {{string: 'say {secret}'}}"),
            (f"body: null, headers: {{authorization: [Bearer {secret}]}}", "headers: {}, body: {string: hi}"),
        ),
        "cookie": recordings(
            (f"body: '{secret}/small.gguf', headers: {{}}", "headers: {}, body: {string: hi}"),
            ("body: hi, headers: {}", f"headers: {{set-cookie: [sid={secret}]}}, body: {{string: hi}}"),
        ),
        "path": recordings(
            ("body: '/home/ann/small.gguf', headers: {}", "headers: {}, body: {string: hi}"),
            ("body: hi, headers: {}", f"{kind}, body: {{string: '{model}'}}"),
        ),
    }
    for name, text in files.items():
        project.write(f"other/{name}.yaml", text)
    told = run("check", "--fix", "other").output
    found = {name: (project.root / "other" / f"{name}.yaml").read_text() for name in files}
    assert "recorded: '2025-03-03'" in found["old"]
    assert f"recorded: '{utc_now().date().isoformat()}'" in found["today"]
    for name in files:
        hides = name in ("key", "cookie", "path")
        assert f"{'secrets removed' if hides else 'converted'}: other/{name}.yaml" in told
        assert secret not in found[name]
        assert "/home/ann" not in found[name]


def test_missing_folder(run: Run) -> None:
    """A folder that is not there is named."""
    with pytest.raises(OptionError, match="no folder or file 'nowhere'"):
        raise run("show", "nowhere").exception or AssertionError


class TestProxy:
    """Another process records and replays."""

    def serve(self, path: Path, *arguments: str) -> "tuple[subprocess.Popen[str], str]":
        """Start the command and wait for its address."""
        command = [sys.executable, "-m", "memzoo", "cassettes", "proxy", str(path), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout
        return process, process.stdout.readline().split()[-1]

    def end(self, process: "subprocess.Popen[str]") -> tuple[int, str]:
        """Interrupt it, and return its exit code and errors."""
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        return process.returncode, errors

    @pytest.mark.filterwarnings("ignore::memzoo.errors.MemoryZooWarning")
    def test_other_processes(self, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
        """Chat, chunked streams and misses come through the command as they do within a process."""
        chunks = ['data: {"n": 1}\n\n', "data: [DONE]\n\n"]
        process, url = self.serve(path, "--record", server.url.removesuffix("/v1"))
        assert (
            pipeline.ask("my key is sk-planted-12345678", at=f"{url}/v1") == "You said: my key is sk-planted-12345678"
        )
        server.stream(*chunks)
        with httpx2.stream("POST", f"{url}/v1/embeddings", json={"input": "s"}) as response:
            assert list(response.iter_text()) == chunks
        code, errors = self.end(process)
        assert code == 0
        assert "$.choices[0].message.content looks like a key (sk-...)" in errors
        assert "sk-planted" not in path.read_text() + errors
        server.stop()
        process, url = self.serve(path)
        assert pipeline.ask("my key is sk-planted-12345678", at=f"{url}/v1") == "You said: my key is SCRUBBED"
        missed = httpx2.post(f"{url}/v1/embeddings", json={"input": "other"})
        assert (missed.status_code, missed.json()["error"]["type"]) == (409, "ReplayError")
        assert "+ user: other" in missed.json()["error"]["message"]
        code, errors = self.end(process)
        assert code == 2
        assert "No recording is left" in errors
        with use_cassette(path):
            pipeline.ask("my key is sk-planted-12345678")
            httpx2.post("http://dead.invalid/v1/embeddings", json={"input": "s"})

    def test_unplayed(self, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
        """A recording that nobody asked for fails when the proxy ends."""
        with use_cassette(path, record="once"):
            pipeline.ask("hi", at=server.url)
        with pytest.raises(ReplayError):
            CassetteProxy(path).close()

    def test_parts_that_vary(self, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
        """A part that is ignored may differ from the recording."""
        with use_cassette(path, record="once"):
            pipeline.ask("hi, it is 9:30", at=server.url)
        process, url = self.serve(path, "--ignore", r"re:\d+:\d+")
        assert pipeline.ask("hi, it is 10:15", at=f"{url}/v1") == "You said: hi, it is 9:30"
        assert self.end(process)[0] == 0

    def test_tools_beside_it(self, server: "ModelServer", path: Path) -> None:
        """Tools of the process that has the proxy are in its cassette, and do not run in a replay."""
        ran, answers = list[str](), list[Any]()

        @recorded_tool
        def look(key: str) -> str:
            ran.append(key)
            return f"found {key}"

        for upstream in (server.url.removesuffix("/v1"), None):
            with CassetteProxy(path, record="once", upstream=upstream) as proxy:
                answer = httpx2.post(f"{proxy.url}/v1/embeddings", json={"input": "hi"})
                answers.append((answer.json(), look("a")))
        assert answers[0] == answers[1]
        assert ran == ["a"]

    def test_a_client_that_leaves(self, server: "ModelServer", path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A client that leaves in the midst of an answer does not end its recording."""
        events = [f"data: {number}\n\n" for number in range(400)]
        server.stream(*events)
        proxy = CassetteProxy(path, record="once", upstream=server.url.removesuffix("/v1"))
        record, recorded = proxy.cassette.player.record, threading.Event()

        def record_and_tell(*given: Any) -> None:
            record(*given)
            recorded.set()

        monkeypatch.setattr(proxy.cassette.player, "record", record_and_tell)
        with proxy:
            with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2]))) as client:
                client.sendall(b"POST /v1/embeddings HTTP/1.1\r\ncontent-length: 15\r\n\r\n" + b'{"input": "hi"}')
                assert client.recv(4) == b"HTTP"
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            assert recorded.wait(30)
        (one,) = read_cassette(path).recordings
        assert one.response["body"]["string"].decode() == "".join(events)
        assert one.arrival.broken == ""

    def test_an_upstream_that_does_not_answer(self, path: Path) -> None:
        """The client is told, and so is who closes the proxy; nothing is written."""
        answers = list[httpx2.Response]()
        with (
            pytest.raises(CassetteError, match=f"(?s)No answer came .* nothing was written to {path}"),
            CassetteProxy(path, record="once", upstream="http://127.0.0.1:1") as proxy,
        ):
            answers.append(httpx2.post(f"{proxy.url}/v1/embeddings", json={"input": "hi"}))
        (answer,) = answers
        assert answer.status_code == 409
        assert "No answer came to POST /embeddings" in answer.json()["error"]["message"]
        assert not path.exists()

    @pytest.mark.parametrize("upstream", ["api.openai.com", "ftp://x"])
    def test_wrong_upstream(self, upstream: str, path: Path) -> None:
        """An address that is none is refused."""
        with pytest.raises(OptionError, match="is not an address"):
            CassetteProxy(path, upstream=upstream)


def test_the_command_is_documented() -> None:
    """Each command stands in the documentation."""
    text = (Path(__file__).parents[2] / "docs" / "cassettes.md").read_text(encoding="utf-8")
    help_text = CliRunner().invoke(app, ["cassettes", "--help"], env={**os.environ, "COLUMNS": "200"}).output
    commands = ("show", "diff", "check", "export", "rerecord", "proxy")
    assert all(name in help_text and f"memzoo cassettes {name}" in text for name in commands)
