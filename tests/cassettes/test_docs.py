"""docs/cassettes.md does what it says."""

import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo import cassettes
from memzoo.cassettes import plugin
from memzoo.cassettes.scrubbing import REQUEST_HEADERS, RESPONSE_HEADERS
from memzoo.cassettes.settings import CassetteSettings

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Project

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "cassettes.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def documented(project: "Project", server: "ModelServer", monkeypatch: pytest.MonkeyPatch) -> "Project":
    """A project with the documented test, recorded."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.enqueue("Oslo.")
    project.write("tests/test_bot.py", blocks("python")[0])
    project.record().assert_outcomes(passed=1)
    return project


def test_example(documented: "Project") -> None:
    """The example records into the file that is named, and replays without server and key."""
    documented.go_offline()
    documented.replay().assert_outcomes(passed=1)
    assert documented.cassettes() == ["test_bot/test_bot.yaml"]


def test_layout(documented: "Project") -> None:
    """The cassette that is shown has the lines of a real one, in their order."""
    real = documented.text("test_bot/test_bot.yaml").splitlines()
    shown = [line for line in blocks("yaml")[0].splitlines() if not line.startswith(("recorded:", "- gpt"))]
    assert [line for line in real if line in shown][: len(shown)] == shown


@pytest.mark.parametrize(("number", "old", "new"), [(0, "Norway", "Sweden"), (1, "in answer(", "in ('Oslo',) or (")])
def test_failures(number: int, old: str, new: str, documented: "Project") -> None:
    """Failures look as they are shown."""
    documented.go_offline()
    documented.write("tests/test_bot.py", blocks("python")[0].replace(old, new))
    printed = documented.replay().stdout.str()
    for line in blocks("text")[number].splitlines():
        assert re.search(rf"{re.escape(line.strip())}$", printed, re.MULTILINE)


def test_missing(project: "Project") -> None:
    """The failure without a cassette looks as it is shown."""
    project.write("tests/test_bot.py", blocks("python")[0])
    assert blocks("text")[2].strip() in project.replay().stdout.str()


def test_use_cassette(server: "ModelServer", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example without pytest runs, and leaves a cassette."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    exec("\n".join(blocks("python")[:2]), {})  # noqa: S102 - our own documentation
    assert (tmp_path / "cassettes" / "demo.yaml").is_file()


def test_what_varies(documented: "Project", server: "ModelServer") -> None:
    """The recipe with a date records one day and replays another, and shows its rules in the header."""
    documented.write("tests/test_today.py", blocks("python")[2])
    arguments = ("-o", "pythonpath=tests", "tests/test_today.py")
    server.enqueue("In Oslo.")
    documented.record(*arguments).assert_outcomes(passed=1)
    text = documented.text("test_today/test_today.yaml")
    assert "ignored:\n- re:" in text
    assert re.search(r"It is \d{4}-\d\d-\d\d", text)
    documented.write("cassettes/test_today/test_today.yaml", re.sub(r"It is \d{4}", "It is 1999", text))
    documented.go_offline()
    documented.replay(*arguments).assert_outcomes(passed=1)


def test_app(documented: "Project", server: "ModelServer") -> None:
    """The recipe with FastAPI runs the app each time, and replays the stream of its model."""
    events = [
        '{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Oslo"}}]}',
        "[DONE]",
    ]
    server.stream(*(f"data: {event}\n\n" for event in events))
    documented.write("tests/test_app.py", blocks("python")[3])
    options = ("-W", "default", "tests/test_app.py")
    documented.record(*options).assert_outcomes(passed=1)
    documented.go_offline()
    documented.replay(*options).assert_outcomes(passed=1)
    assert "chunks: events" in documented.text("test_app/test_app.yaml")
    assert "/ask" not in documented.text("test_app/test_app.yaml")


def enqueue_call(server: "ModelServer", **function: str) -> None:
    """Answer the next request with a call of a tool, and the one after it with a text."""
    call = {"id": "call-1", "type": "function", "function": function}
    said: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": said, "finish_reason": "tool_calls"}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "tiny-1"}
    server.send("application/json", json.dumps({**head, "choices": [choice]}))


def test_agent(documented: "Project", server: "ModelServer", monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe with openai-agents runs the tool once; without its declaration, the tool runs and is noticed."""
    pytest.importorskip("agents", reason="openai-agents is not installed")
    enqueue_call(server, name="temperature", arguments='{"city": "Oslo"}')
    server.enqueue("It is -17 degrees.")
    options = ("-W", "default", "tests/test_agent.py")
    # To OpenAI's own endpoint, the library sends another cache key with each run.
    monkeypatch.setattr("agents.models.chatcmpl_helpers.ChatCmplHelpers.is_openai", bool)
    code = blocks("python")[4].replace("-17}", "-18}")
    documented.write("tests/test_agent.py", blocks("python")[4])
    documented.record(*options).assert_outcomes(passed=1)
    documented.go_offline()
    documented.write("tests/test_agent.py", code)
    documented.replay(*options).assert_outcomes(passed=1)
    assert "returned: -17" in documented.text("test_agent/test_agent.yaml")
    documented.write("tests/test_agent.py", code.replace("@recorded_tool\n", ""))
    documented.replay(*options).assert_outcomes(failed=1)
    documented.write("tests/test_agent.py", code.replace("cold", "warm"))
    assert "First difference at step 1 of 3: another prompt" in documented.replay(*options).stdout.str()


