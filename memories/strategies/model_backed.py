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
from memzoo.stores import Entry, Message

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

    # Not annotated, or they would be options.
    learns = True
    shows_waiting = True

    def __post_init__(self) -> None:
        self._model: Model = as_model(self.llm)
        self.tokenizer_model = self._model.name
        self.longest_prompt = self.max_prompt_tokens
        self.lease_seconds = max(getattr(self._model, "timeout", 0.0), self.lease_seconds)
        super().__post_init__()

    def _teaches(self, before: Sequence[Entry], entries: Sequence[Entry]) -> bool:
        """Tell whether there may be something to learn from new messages: no model is asked about the weather.

        "Yes" says something where the message before it asked.
        """
        answers = bool(before) and "?" in text_of(before[-1].message)
        return answers or not all(is_idle(text_of(entry.message)) for entry in entries)

    async def ask(self, prompt: str, **variables: Any) -> str:
        """Render a prompt, let the model answer it, and count what that cost under the prompt's name.

        Where the prompt is too long, `history`, `dated_history` and `input` are cut in their middle: variables of these
        names are for what only helps to understand the rest. If that is not enough, the error ends `derive`, which is
        called again with fewer messages, or shorter ones.

        Args:
            prompt: The name of one of `own_prompts`, or of memzoo's.
            **variables: The values of its variables, all of them.

        Returns:
            The reply; it may be a refusal, or say that nothing is new (`memzoo.strategy.prose` tells).

        Raises:
            PromptError: There is no such prompt, or a variable is missing.
            ModelError: The model failed, or cannot take a prompt of that length.
            ModelReplyError: The reply is empty, was cut off, or was stopped by the endpoint.
        """
        text, most = self.templates.render(prompt, **variables), self.retry.prompts.tokens
        if estimated(text) > most:
            text = self.templates.render(prompt, **_cut(variables, most // 8))
        return await self.complete([{"role": "user", "content": text}], prompt)

    async def complete(self, messages: Sequence[Message], purpose: str) -> str:
        """Let the model answer chat messages, as `ask` does with those of a prompt.

        Args:
            messages: Oldest first.
            purpose: Under this name the cost is counted.

        Raises:
            ModelError, ModelReplyError: As in `ask`.
        """
        text = "\n".join(map(text_of, messages))
        self.retry.prompts.check(text, purpose)
        try:
            with self.retry.asking(text):
                reply = await self._model.complete(messages, purpose)
        except ModelReplyError as error:
            self.usage.add(purpose, error.spent or Spent(calls=1))
            raise
        self.usage.add(purpose, reply.spent)
        return reply.text


def _cut(variables: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The variables of a prompt with at most so many tokens of each that is only there for reference.

    Nothing else is cut: what is known is to be replaced by the reply, and of what is new the next step may have less.
    """
    return {
        name: cut(value, tokens) if name in _FOR_REFERENCE and isinstance(value, str) else value
        for name, value in variables.items()
    }
