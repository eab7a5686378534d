"""Runs the command, and a model server for it to ask."""

import functools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest
import typer.main
import typer.testing

from memzoo.cli.commands import main


class Ran(NamedTuple):
    """What a command left.

    Attributes:
        code: Its exit code.
        output: What it printed.
        errors: What it said beside that.
    """

    code: int
    output: str
    errors: str


Command = Callable[..., Ran]


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """Typer builds all commands anew at each call, which takes longer than most of them."""
    build = functools.cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(typer.main, "get_command", build)
        patched.setattr(typer.testing, "_get_command", build)
        yield


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `memzoo` as a shell does, and gives its exit code, its output and what it said beside that."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr("sys.argv", ["memzoo", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        output, errors = capsys.readouterr()
        return Ran(int(left.value.code or 0), output, errors)

    return run


@dataclass
class Endpoint:
    """A loopback endpoint that streams "Hello" and "there". It refuses the model "broken".

    Attributes:
        url: Its base_url.
        bodies: What it was asked, in order.
        reply: What it says when it is not to stream; if it is empty, it refuses such a request.
        go_on: The second piece waits for it.
    """

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    reply: str = ""
    go_on: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A running endpoint, and a key for it."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            running.bodies.append(asked)
            streams = asked.get("stream")
            answered = asked["model"] != "broken" and (streams or running.reply)
            self.send_response(200 if answered else 400)
            self.send_header("content-type", "text/event-stream" if streams else "application/json")
            self.end_headers()
            if answered and not streams:
                self.wfile.write(json.dumps(_whole(running.reply)).encode())
            elif answered:
                self._say("Hello", None)
                running.go_on.wait()
                self._say(" there", "stop")
                self._send({"choices": [], "usage": _USAGE})
                self.wfile.write(b"data: [DONE]\n\n")

        def _say(self, text: str, reason: str | None) -> None:
            choice = {"index": 0, "finish_reason": reason, "delta": {"role": "assistant", "content": text}}
            self._send({"choices": [choice]})

        def _send(self, more: dict[str, Any]) -> None:
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", **more}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            """Keep quiet."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore a client that was interrupted and hung up in the middle of an answer."""

    server = Server(("127.0.0.1", 0), Handler)
    running = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    running.go_on.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


_USAGE = {
    "prompt_tokens": 1300,
    "completion_tokens": 2,
    "total_tokens": 1302,
    "prompt_tokens_details": {"cached_tokens": 1152},
}


def _whole(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
