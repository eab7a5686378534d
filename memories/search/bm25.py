"""Search by words: the passages of one conversation in SQLite's full-text index, ranked by BM25."""

import re
import sqlite3
import threading
from collections.abc import Iterable

from memzoo.memories.search.passages import Passages
from memzoo.memories.text.passage import Passage

__all__ = ["WordIndex", "match_of"]

# Words that stand in every question and say nothing about what it is after.
_STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could did do does for from had has have he her him his how i if
    in into is it its me my no not of on or our she should so some that the their them they this to us was we were what
    when where which who whom whose why will with would you your
    """.split()
)

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

# Decided on the development conversations of LoCoMo; see docs/retrieval.md.
_WEIGHTS = {"own": 0.5, "around": 1.0, "segment": 1.0}
_SPEAKER_BONUS = 4.0
_OWN_BONUS = 0.05
_ASKING_MALUS = 0.1

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+")


class WordIndex:
    """Passages and their context in SQLite FTS5 (English stems, any script), in memory; built from the log.

    A passage is looked for in three grains: its own text, the text around it, and the larger segment in which it
    stands. So an answer is found though the words of the question were said a few messages before. Each begins with
    its date, whose words are words as others: a question that names a month or a day finds what was said then.
    What tells of the speaker ("I", "my", "we") counts a little more, what asks a little less: answers seldom rest on
    questions.

    Args:
        names: Labels of speakers that count as names: who is asked about probably said it.

    Example:
        >>> from datetime import UTC, datetime
        >>> now = datetime(2026, 1, 1, tzinfo=UTC)
        >>> index = WordIndex()
        >>> index.add([Passage(1, "Human", "I moved to Oslo", now, 1), Passage(2, "AI", "My cat likes fish", now, 2)])
        >>> max(index.scores("Where do you live since you moved?").items())[0]
        2
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.passages = Passages()
        self._names = frozenset(names)
        self._worth: list[float] = []
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        for grain in _WEIGHTS:
            self._database.execute(f"CREATE VIRTUAL TABLE {grain} USING fts5(text, tokenize='porter unicode61')")

    def add(self, passages: Iterable[Passage]) -> None:
        """Put in passages that follow in the log, oldest first; those that are there already are left alone."""
        with self._lock:
            new, around = self.passages.append([one for one in passages if one.seq > self.passages.last])
            self._worth += [_worth(self.passages.at(place).text) for place in new]
            self._put("own", ((place, self.passages.text(place)) for place in new))
            self._put("around", ((place, self.passages.window(place)) for place in around))
            segments = sorted({self.passages.segment(place) for place in new})
            self._put("segment", ((start, self.passages.segment_text(start)) for start in segments))

    def scores(self, query: str) -> dict[int, float]:
        """How well passages fit a query, by log number; those around which no word of it stands are left out."""
        match = match_of(query)
        asked_about = {name for name in self._names if name.casefold() in query.casefold()}
        scores: dict[int, float] = {}
        with self._lock:
            own, around, segments = (self._found(grain, match) for grain in _WEIGHTS)
            fit = {
                place: score + own.get(place, 0.0) + segments.get(self.passages.segment(place), 0.0)
                for place, score in around.items()
            }
            best = max(fit.values(), default=0.0)
            for place, score in fit.items():
                passage = self.passages.at(place)
                bonus = _SPEAKER_BONUS if passage.speaker in asked_about else 0.0
                scores[passage.seq] = score + bonus + best * self._worth[place]
        return scores

    def _put(self, grain: str, texts: Iterable[tuple[int, str]]) -> None:
        rows = ((place, _spaced(text)) for place, text in texts)
        self._database.executemany(f"REPLACE INTO {grain} (rowid, text) VALUES (?, ?)", rows)  # noqa: S608

    def _found(self, grain: str, match: str) -> dict[int, float]:
        if not match:
            return {}
        rows = self._database.execute(
            f"SELECT rowid, -bm25({grain}) FROM {grain} WHERE {grain} MATCH ?",  # noqa: S608
            (match,),
        )
        return {place: _WEIGHTS[grain] * score for place, score in rows}


def _worth(text: str) -> float:
    """What a message is worth whatever is looked for, as a share of the best score."""
    sentences: list[str] = _BETWEEN_SENTENCES.split(text.strip())
    asking = sum(sentence.endswith("?") for sentence in sentences) / len(sentences)
    return _OWN_BONUS * (_FIRST_PERSON.search(text) is not None) - _ASKING_MALUS * asking


def _spaced(text: str) -> str:
    """A text with each Chinese or Japanese character as a word: they stand without spaces."""
    return _UNSPACED.sub(r" \g<0> ", text)


def match_of(query: str) -> str:
    """What FTS5 is asked for a query: any of its telling words; "" if there is no word in it."""
    words = list(dict.fromkeys(re.findall(r"\w+", _spaced(query.casefold()))))
    telling = [word for word in words if word not in _STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in telling)
