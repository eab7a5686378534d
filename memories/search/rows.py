"""What a search knows of each message, as rows of numbers."""

from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

__all__ = ["ROW", "Rows"]

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
"""`opens` a segment, `tells` of its speaker, `asks` with which share of it; what it calls its `own` speaker and the
`other` one (`called`), and the `kinds` of values in it (`kinds_of`)."""
