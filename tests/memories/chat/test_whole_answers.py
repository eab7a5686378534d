"""An answer is read whole, in one piece or streamed: with thoughts, signatures and whatever else its provider sends."""

import functools
import json
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import MemoryZooWarning
from memzoo.memories import Conversation
from memzoo.memories.models.answer import MOST_BESIDES
from memzoo.stores import Message

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

DETAILS = [
    {"type": "reasoning.text", "text": "Hm.", "signature": "s==", "format": "f", "index": 0},
    {"type": "reasoning.encrypted", "data": "x==", "format": "f", "index": 1},
]
MEMBERS: Message = {
    "reasoning_content": "Hm, what? Let me see.",
    "reasoning": "Other words.",
    "reasoning_details": DETAILS,
    "extra_content": {"google": {"thought_signature": "EjQ+/="}},
    "annotations": [{"type": "url_citation", "url_citation": {"url": "https://example.com"}}],
    "a_member_of_next_year": {"numbers": [1, 2.5, None]},
}


def answered(conversation: Conversation, *, stream: bool) -> Message:
    """The answer as it is in the log."""
    said = "".join(conversation.stream("Hi")) if stream else conversation.send("Hi")
    assert said == "Hello."
    return conversation.memory.history()[-1]


@pytest.mark.parametrize("stream", [False, True])
def test_every_member_is_kept(endpoint: "Endpoint", *, stream: bool) -> None:
    """Byte for byte; empty members are left out."""
    endpoint.says("Hello.", **MEMBERS, audio=None, refusal=None)
    assert answered(Conversation(endpoint.model), stream=stream) == {
        "role": "assistant",
        "content": "Hello.",
        **MEMBERS,
    }


def chunks(*deltas: Message) -> list[str]:
    """The events of a stream of these deltas."""
    ends: list[tuple[Message, str | None]] = [*((delta, None) for delta in deltas), ({}, "stop")]
    made = [
        {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        for choice in ({"index": 0, "delta": delta, "finish_reason": end} for delta, end in ends)
    ]
    return [f"data: {json.dumps(one)}\n\n" for one in made]


@pytest.mark.parametrize(
    ("deltas", "members"),
    [
        # OpenRouter: pieces of a text with the same index, each with the names again, and the signature at the end.
        (
            [{"reasoning_details": [DETAILS[0] | {"text": text, "signature": None}]} for text in ("H", "m.")]
            + [{"reasoning_details": [DETAILS[0] | {"text": ""}]}, {"reasoning_details": [DETAILS[1]]}],
            {"reasoning_details": DETAILS},
        ),
        # Details without an index; each text goes on, encrypted ones follow each other.
        (
            [{"reasoning_details": [{"type": "reasoning.text", "text": text}]} for text in ("H", "m.")]
            + [{"reasoning_details": [{"type": "reasoning.encrypted", "data": data}]} for data in ("a", "b")],
            {
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "Hm."},
                    *({"type": "reasoning.encrypted", "data": data} for data in ("a", "b")),
                ]
            },
        ),
        # MiniMax: each piece repeats the text so far.
        (
            [{"reasoning_content": text} for text in ("It is a long thought", "It is a long thought, it is.")],
            {"reasoning_content": "It is a long thought, it is."},
        ),
        # Mistral: parts of thoughts.
        (
            [{"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]} for text in ("H", "m.")],
            {"thinking": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]},
        ),
        # A model without a parser of thoughts.
        ([{"content": piece} for piece in ("<th", "ink>H", "m.</thi", "nk>\n\n")], {"reasoning_content": "Hm."}),
        # A name that comes with every piece.
        ([{"provider": "a"}, {"provider": "a"}], {"provider": "a"}),
    ],
)
def test_pieces_are_put_together(endpoint: "Endpoint", deltas: list[Message], members: Message) -> None:
    """Texts are joined, names and signatures stay whole, and no thought is said as words."""
    endpoint.answers.append({"events": chunks({"role": "assistant"}, *deltas, {"content": "Hello."})})
    said = answered(Conversation(endpoint.model), stream=True)
    assert said == {"role": "assistant", "content": "Hello.", **members}


def test_calls_without_an_index_are_put_together(endpoint: "Endpoint") -> None:
    """Gemini streams each call whole and without an index; its signature stays on it."""

    def double(number: int) -> int:
        return 2 * number

    signature = {"extra_content": {"google": {"thought_signature": "EjQ+/="}}}
    calls: list[dict[str, Any]] = [
        {"id": id_, "type": "function", "function": {"name": "double", "arguments": json.dumps({"number": number})}}
        for id_, number in (("a", 1), ("b", 2), ("c", 3))
    ]
    calls[0] |= signature
    endpoint.answers.append(
        {"events": chunks({"role": "assistant", "tool_calls": calls[:2]}, {"tool_calls": calls[2:]})}
    )
    endpoint.says("Hello.")
    conversation = Conversation(endpoint.model, tools=[double])
    answered(conversation, stream=True)
    _, asked, *results, _ = conversation.memory.history()
    assert asked == {"role": "assistant", "content": None, "tool_calls": calls}
    assert [one["content"] for one in results] == ["2", "4", "6"]


def piece(arguments: Any, name: str | None = "weather", **call: Any) -> Message:
    """A delta with a piece of a call."""
    return {"tool_calls": [{"type": "function", **call, "function": {"name": name, "arguments": arguments}}]}


X, Y = '{"city": "X"}', '{"city": "Y"}'


