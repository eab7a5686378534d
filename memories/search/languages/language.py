"""A language with spaces between its words."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

from memzoo.forks import cached_property
from memzoo.memories.text.days import MONTHS

__all__ = ["Language"]

_MOST_STEMS = 1 << 14
# Longer runs of letters are no words: a key, or a page of base64.
_LONGEST_WORD = 40


@dataclass(frozen=True, eq=False)
class Language:
    """A language with spaces between its words.

    Attributes:
        stemmer: The name of its Snowball stemmer; "" for English, whose stemmer belongs to SQLite.
        stop_words: Words of any text that say nothing about its subject, with spaces between them. They also tell the
            language, so a word that is frequent in another language with another meaning is left out.
        months: The months from January on, with commas between them; the forms of a month have spaces between them.
    """

    stemmer: str
    stop_words: str
    months: str

    @cached_property
    def stops(self) -> frozenset[str]:
        """The stop words."""
        return frozenset(self.stop_words.split())

    def term(self, word: str) -> str:
        """Return the stem of a word in lower case; of a month, its English name; of a very long word, the word."""
        return word if len(word) > _LONGEST_WORD else self._months.get(word) or self._stem(word)

    @cached_property
    def _months(self) -> dict[str, str]:
        named = zip(MONTHS, self.months.split(","), strict=True)
        return {form: month.lower() for month, forms in named for form in forms.split()}

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer  # loaded only where it is needed

        return functools.lru_cache(_MOST_STEMS)(snowballstemmer.stemmer(self.stemmer).stemWord)
