"""Searches the units of a strategy's state by words: facts, and the statements of notes."""

import bisect
import functools
import heapq
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import eq, itemgetter
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from memzoo.forks import new_lock
from memzoo.memories.search.kinds import RULE, asks_for_advice, find_asked_kinds, find_kinds
from memzoo.memories.search.languages.telling import find_dates, find_telling_words, find_words
from memzoo.memories.search.languages.zh import RUN, find_pairs, translate_numbers
from memzoo.memories.search.weights import UnitWeights
from memzoo.memories.text.days import in_words
from memzoo.memories.text.language import RELATING, SMALL_TALK, stem
from memzoo.memories.text.names import FULL_NAME, fold, mentions
from memzoo.stores import JSON

_Key = TypeVar("_Key", bound=Hashable)

# Words that say little about the subject of a question.
_COMMON = SMALL_TALK | RELATING
# The least weight of a word, as in SQLite's FTS5.
_LEAST_WEIGHT = 1e-6
# A word in more texts than this only adds to the scores of texts found by rarer words, which bounds the search's cost.
_MOST = 64
# The number of newest units that are shown if they have a date, a place or the like that the question asks for.
_MOST_OF_KIND = 128
# The numbers of the best units that pass on to others under their names, and of those that stay first.
_PASSING_ON, _FIRST = 10, 4
# If a message has more units than this, most of them are unrelated to each other.
_MOST_BESIDE = 12
_OTHER = 0.5
# Words that tell that one thing took the place of another.
_INSTEAD = re.compile(
    r"\b(?:instead|in place of|rather than|no longer|replac\w+|cancel\w*|closed|sold out|fully booked|not)\b"
    "|而不是|代替|取代|不是|换|取消|停业|关门|满[房员座]",
    re.IGNORECASE,
)
# A name with at most this number of units is rare.
_FEW = 5
# The number of newest rules that are shown for any question, if there is room.
_MOST_RULES = 16
# Of many names that share a part with a question, only the most certain are looked for.
_MOST_NAMES = 8
# A name less certain than `_LIKELY`, such as the speaker's name for "I" or a part of a name, has the share `_LEAST`: it
# finds only units that no other term finds, since most known units may have this name.
_LIKELY = 0.8
_LEAST = 1e-3
# An exponent that evens out the scores of different lines, so that a line of rare words does not take all the room.
_EVENED = 0.3
_MOST_INTRODUCED = 40
# Of new lines, only these count for the units that they may change.
_MOST_LINES = 64
# The nouns that statements have for the adjectives of questions: "How long is the boat?", "has a length of".
_NOUNS = {
    "deep": "depth",
    "expensive": "price",
    "far": "distance",
    "fast": "speed",
    "heavy": "weight",
    "high": "height",
    "long": "length",
    "old": "age",
    "tall": "height",
    "wide": "width",
}
_HOW = re.compile(r"\bhow (\w+)")
# The weight of a Chinese or Japanese character, if a pair of them counts 1.
_CHARACTER = 0.1
# Scores are compared in billionths: further digits depend on the order of addition.
_DIGITS = 1e9

FEW_TOKENS = 300
"""The highest token limit of a view that has no room for a fact beside its replacement."""


class KnownUnit(NamedTuple):
    """A known fact or statement.

    Attributes:
        text: The fact or statement in words.
        names: The canonical names of its subjects; the first is the name under which the unit is stored.
        seq: The log number of the first message that stated it; 0 if unknown.
        said_at: The time of that message, with a time zone; `None` if unknown.
        tells: True if the unit says who or what a subject is ("is the head baker").
        advice: True if the unit reports an answer or advice of the assistant.
        rule: True if the unit forbids something, mentions an allergy, or states a rule.
    """

    text: str
    names: tuple[str, ...]
    seq: int = 0
    said_at: datetime | None = None
    tells: bool = False
    advice: bool = False
    rule: bool = False


class FoundUnit(NamedTuple):
    """A unit with its place in the state.

    Attributes:
        key: The key of the state's item that has the unit.
        place: The position among the units of this item.
        unit: The unit.
    """

    key: str
    place: int
    unit: KnownUnit