@pytest.mark.parametrize(
    ("deltas", "cities"),
    [
        ([piece(X, index=0, id="a"), piece(Y, index=0, id="b")], "XY"),
        (
            [piece("", index=0, id="a"), piece(X, None, index=0), piece("", index=0, id="b"), piece(Y, None, index=0)],
            "XY",
        ),
        ([piece(X, index=1, id="a")], "X"),
        ([piece(X, index=1, id="a"), piece(Y, index=0, id="b")], "XY"),
        (
            [piece(one, index=at, id=id_) for one, at, id_ in ((X[:5], 0, "a"), (Y[:5], 1, "b"))]
            + [piece(one, None, index=at) for one, at in ((X[5:], 0), (Y[5:], 1))],
            "XY",
        ),
        ([piece(X, id=""), piece(Y, id="")], "XY"),
        ([piece(X, id="a"), piece(Y, id="a")], "XY"),
        ([piece(X[:5], id="a"), piece(X[5:], None, id="a"), piece(Y, id="b")], "XY"),
        ([piece(X[:5], index=0, id="a"), piece(X[5:], index=0, id="a"), piece("", index=0, id="a")], "X"),
        ([piece(X[:5], "wea", index=0), piece(X[5:], "ther", index=0, id="a")], "X"),
        ([piece({"city": "X"}, index=0, id="a"), piece({"city": "Y"}, index=1, id="b")], "XY"),
    ],
    ids=[
        "index 0 for all",
        "index 0 for all, in pieces",
        "index from 1",
        "index 1 before 0",
        "pieces in turn",
        "no index, empty ids",
        "no index, one id for two",
        "no index, id repeated",
        "id and name repeated",
        "id late, name in pieces",
        "arguments as objects",
    ],
)
def test_each_streamed_call_is_run_once(endpoint: "Endpoint", deltas: list[Message], cities: str) -> None:
    """However its endpoint numbers and names the pieces, each call has its own arguments."""

    def weather(city: str) -> str:
        return city

    endpoint.answers.append({"events": chunks(*deltas)})
    endpoint.says("Hello.")
    conversation = Conversation(endpoint.model, tools=[weather])
    answered(conversation, stream=True)
    _, asked, *results, _ = conversation.memory.history()
    functions = [call["function"] for call in asked["tool_calls"]]
    assert functions == [{"name": "weather", "arguments": json.dumps({"city": city})} for city in cities]
    assert [one["content"] for one in results] == list(cities)


def test_arguments_as_an_object_are_arguments(endpoint: "Endpoint") -> None:
    """They are kept as JSON, as other endpoints send them."""

    def weather(city: str) -> str:
        return city

    arguments: Any = {"city": "X"}
    endpoint.says(None, ("weather", arguments))
    endpoint.says("Hello.")
    conversation = Conversation(endpoint.model, tools=[weather])
    answered(conversation, stream=False)
    _, asked, result, _ = conversation.memory.history()
    assert (asked["tool_calls"][0]["function"]["arguments"], result["content"]) == (X, "X")


def test_a_last_chunk_may_have_no_delta(endpoint: "Endpoint") -> None:
    """The words before that are the answer."""
    *events, last = chunks({"content": "Hello."})
    endpoint.answers.append({"events": [*events, last.replace('"delta": {}', '"delta": null')]})
    assert answered(Conversation(endpoint.model), stream=True) == {"role": "assistant", "content": "Hello."}


@pytest.mark.parametrize("much", ["x" * MOST_BESIDES, functools.reduce(lambda inner, _: [inner], range(120), "x")])
def test_what_is_too_much_is_left_out(endpoint: "Endpoint", much: Any) -> None:
    """With a warning of its own; the words are kept."""
    endpoint.says("Hello.", a_member=much)
    with pytest.warns(MemoryZooWarning, match="a_member"):
        said = answered(Conversation(endpoint.model), stream=False)
    assert said == {"role": "assistant", "content": "Hello."}


@pytest.mark.parametrize(
    "said",
    [
        {"text": "Hello.", "reasoning_content": "Hm \ud83d"},
        {"text": "<think>Hm \ud83d</think>Hello."},
    ],
)
def test_half_a_character_beside_the_words_costs_no_answer(endpoint: "Endpoint", said: dict[str, Any]) -> None:
    """Thoughts that were cut within a character are kept with a sign for it."""
    endpoint.says(**said)
    assert answered(Conversation(endpoint.model), stream=False)["reasoning_content"] == "Hm \ufffd"


def test_halves_of_a_character_in_two_pieces_of_thoughts_are_joined(endpoint: "Endpoint") -> None:
    """Some endpoints cut a stream within a character."""
    endpoint.answers.append({"events": chunks({"content": "<think>Hm \ud83d"}, {"content": "\ude00</think>Hello."})})
    assert answered(Conversation(endpoint.model), stream=True)["reasoning_content"] == "Hm \U0001f600"


def test_a_model_that_calls_wrongly_can_go_on(endpoint: "Endpoint") -> None:
    """It is told what was wrong; later requests have a call that can be parsed."""

    def water(plant: str) -> str:
        return plant

    conversation = Conversation(endpoint.model, tools=[water])
    endpoint.says(None, ("water", '{"plant": "fe'), ("water plant!", "[]"))
    for text in ("Sorry.", "Bye."):
        endpoint.says(text)
        conversation.send("Hi")
    functions = [call["function"] for call in endpoint.sent()[1]["tool_calls"]]
    assert functions == [{"name": "water", "arguments": "{}"}, {"name": "water_plant_", "arguments": "{}"}]
    assert [message["content"][:6] for message in endpoint.sent() if message["role"] == "tool"] == ["Error:"] * 2
    assert conversation.memory.history()[1]["tool_calls"][1]["function"] == {"name": "water plant!", "arguments": "[]"}
