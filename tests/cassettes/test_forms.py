"""Forms that aiohttp sends: their secrets, and fields that can be read only once."""

import asyncio
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from memzoo.cassettes import CassetteError, use_cassette
from memzoo.cassettes.format import read_cassette

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer

PLANTED = "sk-pl4nted8Kd93mAbCdEf77"
FORMS: dict[str, Callable[[], Any]] = {
    "FormData": lambda: form(token="pl4nted-Abc987654321", otp="pl4nted-otp", size="2"),
    "FormData with a type": lambda: form(("token", "pl4nted-Abc987654321", {"content_type": "text/plain"})),
    "list": lambda: [("token", "pl4nted-Abc987654321"), ("code", "pl4nted-code"), ("size", 2)],
    "list with a list": lambda: [("token", "pl4nted-Abc987654321"), ("tags", ["a", "b"])],
    "tuple": lambda: (("api_key", "pl4nted-1"), ("size", "2")),
    "fields": lambda: {"token": "pl4nted-Abc987654321", "file": BytesIO(b"sound")},
    "file": lambda: form(file=BytesIO(b"\xff\x00" + PLANTED.encode() + b"\x00")),
    "pairs with a file": lambda: [("otp", "pl4nted-otp"), ("file", BytesIO(b"\xff" + PLANTED.encode()))],
    "text file": lambda: form(file=StringIO("db_password: pl4nted22x9")),
}


def form(*fields: tuple[str, Any, dict[str, str]], **plain: Any) -> Any:
    """A form of aiohttp."""
    made = pytest.importorskip("aiohttp").FormData(plain)
    for name, value, options in fields:
        made.add_field(name, value, **options)
    return made


def upload(data: Any, url: str = "http://dead.invalid:9/v1") -> None:
    """Send a form with aiohttp."""
    aiohttp = pytest.importorskip("aiohttp")

    async def post() -> None:
        async with aiohttp.ClientSession() as session, session.post(url, data=data) as answer:
            assert answer.status == 200

    asyncio.run(post())


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_secrets_in_forms_of_aiohttp(make: Callable[[], Any], server: "ModelServer", path: Path) -> None:
    """No planted secret of a form is in the file, be it short or in a file that is no text; the form replays."""
    server.enqueue("hi")
    with use_cassette(path, record="once"):
        upload(make(), f"{server.url}/files")
    assert b"pl4nted" in bytes.fromhex(server.seen[0]["input"])
    (one,) = read_cassette(path).recordings
    assert b"pl4nted" not in one.request.body
    assert b"SCRUBBED" in one.request.body
    assert "pl4nted" not in path.read_text()
    with use_cassette(path):
        upload(make(), "http://dead.invalid:9/v1/files")


@contextmanager
def pipe() -> Generator[Any]:
    """A file that can be read only once."""
    reader, writer = os.pipe()
    os.write(writer, b"sound")
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        yield file


def test_a_field_that_can_be_read_only_once(server: "ModelServer", path: Path) -> None:
    """Its request is not sent, and the failure names the field, even if the program swallows it."""
    why = "The field 'sound' of a form has the type BufferedReader"
    with (
        pipe() as file,
        pytest.raises(CassetteError, match=why),
        use_cassette(path, record="once"),
        suppress(Exception),
    ):
        upload(form(sound=file), f"{server.url}/files")
    assert not server.seen


def test_a_form_that_was_sent_before(server: "ModelServer", path: Path) -> None:
    """It is empty, as aiohttp empties it, so a second request with it is refused while recording."""
    server.enqueue("hi")
    data = form(file=BytesIO(b"sound"))
    with suppress(CassetteError), use_cassette(path, record="once"):
        upload(data, f"{server.url}/files")
        with pytest.raises(CassetteError, match="empty once it was sent"):
            upload(data, f"{server.url}/files")


@pytest.mark.parametrize("record", ["once", "none"])
def test_forms_that_go_past_a_cassette(record: Any, server: "ModelServer", path: Path) -> None:
    """A form of telemetry is sent as it is, though only aiohttp can read it."""
    server.enqueue("hi")
    said = pytest.importorskip("aiohttp").payload.StringPayload("sound")
    path.parent.mkdir()
    if record == "none":
        path.write_text("version: 1\ninteractions:\n- request: {method: GET, url: /}\n  response: {status: 200}\n")
    with use_cassette(path, record=record) as cassette:
        upload(form(("sound", said, {"filename": "a.wav"})), f"{server.url}/traces")
        if not cassette.recording:
            httpx2.get("http://dead.invalid/")
    assert b"sound" in bytes.fromhex(server.seen[0]["input"])
