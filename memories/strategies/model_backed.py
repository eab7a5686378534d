"""The base of the strategies that ask a model."""

from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import Model, ModelOption, as_model
from memzoo.memories.models.usage import Spent
from memzoo.memories.options import option, strategy
from memzoo.stores.errors import ModelReplyError

__all__ = ["ModelBackedMemory"]


@strategy
class ModelBackedMemory(BaseMemory):
    """Remembers with the help of a model that summarises or extracts."""

    llm: ModelOption | None = option(
        None,
        doc="The model: a `ChatModel`, a model's name, `'offline'` for the built-in rules that need no key, or a "
        "function from chat messages to text. Left out, those rules answer too, and a warning says so.",
    )

    def __post_init__(self) -> None:
        self.model: Model = as_model(self.llm)
        self._tokenizer_model = self.model.name
        super().__post_init__()

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
