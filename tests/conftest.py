"""What all tests share: the replay kit, and tiktoken's vocabularies from an installed package instead of a download."""

import functools
import gc
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpcore2
import hypothesis
import pytest

from memzoo.cassettes import Cassette
from memzoo.memories import ChatModel, OpenAIEmbedder
from memzoo.memories.models.offline import serve
from tests.recording import EMBEDDINGS, MODEL
from tools.faults.lives import PROCESSES

pytest_plugins = [
    "memzoo.cassettes",
    "pytester",
    "tests.postgres",
    "tests.redis_servers",
    "tests.vocabulary",
    "tests.as_installed",
]

# Tests run on all cores by themselves: small matrices that each try to have them all only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in each run, however busy the machine is.
hypothesis.settings.register_profile(
    "repeatable",
    max_examples=10,  # what more of them find, `make sequences` finds
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("repeatable")
# What `make faults` and `make sequences` ask for.
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("repeatable"), max_examples=2000)

VOCABULARIES = "llama_index/core/_static/tiktoken_cache"


def _use_installed_vocabularies() -> None:
    found = importlib.util.find_spec("llama_index")
    for place in found.submodule_search_locations or () if found else ():
        folder = Path(place).parent / VOCABULARIES
        if folder.is_dir():
            os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))


_use_installed_vocabularies()


# What is loaded while tests are collected stays: to look through it for garbage, again and again, takes two seconds.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again in what the tests make, but seldom, and not even once in what is loaded by now."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def what_stays_is_no_garbage() -> None:
    """Leave what is loaded by now out of garbage collection: to look through it takes a second in the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """No test encrypts a connection, and to read all certificates for each client takes longer than many a test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(httpcore2, "default_ssl_context", functools.cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def workers_begin_warm() -> Iterator[None]:
    """Processes that memzoo starts are forked from one that has loaded everything, which takes a second for each."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memzoo.dispatch._CONTEXT", PROCESSES)
        patched.setattr("memzoo.hosts.migrate.apart._CONTEXT", PROCESSES)
        yield


@pytest.fixture(scope="session")
def offline_url() -> Iterator[str]:
    """The base URL of the offline model, served on loopback."""
    with serve() as url:
        yield url


@pytest.fixture
def recording_endpoint(cassette: Cassette, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Where a test's model is: a real endpoint if a key for it is set, else the offline model's server.

    While replaying, an address where nobody answers; and nobody tries again.
    """
    if not cassette.recording:
        return {"base_url": "http://127.0.0.1:9/v1", "api_key": "none", "max_retries": 0}
    if key := os.environ.get("OPENAI_API_KEY"):
        return {"base_url": os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"), "api_key": key}
    return {"base_url": request.getfixturevalue("offline_url"), "api_key": "offline"}


@pytest.fixture
def recorded_model(recording_endpoint: dict[str, Any]) -> ChatModel:
    """A model that is really asked while recording, and cannot be reached while replaying."""
    from openai import AsyncOpenAI, OpenAI

    client, async_client = OpenAI(**recording_endpoint), AsyncOpenAI(**recording_endpoint)
    return ChatModel(MODEL, client=client, async_client=async_client, temperature=0)


@pytest.fixture
def recorded_embedder(recording_endpoint: dict[str, Any]) -> OpenAIEmbedder:
    """Its embeddings, with few dimensions."""
    from openai import AsyncOpenAI, OpenAI

    client, async_client = OpenAI(**recording_endpoint), AsyncOpenAI(**recording_endpoint)
    return OpenAIEmbedder(EMBEDDINGS, client=client, async_client=async_client, dimensions=64)
