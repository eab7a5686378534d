"""Which requests are the same, and which file belongs to which test."""

import json
from io import BytesIO
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.cassettes import use_cassette
from memzoo.cassettes.http import body_bytes, content_type
from memzoo.cassettes.ignoring import Ignored
from memzoo.cassettes.matching import RequestKey, differences, nearest, report_unmatched, request_key, stands_for
from memzoo.cassettes.plugin import cassette_name
from memzoo.cassettes.secrets import PLACEHOLDER

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
OBJECTS = st.dictionaries(st.text(), st.recursive(SCALARS, st.lists, max_leaves=5), min_size=1)


def request(body: Any = b"", uri: str = "http://a/v1/chat/completions", method: str = "POST") -> Any:
    """A request as vcrpy keeps it."""
    return SimpleNamespace(method=method, uri=uri, body=body, headers={})


def same_request(one: Any, other: Any) -> bool:
    """Whether a recording of the one would answer the other."""
    return request_key(one) == request_key(other)


@given(OBJECTS)
def test_equal_json_is_the_same_request(value: dict[str, Any]) -> None:
    """Order of keys, white space and escapes do not matter."""
    turned = dict(reversed(value.items()))
    one, other = json.dumps(value), json.dumps(turned, indent=2, ensure_ascii=False)
    assert same_request(request(one.encode()), request(other.encode(errors="surrogatepass")))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b'{"t": 1}', b'{"t": 1.0}', True),
        (b'{"t": 1}', b'{"t": true}', False),
        (b'{"t": null}', b"{}", False),
        (b'{"t": [1, 2]}', b'{"t": [2, 1]}', False),
        (b"a=1&b=2", b"a=1&b=2", True),
        (b"a=1&b=2", b"b=2&a=1", False),
        (b"\xff", b"\xfe", False),
        (None, b"", True),
    ],
)
def test_bodies(one: bytes | None, other: bytes | None, same: bool) -> None:  # noqa: FBT001
    """JSON is compared as JSON, anything else as it is."""
    assert same_request(request(one), request(other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a:1/v1/embeddings", "https://b/openai/v1/embeddings", True),
        ("http://a/v1/embeddings", "http://a/v1/chat/completions", False),
        ("http://a/v1/chat/completions", "http://a/v1/completions", False),
        ("http://a/v1/responses/r1", "http://a/v1/responses/r2", False),
        ("http://a/v1/files", "http://b/v1/files", True),
        ("http://a/v1/files", "http://a/v2/files", False),
        ("http://a/x?b=2&a=1", "http://a/x?a=1&b=2", True),
        ("http://a/x?a=", "http://a/x", False),
        ("http://a", "http://a/", True),
    ],
)
def test_addresses(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    """Path and query are matched; scheme, host, port and the base_url's part of the path are not."""
    assert same_request(request(uri=one), request(uri=other)) is same


def test_method() -> None:
    """The method is matched."""
    assert not same_request(request(method="GET"), request(method="POST"))


def key(body: Any) -> RequestKey:
    """The key of a request with this JSON body."""
    return request_key(request(json.dumps(body).encode()))


def test_nearest() -> None:
    """The nearest is at the same address, and of those the one with the likest body."""
    asked = key({"input": "the quick brown fox"})
    other = request_key(request(b'{"input": "the quick brown fox"}', uri="http://a/v1/embeddings"))
    assert nearest(asked, [other, key({"input": "zzz"}), key({"input": "the quick brown cat"})]) == 2
    assert nearest(asked, []) is None


def told(asked: RequestKey, recorded: list[RequestKey], unplayed: set[int], *rules: str) -> str:
    """What is said of a request without a recording."""
    return str(report_unmatched(asked, recorded, unplayed, Path("x.yaml"), "hint", ignored=Ignored(rules)))


def test_an_answer_that_is_played_is_told() -> None:
    """It is said of an equal request, also of one that is equal by a rule."""
    hi, other = key({"input": "hi"}), key({"input": "something else"})
    said = told(hi, [hi, other], {1})
    assert "Its recordings (1) have all been played." in said
    assert "First difference at step 2 of 2: one step more." in said
    assert "differ only in ignore=['$.id'] count as the same" in told(hi, [hi, other], {1}, "$.id")
    assert "ignore=" not in told(hi, [hi, other], {1})


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ({"systemInstruction": {"parts": [{"text": "x"}]}, "contents": "a"}, "another prompt"),
        ({"system": "x", "messages": [{"content": "a"}]}, "another prompt"),
        ({"temperature": "x", "messages": [{"content": "a"}]}, "another option"),
    ],
)
def test_prompts_and_options(body: dict[str, Any], how: str) -> None:
    """The words for a model are its prompt, also where they stand deeper; all the rest are options."""
    other = json.loads(json.dumps(body).replace("x", "y"))
    assert f"First difference at step 1 of 1: {how}" in told(key(other), [key(body)], {0})


