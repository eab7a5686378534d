"""Brings names into one form, however they were written."""

import functools
import re
import unicodedata
from collections.abc import Iterator

from memzoo.memories.text.language import UNSPACED

__all__ = ["canonical", "folded", "mentions", "places", "refers_back"]

# What may stand around a name without being part of it; "C#", "-5" and ".NET" keep their signs.
_AROUND = frozenset(" \"'“”‘’«»`*,;:!?()[]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_POSSESSIVES = ("'s", "’s")
_MOST_MARKS = 30
# Nobody is called anything longer; to look for it could take time in proportion to its length and to the text's.
_LONGEST = 300
_JOINER = "\u034f"  # stands between marks, and is seen nowhere
_THIRD_PERSON = re.compile(
    r"\b(?:he|him|his|himself|she|her|hers|herself|it|its|itself|they|them|theirs?|themsel(?:f|ves))\b", re.IGNORECASE
)


def canonical(name: str) -> str:
    """Bring a name into one form: the same for "Sam", " sam", "SAM" and "Sam's".

    Case, width, white space, quotes around it, a leading "the" and a possessive ending do not count.

    Example:
        >>> canonical("The  Acme, Inc."), canonical("“SAM’s”")
        ('acme, inc', 'sam')
    """
    form = folded(name)
    start, end, before = 0, len(form), None
    while (start, end) != before:
        before = start, end
        while start < end and form[start] in _AROUND:
            start += 1
        while start < end and (form[end - 1] in _AROUND or form[end - 1] == "."):
            end -= 1
        start += 4 * form.startswith("the ", start, end)
        end -= 2 * form.endswith(_POSSESSIVES, start, end)
    return form[start:end]


def mentions(text: str, name: str) -> bool:
    """Tell whether a text has a name, given in its canonical form, as whole words.

    Example:
        >>> mentions("Is “Sam” here?", "sam"), mentions("The same?", "sam")
        (True, False)
    """
    return next(places(folded(text), name), None) is not None


def refers_back(text: str) -> bool:
    """Tell whether a text has an English pronoun of the third person, and so refers to what was said before.

    Example:
        >>> refers_back("Where does she live?"), refers_back("Where do I live, and where does Sheila?")
        (True, False)
    """
    return _THIRD_PERSON.search(text) is not None


def folded(text: str) -> str:
    """Write a text without regard to case, width and white space."""
    return " ".join(unicodedata.normalize("NFKC", _with_few_marks(text)).casefold().split())


def places(text: str, name: str) -> Iterator[int]:
    """Find where a name, given in its canonical form, stands as whole words in a folded text.

    Not by an expression made of the name: making one takes a hundred times as long as looking for it. What is longer
    than 300 characters is no name, and stands nowhere.

    Example:
        >>> list(places("sam and samara like sam", "sam"))
        [0, 20]
    """
    place = text.find(name) if 0 < len(name) <= _LONGEST else -1
    while place >= 0:
        end = place + len(name)
        whole = not (_are_joined(text[place - 1 : place], name[0]) or _are_joined(name[-1], text[end : end + 1]))
        if whole:
            yield place
        place = text.find(name, end if whole else place + 1)


def _are_joined(one: str, other: str) -> bool:
    """Whether two neighbours are in one word; in Chinese, that is not told."""
    return _in_word(one) and _in_word(other) and not (_UNSPACED.match(one) or _UNSPACED.match(other))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _with_few_marks(text: str) -> str:
    """A text in which no more marks than a human writes follow each other: sorting them takes the square of the time.

    What is done to longer runs is Unicode's Stream-Safe Text Format.
    """
    if text.isascii() or not any(map(_is_mark, set(text))):
        return text
    pieces: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if _is_mark(char) else 0
        pieces.append(_JOINER + char if marks and marks % _MOST_MARKS == 0 else char)
    return "".join(pieces)


@functools.lru_cache(maxsize=1 << 12)
def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0
