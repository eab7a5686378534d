"""How a view reads: as a transcript, as chat messages, as a request that can be sent."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.memories.messages import Labels, render, sendable
from memzoo.memories.options import CommonOptions
from memzoo.memories.tokens import TokenCounter, token_counter
from memzoo.memories.view import View
from memzoo.stores import Message

__all__ = ["Presentation"]


@dataclass(kw_only=True, eq=False)
class Presentation(CommonOptions):
    """Turns a view into what a caller asked for, by the common options.

    Attributes:
        labels: Name the speakers in transcripts.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.labels = Labels(self.human_prefix, self.ai_prefix)

    def variables(self, view: View) -> dict[str, Any]:
        """A view as the variables of `load_memory_variables`."""
        return {self.memory_key: self.as_messages(view) if self.return_messages else self.as_text(view)}

    def as_messages(self, view: View) -> list[Message]:
        """A view as chat messages, one system message for each recalled text."""
        return [*(_system(text) for text in view.recalled), *view.messages]

    def as_text(self, view: View) -> str:
        """A view as text: what is recalled, then the transcript."""
        return "\n".join(part for part in (*view.recalled, self.render(view.messages)) if part)

    def as_request(self, view: View) -> list[Message]:
        """A view as chat messages that a provider accepts: system messages first, tool calls with their results."""
        said = sendable(view.messages)
        rules = [message for message in said if message["role"] in ("system", "developer")]
        return [*rules, *map(_system, view.texts), *said[len(rules) :]]

    def render(self, messages: Sequence[Message]) -> str:
        """Messages as a transcript, oldest first."""
        return render(messages, self.labels)

    @functools.cached_property
    def counter(self) -> TokenCounter:
        """Counts the tokens of a message."""
        return token_counter(self.token_counter)


def _system(text: str) -> Message:
    return {"role": "system", "content": text}
