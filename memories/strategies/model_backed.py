"""The base of the strategies that ask a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from memzoo.errors import ModelReplyError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.prompt_limit import cut, estimated
from memzoo.memories.models.chat import Model, ModelOption, as_model
from memzoo.memories.models.usage import Spent
from memzoo.memories.options import option, strategy
from memzoo.memories.text.language import is_idle
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry

__all__ = ["ModelBackedMemory"]

# What tells a model whom "she" means. The log has it.
_FOR_REFERENCE = ("history", "dated_history", "input")


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
        "message is cut in the middle for the prompt; what is known already never is.",
    )

    # Not annotated, or it would be an option.
    shows_waiting = True

    def __post_init__(self) -> None:
        self._model: Model = as_model(self.llm)
        self.tokenizer_model = self._model.name
        self.longest_prompt = self.max_prompt_tokens
        super().__post_init__()

    def _teaches(self, before: Sequence[Entry], entries: Sequence[Entry]) -> bool:
        """Tell whether there may be something to learn from new messages: no model is asked about the weather.

        "Yes" says something where the message before it asked.
        """
        answers = bool(before) and "?" in text_of(before[-1].message)
        return answers or not all(is_idle(text_of(entry.message)) for entry in entries)

    async def ask(self, prompt: str, **variables: Any) -> str:
        """Render a prompt, let the model answer it, and count what that cost.

        Raises:
            ModelError: The model failed, or its reply cannot be used.
        """
        text, prompts = self.templates.render(prompt, **variables), self.retry.prompts
        if estimated(text) > prompts.tokens:
            text = self.templates.render(prompt, **_cut(variables, prompts.tokens // 8))
            prompts.check(text, prompt)
        try:
            with self.retry.asking(text):
                reply = await self._model.complete([{"role": "user", "content": text}], prompt)
        except ModelReplyError as error:
            self.usage.add(prompt, error.spent or Spent(calls=1))
            raise
        self.usage.add(prompt, reply.spent)
        return reply.text


def _cut(variables: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The variables of a prompt with at most so many tokens of each that is only there for reference.

    Nothing else is cut: what is known is to be replaced by the reply, and of what is new the next step may have less.
    """
    return {name: cut(value, tokens) if name in _FOR_REFERENCE else value for name, value in variables.items()}