def test_failures_have_few_lines() -> None:
    """Where all parts differ and a nearer answer was played, it is told in 24 lines; the plugin adds one."""
    asked = key({"input": " ".join(f"word{number}" for number in range(3000))})
    nearer = request_key(request(b'{"input": "word1"}'))
    other = request_key(request(b'{"input": "' + b"other " * 3000 + b'"}', "http://a/b?c=1", "PUT"))
    assert len(told(asked, [nearer, other], {1}).splitlines()) <= 24


def test_an_answer_that_a_placeholder_hides_is_told() -> None:
    """A recording that would match if what it has taken out were a secret here, too, says so; no other one does."""
    recorded = [key({"input": "use SCRUBBED now"})]
    hint = "SCRUBBED was a secret when this was recorded, but is not one here: see cassette_secrets."
    assert hint in told(key({"input": "use tom cat now"}), recorded, {0})
    assert hint not in told(key({"input": "use tom cat then"}), recorded, {0})


def test_differences_in_a_long_line() -> None:
    """The words that differ are shown, though the line that they are in is long."""
    words = " ".join(f"word{number}" for number in range(400))
    lines = differences(key({"input": words.replace("word200", "other")}), key({"input": words}))
    assert any("word200" in line for line in lines if line.strip().startswith("-"))
    assert any("other" in line for line in lines if line.strip().startswith("+"))
    assert len(lines) <= 43


def test_differences_outside_json() -> None:
    """Bodies that are no JSON are compared as text, equal ones are not mentioned."""
    asked, recorded = (request_key(request(body, uri=f"http://a/{body.decode()}")) for body in (b"a=1", b"b=1"))
    assert differences(asked, recorded)[3:] == ["body differs:", "  - b=1", "  + a=1"]
    assert differences(asked, asked._replace(query=(("v", "1 2"),))) == ["query differs:", "  - v=1 2", "  + "]


def test_differences_in_lines_of_signs() -> None:
    """Lines that begin like the head of a difference are shown, too."""
    asked, recorded = (request_key(request(body)) for body in (b"++ a\nx", b"-- b\nx"))
    assert differences(asked, recorded)[1:3] == ["  - -- b", "  + ++ a"]


@pytest.mark.parametrize(
    ("asked", "recorded", "expected"),
    [
        ("a\nb", "a\nb ", ["  -   b·", "  +   b"]),
        ("a  " + "b" * 71, "a " + "b" * 71, ["  only in white space"]),
    ],
)
def test_differences_in_white_space(asked: str, recorded: str, expected: list[str]) -> None:
    """White space at the end of a line is made visible, and no difference goes without a word."""
    lines = differences(key({"input": asked}), key({"input": recorded}))
    assert [line for line in lines if line in expected] == expected


def test_preview() -> None:
    """A request is named by its endpoint, its model and the newest of what is said."""
    messages = [{"content": "You are kind."}, {"content": "hi " * 100}]
    assert str(key({"model": "m", "messages": messages})).startswith("POST /chat/completions m: 'hi hi hi")
    assert str(key([1])) == "POST /chat/completions [1]"
    assert str(request_key(request(uri="http://a/x?a=1&b=", method="GET"))) == "GET /x?a=1&b="
    assert str(request_key(request(b"--b\r\nfile", uri="http://a/files"))) == "POST /files --b file"


BODIES: list[tuple[Any, bytes | None]] = [
    (None, None),
    (b"x", b"x"),
    ("é", "é".encode()),
    (bytearray(b"x"), b"x"),
    ([120, 121], b"xy"),
    (iter([b"x", b"y"]), b"xy"),
    (["x", "y"], b"xy"),
    ([], b""),
    (BytesIO(b"x"), b"x"),
    ({"a": 1}, b'{"a": 1}'),
    ([{"a": 1}], b'[{"a": 1}]'),
]


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_bodies_of_all_clients(body: Any, expected: bytes | None) -> None:
    """HTTP clients hand over their bodies in many forms."""
    assert body_bytes(request(body)) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({}, ""), ({"Content-Type": "Text/X"}, "text/x"), ({"content-type": [b"A/B"]}, "a/b"), ({"content-type": []}, "")],
)
def test_content_type(headers: dict[str, Any], expected: str) -> None:
    """Headers come as text, bytes or lists, in any case."""
    assert content_type(headers) == expected


