"""Where things stand in a chart: axes with their ticks, and labels that keep apart."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Axis", "Box", "apart", "free_places"]

_BEND = 50.0


@dataclass(frozen=True, slots=True)
class Axis:
    """Turns values into places.

    Attributes:
        low: The value at its start.
        high: The value at its end.
        start: The place of `low`.
        end: The place of `high`; less than `start` for an axis that goes up.
        bent: Whether it is logarithmic from 50 on. Below it is nearly linear, so that 0 has a place, too.
    """

    low: float
    high: float
    start: float
    end: float
    bent: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value.

        Example:
            >>> Axis(0, 10, 100, 0).at(2.5)
            75.0
        """
        low, high, here = (math.log1p(one / _BEND) if self.bent else one for one in (self.low, self.high, value))
        return round(self.start + (here - low) / (high - low) * (self.end - self.start), 1)

    def ticks(self, gap: float) -> list[float]:
        """List round values whose places have at least a gap between them.

        Example:
            >>> Axis(0, 1000, 0, 300).ticks(60)
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
        """
        found: list[float] = []
        for value in self._bent_values() if self.bent else self._even_values(gap):
            if not found or abs(self.at(value) - self.at(found[-1])) >= gap:
                found.append(value)
        return found

    def _bent_values(self) -> list[float]:
        marks = [self.low, *(digit * 10.0**power for power in range(1, 12) for digit in (1, 2, 5))]
        return [mark for mark in marks if self.low <= mark <= self.high]

    def _even_values(self, gap: float) -> Iterator[float]:
        rough = (self.high - self.low) * gap / abs(self.end - self.start)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * (1 - 1e-9))
        for number in itertools.count(math.ceil(self.low / step)):
            if number * step > self.high * (1 + 1e-9):
                return
            yield round(number * step, 9)


def apart(places: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Move places as little as possible, so that there is a gap between any two; the order of the list stays.

    They stay between `low` and `high` as long as all of them have room there.

    Example:
        >>> apart([10.0, 0.0, 11.0], 3.0)
        [9.0, 0.0, 12.0]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    # Without the gaps, the nearest places in the same order are means of neighbours (isotonic regression).
    groups: list[list[float]] = []
    for rank, index in enumerate(order):
        groups.append([places[index] - gap * rank])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    top = high - gap * (len(places) - 1)
    moved = [max(low, min(_mean(group), top)) for group in groups for _ in group]
    return [place for _, place in sorted((index, moved[rank] + gap * rank) for rank, index in enumerate(order))]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in a chart: its left, top, right and bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Tell whether both cover a place."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def within(self, frame: "Box") -> bool:
        """Tell whether no part of it is outside of a frame."""
        inside = frame.left <= self.left and self.right <= frame.right
        return inside and frame.top <= self.top and self.bottom <= frame.bottom

    @classmethod
    def around(cls, x: float, y: float, half: float) -> "Box":
        """Make a square around a place."""
        return cls(x - half, y - half, x + half, y + half)


def free_places(
    points: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, tuple[float, float]],
    frame: Box,
    taken: Sequence[Box] = (),
) -> dict[str, Box]:
    """Place labels near their points, where they cover nothing: no label, no point, nothing that is taken.

    Args:
        points: By name.
        sizes: Of the labels, by name: width and height.
        frame: They stay within.
        taken: What must not be covered, besides.

    Returns:
        By name; a label for which there is no room is left out.

    Example:
        >>> free_places({"a": (50, 50)}, {"a": (20, 10)}, Box(0, 0, 100, 100))
        {'a': Box(left=58, top=45.0, right=78, bottom=55.0)}
    """
    full = [*taken, *(Box.around(x, y, 5) for x, y in points.values())]
    placed: dict[str, Box] = {}
    for name, (x, y) in points.items():
        for box in _around(x, y, *sizes[name]):
            if box.within(frame) and not any(box.overlaps(one) for one in full):
                placed[name] = box
                full.append(box)
                break
    return placed


def _around(x: float, y: float, width: float, height: float) -> Iterator[Box]:
    for step in (0, *itertools.chain.from_iterable((one, -one) for one in range(1, 13))):
        top = y + step * height / 2 - height / 2
        for left in (x + 8, x - 8 - width, x - width / 2):
            yield Box(left, top, left + width, top + height)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
