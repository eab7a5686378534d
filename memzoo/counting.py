"""A hook for exact token counts: a cassette records those of its run, so a replay cuts texts at the same places."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Counted", "through"]

Counted: TypeAlias = Callable[[str, str, Callable[[], int]], int]
"""A function of an encoding, a text and a function that counts it; returns the number of tokens."""


through: Counted = lambda _encoding, _text, count: count()  # noqa: E731 - a port, not a function of this module
"""The current hook. `memzoo.cassettes` puts its own here while a cassette is open."""