@pytest.mark.parametrize(
    ("module", "names", "expected"),
    [
        ("tests/memories/test_summary.py", ["test_x[sync]"], "memories/test_summary/test_x[sync].yaml"),
        ("tests/test_a.py", ["TestB", "test_c"], "test_a/TestB.test_c.yaml"),
        ("src/pkg/test_a.py", ["test_c"], "src/pkg/test_a/test_c.yaml"),
        ("tests/test_a.py", ["test_x[gpt-4o mini=1]"], "test_a/test_x[gpt-4o mini=1].yaml"),
    ],
)
def test_names(module: str, names: list[str], expected: str) -> None:
    """A cassette is named like the test, in folders like the tests'."""
    assert cassette_name(PurePath(module), names).as_posix() == expected


@given(st.lists(st.text(min_size=1, max_size=300), min_size=2, max_size=8, unique=True))
def test_names_are_safe_and_distinct(parameters: list[str]) -> None:
    """Whatever a test's parameters are, its file stays in its folder, has a short name and is its own."""
    paths = [cassette_name(PurePath("tests/test_a.py"), [f"test_x[{parameter}]"]) for parameter in parameters]
    assert len(set(paths)) == len(parameters)
    for path in paths:
        assert path.parent == PurePath("test_a")
        assert len(path.name) < 140
        assert not set(path.name) & set('/\\:*?"<>|\0\n')


def test_names_outside() -> None:
    """A test outside the project cannot put its cassette outside the folder."""
    assert ".." not in cassette_name(PurePath("../other/test_a.py"), [".."]).parts


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("Zx81kq93LmQpTw7-Yq72hd83KsPwLz9", True),
        ("-Zx81kq93LmQpTw7-Yq72hd83KsPwLz9", True),
        ("-Yq72hd83KsPwLz9", False),
        ("Zx81kq93LmQpTw7-", False),
        ("hello-Yq72hd83KsPwLz9", False),
    ],
    ids=["two", "one that begins with what is between them", "one", "the first alone", "a word and one"],
)
def test_each_placeholder_stands_for_a_secret(body: str, same: bool) -> None:  # noqa: FBT001
    """For one that is there, whatever it begins with."""
    recorded = RequestKey("POST", "/v1", (), f"{PLACEHOLDER}-{PLACEHOLDER}")
    assert stands_for(recorded, recorded._replace(body=body)) is same


def test_methods_in_small_letters(path: Path) -> None:
    """A method is the same in small letters, as aiohttp's recorder keeps them."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "interactions:\n- request: {method: post, uri: 'https://api.invalid/v1/embeddings', body: '{}', headers: {}}\n"
        "  response: {status: {code: 200, message: OK}, headers: {}, body: {string: hi}}\nversion: 1\n"
    )
    with use_cassette(path):
        assert httpx2.post("https://api.invalid/v1/embeddings", content="{}").text == "hi"


RESULTS = {
    "messages": [{"role": "tool", "tool_call_id": name, "content": name} for name in "ab"],
    "input": [{"type": "function_call_output", "call_id": name, "output": name} for name in "ab"],
    "content": [{"type": "tool_result", "tool_use_id": name, "content": name} for name in "ab"],
    "parts": [{"functionResponse": {"name": name, "response": {"result": name}}} for name in "ab"],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_parallel_calls_may_come_as_the_tools_end(name: str) -> None:
    """LlamaIndex 0.14.25 lists the results of two calls by which tool ended first: that is the same request."""
    calls = [{"calls": [{"id": one, "name": one} for one in "ba"]}]

    def body(results: list[Any]) -> bytes:
        return json.dumps({name: [*calls, *results, {"role": "user", "content": "Go on"}]}).encode()

    one, other = RESULTS[name]
    assert same_request(request(body([one, other])), request(body([other, one])))
    key = "output" if name == "input" else "content" if name != "parts" else "functionResponse"
    swapped = [one | {key: other[key]}, other | {key: one[key]}] if name != "parts" else [one, one]
    assert not same_request(request(body([one, other])), request(body(swapped)))
