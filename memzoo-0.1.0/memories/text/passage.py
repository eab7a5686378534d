"""One message of the log, as a search finds it and a view shows it."""

import functools
from dataclasses import dataclass
from datetime import date, datetime

__all__ = ["Passage", "in_words"]


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
        return in_words(self.said_at.date())


@functools.lru_cache
def in_words(day: date) -> str:
    """Write a day in words, such as "8 May 2026"."""
    return f"{day.day} {day:%B %Y}"
