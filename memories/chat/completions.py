"""Requests a model's next answer in a conversation, streamed or whole, with tools."""

import contextlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from memzoo.memories.models.answer import Answer, read_answer, unusable
from memzoo.memories.models.chat import ChatModel, Model
from memzoo.memories.models.streaming import StreamedAnswer
from memzoo.memories.models.usage import Spent
from memzoo.stores import Message
from memzoo.sync import each, settled

__all__ = ["PURPOSE", "Answer", "ask_model"]

PURPOSE = "chat"
"""The purpose of these calls, for errors and costs."""

_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


async def ask_model(
    model: Model, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
) -> AsyncGenerator[str | Answer]:
    """Yield a model's answer to messages: with `stream`, pieces of text as they arrive; finally, the whole answer.

    Args:
        model: Any model; a model other than a `ChatModel` gives text only, in one piece.
        messages: The chat messages, oldest first.
        tools: Descriptions of the tools that a `ChatModel` may call.
        stream: True to yield pieces of text.

    Raises:
        ModelError: The call failed, perhaps after some pieces.
        ModelReplyError: The reply has neither text nor tool calls, or was withheld.
    """
    if not isinstance(model, ChatModel):
        reply = await model.complete(messages, PURPOSE)
        if stream:
            yield reply.text
        yield Answer({"role": "assistant", "content": reply.text}, "stop", reply.spent, model.name)
        return
    asked = model.asked_for(PURPOSE)
    offered: dict[str, Any] = {"tools": list(tools)} if tools else {}
    with model.failing(PURPOSE):
        model.connect()
        start = time.perf_counter()
        said = await model.request(messages, **offered, **(_STREAMED if stream else {}))
        if stream:
            async with contextlib.aclosing(_stream(said)) as pieces:
                async for said in pieces:
                    if isinstance(said, str):
                        yield said
    seconds = time.perf_counter() - start
    if said is None:
        raise unusable(asked, "ended its reply before it began", Spent(calls=1, seconds=seconds))
    answer = read_answer(said, seconds, asked)
    if not answer.finish_reason:
        raise unusable(asked, "ended its reply in the middle of it", answer.spent)
    if not any(answer.message.get(part) for part in ("content", "tool_calls", "refusal")):
        raise unusable(asked, "sent an empty reply", answer.spent)
    yield answer


async def _stream(chunks: Any) -> AsyncGenerator[Any]:
    """Yield the pieces of text in a stream; finally, one completion of all chunks, or `None` for an empty stream."""
    whole = StreamedAnswer()
    try:
        async with contextlib.aclosing(each(chunks)) as received:
            async for chunk in received:
                if text := whole.add(chunk):
                    yield text
        if text := whole.end():
            yield text
    finally:
        await settled(chunks.close())
    yield whole.completion
