"""What was recorded is played back, exactly and offline."""

import asyncio
import json
import socket
import threading
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import urllib3

from memzoo.cassettes import ReplayError, use_cassette

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cassettes.conftest import ModelServer, Pipeline

# What to call with where the server is, if it is anywhere.
CALLS: dict[str, "Callable[[Pipeline, dict[str, str]], Any]"] = {
    "sync": lambda pipeline, at: pipeline.ask("hi", **at),
    "async": lambda pipeline, at: pipeline.ask_together("hi", **at),
    "stream": lambda pipeline, at: pipeline.stream("hi", **at),
    "async-stream": lambda pipeline, at: pipeline.stream_async("hi", **at),
    "base64": lambda pipeline, at: pipeline.embed("hi", **at),
    "models": lambda pipeline, at: pipeline.models(**at),
    "float": lambda pipeline, at: pipeline.embed("hi", encoding_format="float", **at),
}


def forbid_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to reach another process fail."""

    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_replays_without_the_server(
    call: "Callable[[Pipeline, dict[str, str]], Any]",
    server: "ModelServer",
    pipeline: "Pipeline",
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every kind of call replays with the server dead, another base_url and not one socket."""
    with use_cassette(path, record="once"):
        recorded = call(pipeline, {"at": server.url})
    server.stop()
    forbid_sockets(monkeypatch)
    with use_cassette(path):
        assert call(pipeline, {}) == recorded
    assert recorded


