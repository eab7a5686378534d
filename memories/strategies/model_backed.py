"""The base of the strategies that ask a model."""

import functools
from dataclasses import dataclass
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import Model, ModelOption, as_model
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.tokens import TokenCounter, token_counter
from memzoo.stores.errors import ModelReplyError

__all__ = ["ModelBackedMemory"]


@dataclass(kw_only=True, eq=False)
class ModelBackedMemory(BaseMemory):
    """A memory with a model of its own for summarising and extracting.

    Args:
        llm: A `ChatModel`, a model's name, `"offline"` for the built-in extractive model that needs no key, or a
            callable: chat messages -> text. Left out, the offline model answers and a warning says so.
        **common: See `BaseMemory`.
    """

    llm: ModelOption | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.model: Model = as_model(self.llm)

    async def ask(self, prompt: str, **variables: Any) -> str:
        """Render a prompt, let the model answer it, and count what that cost.

        Raises:
            ModelError: The model failed, or its reply cannot be used.
        """
        text = self._prompts.render(prompt, **variables)
        try:
            reply = await self.model.complete([{"role": "user", "content": text}], prompt)
        except ModelReplyError as error:
            self.usage.add(prompt, error.spent or Spent(calls=1))
            raise
        self.usage.add(prompt, reply.spent)
        return reply.text

    @functools.cached_property
    def counter(self) -> TokenCounter:
        """Counts the tokens of a message, with the model's tokenizer unless `token_counter` says otherwise."""
        return token_counter(self.token_counter, self.model.name)