FoundUnits: TypeAlias = dict[FoundUnit, float]
"""The units found by a search, best first: a dict from unit to score."""


def introduce(found: Iterable[FoundUnit]) -> dict[str, KnownUnit]:
    """Return up to 40 names, taken from the best units: a dict from name to the unit that introduces the name.

    The introducing unit is the best one that says who or what the name stands for, or else the best one with the name.
    """
    likely: dict[str, KnownUnit] = {}
    for _, _, unit in found:
        name = unit.names[0]
        if name not in likely and len(likely) == _MOST_INTRODUCED:
            break
        if name not in likely or (unit.tells and not likely[name].tells):
            likely[name] = unit
    return likely


class _Texts(Generic[_Key]):
    """Texts by their terms, scored by BM25. The cost of adding or removing a text depends on its number of terms only.

    Args:
        weights: The weights of BM25.
        order: A function that returns the sort key of a text, such as its time. A very common term scores only the last
            of its texts, and only if rarer terms find nothing. Without the function, such a term scores no text.
    """

    def __init__(self, weights: UnitWeights, order: Callable[[_Key], Any] | None = None) -> None:
        self._weights, self._order = weights, order
        self.having: defaultdict[str, dict[_Key, int]] = defaultdict(dict)
        # The texts with a term in order, for terms in more than `_MOST` texts.
        self._sorted: dict[str, list[_Key]] = {}
        self._lengths: dict[_Key, int] = {}
        self._total = 0

    def add(self, key: _Key, terms: Sequence[str], times: int = 1) -> None:
        """Add terms to a text; with `times` -1, remove the terms from the text."""
        for term in terms:
            counts = self.having[term]
            before = counts.get(key, 0)
            counts[key] = before + times
            if not counts[key]:
                del counts[key]
            if self._order and len(counts) >= _MOST and not (before and key in counts):
                self._sort(term, key, counts)
            if not counts:
                del self.having[term]
        self._total += times * len(terms)
        self._lengths[key] = self._lengths.get(key, 0) + times * len(terms)
        if not self._lengths[key]:
            del self._lengths[key]

    def _sort(self, term: str, key: _Key, counts: Mapping[_Key, int]) -> None:
        """Keep the texts with a term in order after a text was added or removed."""
        order = cast("Callable[[_Key], Any]", self._order)
        if len(counts) <= _MOST:
            self._sorted.pop(term, None)
        elif term not in self._sorted:
            self._sorted[term] = sorted(counts, key=order)
        elif key in counts:
            bisect.insort(self._sorted[term], key, key=order)
        else:
            _delete(self._sorted[term], key, order)

    def score(self, asked: Mapping[str, float]) -> dict[_Key, float]:
        """Return the scores of all texts that have one of the terms; `asked` has the weight of each term."""
        saturation, dilution, lengths = self._weights.saturation, self._weights.dilution, self._lengths
        least, each = saturation * (1 - dilution), saturation * dilution * len(lengths) / max(self._total, 1)
        scores: dict[_Key, float] = {}
        score, common = scores.get, list[tuple[float, Mapping[_Key, int]]]()

        def add_common() -> None:
            # All of them at once, because each text has most of them.
            for key in scores if common else ():
                total, length = scores[key], each * lengths[key]
                for weight, counts in common:
                    if key in counts:
                        total += weight * (count := counts[key]) / (count + least + length)
                scores[key] = total
            common.clear()

        having = [(len(self.having[term]), term, share) for term, share in asked.items() if term in self.having]
        for _, term, share in sorted(having):
            counts = self.having[term]
            rest = len(lengths) - len(counts)
            weight = share * (saturation + 1) * max(math.log((rest + 0.5) / (len(counts) + 0.5)), _LEAST_WEIGHT)
            found: Iterable[tuple[_Key, int]] = counts.items()
            if len(counts) > _MOST:
                if not scores.keys().isdisjoint(counts.keys()):
                    common.append((weight, counts))
                    continue
                add_common()
                found = [(key, counts[key]) for key in self._sorted.get(term, [])[-_MOST:]]
            for key, count in found:
                scores[key] = score(key, 0.0) + weight * count / (count + least + each * lengths[key])
        add_common()
        return scores


