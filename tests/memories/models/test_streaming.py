"""Pieces of tool calls become calls, however an endpoint numbers them."""

from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from memzoo.memories.models.streaming import StreamedAnswer


def piece(arguments: str, name: str | None = "look", **own: Any) -> dict[str, Any]:
    """A piece of a call, as an endpoint sends it."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **own}


X, Y = ("look", '{"city": "X"}'), ("look", '{"city": "Y"}')


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        # Gemini's endpoint gives all calls of an answer the number 0.
        ([piece(X[1], index=0, id="a"), piece(Y[1], index=0, id="b")], [X, Y]),
        # Gateways to Claude number the parts of an answer, so the calls begin at 1.
        ([piece('{"city": ', index=1, id="a"), piece('"X"}', None, index=1)], [X]),
        ([piece(X[1], index=1, id="a"), piece(Y[1], index=0, id="b")], [X, Y]),
        ([piece(X[1], id=""), piece(Y[1], id="")], [X, Y]),
        ([piece('{"city": ', id="a"), piece('"X"}', id="a"), piece(Y[1], id="b")], [X, Y]),
        ([piece('{"city": ', index=0, id="a"), piece('"X"}', index=0, id="a")], [X]),
        (
            [
                *(piece('{"city"', index=0, id="a"), piece('{"city"', index=1, id="b")),
                *(piece(': "X"}', None, index=0), piece(': "Y"}', None, index=1)),
            ],
            [X, Y],
        ),
    ],
)
def test_pieces_become_calls(pieces: list[dict[str, Any]], calls: list[tuple[str, str]]) -> None:
    """With equal numbers, none, or numbers from 1; with id and name once or in each piece; the last delta is null."""
    answer = StreamedAnswer()
    deltas: list[dict[str, Any] | None] = [{"role": "assistant", "tool_calls": [one]} for one in pieces]
    for delta in (*deltas, None):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        answer.add(ChatCompletionChunk.construct(id="c", created=0, model="m", choices=[choice]))
    made: list[Any] = answer.completion.choices[0].message.tool_calls
    assert [(one.function.name, one.function.arguments) for one in made] == calls


def test_a_piece_needs_nothing_but_its_choice() -> None:
    """Neither an id nor a model's name; half of a character in one piece, and the other half in the next."""
    answer = StreamedAnswer()
    for delta in ({"content": "Hi \ud83d"}, {"content": "\ude00"}, {}):
        answer.add(ChatCompletionChunk.construct(choices=[{"index": 0, "delta": delta, "finish_reason": None}]))
    message = answer.completion.choices[0].message
    assert message.content == "Hi \ud83d\ude00"
    assert message.tool_calls is None
