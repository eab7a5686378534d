"""What a strategy shows the model."""

from dataclasses import dataclass, field

from memzoo.stores import Message

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """What is to be shown to the model now.

    Attributes:
        recalled: Texts that the strategy derived or found, the most useful first.
        messages: Messages word for word, oldest first.
        notes: What is known by name ("" for a name without a note), for strategies that keep such notes.
    """

    recalled: tuple[str, ...] = ()
    messages: list[Message] = field(default_factory=list[Message])
    notes: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def texts(self) -> list[str]:
        """All that is not word for word, as texts; empty ones left out."""
        known = "\n".join(f"{name}: {note}" for name, note in self.notes.items() if note)
        return [text for text in (*self.recalled, known) if text]
