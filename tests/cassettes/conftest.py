"""A model server on a loopback port, and code that asks it through the real client."""

import asyncio
import base64
import gzip
import json
import struct
import textwrap
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionMessageParam

# An inner test run forgets the modules that it was the first to import. PyYAML does not survive that, and clients no
# longer know the errors of their transports.
for _name in ("vcr", "httpcore", "httpcore2"):
    import_module(_name)

DEAD_URL = "https://dead.invalid:9/v1"
"""Nobody answers here, and nobody can."""


@dataclass
class Reply:
    """What the server answers: a status, further headers, and the text that the model says, in pieces.

    With a `kind` the pieces are the body itself, of that content type; with `ends` they are sent one by one, as chunks,
    and the answer ends as it should, or breaks off.
    """

    pieces: list[str]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    kind: str = ""
    ends: bool | None = None


@dataclass
class ModelServer:
    """A small OpenAI-like server: chat, streamed chat and embeddings.

    Attributes:
        model: The name that it gives as its model.
        answer: Makes of a request's body what the model says, in pieces.
        compress: Whether bodies are sent gzipped.
        seen: The bodies of all requests, in the order of their arrival.
    """

    model: str = "tiny-1"
    answer: Callable[[dict[str, Any]], list[str]] = lambda body: ["You said: ", said(body)]
    compress: bool = False
    seen: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    url: str = ""
    stop: Callable[[], None] = lambda: None
    queued: deque[Reply] = field(default_factory=deque[Reply])

    def enqueue(self, *pieces: str, status: int = 200, **headers: str) -> None:
        """Answer one of the next requests, in order, with this."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.queued.append(Reply(list(pieces), status, named))

    def send(self, kind: str, *pieces: str, **headers: str) -> None:
        """Answer one of the next requests, in order, with this body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.queued.append(Reply(list(pieces), 200, named, kind))

    def stream(self, *chunks: str, ends: bool = True) -> None:
        """Answer one of the next requests, in order, with a stream of these chunks."""
        self.queued.append(Reply(list(chunks), kind="text/event-stream", ends=ends))

    def reply(self, body: dict[str, Any]) -> Reply:
        """What to answer to a request."""
        return self.queued.popleft() if self.queued else Reply(self.answer(body))


def said(body: Mapping[str, Any]) -> str:
    """The newest message of a chat request, or what is to be embedded."""
    text: str = body["messages"][-1]["content"] if "messages" in body else body["input"]
    return text


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A running server; its address is also in the environment, for inner test runs."""
    started = ModelServer()
    handler = type("Handler", (_Handler,), {"models": started})
    listener = _Listener(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def stop() -> None:
        if thread.is_alive():
            listener.shutdown()
            thread.join()
            listener.server_close()

    started.url, started.stop = f"http://127.0.0.1:{listener.server_port}/v1", stop
    monkeypatch.setenv("MODEL_URL", started.url)
    yield started
    stop()


class Pipeline:
    """Code that asks a model; nobody answers it, unless it is told where the server is."""

    def ask(self, text: str, at: str = DEAD_URL, **options: Any) -> str | None:
        """One answer."""
        with OpenAI(base_url=at, api_key="none", max_retries=0) as client:
            reply = client.chat.completions.create(model="m", messages=_user(text), stream=False, **options)
        return reply.choices[0].message.content

    def ask_together(self, *texts: str, at: str = DEAD_URL) -> list[str | None]:
        """Answers to questions that an asynchronous client asks all at once."""

        async def ask_all() -> list[str | None]:
            async with AsyncOpenAI(base_url=at, api_key="none", max_retries=0) as client:
                calls = [
                    client.chat.completions.create(model="m", messages=_user(text), stream=False) for text in texts
                ]
                return [reply.choices[0].message.content for reply in await asyncio.gather(*calls)]

        return asyncio.run(ask_all())

    def stream(self, text: str, at: str = DEAD_URL) -> list[str | None]:
        """The pieces of a streamed answer."""
        with OpenAI(base_url=at, api_key="none") as client:
            chunks = client.chat.completions.create(model="m", messages=_user(text), stream=True)
            return [chunk.choices[0].delta.content for chunk in chunks]

    def stream_async(self, text: str, at: str = DEAD_URL) -> list[str | None]:
        """The pieces of an answer that is streamed to an asynchronous client."""

        async def pieces() -> list[str | None]:
            async with AsyncOpenAI(base_url=at, api_key="none") as client:
                chunks = await client.chat.completions.create(model="m", messages=_user(text), stream=True)
                return [chunk.choices[0].delta.content async for chunk in chunks]

        return asyncio.run(pieces())

    def models(self, at: str = DEAD_URL) -> list[str]:
        """The names of the models; a request without a body."""
        with OpenAI(base_url=at, api_key="none") as client:
            return [model.id for model in client.models.list()]

    def embed(self, text: str, at: str = DEAD_URL, **options: Any) -> list[Sequence[float]]:
        """An embedding; in base64 on the wire, unless told otherwise."""
        with OpenAI(base_url=at, api_key="none") as client:
            return [item.embedding for item in client.embeddings.create(model="m", input=text, **options).data]


@pytest.fixture
def pipeline() -> Pipeline:
    """Code under test."""
    return Pipeline()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cassette goes: into a folder that is not there yet."""
    return tmp_path / "tapes" / "test.yaml"


