"""A server's own word: the window of a model that memzoo does not know, for a limit that is a share; the family."""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import openai
import pytest

from memzoo import BaseMemory, ChatModel, Conversation, create_memory
from memzoo.errors import OptionError
from memzoo.http_library import http
from tests.memories.chat.conftest import Endpoint

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LLAMA = {"/props": {"default_generation_settings": {"n_ctx": 500}, "total_slots": 1}}
VLLM = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "other", "max_model_len": 9}, {"id": "scripted", "max_model_len": 500}],
    }
}
ROUTER = {"/v1/models": {"data": [{"id": "scripted", "context_length": 500, "name": "Scripted"}]}}
NOTHING = {"/v1/models": {"data": [{"id": "scripted", "context_length": "large"}, "?", {"id": "other", "n_ctx": 7}]}}


@dataclass
class Telling(Endpoint):
    """An endpoint that tells more than answers.

    Attributes:
        told: Answers to GET, by path; others are not found.
        looked: The paths asked for.
    """

    told: dict[str, Any] = field(default_factory=dict[str, Any])
    looked: list[str] = field(default_factory=list[str])

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        if environ["REQUEST_METHOD"] != "GET":
            return super().__call__(environ, start_response)
        self.looked.append(environ["PATH_INFO"])
        found = self.told.get(environ["PATH_INFO"])
        start_response("200 OK" if found else "404 Not Found", [("Content-Type", "application/json")])
        return [json.dumps(found or {"error": "not found"}).encode()]


@pytest.mark.parametrize("told", [LLAMA, VLLM, ROUTER], ids=["llama.cpp", "vLLM", "OpenRouter"])
@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_the_endpoint_tells_the_window(told: dict[str, Any], awaited: bool) -> None:  # noqa: FBT001
    """It is asked once, before the first turn, and the requests stay within the share."""
    with Telling(told=told).running() as endpoint:
        conversation = Conversation(endpoint.model, "buffer", max_tokens="50%")
        for _ in range(15):
            endpoint.says("The ferry was cancelled, so the choir sang until the morning came.")
            said = "Tell me about the ferry, please, and about the choir."
            assert asyncio.run(conversation.asend(said)) if awaited else conversation.send(said)
        looked = len(endpoint.looked)
        sent = [sum(map(conversation.memory.render.counter, request["messages"])) for request in endpoint.asked]
    assert looked == 1 + ("/props" not in told)
    assert 200 < max(sent) <= 250


ABSURD: list[Any] = [-1, 0, 10**12, "4096", True]


@pytest.mark.parametrize(
    "told",
    [{}, NOTHING, *({"/props": {"default_generation_settings": {"n_ctx": size}}} for size in ABSURD)],
    ids=["neither", "no number", *map(str, ABSURD)],
)
def test_a_window_that_the_endpoint_does_not_tell_is_asked_for(told: dict[str, Any]) -> None:
    """By name, before anything is stored or sent."""
    with Telling(told=told).running() as endpoint:
        conversation = Conversation(endpoint.model, "buffer", max_tokens="50%")
        with pytest.raises(OptionError, match=r"max_tokens='50%'.* 'scripted' is not .*known here.*: give tokens"):
            conversation.send("Hi.")
        assert (conversation.memory.history(), endpoint.asked) == ([], [])


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_a_memory_asks_for_its_own_share(awaited: bool) -> None:  # noqa: FBT001
    """Once, when it is made, also inside an event loop; its conversation, and a limit of one request, ask no more."""

    async def make() -> BaseMemory:
        return create_memory("summary-buffer", llm=endpoint.model, max_token_limit="50%")

    with Telling(told=LLAMA).running() as endpoint:
        memory = (
            asyncio.run(make()) if awaited else create_memory("token-buffer", llm=endpoint.model, max_token_limit="50%")
        )
        memory.messages(max_tokens="10%")
        endpoint.says("Fine.")
        Conversation(endpoint.model, memory, max_tokens="80%").send("Hi.")
        assert endpoint.looked == ["/props"]
    assert getattr(memory, "max_token_limit", None) == 250


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_one_client_is_enough(kind: Callable[..., Any]) -> None:
    """Whichever it is: where the other is needed, as for a limit in an event loop, the same endpoint is asked."""

    async def talk(model: ChatModel) -> str:
        memory = create_memory("summary-buffer", llm=model, max_token_limit="50%")
        assert getattr(memory, "max_token_limit", None) == 250
        return str(await Conversation(model, memory).asend("Hi."))

    with Telling(told=LLAMA).running() as endpoint:
        endpoint.says("Fine.")
        model = ChatModel("scripted", kind(base_url=endpoint.model.base_url, api_key="x"))
        assert asyncio.run(talk(model)) == "Fine."


def test_openais_own_host_is_never_asked() -> None:
    """Its list of models has no windows; the error names the option."""
    with Telling(told=LLAMA).running() as proxy:
        client = openai.OpenAI(
            base_url="http://api.openai.com/v1", api_key="x", http_client=http.Client(proxy=proxy.url)
        )
        with pytest.raises(OptionError, match=r"max_token_limit='50%'.* give tokens"):
            create_memory("summary-buffer", llm=ChatModel("gpt-next", client=client), max_token_limit="50%")
        assert proxy.looked == []


def test_a_number_asks_nothing() -> None:
    """Nor does a known model's share."""
    with Telling(told=LLAMA).running() as endpoint:
        endpoint.says("Fine.")
        Conversation(endpoint.model, "buffer", max_tokens=500).send("Hi.")
        assert endpoint.looked == []


FILE = {"/props": {**LLAMA["/props"], "model_path": "/models/Gemma-2-9b-it-Q4_K_M.gguf"}}
ROOT = {"/v1/models": {"data": [{"id": "scripted", "max_model_len": 500, "root": "google/gemma-2-9b-it"}]}}
WRONG = {"/props": {**LLAMA["/props"], "model_path": 7}}


@pytest.mark.parametrize(
    ("told", "family", "role"),
    [(FILE, None, "user"), (ROOT, None, "user"), (WRONG, None, "system"), (FILE, "any", "system")],
    ids=["llama.cpp", "vLLM", "neither", "given"],
)
def test_an_endpoint_that_tells_the_window_tells_the_family_too(
    told: dict[str, Any], family: str | None, role: str
) -> None:
    """By the model's file or root, whatever name the endpoint gives to the model; `family=` counts before it."""
    with Telling(told=told).running() as endpoint:
        conversation = Conversation(endpoint.model, "buffer", system="Be brief.", max_tokens="50%", family=family)
        endpoint.says("Fine.")
        conversation.send("Hi.")
        assert endpoint.sent()[0]["role"] == role
