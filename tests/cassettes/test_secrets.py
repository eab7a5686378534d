"""No secret gets into a cassette, and what was hidden still replays."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from openai import OpenAI

from memzoo.cassettes import use_cassette
from memzoo.cassettes.answers import hide_in_events
from memzoo.cassettes.http import HttpRequest, events
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.secrets import PLACEHOLDER, Keys, secrets_in_environment
from memzoo.errors import MemoryZooWarning

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline

KEY = "sk-proj-Planted0123456789abcdefghij"

KEYS = {
    "openai": KEY,
    "short": "sk-abcd1234",
    "organisation": "org-AbCdEfGhIjKlMnOpQrStUvWx",
    "project": "proj_a1b2c3d4e5f6",
    "groq": "gsk_a1b2c3d4e5f6a1b2c3d4",
    "hugging face": "hf_a1b2c3d4e5f6a1b2c3d4",
    "github": "ghp_a1b2c3d4e5f6a1b2c3d4",
    "google": "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "amazon": "AKIAIOSFODNN7EXAMPLE",
    "slack": "xoxb-1234567890-abcdef",
    "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_keys_are_recognised(key: str) -> None:
    """What looks like a key is hidden wherever it stands, and wholly."""
    assert Keys().hide(f'"{key}" ({key}),\n{key}') == f'"{PLACEHOLDER}" ({PLACEHOLDER}),\n{PLACEHOLDER}'


@pytest.mark.parametrize(
    "text",
    [
        "risk-averse people",
        "sk-learn, sk-learn-contrib",
        "org-chart, org-structure",
        "Bearer authentication",
        "half_hf_",
        "",
    ],
)
def test_words_are_left_alone(text: str) -> None:
    """Words that begin like a key are none."""
    assert Keys().hide(text) == text


def test_bearer_tokens_are_recognised() -> None:
    """Whatever follows `Bearer` and has a digit is a token."""
    assert Keys().hide("Authorization: Bearer abc123def456.x") == f"Authorization: Bearer {PLACEHOLDER}"


def test_known_values() -> None:
    """A known value is hidden, the longest first; words and short values are no secrets."""
    keys = Keys(["planted-1", "planted-1-and-more", "postgres", "EMPTY", ""])
    assert keys.hide("planted-1-and-more planted-1 postgres EMPTY") == f"{PLACEHOLDER} {PLACEHOLDER} postgres EMPTY"


def test_what_was_clean_is_looked_at_again() -> None:
    """A text that came before anybody knew the secret in it is hidden when it comes again."""
    keys = Keys()
    assert keys.hide("say Open-Sesame-99") == "say Open-Sesame-99"
    keys.hide("password: Open-Sesame-99")
    assert keys.hide("say Open-Sesame-99") == "say SCRUBBED"


def test_in_deep_json() -> None:
    """What lies too deep to be gone through member by member is hidden as in a text."""
    body = "[" * 900 + '{"password": "Open-Sesame-99"}' + "]" * 900
    clean = Scrubber().request(HttpRequest("POST", "http://a/b", body.encode(), {"content-type": ["text/json"]}))
    assert b"Sesame" not in (clean.body or b"")


def test_between_events() -> None:
    """What stands between the JSON of a stream is hidden as in a text, over several lines too."""
    lines = ["data: {}", ": Open-Sesame-99", "", "-----BEGIN PRIVATE KEY-----", "Sesame", "data: {}"]
    body = {"string": "\n".join(lines).encode()}
    headers = {"content-type": ["text/event-stream"]}
    clean, hidden = Scrubber(["Open-Sesame-99"]).response(
        {"status": {"code": 200, "message": "OK"}, "headers": headers, "body": body}
    )
    assert b"Sesame" not in clean["body"]["string"]
    assert clean["body"]["string"].count(b"\n") == len(lines) - 1
    assert hidden == {"the body is known as a key", "the body looks like a key (PRIVATE KEY...)"}


def test_environment() -> None:
    """Variables whose names tell of a secret, and those that are named, are secrets."""
    environment = {
        "OPENAI_API_KEY": "a",
        "OPENAI_ORG_ID": "b",
        "MY_TOKEN": "c",
        "PAGE_TOKEN": "g",
        "GITHUB_NEXT_TOKEN": "h",
        "AWS_SECRET_ACCESS_KEY": "d",
        "CUSTOMER": "e",
        "HOME": "f",
    }
    assert secrets_in_environment(["CUSTOMER", "ABSENT"], environment) == set("abcdegh")


class TestCassettes:
    """A planted secret is nowhere in the file."""

    @pytest.fixture(autouse=True)
    def _planted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "from-environment-1")
        monkeypatch.setenv("CUSTOMER", "customer-number-17")

    def test_everywhere(self, server: "ModelServer", path: Path) -> None:
        """Headers, bodies and addresses of requests and responses are clean."""
        server.enqueue(f"Your key is {KEY}", x_request_id="req_leaked", set_cookie="__cf_bm=leaked; x=1")

        def pipeline(url: str, key: str) -> None:
            with OpenAI(base_url=url, api_key=key, organization="org-leaked", max_retries=0) as client:
                client.chat.completions.create(
                    model="m",
                    messages=[{"role": "user", "content": f"{KEY} from-environment-1 customer-number-17 {key}"}],
                    extra_query={"api-key": "leaked-in-url", "q": KEY, "version": "2"},
                    extra_body={"api_key": "leaked-in-body"},
                )

        with pytest.warns(MemoryZooWarning), use_cassette(path, record="once", secret_variables=("CUSTOMER",)):
            pipeline(server.url, "header-key-1234")
        text = path.read_text()
        for secret in (KEY, "from-environment", "customer-number", "header-key", "leaked", "__cf_bm", "org-"):
            assert secret not in text
        assert f"url: /v1/chat/completions?api-key={PLACEHOLDER}&q={PLACEHOLDER}&version=2" in text
        with pytest.warns(MemoryZooWarning), use_cassette(path, secret_variables=("CUSTOMER",)):
            pipeline("http://dead.invalid/v1", "other-header-key-5678")

    def test_allowed_headers_only(self, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
        """Of all headers only the content type is kept, and what tells a client when to try again."""
        server.enqueue("hi", openai_organization="acme", retry_after="1", x_should_retry="false", via="gateway")
        with use_cassette(path, record="once"):
            pipeline.ask("hi", at=server.url)
        lines = [line.strip() for line in path.read_text().splitlines()]
        request, response = (place for place, line in enumerate(lines) if line == "headers:")
        assert lines[request + 1 : request + 3] == ["content-type: application/json", "parsed_body:"]
        assert lines[response + 1 : response + 5] == [
            "content-type: application/json",
            "retry-after: '1'",
            "x-should-retry: 'false'",
            "parsed_body:",
        ]

    @pytest.mark.parametrize("size", [1, 3, 7, 100])
    def test_split_over_events(self, size: int, server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
        """A secret that the model spells out in pieces is hidden as a whole, and the rest still streams."""
        text = f"Use {KEY}, please."
        server.enqueue(*(text[start : start + size] for start in range(0, len(text), size)))
        with pytest.warns(MemoryZooWarning), use_cassette(path, record="once"):
            pipeline.stream("key?", at=server.url)
        with pytest.warns(MemoryZooWarning), use_cassette(path):
            pieces = pipeline.stream("key?")
        assert "".join(map(str, pieces)) == f"Use {PLACEHOLDER}, please."
        assert not any(KEY[start : start + 4] in path.read_text() for start in range(8, len(KEY) - 4))

    def test_escaped_in_json(self, server: "ModelServer", path: Path) -> None:
        """A key is found although JSON spells its letters as escapes."""
        body = json.dumps({"input": KEY}).replace("sk-", "\\u0073k-")
        with use_cassette(path, record="once"), httpx2.Client() as client:
            client.post(f"{server.url}/embeddings", content=body, headers={"content-type": "application/json"})
        assert f"input: {PLACEHOLDER}" in path.read_text()

    @pytest.mark.parametrize("kind", ["application/json", "text/plain"])
    def test_in_text(self, kind: str, server: "ModelServer", path: Path) -> None:
        """A key is found in a body that is no JSON, whatever it claims to be; redirects and empty bodies do no harm."""
        server.enqueue("hi", location="http://elsewhere/?key=" + KEY)
        with pytest.warns(MemoryZooWarning), use_cassette(path, record="once"), httpx2.Client() as client:
            client.post(f"{server.url}/embeddings?a=1#x", content=f"{{key: {KEY}", headers={"content-type": kind})
        assert f"body: '{{key: {PLACEHOLDER}'" in path.read_text()
        assert f"location: http://elsewhere/?key={PLACEHOLDER}" in path.read_text()

    def test_in_bytes(self, server: "ModelServer", path: Path) -> None:
        """A key is found in a body that is no text, and a form's random boundary does not hinder the match."""
        with use_cassette(path, record="once"), httpx2.Client() as client:
            client.post(f"{server.url}/embeddings", files={"file": b"\xff\x00" + KEY.encode()})
        with use_cassette(path) as cassette, httpx2.Client() as client:
            client.post("http://dead.invalid/v1/embeddings", files={"file": b"\xff\x00" + KEY.encode()})
        assert "boundary=boundary" in path.read_text()
        assert not cassette.recording


