"""Endpoints beyond OpenAI's chat: who says what in a difference, and what a recording took."""

import json
from typing import Any

import pytest

from memzoo.cassettes.conversation import answer_text, statistics_of
from memzoo.cassettes.http import HttpRequest, is_array
from memzoo.cassettes.matching import differences, request_key

SAID = "What is the capital of {}?"


def anthropic(text: str) -> dict[str, Any]:
    """A request to Anthropic's API."""
    blocks = [{"type": "text", "text": text}]
    return {"model": "c", "system": "Be kind.", "max_tokens": 9, "messages": [{"role": "user", "content": blocks}]}


def gemini(text: str) -> dict[str, Any]:
    """A request to Gemini's API."""
    contents = [{"role": "model", "parts": [{"text": "hi"}]}, {"role": "user", "parts": [{"text": text}]}]
    return {"systemInstruction": {"parts": [{"text": "Be kind."}]}, "contents": contents}


def responses(text: str) -> dict[str, Any]:
    """A request to OpenAI's Responses API."""
    items = [{"type": "function_call_output", "call_id": "c1", "output": "4"}, {"role": "user", "content": text}]
    return {"model": "g", "instructions": "Be kind.", "input": items}


def responses_text(text: str) -> dict[str, Any]:
    """A request to OpenAI's Responses API, with a text as its input."""
    return {"model": "g", "input": text}


REQUESTS = {
    "anthropic": ("/v1/messages", anthropic),
    "gemini": ("/v1beta/models/gemini-2.5-pro:generateContent", gemini),
    "responses": ("/v1/responses", responses),
    "responses-text": ("/v1/responses", responses_text),
}


@pytest.mark.parametrize(("path", "make"), REQUESTS.values(), ids=REQUESTS)
def test_differences_by_role(path: str, make: Any) -> None:
    """A changed word is shown with who says it, wherever an API keeps it; the address is what follows the base_url."""
    asked, recorded = (
        request_key(
            HttpRequest(
                "POST", f"https://gateway.example/proxy{path}", json.dumps(make(SAID.format(name))).encode(), {}
            )
        )
        for name in ("Sweden", "Norway")
    )
    lines = [line.strip() for line in differences(asked, recorded)]
    assert "- user: What is the capital of Norway?" in lines
    assert "+ user: What is the capital of Sweden?" in lines
    assert str(asked).startswith(f"POST {path.removeprefix('/v1beta').removeprefix('/v1')} ")
    assert "capital of Sweden" in str(asked)


def test_differences_in_tool_calls() -> None:
    """What is no text is compared, too."""
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"city": "%s"}'}}]
    asked, recorded = (
        request_key(
            HttpRequest(
                "POST",
                "http://a/v1/chat/completions",
                (json.dumps({"messages": [{"role": "assistant", "tool_calls": calls}]}) % city).encode(),
                {},
            )
        )
        for city in ("Oslo", "Bergen")
    )
    assert any(line.strip().startswith("+") and "Oslo" in line for line in differences(asked, recorded))


def response(body: Any) -> dict[str, Any]:
    """A response, as JSON or, for a list, as a stream."""
    stream = is_array(body)
    text = "".join(f"event: x\ndata: {json.dumps(one)}\n\n" for one in body) if is_array(body) else json.dumps(body)
    kind = "text/event-stream" if stream else "application/json"
    return {
        "status": {"code": 200, "message": ""},
        "headers": {"content-type": [kind]},
        "body": {"string": text.encode()},
    }


OPENAI = {"prompt_tokens": 7, "completion_tokens": 2}
OTHERS = {"input_tokens": 7, "output_tokens": 2}
REPLIES: dict[str, Any] = {
    "openai": {"model": "m", "choices": [{"message": {"content": "Oslo"}}], "usage": OPENAI},
    "openai-stream": [
        {"model": "m", "choices": [{"delta": {"content": "Os"}}]},
        {"model": "m", "choices": [{"delta": {"content": "lo"}}], "usage": OPENAI},
    ],
    "responses": {"model": "m", "output": [{"content": [{"type": "output_text", "text": "Oslo"}]}], "usage": OTHERS},
    "anthropic": {"model": "m", "content": [{"type": "text", "text": "Oslo"}], "usage": OTHERS},
    "anthropic-stream": [
        {"type": "message_start", "message": {"model": "m", "content": [], "usage": OTHERS | {"output_tokens": 1}}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Oslo"}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 2}},
    ],
    "gemini": {
        "modelVersion": "m",
        "candidates": [{"content": {"parts": [{"text": "Oslo"}]}}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2},
    },
}


@pytest.mark.parametrize("body", REPLIES.values(), ids=REPLIES)
def test_usage_and_answers(body: Any) -> None:
    """Models, tokens and what was said are read from every API's replies, streamed or not."""
    statistics = statistics_of([response(body)])
    assert (statistics.models, statistics.input_tokens, statistics.output_tokens) == (("m",), 7, 2)
    assert answer_text(response(body)) == "Oslo"
