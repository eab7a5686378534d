"""Searches the messages of one conversation by the words in and around each message (BM25)."""

import base64
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from types import MappingProxyType

import numpy

from memzoo.forks import cached_property, new_lock
from memzoo.memories.search.corrections import CORRECTING, Corrections
from memzoo.memories.search.languages.telling import find_dates
from memzoo.memories.search.passages import ROW, find_labels, reach, rows_of, weigh_answers, windows
from memzoo.memories.search.rows import Flags, Numbers, Places, Ranking, Rows, Spans, Terms
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.words import Analyser, Grain, phrase_counts
from memzoo.memories.text.days import MONTHS, in_words
from memzoo.memories.text.language import SMALL_TALK
from memzoo.memories.text.view import Passage
from memzoo.stores import JSON

_STEP = 512
_PARTS = ("rows", "terms")

# Corrections are added for at most 3 of the best messages, and for one message per 300 tokens of the limit. A
# correction has at most a letter per 2 tokens. With room for 3, clear corrections are added for up to 64 messages.
_MOST_CORRECTED, _TOKENS_A_CORRECTION, _TOKENS_A_LETTER = 3, 300, 2
_MOST_CLEARLY_CORRECTED = 64

_SECONDS_A_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_UNDATED = -1e9
# In small letters, and before a pronoun, these are no months.
_VERBS = re.compile(r"\b(?:may|march)\b|\bMay(?= (?:I|we|you|he|she|it|they)\b)")


class _SearchedText:
    """The searched text: all messages, followed by their dates.

    Args:
        rows: The rows of the messages.
        terms: The terms of the messages.
        windows: The windows around the messages.
        dates: The terms of all dates, and the number of terms of each.
        day_of: For each message, the position of its date among the dates.
        weights: The weights of the search.
    """

    def __init__(
        self, rows: Rows, terms: Terms, windows: Spans, dates: tuple[Terms, Places], *, day_of: Places, weights: Weights
    ) -> None:
        count, opening = len(rows), numpy.flatnonzero(rows["opens"])
        # The dates follow all messages, as if the dates were messages too.
        self.terms: Terms = numpy.concatenate([terms, dates[0]])
        self.parts = self.terms.astype(numpy.uint16)
        # The positions at which the terms of each message or date begin, and the end of the last date.
        self.ends: Places = numpy.append(0, numpy.cumsum(numpy.concatenate([rows["terms"], dates[1]])))
        segments = opening, numpy.append(opening[1:], count)
        spans: list[Spans] = [(slice(count), slice(1, count + 1)), windows, segments]
        self.grains = [Grain(span, count + day_of[span[0]], self.ends, weights) for span in spans]
        # The position of each message's segment among the segments, and of its speaker among the speakers.
        self.segment: Places = numpy.cumsum(rows["opens"]) - 1
        self.speakers, self.spoken_by = numpy.unique(rows["speaker"], return_inverse=True)
        self.cost = _cost(rows, self.spoken_by, weights)
        self.answering = weigh_answers(rows)


