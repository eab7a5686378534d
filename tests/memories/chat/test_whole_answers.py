"""An answer is read whole, in one piece or streamed: with thoughts, signatures and whatever else its provider sends."""

import functools
import json
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.memories import Conversation
from memzoo.memories.models.answer import MOST_BESIDES
from memzoo.stores import Message
from memzoo.types import DroppedThoughtsWarning

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


@pytest.mark.parametrize("much", ["x" * MOST_BESIDES, functools.reduce(lambda inner, _: [inner], range(120), "x")])
def test_what_is_too_much_is_left_out(endpoint: "Endpoint", much: Any) -> None:
    """With a warning of its own; the words are kept."""
    endpoint.says("Hello.", a_member=much)
    with pytest.warns(DroppedThoughtsWarning, match="a_member"):
        said = answered(Conversation(endpoint.model), stream=False)
    assert said == {"role": "assistant", "content": "Hello."}


def test_half_a_character_beside_the_words_costs_no_answer(endpoint: "Endpoint") -> None:
    """Thoughts that were cut within a character are kept with a sign for it."""
    endpoint.says("Hello.", reasoning_content="Hm \ud83d")
    assert answered(Conversation(endpoint.model), stream=False)["reasoning_content"] == "Hm \ufffd"


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
