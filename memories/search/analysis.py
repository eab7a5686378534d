"""Cuts texts into words with the tokenizer of SQLite's full-text search: English stems, any script."""

import hashlib
import re
import sqlite3
import weakref
from collections.abc import Iterable, Sequence

import numpy

from memzoo.forks import cached_property, new_lock
from memzoo.memories.search.kinds import CORRECTING
from memzoo.memories.search.rows import Places, Terms
from memzoo.memories.text.language import SMALL_TALK, UNSPACED

__all__ = ["Analyser", "hashed", "spaced", "telling_words"]

# Words that stand in every question and say nothing about what it is after.
_STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could did do does for from had has have he her him his how i if
    in into is it its me my no not of on or our she should so some that the their them they this to us was we were what
    when where which who whom whose why will with would you your
    """.split()
)

_UNSPACED = re.compile(f"[{UNSPACED}]")
_FOUND = numpy.dtype([("term", "<u8"), ("text", "<i8"), ("offset", "<i8")])


class Analyser:
    """Turns texts into terms; it keeps nothing of them.

    Example:
        >>> terms, counts = Analyser().terms(["My cats", "a cat"])
        >>> counts.tolist(), bool(terms[1] == terms[3])
        ([2, 2], True)
    """

    def __init__(self) -> None:
        self._lock = new_lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._database.close)
        # FTS5 cuts very long words at a byte, which may leave half a character.
        self._database.text_factory = bytes
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')")
        self._database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance')")

    def terms(self, texts: Iterable[str]) -> tuple[Terms, Places]:
        """Return the terms of all texts one after another, and how many each text has."""
        rows = [(place, spaced(text)) for place, text in enumerate(texts)]
        known: dict[bytes, int] = {}
        with self._lock:
            self._database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
            words = self._database.execute("SELECT term, doc, offset FROM words")
            numbered = ((known.get(word) or known.setdefault(word, hashed(word)), *at) for word, *at in words)
            found = numpy.fromiter(numbered, _FOUND)
            self._database.rollback()
        order = numpy.lexsort((found["offset"], found["text"]))
        return found["term"][order], numpy.bincount(found["text"], minlength=len(rows))

    @cached_property
    def common(self) -> Terms:
        """The terms of words that say little of what a message is about."""
        return self.terms(sorted(SMALL_TALK | CORRECTING))[0]

    def phrases(self, query: str) -> list[Terms]:
        """Return the telling words of a query; one that the tokenizer cuts into several is a phrase of them."""
        terms, counts = self.terms(telling_words(query))
        return [phrase for phrase in numpy.split(terms, numpy.cumsum(counts)[:-1]) if len(phrase)]


def telling_words(query: str) -> Sequence[str]:
    """Return the different words of a query without those that stand in every question, unless it has no others."""
    words = list(dict.fromkeys(re.findall(r"\w+", spaced(query.casefold()))))
    return [word for word in words if word not in _STOP_WORDS] or words


def hashed(word: bytes) -> int:
    """Return 64 bits that stand for a word."""
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


def spaced(text: str) -> str:
    """Set spaces around each Chinese or Japanese character, so that it counts as a word."""
    # SQLite takes no half of a surrogate pair.
    return _UNSPACED.sub(r" \g<0> ", text).encode(errors="replace").decode()
