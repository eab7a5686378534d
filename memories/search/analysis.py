"""Texts cut into words by the tokenizer of SQLite's full-text search: English stems, any script."""

import hashlib
import re
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

__all__ = ["Analyser", "Terms", "telling_words"]

Terms: TypeAlias = NDArray[numpy.uint64]
"""Stems of words, each as 64 bits of its hash: equal stems are equal numbers, in every process."""

# Words that stand in every question and say nothing about what it is after.
_STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could did do does for from had has have he her him his how i if
    in into is it its me my no not of on or our she should so some that the their them they this to us was we were what
    when where which who whom whose why will with would you your
    """.split()
)

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_FOUND = numpy.dtype([("term", "<u8"), ("text", "<i8"), ("offset", "<i8")])


class Analyser:
    """Turns texts into terms; it keeps nothing of them.

    Example:
        >>> terms, counts = Analyser().terms(["My cats", "a cat"])
        >>> counts.tolist(), bool(terms[1] == terms[3])
        ([2, 2], True)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._database.close)
        # FTS5 cuts very long words at a byte, which may leave half a character.
        self._database.text_factory = bytes
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61')")
        self._database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance')")

    def terms(self, texts: Iterable[str]) -> tuple[Terms, NDArray[numpy.int64]]:
        """The terms of all texts one after another, and how many each text has."""
        rows = [(place, _spaced(text)) for place, text in enumerate(texts)]
        with self._lock:
            self._database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
            words = self._database.execute("SELECT term, doc, offset FROM words")
            found = numpy.fromiter(_numbered(words), _FOUND)
            self._database.rollback()
        order = numpy.lexsort((found["offset"], found["text"]))
        return found["term"][order], numpy.bincount(found["text"], minlength=len(rows))

    def phrases(self, query: str) -> list[Terms]:
        """The telling words of a query; one that the tokenizer cuts into several is a phrase of them."""
        terms, counts = self.terms(telling_words(query))
        ends = numpy.cumsum(counts).tolist()
        return [terms[end - count : end] for end, count in zip(ends, counts.tolist(), strict=True) if count]


def telling_words(query: str) -> Sequence[str]:
    """The different words of a query without those that stand in every question, unless there are no others."""
    words = list(dict.fromkeys(re.findall(r"\w+", _spaced(query.casefold()))))
    return [word for word in words if word not in _STOP_WORDS] or words


def _spaced(text: str) -> str:
    """A text with each Chinese or Japanese character as a word: they stand without spaces."""
    # SQLite takes no half of a surrogate pair.
    return _UNSPACED.sub(r" \g<0> ", text).encode(errors="replace").decode()


def _numbered(words: Iterable[tuple[bytes, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Occurrences with a number for each word; equal words come one after another."""
    last, number = None, 0
    for word, text, offset in words:
        if word != last:
            last, number = word, int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")
        yield number, text, offset
