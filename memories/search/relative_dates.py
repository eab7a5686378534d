"""Finds the days, months and years meant by phrases such as "yesterday" or "two months ago"."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from memzoo.memories.text.days import in_words

__all__ = ["find_dates"]

_MONTHS_A_YEAR = 12
_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday".split(),
    "montag dienstag mittwoch donnerstag freitag samstag sonntag".split(),
)
_WEEKDAYS = {day: place for days in _DAYS for place, day in enumerate(days)}
_COUNTED: Sequence[Sequence[str]] = (
    "one two three four five six seven eight nine ten".split(),
    "einem zwei drei vier f\u00fcnf sechs sieben acht neun zehn".split(),
    "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341",
)
_NUMBERS = {word: count for words in _COUNTED for count, word in enumerate(words, start=1)}
_NUMBERS |= {"a": 1, "einer": 1, "a couple of": 2, "\u4e24": 2}
_FIXED = {"yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
_FIXED |= {"gestern": -1, "vorgestern": -2, "\u00fcbermorgen": 2}
_FIXED |= {"\u6628\u5929": -1, "\u524d\u5929": -2, "\u660e\u5929": 1, "\u540e\u5929": 2}
_UNITS = {
    **dict.fromkeys(("day", "tag", "\u5929"), "day"),
    **dict.fromkeys(("week", "weekend", "woche", "wochenende", "\u5468", "\u661f\u671f"), "week"),
    **dict.fromkeys(("month", "monat", "\u6708", "\u4e2a\u6708"), "month"),
    **dict.fromkeys(("year", "jahr", "\u5e74"), "year"),
}


def _one_of(words: Sequence[str]) -> str:
    return "|".join(words)


_COUNT = rf"\d{{1,2}}|{_one_of([*_NUMBERS])}"
_PHRASE = re.compile(
    rf"(?P<fixed>{_one_of([*_FIXED])})(?![a-z])"
    rf"|\b(?:(?P<n1>{_COUNT}) (?P<u1>day|week|month|year)s? ago"
    rf"|vor (?P<n2>{_COUNT}) (?P<u2>tag|woche|monat|jahr)\w{{0,2}})\b"
    rf"|(?P<n3>\d{{1,2}}|[\u4e24{_COUNTED[2]}])(?P<u3>\u5929|\u5468|\u661f\u671f|\u4e2a\u6708|\u5e74)\u524d"
    r"|\b(?:(?P<before>last|letzte[mnsr]?)|next|n\u00e4chste[mnsr]?) "
    rf"(?P<what>weekend|week|month|year|wochenende|woche|monat|jahr|{_one_of([*_WEEKDAYS])})\b"
    r"|(?:(?P<up>\u4e0a)|\u4e0b)\u4e2a?(?P<which>\u5468|\u661f\u671f|\u6708)"
)

# Most messages have none of these strings, and a search for them takes almost no time.
_HINTS = (
    *"yesterday|tomorrow|last |next | ago|gestern|\u00fcbermorgen|vor |letzte|n\u00e4chste".split("|"),
    *"\u6628\u524d\u660e\u540e\u4e0a\u4e0b",
)


def find_dates(text: str, said: date) -> list[str]:
    """Return the words of the dates that a text's phrases mean, each word once.

    Args:
        text: A message or a question, say.
        said: The day on which the text was said.

    Example:
        >>> find_dates("We met yesterday, and two months ago.", date(2023, 5, 1))
        ['30', 'April', '2023', 'March']
    """
    text = text.lower()
    if not any(hint in text for hint in _HINTS):
        return []
    return list(dict.fromkeys(word for when in _dates(text, said) for word in when.split()))


def _dates(text: str, said: date) -> Iterator[str]:
    for match in _PHRASE.finditer(text):
        found = match.groupdict()
        if found["fixed"]:
            yield _shift(said, "day", _FIXED[found["fixed"]])
        elif what := found["what"] or found["which"]:
            yield _turn(said, what, -1 if found["before"] or found["up"] else 1)
        else:
            count = found["n1"] or found["n2"] or found["n3"]
            unit = _UNITS[found["u1"] or found["u2"] or found["u3"]]
            yield _shift(said, unit, -(_NUMBERS.get(count) or int(count)))


def _turn(said: date, what: str, sign: int) -> str:
    """Return the previous or the next week, month, year or weekday, in words; `sign` is -1 or 1."""
    if what not in _WEEKDAYS:
        return _shift(said, _UNITS[what], sign)
    return _shift(said, "day", sign * ((sign * (_WEEKDAYS[what] - said.weekday()) - 1) % 7 + 1))


def _shift(said: date, unit: str, count: int) -> str:
    """Return the date `count` units from a day, in words: a day; for weeks and months, month and year; or a year."""
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
