"""Streams replay as they came: chunk by chunk, with the error that broke them, and with their pauses if asked."""

import asyncio
import itertools
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI

from memzoo.cassettes import CassetteError, use_cassette
from memzoo.cassettes.chunks import event_sizes, resize
from memzoo.cassettes.format import read_cassette
from memzoo.errors import MemoryZooWarning

if TYPE_CHECKING:
    from types import ModuleType

    from tests.cassettes.conftest import ModelServer

DEAD = "http://dead.invalid/v1"
EVENTS = [f'data: {{"n": {number}}}\n\n' for number in range(4)]
TORN = ['data: {"n"', ": 0}\n\ndata: ", '{"n": 1}\n\n', "data: [DONE]\n\n"]


def chunks_of(client: "ModuleType", url: str) -> list[str]:
    """The chunks that a client gets."""
    with client.Client() as session, session.stream("POST", f"{url}/embeddings", json={"input": "hi"}) as response:
        return [chunk.decode() for chunk in response.iter_raw()]


async def chunks_async(client: "ModuleType", url: str) -> list[str]:
    """The chunks that an asynchronous client gets."""
    async with (
        client.AsyncClient() as session,
        session.stream("POST", f"{url}/embeddings", json={"input": "hi"}) as response,
    ):
        return [chunk.decode() async for chunk in response.aiter_raw()]


