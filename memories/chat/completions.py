"""Asks a model for its next answer in a conversation, streamed or whole, with tools."""

import contextlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from memzoo.memories.models.answer import Answer, read_answer, unusable
from memzoo.memories.models.chat import ChatModel, Model
from memzoo.memories.models.streaming import StreamedAnswer, StreamedResponse
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.responses import Api
from memzoo.stores import Message
from memzoo.sync import each, settled

# The purpose of these calls, for errors and costs.
_PURPOSE = "chat"


async def ask_model(
    model: Model, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool, api: Api = "chat"
) -> AsyncGenerator[str | Answer]:
    """Yield the pieces of a model's answer as they arrive, and then the whole answer.

    Without `stream`, only the whole answer is yielded.

    Args:
        model: The model. Only a `ChatModel` can call tools and answer in pieces.
        messages: The chat messages, oldest first.
        tools: Descriptions of the tools that a `ChatModel` may call.
        stream: True to yield pieces of text.
        api: OpenAI's API for a `ChatModel`: `"chat"` or `"responses"`.

    Raises:
        ModelError: The call failed, perhaps after some pieces.
        ModelReplyError: The reply has neither text nor tool calls, or was withheld.
    """
    if not isinstance(model, ChatModel):
        reply = await model.complete(messages, _PURPOSE)
        if stream:
            yield reply.text
        yield Answer({"role": "assistant", "content": reply.text}, "stop", reply.spent, model.name)
        return
    asked = model.asked_for(_PURPOSE)
    ask, streamed = (model.respond, StreamedResponse) if api == "responses" else (model.request, StreamedAnswer)
    with model.failing(_PURPOSE):
        model.connect()
        start = time.perf_counter()
        said = await ask(messages, tools, stream=stream)
        if stream:
            whole = streamed()
            async with contextlib.aclosing(_read_stream(said, whole)) as pieces:
                async for piece in pieces:
                    yield piece
            said = whole.completion
    seconds = time.perf_counter() - start
    if said is None:
        raise unusable(asked, "sent an incomplete reply", Spent(calls=1, seconds=seconds))
    answer = read_answer(said, seconds, asked, api=api)
    if not answer.finish_reason:
        raise unusable(asked, "ended its reply in the middle of it", answer.spent)
    if not any(answer.message.get(part) for part in ("content", "tool_calls", "refusal")):
        raise unusable(asked, "sent an empty reply", answer.spent)
    yield answer


async def _read_stream(stream: Any, whole: StreamedAnswer | StreamedResponse) -> AsyncGenerator[str]:
    """Add the pieces of a stream to an answer, and yield the words that can be said."""
    try:
        async with contextlib.aclosing(each(stream)) as received:
            async for piece in received:
                if text := whole.add(piece):
                    yield text
        if text := whole.end():
            yield text
    finally:
        await settled(stream.close())
