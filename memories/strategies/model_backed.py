"""The base of the strategies that ask a model."""

from collections.abc import Mapping
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.prompt_limit import cut, estimated
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

    max_prompt_tokens: int = option(
        6000,
        at_least=1024,
        doc="Tokens that a prompt may have, with three bytes counted as one; a tokenizer counts fewer, so the default "
        "leaves a model with a context of 8,000 room for its answer. If the endpoint says so, they are fewer. A longer "
        "message is cut in the middle for the prompt.",
    )

    # Not annotated, or it would be an option.
    _shows_waiting = True

    def __post_init__(self) -> None:
        self._model: Model = as_model(self.llm)
        self._tokenizer_model = self._model.name
        self._longest_prompt = self.max_prompt_tokens
        super().__post_init__()

    async def ask(self, prompt: str, **variables: Any) -> str:
        """Render a prompt, let the model answer it, and count what that cost.

        Raises:
            ModelError: The model failed, or its reply cannot be used.
        """
        text = self._rendered(prompt, variables)
        try:
            with self._engine.patience.asking(text, prompt):
                reply = await self._model.complete([{"role": "user", "content": text}], prompt)
        except ModelReplyError as error:
            self.usage.add(prompt, error.spent or Spent(calls=1))
            raise
        self.usage.add(prompt, reply.spent)
        return reply.text

    def _rendered(self, prompt: str, variables: Mapping[str, Any]) -> str:
        text, most = self._prompts.render(prompt, **variables), self._engine.patience.prompts.tokens
        if estimated(text) <= most:
            return text
        # What is known already is cut rather than what is new, of which the next step may have less.
        known = {name: text for name, text in variables.items() if isinstance(text, str) and name != "new_lines"}
        return self._prompts.render(
            prompt, **{**variables, **{name: cut(text, most // 8) for name, text in known.items()}}
        )
