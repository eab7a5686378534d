"""Search by words: cutting texts into words, and scoring spans of messages by BM25."""

import hashlib
import itertools
import re
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category, normalize

import numpy
from numpy.typing import NDArray

from memzoo.forks import new_lock
from memzoo.memories.search.languages.telling import find_telling_words, space_out, stem_words, tell_language
from memzoo.memories.search.languages.zh import RUN, find_pairs, translate_numbers
from memzoo.memories.search.rows import Numbers, Places, Spans, Terms
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.language import HAN, MARKED
from memzoo.memories.text.names import with_few_marks

_WORD = re.compile(r"\w+")
# The vowels of `MARKED`, which SQLite counts as blanks.
_MARKS = "".join(one for one in re.findall(f"[{MARKED}]", "".join(map(chr, range(0x1800)))) if category(one)[0] == "M")
_FOUND = numpy.dtype([("term", "<u8"), ("text", "<i8"), ("offset", "<i8")])

# The least weight of a word, as in SQLite's FTS5.
_LEAST_WEIGHT = 1e-6
_LONGEST_PHRASE = 16
# The share of a Chinese character in the weight of a pair.
_CHARACTER = 0.1


class Analyser:
    """Turns texts into terms, and keeps no text. A term is the hash of a stem, or in unknown languages of a whole word.

    The tokenizer and the stems of English belong to SQLite's full-text search.

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
        tokenizer = f"porter unicode61 tokenchars '{_MARKS}'"
        self._database.execute(f'CREATE VIRTUAL TABLE texts USING fts5(text, content="", tokenize="{tokenizer}")')
        self._database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'instance')")

    def terms(self, texts: Iterable[str]) -> tuple[Terms, Places]:
        """Return the terms of all texts, one text after another, and the number of terms in each text."""
        return self._cut(stem_words(normalize("NFC", with_few_marks(text))) for text in texts)

    def _cut(self, texts: Iterable[str]) -> tuple[Terms, Places]:
        rows = [(place, space_out(text)) for place, text in enumerate(texts)]
        if not rows:
            return numpy.empty(0, numpy.uint64), numpy.empty(0, numpy.int64)
        known: dict[bytes, int] = {}
        with self._lock:
            self._database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
            words = self._database.execute("SELECT term, doc, offset FROM words")
            numbered = ((known.get(word) or known.setdefault(word, hash_word(word)), *at) for word, *at in words)
            found = numpy.fromiter(numbered, _FOUND)
            self._database.rollback()
        order = numpy.lexsort((found["offset"], found["text"]))
        return found["term"][order], numpy.bincount(found["text"], minlength=len(rows))

    def phrases(self, query: str) -> list[tuple[Terms, float]]:
        """Return the terms (an array) and the weight (from 0 to 1) of each word of a query except stop words.

        A word can have several terms. In the scripts of `PAIRED`, such as Chinese, pairs of characters are words, and a
        single character weighs little. In languages other than English, words are also searched without stemming. If
        all words are stop words, they are kept.
        """
        query = normalize("NFC", with_few_marks(query))
        read, language = translate_numbers(query.lower()), tell_language(query)
        spaced = [word for word in _WORD.findall(RUN.sub(" ", read)) if word not in language.stops]
        if language.stemmer:
            spaced += [language.term(word) for word in spaced]
        pairs = list(find_pairs(read))
        shares = dict.fromkeys(itertools.chain.from_iterable(pairs), _CHARACTER) | dict.fromkeys([*spaced, *pairs], 1.0)
        shares = shares or dict.fromkeys(find_telling_words(query), 1.0)
        terms, counts = self._cut(shares)
        phrases = zip(numpy.split(terms, numpy.cumsum(counts)[:-1]), shares.values(), strict=False)
        return [(phrase, share) for phrase, share in phrases if len(phrase)]


def hash_word(word: bytes) -> int:
    """Return a word's 64-bit hash."""
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


def count_letters(text: str) -> int:
    """Return the length of a text in letters; a Chinese or Japanese character counts as four letters."""
    return len(text) if text.isascii() else len(text) + 3 * len(HAN.findall(text))


