"""One form for each name, however it was written."""

import re
import unicodedata

__all__ = ["canonical"]

_EDGE = re.compile(r"^[^\w]+|[^\w.)]+$")
_POSSESSIVE = re.compile(r"['’]s$")


def canonical(name: str) -> str:
    """The form under which a name is kept: the same for "Sam", " sam", "SAM" and "Sam's".

    Case, width, white space, quotes around it, a leading "the" and a possessive ending do not count.

    Example:
        >>> canonical("The  Acme, Inc."), canonical("“SAM’s”")
        ('acme, inc.', 'sam')
    """
    folded = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    bare = _POSSESSIVE.sub("", _EDGE.sub("", folded))
    return bare.removeprefix("the ")
