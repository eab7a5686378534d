"""Turns LangChain's models into models and token counters for memzoo."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from memzoo.errors import ModelError, ModelReplyError
from memzoo.hosts.langchain.messages import has_langchain, objects
from memzoo.memories import Model
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.sync import is_blocking
from memzoo.types import Completion, Spent


def model_of(llm: Any) -> Any:
    """Return a LangChain model in a form for memzoo's option `llm`."""
    if isinstance(llm, (str, Model)) or not hasattr(llm, "invoke"):
        return llm
    return RunnableModel(llm)


class RunnableModel:
    """A model that asks a LangChain Runnable: a chat model, a text model, or any Runnable that takes messages."""

    def __init__(self, runnable: Any) -> None:
        self.runnable = runnable
        self.name = str(getattr(runnable, "model_name", None) or getattr(runnable, "model", type(runnable).__name__))

    def __repr__(self) -> str:
        return self.name

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Return the model's answer to messages, as `Model.complete` does."""
        start = time.perf_counter()
        try:
            reply = await self._ask(messages)
        except Exception as error:
            raise ModelError(
                f"llm {self.name!r} failed for prompt {purpose!r}: {type(error).__name__}: {error}"
            ) from error
        usage: dict[str, Any] = getattr(reply, "usage_metadata", None) or {}
        kept: dict[str, int] = usage.get("input_token_details") or {}
        seconds = time.perf_counter() - start
        sent, received = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        cached, written = kept.get("cache_read") or 0, kept.get("cache_creation") or 0
        spent = Spent(1, sent, received, seconds, cached, written)
        if text := _text(reply).strip():
            return Completion(text, spent)
        useless = ModelReplyError(
            f"llm {self.name!r} returned {reply!r} for prompt {purpose!r}; it must return a string"
        )
        useless.spent = spent
        raise useless

    async def reply(self, messages: Sequence[Message], config: Mapping[str, Any], **options: Any) -> str:
        """Return the model's answer, and call the callbacks in LangChain's config. Exceptions are raised unchanged.

        `options` are the model's, such as `stop`.
        """
        return _text(await self._ask(messages, config, **options))

    async def _ask(self, messages: Sequence[Message], *config: Any, **options: Any) -> Any:
        sent, model = self._to_send(messages), self.runnable
        return (
            model.invoke(sent, *config, **options) if is_blocking() else await model.ainvoke(sent, *config, **options)
        )

    def _to_send(self, messages: Sequence[Message]) -> Any:
        """Return the value to send: the messages, or only the text of a single message for a text model.

        A text model gets only the text, because LangChain would put a label before the text of a message.
        """
        if has_langchain() and len(messages) == 1:
            from langchain_core.language_models import BaseLLM

            if isinstance(self.runnable, BaseLLM):
                return messages[0]["content"]
        return objects(messages)


class TokensOf:
    """A token counter that asks a LangChain model for the number of tokens in a message."""

    def __init__(self, llm: Any) -> None:
        self._llm = llm
        self.__qualname__ = f"{type(llm).__module__}.{type(llm).__qualname__}"

    @classmethod
    def is_known_to(cls, llm: Any) -> bool:
        """Return whether a model can count tokens without downloading a tokenizer."""
        if not hasattr(llm, "get_num_tokens_from_messages"):
            return False
        from langchain_core.language_models import BaseLanguageModel

        counts = ("get_num_tokens_from_messages", "get_num_tokens", "get_token_ids")
        kind: Any = type(llm)
        own = any(getattr(kind, name, None) is not getattr(BaseLanguageModel, name) for name in counts)
        return own or bool(getattr(llm, "custom_get_token_ids", None))

    def __call__(self, message: Message) -> int:
        """Return the number of tokens that a message adds to a request.

        Tokens that some models count for the request itself are left out.
        """
        role = message["role"] if message["role"] in ("user", "assistant", "system") else "user"
        [one] = objects([{"role": role, "content": text_of(message)}])
        count = self._llm.get_num_tokens_from_messages
        return int(count([one, one]) - count([one]))


def _text(reply: Any) -> str:
    content = getattr(reply, "content", reply)
    if isinstance(content, str):
        return content
    blocks: list[Any] = content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType]
    return "".join(block if isinstance(block, str) else block.get("text", "") for block in blocks)