def chunk(index: int, piece: str) -> dict[str, Any]:
    """A chunk of one of several answers."""
    return {"choices": [{"index": index, "delta": {"content": piece}}]}


def test_streams_of_several_answers() -> None:
    """Answers that arrive interleaved are put together each for itself; other lines stay as they are."""
    pieces = [chunk(0, "sk-abc"), chunk(1, "sk-never"), chunk(0, "def123"), chunk(1, " mind")]
    text = ": ping\r\n" + "".join(f"data: {json.dumps(piece)}\r\n\r\n" for piece in pieces) + "data: [DONE]\r\n\r\n"
    hidden, told = hide_in_events(text, Keys())
    assert told == {"$.choices[0].delta.content looks like a key (sk-...)"}
    assert [event for _, event in events(hidden)] == [
        chunk(0, PLACEHOLDER),
        chunk(1, "sk-never"),
        chunk(0, ""),
        chunk(1, " mind"),
    ]
    assert hidden.startswith(": ping\r\n")
    assert hidden.endswith("\r\n\r\ndata: [DONE]\r\n\r\n")


def test_streams_of_tool_calls_and_responses() -> None:
    """Arguments of tool calls and the events of the Responses API are put together, too."""
    calls = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "function": {"arguments": piece}}]}}]}
        for piece in ('{"key": "sk-pla', 'nted12345"}')
    ]
    deltas = [
        {"type": "response.output_text.delta", "item_id": "a", "delta": piece} for piece in ("No sk-abc1", "23def456")
    ]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in [*calls, *deltas])
    hidden, _ = hide_in_events(text, Keys())
    found = [event for _, event in events(hidden)]
    arguments = [event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] for event in found[:2]]
    assert "".join(arguments) == f'{{"key": "{PLACEHOLDER}"}}'
    assert [event["delta"] for event in found[2:]] == [f"No {PLACEHOLDER}", ""]


def test_clean_streams_are_not_touched() -> None:
    """A stream without secrets is kept to the last character."""
    text = 'data:{"choices":[ {"delta": {"content":"hi"}} ]}\n\nevent: x\ndata: not json\ndata: [1]\n\n'
    assert hide_in_events(text, Keys()) == (text, frozenset())
