"""An answer has a bound of bytes and of time: no endpoint keeps a call for ever, or fills the machine's memory."""

import asyncio
import copy
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import ChatModel, Conversation, OpenAIEmbedder, create_memory
from memzoo.sync import drive

DELTA = {"index": 0, "delta": {"content": "more and "}, "finish_reason": None}
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [DELTA]}


@dataclass
class Endpoint:
    """Answers every request by writing these pieces, for ever if the iterator has no end.

    Attributes:
        url: For clients.
        headers: Of the answers.
        pieces: Gives the body of an answer.
        asked: How many requests came.
    """

    url: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    pieces: Callable[[], Iterator[bytes]] = lambda: iter(())
    asked: int = 0


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A running endpoint, and a key for it in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    running = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            running.asked += 1
            self.send_response(200)
            for name, value in running.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in running.pieces():
                    self.wfile.write(piece)
            except OSError:
                """The client has hung up, which is what ends an endless answer."""

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    running.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield running
    server.shutdown()
    thread.join()
    server.server_close()


def endless(piece: bytes) -> Callable[[], Iterator[bytes]]:
    """The same piece again and again, without an end."""
    return lambda: iter(lambda: piece, b"")


def bomb() -> Iterator[bytes]:
    """Twenty megabytes, packed into twenty thousand bytes."""
    yield gzip.compress(b" " * 20_000_000)


STREAM = {"content-type": "text/event-stream"}
CASES: dict[str, tuple[dict[str, str], Callable[[], Iterator[bytes]]]] = {
    "stream": (STREAM, endless(f"data: {json.dumps(CHUNK)}\n\n".encode() * 100)),
    "keep-alives": (STREAM, endless(b": keep-alive\n\n" * 100)),
    "no line": (STREAM, endless(b"x" * 1000)),
    "body": ({"content-type": "application/json"}, endless(b" " * 1000)),
    "bomb": ({"content-type": "application/json", "content-encoding": "gzip"}, bomb),
}


def streamed(model: ChatModel) -> None:
    """A turn of a conversation, piece by piece."""
    for _ in Conversation(model).stream("hi"):
        """What came before the bound was met."""


def streamed_async(model: ChatModel) -> None:
    """The same in an event loop."""

    async def run() -> None:
        async for _ in Conversation(model).astream("hi"):
            """What came before the bound was met."""

    asyncio.run(run())


@pytest.mark.parametrize("talk", [streamed, streamed_async])
@pytest.mark.parametrize("bound", ["bytes", "seconds"])
@pytest.mark.parametrize("case", CASES)
def test_an_answer_without_an_end_is_a_model_error(
    case: str, bound: str, talk: Callable[[ChatModel], None], endpoint: Endpoint
) -> None:
    """Events, keep-alives, one long line, a body or what unpacks to one: read up to the bound, and asked for once."""
    endpoint.headers, endpoint.pieces = CASES[case]
    limits: dict[str, Any] = {"max_reply_bytes": 200_000} if bound == "bytes" else {"max_reply_seconds": 1e-6}
    said = "more than 200,000 bytes" if bound == "bytes" else "more than 1e-06 seconds"
    with pytest.raises(ModelError, match=f"the answer .*{said} .max_reply_{bound}"):
        talk(ChatModel("m", base_url=endpoint.url, api_key="k", **limits))
    assert endpoint.asked == 1


@pytest.mark.parametrize("run", [drive, asyncio.run])
@pytest.mark.parametrize("bound", [{"max_reply_bytes": 200_000}, {"max_reply_seconds": 1e-6}])
@pytest.mark.parametrize("case", ["body", "bomb"])
def test_embeddings_without_an_end_are_a_model_error(
    case: str, bound: dict[str, Any], run: Callable[[Any], object], endpoint: Endpoint
) -> None:
    """An embedder has the same bounds, a copy of it too, and does not ask again either."""
    endpoint.headers, endpoint.pieces = CASES[case]
    embedder = copy.copy(OpenAIEmbedder("m", base_url=endpoint.url, **bound))
    with pytest.raises(ModelError, match=f"the answer .*{next(iter(bound))}"):
        run(embedder.embed(["a"]))
    assert endpoint.asked == 1


@pytest.mark.parametrize("case", ["body", "bomb"])
def test_a_memory_defers_it(case: str, endpoint: Endpoint) -> None:
    """What was said is stored and shown, as with any other failure of a model (I4)."""
    endpoint.headers, endpoint.pieces = CASES[case]
    model = ChatModel("m", base_url=endpoint.url, api_key="k", max_reply_bytes=200_000)
    memory = create_memory("summary", llm=model, on_model_error="defer", learn_every=1)
    memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.load_memory_variables({}) == {"history": "Human: a\nAI: b"}


def test_an_answer_at_the_bound_is_taken(endpoint: Endpoint) -> None:
    """The bound is what an answer may have: one byte less, and it is refused."""
    message = {"role": "assistant", "content": "hello"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
    endpoint.headers, endpoint.pieces = {"content-type": "application/json"}, lambda: iter([body.encode()])
    assert Conversation(_bounded(endpoint, len(body))).send("hi") == "hello"
    with pytest.raises(ModelError, match="max_reply_bytes"):
        Conversation(_bounded(endpoint, len(body) - 1)).send("hi")


def _bounded(endpoint: Endpoint, size: int) -> ChatModel:
    return ChatModel("m", base_url=endpoint.url, api_key="k", max_reply_bytes=size)
