"""A model's endpoint whose answers are prepared, with calls of tools, in one piece or streamed, over a real socket."""

import contextlib
import functools
import itertools
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import openai
import pytest

from memzoo.http_library import http
from memzoo.memories import ChatModel
from memzoo.memories.models.offline.server import listen
from memzoo.stores import Message

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Calls = list[tuple[str, str]]


@dataclass
class Endpoint:
    """Gives prepared answers in their order, and refuses, as OpenAI does, lists of messages that are out of order.

    It is a script, not a model: what it says does not depend on what it is asked.

    Attributes:
        url: For clients.
        asked: The requests that were accepted, in order.
        refused: The requests that were answered with status 400.
        count: Counts the tokens of a request's messages, for `usage`.
    """

    url: str = ""
    count: Callable[[list[Message]], int] = lambda _: 10
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refused: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: deque[dict[str, Any]] = field(default_factory=deque[dict[str, Any]])
    _ids: Iterator[int] = field(default_factory=itertools.count)

    @functools.cached_property
    def model(self) -> ChatModel:
        """A model that is spoken to here; its clients read no certificates, which takes longer than all the rest."""
        client = openai.OpenAI(base_url=self.url, api_key="none", http_client=http.Client(verify=False))
        http_client = http.AsyncClient(verify=False)
        async_client = openai.AsyncOpenAI(base_url=self.url, api_key="none", http_client=http_client)
        return ChatModel("scripted", client=client, async_client=async_client)

    def says(self, text: str | None, *calls: tuple[str, str], reason: str | None = None, **message: Any) -> None:
        """Prepare an answer: text, and calls of tools as pairs of a name and arguments in JSON."""
        made = [
            {"id": f"call-{next(self._ids)}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
        said = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {}), **message}
        self.answers.append({"message": said, "reason": reason or ("tool_calls" if made else "stop")})

    def breaks_off(self, text: str, **headers: str) -> None:
        """Prepare an answer that ends in the middle; with too large a Content-Length, the connection is lost."""
        self.answers.append({"message": {"role": "assistant", "content": text}, "reason": None, "headers": headers})

    def sent(self, number: int = -1) -> list[Message]:
        """The messages of a request."""
        messages: list[Message] = self.asked[number]["messages"]
        return messages

    def fault(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Why a request is refused with status 400; `None` if it is not."""
        fault = out_of_order(request["messages"]) or ("" if self.answers else "the script has no answer left")
        return {"message": fault} if fault else None

    @contextlib.contextmanager
    def running(self) -> Generator[Self]:
        """Listens on a socket meanwhile."""
        with listen("127.0.0.1", 0) as server:
            server.set_app(self)
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            self.url = f"http://127.0.0.1:{server.server_port}/v1"
            yield self
            server.shutdown()
            thread.join()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        request = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        if fault := self.fault(request):
            self.refused.append(request)
            start_response("400 Bad Request", [("Content-Type", "application/json")])
            return [json.dumps({"error": fault}).encode()]
        self.asked.append(request)
        answer: dict[str, Any] = {**self.answers.popleft(), "tokens": self.count(request["messages"])}
        kind = "text/event-stream" if request.get("stream") else "application/json"
        start_response("200 OK", [("Content-Type", kind), *answer.get("headers", {}).items()])
        if "events" in answer:
            return [event.encode() for event in answer["events"]]
        return _events(answer) if request.get("stream") else [json.dumps(_whole(answer)).encode()]


def out_of_order(messages: list[Message]) -> str:
    """What OpenAI has against a list of messages; "" if nothing."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return f"orphan result {message}"
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            return f"calls without results: {open_calls}"
        else:
            open_calls = [call["id"] for call in message.get("tool_calls", [])]
    return f"calls without results: {open_calls}" if open_calls else ""


def _envelope(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": "c", "object": kind, "created": 0, "model": "scripted", **fields}


def _whole(answer: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": answer["message"], "finish_reason": answer["reason"]}
    usage = {"prompt_tokens": answer["tokens"], "completion_tokens": 5, "total_tokens": answer["tokens"] + 5}
    return _envelope("chat.completion", choices=[choice], usage=usage)


def _events(answer: dict[str, Any]) -> Iterator[bytes]:
    for delta, reason in [*_deltas(answer["message"]), ({}, answer["reason"])]:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        yield _event(_envelope("chat.completion.chunk", choices=choices))
    if answer["reason"]:
        yield _event(_envelope("chat.completion.chunk", choices=[], usage=_whole(answer)["usage"]))
        yield b"data: [DONE]\n\n"


def _deltas(message: Message) -> Iterator[tuple[dict[str, Any], None]]:
    yield {"role": "assistant", "content": ""}, None
    for name in message.keys() - {"role", "content", "tool_calls", "refusal"}:
        value = message[name]
        for piece in re.findall(r"\S+\s*", value) if isinstance(value, str) else [value]:
            yield {name: piece}, None
    for word in re.findall(r"\S+\s*", message["content"] or ""):
        yield {"content": word}, None
    for index, call in enumerate(message.get("tool_calls", [])):
        yield {"tool_calls": [call | {"index": index, "function": {**call["function"], "arguments": ""}}]}, None
        for letter in call["function"]["arguments"]:
            yield {"tool_calls": [{"index": index, "function": {"arguments": letter}}]}, None
    if refusal := message.get("refusal"):
        yield {"refusal": refusal}, None


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A running endpoint."""
    with Endpoint().running() as running:
        yield running
