"""Fills a limit of tokens with the best of many things."""

from collections.abc import Callable

__all__ = ["Limit"]

# When so many in a row are too long for what is left, it is full.
_MOST_PASSED_OVER = 20


class Limit:
    """What is left of a limit, while the best of many things are chosen.

    Args:
        limit: Tokens.
        size: Counts what is chosen so far. Together, things can have fewer tokens than the sum of them: it is asked
            when the sum leaves no more room. By default, the sum counts.

    Example:
        >>> chosen = []
        >>> room = Limit(7, lambda: len("".join(chosen)))
        >>> [word for word in ("one", "three", "four") if room.has(len(word)) and not chosen.append(word)]
        ['one', 'four']
    """

    def __init__(self, limit: int, size: Callable[[], int] | None = None) -> None:
        self._limit = limit
        self._size = size
        self._left = limit
        self._is_counted = True
        self._passed_over = 0

    @property
    def is_full(self) -> bool:
        """Tell whether so many were passed over in a row that hardly anything fits any more."""
        return self._passed_over >= _MOST_PASSED_OVER

    def has(self, cost: int) -> bool:
        """Take so many tokens, if there are as many; whether there were."""
        if cost > self._left and self._size and not self._is_counted:
            self._left, self._is_counted = self._limit - self._size(), True
        fits = cost <= self._left
        self._passed_over = 0 if fits else self._passed_over + 1
        if fits:
            self._left, self._is_counted = self._left - cost, False
        return fits
