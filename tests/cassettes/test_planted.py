"""Secrets are planted in every place that a request has, and in headers of responses; none gets into the file."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx2
import pytest

from memzoo.cassettes import ReplayError, use_cassette
from memzoo.errors import MemoryZooWarning

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer

DEAD = "http://dead.invalid/v1"

SURE = (
    "api_key apiKey x-api-key password passwd secret secret_key client_secret access_key private_key access_token"
    " refresh_token session_token id_token authorization credentials subscription-key passphrase dbPassword"
).split()
LIKELY = "token auth key code session sig signature X-Amz-Signature X-Amz-Security-Token".split()
HEADERS = (
    "X-Auth-Token Ocp-Apim-Subscription-Key X-Api-Key Api-Key X-Goog-Api-Key Private-Token X-Vault-Token"
    " Proxy-Authorization X-Shopify-Access-Token X-Functions-Key-Secret"
).split()


@dataclass
class Plant:
    """A request with a secret in it, and what the server answers; by default a request for an embedding."""

    url: str = "/embeddings"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] = field(default_factory=lambda: {"json": {"input": "hi"}})
    kind: str = "application/json"
    answer: str = "{}"
    answer_headers: dict[str, str] = field(default_factory=dict[str, str])


def sent(secret: str) -> Iterator[Plant]:
    """A request for every place that a program has for a key, with the secret planted there."""
    for name in [*SURE, *LIKELY]:
        yield Plant(url=f"/embeddings?{name}={quote(secret)}")
        yield Plant(body={"data": {name: secret, "size": "2"}})
        yield Plant(body={"files": {"a": b"\xff"}, "data": {name: secret}})
        yield Plant(body={"json": {"list": [{"deep": {name: secret}}]}})
        yield Plant(body={"json": {"options": json.dumps({name: secret})}})
    for name in HEADERS:
        yield Plant(headers={name: secret})
    yield Plant(headers={"Authorization": f"Bearer {secret}"})
    yield Plant(headers={"Authorization": "Basic " + base64.b64encode(f"me:{secret}".encode()).decode()})
    yield Plant(headers={"Cookie": f"a=1; sid={secret}"})
    yield Plant(url=f"/bot{quote(secret, safe='')}/sendMessage")
    yield Plant(url=f"/tokens/{quote(secret, safe='')}/use")
    yield Plant(body={"json": {"credentials": {"user": "me", "value": secret}}})
    yield Plant(body={"json": {"passwords": "none", "secret": [secret, "x"]}})


def told(secret: str) -> Iterator[Plant]:
    """A request with the secret in each place that holds what is said, and the headers of answers."""
    for name in [*SURE, *LIKELY]:
        yield Plant(body={"json": {"messages": [{"tool_calls": [{"arguments": json.dumps({name: secret})}]}]}})
        yield Plant(body={"json": {"contents": [{"parts": [{"functionCall": {"args": {name: secret}}}]}]}})
    for name in [*LIKELY, "AWSAccessKey", "token"]:
        yield Plant(body={"json": {"input": f"See http://a/b?x=1&{name}={secret}, please"}})
    yield Plant(answer_headers={"set-cookie": f"sid={secret}; Path=/"})
    yield Plant(answer_headers={"location": f"http://me:{quote(secret, safe='')}@elsewhere/?a=1"})
    yield Plant(answer_headers={"location": f"http://elsewhere/?access_key={secret}"})


def plants(make: Callable[[str], Iterator[Plant]], begin: str) -> list[tuple[str, Plant]]:
    """Secrets, each with the request that it is planted in."""
    secrets = [f"b_t{place}-{begin}{place:03}" for place, _ in enumerate(make(""))]
    return [(secret, list(make(secret))[place]) for place, secret in enumerate(secrets)]


SENT, TOLD = plants(sent, "S3cr/tV4lue"), plants(told, "T0ld/V4lue")
PLANTED = [*SENT, *TOLD]
SECRETS = [secret for secret, _ in PLANTED]


def run(url: str) -> list[str]:
    """Send all requests; the first and the last have every secret as a word."""
    echo = {"input": "I know " + ", ".join(SECRETS)}
    with httpx2.Client() as client:
        first = client.post(f"{url}/embeddings", json=echo)
        answers = [client.post(url + plant.url, headers=plant.headers, **plant.body).text for _, plant in PLANTED]
        return [first.text, *answers, client.post(f"{url}/embeddings", json=echo).text]


@pytest.fixture
def planted(server: "ModelServer", path: Path) -> str:
    """The text of a cassette of all those requests; the first and the last answer have all that was sent as a key."""
    known = json.dumps({"known": [secret for secret, _ in SENT]})
    server.send("application/json", known)
    for _, plant in PLANTED:
        server.send(plant.kind, plant.answer, **plant.answer_headers)
    server.send("text/plain", known)
    with pytest.warns(MemoryZooWarning), use_cassette(path, record="once", max_bytes=1_000_000):
        run(server.url)
    return path.read_text()


def test_no_secret_is_kept(planted: str) -> None:
    """Of 200 secrets in as many places, and their echoes before and after, nothing is in the file."""
    assert len(PLANTED) >= 200
    left = [
        (place, secret)
        for place, secret in enumerate(SECRETS)
        for form in (secret, quote(secret, safe=""), base64.b64encode(f"me:{secret}".encode()).decode())
        if form in planted
    ]
    assert left == []


def test_they_still_replay(planted: str, path: Path) -> None:
    """The same requests find their recordings, also those that told a secret before anybody knew it for one."""
    assert "SCRUBBED" in planted
    with pytest.warns(MemoryZooWarning), use_cassette(path):
        answers = run(DEAD)
    assert "S3cr" not in "".join(answers)


def test_other_words_still_fail(server: "ModelServer", path: Path) -> None:
    """Where a secret was hidden, only what may be a secret matches; every other word still has to be the same."""

    def talk(url: str, prompt: str, password: str) -> None:
        with httpx2.Client() as client:
            client.post(f"{url}/embeddings", json={"input": prompt})
            client.post(f"{url}/embeddings", json={"input": "x", "password": password})

    with use_cassette(path, record="once"):
        talk(server.url, "My word is S3cr3t-one-1.", "S3cr3t-one-1")
    with use_cassette(path):
        talk(DEAD, "My word is S3cr3t-two-2.", "S3cr3t-two-2")
    for prompt in ("My word was S3cr3t-one-1.", "My word is no and S3cr3t-one-1.", "My word is S3cr3t-one-1!"):
        with pytest.raises(ReplayError, match="My word"), use_cassette(path):
            talk(DEAD, prompt, "S3cr3t-one-1")


@pytest.mark.parametrize(
    "body",
    [
        {"logprobs": {"content": [{"token": "Hello", "logprob": -0.1}, {"token": " understanding"}]}},
        {"error": {"code": "context_length_exceeded", "type": "invalid_request_error"}},
        {"max_tokens": 12, "eos_token": "</s>", "key": "size", "session": "monday"},
        {"parameters": {"properties": {"password": {"type": "string", "description": "What to sign in with."}}}},
        {"input": "My token is gone, and the password, too: code red."},
    ],
    ids=["logprobs", "error", "options", "schema", "prose"],
)
def test_other_uses_of_the_names(body: dict[str, Any], server: "ModelServer", path: Path) -> None:
    """Names that tell of a secret have other uses, and these stay as they are."""
    server.send("application/json", json.dumps(body))
    with use_cassette(path, record="once"), httpx2.Client() as client:
        client.post(f"{server.url}/embeddings", json=body)
    assert "SCRUBBED" not in path.read_text()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("/home/bob/models/gemma-270m.gguf", "gemma-270m.gguf"),
        ("C:\\Users\\Bob Smith\\gemma.gguf", "gemma.gguf"),
        ("~/models/gemma", "gemma"),
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
    ],
)
def test_local_paths_of_models(model: str, name: str, server: "ModelServer", path: Path) -> None:
    """A model that is named by its path, as by llama.cpp, is named by its file only, wherever the path stands."""
    answer = {"model": model, "data": [{"id": model}], "note": f"loaded from {model}."}
    server.send("application/json", json.dumps(answer))

    def ask(url: str) -> dict[str, Any]:
        with httpx2.Client() as client:
            answer: dict[str, Any] = client.post(f"{url}/embeddings", json={"model": model, "input": "hi"}).json()
            return answer

    changes = nullcontext() if model == name else pytest.warns(MemoryZooWarning, match="is a path")
    with changes, use_cassette(path, record="once"):
        ask(server.url)
    with changes, use_cassette(path):
        assert ask(DEAD) == {"model": name, "data": [{"id": name}], "note": f"loaded from {name}."}
    assert f"models:\n- {name}\n" in path.read_text()
    assert "Bob" not in path.read_text()


@pytest.mark.parametrize(
    "body",
    [
        {"data": {"password": "hunter22x", "id": "page-1"}},
        {"data": {"text": "a=1&token=ab12cd34ef56gh78&id=page-1"}},
        {"json": {"input": "See http://a/b?token=ab12cd34ef56gh78&id=page-1 now."}},
        {"content": "See http://a/b?token=ab12cd34ef56gh78&id=page-1 now."},
    ],
    ids=["form", "form in a form", "address", "text"],
)
def test_what_stands_beside_a_secret_still_matters(body: dict[str, Any], server: "ModelServer", path: Path) -> None:
    """A secret ends where the next field or parameter begins: another value of that is another request."""

    def ask(url: str, body: dict[str, Any]) -> None:
        with httpx2.Client() as client:
            client.post(f"{url}/embeddings", **body)

    with use_cassette(path, record="once"):
        ask(server.url, body)
    assert "SCRUBBED" in path.read_text()
    with use_cassette(path):
        ask(DEAD, body)
    with pytest.raises(ReplayError, match="page-2"), use_cassette(path):
        ask(DEAD, json.loads(json.dumps(body).replace("page-1", "page-2")))


def test_files_are_private(server: "ModelServer", path: Path) -> None:
    """A new cassette is readable by its owner only, and one that exists keeps its mode."""
    for before, after in ((None, 0o600), (0o644, 0o644)):
        if before:
            path.chmod(before)
        with use_cassette(path, record="all"), httpx2.Client() as client:
            client.post(f"{server.url}/embeddings", json={"input": "hi"})
        assert path.stat().st_mode & 0o777 == after
