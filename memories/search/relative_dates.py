"""Finds the days, months and years meant by phrases such as "yesterday" or "two months ago"."""

from collections.abc import Iterator
from datetime import date, timedelta

from memzoo.memories.search.languages.language import RelativeDates
from memzoo.memories.search.languages.telling import LANGUAGES
from memzoo.memories.search.languages.zh import DATES
from memzoo.memories.text.days import in_words

__all__ = ["find_dates"]

_MONTHS_A_YEAR = 12
_DATES = (*(language.dates for language in LANGUAGES), DATES)


def find_dates(text: str, said: date) -> list[str]:
    """Return the dates meant by phrases such as "yesterday" in a text, as a list of words, each word once.

    Args:
        text: A message or a question.
        said: The day on which the text was said.

    Example:
        >>> find_dates("We met yesterday, and two months ago.", date(2023, 5, 1))
        ['30', 'April', '2023', 'March']
    """
    text = text.lower()
    # Most texts have none of these parts, and a search for them takes almost no time.
    known = [dates for dates in _DATES if any(part in text for part in dates.parts)]
    found = (when for dates in known for when in _read(text, said, dates))
    return list(dict.fromkeys(word for when in found for word in when.split()))


def _read(text: str, said: date, dates: RelativeDates) -> Iterator[str]:
    for match in dates.phrase.finditer(text):
        if day := match["day"]:
            yield _shift(said, "day", dates.days[day])
        elif unit := match["ago"]:
            count = match["count"] or "1"
            yield _shift(said, dates.unit[unit], -(dates.numbers.get(count) or int(count)))
        else:
            sign, what = (-1, match["last"]) if match["last"] else (1, match["next"])
            if what in dates.weekday:
                days = (sign * (dates.weekday[what] - said.weekday()) - 1) % 7 + 1
                yield _shift(said, "day", sign * days)
            else:
                yield _shift(said, dates.unit[what], sign)


def _shift(said: date, unit: str, count: int) -> str:
    """Return the date `count` units from a day, in words; for weeks and months without the day, for years the year."""
    try:
        if unit in ("day", "week"):
            day = in_words(said + timedelta(days=count if unit == "day" else 7 * count))
            return day if unit == "day" else day.partition(" ")[2]
        if unit == "year":
            return f"{date(said.year + count, 1, 1):%Y}"
        year, month = divmod(_MONTHS_A_YEAR * said.year + said.month - 1 + count, _MONTHS_A_YEAR)
        return in_words(date(year, month + 1, 1)).partition(" ")[2]
    except (OverflowError, ValueError):  # Before the first year of `date`, or after the last.
        return ""
