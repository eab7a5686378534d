"""Writes days in words, the same in every locale, for headings above messages."""

import functools
from datetime import date

MONTHS = "January February March April May June July August September October November December".split()
"""The names of the months, as written by `in_words`."""

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
"""The names of the weekdays, indexed by `date.weekday`."""

UNKNOWN_DAY = "Day unknown"
"""The heading above messages of an unknown day, after messages of a known day."""


@functools.lru_cache
def in_words(day: date) -> str:
    """Return a day in words, such as "8 May 2026"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
