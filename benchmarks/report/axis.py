"""Computes positions in a chart: axes with ticks, and labels without overlaps."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BEND = 50.0  # values below are close together on a bent axis: budgets are hundreds and thousands of tokens


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart, which converts values to positions.

    Attributes:
        low: The value at the start of the axis.
        high: The value at the end of the axis.
        start: The position of `low`.
        end: The position of `high`; less than `start` for a vertical axis.
        bent: True for an axis that is logarithmic above 50.
    """

    low: float
    high: float
    start: float
    end: float
    bent: bool = False

    def at(self, value: float) -> float:
        """Return the position of a value.

        Example:
            >>> Axis(0, 10, 100, 0).at(2.5)
            75.0
        """
        low, high, here = (math.log1p(one / _BEND) if self.bent else one for one in (self.low, self.high, value))
        return round(self.start + (here - low) / (high - low) * (self.end - self.start), 1)

    def ticks(self, gap: float, least: float = 0) -> list[float]:
        """Return round values for the ticks of the axis, with positions at least `gap` apart.

        Unless the axis is bent, the values also differ by at least `least`.

        Example:
            >>> Axis(0, 1000, 0, 300).ticks(60)
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
        """
        found: list[float] = []
        for value in self._bent_values() if self.bent else self._even_values(gap, least):
            if not found or abs(self.at(value) - self.at(found[-1])) >= gap:
                found.append(value)
        return found

    def _bent_values(self) -> list[float]:
        powers = range(1, len(f"{self.high:.0f}"))
        marks = [self.low, *(digit * 10.0**power for power in powers for digit in (1, 2, 5))]
        return [mark for mark in marks if self.low <= mark <= self.high]

    def _even_values(self, gap: float, least: float) -> Iterator[float]:
        rough = max(least, (self.high - self.low) * gap / abs(self.end - self.start))
        power = 10.0 ** math.floor(math.log10(rough))
        # A small tolerance for floating point errors, which could drop a tick at the end of the axis.
        step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * (1 - 1e-9))
        for number in itertools.count(math.ceil(self.low / step)):
            if number * step > self.high * (1 + 1e-9):
                return
            yield round(number * step, 9)


def apart(places: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Return positions that are at least `gap` apart, moved as little as possible.

    The order stays the same. If there is enough room, all positions are between `low` and `high`.

    Example:
        >>> apart([10.0, 0.0, 11.0], 3.0)
        [9.0, 0.0, 12.0]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    # With the gaps subtracted, this is isotonic regression: groups of neighbours in the wrong order get their mean.
    groups: list[list[float]] = []
    for rank, index in enumerate(order):
        groups.append([places[index] - gap * rank])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    top = high - gap * (len(places) - 1)
    moved = [max(low, min(_mean(group), top)) for group in groups for _ in group]
    return [place for _, place in sorted((index, moved[rank] + gap * rank) for rank, index in enumerate(order))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
