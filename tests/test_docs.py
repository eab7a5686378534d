"""The pages about conversations and servers do what they say; the servers are asked by real clients."""

import asyncio
import re
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
import websockets

from memzoo.stores import open_store
from memzoo.sync import drive

DOCS = Path(__file__).parent.parent / "docs"
ANNA = {"X-User": "anna"}


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "block", blocks("conversation.md"), ids=["first", "store", "tools", "turns", "responses", "request", "seed"]
)
def test_conversation(block: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each block runs as it stands, without a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    exec(compile(block, "conversation.md", "exec"), {})  # noqa: S102


def test_local_servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A conversation is set up without a key, and asks nobody before its first message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    [block] = blocks("local-servers.md")
    exec(compile(block, "local-servers.md", "exec"), {})  # noqa: S102


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a server runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@asynccontextmanager
async def served() -> AsyncGenerator[str]:
    """The server of the page, listening on loopback while the block runs; gives host and port."""
    names: dict[str, Any] = {"__name__": "serving"}
    server = "\n".join(block for block in blocks("serving.md") if "default_id" not in block)
    exec(compile(server, "serving.md", "exec"), names)  # noqa: S102
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(names["app"], log_level="critical", ws="websockets-sansio")
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        yield "{}:{}".format(*listening.getsockname())
        server.should_exit = True
        await running


def in_server(scene: Callable[[httpx.AsyncClient, str], Any]) -> None:
    """Play a scene with a client of the server."""

    async def play() -> None:
        async with served() as place, httpx.AsyncClient(base_url=f"http://{place}", timeout=30) as client:
            await scene(client, place)

    asyncio.run(play())


async def _said(client: httpx.AsyncClient, path: str, text: str, **headers: str) -> str:
    reply = await client.post(path, json={"text": text}, headers=headers or ANNA)
    assert reply.status_code == 200
    return reply.text


class TestServing:
    """docs/serving.md."""

    def test_requests(self, in_folder: Path) -> None:
        """A chat goes on from request to request and after a restart; one user never sees another's."""

        async def first(client: httpx.AsyncClient, place: str) -> None:
            await _said(client, "/chats/1", "My sister lives in Oslo.")
            assert "Oslo" in await _said(client, "/chats/1", "Where does my sister live?")
            assert "Oslo" not in await _said(client, "/chats/1", "Where does my sister live?", **{"X-User": "ben"})
            assert (await client.post("/chats/1", json={"text": "hi"})).status_code == 422

        async def second(client: httpx.AsyncClient, place: str) -> None:
            assert len((await client.get("/chats/1", headers=ANNA)).json()) == 4
            assert "Oslo" in await _said(client, "/chats/1/stream", "Where does my sister live?")
            assert len((await client.get("/chats/1", headers=ANNA)).json()) == 6
            assert (await client.delete("/chats/1", headers=ANNA)).status_code == 204
            assert (await client.get("/chats/1", headers=ANNA)).json() == []

        in_server(first)
        in_server(second)
        assert left() == ["ben/1"]

    def test_requests_at_once(self, in_folder: Path) -> None:
        """Eight requests for one chat at once are eight turns, none lost, none mixed."""

        async def scene(client: httpx.AsyncClient, place: str) -> None:
            await asyncio.gather(*(_said(client, "/chats/1", f"Number {number}.") for number in range(8)))
            roles = [message["role"] for message in (await client.get("/chats/1", headers=ANNA)).json()]
            assert roles == ["user", "assistant"] * 8

        in_server(scene)

    def test_a_scope(self, in_folder: Path) -> None:
        """A request in a scope is answered, and leaves nothing in the store."""

        async def scene(client: httpx.AsyncClient, place: str) -> None:
            assert "Pixel" in await _said(client, "/answers", "My cat is called Pixel. What is my cat called?")

        in_server(scene)
        assert left() == []

    def test_a_web_socket(self, in_folder: Path) -> None:
        """Two tabs of one login share a conversation, another login does not; at the end it is deleted, and only it."""

        async def scene(client: httpx.AsyncClient, place: str) -> None:
            await _said(client, "/chats/1", "hi")
            cookies = [await _login(client) for _ in range(2)]
            tabs = (_talking(place, cookies[number]) for number in (0, 0, 1))
            async with next(tabs) as one, next(tabs) as another, next(tabs) as stranger:
                await _asked(one, "My cat is called Pixel.")
                assert "Pixel" in await _asked(another, "What is my cat called?")
                assert "Pixel" not in await _asked(stranger, "What is my cat called?")

        in_server(scene)
        assert left() == ["anna/1"]


def left() -> list[str]:
    """The conversations in the store, when no server runs."""
    store = open_store("sqlite:///chats.db")
    try:
        return drive(store.conversations())
    finally:
        store.close()


async def _login(client: httpx.AsyncClient) -> str:
    client.cookies.clear()
    return (await client.post("/login")).headers["set-cookie"].partition(";")[0]


def _talking(place: str, cookie: str) -> Any:
    return websockets.connect(f"ws://{place}/talk", additional_headers={"Cookie": cookie}, proxy=None)


async def _asked(connection: Any, text: str) -> str:
    await connection.send(text)
    pieces: list[str] = []
    while piece := await connection.recv():
        pieces.append(piece)
    return "".join(pieces)
