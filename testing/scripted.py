"""Models for tests: a model with prepared replies, and a model that can be made to fail."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.models.chat import ChatModel, Completion, Model
from memzoo.memories.models.usage import Spent
from memzoo.stores import Message

Reply: TypeAlias = str | Exception | Callable[[str], str]
"""A text, an error to raise, or a function from the rendered prompt to a text."""


class ScriptedModel:
    """A model that returns prepared replies in order, and records its requests.

    Attributes:
        asked: Pairs of a prompt's name and its rendered text, oldest first.

    Example:
        >>> from memzoo.memories import ConversationSummaryMemory
        >>> model = ScriptedModel("Sam said hello.")
        >>> memory = ConversationSummaryMemory(llm=model, learn_every=1)
        >>> memory.save_context({"input": "I am Sam"}, {"output": "Hello!"})
        >>> [name for name, text in model.asked], "Human: I am Sam" in model.asked[0][1]
        (['summary'], True)
    """

    name = "scripted"
    """The model's name in reports."""

    def __init__(self, *replies: Reply) -> None:
        """Prepare replies.

        Args:
            *replies: Texts, errors to raise, or functions that take the rendered prompt and return a text.
        """
        self._replies = list(replies)
        self.asked: list[tuple[str, str]] = []

    def enqueue(self, *replies: Reply) -> None:
        """Prepare more replies, to be returned after those already prepared."""
        self._replies.extend(replies)

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Record the request, and return or raise the next prepared reply."""
        prompt = str(messages[-1]["content"])
        self.asked.append((purpose, prompt))
        if not self._replies:
            raise AssertionError(f"the script has no reply left for prompt {purpose!r}:\n{prompt}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply(prompt) if callable(reply) else reply
        if not text:
            raise ModelReplyError(f"an empty reply was scripted for prompt {purpose!r}")
        return Completion(text, Spent(1, len(prompt) // 4, len(text) // 4, 0.0))


class FlakyModel:
    """A wrapper of a model that can be switched to fail, or to give one fixed reply.

    Attributes:
        fault: If set, the error that each call raises.
        reply: If set, the reply to each call.
        refused: If set, each call whose prompt contains this text fails.
        context: If set, the maximum number of tokens in a prompt; four characters count as one token.
        asked: Pairs of a prompt's name and its rendered text, oldest first.
    """

    def __init__(self, model: Model) -> None:
        # The offline model answers and counts the same without a client, in a fraction of the time.
        self._model = model.direct() if isinstance(model, ChatModel) else model
        self.name = model.name
        self.fault: Exception | None = None
        self.reply: str | None = None
        self.refused: str | None = None
        self.context: int | None = None
        self.asked: list[tuple[str, str]] = []
        self.failures = 0

    @property
    def calls(self) -> int:
        """The number of requests."""
        return len(self.asked)

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Record the request. Then fail or reply as the attributes say, or else ask the wrapped model."""
        prompt = str(messages[-1]["content"])
        self.asked.append((purpose, prompt))
        if fault := self.fault or self._refusal(prompt):
            self.failures += 1
            raise fault
        if self.reply is not None:
            return Completion(self.reply, Spent(calls=1))
        return await self._model.complete(messages, purpose)

    def _refusal(self, prompt: str) -> Exception | None:
        tokens = len(prompt) // 4
        if self.context is not None and tokens > self.context:
            return ModelError(
                f"400: request ({tokens} tokens) exceeds the available context size ({self.context} tokens)"
            )
        if self.refused is not None and self.refused in prompt:
            return ModelReplyError("the model was stopped by a content filter")
        return None