def test_the_agent_of_the_tutorial(project: "Project", server: "ModelServer", monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's test of the tutorial has ten lines, and runs its tool once."""
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(# test_agent.py\n.*?)```", tutorial, re.DOTALL)
    assert sum(1 for line in code.splitlines()[1:] if line) <= 10
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    enqueue_call(server, name="price", arguments='{"item": "a loaf"}')
    server.enqueue("It costs 28 crowns.")
    options = ("-W", "default", "test_agent.py")
    project.write("test_agent.py", code)
    project.record(*options).assert_outcomes(passed=1)
    project.go_offline()
    project.write("test_agent.py", code.replace('return "28', 'raise ValueError("runs again")  # "28'))
    project.replay(*options).assert_outcomes(passed=1)


def test_live_from(documented: "Project", server: "ModelServer", monkeypatch: pytest.MonkeyPatch) -> None:
    """The example records the rest of a run into another file."""
    monkeypatch.chdir(documented.root)
    server.enqueue("Oslo.")
    code = [*blocks("python")[:2], blocks("python")[5]]
    exec("\n".join(code), {})  # noqa: S102 - our own documentation
    assert "cassettes/other.yaml" in [f"cassettes/{name}" for name in documented.cassettes()]


def test_a_server_only_for_recording(project: "Project", server: "ModelServer") -> None:
    """The fixture starts its server when the test is recorded, and not when it is replayed."""
    server.enqueue("Oslo.")
    start = f"def start_model_server():\n    open('started', 'a').close()\n    return {server.url!r}\n"
    test = """
from openai import OpenAI

@pytest.mark.cassette
def test_capital(base_url):
    said = [{"role": "user", "content": "The capital of Norway?"}]
    answer = OpenAI(base_url=base_url).chat.completions.create(model="tiny-1", messages=said)
    assert "Oslo" in answer.choices[0].message.content
"""
    project.write("tests/test_capital.py", f"import pytest\n\n{start}\n{blocks('python')[8]}{test}")
    project.record("tests/test_capital.py").assert_outcomes(passed=1)
    started = project.root / "started"
    started.unlink()
    project.go_offline()
    project.replay("tests/test_capital.py").assert_outcomes(passed=1)
    assert not started.exists()


def test_above_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe with a memory runs twice with the same result, the second time from its recording."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        exec(blocks("python")[6], {})  # noqa: S102 - our own documentation
    assert "method: CALL" in (tmp_path / "cassettes" / "summary.yaml").read_text()


def test_another_process(server: "ModelServer", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy of the page records another process, and replays it without the server."""
    monkeypatch.chdir(tmp_path)
    ask = "import os, urllib.request; urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/models').read()"
    code = blocks("python")[7].replace("https://api.openai.com", server.url.removesuffix("/v1"))
    code = code.replace('["node", "app.js"]', repr([sys.executable, "-c", ask]))
    for _ in range(2):
        exec(code, {})  # noqa: S102 - our own documentation
        server.stop()
    assert "url: /v1/models" in (tmp_path / "cassettes" / "app.yaml").read_text()


def test_every_public_name_is_known() -> None:
    """Errors, options, headers and choices are all documented."""
    errors = [name for name in cassettes.__all__ if name.endswith("Error")]
    options = re.findall(r'addini\(\s*"(\w+)"', (ROOT / "cassettes" / "mark.py").read_text(encoding="utf-8"))
    settings = [field.name for field in fields(CassetteSettings) if field.name in plugin.OPTIONS]
    assert len(options) == 8
    choices = [f"--cassettes={choice}" for choice in ("none", "once", "all")]
    for name in [*errors, *options, *choices, *REQUEST_HEADERS, *RESPONSE_HEADERS, "use_cassette", *settings]:
        assert f"`{name}`" in TEXT or f"`{name}=" in TEXT or f"`{name}s`" in TEXT