def _user(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


_IMPORTS = """
import os
import pytest

def ask(text):
    from openai import OpenAI  # here: many runs only collect the tests

    with OpenAI(base_url=os.environ["MODEL_URL"], max_retries=0) as client:
        messages = [{"role": "user", "content": text}]
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

def ask_over_http(text):
    import httpx2  # which a new process has loaded in a tenth of the time of a client

    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    reply = httpx2.post(os.environ["MODEL_URL"] + "/chat/completions", json=body)
    return reply.json()["choices"][0]["message"]["content"]
"""


class Project:
    """A user's project, whose tests are run in this process."""

    def __init__(self, pytester: pytest.Pytester, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = pytester.path
        self._pytester = pytester
        self._server = server
        self._environment = monkeypatch
        # Those that happen to be installed here would be imported, and forgotten, once a run.
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        self.write("pytest.ini", "[pytest]\nfilterwarnings = error\naddopts = --strict-markers --strict-config\n")

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))

    def test(self, text: str, name: str = "tests/test_it.py") -> None:
        """Write a test module that can ask a model."""
        self.write(name, _IMPORTS + textwrap.dedent(text))

    def record(self, *arguments: str, mode: str = "once") -> pytest.RunResult:
        """Run the tests with recording on, and a key in the environment."""
        self._environment.setenv("OPENAI_API_KEY", "sk-planted-in-environment-1")
        return self.replay(f"--cassettes={mode}", *arguments)

    def replay(self, *arguments: str) -> pytest.RunResult:
        """Run the tests; with recording off, unless told otherwise."""
        # Not by -p, for which pytest reads what all installed packages announce.
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PYTEST_PLUGINS", "memzoo.cassettes", prepend=",")
            return self._pytester.runpytest_inprocess(*arguments)

    def go_offline(self) -> None:
        """From now on there is no server and no key."""
        self._server.stop()
        self._environment.setenv("MODEL_URL", "http://dead.invalid/v1")
        self._environment.delenv("OPENAI_API_KEY", raising=False)

    def cassettes(self, folder: str = "cassettes") -> list[str]:
        """The files below the folder of the cassettes."""
        files = (path for path in (self.root / folder).rglob("*") if path.is_file())
        return sorted(path.relative_to(self.root / folder).as_posix() for path in files)

    def text(self, name: str) -> str:
        """The text of a cassette."""
        return (self.root / "cassettes" / name).read_text()


@pytest.fixture
def project(pytester: pytest.Pytester, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project with a living server."""
    return Project(pytester, server, monkeypatch)


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    models: ModelServer

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        try:
            body = json.loads(content)
        except ValueError:
            body = {"input": content.hex()}
        self.models.seen.append(body)
        reply = self.models.reply(body)
        if reply.ends is not None:
            self._send_chunks(reply)
        elif reply.kind:
            self._send(reply, reply.kind, "".join(reply.pieces))
        elif reply.status >= 400:
            self._send(reply, "application/json", json.dumps({"error": {"message": "".join(reply.pieces)}}))
        elif self.path.endswith("/embeddings"):
            self._send(reply, "application/json", json.dumps(self._embedding(body)))
        elif body.get("stream"):
            self._send(reply, "text/event-stream; charset=utf-8", self._events(reply))
        else:
            self._send(reply, "application/json", json.dumps(self._completion(reply), indent=2))

    def do_GET(self) -> None:
        models = [{"id": self.models.model, "object": "model", "created": 1, "owned_by": "us"}]
        self._send(Reply([]), "application/json", json.dumps({"object": "list", "data": models}))

    def _embedding(self, body: Mapping[str, Any]) -> dict[str, Any]:
        vector: Any = [len(said(body)) / 8, -0.5, 1e-07]
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack("<3f", *vector)).decode()
        data = [{"object": "embedding", "index": 0, "embedding": vector}]
        usage = {"prompt_tokens": 2, "total_tokens": 2}
        return {"object": "list", "model": self.models.model, "data": data, "usage": usage}

    def _completion(self, reply: Reply) -> dict[str, Any]:
        message = {"role": "assistant", "content": "".join(reply.pieces)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return self._object("chat.completion") | {
            "choices": [choice],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
        }

    def _events(self, reply: Reply) -> str:
        chunks = [
            self._object("chat.completion.chunk")
            | {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
            for piece in reply.pieces
        ]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"

    def _object(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": self.models.model}

    def _send(self, reply: Reply, kind: str, text: str) -> None:
        body = gzip.compress(text.encode()) if self.models.compress else text.encode()
        encoding = {"content-encoding": "gzip"} if self.models.compress else {}
        self.send_response(reply.status)
        for name, value in {"content-type": kind, **encoding, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_chunks(self, reply: Reply) -> None:
        self.protocol_version = "HTTP/1.1"
        self.send_response(reply.status)
        for name, value in {"content-type": reply.kind, "transfer-encoding": "chunked", "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in [*reply.pieces, *([""] if reply.ends else [])]:
            self.wfile.write(f"{len(piece.encode()):x}\r\n{piece}\r\n".encode())
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Keep quiet."""
