"""Only what should be kept is written."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import requests
from openai import AsyncOpenAI, InternalServerError, OpenAI

from memzoo.cassettes import Cassette, CassetteError, use_cassette
from memzoo.cassettes.settings import CassetteSettings
from memzoo.errors import OptionError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline


def record(path: Path, server: "ModelServer", pipeline: "Pipeline", text: str = "hi") -> None:
    """Record one question."""
    with use_cassette(path, record="all"):
        pipeline.ask(text, at=server.url)


def test_once_keeps_what_is_there(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """With `once`, a cassette that exists is replayed."""
    recorded: list[bool] = []
    for _ in range(2):
        with use_cassette(path, record="once") as cassette:
            recorded.append(cassette.recording)
            pipeline.ask("hi", at=server.url)
    assert recorded == [True, False]
    assert len(server.seen) == 1


def test_all_records_anew(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """With `all`, what was recorded before is gone."""
    for text in ("old", "new"):
        record(path, server, pipeline, text)
    assert "old" not in path.read_text()
    assert "You said: new" in path.read_text()


def test_unknown_mode() -> None:
    """A wrong mode is refused with the ones there are."""
    wrong: dict[str, str] = {"record": "new"}
    with pytest.raises(OptionError, match="'new' is not one of 'none', 'once', 'all'"):
        CassetteSettings(**wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_age": "7"}, "max_age='7' is not a number of days"),
        ({"max_bytes": "7"}, "max_bytes='7' is not a number of bytes"),
        ({"max_bytes": 0}, "max_bytes=0 is not a number of bytes"),
        ({"ignore": 7}, "ignore=7 is not a list"),
        ({"secret_variables": "MY_CODE"}, "secret_variables='MY_CODE' is a string, not a list"),
        ({"allow_errors": "no"}, "allow_errors='no' is not True or False"),
        ({"note": 7}, "note=7 is not a string"),
        ({"clock": 7}, "clock=7 is not a function that returns the time"),
        ({"budget": 7}, "budget=7 is not a Budget"),
        ({"record_mode": "once"}, "use_cassette has no option 'record_mode'; it has record, ignore, "),
    ],
)
def test_wrong_settings(wrong: dict[str, Any], message: str, path: Path) -> None:
    """A setting that would fail only when a recording ends, or do nothing, is refused before it begins."""
    with pytest.raises(OptionError, match=message):
        use_cassette(path, **wrong)


def test_asynchronous_functions(server: "ModelServer", path: Path) -> None:
    """A cassette is open while an asynchronous function that it decorates runs, at each call, and in `async with`."""

    async def ask(url: str) -> str:
        async with httpx2.AsyncClient() as client:
            return (await client.post(f"{url}/embeddings", json={"input": "hi"})).text

    answers = [
        asyncio.run(use_cassette(path, record="once")(ask)(server.url)),
        *(asyncio.run(use_cassette(path)(ask)("http://dead.invalid/v1")) for _ in range(2)),
    ]

    async def replay() -> str:
        async with use_cassette(path):
            return await ask("http://dead.invalid/v1")

    assert len({*map(str, map(json.loads, [*answers, asyncio.run(replay())]))}) == 1
    assert len(server.seen) == 1


def test_generators(path: Path) -> None:
    """A generator runs when the cassette is closed again, so it is not decorated."""

    def numbers() -> Iterator[int]:
        yield 1

    with pytest.raises(OptionError, match="cannot decorate the generator 'numbers': open the cassette inside it"):
        use_cassette(path, record="once")(numbers)


def test_the_same_file_by_another_path(path: Path) -> None:
    """It is open already, however it is written."""
    path.parent.mkdir()
    other = path.parent / ".." / path.parent.name / path.name
    with (
        use_cassette(path, record="once"),
        pytest.raises(CassetteError, match="is already open"),
        use_cassette(other, record="once"),
    ):
        pass


def test_exception(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A block that raises leaves the earlier recording as it was, and no other file."""
    record(path, server, pipeline, "old")
    before = path.read_text()

    def fail() -> None:
        with use_cassette(path, record="all"):
            pipeline.ask("new", at=server.url)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_text() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("swallowed", [(), (Exception,)], ids=["raised", "swallowed"])
def test_error_status(
    swallowed: tuple[type[Exception], ...], server: "ModelServer", pipeline: "Pipeline", path: Path
) -> None:
    """An error is not recorded, and recording fails even if the code under test swallowed it."""
    server.enqueue("out of order", status=500)

    def recording() -> None:
        with use_cassette(path, record="once"), contextlib.suppress(*swallowed):
            pipeline.ask("hi", at=server.url)

    with pytest.raises(CassetteError, match=r"(?s)answered 500 to POST.*out of order.*allow_errors=True"):
        recording()
    assert not path.exists()


def test_allowed_errors(server: "ModelServer", path: Path) -> None:
    """Errors that are asked for replay like answers, with what the client needs to try again."""

    def patient(url: str) -> list[float]:
        with OpenAI(base_url=url, api_key="none") as client:
            return client.embeddings.create(model="m", input="hi").data[0].embedding

    server.enqueue("slow down", status=429, retry_after_ms="1")
    with use_cassette(path, record="once", allow_errors=True):
        recorded = patient(server.url)
    with use_cassette(path):
        assert patient("http://dead.invalid/v1") == recorded
    assert "status: 429 Too Many Requests" in path.read_text()
    assert "retry-after-ms: '1'" in path.read_text()


