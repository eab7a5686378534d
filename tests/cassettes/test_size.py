"""Cassettes are small: long parts once, vectors as arrays, compressed by choice."""
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportMissingTypeStubs=false
# vcrpy has no types.

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vcr import VCR

from memzoo.cassettes import recorded_tool, use_cassette
from memzoo.cassettes.yaml_text import dump, load, pack_numbers, unpack_numbers

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline

LONG = "You are a kind assistant, and you know the capitals of all countries. " * 40
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=10,
)


def test_long_parts_are_written_once(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A prompt that is sent with every request takes its room once, and all requests still match."""
    questions = [f"{LONG}Question {number}" for number in range(2)] + [LONG] * 8
    with use_cassette(path, record="once"):
        for text in questions:
            pipeline.ask(text, at=server.url)
    assert path.stat().st_size < 8 * len(LONG)
    with use_cassette(path):
        for text in questions:
            assert pipeline.ask(text) == f"You said: {text}"


@pytest.mark.parametrize("result", ["-17", LONG], ids=["short", "long"])
def test_tools_take_the_room_of_their_results(
    result: str, server: "ModelServer", pipeline: "Pipeline", path: Path
) -> None:
    """A run with tools takes less than its requests alone in vcrpy's file and the results of its tools."""

    @recorded_tool
    def search(query: str) -> str:
        return f"About {query}: {result}"

    questions = [f"Question {number}" for number in range(8)]
    other = path.with_name("vcrpy.yaml")
    with VCR().use_cassette(str(other)):
        for text in questions:
            pipeline.ask(search(text), at=server.url)
    with use_cassette(path, record="once"):
        for text in questions:
            pipeline.ask(search(text), at=server.url)
    assert path.stat().st_size < other.stat().st_size + sum(len(search(text)) for text in questions)


def test_references_diff_well() -> None:
    """A part is named after what it says: one more request before it changes no line of what follows."""
    shared = {"system": LONG, "tools": [{"name": f"tool_{number}", "description": "x" * 90} for number in range(3)]}
    before = dump([{"n": 1, **shared}, {"n": 2, **shared}], compact=True).splitlines()
    after = dump([{"n": 1, **shared}, {"n": 2, **shared}, {"n": 3, **shared}], compact=True).splitlines()
    assert after[: len(before)] == before
    assert len(after) - len(before) == 3
    changed = dump([{"n": 0, "system": LONG}, {"n": 1, **shared}, {"n": 2, **shared}], compact=True)
    names = {line.rpartition("&")[2].split()[0] for line in before if "&" in line}
    assert all(name in changed for name in names)


@given(st.lists(JSON, max_size=3), st.text(min_size=120, max_size=200))
def test_compact_yaml_round_trip(values: list[Any], text: str) -> None:
    """Whatever is said several times, once or nested: what is read is what was written."""
    document = {"values": values, "again": [values, values, {"text": text, "more": [text, text]}]}
    assert repr(load(dump(document, compact=True))) == repr(json.loads(json.dumps(document)))


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([0.0023064255, -0.009327292, 0.5, -1e-07] * 16, "f32"),
        ([0.1234567890123456, -2.5] * 32, "f64"),
        ([1e300, -0.0, 0.1] * 32, ""),
    ],
)
def test_vectors(numbers: list[float], kind: str) -> None:
    """A long vector is an array where that is shorter: in single precision if that gives the same decimals."""
    text = dump({"embedding": numbers}, compact=True)
    assert (f"!{kind} " if kind else "[1.0e+300, -0.0, 0.1,") in text
    assert repr(load(text)) == repr({"embedding": numbers})
    assert len(text) < len(json.dumps({"embedding": numbers})) + 80


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_arrays_are_exact(numbers: list[float]) -> None:
    """Every number comes back, to the last bit."""
    assert repr(unpack_numbers(*pack_numbers(numbers))) == repr(numbers)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=40))
def test_arrays_of_single_precision(numbers: list[float]) -> None:
    """Doubles that hold single precision come back, too."""
    assert repr(unpack_numbers(*pack_numbers(numbers))) == repr(numbers)


def test_embeddings_replay(server: "ModelServer", path: Path, pipeline: "Pipeline") -> None:
    """A recorded embedding is the one that the client got."""
    vector = [number / 7 for number in range(256)]
    data = [{"object": "embedding", "index": 0, "embedding": vector}]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    server.send("application/json", json.dumps({"object": "list", "model": "m", "usage": usage, "data": data}))
    with use_cassette(path, record="once"):
        assert pipeline.embed("hi", at=server.url, encoding_format="float") == [vector]
    with use_cassette(path):
        assert pipeline.embed("hi", encoding_format="float") == [vector]
    assert "!f64" in path.read_text()


def test_compressed(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """A name that ends in .gz compresses; the same recording is the same file, and its limit is that of the file."""
    packed_path = path.with_name("test.yaml.gz")
    contents: list[bytes] = []
    for _ in range(2):
        with use_cassette(packed_path, record="all", max_bytes=2_000):
            pipeline.ask(LONG * 40, at=server.url)
        contents.append(packed_path.read_bytes())
    assert contents[0] == contents[1]
    with use_cassette(packed_path):
        assert pipeline.ask(LONG * 40)
