"""`ChatModel` without a client of one's own: it makes them, from its arguments, one for each event loop."""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
import pytest

from memzoo.errors import ModelError, OptionError
from memzoo.memories import ChatModel, ConversationSummaryMemory
from memzoo.memories.models.clients import Bounds, Clients
from memzoo.stores import Message
from memzoo.sync import drive

ASKED: list[Message] = [{"role": "user", "content": "hi"}]


@dataclass
class Endpoint:
    """A loopback endpoint that answers "hello", and keeps what it was asked.

    Attributes:
        status: Of all replies.
        keys: The keys that came, in order.
        bodies: What was asked, in order.
    """

    url: str
    status: int = 200
    keys: list[str | None] = field(default_factory=list[str | None])
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A running endpoint."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            running.keys.append(self.headers["authorization"])
            running.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            message = {"role": "assistant", "content": "hello"}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
            self.send_response(running.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    running = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    yield running
    server.shutdown()
    thread.join()
    server.server_close()


def test_base_url_and_key_are_used(endpoint: Endpoint) -> None:
    """Any compatible endpoint is reached by `base_url` and `api_key` alone."""
    model = ChatModel("m", base_url=endpoint.url, api_key="secret", temperature=0.5)
    assert drive(model.complete(ASKED, "summary")).text == "hello"
    assert endpoint.keys == ["Bearer secret"]
    assert endpoint.bodies == [{"model": "m", "messages": ASKED, "temperature": 0.5}]


def test_environment_is_used_by_default(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's name alone is enough where the environment says the rest."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", "from the environment")
    memory = ConversationSummaryMemory(llm="m", learn_every=1)
    memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.summary == "hello"
    assert endpoint.keys == ["Bearer from the environment"]


def test_missing_key_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key the error is a `ModelError` that says so, after what was said is stored."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    memory = ConversationSummaryMemory(llm="m", learn_every=1)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        memory.save_context({"input": "a"}, {"output": "b"})
    assert len(memory.history()) == 2


def test_a_client_of_ones_own_is_used(endpoint: Endpoint) -> None:
    """Time-outs, retries and headers are set on one's own client, which is then used as it is (X6)."""
    with openai.OpenAI(base_url=endpoint.url, api_key="mine", max_retries=0) as client:
        assert drive(ChatModel("m", client).complete(ASKED, "summary")).text == "hello"
    assert endpoint.keys == ["Bearer mine"]


def test_the_client_for_calls_of_the_other_kind_has_the_same_options(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key too, where the environment has none; of a client with more than options, both are wanted."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    client = openai.AsyncOpenAI(base_url=endpoint.url, api_key="mine", max_retries=0)
    assert drive(ChatModel("m", async_client=client).complete(ASKED, "summary")).text == "hello"
    assert endpoint.keys == ["Bearer mine"]
    azure = openai.AsyncAzureOpenAI(azure_endpoint=endpoint.url, api_key="mine", api_version="2026-01-01")
    with pytest.raises(OptionError, match="AsyncAzureOpenAI; give client= as well, for the other kind of calls"):
        drive(ChatModel("m", async_client=azure).complete(ASKED, "summary"))


def test_each_event_loop_has_its_client(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model serves one loop after the other: within a loop one client is kept, another loop gets its own (I5)."""
    made: list[openai.AsyncOpenAI] = []
    original = openai.AsyncOpenAI

    def make(**options: Any) -> openai.AsyncOpenAI:
        made.append(original(**options))
        return made[-1]

    monkeypatch.setattr(openai, "AsyncOpenAI", make)
    model = ChatModel("m", base_url=endpoint.url, api_key="secret")

    async def talk() -> list[str]:
        replies = [(await model.complete(ASKED, "summary")).text for _ in range(2)]
        replies += [reply.text for reply in await asyncio.gather(*(model.complete(ASKED, "summary") for _ in range(2)))]
        await made[-1].close()
        return replies

    for loops in (1, 2):
        assert asyncio.run(talk()) == ["hello"] * 4
        assert len(made) == loops


def test_status_of_a_real_endpoint_is_a_model_error(endpoint: Endpoint) -> None:
    """An error over HTTP is a `ModelError` in async calls as in sync ones (I5)."""
    endpoint.status = 403
    model = ChatModel("m", base_url=endpoint.url, api_key="secret")

    async def talk() -> None:
        async with openai.AsyncOpenAI(base_url=endpoint.url, api_key="secret") as client:
            await ChatModel("m", async_client=client).complete(ASKED, "summary")

    with pytest.raises(ModelError, match="PermissionDeniedError"):
        drive(model.complete(ASKED, "summary"))
    with pytest.raises(ModelError, match="PermissionDeniedError"):
        asyncio.run(talk())


def test_an_asynchronous_client_of_your_own_is_used_by_any_library() -> None:
    """No event loop of asyncio has to run: its coroutines may be run by trio, say."""
    mine = openai.AsyncOpenAI(api_key="none", base_url="http://127.0.0.1:9")
    clients = Clients(async_client=mine, bounds=Bounds(1, 1.0))
    assert clients.of_caller() is mine
