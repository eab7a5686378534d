"""Where exact counts of tokens pass: a cassette keeps those that its run used, so that a replay cuts where it did."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Counted", "through"]

Counted: TypeAlias = Callable[[str, str, Callable[[], int]], int]
"""Returns the tokens of a text, given its encoding, the text, and a function that counts it."""


through: Counted = lambda _encoding, _text, count: count()  # noqa: E731 - a port, not a function of this module
"""What counts pass now. `memzoo.cassettes` puts its own here while a cassette is open."""