class UnitIndex:
    """Searches the units of a state by words, and follows the state's changes.

    Changed items are read at the next search, each only once, even after several changes.

    A unit (a fact or a statement) is found by its own words, by the words of units from the same message or a
    neighbouring message, and by the words of all units with the same names. The query "my head baker" therefore finds
    all facts about Devin, though only one unit calls him a head baker. If a query asks for a date, a number, a place
    or a rule, units with this kind of information rank higher. Every query finds the newest rules; rules that do not
    fit the query come last.

    Args:
        units_of: Returns the units of an item of the state, given its key and value; an outdated fact has no units.
        weights: The weights of the search.

    Example:
        >>> index = UnitIndex(lambda _, item: [KnownUnit(*item)])
        >>> index.apply({"1": ["Devin is the head baker", ("devin",), 0, None, True]})
        >>> index.apply({"2": ["Devin learnt in Ghent", ("devin",)], "3": ["Tea is green", ("tea",)]})
        >>> [known.unit.text for known in index.search("Where was my head baker taught?")][:2]
        ['Devin is the head baker', 'Devin learnt in Ghent']
    """

    def __init__(
        self, units_of: Callable[[str, JSON], Sequence[KnownUnit]], weights: UnitWeights | None = None
    ) -> None:
        self._units_of = units_of
        self._weights = weights or UnitWeights()
        self._lock = new_lock()
        self._changed: dict[str, JSON] = {}
        self._numbers = itertools.count(1)
        self._of: dict[str, dict[KnownUnit, int]] = {}
        self._units: dict[int, FoundUnit] = {}
        self._places: dict[int, tuple[int, str, int]] = {}
        self._sizes: dict[int, float] = {}
        self._kinds: dict[int, int] = {}
        self._rules = set[int]()
        self._instead = set[int]()
        # By name, until a unit with the name or a unit in `_instead` changes: views ask for the same names again.
        self._naming: dict[str, Sequence[FoundUnit]] = {}
        # The order of a unit's message, then of the unit in it: the same in all processes, unlike the numbers.
        self._orders: dict[int, tuple[int, str, str]] = {}
        self._own = _Texts[int](self._weights, self._orders.__getitem__)
        self._known = _Texts[str](self._weights)
        self._under: defaultdict[str, list[int]] = defaultdict(list)
        self._all: list[int] = []
        self._said: defaultdict[int, dict[int, None]] = defaultdict(dict)

    def apply(self, changes: Mapping[str, JSON], *, reset: bool = False) -> None:
        """Collect changed items (`None` for a deleted item); with `reset`, first drop all items."""
        with self._lock:
            if reset:
                self._changed = dict.fromkeys(self._of)
            self._changed |= changes

    def search(self, query: str, named: Mapping[str, float] = MappingProxyType({})) -> FoundUnits:
        """Return the units that fit a query, best first.

        Args:
            query: The text to search for.
            named: The names asked about: a dict from canonical name to certainty, which is 1 for a full name or an
                alias in the query.
        """
        with self._lock:
            self._follow()
            asked = self._weigh_question(query, named)
            own, known = self._own.score(asked), self._known.score(asked)
            around, fits = self._pass_on(own), dict[int, float]()
            weights, units = self._weights, self._units
            for_own, for_around, for_profile = weights.own, weights.around, weights.profile
            for number in self._find_near({**own, **around}, known):
                about, *others = units[number].unit.names
                profile = known.get(about, 0.0)
                if others:
                    profile += _OTHER * sum([known.get(other, 0.0) for other in others])
                words = for_own * own.get(number, 0.0) + for_around * around.get(number, 0.0)
                fits[number] = words + for_profile * profile
            self._reach_others(fits, known)
            kinds = find_asked_kinds(query)
            # A question with a full name, or without any known word, asks for nothing else.
            newest = self._all[-_MOST_OF_KIND:] if kinds and fits and FULL_NAME not in named.values() else []
            having = [number for number in {*fits, *newest} if self._find_kinds(number) & kinds] if kinds else []
            more = weights.having * max(fits.values(), default=0.0)
            fits |= {number: fits.get(number, 0.0) * (1 + weights.kinds) for number in having}
            worth = self._less_length(fits, weights.kept)
            # Its length takes nothing from this gain: a unit of the asked kind may have no word of the question.
            worth |= {number: worth[number] + more for number in having}
            if not asks_for_advice(query, named):
                worth |= {number: one * weights.advice for number, one in worth.items() if units[number].unit.advice}
            rules = heapq.nlargest(_MOST_RULES, self._rules, key=self._orders.__getitem__)
            return self._rank(dict.fromkeys(rules, 0.0) | worth)

    def find_touched(self, said: str, named: Callable[[str], Mapping[str, float]]) -> FoundUnits:
        """Return the units that new lines may change, the most probable first.

        Args:
            said: The new lines, of which only the first 64 count.
            named: Returns the names in a line: a dict from name to certainty (see `search`).
        """
        lines = [line for line in said.splitlines() if line.strip()][:_MOST_LINES]
        with self._lock:
            self._follow()
            best = dict[int, float]()
            for line in lines:
                worth = self._less_length(self._own.score(self._weigh(line, named(line))))
                evened = max(worth.values(), default=1.0) ** _EVENED
                for number, one in worth.items():
                    best[number] = max(best.get(number, 0.0), one / evened)
            return self._rank(best)

    def add_later(self, found: Iterable[FoundUnit], limit: int) -> Iterator[Sequence[FoundUnit]]:
        """Yield a group for each found unit: later units that replace its names (`find_later`), then the unit.

        If `limit` is at most 300 tokens, a group is the unit alone.
        """
        return ([*(self.find_later(one.unit) if limit > FEW_TOKENS else ()), one] for one in found)

    def find_later(self, unit: KnownUnit) -> list[FoundUnit]:
        """Return, for each name in a unit, the newest later unit that says what replaced the name.

        For "Ann has seen The Kettles", this is "Velvet Harbour plays, instead of The Kettles". Names without a
        replacement are skipped, and so are names that many units have.
        """
        with self._lock:
            self._follow()
            found = list[FoundUnit]()
            for name in unit.names if self._instead else ():
                if name not in self._naming:
                    self._naming[name] = self._find_naming(name)
                found += [one for one in self._naming[name] if one.unit.seq > unit.seq][-1:]
            return found

    def _follow(self) -> None:
        """Read the changed items; unchanged units of an item cost little time."""
        for key, item in self._changed.items():
            units = () if item is None else self._units_of(key, item)  # may raise: nothing is changed yet
            now = self._of.pop(key, {})
            # Most items only grow at their ends.
            same = len([*itertools.takewhile(bool, map(eq, now, units))])
            before = {unit: now.pop(unit) for unit in [*now][same:]}
            for place, unit in enumerate(units[same:], start=same):
                number = now[unit] = before.pop(unit) if unit in before else now.get(unit) or self._add(key, unit)
                if number not in self._places or self._places[number][2] != place:
                    self._units[number], self._places[number] = FoundUnit(key, place, unit), (unit.seq, key, place)
                    self._forget_naming(number)
            for unit, number in before.items():
                self._remove(unit, number)
            if now:
                self._of[key] = now
        self._changed.clear()

    def _find_naming(self, name: str) -> Sequence[FoundUnit]:
        """Return the units that tell which name took the place of a name with few units, oldest first."""
        # A name of signs alone has no words.
        if not 0 < len(under := self._under[name]) <= _FEW or not (stems := _stems(name)):
            return ()
        rarest, *having = sorted([self._own.having.get(one, {}) for one in stems], key=len)
        naming = [one for one in rarest.keys() & self._instead - {*under} if all(one in texts for texts in having)]
        return [self._units[one] for one in sorted(naming, key=self._orders.__getitem__)]

    def _forget_naming(self, number: int) -> None:
        """Forget the replacements of all names that this unit may change."""
        if number in self._instead:
            self._naming.clear()
        for name in self._units[number].unit.names:
            self._naming.pop(name, None)

    def _add(self, key: str, unit: KnownUnit) -> int:
        number = next(self._numbers)
        self._orders[number] = unit.seq, key, unit.text
        terms = self._index(unit, number, 1)
        # Half of the terms are pairs.
        self._sizes[number] = math.log2(max(len(terms) / 2, self._weights.short) / self._weights.short)
        self._said[unit.seq][number] = None
        if unit.rule:
            self._rules.add(number)
        if _INSTEAD.search(unit.text):
            self._instead.add(number)
        for numbers in (self._all, *(self._under[name] for name in dict.fromkeys(unit.names))):
            bisect.insort(numbers, number, key=self._orders.__getitem__)
        return number

    def _remove(self, unit: KnownUnit, number: int) -> None:
        self._forget_naming(number)
        self._index(unit, number, -1)
        del self._units[number], self._places[number], self._sizes[number], self._said[unit.seq][number]
        self._kinds.pop(number, None)
        self._rules.discard(number)
        self._instead.discard(number)
        for numbers in (self._all, *(self._under[name] for name in dict.fromkeys(unit.names))):
            _delete(numbers, number, self._orders.__getitem__)
        del self._orders[number]

    def _index(self, unit: KnownUnit, number: int, times: int) -> Sequence[str]:
        terms = _terms_of(unit)
        self._own.add(number, terms, times)
        for name in dict.fromkeys(unit.names):
            self._known.add(name, terms, times)
        return terms

    def _pass_on(self, own: Mapping[int, float]) -> dict[int, float]:
        """Return, for each unit, the summed scores of other units from the same and the neighbouring messages."""
        totals, around = defaultdict[int, float](float), dict[int, float]()
        for number, score in own.items():
            totals[self._units[number].unit.seq] += score
        totals.pop(0, None)
        for seq in {beside for one in totals for beside in (one - 1, one, one + 1)}:
            if 0 < len(said := self._said.get(seq, ())) <= _MOST_BESIDE:
                total = sum([totals.get(beside, 0.0) for beside in (seq - 1, seq, seq + 1)])
                around |= {number: total - own.get(number, 0.0) * (seq > 0) for number in said}
        return around

    def _find_near(self, found: Mapping[int, float], known: Mapping[str, float]) -> Iterable[int]:
        """Return the units found by words, and the units under the names with the best scores."""
        near = dict.fromkeys(found)
        for _, name in sorted([(int(score * _DIGITS + 0.5), name) for name, score in known.items()], reverse=True):
            if len(near) > _MOST:
                break
            near.update(dict.fromkeys(reversed(self._under[name][-_MOST:])))
        return near

    def _reach_others(self, fits: dict[int, float], known: Mapping[str, float]) -> None:
        """Add to each unit a share of the score of the best units that have one of its names.

        A unit passes on more if it tells who or what a subject is, and less through a name of many units. A unit with a
        single name gets only the part above its score by the name's whole profile, since both come from the same units.
        """
        weights, units, reached = self._weights, self._units, dict[str, float]()
        ranked = [(int(fit * _DIGITS + 0.5), self._orders[number], number) for number, fit in fits.items()]
        best = [number for _, _, number in heapq.nlargest(_PASSING_ON, ranked)]
        for number in best:
            unit = units[number].unit
            score = weights.neighbours * fits[number] * (1 + weights.roles * unit.tells)
            for name in unit.names:
                passed = score / math.log2(2 + len(self._under[name]))
                reached[name] = max(reached.get(name, 0.0), passed)
        gains = defaultdict[int, float](float)
        for name, score in reached.items():
            for number in self._under[name][-_MOST:]:
                about, *others = units[number].unit.names
                told = 0.0 if others else weights.profile * known.get(name, 0.0)
                gains[number] += max(score - told, 0.0) if about == name else _OTHER * score
        # In few tokens, the very best by words are not pushed out.
        gains |= dict.fromkeys(best[:_FIRST], max(gains.values(), default=0.0))
        for number, gain in gains.items():
            fits[number] = fits.get(number, 0.0) + gain

    def _weigh(self, query: str, named: Mapping[str, float]) -> dict[str, float]:
        """Return the weights of a query's terms: words (common ones weigh less), pairs of words, other names."""
        weights, asked, folded = self._weights, dict[str, float](), fold(query)
        telling = frozenset(find_telling_words(folded))
        for one, other in itertools.pairwise([*find_words(folded), ""]):
            if one in telling:
                asked[stem(one)] = max(asked.get(stem(one), 0.0), weights.common if one in _COMMON else 1.0)
                if other in telling and not {one, other} <= _COMMON:
                    asked[f"{stem(one)} {stem(other)}"] = weights.rows
        # In a query with a full name, a pronoun such as "she" usually means this name, and other names hardly count.
        likely = FULL_NAME if max(named.values(), default=0.0) >= FULL_NAME else _LIKELY
        for name, surely in heapq.nlargest(_MOST_NAMES, named.items(), key=itemgetter(1, 0)):
            if not mentions(folded, name):
                share = min(surely, FULL_NAME) if surely >= likely else _LEAST
                asked = {**dict.fromkeys(_stems(name), share), **asked}
        return asked

    def _weigh_question(self, query: str, named: Mapping[str, float]) -> dict[str, float]:
        """Return the weights of a question's terms.

        They are those of `_weigh`, but pairs of Chinese characters count as words, and nouns for adjectives are added.
        """
        asked = self._weigh(query, named)
        for adjective in _HOW.findall(query.lower()):
            if noun := _NOUNS.get(adjective):
                asked.setdefault(stem(noun), 1.0)
        if pairs := [*find_pairs(translate_numbers(fold(query)))]:
            said = {*find_words(fold(query))}
            apart = {term for term in asked if RUN.search(term) and said.issuperset(term.split())}
            asked = {term: weight for term, weight in asked.items() if term not in apart}
            asked |= dict.fromkeys(itertools.chain(*pairs), _CHARACTER) | dict.fromkeys(map(" ".join, pairs), 1.0)
        return asked

    def _find_kinds(self, number: int) -> int:
        if number not in self._kinds:
            self._kinds[number] = find_kinds(self._units[number].unit.text) | RULE * (number in self._rules)
        return self._kinds[number]

    def _less_length(self, scores: Mapping[int, float], least: float = _LEAST) -> dict[int, float]:
        """Return scores minus a cost for length; even a very long unit keeps the share `least` of its score."""
        cost, sizes = self._weights.length * max(scores.values(), default=0.0), self._sizes
        return {
            number: less if (less := one - cost * sizes[number]) > (kept := least * one) else kept
            for number, one in scores.items()
        }

    def _rank(self, scores: Mapping[int, float]) -> FoundUnits:
        places, units = self._places, self._units
        ranked = sorted([(-int(score * _DIGITS + 0.5), places[number], number) for number, score in scores.items()])
        return {units[number]: scores[number] for _, _, number in ranked}


def _delete(keys: list[_Key], key: _Key, order: Callable[[_Key], Any]) -> None:
    """Delete a key from a sorted list, in which others may have the same place."""
    del keys[keys.index(key, bisect.bisect_left(keys, order(key), key=order))]


def _terms_of(unit: KnownUnit) -> list[str]:
    """Return the stems of a unit's words and dates, then each pair of stems in a row."""
    text = unit.text
    if unit.said_at:
        said = unit.said_at.date()
        text = " ".join([text, *find_dates(text, said), in_words(said)])
    terms = [*map(stem, find_words(fold(text)))]
    return [*terms, *map(" ".join, itertools.pairwise(terms))]


@functools.lru_cache(maxsize=1 << 12)  # Most names are looked for at each load.
def _stems(name: str) -> Sequence[str]:
    return [*map(stem, find_words(name))]
