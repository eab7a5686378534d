"""What is imported can be sent: a turn after the import of each form."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter
from typer.testing import CliRunner

from memzoo import create_memory, open_store
from memzoo.cli.commands import app
from tests.hosts.exports.mutated import samples, write
from tests.provider import Provider

TAKEN = TypeAdapter(list[ChatCompletionMessageParam])


class Quiet(WSGIRequestHandler):
    """A handler that writes nothing."""

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002
        """Nothing."""


@pytest.fixture(scope="module")
def provider() -> Iterator[tuple[Provider, openai.OpenAI]]:
    """A strict endpoint on loopback, and a client of it."""
    strict = Provider(lambda: {"role": "assistant", "content": "Fine."})
    with make_server("127.0.0.1", 0, strict, handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        with closing(openai.OpenAI(api_key="key", base_url=url, max_retries=0)) as client:
            yield strict, client
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", samples())
def test_what_is_imported_can_be_sent(name: str, provider: tuple[Provider, openai.OpenAI], tmp_path: Path) -> None:
    """The endpoint takes the request of the next turn, which is also of the client's own types."""
    strict, client = provider
    url = f"sqlite:///{tmp_path}/memories.db"
    (tmp_path / "export").mkdir()
    done = CliRunner().invoke(app, ["import", str(write(samples()[name], tmp_path / "export")), "--store", url])
    assert not done.exception, done.output
    with closing(open_store(url)) as store:
        ids = [line.split("\t")[0] for line in done.stdout.splitlines()]
        assert ids
        for id_ in ids:
            messages = create_memory("buffer", store=store, conversation_id=id_).request("And now?")
            assert client.chat.completions.create(model="m", messages=messages).choices[0].message.content == "Fine."  # type: ignore[arg-type]
            TAKEN.validate_python(strict.requests[-1])
