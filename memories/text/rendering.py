"""How a view reads: as a transcript, as chat messages, as a request that can be sent."""

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.memories.options import CommonOptions, whole_number
from memzoo.memories.text.eviction import Weighed, fitted
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import Labels, render, sendable
from memzoo.memories.text.tokens import TokenCounter, token_counter
from memzoo.memories.text.view import View
from memzoo.stores import Message
from memzoo.stores.errors import OverBudgetError

__all__ = ["Presentation", "system_message"]


@dataclass(kw_only=True, eq=False)
class Presentation(CommonOptions):
    """Turns a view into what a caller asked for, by the common options.

    Attributes:
        labels: Name the speakers in transcripts.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.labels = Labels(self.human_prefix, self.ai_prefix)
        self._counts: dict[bytes, int] = {}

    def variables(self, view: View) -> dict[str, Any]:
        """A view as the variables of `load_memory_variables`."""
        return {self.memory_key: self.as_messages(view) if self.return_messages else self.as_text(view)}

    def as_messages(self, view: View) -> list[Message]:
        """A view as chat messages, one system message for each recalled text; no tool call without its results."""
        return [*map(system_message, view.recalled), *sendable(view.messages)]

    def as_text(self, view: View) -> str:
        """A view as text: what is recalled, then the transcript."""
        return "\n".join(part for part in (*view.recalled, self.render(view.messages)) if part)

    def as_request(self, view: View) -> list[Message]:
        """A view as chat messages that a provider accepts: system messages first, tool calls with their results."""
        said = sendable(view.messages)
        rules = [message for message in said if is_instruction(message)]
        return [*rules, *map(system_message, view.texts), *said[len(rules) :]]

    def within(self, request: Sequence[Message], max_tokens: int) -> list[Message]:
        """The newest messages of a request that fit a limit, by the rules of `memzoo.memories.text.eviction`.

        Raises:
            OptionError: The limit is no whole number of at least 1.
            OverBudgetError: What must not go is over the limit.
        """
        whole_number("max_tokens", max_tokens, at_least=1)
        said = (Weighed(place, message, self.tokens_of(message)) for place, message in enumerate(request))
        left = fitted(said, max_tokens)
        if left.size > max_tokens:
            raise OverBudgetError.of("the system messages and the newest user message", left.size, max_tokens)
        return [one.message for one in left.kept]

    def render(self, messages: Sequence[Message]) -> str:
        """Messages as a transcript, oldest first."""
        return render(messages, self.labels)

    @functools.cached_property
    def counter(self) -> TokenCounter:
        """Counts the tokens of a message."""
        return token_counter(self.token_counter)

    def tokens_of(self, message: Message) -> int:
        """The tokens of a message; it is counted once, however often it is asked for."""
        key = hashlib.blake2s(json.dumps(message, sort_keys=True).encode(), digest_size=16).digest()
        if key not in self._counts:
            self._counts[key] = self.counter(message)
        return self._counts[key]


def system_message(text: str) -> Message:
    """A text as a system message."""
    return {"role": "system", "content": text}
