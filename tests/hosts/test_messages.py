"""What hosts' messages become on their way into a log, however odd they are."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from memzoo.hosts.messages import (
    PART,
    HostMessage,
    chat_of,
    dump_json,
    dump_model,
    fit_message,
    host_text,
    in_common,
    in_pieces,
    make_call,
)

USER = {"role": "user", "content": "Hi"}


def test_a_message_becomes_one_for_each_result_and_one_for_the_rest():
    """The first has the host's own form, the others a mark; each has a key of its own if the message has one."""
    chat = chat_of("user", ["And?", "So?"], results=[("a", "1"), ("b", "2")])
    assert chat == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "And?\nSo?"},
    ]
    assert [(one.own, one.key) for one in in_pieces(chat, {"x": 1}, "k")] == [
        ({"x": 1}, "k"),
        (PART, "k/1"),
        (PART, "k/2"),
    ]
    assert [one.key for one in in_pieces(chat, None, "")] == [""] * 3
    assert in_pieces([USER], None, "k") == [HostMessage(USER, None, "k")]


def test_what_has_no_text_is_told_by_its_kind():
    """Beside the text, if there is one; a call without words has no content; a message of nothing is an empty one."""
    calls = [make_call("c", "f", {})]
    assert chat_of("user", ["Hi"], others=["image"])[0]["content"] == [
        {"type": "text", "text": "Hi"},
        {"type": "image"},
    ]
    assert chat_of("user", [], others=["image"]) == [{"role": "user", "content": [{"type": "image"}]}]
    assert chat_of("assistant", [], calls=calls) == [{"role": "assistant", "content": None, "tool_calls": calls}]
    assert chat_of("assistant", [], calls=calls, others=["audio"])[0]["content"] == [{"type": "audio"}]
    assert chat_of("user", []) == [{"role": "user", "content": ""}]


_CALLS: list[tuple[Any, tuple[str, str, str]]] = [
    (("c", "f", {"a": "é"}), ("c", "f", '{"a": "é"}')),
    (("c", "f", '{"a": 1'), ("c", "f", '{"a": 1')),
    (("c", "f", None), ("c", "f", "{}")),
    ((None, "f", []), ("f", "f", "[]")),
    ((None, None, None), ("", "a tool", "{}")),
    (("c", "f", {1: []}), ("c", "f", '{"1": []}')),
]


@pytest.mark.parametrize(("given", "expected"), _CALLS)
def test_a_call_is_one_whatever_is_missing(given: tuple[Any, Any, Any], expected: tuple[str, str, str]):
    """An id, a name and written arguments."""
    call = make_call(*given)
    assert (call["id"], call["function"]["name"], call["function"]["arguments"]) == expected


def test_arguments_that_cannot_be_written_are_none():
    """Something that stands within itself has no text."""
    circle: list[Any] = []
    circle.append(circle)
    assert make_call("c", "f", circle)["function"]["arguments"] == "{}"
    assert dump_json(circle) is None


def test_texts():
    """A text, or the texts and refusals of its parts."""
    assert host_text("Hi ") == "Hi "
    assert host_text(["Hi", {"text": "there"}, {"refusal": "no"}, {"type": "image"}, 7]) == "Hi\nthere\nno"
    assert host_text(7) == host_text(None) == ""


def test_what_is_written_comes_back():
    """Also with halves of characters, which stores refuse as they are; what is no JSON is a text."""
    assert dump_json(None) is None
    assert dump_json({"a": "é"}) == '{"a": "é"}'
    half = dump_json({"a": "\ud800"})
    assert half
    assert half.isascii()
    assert json.loads(half) == {"a": "\ud800"}
    assert dump_json({"a": {1}}) == '{"a": "{1}"}'


class Model(BaseModel):
    """A model as hosts have them."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    value: Any
    more: int | None = None


class Odd:
    """Nothing that JSON knows."""

    def __repr__(self) -> str:
        """Its text."""
        return "odd"


def test_models_as_json():
    """What an application put into one that is no JSON is a text, and a name that is none is left out."""
    assert dump_model(Model(value={"a": 1}), exclude_none=True) == {"value": {"a": 1}}
    assert dump_model(Model(value={"a": Odd(), Odd(): 1}), exclude_none=True) == {"value": {"a": "odd"}}


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        (USER, USER),
        ({"role": "cat", "content": "Miaow"}, {"role": "assistant", "content": "Miaow"}),
        ({"role": "user", "content": "\ud800"}, {"role": "user", "content": "?"}),
        ({"role": "user", "content": [{"text": "Hi"}, {"type": 1}]}, USER),
        ({"role": "user", "content": [{"text": "Hi"}, {"type": "image"}]}, USER),
        ({**USER, "content": [{"type": "image", "x": Odd()}]}, {**USER, "content": [{"type": "image", "x": "odd"}]}),
        ({"role": "tool", "content": "1", "tool_call_id": 7}, {"role": "tool", "content": "1", "tool_call_id": "7"}),
        ({"role": "tool", "content": {}}, {"role": "tool", "content": "", "tool_call_id": ""}),
        ({"role": "user", "content": "Hi", "tool_calls": [7, {}, {"function": 1}]}, USER),
    ],
)
def test_odd_messages_are_mended(odd: Any, expected: Any):
    """What cannot be a chat message is one of its text: a run that has done its work does not fail here."""
    assert fit_message(odd) == expected


@pytest.mark.parametrize("levels", [101, 100_000])
def test_what_has_too_many_levels_is_a_text(levels: int):
    """Or left out, where nobody could write it; the rest of the message stays."""
    deep: list[Any] = []
    for _ in range(levels):
        deep = [deep]
    kept = fit_message({"role": "assistant", "content": deep, "tool_calls": [{"id": "c", "function": {}}]})
    assert kept["content"] == ("" if levels > 101 else json.dumps(deep))
    assert kept["tool_calls"] == [{"id": "c", "function": {}}]
    assert fit_message({**USER, "more": deep}) == USER


def test_calls_without_an_id_are_kept():
    """Their id is empty then."""
    call = {"function": {"name": "f", "arguments": "{}"}}
    (kept,) = fit_message({"role": "assistant", "content": None, "tool_calls": [call]})["tool_calls"]
    assert (kept["id"], kept["function"]) == ("", call["function"])


def test_numbers_that_are_none_become_texts():
    """NaN is no JSON."""
    part = {"type": "thing", "score": float("nan"), "x": {1}}
    fitted = fit_message({"role": "user", "content": [part]})
    assert fitted["content"] == [{"type": "thing", "score": "NaN", "x": "{1}"}]


def test_a_common_beginning():
    """Messages are counted up to the first that differs."""
    other = {"role": "user", "content": "Ho"}
    assert in_common([USER, other, USER], [USER, USER, USER]) == 1
    assert in_common([USER], [USER, USER]) == 1
    assert in_common([], [USER]) == 0
