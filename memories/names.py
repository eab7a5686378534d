"""One form for each name, however it was written."""

import re
import unicodedata

__all__ = ["canonical", "mentions"]

# What may stand around a name without being part of it; "C#", "-5" and ".NET" keep their signs.
_EDGE = re.compile(r"^[\s\"'“”‘’«»`*,;:!?()\[\]]+|[\s\"'“”‘’«»`*,;:!?.()\[\]]+$")
_POSSESSIVE = re.compile(r"['’]s$")


def canonical(name: str) -> str:
    """The form under which a name is kept: the same for "Sam", " sam", "SAM" and "Sam's".

    Case, width, white space, quotes around it, a leading "the" and a possessive ending do not count.

    Example:
        >>> canonical("The  Acme, Inc."), canonical("“SAM’s”")
        ('acme, inc', 'sam')
    """
    form, written = _folded(name), ""
    while form != written:
        written = form
        form = _POSSESSIVE.sub("", _EDGE.sub("", written).removeprefix("the "))
    return form


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name, given in its canonical form, as whole words.

    Example:
        >>> mentions("Is “Sam” here?", "sam"), mentions("The same?", "sam")
        (True, False)
    """
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _folded(text)) is not None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
