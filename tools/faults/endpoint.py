"""An OpenAI-compatible endpoint that answers by rules, except for one call that fails in a chosen way."""

import json
import threading
from collections.abc import Callable
from typing import Any

from openai import AsyncOpenAI, OpenAI

from memzoo.http_library import http
from memzoo.memories import ChatModel, OpenAIEmbedder
from tests.clerk import clerk, eager
from tools.faults.scenarios import Ports

__all__ = ["ACCEPTABLE", "FAULTS", "Endpoint"]

_embed = eager("vector-retriever")["embedder"]


class Endpoint:
    """Answers the requests of the real openai client, without a network.

    Attributes:
        calls: The number of calls since the fault was planned.
        stuck: True if every call fails.
        ports: A model and an embedder that call this endpoint.
    """

    def __init__(self) -> None:
        transport = http.MockTransport(self)
        common: dict[str, Any] = {"api_key": "none", "base_url": "http://fault.invalid/v1", "max_retries": 0}
        client = OpenAI(**common, http_client=http.Client(transport=transport))
        async_client = AsyncOpenAI(**common, http_client=http.AsyncClient(transport=transport))
        self.ports = Ports(ChatModel("m", client, async_client), OpenAIEmbedder("e", client, async_client))
        self._lock = threading.Lock()
        self.plan("", None)

    def plan(self, fault: str, at: int | None) -> None:
        """Plan a fault: the call with this number, counted from 0 from now on, fails in this way."""
        self.calls, self.stuck, self._fault, self._at = 0, False, fault, at

    def __call__(self, request: http.Request) -> http.Response:
        """Answer a request."""
        with self._lock:
            number, self.calls = self.calls, self.calls + 1
        asked = json.loads(request.content)
        return FAULTS[self._fault](asked) if self.stuck or number == self._at else _answer(asked)


def _answer(asked: dict[str, Any]) -> http.Response:
    return _embedded(_embed(asked["input"])) if "input" in asked else _reply(clerk(asked["messages"]))


def _reply(text: str | None, finish_reason: str = "stop", **more: Any) -> http.Response:
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text, **more}}
    return http.Response(200, json={"id": "c", "object": "chat.completion", "created": 0, "choices": [choice]})


def _embedded(vectors: list[Any]) -> http.Response:
    data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return http.Response(200, json={"object": "list", "data": data, "model": "e", "usage": usage})


def _raising(error: Exception) -> Callable[[dict[str, Any]], http.Response]:
    def fail(asked: dict[str, Any]) -> http.Response:
        raise error

    return fail


def _status(status: int) -> Callable[[dict[str, Any]], http.Response]:
    return lambda _: http.Response(status, json={"error": {"message": f"status {status}"}})


def _saying(text: str, vectors: list[Any], **more: Any) -> Callable[[dict[str, Any]], http.Response]:
    return lambda asked: _embedded(vectors) if "input" in asked else _reply(text, **more)


def _cut_off(asked: dict[str, Any]) -> http.Response:
    whole = _answer(asked).content
    return http.Response(200, content=whole[: len(whole) // 2], headers={"content-type": "application/json"})


_MEGABYTE = "Sam likes tea and much else. " * 36_000

FAULTS: dict[str, Callable[[dict[str, Any]], http.Response]] = {
    "time-out": _raising(http.ReadTimeout("timed out")),
    "connection reset": _raising(http.ReadError("Connection reset by peer")),
    "status 429": _status(429),
    "status 500": _status(500),
    "status 401": _status(401),
    "no reply": lambda _: http.Response(200, content=b"", headers={"content-type": "application/json"}),
    "empty reply": _saying("", []),
    "refusal": _saying("I'm sorry, but I can't help with that.", [[]]),
    "refusal field": _saying("", [None, None], refusal="I cannot do this"),
    "cut-off JSON": _cut_off,
    "cut-off text": _saying("Sam lives in", [[1.0, 1.0], [1.0]], finish_reason="length"),
    "other language": _saying("萨姆喜欢喝茶。", [[0.0, 0.0], [0.0, 0.0]]),
    "1 MB of text": _saying(_MEGABYTE, [_MEGABYTE] * 2),
}
"""The faulty answers, by name."""

ACCEPTABLE = ("other language", "1 MB of text")
"""The faults that a strategy cannot tell from a valid answer."""