def test_a_miss_opens_no_socket(
    server: "ModelServer", pipeline: "Pipeline", path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With recording off, a request without a recording reaches nobody, not even a living server."""
    with use_cassette(path, record="once"):
        pipeline.ask("hi", at=server.url)
    forbid_sockets(monkeypatch)
    with pytest.raises(ReplayError), use_cassette(path):
        pipeline.ask("something else", at=server.url)
    assert len(server.seen) == 1


def test_async_replays_sync(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A cassette belongs to the requests, not to the client that sent them."""
    with use_cassette(path, record="once"):
        recorded = pipeline.ask("hi", at=server.url)
    with use_cassette(path):
        assert pipeline.ask_together("hi") == [recorded]


@pytest.mark.parametrize("url", ["http://gateway/api/v1", "http://other/v1beta/openai/", "http://127.0.0.1:1"])
def test_any_base_url_replays(url: str, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """The path that belongs to the base_url is not matched either."""
    with use_cassette(path, record="once"):
        recorded = pipeline.ask("hi", at=server.url)
    with use_cassette(path):
        assert pipeline.ask("hi", at=url) == recorded


def test_headers_do_not_matter(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Another key, organisation or user agent is the same request."""
    with use_cassette(path, record="once"):
        recorded = pipeline.ask("hi", at=server.url)
    with use_cassette(path):
        headers = {"OpenAI-Organization": "org-1", "User-Agent": "x", "Authorization": "Bearer other-key-2"}
        assert pipeline.ask("hi", extra_headers=headers) == recorded


def test_equal_requests_play_in_order(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Each recording is played once, the earliest first."""
    server.enqueue("one")
    server.enqueue("two")
    with use_cassette(path, record="once"):
        assert [pipeline.ask("hi", at=server.url), pipeline.ask("hi", at=server.url)] == ["one", "two"]
    with use_cassette(path):
        assert [pipeline.ask("hi"), pipeline.ask("hi")] == ["one", "two"]


def test_concurrent_equal_requests_play_in_order(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Answers are kept in the order of the requests, and for the thread that asked, whichever of them came first."""
    arrived, overtaken = threading.Event(), threading.Event()

    def answer(_: dict[str, Any]) -> list[str]:
        if len(server.seen) == 2:
            return ["fast"]
        arrived.set()
        assert overtaken.wait(10)
        return ["slow"]

    server.answer = answer
    with use_cassette(path, record="once"):
        slow = threading.Thread(target=pipeline.ask, args=("hi", server.url))
        slow.start()
        assert arrived.wait(10)
        assert pipeline.ask("hi", at=server.url) == "fast"
        overtaken.set()
        slow.join()
    answers: list[str | None] = []
    with use_cassette(path):
        slow = threading.Thread(target=lambda: answers.append(pipeline.ask("hi")))
        slow.start()
        slow.join()
        assert [*answers, pipeline.ask("hi")] == ["slow", "fast"]


def test_concurrent_requests_get_their_own_answers(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Requests that are sent together replay in any order."""
    texts = [f"question {number}" for number in range(8)]
    with use_cassette(path, record="once"):
        recorded = pipeline.ask_together(*texts, at=server.url)
    with use_cassette(path):
        assert pipeline.ask_together(*reversed(texts)) == recorded[::-1]


def test_threads_share_no_recording(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Equal requests from many threads get each recorded answer once."""
    expected = [f"answer {number}" for number in range(24)]
    with use_cassette(path, record="once"):
        for text in expected:
            server.enqueue(text)
            pipeline.ask("hi", at=server.url)
    answers: list[str | None] = []
    threads = [threading.Thread(target=lambda: answers.append(pipeline.ask("hi"))) for _ in expected]
    with use_cassette(path):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(map(str, answers)) == sorted(expected)


def by_aiohttp(url: str) -> str:
    """Ask with aiohttp."""
    aiohttp = pytest.importorskip("aiohttp")

    async def post() -> str:
        async with aiohttp.ClientSession() as session, session.post(url, json={"input": "hi"}) as answer:
            return str(await answer.text())

    return asyncio.run(post())


CLIENTS: dict[str, "Callable[[str], str]"] = {
    "httpx2": lambda url: httpx2.post(url, json={"input": "hi"}).text,
    "httpx": lambda url: str(pytest.importorskip("httpx").post(url, json={"input": "hi"}).text),
    "requests": lambda url: str(pytest.importorskip("requests").post(url, json={"input": "hi"}).text),
    "urllib3": lambda url: urllib3.request("POST", url, json={"input": "hi"}).data.decode(),
    "aiohttp": by_aiohttp,
}


@pytest.mark.parametrize("post", CLIENTS.values(), ids=CLIENTS)
def test_other_http_clients(post: "Callable[[str], str]", server: "ModelServer", path: Path) -> None:
    """A client that is not openai's is recorded and replayed like any other; the JSON that it gets is the same."""
    with use_cassette(path, record="once"):
        recorded = post(f"{server.url}/embeddings")
    with use_cassette(path):
        assert json.loads(post("http://dead.invalid:9/v1/embeddings")) == json.loads(recorded)
    assert len(server.seen) == 1


@pytest.mark.parametrize("how", ["FormData", "fields", "file"])
def test_files_that_aiohttp_uploads(how: str, server: "ModelServer", path: Path) -> None:
    """Fields and files of a form are compared, a password among them is hidden, and the server gets them all."""
    aiohttp = pytest.importorskip("aiohttp")
    server.answer = lambda body: [f"{len(body['input'])} digits"]

    def upload(content: bytes, url: str = "http://dead.invalid:9/v1") -> None:
        fields = {"password": "planted-12345678", "file": BytesIO(content)}

        async def post() -> None:
            data = aiohttp.FormData(fields) if how == "FormData" else fields if how == "fields" else fields["file"]
            async with aiohttp.ClientSession() as session, session.post(f"{url}/files", data=data) as answer:
                assert answer.status == 200

        asyncio.run(post())

    with use_cassette(path, record="once"):
        upload(b"sound\xff", server.url)
    assert b"sound\xff".hex() in server.seen[0]["input"]
    assert "planted" not in path.read_text()
    with use_cassette(path):
        upload(b"sound\xff")
    with pytest.raises(ReplayError), use_cassette(path):
        upload(b"other\xff")


@pytest.mark.parametrize("name", ["aiohttp", "requests"])
def test_redirects(name: str, server: "ModelServer", path: Path) -> None:
    """A client that follows redirects finds each of its requests recorded."""
    server.enqueue("elsewhere", status=302, location="/v1/models?page=2")
    with use_cassette(path, record="once"):
        recorded = CLIENTS[name](f"{server.url}/embeddings")
    with use_cassette(path):
        assert json.loads(CLIENTS[name]("http://dead.invalid:9/v1/embeddings")) == json.loads(recorded)
    assert "tiny-1" in recorded
    assert path.read_text().count("- request:") == 2


def test_app_under_test_is_not_recorded(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A transport within the process is no network: the app runs, and its model calls replay."""
    places, runs = [{"at": server.url}, {}], list[str | None]()

    def app(_: httpx2.Request) -> httpx2.Response:
        runs.append(pipeline.ask("hi", **places[len(runs)]))
        return httpx2.Response(200, text=runs[-1])

    for record in ("once", "none"):
        with use_cassette(path, record=record), httpx2.Client(transport=httpx2.MockTransport(app)) as client:
            assert client.get("http://app/").text == "You said: hi"
    assert len(runs) == 2
    assert "http://app" not in path.read_text()
