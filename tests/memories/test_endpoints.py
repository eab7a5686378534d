"""Every public method serves as a FastAPI endpoint and as a dependency, the synchronous one like its twin."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI
from fastapi.responses import StreamingResponse

from memzoo.memories import STRATEGIES, BaseMemory, Conversation, MemoryProvider, create_memory
from memzoo.memories.strategies.named import further_names, strategy_named
from memzoo.stores import InMemoryStore

SAID = {"role": "user", "content": "Anna lives in Oslo."}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# What each method is asked for, by the name of its synchronous form: parameters in the URL, and a body.
REQUESTS: dict[str, tuple[dict[str, Any], Any]] = {
    "load_memory_variables": ({}, {"input": "Anna?"}),
    "save_context": ({"turn_id": "t"}, {"inputs": {"input": "hi"}, "outputs": {"output": "hello"}}),
    "add_messages": ({"turn_id": "t"}, [SAID]),
    "set_messages": ({}, [SAID]),
    "messages": ({"query": "Anna?", "max_tokens": 1000}, None),
    "request": ({"system": "Be brief."}, {"question": "Anna?"}),
    "explain": ({"query": "Anna?"}, None),
    "entries": ({"limit": 1, "newest_first": True}, None),
    "history": ({"limit": 1}, None),
    "forget": ({"thorough": False}, [1]),
    "rewind": ({"last": 1}, None),
    "pin": ({"off": True}, [1]),
    "pinned": ({}, None),
    "edit": ({"id": 1}, "Anna lives in Rome."),
    "regenerate": ({}, None),
    "clear": ({}, None),
    "close": ({}, None),
    "settle": ({}, None),
    "set_aside": ({}, None),
    "relearn": ({"only_set_aside": True}, None),
    "unfinished_turn": ({}, None),
    "why": ({"name": "Anna"}, None),
    "predict_new_summary": ({"existing_summary": ""}, [SAID]),
    "send": ({}, SAID),
    "conversations": ({}, None),
    "provider.forget": ({"conversation_id": "anna"}, None),
}


def memory(name: str) -> BaseMemory:
    """A memory that was told something."""
    options: dict[str, Any] = {"memories": ["window", ("summary", {"llm": "offline"})]} if name == "combined" else {}
    store = InMemoryStore(clock=lambda: NOW)
    told = create_memory(
        name,
        llm="offline",
        store=store,
        conversation_id="anna",
        token_counter="approximate",
        **options,
        learn_every=1,
    )
    told.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Noted."}, turn_id="1")
    return told


def conversation() -> Conversation:
    """One that was told something."""
    return Conversation("offline", memory("window"))


def provider() -> MemoryProvider:
    """One with a conversation."""
    made = MemoryProvider("window")
    made.get("anna").save_context({"input": "hi"}, {"output": "hello"})
    return made


MAKERS: dict[str, Callable[[], Any]] = {
    **{name: (lambda name=name: memory(name)) for name in (*STRATEGIES, *further_names())},
    "conversation": conversation,
    "provider": provider,
}


def twins(made: type) -> set[str]:
    """The methods of a class that there are twice, by their synchronous names."""
    names = {name for name in dir(made) if not name.startswith("_")}
    twice = [name for name in names if f"a{name}" in names]
    return {name for name in twice if not inspect.isasyncgenfunction(getattr(made, f"a{name}"))}


def cases() -> Iterator[tuple[str, str]]:
    """Each method of each class once: those that all memories have are those of the buffer."""
    for kind in (*STRATEGIES, *further_names()):
        own = twins(strategy_named(kind)) - (set() if kind in ("buffer", "combined") else twins(BaseMemory))
        yield from ((kind, name) for name in sorted(own))
    yield from (("conversation", name) for name in sorted(twins(Conversation)))
    yield from (("provider", name) for name in sorted(twins(MemoryProvider)))


async def asked(app: FastAPI, path: str, params: dict[str, Any], body: Any) -> httpx.Response:
    """What the application answers."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
        return (await client.post(path, params=params, json=body)).raise_for_status()


def served(made: object, name: str) -> FastAPI:
    """An application with a method as an endpoint, and as a dependency of one."""
    app, method = FastAPI(), getattr(made, name)
    app.add_api_route("/asked", method, methods=["POST"])

    @app.post("/needed")
    async def needed(found: Annotated[Any, Depends(method)]) -> Any:
        return found

    return app


def parameters(app: FastAPI, path: str) -> Any:
    """What a path takes in its URL."""
    return app.openapi()["paths"][path]["post"].get("parameters")


@pytest.mark.parametrize(("kind", "name"), list(cases()))
def test_methods_serve_like_their_twins(kind: str, name: str) -> None:
    """As an endpoint and as a dependency, both forms of a method take the same and give the same answer."""
    request = REQUESTS.get(f"{kind}.{name}") or REQUESTS[name]
    for path in ("/asked", "/needed"):
        apps = [served(MAKERS[kind](), one) for one in (name, f"a{name}")]
        answers = [asyncio.run(asked(app, path, *request)).json() for app in apps]
        assert answers[0] == answers[1]
    for path in ("/asked", "/needed"):
        assert parameters(apps[0], path) == parameters(apps[1], path)


@pytest.mark.parametrize("method", ["stream", "astream"])
def test_streams_serve_as_responses(method: str) -> None:
    """Both kinds of streams can be sent as they come."""
    app, talking = FastAPI(), conversation()

    @app.post("/")
    async def say(text: str) -> StreamingResponse:
        return StreamingResponse(getattr(talking, method)(text))

    answer = asyncio.run(asked(app, "/", {"text": "Where does Anna live?"}, None))
    assert answer.text == "From what was said: My sister Anna lives in Oslo."


def test_a_provider_serves_memories() -> None:
    """`Depends(provider.get)` gives the memory of the id in the URL."""
    app, made = FastAPI(), provider()

    @app.post("/history")
    async def history(memory: Annotated[Any, Depends(made.get)]) -> list[dict[str, Any]]:
        return await memory.ahistory()

    assert len(asyncio.run(asked(app, "/history", {"conversation_id": "anna"}, None)).json()) == 2
    assert asyncio.run(asked(app, "/history", {"conversation_id": "bo"}, None)).json() == []