@pytest.mark.parametrize("client", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize(("sent", "written"), [(EVENTS, "chunks: events"), (TORN, "chunks: [")], ids=["events", "torn"])
def test_chunks(sent: list[str], written: str, client: "ModuleType", server: "ModelServer", path: Path) -> None:
    """The bounds of chunks are kept, while recording and in each replay, synchronous or not."""
    server.stream(*sent)
    with use_cassette(path, record="once"):
        assert chunks_of(client, server.url) == sent
    assert written in path.read_text()
    with use_cassette(path):
        assert chunks_of(client, DEAD) == sent
    with use_cassette(path):
        assert asyncio.run(chunks_async(client, DEAD)) == sent


@pytest.mark.parametrize("sent", [["".join(EVENTS)], ["".join(EVENTS[:3]), EVENTS[3]]], ids=["all", "some"])
def test_events_that_came_at_once(sent: list[str], server: "ModelServer", path: Path) -> None:
    """However many events the network brought at once, the file is the same; unless pauses are kept, which tell it."""
    server.stream(*sent)
    with use_cassette(path, record="once"):
        assert chunks_of(httpx, server.url) == sent
    assert "chunks: events" in path.read_text()
    with use_cassette(path):
        assert chunks_of(httpx, DEAD) == EVENTS
    server.stream(*sent)
    with use_cassette(path, record="all", timing="recorded"):
        chunks_of(httpx, server.url)
    with use_cassette(path, timing="recorded"):
        assert chunks_of(httpx, DEAD) == sent


@pytest.mark.parametrize("client", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_errors_within_a_stream(client: "ModuleType", server: "ModelServer", path: Path) -> None:
    """A stream that broke off breaks off at the same place, with the same error, if that may be recorded."""
    server.stream(*EVENTS, ends=False)
    with use_cassette(path, record="once", allow_errors=True), pytest.raises(client.RemoteProtocolError) as recorded:
        chunks_of(client, server.url)
    seen: list[str] = []

    async def read() -> None:
        async with (
            client.AsyncClient() as session,
            session.stream("POST", f"{DEAD}/embeddings", json={"input": "hi"}) as one,
        ):
            async for chunk in one.aiter_text():
                seen.append(chunk)  # noqa: PERF401 - what came before the error counts

    with use_cassette(path), pytest.raises(client.RemoteProtocolError) as replayed:
        asyncio.run(read())
    assert str(replayed.value) == str(recorded.value)
    assert seen == EVENTS


def test_broken_streams_need_leave(server: "ModelServer", path: Path) -> None:
    """A stream that broke off is not recorded by accident."""
    server.stream(*EVENTS, ends=False)
    with (
        pytest.raises(CassetteError, match=r"broke off \(RemoteProtocolError: peer closed"),
        use_cassette(path, record="once"),
    ):
        chunks_of(httpx2, server.url)
    assert not path.exists()


def test_timing(server: "ModelServer", path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are recorded on request, and only waited for on request: the first is the time to the first chunk."""
    server.stream(*EVENTS)
    with use_cassette(path, record="once", timing="recorded"):
        chunks_of(httpx2, server.url)
    (recorded,) = read_cassette(path)[1]
    seconds = recorded.arrival.seconds
    assert len(seconds) == len(EVENTS)
    path.write_text(path.read_text().replace(f"seconds: {list(seconds)}", "seconds: [1.5, 0.0, 0.25, 0.5]"))
    waited: list[float] = []

    async def wait(pause: float) -> None:
        waited.append(pause)

    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(anyio, "sleep", wait)
    with use_cassette(path):
        assert chunks_of(httpx2, DEAD) == EVENTS
    assert waited == []
    with use_cassette(path, timing="recorded"):
        assert chunks_of(httpx2, DEAD) == EVENTS
    with use_cassette(path, timing="recorded"):
        assert asyncio.run(chunks_async(httpx2, DEAD)) == EVENTS
    assert waited == [1.5, 0.25, 0.5] * 2


def test_recording_waits_once(server: "ModelServer", path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who records a stream waits for the real one, and not for its pauses again."""
    server.stream(*EVENTS)
    waited: list[float] = []
    with monkeypatch.context() as clocks:
        clocks.setattr(time, "perf_counter", itertools.count(10**9).__next__)
        clocks.setattr(time, "sleep", waited.append)
        with use_cassette(path, record="once", timing="recorded"):
            assert chunks_of(httpx2, server.url) == EVENTS
    (recorded,) = read_cassette(path)[1]
    assert min(recorded.arrival.seconds) >= 1
    assert waited == []


def test_tool_calls_in_pieces(server: "ModelServer", path: Path) -> None:
    """The pieces of a tool call arrive one by one, and make the same call."""
    pieces = ['{"city"', ': "Os', 'lo"}']
    calls = [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
    events = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
            {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
        for call in calls
    ]  # fmt: skip
    server.stream(*(f"data: {json.dumps(event)}\n\n" for event in events), "data: [DONE]\n\n")

    def arguments(url: str) -> list[str | None]:
        with OpenAI(base_url=url, api_key="none") as client:
            stream = client.chat.completions.create(model="m", messages=[], stream=True)
            found = [chunk.choices[0].delta.tool_calls for chunk in stream]
        return [call.function.arguments for calls in found for call in calls or [] if call.function]

    with use_cassette(path, record="once"):
        assert arguments(server.url) == pieces
    with use_cassette(path):
        assert arguments(DEAD) == pieces


def test_hidden_secrets_keep_the_chunks(server: "ModelServer", path: Path) -> None:
    """Where a secret was hidden, the bounds of chunks lie in the same lines as before."""
    sent = ['data: {"text": "a"}\n\n', 'data: {"text": "sk-planted', '12345678"}\n\n', 'data: {"text": "b"}\n\n']
    server.stream(*sent)
    with pytest.warns(MemoryZooWarning), use_cassette(path, record="once"):
        chunks_of(httpx2, server.url)
    with pytest.warns(MemoryZooWarning), use_cassette(path):
        replayed = chunks_of(httpx2, DEAD)
    assert (replayed[0], replayed[-1], len(replayed)) == (sent[0], sent[-1], 4)
    assert "".join(replayed[1:3]) == 'data: {"text": "SCRUBBED"}\n\n'


@given(st.lists(st.text("ab\n", min_size=1), min_size=1, max_size=8))
def test_bounds_survive(parts: list[str]) -> None:
    """However lines get shorter, the chunks still make up the whole, and lines that stayed keep their bounds."""
    sizes = tuple(map(len, parts))
    before = "".join(parts).encode()
    after = before.replace(b"aa", b"")
    assert sum(resize(sizes, before, after)) == len(after)
    assert resize(sizes, before, before) == sizes
    assert sum(event_sizes(before)) == len(before)
