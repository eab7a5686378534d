"""The file format: readable, safe, and the same when it is read back."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memzoo.cassettes import CassetteError
from memzoo.cassettes.format import read_text, write_text
from memzoo.cassettes.http import HttpRequest, Recorded
from memzoo.cassettes.yaml_text import dump

# Characters that YAML treats in some way of its own come often.
AWKWARD = " \t\n\r-:#ab\"'\\|>%@`é\x85\u2028\u2029\x01\x1b\x7f\ufeff\U0001f600中{}[]?!&*=<"
TEXTS = st.text(st.sampled_from(AWKWARD)) | st.text()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXTS, children, max_size=4),
    max_leaves=10,
)


def cassette(body: str | bytes | None, kind: str = "application/json") -> dict[str, Any]:
    """A cassette in vcrpy's form, with this body in the request and the response."""
    headers = {"content-type": [kind]}
    request = {"method": "POST", "uri": "http://recorded/v1/x?a=b", "body": body, "headers": headers}
    status = {"code": 200, "message": "OK"}
    response = {"status": status, "headers": headers | {"via": ["a", "b"]}, "body": {"string": body}}
    return {"version": 1, "interactions": [{"request": request, "response": response}]}


def text_of(written: dict[str, Any], **head: str) -> str:
    """The text of a cassette."""
    interactions = written["interactions"]
    return write_text([Recorded(HttpRequest(**one["request"]), one["response"]) for one in interactions], head)


def read_back(written: dict[str, Any]) -> list[Any]:
    """The interactions of a cassette after they were written and read."""
    recordings = read_text(text_of(written))[1]
    return [{"request": vars(one.request), "response": one.response} for one in recordings]


@given(JSON)
def test_yaml_round_trip(value: Any) -> None:
    """Any JSON value comes back, in value and type, through either of PyYAML's readers."""
    text = dump({"list": [{"value": value}], "value": value})
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        assert repr(yaml.load(text, Loader=loader)) == repr({"list": [{"value": value}], "value": value})  # noqa: S506


@given(JSON, st.sampled_from(["application/json", "application/problem+json; charset=utf-8"]))
def test_json_round_trip(value: Any, kind: str) -> None:
    """JSON bodies come back as equal JSON, whatever their layout was; everything else unchanged."""
    written = cassette(json.dumps(value, indent=1), kind)
    (interaction,), (expected,) = read_back(written), written["interactions"]
    assert repr(json.loads(interaction["request"].pop("body"))) == repr(value)
    assert repr(json.loads(interaction["response"].pop("body")["string"])) == repr(value)
    del expected["request"]["body"], expected["response"]["body"]
    assert interaction == expected


@given(TEXTS | st.binary() | st.none(), st.sampled_from(["text/plain", "text/event-stream", "application/json"]))
def test_body_round_trip(body: str | bytes | None, kind: str) -> None:
    """Text and bytes that are no JSON come back to the last character."""
    written = cassette(f"no JSON {body}" if isinstance(body, str) else body, kind)
    assert read_back(written) == written["interactions"]


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[NaN]", "[1e999]", '["\\ud800"]', '{"a": ', "[" * 5000])
def test_inexact_json_stays_text(text: str) -> None:
    """JSON that a mapping cannot stand for is kept as it is."""
    assert read_back(cassette(text)) == cassette(text)["interactions"]


def test_layout() -> None:
    """A cassette reads from top to bottom: text in blocks, vectors on a line, keys in the body's own order."""
    body = {"model": "tiny-1", "content": "two\n  lines \n\tand a tab\n", "embedding": [0.5, -1, 1e-07], "a": []}
    lines = text_of(cassette(json.dumps(body))).splitlines()
    assert lines[7:27] == [
        "interactions:",
        "- request:",
        "    method: POST",
        "    url: /v1/x?a=b",
        "    headers:",
        "      content-type: application/json",
        "    parsed_body:",
        "      model: tiny-1",
        "      content: |",
        "        two",
        "          lines ",
        "        \tand a tab",
        "      embedding: [0.5, -1, 1.0e-07]",
        "      a: []",
        "  response:",
        "    status: 200 OK",
        "    headers:",
        "      content-type: application/json",
        "      via:",
        "      - a",
    ]


def test_streams_are_blocks() -> None:
    """A stream is kept as it came, an event a line."""
    text = text_of(cassette('data: {"a": 1}\n\ndata: [DONE]\n\n', "text/event-stream"))
    assert '    body: |+\n      data: {"a": 1}\n\n      data: [DONE]\n\n' in text


def test_header_is_metadata() -> None:
    """What stands above the interactions can be read by programs, too."""
    head, _ = read_text(text_of(cassette('{"model": "m"}'), note="why"))
    assert head | {"recorded": ""} == {
        "version": 1,
        "recorder": "memzoo.cassettes",
        "recorded": "",
        "models": ["m"],
        "note": "why",
    }


def test_foreign_addresses_are_kept() -> None:
    """The addresses that vcrpy recorded are kept."""
    written = cassette("x")
    written["interactions"][0]["request"]["uri"] = "https://api.example/v1"
    assert read_back(written) == written["interactions"]


def test_unsafe_tags_are_refused() -> None:
    """Loading a cassette never makes an object of anything but plain values."""
    with pytest.raises(CassetteError, match="could not determine a constructor"):
        read_text("version: 1\ninteractions: !!python/object/apply:os.getcwd []")
