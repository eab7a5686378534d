"""Days in words, the same in every locale, for headings above messages."""

import functools
from datetime import date

__all__ = ["MONTHS", "UNKNOWN_DAY", "WEEKDAYS", "in_words"]

MONTHS = "January February March April May June July August September October November December".split()
"""As `in_words` writes them."""

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
"""By `date.weekday`."""

UNKNOWN_DAY = "Day unknown"
"""The heading of messages of an unknown day that follow messages of a known day."""


@functools.lru_cache
def in_words(day: date) -> str:
    """Write a day in words, such as "8 May 2026"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
