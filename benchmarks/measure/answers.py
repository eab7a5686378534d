"""Checks whether a view contains an answer.

Each part of the answer ("a stool, £85" has two parts) must be found within two neighbouring sentences of a line. Word
order, inflection, currencies, and the format of numbers and dates are ignored. A word does not count in a denial
(Oslo in "not Oslo but Bergen"). Relative dates ("yesterday") do not count.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memzoo.benchmarks.measure.numerals import DATE, with_one_writing
from memzoo.memories.text.language import UNSPACED, singular, stem

_Date: TypeAlias = tuple[str, str, str]

_FILLERS = frozenset(
    "a about after again all also although am an and any are around as at be because been before being but by can "
    "could did do does for from had has have he her hers him his how i if in into is it its just like likely me my of "
    "on or our ours over she should so some such than that the their them then there these they this those to too "
    "towards up us user very was we were what when where which while who whom whose why will with would yes yet you "
    "your yours".split()
)
_MONEY = frozenset("pound euro dollar yuan rmb usd gbp eur cny buck quid".split())
_DENIALS = frozenset("not n't no never without none nobody nothing nor neither cannot".split())
_IRREGULAR = {
    form: word
    for line in (
        "become became,begin began begun,break broke broken,bring brought,build built,buy bought,catch caught,"
        "child children,choose chose chosen,come came,drive drove driven,eat ate eaten,fall fell fallen,feel felt,"
        "find found,fly flew flown,foot feet ft,get got gotten,give gave given,go went gone,grow grew grown,keep kept,"
        "know knew known,leave left,lose lost,make made,man men,meet met,pay paid,person people,ride rode ridden,"
        "run ran,say said,see saw seen,sell sold,send sent,sing sang sung,speak spoke spoken,spend spent,"
        "swim swam swum,take took taken,teach taught,tell told,think thought,tooth teeth,wear wore worn,win won,"
        "woman women,write wrote written,kilogram kilo kg,kilometre kilometer km,centimetre centimeter cm,hour hr"
    ).split(",")
    for word, *forms in [line.split()]
    for form in forms
}
_WEEKDAYS = {
    form: word
    for line in ("monday mon", "tuesday tue tues", "wednesday wed weds", "thursday thu thurs", "friday fri")
    for word, *forms in [line.split()]
    for form in forms
}
# Full-width punctuation has been normalized before, except the Chinese full stop and the enumeration comma.
_SENTENCE_END = re.compile(f"(?<=[.!?])\\s+|。\\s*|(?<=[!?])(?=[{UNSPACED}])")
_PART_END = re.compile(
    f"[,;、。\n》]|\\s(?:and|&)\\s|[.!?](?=\\s|$)|(?<=[{UNSPACED}][{UNSPACED}\\d])[和与及](?=[{UNSPACED}]{{2}})"
)
_NOT, _WHOSE = re.compile(r"n't\b"), re.compile(r"'s?(?![^\W_])")
# A time such as "14:30" is one number.
_NUMBER = r"\d+(?::\d\d(?!\d)|\.\d+)?"
_TOKEN = re.compile(f"{DATE.pattern}|(?P<word>n't\\b|%|{_NUMBER}(?:s\\b)?|[^\\W\\d_{UNSPACED}]+)|(?P<stop>[,;:()])")
_PROHIBITIONS = frozenset(map(stem, "forbid forbidden forbade prohibit ban avoid refuse allergic allergy".split()))
_AT_MOST = re.compile(r"\b(?:no|not) (?:more|less|fewer|later) than\b")
_REACH = 4  # the number of words after a denial that it denies
_HEADING = re.compile(
    f"[^\\w\x02]{{0,2}}(?:\\d{{1,2}}[:.]\\d\\d(?: [ap]m)?(?: on)? )?{DATE.pattern}[^\\w\x02]{{0,2}}[\\]):]"
)
_HAN = re.compile(f"[{UNSPACED}]")
_HAN_KEPT = re.compile(f"[{UNSPACED}]|{_NUMBER}")
_HAN_FILLERS = re.compile("[的了在是我你他她它们也就都把被给很吗呢吧啊里个]")
# No denials: words that contain a character of denial, and questions such as "吃不吃".
_HAN_NO_DENIAL = re.compile(
    "[不别没]超过|不过|不错|不久|不同|不仅|不但|特别|别人|别的|分别|区别|级别|无论|未来|没关系|(?<=(.))[不没](?=\\1)|有没有|是不是"
)
_HAN_DENIAL = re.compile("([不没沒无無未别]有?)(?:是|再|会|能|要|想|说|同意|答应|允许|授权)?[^,;:!?。]{0,6}")
_HAN_ASSENT = re.compile("[不没]?(?:[对是有会能好]|可以)?的?")
_FEW, _ENOUGH = 3, 2 / 3
"""A part of more than `_FEW` words is found if the share `_ENOUGH` of them is: a paraphrase changes some words."""
_MOST = 60
"""The most parts of an answer, and the most words or characters of a part, that are compared."""


def answer_found(answer: str, shown: Sequence[str], *, denied: bool = False) -> bool | None:
    """Tell whether texts contain an answer; `None` for an answer such as "yes", which cannot be searched for.

    With `denied`, an answer in a denial or a prohibition counts too, as in the rule "never raisins".

    Example:
        >>> answer_found("the Church Organs, £1,900", ["He repairs an organ in a church.", "1900 pounds"])
        True
        >>> answer_found("7 May 2023", ["On May 7th we met."]), answer_found("Oslo", ["Not in Oslo, but in Bergen."])
        (True, False)
        >>> answer_found("Yes", ["Yes!"]) is None
        True
    """
    parts = _parts(answer)
    if not parts:
        return None
    lines = [line for text in shown for line in _lines(text)]
    return all(any(line.says(part, dates, denied=denied) for dates, line in lines) for part in parts)


def list_sentences(text: str) -> list[tuple[str, str]]:
    r"""Return a pair for each sentence of a text: the sentence before it in its line ("" if none), and the sentence.

    Example:
        >>> list_sentences("He came. He saw.\nShe won.")
        [('', 'He came.'), ('He came.', 'He saw.'), ('', 'She won.')]
    """
    lines = [[one for one in _SENTENCE_END.split(_fold(line)) if one] for line in text.split("\n")]
    return [pair for line in lines for pair in itertools.pairwise(["", *line])]


@dataclass(frozen=True, slots=True)
class _Reading:
    """The normalized contents of a text.

    Attributes:
        words: Stems and numbers.
        plain: The stems and numbers that are not denied.
        dates: The dates, as (year, month, day).
        characters: Characters of scripts without spaces, and numbers, without fillers.
        plain_characters: The part of `characters` that is not denied.
    """

    words: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    dates: tuple[_Date, ...] = ()
    characters: str = ""
    plain_characters: str = ""

    @property
    def denies(self) -> bool:
        """True if the text denies any word or character."""
        return self.words != self.plain or self.characters != self.plain_characters

    @property
    def prohibits(self) -> bool:
        """True if the text has a word that prohibits something without a denial."""
        return not self.words.isdisjoint(_PROHIBITIONS)

    def __add__(self, other: "_Reading") -> "_Reading":
        return _Reading(
            self.words | other.words,
            self.plain | other.plain,
            self.dates + other.dates,
            f"{self.characters} {other.characters}",
            f"{self.plain_characters} {other.plain_characters}",
        )

    def says(self, part: "_Part", dates: tuple[_Date, ...], *, denied: bool) -> bool:
        """Return True if the text, with its own dates and these `dates`, contains a part of an answer."""
        if not all(any(_same(wanted, date) for date in (*self.dates, *dates)) for wanted in part.dates):
            return False
        found = part.within(self.words, self.characters)
        plainly = part.within(self.plain, self.plain_characters)
        if not part.denies:
            return found if denied else plainly
        return found and (not plainly or (denied and self.prohibits))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an answer: words, dates and characters, and whether the part denies them."""

    words: frozenset[str]
    dates: tuple[_Date, ...]
    characters: str
    denies: bool

    def within(self, words: frozenset[str], characters: str) -> bool:
        """Return True if the part's characters, all its numbers and enough of its words are found."""
        missing = self.words - words
        if missing and (
            len(self.words) <= _FEW
            or len(self.words) - len(missing) < _ENOUGH * len(self.words)
            or any(word[0].isdigit() for word in missing)
        ):
            return False
        return not self.characters or _among(self.characters, characters)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text.

    Attributes:
        dates: The date at its beginning, if any.
        sentences: The readings of its sentences.
        words: The words of all sentences.
        characters: The characters of all sentences.
    """

    dates: tuple[_Date, ...]
    sentences: list[_Reading]
    words: frozenset[str]
    characters: str

    def says(self, part: _Part, dates: tuple[_Date, ...], *, denied: bool) -> bool:
        """Return True if two neighbouring sentences of the line, with these `dates`, contain a part of an answer."""
        if not part.within(self.words, self.characters):
            return False
        windows = [one + other for one, other in itertools.pairwise(self.sentences)] or self.sentences
        return any(window.says(part, dates, denied=denied) for window in windows)


@functools.lru_cache(maxsize=4096)
def _parts(answer: str) -> tuple[_Part, ...]:
    pieces = dict.fromkeys(piece.strip(" 《") for piece in _PART_END.split(with_one_writing(_fold(answer))))
    # "Yes" and similar words answer the question without new words to search for.
    parts = [_part(piece) for piece in [*pieces][:_MOST] if not _HAN_ASSENT.fullmatch(piece)]
    return tuple(part for part in parts if part.words or part.dates or part.characters)


def _part(text: str) -> _Part:
    said = _read_text(text)
    words = said.words - _DENIALS - {date[0] for date in said.dates}
    if any(word[0].isdigit() for word in words):
        words -= _MONEY
    characters = _characters(_HAN_DENIAL.sub(lambda found: found[0].removeprefix(found[1]), text))
    return _Part(frozenset(sorted(words)[:_MOST]), said.dates[:_MOST], characters[:_MOST], denies=said.denies)


@functools.lru_cache(maxsize=1 << 12)
def _lines(text: str) -> list[tuple[tuple[_Date, ...], _Line]]:
    """Return the lines of a text, each with its date.

    A date at the beginning of a line also counts for later lines, up to the next date.
    """
    dates: tuple[_Date, ...] = ()
    lines = map(_read_line, text.split("\n"))
    return [(dates := line.dates or dates, line) for line in lines]


@functools.lru_cache(maxsize=1 << 15)
def _read_line(line: str) -> _Line:
    written = with_one_writing(_fold(line))
    heading = _HEADING.match(written)
    sentences = [_read_text(one) for one in _SENTENCE_END.split(written) if one]
    return _Line(
        ((heading[1], heading[2], heading[3]),) if heading else (),
        sentences,
        frozenset().union(*(one.words for one in sentences)),
        " ".join(one.characters for one in sentences),
    )


@functools.lru_cache(maxsize=1 << 13)
def _read_text(text: str) -> _Reading:
    words, denied, dates = set[str](), set[str](), list[_Date]()
    plain = set[str]()
    left = 0  # the number of next words that the last denial denies
    for found in _TOKEN.finditer(_AT_MOST.sub(" ", _WHOSE.sub("", _NOT.sub(" n't", text.lower())))):
        word = found["word"]
        if word is None and not found["stop"]:
            dates.append((found[1], found[2], found[3]))
            plain |= {found[1]} - {""}
        elif word is None or word == "but":
            left = 0
        elif word in _DENIALS:
            denied.add(word)
            left = _REACH
        elif word not in _FILLERS:
            (denied if left else plain).add(_root(word))
            left = max(left - 1, 0)
    words = plain | denied
    if not _HAN.search(text):
        return _Reading(frozenset(words), frozenset(plain), tuple(dates))
    told = _HAN_NO_DENIAL.sub(" ", DATE.sub(" ", text))
    characters = _characters(told), _characters(_HAN_DENIAL.sub(" ", told))
    return _Reading(frozenset(words), frozenset(plain), tuple(dates), *characters)


@functools.lru_cache(maxsize=1 << 12)
def _root(word: str) -> str:
    word = word.removesuffix(":00")
    word = singular(word) or word
    return stem(_IRREGULAR.get(word) or _WEEKDAYS.get(word) or word) or word


def _characters(text: str) -> str:
    return " ".join(_HAN_KEPT.findall(_HAN_FILLERS.sub("", text))) if _HAN.search(text) else ""


def _among(wanted: str, characters: str) -> bool:
    """Return True if the wanted characters are found.

    They are found if they occur as one run, or if each of them occurs and two thirds of them occur in runs of two or
    more.
    """
    wanted, characters = f"{wanted} ", f"{characters} "
    if f" {wanted}" in f" {characters}":
        return True
    units = wanted.split()
    place = together = 0
    while place < len(units):
        end = place + 1
        while end < len(units) and f" {' '.join(units[place : end + 1])} " in f" {characters}":
            end += 1
        if f" {' '.join(units[place:end])} " not in f" {characters}":
            return False
        together += end - place if end - place > 1 else 0
        place = end
    return 3 * together >= 2 * len(units)


def _same(wanted: _Date, date: _Date) -> bool:
    """Return True if a date matches a wanted date; a date without a year matches if the wanted date has a day."""
    (year, month, day), (its_year, its_month, its_day) = wanted, date
    if month != its_month or (day and day != its_day):
        return False
    return not year or year == its_year or (not its_year and bool(day))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2019", "'")
