"""Models served by this machine: no key is asked for, errors name the address, and no import counts as waiting."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.cassettes import use_cassette
from memzoo.cli.commands import app
from memzoo.errors import ModelError
from memzoo.memories import ChatModel, Conversation, OpenAIEmbedder
from memzoo.memories.models.offline import serve
from memzoo.sync import drive
from memzoo.text import is_loopback

QUESTION = [{"role": "user", "content": "I like tea. What do I like?"}]
NOBODY = "http://127.0.0.1:9/v1"  # nobody listens there


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment has no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The offline model's server."""
    with serve() as base_url:
        yield base_url


def test_a_model_needs_no_key(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given by `base_url` or by the environment, asked in a synchronous call or in an asynchronous one."""
    localhost = url.replace("127.0.0.1", "localhost")
    assert Conversation(ChatModel("m", base_url=localhost)).send("I like tea.") == "Noted."
    assert asyncio.run(Conversation(ChatModel("m", base_url=url)).asend("I like tea.")) == "Noted."
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    assert Conversation("m").send("I like tea.") == "Noted."


def test_a_command_needs_no_key(url: str) -> None:
    """`memzoo chat` speaks with a server of this machine at once."""
    done = CliRunner().invoke(app, ["chat", "--model", f"m:base_url={url}"], input="I like tea.\n/quit\n")
    assert done.exit_code == 0
    assert "m: Noted." in done.output


def test_a_cassette_needs_no_key(url: str, tmp_path: Path) -> None:
    """Neither when it is recorded nor when it is replayed."""
    replies = list[str]()
    for _ in range(2):
        with use_cassette(tmp_path / "tea.yaml", record="once"):
            replies.append(drive(ChatModel("m", base_url=url).complete(QUESTION, "chat")).text)
    assert replies[0] == replies[1]


def test_another_machine_is_asked_with_a_key() -> None:
    """Without one, the error of a model or an embedder says what is missing, and lists no other kinds of keys."""
    with pytest.raises(ModelError, match=r"failed: it needs a key: set OPENAI_API_KEY \(to any value") as asked:
        Conversation(ChatModel("m", base_url="https://models.example.org/v1")).send("Hi")
    with pytest.raises(ModelError, match="it needs a key: set OPENAI_API_KEY") as embedded:
        drive(OpenAIEmbedder(base_url="https://models.example.org/v1").embed(["a"]))
    assert "ADMIN" not in f"{asked.value} {embedded.value}"
    urls = ["http://127.1.2.3:8080", "http://[::1]:1/v1", "http://models.localhost", "http://localhost.example.org", ""]
    assert [is_loopback(one) for one in urls] == [True, True, True, False, False]


def test_an_error_names_the_address(url: str) -> None:
    """Of a model or an embedder that cannot be reached, without what may be secret in it."""
    secret = NOBODY.replace("//", "//zoe:hunter2-and-more@")
    for base_url in (NOBODY, secret):
        with pytest.raises(ModelError, match=r"Connection error\. \(http://.*127\.0\.0\.1:9/v1/chat/comp.*\)") as asked:
            Conversation(ChatModel("m", base_url=base_url, max_retries=0)).send("Hi")
        with pytest.raises(ModelError, match=r"127\.0\.0\.1:9/v1/embeddings") as embedded:
            drive(OpenAIEmbedder(base_url=base_url, max_retries=0).embed(["a"]))
        assert "hunter2" not in f"{asked.value} {embedded.value}"


@pytest.mark.parametrize(
    "ask",
    [
        'Conversation("offline").send("I like tea.").spent',
        'Conversation(ChatModel("m", base_url=url)).send("I like tea.").spent',
    ],
)
def test_imports_are_no_time_waited(ask: str, url: str) -> None:
    """The first answer of a process costs as many seconds as the next, though the client's package is imported."""
    # A clock that moves when modules are imported, and at no other time.
    clock = 'lambda: float(sum(name.startswith(("openai", "httpx")) for name in sys.modules))'
    script = f"import sys, time\ntime.perf_counter = {clock}\nurl = sys.argv[1]\n"
    script += "from memzoo import ChatModel, Conversation\n"
    script += f'print({ask}.seconds)\nassert "openai" in sys.modules\n'
    done = subprocess.run([sys.executable, "-c", script, url], check=True, capture_output=True, text=True)
    assert float(done.stdout) == 0
