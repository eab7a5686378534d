"""A key that the library was given is in no name, error, log line or pickle (I16)."""

import functools
import logging
import pickle
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from memzoo.errors import MemoryZooError, ModelError
from memzoo.memories import ChatModel, OpenAIEmbedder, VectorStoreRetrieverMemory, create_memory
from memzoo.memories.engine.prompt_limit import PromptLimit
from memzoo.memories.models.embedders import as_embedder
from memzoo.memories.models.refusals import is_too_long
from memzoo.sync import drive

KEY = "sk-Planted0123456789"


@pytest.fixture
def telltale() -> Iterator[str]:
    """The URL of an endpoint that refuses, and repeats in its error all the headers that it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = f'{{"error": {{"message": "wrong key: {dict(self.headers)}"}}}}'.replace("'", "").encode()
            self.send_response(401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_an_endpoint_that_repeats_the_key(telltale: str, caplog: pytest.LogCaptureFixture) -> None:
    """Errors and log lines of models and embedders do not hold the key, though the endpoint's answer does."""
    caplog.set_level(logging.DEBUG, logger="memzoo")
    model = ChatModel("m", base_url=telltale, api_key=KEY)
    embedder = OpenAIEmbedder("e", base_url=telltale, api_key=KEY)
    memory = create_memory("summary", llm=model, on_model_error="defer", learn_every=1)
    found = VectorStoreRetrieverMemory(embedder=embedder, on_model_error="defer")
    for one in (memory, found):
        one.save_context({"input": "a"}, {"output": "b"})
        one.load_memory_variables({"input": "a"})
    with pytest.raises(ModelError) as asked:
        drive(model.complete([{"role": "user", "content": "a"}], "summary"))
    with pytest.raises(ModelError) as embedded:
        drive(embedder.embed(["a"]))
    shown = [str(asked.value), str(embedded.value), caplog.text, repr(model), repr(embedder), embedder.name]
    shown += [repr(memory), repr(found), found.learners[0].name]
    assert "wrong key" in shown[0] + shown[1]
    assert not [text for text in shown if KEY in text]


def test_what_a_key_hides_is_read_first() -> None:
    """A full context is known by the endpoint's own words, even where the key is one of them."""
    model, limit = ChatModel("m", api_key="context size"), PromptLimit(100_000)

    def refuse() -> None:
        with model.failing("summary"):
            raise OSError("4000 tokens exceed the context size (2048 tokens)")

    with pytest.raises(ModelError) as refused:
        refuse()
    assert "context size" not in str(refused.value)
    assert is_too_long(refused.value)
    assert "context size" not in str(limit.learn_from(refused.value, "a" * 12_000))
    assert limit.tokens == 1536


def test_an_embedder_works_by_base_url_and_key(telltale: str) -> None:
    """`OpenAIEmbedder` reaches any endpoint as `ChatModel` does; neither URL nor key are sent as parameters."""
    with pytest.raises(ModelError, match="AuthenticationError"):
        drive(OpenAIEmbedder("e", base_url=telltale, api_key=KEY).embed(["a"]))


def _embed(texts: list[str], **_: object) -> list[list[float]]:
    return [[1.0] for _ in texts]


@pytest.mark.parametrize("secret", ["api_key", "extra_headers", "extra_query", "token", "openai_api_key", "password"])
def test_a_name_has_no_secret(secret: str) -> None:
    """A name is stored and logged: what may be secret is left out of it."""
    options: dict[str, Any] = {secret: KEY, "dimensions": 3}
    named = [as_embedder(functools.partial(_embed, **options)).name]
    if secret.startswith(("api", "extra")):  # the others are no parameters of an endpoint
        named.append(OpenAIEmbedder("e", **options).name)
    assert not [name for name in named if KEY in name]
    assert all("dimensions=3" in name for name in named)


@pytest.mark.parametrize("make", [ChatModel, OpenAIEmbedder])
@pytest.mark.parametrize(
    "options",
    [
        {"api_key": KEY},
        {"extra_headers": {"Authorization": KEY}},
        {"base_url": f"http://me:{KEY}@localhost/v1"},
        {"extra_query": {"key": KEY}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_a_pickle_has_no_secret(make: Callable[..., Any], options: dict[str, Any]) -> None:
    """What is pickled takes its key from the environment again; what cannot do without a secret is not pickled."""
    try:
        pickled = pickle.dumps(make("m", **options))
    except MemoryZooError as error:
        assert KEY not in str(error)  # noqa: PT017 - both outcomes are right
    else:
        assert KEY.encode() not in pickled
        assert pickle.loads(pickled).name == "m"  # noqa: S301 - it was made here
