"""How a conversation asks its model: in pieces or at once, with tools, any model that there is."""

import contextlib
import time
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memzoo.memories.models.chat import ChatModel, Model, ModelOption, as_model
from memzoo.memories.models.usage import Spent
from memzoo.stores import Message
from memzoo.stores.errors import ModelReplyError, OptionError

__all__ = ["Answer", "ChatPort", "chat_port"]

_PURPOSE = "chat"
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered.

    Attributes:
        message: The assistant message, with its calls of tools.
        finish_reason: Why it ended, in the endpoint's words.
        spent: What it cost.
    """

    message: Message
    finish_reason: str
    spent: Spent


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
        asked: dict[str, Any] = {"tools": list(tools)} if tools else {}
        with self.model.failing(_PURPOSE):
            reply = await self.model.request(messages, **asked, **(_STREAMED if stream else {}))
            if stream:
                async with contextlib.aclosing(_streamed(reply)) as pieces:
                    async for reply in pieces:
                        if isinstance(reply, str):
                            yield reply
        yield self._said(reply, time.perf_counter() - start)

    def _said(self, reply: Any, seconds: float) -> Answer:
        usage = getattr(reply, "usage", None)
        sent, received = (getattr(usage, kind, None) or 0 for kind in ("prompt_tokens", "completion_tokens"))
        spent = Spent(1, sent, received, seconds)
        try:
            choice = reply.choices[0]
            message, reason = _message(choice.message), choice.finish_reason
        except (AttributeError, TypeError, IndexError):
            raise self._unusable(f"sent what is no chat completion: {str(reply)[:200]!r}", spent) from None
        if not reason:
            raise self._unusable("ended its reply in the middle of it", spent)
        if reason == "content_filter":
            raise self._unusable("was stopped by a content filter", spent)
        if not any(message.get(part) for part in ("content", "tool_calls", "refusal")):
            raise self._unusable("sent an empty reply", spent)
        return Answer(message, reason, spent)

    def _unusable(self, fault: str, spent: Spent) -> ModelReplyError:
        error = ModelReplyError(f"model {self.model.name!r}, asked for prompt {_PURPOSE!r}, {fault}")
        error.spent = spent
        return error


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


def _message(said: Any) -> Message:
    """An assistant message of the client's, with nothing in it but what can be sent back."""
    message: Message = {"role": "assistant", "content": said.content}
    if said.refusal:
        message["refusal"] = said.refusal
    if calls := [_call(call) for call in said.tool_calls or ()]:
        if len({call["id"] for call in calls} - {""}) < len(calls):
            calls = [call | {"id": f"call_{uuid.uuid4().hex}"} for call in calls]
        message["tool_calls"] = calls
    return message


def _call(call: Any) -> dict[str, Any]:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None) or "", getattr(function, "arguments", None) or ""
    return {"id": call.id or "", "type": "function", "function": {"name": name, "arguments": arguments}}
