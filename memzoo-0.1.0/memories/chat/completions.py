"""How a conversation asks its model: in pieces or at once, with tools, any model that there is."""

import contextlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memzoo.memories.models.answer import Answer, read_answer, unusable
from memzoo.memories.models.chat import ChatModel, Model, ModelOption, as_model
from memzoo.stores import Message
from memzoo.stores.errors import OptionError

__all__ = ["Answer", "ChatPort", "chat_port"]

_PURPOSE = "chat"
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


class ChatPort(Protocol):
    """A model as a conversation uses it."""

    def speak(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
    ) -> AsyncGenerator[str | Answer]:
        """Answer the messages: with `stream` the text in pieces as they come; at last, what was said as a whole.

        Raises:
            ModelError: The call failed, perhaps after some pieces.
            ModelReplyError: The reply has neither text nor calls, or was withheld.
        """
        ...


def chat_port(option: ModelOption, *, tools: bool) -> ChatPort:
    """A model, by whatever a user may give for it, as a conversation uses it.

    Raises:
        OptionError: It is none, or it cannot call tools and has to.
    """
    model = as_model(option)
    if isinstance(model, ChatModel):
        return _Endpoint(model)
    if tools:
        raise OptionError(f"llm {model!r} gives text only; to call tools it must be a ChatModel or a model's name")
    return _TextOnly(model)


@dataclass(frozen=True)
class _TextOnly:
    model: Model

    async def speak(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
    ) -> AsyncGenerator[str | Answer]:
        reply = await self.model.complete(messages, _PURPOSE)
        if stream:
            yield reply.text
        yield Answer({"role": "assistant", "content": reply.text}, "stop", reply.spent)


@dataclass(frozen=True)
class _Endpoint:
    model: ChatModel

    async def speak(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
    ) -> AsyncGenerator[str | Answer]:
        start = time.perf_counter()
        offered: dict[str, Any] = {"tools": list(tools)} if tools else {}
        with self.model.failing(_PURPOSE):
            reply = await self.model.request(messages, **offered, **(_STREAMED if stream else {}))
            if stream:
                async with contextlib.aclosing(_streamed(reply)) as pieces:
                    async for reply in pieces:
                        if isinstance(reply, str):
                            yield reply
        asked = self.model.asked_for(_PURPOSE)
        answer = read_answer(reply, time.perf_counter() - start, asked)
        if not answer.finish_reason:
            raise unusable(asked, "ended its reply in the middle of it", answer.spent)
        if not any(answer.message.get(part) for part in ("content", "tool_calls", "refusal")):
            raise unusable(asked, "sent an empty reply", answer.spent)
        yield answer


async def _streamed(chunks: Any) -> AsyncGenerator[Any]:
    """The pieces of text in a stream of chunks, of either client; at last, all chunks as one completion."""
    from openai.lib.streaming.chat import ChatCompletionStreamState

    whole: Any = ChatCompletionStreamState()
    try:
        async with contextlib.aclosing(_each(chunks)) as each:
            async for chunk in each:
                whole.handle_chunk(chunk)
                delta = chunk.choices[0].delta if chunk.choices else None
                if delta and (text := delta.content or delta.refusal):
                    yield text
    finally:
        closing = chunks.close()
        if closing is not None:
            await closing
    yield whole.current_completion_snapshot


async def _each(chunks: Any) -> AsyncGenerator[Any]:
    if hasattr(chunks, "__aiter__"):
        async for chunk in chunks:
            yield chunk
    else:
        for chunk in chunks:
            yield chunk
