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

# A note that is cut further than that says nothing any more.
_FEWEST_TOKENS = 64


@strategy
class ModelBackedMemory(BaseMemory):
    """Remembers with the help of a model that summarises or extracts."""

    llm: ModelOption | None = option(
        None,
        fixed=True,
        doc="The model: a `ChatModel`, a model's name, `'offline'` for the built-in rules that need no key, or a "
        "function from chat messages to text. Left out, those rules answer too, and a warning says so.",
    )

    max_prompt_tokens: int = option(
        6000,
        fixed=True,
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
        text, prompts = self._prompts.render(prompt, **variables), self._engine.patience.prompts
        if estimated(text) > prompts.tokens:
            text = self._prompts.render(prompt, **_cut(variables, prompts.tokens // 8))
            prompts.check(text, prompt)
        try:
            with self._engine.patience.asking(text):
                reply = await self._model.complete([{"role": "user", "content": text}], prompt)
        except ModelReplyError as error:
            self.usage.add(prompt, error.spent or Spent(calls=1))
            raise
        self.usage.add(prompt, reply.spent)
        return reply.text


def _cut(variables: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The variables of a prompt with at most so many tokens of each that tells what is known already.

    That is cut rather than what is new, of which the next step may have less.
    """
    return {name: value if name == "new_lines" else _shorter(value, tokens) for name, value in variables.items()}


def _shorter(value: Any, tokens: int) -> Any:
    """A text cut; of several notes, each to an equal share."""
    if isinstance(value, list):
        notes: list[Any] = value
        share = max(tokens // max(len(notes), 1), _FEWEST_TOKENS)
        return [_shorter(note, share) for note in notes]
    if isinstance(value, dict):
        parts: dict[str, Any] = value
        return {name: _shorter(part, tokens) for name, part in parts.items()}
    return cut(value, tokens) if isinstance(value, str) else value