class Grain:
    """A way to divide a conversation into spans: messages, windows or segments. A span is searched as one text.

    Args:
        spans: A pair: the position of each span's first message, and the position after its last message.
        day: The position of each span's date. Dates are numbered after the messages: with 10 messages (positions 0 to
            9), the first date has position 10.
        ends: The number of terms before each message, then before each date; the last number counts all terms.
        weights: The weights.
    """

    def __init__(self, spans: Spans, day: Places, ends: Places, weights: Weights) -> None:
        self._first, self._end = first, end = spans
        self.day = day
        self._saturation = weights.saturation
        length = ends[end] - ends[first] + ends[day + 1] - ends[day]
        relative = weights.dilution * length / max(length.mean(), _LEAST_WEIGHT)
        # The longer the span, the less its words count.
        self._norm: Numbers = weights.saturation * (1 - weights.dilution + relative)

    def __len__(self) -> int:
        return len(self._norm)

    def add(self, began: Places, finished: Places, scores: Numbers, share: float) -> None:
        """Add a phrase's score, times its weight `share`, to the `scores` of the spans that contain the phrase.

        `began` and `finished` are the arrays that `phrase_counts` yields for the phrase.
        """
        count = finished[self._end] - began[self._first]
        if finished is not began:
            # A phrase longer than a span may begin before the span and end after it.
            count = numpy.maximum(count, 0)
        if finished[-1] > began[self.day[0]]:  # A date contains the word.
            count += numpy.maximum(finished.take(self.day + 1) - began.take(self.day), 0)
        found = (count > 0).nonzero()[0]
        count, rest = count[found], len(count) - len(found)
        weight = max(numpy.log((rest + 0.5) / (len(found) + 0.5)), _LEAST_WEIGHT)
        scores[found] += share * weight * count * (self._saturation + 1) / (count + self._norm[found])


def phrase_counts(
    terms: Terms, parts: NDArray[numpy.uint16], ends: Places, phrases: Sequence[tuple[Terms, float]]
) -> Iterator[tuple[Places, Places, float]]:
    """Yield three values for each phrase that occurs: the arrays `began` and `finished`, and the phrase's weight.

    For each position in `ends`, `began` counts how often the phrase begins before the position, and `finished` how
    often the phrase ends before the position. The text from `ends[a]` to `ends[b]` thus has the phrase
    `finished[b] - began[a]` times.

    Args:
        terms: The terms of all messages, then of all dates.
        parts: The last 16 bits of each term. They are faster to scan than whole terms, which are compared only where
            these bits match.
        ends: The number of terms before each message, then before each date; the last number counts all terms.
        phrases: The phrases to search for, each with its weight.
    """
    # One pass over the text for all words bounds the cost of a pasted page as a query, which has thousands of words.
    words = numpy.array(sorted({int(phrase[0]) for phrase, _ in phrases}), numpy.uint64)
    places = numpy.flatnonzero(numpy.isin(parts, words.astype(numpy.uint16), kind="sort"))
    which = numpy.searchsorted(words, terms[places])
    is_word = words.take(which, mode="clip") == terms[places]
    # Small numbers stand for the terms, because small numbers are sorted faster (by radix).
    places, which = places[is_word], which[is_word].astype(numpy.min_scalar_type(len(words)))
    after = numpy.cumsum(numpy.bincount(which, minlength=len(words)))
    positions = dict(zip(words.tolist(), numpy.split(places[numpy.argsort(which, kind="stable")], after), strict=False))
    for phrase, share in phrases:
        starts = positions[int(phrase[0])]
        for offset, term in enumerate(phrase[1:_LONGEST_PHRASE], start=1):
            starts = starts[starts + offset < len(terms)]
            starts = starts[terms[starts + offset] == term]
        if len(starts):
            began, further = _before(ends, starts), min(len(phrase), _LONGEST_PHRASE) - 1
            yield began, _before(ends, starts + further) if further else began, share


def _before(ends: Places, positions: Places) -> Places:
    """Return the number of positions below each of `ends`."""
    return numpy.bincount(ends.searchsorted(positions, side="right"), minlength=len(ends)).cumsum()
