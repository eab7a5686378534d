"""Ids and keys as every database takes them."""

import re

__all__ = ["escaped", "restored"]

_UNSAFE = re.compile("[\\\\\0\ud800-\udfff]")
_ESCAPE = re.compile(r"\\([0-9a-f]{4})")


def escaped(text: str) -> str:
    r"""An id or a key without what databases refuse: NUL, and halves of surrogate pairs.

    Stores sort ids by this, by code points, so that an order means the same in all of them.

    Example:
        >>> print(escaped("a\0\\"))
        a\0000\005c
    """
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):04x}", text)


def restored(text: str) -> str:
    """The text that was escaped."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
