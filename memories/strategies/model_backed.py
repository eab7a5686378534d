"""The base class of the strategies that ask a model."""

from collections.abc import Sequence
from typing import Any

from memzoo.errors import ModelReplyError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.prompt_limit import count_for_prompt, cut_middle, shorten_entries
from memzoo.memories.models.chat import Model, as_model
from memzoo.memories.models.usage import Spent
from memzoo.memories.options import strategy
from memzoo.memories.text.context_windows import context_window
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.language import is_idle
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Message
from memzoo.text import is_loopback

# The variables for context, which let a model resolve "she". They may be cut, as the log has the messages.
_FOR_REFERENCE = ("history", "dated_history", "input")
# The tokens of the exchange before a portion.
_MOST_BEFORE = 300
# From this context on, a portion of eight exchanges with long replies fits a prompt.
_LARGE = 32_000


@strategy
class ModelBackedMemory(BaseMemory):
    """The base class of strategies that ask a model to summarise or to extract."""

    # Without an annotation, because annotated attributes are options.
    _shows_waiting = True
    _usual_portion = 8

    def __post_init__(self) -> None:
        self._model: Model = as_model(self.llm)
        self._tokenizer_model = self._model.name
        # The rules of the offline model read prompts of any length. A server on this machine may have a smaller context
        # than its model, and cut prompts without an error.
        local = is_loopback(getattr(self._model, "base_url", ""))
        window = _LARGE if self._model.name == "offline" else 0 if local else context_window(self._model.name) or 0
        self._longest_prompt, self._most_pending = (12_000, 8_000) if window >= _LARGE else (6_000, 4_000)
        self._usual_prompt = 6_000
        if self.max_prompt_tokens is not None:
            self._longest_prompt = self._usual_prompt = self.max_prompt_tokens
        self._lease_seconds = max(getattr(self._model, "timeout", 0.0), self._lease_seconds)
        super().__post_init__()

    def _teaches(self, before: Sequence[Entry], entries: Sequence[Entry]) -> bool:
        """Return whether new messages are worth a model call, unlike small talk such as thanks.

        Small talk such as "Yes" is worth a call after a question.
        """
        answers = bool(before) and "?" in text_of(before[-1].message)
        return answers or not all(is_idle(text_of(entry.message)) for entry in entries)

    async def _context(self, log: Log, entries: Sequence[Entry], exchanges: int) -> Sequence[Entry]:
        """Return the last exchanges before new messages: `exchanges` before a single new one, otherwise one, cut.

        In a portion, most pronouns refer to the portion itself.
        """
        before = log.until_number(entries[0].seq - 1)
        if sum(1 for _ in exchange_ends(entries)) == 1:
            return await before.exchanges(exchanges)
        return shorten_entries(await before.exchanges(min(exchanges, 1)), _MOST_BEFORE)

    def _lines_of(self, before: Sequence[Entry], new: Sequence[Entry]) -> dict[str, str]:
        """Return the variables of a prompt for new messages and for the messages before them."""
        write = {"": self.render.lines, "dated_": self.render.dated_lines}
        parts = {"history": before, "new_lines": new}
        return {f"{days}{name}": lines(part) for days, lines in write.items() for name, part in parts.items()}

    async def _ask(self, prompt: str, **variables: Any) -> str:
        """Return the model's answer to a prompt, and count the cost under the prompt's name.

        If the prompt is too long, the variables `history`, `dated_history` and `input` are cut in the middle. If the
        prompt is still too long, the error ends `derive`, which is called again with fewer messages.

        Args:
            prompt: The name of one of `_own_prompts`, or of a prompt of memzoo.
            **variables: The values of all variables of the prompt.

        Returns:
            The reply. The model may refuse, or reply that nothing is new (see `memzoo.strategy.prose`).

        Raises:
            OptionError: There is no such prompt, or a variable is missing.
            ModelError: The model failed, or the prompt is too long for it.
            ModelReplyError: The reply is empty, was cut off, or was stopped by the endpoint.
        """
        text, most = self._templates.render(prompt, **variables), self._retry.prompts.tokens
        if count_for_prompt(text) > most:
            # Only the context is cut: known facts would be lost with the reply, and new messages can be taken in later.
            context = {name: text for name, text in variables.items() if name in _FOR_REFERENCE}
            shorter = {name: cut_middle(text, most // 8) for name, text in context.items() if isinstance(text, str)}
            text = self._templates.render(prompt, **{**variables, **shorter})
        return await self._complete([{"role": "user", "content": text}], prompt)

    async def _complete(self, messages: Sequence[Message], purpose: str) -> str:
        """Return the model's answer to chat messages (oldest first), and count the cost under the name `purpose`.

        The answer is checked like the answer to a prompt; see `_ask` for the errors.
        """
        text = "\n".join(map(text_of, messages))
        self._retry.prompts.check(text, purpose)
        try:
            with self._retry.watch_call(text):
                reply = await self._model.complete(messages, purpose)
        except ModelReplyError as error:
            self.usage.add(purpose, error.spent or Spent(calls=1))
            raise
        self.usage.add(purpose, reply.spent)
        return reply.text