def test_error_replays_as_such(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """The client raises in a replay what it raised when recording."""
    server.enqueue("out of order", status=500)
    with use_cassette(path, record="once", allow_errors=True), pytest.raises(InternalServerError):
        pipeline.ask("hi", at=server.url)
    with use_cassette(path), pytest.raises(InternalServerError, match="out of order"):
        pipeline.ask("hi")


def ask_with_requests(url: str) -> None:
    """Ask with a client that is vcrpy's to record."""
    requests.post(f"{url}/chat/completions", json={"a": "hi"}, timeout=0.05)


def ask_with_httpx(url: str) -> None:
    """Ask with httpx."""
    httpx2.post(f"{url}/chat/completions", json={"a": "hi"}, timeout=0.05)


def ask_impatiently(url: str) -> None:
    """Give up a request that has no answer yet."""

    async def ask() -> None:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            await asyncio.wait_for(client.embeddings.create(model="m", input="hi"), 0.05)

    asyncio.run(ask())


@pytest.mark.parametrize("swallowed", [(), (Exception,)], ids=["raised", "swallowed"])
@pytest.mark.parametrize("ask", [ask_with_requests, ask_with_httpx, ask_impatiently])
def test_no_answer(ask: Callable[[str], None], swallowed: tuple[type[Exception], ...], path: Path) -> None:
    """A request without an answer voids the recording, which names both; the earlier file stays as it was."""
    path.parent.mkdir()
    path.write_text("old")

    def recording(url: str) -> None:
        with use_cassette(path, record="all"), contextlib.suppress(*swallowed):
            ask(url)

    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        with pytest.raises(CassetteError, match=rf"(?s)No answer came to POST .*hi.*nothing was written to {path}"):
            recording(f"http://127.0.0.1:{mute.getsockname()[1]}/v1")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("swallowed", [(), (Exception,)], ids=["raised", "swallowed"])
def test_unreachable_server(swallowed: tuple[type[Exception], ...], pipeline: "Pipeline", path: Path) -> None:
    """A server that cannot be reached leaves no cassette, whatever the code under test makes of that."""

    def recording() -> None:
        with use_cassette(path, record="once"), contextlib.suppress(*swallowed):
            pipeline.ask("hi", at="http://127.0.0.1:1/v1")

    with pytest.raises(CassetteError, match=r"No answer came to POST .*'hi' \(ConnectError: "):
        recording()
    assert not path.exists()


def test_a_model_that_fails(path: Path) -> None:
    """So does a function that raises, in place of HTTP."""

    def fail(messages: object) -> str:
        raise TimeoutError(messages)

    with (
        pytest.raises(CassetteError, match=r"No answer came to CALL .*hi.* \(TimeoutError: "),
        use_cassette(path, record="once") as cassette,
        contextlib.suppress(Exception),
    ):
        cassette.model(fail)([{"role": "user", "content": "hi"}])
    assert not path.exists()


def test_gzip_is_readable(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A compressed body is kept as text, without the headers that told of the compression, and replays."""
    server.compress = True
    record(path, server, pipeline)
    assert "content: 'You said: hi'" in path.read_text()
    assert "encoding" not in path.read_text()
    assert "content-length" not in path.read_text()
    with use_cassette(path):
        assert pipeline.ask("hi") == "You said: hi"


def test_unknown_compression(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A body that cannot be read cannot be scrubbed either, and is refused."""
    server.enqueue("hi", content_encoding="rot13")
    with pytest.raises(CassetteError, match="'rot13', which cannot be decoded here"):
        record(path, server, pipeline)
    assert not path.exists()


def test_size_limit(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A cassette that is too large fails with its size and the limit, and is not written."""
    with pytest.raises(CassetteError, match=r"would have 100,\d{3} bytes; the limit is 100,000"):
        record(path, server, pipeline, "x" * 49_800)
    assert not path.exists()


def test_nothing_stays_patched(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """After a cassette that failed to be written, requests go to the server again, unrecorded."""
    with pytest.raises(CassetteError), use_cassette(path, record="once", max_bytes=10):
        pipeline.ask("hi", at=server.url)
    assert pipeline.ask("again", at=server.url) == "You said: again"
    assert len(server.seen) == 2


def test_statistics(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A finished recording tells models and tokens."""
    cassette = Cassette(path, CassetteSettings(record="all"))
    pipeline.ask("hi", at=server.url)
    pipeline.embed("hi", at=server.url)
    pipeline.stream("hi", at=server.url)
    cassette.close()
    found = cassette.statistics
    assert (found.models, found.responses, found.input_tokens, found.output_tokens) == (("tiny-1",), 3, 9, 5)


@pytest.mark.parametrize(
    ("model", "note", "expected"),
    [
        ("offline-extractive", None, "note: recorded against an offline model"),
        ("offline-extractive", "by hand", "note: by hand"),
        ("gpt", None, "interactions:"),
    ],
)
def test_header(model: str, note: str | None, expected: str, path: Path, request: pytest.FixtureRequest) -> None:
    """The file begins with who recorded it, when, against which model, and what to know about it."""
    server: ModelServer = request.getfixturevalue("server")
    server.model = model
    with use_cassette(path, record="once", note=note, clock=lambda: datetime(2030, 1, 2, tzinfo=UTC)):
        request.getfixturevalue("pipeline").ask("hi", at=server.url)
    assert path.read_text().splitlines()[:8] == [
        "# Recorded by memzoo.cassettes. Do not edit: record it again.",
        "---",
        "version: 1",
        "recorder: memzoo.cassettes",
        "recorded: '2030-01-02'",
        "models:",
        f"- {model}",
        expected,
    ]
