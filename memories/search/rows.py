"""The arrays that a search works with, and what it knows of each message."""

from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

__all__ = ["ROW", "Flags", "Numbers", "Places", "Rows", "Terms"]

Terms: TypeAlias = NDArray[numpy.uint64]
"""Stems of words, each as 64 bits of its hash: equal stems are equal numbers, in every process."""

Places: TypeAlias = NDArray[numpy.int64]
"""Positions in an array, counted from 0."""

Numbers: TypeAlias = NDArray[numpy.float64]
"""Scores, or what they are made of."""

Flags: TypeAlias = NDArray[numpy.bool_]
"""Whether something is so of each."""

Rows: TypeAlias = NDArray[Any]
"""A row of `ROW` for each message, in the order of the log."""

ROW = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "document", "length", "terms")),
        *((name, "<u8") for name in ("speaker", "own", "other")),
        ("said_at", "<f8"),
        ("opens", "?"),
        ("tells", "?"),
        ("asks", "<f8"),
        ("kinds", "<i8"),
    ]
)
"""`document` is the number with which its exchange begins. It `opens` a segment, `tells` of its speaker, `asks` with
which share of it; what it calls its `own` speaker and the `other` one (`called`), and the `kinds` of values in it
(`kinds_of`)."""
