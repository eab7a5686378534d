"""The data about a language that a search needs."""

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from memzoo.forks import cached_property
from memzoo.memories.text.days import MONTHS, in_words

T = TypeVar("T")

_MOST_STEMS = 1 << 14
# Longer runs of letters are no words: a key, or a page of base64.
_LONGEST_WORD = 40
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, eq=False)
class RelativeDates:
    """Phrases for days, weeks, months and years, counted from the day on which they are said.

    All words are in lower case. Forms of the same word are separated by "/".

    Attributes:
        days: A dict from a phrase such as "yesterday" to the number of days to add to the day on which it is said.
        counts: The words for the numbers 1, 2, 3 and so on, separated by ", ".
        units: The words for day, week, month and year, separated by ", ".
        ago: A regular expression for phrases such as "two weeks ago", with `{count}` and `{unit}`.
        last: A regular expression for phrases such as "last week", with `{unit}`.
        next: A regular expression for phrases such as "next week", with `{unit}`.
        hints: Parts of phrases. Each phrase contains one of them, so a text with none of them is skipped.
        weekdays: The weekdays' names from Monday on, separated by ", ".
        edge: A pattern that must match before and after each phrase.
    """

    days: Mapping[str, int]
    counts: str
    units: str
    ago: str
    last: str
    next: str
    hints: tuple[str, ...]
    weekdays: str = ""
    edge: str = r"\b"

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """A dict from each number word to its value."""
        return _by_form(self.counts, itertools.count(1))

    @cached_property
    def weekday(self) -> Mapping[str, int]:
        """A dict from each weekday's name to its number, from 0 for Monday."""
        return _by_form(self.weekdays, range(7))

    @cached_property
    def unit(self) -> Mapping[str, str]:
        """A dict from each word form to its unit: "day", "week", "month" or "year"."""
        return _by_form(self.units, ("day", "week", "month", "year"))

    @cached_property
    def phrase(self) -> re.Pattern[str]:
        """A pattern for all phrases. Its groups are `day`, `count`, `ago`, `last` and `next`."""
        longer = [*self.weekday, *(form for form, unit in self.unit.items() if unit != "day")]
        phrases = (
            _one_of("day", self.days),
            self.ago.format(count=_one_of("count", self.numbers, r"|\d{1,2}"), unit=_one_of("ago", self.unit)),
            self.last.format(unit=_one_of("last", longer)),
            self.next.format(unit=_one_of("next", longer)),
        )
        return re.compile(f"{self.edge}(?:{'|'.join(phrases)}){self.edge}")

    def find(self, text: str, said: date) -> Iterator[str]:
        """Yield the dates, in words, that a lower-case text of the day `said` means by phrases such as "yesterday"."""
        for match in self.phrase.finditer(text):
            if day := match["day"]:
                yield _shift(said, "day", self.days[day])
            elif unit := match["ago"]:
                count = match["count"] or "1"
                yield _shift(said, self.unit[unit], -(self.numbers.get(count) or int(count)))
            else:
                sign, what = (-1, match["last"]) if match["last"] else (1, match["next"])
                if what in self.weekday:
                    days = (sign * (self.weekday[what] - said.weekday()) - 1) % 7 + 1
                    yield _shift(said, "day", sign * days)
                else:
                    yield _shift(said, self.unit[what], sign)


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


def _by_form(words: str, values: Iterable[T]) -> Mapping[str, T]:
    """Return a dict from each form of the words to the word's value."""
    return {
        form: one for one, forms in zip(values, words.split(", "), strict=False) for form in forms.split("/") if form
    }


def _one_of(group: str, words: Iterable[str], more: str = "") -> str:
    return f"(?P<{group}>{'|'.join(sorted(words, key=len, reverse=True))}{more})"


@dataclass(frozen=True, eq=False)
class Language:
    """A language with spaces between its words.

    Attributes:
        stemmer: The name of its Snowball stemmer; "" for English, whose stemmer belongs to SQLite.
        stop_words: Frequent words that say nothing about the subject of a text, separated by spaces. They also identify
            the language of a text.
        months: The months from January on, separated by ", "; forms of the same month are separated by "/".
        dates: Phrases such as "yesterday".
        corrections: Phrases that clearly correct earlier words, as a regular expression.
    """

    stemmer: str
    stop_words: str
    months: str
    dates: RelativeDates
    corrections: str

    @cached_property
    def stops(self) -> frozenset[str]:
        """The stop words, as a set."""
        return frozenset(self.stop_words.split())

    def term(self, word: str) -> str:
        """Return the form in which to search for a word: a month's English name, or the word's stem in lower case.

        A very long word stays as it is.
        """
        return word if len(word) > _LONGEST_WORD else self.english_months.get(word) or self._stem(word)

    @cached_property
    def english_months(self) -> Mapping[str, str]:
        """A dict from each form of a month's name in this language to the month's English name."""
        return _by_form(self.months, map(str.lower, MONTHS))

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer  # loaded only where it is needed

        return functools.lru_cache(_MOST_STEMS)(snowballstemmer.stemmer(self.stemmer).stemWord)
