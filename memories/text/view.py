"""What a strategy shows the model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from memzoo.memories.text.passage import Passage
from memzoo.stores import Entry, Message

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """What is to be shown to the model now.

    Attributes:
        recalled: Texts that the strategy derived or found, the most useful first.
        messages: Messages word for word, oldest first.
        notes: What is known by name ("" for a name without a note), for strategies that keep such notes.
        numbers: The log numbers of `messages`; empty if the strategy does not tell them. Numbers below 1 are those of
            messages that are not in the log.
        passages: Messages of the log that `recalled` shows word for word, and nothing else, the most useful first;
            empty if it shows something else. With these two, views can be combined without showing anything twice.
    """

    recalled: tuple[str, ...] = ()
    messages: list[Message] = field(default_factory=list[Message])
    notes: dict[str, str] = field(default_factory=dict[str, str])
    numbers: tuple[int, ...] = ()
    passages: tuple[Passage, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[Entry], recalled: Sequence[str] = (), notes: dict[str, str] | None = None) -> Self:
        """A view that shows entries of the log word for word, oldest first."""
        messages, numbers = [entry.message for entry in entries], tuple(entry.seq for entry in entries)
        return cls(tuple(recalled), messages, notes or {}, numbers)

    def ending_with(self, entries: Sequence[Entry]) -> Self:
        """The view with these newest entries of the log at its end, unless it shows them already."""
        new = {entry.seq: entry.message for entry in entries}
        if len(self.numbers) == len(self.messages):
            if new.keys() <= set(self.numbers):
                return self
            shown = {**dict(zip(self.numbers, self.messages, strict=True)), **new}
            return replace(self, messages=[shown[number] for number in sorted(shown)], numbers=tuple(sorted(shown)))
        if all(message in self.messages for message in new.values()):
            return self
        older = [message for message in self.messages if message not in new.values()]
        return replace(self, messages=[*older, *new.values()])

    @property
    def texts(self) -> list[str]:
        """All that is not word for word, as texts; empty ones left out."""
        known = "\n".join(f"{name}: {note}" for name, note in self.notes.items() if note)
        return [text for text in (*self.recalled, known) if text]
