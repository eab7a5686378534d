"""Brings names into one form, however they were written."""

import re
import unicodedata

__all__ = ["canonical", "folded", "mentions", "refers_back", "standing"]

# What may stand around a name without being part of it; "C#", "-5" and ".NET" keep their signs.
_EDGE = re.compile(r"^[\s\"'“”‘’«»`*,;:!?()\[\]]+|[\s\"'“”‘’«»`*,;:!?.()\[\]]+$")
_POSSESSIVE = re.compile(r"['’]s$")
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
    form, written = folded(name), ""
    while form != written:
        written = form
        form = _POSSESSIVE.sub("", _EDGE.sub("", written).removeprefix("the "))
    return form


def mentions(text: str, name: str) -> bool:
    """Tell whether a text has a name, given in its canonical form, as whole words.

    Example:
        >>> mentions("Is “Sam” here?", "sam"), mentions("The same?", "sam")
        (True, False)
    """
    return bool(name) and standing(name).search(folded(text)) is not None


def refers_back(text: str) -> bool:
    """Tell whether a text has an English pronoun of the third person, and so refers to what was said before.

    Example:
        >>> refers_back("Where does she live?"), refers_back("Where do I live, and where does Sheila?")
        (True, False)
    """
    return _THIRD_PERSON.search(text) is not None


def folded(text: str) -> str:
    """Write a text without regard to case, width and white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def standing(name: str) -> re.Pattern[str]:
    """Make a pattern that finds a name, given in its canonical form, as whole words in a folded text."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
