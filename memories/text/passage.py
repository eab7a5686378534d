"""A message as it is searched and shown."""

from dataclasses import dataclass
from datetime import datetime

__all__ = ["Passage"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A message as it is searched and shown.

    Attributes:
        seq: Its number in the log.
        speaker: The label of who said it.
        text: What was said.
        said_at: When it was stored.
        document: The number of the first message of its exchange.
    """

    seq: int
    speaker: str
    text: str
    said_at: datetime
    document: int

    @property
    def date(self) -> str:
        """The day on which it was said, in words."""
        return f"{self.said_at.day} {self.said_at:%B %Y}"
