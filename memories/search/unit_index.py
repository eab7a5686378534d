"""Searches what is known by words together with names: facts, and the statements of notes."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

import numpy

from memzoo.forks import new_lock
from memzoo.memories.search.corrections import find_asked_kinds, kinds_of
from memzoo.memories.search.passages import doublings, windows
from memzoo.memories.search.relative_dates import find_dates
from memzoo.memories.search.rows import Flags, Numbers, Places, Rows, Terms, spread
from memzoo.memories.search.units import FoundUnit, FoundUnits, KnownUnit, asks_for_advice
from memzoo.memories.search.weights import UnitWeights
from memzoo.memories.search.words import Analyser, Grain, find_telling_words, hash_word, phrase_counts, space_out
from memzoo.memories.text.days import in_words
from memzoo.memories.text.language import RELATING, SMALL_TALK
from memzoo.memories.text.language import words as words_of
from memzoo.memories.text.names import FULL_NAME, mentions

__all__ = ["UnitIndex"]

_UNIT = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "length", "terms", "start", "day")),
        *((name, "<i8") for name in ("about", "other", "kinds")),
        *((name, "<u8") for name in ("beginning", "sign")),
        ("tells", "?"),
        ("advice", "?"),
        ("holds", "?"),
        ("said_at", "<f8"),
    ]
)
# Words that say nothing about what a question is after.
_COMMON = SMALL_TALK | RELATING
_UNDATED = -1
_NOBODY = -1
# So many of the best finds pass on to what they share a name with.
_PASSING_ON = 10
_OTHER = 0.5
_LEAST = 1e-3
_AFTER_ALL = 1e-4
# How far what lines find is brought to one measure, so that a line in rare words does not take all the room.
_EVENED = 0.3


class _Laid(NamedTuple):
    """All units that hold, in the order in which they were said, laid out to be searched.

    Attributes:
        places: The rows.
        rows: Of them.
        terms: The words: of the units, once more of the units name by name, and of the dates.
        ends: Where the words of each begin.
        grains: The units, what was said around them, the names.
        number: The number of each name in this, or -1.
        degree: How many units each name has.
        corrects: Which of them took the place of what holds no more.
    """

    places: Places
    rows: Rows
    terms: Terms
    ends: Places
    grains: Sequence[Grain]
    number: Places
    degree: Numbers
    corrects: Flags


class UnitIndex:
    """All that is known, searched by words, by names and by neighbours.

    A unit is looked for in its own words, in the words of what was said around it, and in those of all that is known
    under its names. So "my head baker" finds what is known of Devin, though only one unit calls him so. What the best
    finds share a name with gains too, most through a unit that says who somebody is, unless the question names
    somebody: a name is a word as well, and then words find best. So does what has a date or a number, if the question
    asks for one, and what corrected something. The very first are always what words alone find best.

    Args:
        weights: How much each part counts.

    Attributes:
        analyser: Cuts texts into words.

    Example:
        >>> index = UnitIndex()
        >>> index.put({"1": [KnownUnit("Devin is the head baker", ("devin",), tells=True)]})
        >>> index.put({"2": [KnownUnit("Devin learnt in Ghent", ("devin",))]})
        >>> index.put({"3": [KnownUnit("Tea is green", ("tea",))]})
        >>> [known.unit.text for known in index.search("Where was my head baker taught?")][:2]
        ['Devin is the head baker', 'Devin learnt in Ghent']
    """

    def __init__(self, weights: UnitWeights | None = None) -> None:
        self._weights = weights or UnitWeights()
        self.analyser = Analyser()
        self._lock = new_lock()
        self._rows = numpy.empty(0, _UNIT)
        self._terms: Terms = numpy.empty(0, numpy.uint64)
        self._units: list[FoundUnit] = []
        self._of: dict[str, dict[KnownUnit, int]] = {}
        # By item: under which names something was corrected, and by which message.
        self._corrected: dict[str, list[tuple[int, int]]] = {}
        self._names: dict[str, int] = {}
        self._laid: _Laid | None = None

    def put(self, items: Mapping[str, Sequence[KnownUnit]]) -> None:
        """Put the units of items in the place of those before; those that stay as they are cost next to nothing."""
        with self._lock:
            new: list[FoundUnit] = []
            for key, units in items.items():
                holding = {unit: place for place, unit in enumerate(units) if not unit.corrected_by}
                new += self._replace(key, holding, len(new))
                self._note_corrections(key, units)
            terms, counts = self.analyser.terms(_searchable_text(unit) for _, _, unit in new)
            starts = len(self._terms) + numpy.cumsum(counts) - counts
            rows = map(self._row, new, counts.tolist(), starts.tolist())
            self._rows = numpy.concatenate([self._rows, numpy.fromiter(rows, _UNIT, len(new))])
            self._terms = numpy.concatenate([self._terms, terms])
            self._units += new
            self._laid = None
            if 2 * numpy.count_nonzero(self._rows["holds"]) < len(self._rows):
                self._compact()

    def search(self, query: str, named: Mapping[str, float] = MappingProxyType({}), steps: int = 1) -> FoundUnits:
        """Return what fits a query, best first.

        Args:
            query: What is looked for.
            named: Canonical names that are asked about, each with how surely; 1 for a name that stands there, in full
                or as another name.
            steps: How far neighbours are looked for: 1 for what shares a name with the best finds.
        """
        with self._lock:
            if not self._rows["holds"].any():
                return FoundUnits((), numpy.empty(0, numpy.int64), numpy.empty(0), {})
            laid = self._laid = self._laid or self._lay()
            by, share = self._score_question(laid, query, named, steps), self._share_left(laid, query, named)
            # What fits by itself comes first: in few tokens, nothing that only shares a name takes its place.
            alone = {**by, "neighbours": numpy.zeros(len(laid.rows))}
            best = share * self._worth(laid, self._complete(laid, query, alone, by["neighbours"]))
            by = self._complete(laid, query, by, by["neighbours"])
            return self._rank(laid, self._put_ahead(share * self._worth(laid, by), best, named), by)

    def find_touched(self, lines: Sequence[tuple[str, Mapping[str, float]]]) -> FoundUnits:
        """Return what lines may say something new of, what fits any one of them best first.

        Args:
            lines: What is said, each line with the canonical names in it, as in `search`.
        """
        with self._lock:
            if not self._rows["holds"].any():
                return FoundUnits((), numpy.empty(0, numpy.int64), numpy.empty(0), {})
            laid = self._laid = self._laid or self._lay()
            best = numpy.zeros(len(laid.rows))
            for line, named in lines:
                by = self._score(laid, [(phrase, 1.0) for phrase in self.analyser.phrases(line)], named, 0)
                near = self._pass_on(laid, by["words"] + by["names"], 1)
                worth = self._worth(laid, {**by, "neighbours": self._weights.changing * near})
                best = numpy.maximum(best, worth / max(worth.max(), _LEAST) ** _EVENED)
            return self._rank(laid, best, {"words": best})

    def _worth(self, laid: _Laid, by: Mapping[str, Numbers]) -> Numbers:
        """How well each unit fits, less what its length costs; nothing for what does not fit at all."""
        total: Numbers = sum(by.values(), numpy.zeros(len(laid.rows)))
        cost = self._weights.length * total.max() * doublings(laid.rows["terms"], self._weights.short)
        # What is long is not lost for that.
        worth: Numbers = numpy.where(total > 0, numpy.maximum(total - cost, _LEAST * total), 0.0)
        return worth

    def _put_ahead(self, worth: Numbers, best: Numbers, named: Mapping[str, float]) -> Numbers:
        """Put those that fit best by one measure before all others, unless somebody said whom the question is about."""
        most = 0 if any(surely > FULL_NAME for surely in named.values()) else self._weights.first
        first = numpy.argsort(-best, kind="stable")[:most]
        first = first[best[first] > 0]
        worth[first] = worth.max() * (1 + best[first] / max(best.max(), _LEAST))
        return worth

    def _share_left(self, laid: _Laid, query: str, named: Mapping[str, float]) -> Numbers:
        """What is left to each unit: to advice a part, unless the question is about who gave it."""
        left = 1.0 if asks_for_advice(query, named) else self._weights.advice
        share: Numbers = numpy.where(laid.rows["advice"], left, 1.0)
        return share

    def _rank(self, laid: _Laid, worth: Numbers, by: Mapping[str, Numbers]) -> FoundUnits:
        places = numpy.flatnonzero(worth > 0)
        best = places[numpy.argsort(-worth[places], kind="stable")]
        # Units are only ever added to the list: what was found stays what it is.
        return FoundUnits(self._units, laid.places[best], worth[best], {part: one[best] for part, one in by.items()})

    def _replace(self, key: str, units: Mapping[KnownUnit, int], coming: int) -> list[FoundUnit]:
        """Return the units of an item that are not known yet; of the others, those that went hold no more.

        Args:
            key: The item.
            units: Its units now, each with its place.
            coming: How many rows are to be put in before these.
        """
        before = self._of.pop(key, {})
        self._rows["holds"][[row for unit, row in before.items() if unit not in units]] = False
        for unit in units.keys() & before.keys():
            self._rows["sign"][before[unit]] = _sign(key, units[unit])
        new = [FoundUnit(key, place, unit) for unit, place in units.items() if unit not in before]
        rows = {one.unit: row for row, one in enumerate(new, start=len(self._units) + coming)}
        self._of[key] = {unit: before[unit] for unit in units.keys() & before.keys()} | rows
        return new

    def _note_corrections(self, key: str, units: Sequence[KnownUnit]) -> None:
        corrected = [one for one in units if one.corrected_by]
        self._corrected.pop(key, None)
        if corrected:
            self._corrected[key] = [(self._number(one.names[0]), one.corrected_by) for one in corrected]

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _compact(self) -> None:
        """Let go of the rows that hold no more."""
        holding = numpy.flatnonzero(self._rows["holds"])
        self._rows = self._rows[holding]
        self._terms = self._terms[spread(self._rows["start"], self._rows["terms"])]
        self._rows["start"] = numpy.cumsum(self._rows["terms"]) - self._rows["terms"]
        # In a list of their own: what was found before stands in the other.
        self._units = [self._units[row] for row in holding.tolist()]
        new = {row: place for place, row in enumerate(holding.tolist())}
        self._of = {key: {unit: new[row] for unit, row in rows.items()} for key, rows in self._of.items() if rows}

    def _row(self, known: FoundUnit, count: int, start: int) -> tuple[object, ...]:
        unit = known.unit
        names = [self._number(name) for name in unit.names]
        about, other, *_ = *names, _NOBODY, _NOBODY
        said_at = unit.said_at.timestamp() if unit.said_at else 0.0
        day = unit.said_at.date().toordinal() if unit.said_at else _UNDATED
        beginning = int.from_bytes(known.key.encode(errors="replace")[:8].ljust(8, b"\0"), "big")
        sign = _sign(known.key, known.place)
        kinds = kinds_of(unit.text)
        at = (unit.seq, len(unit.text), count, start, day, about, other, kinds, beginning, sign)
        return (*at, unit.tells, unit.advice, True, said_at)

    def _lay(self) -> _Laid:
        """Lay out what holds: in the order in which it was said, then once more name by name, then the dates."""
        holding = numpy.flatnonzero(self._rows["holds"])
        kept = self._rows[holding]
        order = numpy.lexsort((kept["sign"], kept["beginning"], kept["seq"]))
        places, kept, count = holding[order], kept[order], len(holding)
        number, by_name, firsts, degree = self._by_name(kept)
        corrects = self._find_correcting(kept)
        kept["about"], kept["other"] = number[kept["about"]], number[kept["other"]]
        laid_out = numpy.concatenate([numpy.arange(count), by_name])
        dates, lengths, day_of = self._dates(kept["day"])
        start, counts = kept["start"][laid_out], kept["terms"][laid_out]
        ends = numpy.append(0, numpy.cumsum(numpy.concatenate([counts, lengths])))
        terms = numpy.concatenate([self._terms[spread(start, counts)], dates])
        undated, alone = len(laid_out), numpy.arange(count)
        around = windows(kept, alone, self._weights.window)
        spans = [
            ((alone, alone + 1), numpy.full(count, undated)),
            (around, undated + day_of[around[0]]),
            ((count + firsts, count + firsts + degree), numpy.full(len(degree), undated)),
        ]
        grains = [Grain.of(span, day, ends, self._weights) for span, day in spans]
        return _Laid(places, kept, terms, ends, grains, number, degree.astype(float), corrects)

    def _find_correcting(self, kept: Rows) -> Flags:
        """Which rows were said by a message that corrected something under the same name."""
        pairs = {pair for corrected in self._corrected.values() for pair in corrected}
        if not pairs:
            return numpy.zeros(len(kept), numpy.bool_)
        names, seqs = numpy.array(sorted(pairs)).T
        most = max(int(kept["seq"].max()), int(seqs.max())) + 1
        return numpy.isin(kept["about"] * most + kept["seq"], names * most + seqs)

    def _by_name(self, kept: Rows) -> tuple[Places, Places, Places, Places]:
        """Sort rows by the names that they have, of which each row comes once under each.

        Returns:
            The number of each name among those that a row has; the places of the rows; where those of each name begin,
            and how many they are.
        """
        owners = numpy.concatenate([kept["about"], kept["other"]])
        named = numpy.flatnonzero(owners != _NOBODY)
        by_name = named[numpy.argsort(owners[named], kind="stable")]
        names, firsts, degree = numpy.unique(owners[by_name], return_index=True, return_counts=True)
        number = numpy.full(len(self._names) + 1, _NOBODY)
        number[names] = numpy.arange(len(names))
        return number, by_name % len(kept), firsts, degree

    def _dates(self, days: Places) -> tuple[Terms, Places, Places]:
        """The terms of the days, behind an empty date; how many each has; and the date of each unit."""
        different, day_of = numpy.unique(days, return_inverse=True)
        texts = ["" if day == _UNDATED or not self._weights.dates else _write_day(day) for day in different.tolist()]
        terms, counts = self.analyser.terms(["", *texts])
        return terms, counts, day_of + 1

    def _weigh_query(self, query: str) -> list[tuple[Terms, float]]:
        """What a question is after: its words, those of every talk the least; and two in a row, as they stand there."""
        common = self._weights.common
        words = [(word, common if word in _COMMON else 1.0) for word in find_telling_words(query)]
        telling = {word for word, _ in words}
        pairs = itertools.pairwise(words_of(space_out(query)))
        rows = [f"{one} {two}" for one, two in pairs if {one, two} <= telling and not {one, two} <= _COMMON]
        weighed = [*words, *((row, self._weights.rows) for row in dict.fromkeys(rows))]
        terms, counts = self.analyser.terms(word for word, _ in weighed)
        phrases = numpy.split(terms, numpy.cumsum(counts)[:-1])
        return [(phrase, weight) for phrase, (_, weight) in zip(phrases, weighed, strict=False) if len(phrase)]

    def _complete(self, laid: _Laid, query: str, by: Mapping[str, Numbers], neighbours: Numbers) -> dict[str, Numbers]:
        """Add what units gain that have what is asked for, or corrected something.

        Only what shares a name with the best finds is lifted for having corrected something: these are neighbours.
        """
        by = dict(by)
        weights, total = self._weights, sum(by.values(), numpy.zeros(len(laid.rows)))
        if kinds := find_asked_kinds(query):
            by["kinds"] = weights.kinds * total * (laid.rows["kinds"] & kinds).astype(bool)
            total = total + by["kinds"]
        if laid.corrects.any():
            lifted = numpy.maximum(weights.corrections * total.max() - total, 0.0)
            by["corrections"] = numpy.where(laid.corrects & (neighbours > _LEAST * total.max()), lifted, 0.0)
        return by

    def _score_question(self, laid: _Laid, query: str, named: Mapping[str, float], steps: int) -> dict[str, Numbers]:
        """How well each unit fits a question, by words, by names and by neighbours.

        Where a name stands in the question, words find by it, too, and in a talk of few people most of what is known
        shares it. By that name and by neighbours only what words do not find is added then, after all that they do,
        unless more steps are asked for.
        """
        said = self._weigh_query(query)
        if FULL_NAME not in named.values() or steps > 1 or not self._searches_words:
            return self._score(laid, said, named, steps)
        by = self._score(laid, said, named, steps)
        in_other_words = {
            name: surely for name, surely in named.items() if surely >= FULL_NAME and not mentions(query, name)
        }
        names, left = self._match_names(laid, in_other_words), _AFTER_ALL * (by["words"] == 0)
        return {**by, "names": numpy.maximum(names, left * by["names"]), "neighbours": left * by["neighbours"]}

    def _score(
        self, laid: _Laid, said: Sequence[tuple[Terms, float]], named: Mapping[str, float], steps: int
    ) -> dict[str, Numbers]:
        """How well each unit fits: by words, by names, by neighbours.

        Where a unit has one name, as in a note, all that is known under it and what shares it tell the same: the more
        counts.
        """
        own, known = self._by_words(laid, said)
        words, names = own + known, self._match_names(laid, named)
        neighbours = numpy.zeros(len(laid.rows))
        for step in range(1, steps + 1):
            passed_on = self._weights.neighbours * self._pass_on(laid, words + names + neighbours, step)
            neighbours = numpy.maximum(neighbours, passed_on)
        told = numpy.where(laid.rows["other"] == _NOBODY, known, 0.0)
        return {"words": words, "names": names, "neighbours": numpy.maximum(neighbours - told, 0.0)}

    @property
    def _searches_words(self) -> bool:
        weights = self._weights
        return any((weights.own, weights.around, weights.profile))

    def _by_words(self, laid: _Laid, said: Sequence[tuple[Terms, float]]) -> tuple[Numbers, Numbers]:
        """How well each unit fits by its own words and those around it, and by those of all known under its names."""
        own, around, known = scores = [numpy.zeros(len(grain.first)) for grain in laid.grains]
        for share, phrases in itertools.groupby(said, key=lambda one: one[1]):
            for began, finished in phrase_counts(laid.terms, laid.ends, [phrase for phrase, _ in phrases]):
                for grain, score in zip(laid.grains, scores, strict=True):
                    grain.add(began, finished, score, share)
        weights = self._weights
        return weights.own * own + weights.around * around, weights.profile * _of_both(laid.rows, known)

    def _match_names(self, laid: _Laid, named: Mapping[str, float]) -> Numbers:
        asked = numpy.zeros(len(laid.degree))
        for name, surely in named.items():
            if (number := laid.number[self._names.get(name, _NOBODY)]) != _NOBODY:
                asked[number] = surely * numpy.log1p(len(laid.rows) / laid.degree[number])
        return self._weights.names * _of_both(laid.rows, asked)

    def _pass_on(self, laid: _Laid, scores: Numbers, step: int) -> Numbers:
        weights, rows = self._weights, laid.rows
        best = numpy.argsort(-scores, kind="stable")[: _PASSING_ON * step]
        given = scores[best] * (1 + weights.roles * rows["tells"][best])
        reached = numpy.zeros(len(laid.degree) + 1)
        for end in ("about", "other"):
            numpy.maximum.at(reached, rows[end][best], given)
        return _of_both(rows, reached[:-1] / numpy.log2(2 + laid.degree))


def _of_both(rows: Rows, scores: Numbers) -> Numbers:
    """For each unit the score of the name under which it stands, and half of that of the other one."""
    padded = numpy.append(scores, 0.0)
    both: Numbers = padded[rows["about"]] + _OTHER * padded[rows["other"]]
    return both


def _searchable_text(unit: KnownUnit) -> str:
    """The text, and the words of the dates that it means."""
    if unit.said_at is None:
        return unit.text
    return " ".join([unit.text, *find_dates(unit.text, unit.said_at.date())])


def _write_day(day: int) -> str:
    return in_words(date.fromordinal(day))


def _sign(key: str, place: int) -> int:
    """What sorts units that were said at once: those of an item by their places."""
    return (hash_word(key.encode(errors="replace")) & ~0xFFFF) | min(place, 0xFFFF)