class WordIndex:
    """Searches the messages of a conversation by the words of the message, its window and its segment.

    The answer to a question may come a few messages after the question's words, so the text around a message counts
    too: its window (the nearest messages) and its segment (a longer part without a long pause). Each text begins with
    its date, whose words count like other words. The terms of all messages are in one array, which is scanned for each
    word of a query.

    Args:
        weights: The weights of the search.

    Attributes:
        analyser: Cuts texts into words.

    Example:
        >>> from datetime import UTC, datetime
        >>> now = datetime(2026, 1, 1, tzinfo=UTC)
        >>> index = WordIndex()
        >>> said = [("Human", "I moved to Oslo"), ("AI", "My cat likes fish")]
        >>> index.add(Passage(seq, *one, now, begins=seq == 1) for seq, one in enumerate(said, start=1))
        >>> next(iter(index.scores("What does the cat eat?")))
        2
    """

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights or Weights()
        self.analyser = Analyser()
        self._lock = new_lock()
        self._rows: Rows = numpy.empty(0, ROW)
        self._seqs: Places = numpy.empty(0, numpy.int64)
        self._terms: Terms = numpy.empty(0, numpy.uint64)
        self._windows: tuple[Places, Places] = (numpy.empty(0, numpy.int64), numpy.empty(0, numpy.int64))
        self._dates: tuple[Terms, Places] = (self._terms, numpy.empty(0, numpy.int64))
        self._text: _SearchedText | None = None
        self._corrections: Corrections | None = None

    def add(self, passages: Iterable[Passage]) -> None:
        """Add the next messages of the log, oldest first; messages already in the index are ignored."""
        with self._lock:
            last = self._seqs.max(initial=0)
            new = [one for one in passages if one.seq > last]
            for step in (new[start : start + _STEP] for start in range(0, len(new), _STEP)):
                terms, counts = self.analyser.terms(_searchable_text(one) for one in step)
                self._extend(rows_of(step, counts, self._rows), terms)

    def pack(self, after: int) -> dict[str, JSON]:
        """Return the index of the messages numbered above `after` as items of a state, for `unpack`."""
        with self._lock:
            seqs, ends = self._seqs, numpy.append(0, numpy.cumsum(self._rows["terms"]))
            places = [*range(int(numpy.searchsorted(seqs, after + 1)), len(seqs), _STEP), len(seqs)]
            return {
                f"{seqs[start]:012}": {
                    "rows": base64.b64encode(self._rows[start:end].tobytes()).decode(),
                    "terms": base64.b64encode(self._terms[ends[start] : ends[end]].tobytes()).decode(),
                }
                for start, end in itertools.pairwise(places)
            }

    def unpack(self, items: Mapping[str, JSON]) -> None:
        """Fill an empty index with the items from `pack`; an index with messages stays as it is."""
        rows, terms = (b"".join(base64.b64decode(items[key][part]) for key in sorted(items)) for part in _PARTS)
        with self._lock:
            if not len(self._rows):
                self._extend(numpy.frombuffer(rows, ROW), numpy.frombuffer(terms, numpy.uint64))

    def rank(
        self,
        query: str,
        similar: Mapping[int, float] = MappingProxyType({}),
        share: float = 1.0,
        dates: Sequence[str] = (),
    ) -> Ranking:
        """Return a ranking of the messages that fit a query.

        Args:
            query: The text to search for. A message is left out if neither it nor the text around it has a word of the
                query.
            similar: A dict from log number to similarity, for messages found by embeddings. These messages are always
                included.
            share: The weight of embeddings relative to words.
            dates: Further words to search: dates meant by the query, as returned by `find_dates`.
        """
        with self._lock:
            found, total, best = self._score(query, dates)
            if similar:
                near, nearness = _find_nearness(self._seqs, similar, self._weights)
                found[near] = True
                total += share * (best or 1.0) * nearness
            places = numpy.flatnonzero(found)
            return Ranking(self._seqs[places], total[places])

    def find_others(self, found: Ranking) -> list[int]:
        """Return the log numbers of all messages that are not in a ranking.

        Messages in the same segment as a ranked message come before the rest. Both groups are sorted newest first.
        """
        with self._lock:
            if not len(self._rows):
                return []
            segments = self._fit().segment
            is_found = numpy.isin(self._seqs, found.best(len(found)))
            others = numpy.flatnonzero(~is_found)
            is_beside = numpy.isin(segments[others], segments[is_found])
            order = numpy.lexsort((others, is_beside))[::-1]
            seqs: list[int] = self._seqs[others[order]].tolist()
            return seqs

    def scores(
        self, query: str, similar: Mapping[int, float] = MappingProxyType({}), share: float = 1.0
    ) -> dict[int, float]:
        """Return the messages that fit a query: a dict from log number to score, best first; see `rank`."""
        return dict(self.rank(query, similar, share).items())

    def add_corrections(self, seqs: Sequence[int], limit: int) -> list[int]:
        """Return `seqs` with corrections added, each before the message that it corrects.

        The best messages, at most three, get corrections of any kind. If `limit` is at least 900, further messages get
        only clear corrections (see `SURELY`).

        Args:
            seqs: The log numbers of the messages, best first.
            limit: The token limit of the view. A lower limit allows fewer and shorter corrections.
        """
        with self._lock:
            corrections = self._find_corrections()
            first = max(1, min(_MOST_CORRECTED, limit // _TOKENS_A_CORRECTION))
            most = _MOST_CLEARLY_CORRECTED if first == _MOST_CORRECTED else first
            places = numpy.searchsorted(self._seqs, seqs[:most]).tolist()
            newest = corrections.newest(places, limit // _TOKENS_A_LETTER, first)
            together = [one for later, place in zip(newest, places, strict=True) for one in (*later, place)]
            best = self._seqs[numpy.array(together, numpy.int64)].tolist()
            return list(dict.fromkeys([*best, *seqs]))

    def find_corrections_since(self, seqs: Sequence[int], since: int, limit: int) -> list[int]:
        """Return the log numbers above `since` of messages that correct the given messages."""
        with self._lock:
            places = numpy.searchsorted(self._seqs, seqs).tolist()
            newest = self._find_corrections().newest(places, limit // _TOKENS_A_LETTER, len(places))
            found = set(itertools.chain.from_iterable(newest))
            return [seq for seq in self._seqs[numpy.array(sorted(found), numpy.int64)].tolist() if seq > since]

    def exchanges(self, seqs: Sequence[int], k: int) -> list[tuple[int, int]]:
        """Return the exchanges that the messages in `seqs` belong to, at most `k`, in the order of `seqs`.

        An exchange is a pair of its first and last log number.
        """
        with self._lock:
            documents = self._rows["document"]
            firsts = list(dict.fromkeys(documents[numpy.searchsorted(self._seqs, seqs)].tolist()))[:k]
            ends = numpy.searchsorted(documents, firsts, side="right")
            return list(zip(firsts, self._seqs[ends - 1].tolist(), strict=True))

    @cached_property
    def _common(self) -> Terms:
        """The terms of words that say little about a message's subject."""
        return self.analyser.terms(sorted(SMALL_TALK | CORRECTING))[0]

    @cached_property
    def _months(self) -> frozenset[int]:
        """The terms of the months."""
        return frozenset(self.analyser.terms(MONTHS)[0].tolist())

    @cached_property
    def _days(self) -> frozenset[int]:
        """The terms of the days of a month."""
        return frozenset(self.analyser.terms(map(str, range(1, 32)))[0].tolist())

    def _find_corrections(self) -> Corrections:
        if self._corrections is None:
            self._corrections = Corrections(self._rows, self._terms, self._common, self._weights)
        return self._corrections

    def _extend(self, rows: Rows, terms: Terms) -> None:
        # Only windows this near to the end can still grow.
        settled = max(0, len(self._rows) - reach(self._weights.window))
        self._rows = numpy.concatenate([self._rows, rows])
        # A separate array, because each search looks up log numbers.
        self._seqs = self._rows["seq"].copy()
        self._terms = numpy.concatenate([self._terms, terms])
        first, end = windows(self._rows, numpy.arange(settled, len(self._rows)), self._weights.window)
        self._windows = (
            numpy.concatenate([self._windows[0][:settled], first]),
            numpy.concatenate([self._windows[1][:settled], end]),
        )
        self._text = self._corrections = None

    def _score(self, query: str, dates: Sequence[str]) -> tuple[Flags, Numbers, float]:
        """Return flags for messages with words of the query around them, all scores, and the best score by words."""
        weights, rows = self._weights, self._rows
        if not len(rows):
            return numpy.zeros(len(rows), numpy.bool_), numpy.zeros(len(rows)), 0.0
        text, (own, around, in_segment, in_time) = self._fit(), self._matches(query, dates)
        found = around > 0
        fit = (1 + weights.month * in_time) * (
            weights.own * own + weights.around * around + weights.segment * in_segment
        )
        labels = find_labels(query)
        is_named = numpy.array([one in labels for one in text.speakers.tolist()])
        total = fit + weights.speaker * is_named[text.spoken_by] if is_named.any() else fit
        best = float(fit[found].max(initial=0.0))
        before = numpy.append(0.0, own[:-1])
        return found, total + weights.answering * (before * text.answering) - best * text.cost, best

    def _matches(self, query: str, dates: Sequence[str]) -> tuple[Numbers, Numbers, Numbers, Flags]:
        """Return each message's scores for the words of a query: in the message, in its window, and in its segment.

        The last array tells for each message whether it was said in a month that the query names, or on a day that it
        means; if no message was, a single flag stands for all.
        """
        text, phrases = self._fit(), self.analyser.phrases(" ".join([query, *dates]))
        own, around, in_segments = scores = [numpy.zeros(len(grain)) for grain in text.grains]
        for began, finished, share in phrase_counts(text.terms, text.parts, text.ends, phrases):
            for grain, score in zip(text.grains, scores, strict=True):
                grain.add(began, finished, score, share)
        others = {int(term) for words in (_VERBS.findall(query), dates) for term in self.analyser.terms(words)[0]}
        named = {int(terms[0]) for terms, _ in phrases} - others
        is_named = self._find_named(named, [-1, *self.analyser.terms(dates)[0].tolist()])
        in_time = is_named[text.grains[0].day - len(own)] if is_named.any() else is_named[:1]
        return own, around, in_segments[text.segment], in_time

    def _find_named(self, named: AbstractSet[int], meant: Sequence[int]) -> Flags:
        """Return flags for the dates in a month in `named`, or on a day of a month in `meant`."""
        text = self._fit()
        ends = text.ends[len(self._rows) :]
        dated, found = numpy.flatnonzero(numpy.diff(ends)), numpy.zeros(len(ends) - 1, numpy.bool_)
        days, months = (text.terms[ends[dated] + place] for place in (0, 1))
        for day, month in [*((-1, month) for month in named), *itertools.pairwise(meant)]:
            if month in self._months:
                found[dated] |= (months == month) & ((days == day) if day in self._days else True)
        return found

    def _fit(self) -> _SearchedText:
        if self._text is None:
            days = numpy.nan_to_num(self._rows["said_at"] // _SECONDS_A_DAY, nan=_UNDATED)
            another = numpy.diff(days, prepend=-numpy.inf) != 0
            dates, day_of = self._dates_of(days[another].tolist()), numpy.cumsum(another) - 1
            self._text = _SearchedText(
                self._rows, self._terms, self._windows, dates, day_of=day_of, weights=self._weights
            )
        return self._text

    def _dates_of(self, days: Sequence[float]) -> tuple[Terms, Places]:
        """Return the terms of the dates, and the number of terms of each date."""
        terms, counts = self._dates
        if len(days) > len(counts):
            texts = (
                "" if day == _UNDATED else in_words(date.fromordinal(int(day) + _EPOCH)) for day in days[len(counts) :]
            )
            more_terms, more_counts = self.analyser.terms(texts)
            self._dates = numpy.concatenate([terms, more_terms]), numpy.concatenate([counts, more_counts])
        return self._dates


def _searchable_text(passage: Passage) -> str:
    """Return a passage's text, then the words of the dates meant by its phrases, except words of the passage's date."""
    if not passage.said_at:
        return passage.text
    said, own = passage.said_at.date(), passage.date.split()
    return " ".join([passage.text, *(word for word in find_dates(passage.text, said) if word not in own)])


def _cost(rows: Rows, spoken_by: Places, weights: Weights) -> Numbers:
    """Return the points that each message loses, as a share of the best message's score.

    Questions and long messages lose points, and so do all messages of a speaker whose messages are usually long. A
    message that speaks of "I" or "we" loses fewer points. `spoken_by` has the index of each message's speaker.
    """
    usual = numpy.bincount(spoken_by, rows["length"]) / numpy.bincount(spoken_by)
    length = weights.length * _doublings(rows["length"], weights.short)
    loss: Numbers = weights.asking * rows["asks"] - weights.telling * rows["tells"] + length
    return loss + weights.talkative * _doublings(usual, weights.short)[spoken_by]


def _doublings(lengths: Places | Numbers, short: int) -> Numbers:
    """Return log2(length / `short`) for each length; 0 for lengths below `short`."""
    logarithms: Numbers = numpy.log2(numpy.maximum(lengths, short) / short)
    return logarithms


def _find_nearness(seqs: Places, similar: Mapping[int, float], weights: Weights) -> tuple[Places, Numbers]:
    """Return the positions in `seqs` of the messages found by embeddings, and each message's nearness to the query.

    The nearness is the distance from the lowest similarity, in standard deviations. Messages that were not found start
    at 0. Each message then gets a share of the nearness of the messages before and after it.

    Args:
        seqs: The log numbers of all messages.
        similar: A dict from log number to similarity; numbers that are not in `seqs` are left out.
        weights: The shares for the message before and the message after.
    """
    numbers = numpy.fromiter(similar, numpy.int64)
    places = numpy.searchsorted(seqs, numbers)
    known = numpy.append(seqs, -1)[places] == numbers
    places, similarities = places[known], numpy.fromiter(similar.values(), numpy.float64)[known]
    near = numpy.zeros(len(seqs) + 2)
    if len(places) and (deviation := similarities.std()) > 0:
        near[places + 1] = (similarities - similarities.min()) / deviation
    return places, near[1:-1] + weights.before * near[:-2] + weights.after * near[2:]
