"""What a provider had in its cache is counted, under whatever name it tells so."""

import json
from typing import Any

import openai
import pytest

from memzoo.http_library import http
from memzoo.memories import ChatModel, Conversation, ConversationSummaryMemory
from memzoo.types import Spent

OF_OPENAI = {"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 1920}}
USAGES: dict[str, tuple[dict[str, Any], tuple[int, int, int]]] = {
    "OpenAI": (OF_OPENAI, (2006, 1920, 0)),
    "OpenAI, without details": (OF_OPENAI | {"prompt_tokens_details": None}, (2006, 0, 0)),
    "Gemini, behind OpenAI's interface": (
        {
            "prompt_tokens": 4100,
            "completion_tokens": 20,
            "prompt_tokens_details": {"audio_tokens": None, "cached_tokens": 3968},
        },
        (4100, 3968, 0),
    ),
    "DeepSeek": (
        {
            "prompt_tokens": 2000,
            "completion_tokens": 5,
            "prompt_cache_hit_tokens": 1984,
            "prompt_cache_miss_tokens": 16,
        },
        (2000, 1984, 0),
    ),
    "Anthropic, as a proxy adds it up": (
        {
            "prompt_tokens": 3000,
            "completion_tokens": 5,
            "cache_read_input_tokens": 1500,
            "cache_creation_input_tokens": 1000,
        },
        (3000, 1500, 1000),
    ),
    "Anthropic, which leaves out what the cache took part in": (
        {
            "input_tokens": 50,
            "output_tokens": 5,
            "cache_read_input_tokens": 1500,
            "cache_creation_input_tokens": 100,
        },
        (1650, 1500, 100),
    ),
    "OpenRouter": (
        {
            "prompt_tokens": 3000,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 1500, "cache_write_tokens": 1000},
        },
        (3000, 1500, 1000),
    ),
    "nonsense": (
        {
            "prompt_tokens": 30,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": "all"},
            "cache_read_input_tokens": -3,
        },
        (30, 0, 0),
    ),
}


def model_telling(usage: dict[str, Any]) -> ChatModel:
    """A model that always answers "Hello.", in one piece or streamed, and tells this usage."""
    envelope: dict[str, Any] = {"id": "c", "created": 0, "model": "gpt-4o-2024-11-20"}

    def respond(request: http.Request) -> http.Response:
        said = {"role": "assistant", "content": "Hello."}
        end = "stop"
        if not json.loads(request.content).get("stream"):
            choice = {"index": 0, "message": said, "finish_reason": end}
            whole = {**envelope, "object": "chat.completion", "choices": [choice], "usage": usage}
            return http.Response(200, json=whole)
        chunk = {**envelope, "object": "chat.completion.chunk"}
        chunks: list[dict[str, Any]] = [
            {**chunk, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
            {**chunk, "choices": [], "usage": usage},
        ]
        lines = [f"data: {one}\n\n" for one in (*map(json.dumps, chunks), "[DONE]")]
        return http.Response(200, text="".join(lines), headers={"content-type": "text/event-stream"})

    sending = http.Client(transport=http.MockTransport(respond))
    return ChatModel("gpt-4o", openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", http_client=sending))


def counted(spent: Spent) -> tuple[int, int, int]:
    """Tokens sent, and of these cached and written."""
    return spent.prompt_tokens, spent.cached_tokens, spent.cache_write_tokens


@pytest.mark.parametrize("name", USAGES)
def test_a_memory_counts_what_was_cached_of_its_own_calls(name: str) -> None:
    """By purpose and in total; what an endpoint does not tell is 0, and no nonsense is taken for a number."""
    usage, expected = USAGES[name]
    memory = ConversationSummaryMemory(llm=model_telling(usage), learn_every=1)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    assert counted(memory.usage["summary"]) == counted(memory.usage.total) == expected


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", USAGES)
def test_a_conversation_counts_what_was_cached_of_the_chat(name: str, stream: bool) -> None:  # noqa: FBT001
    """In one piece and streamed: in `usage`, and beside the answer in the log."""
    usage, (sent, cached, written) = USAGES[name]
    conversation = Conversation(model_telling(usage), "buffer")
    assert "".join(conversation.stream("hi")) if stream else conversation.send("hi")
    assert counted(conversation.usage["chat"]) == (sent, cached, written)
    asked, answer = conversation.memory.entries()
    assert (asked.model, asked.usage, answer.model) == (None, None, "gpt-4o-2024-11-20")
    assert answer.usage
    assert [answer.usage.get(one, 0) for one in ("prompt_tokens", "cached_tokens", "cache_write_tokens")] == [
        sent,
        cached,
        written,
    ]


def test_a_reply_tells_what_its_turn_cost() -> None:
    """`Reply.spent` has the cached tokens of the turn."""
    assert counted(Conversation(model_telling(OF_OPENAI), "buffer").send("hi").spent) == (2006, 1920, 0)
