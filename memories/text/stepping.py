"""Says where a window begins that moves in steps: at numbers of the log that stay where they are.

A window that drops the oldest message with each new one begins anew at each turn, and a provider's cache of prompts has
nothing of it. One that moves in steps shows again what it showed before, until it has grown by the step.

It begins only at every so many-th number of the log: at the newest of these from which it shows as much as it has to.
Where that would be too much, since messages are long, numbers half as far apart are tried, down to single messages. So
where it begins follows from what it shows, and from nothing that was said or shown earlier: another process, and the
same one after a restart, begin at the same message.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memzoo.memories.text.grouping import last_exchange
from memzoo.stores import Entry

__all__ = ["Steps", "as_room"]

# Messages of a chat are rarely shorter, in tokens. Where they are longer, closer numbers are tried: with 14, 28 or 56
# tokens each it moves by nearly all of the step at once.
_SHORT_MESSAGE = 14
_FAR = 2**40  # more than any log has


@dataclass(frozen=True, slots=True)
class Steps:
    """What a window shows at least and at most, and where it may begin.

    Attributes:
        least: What it shows at least, where there is as much.
        most: What it shows at most.
        every: It begins at every so many-th number of the log, if that can be.
    """

    least: int
    most: int
    every: int

    @classmethod
    def above(cls, limit: int, step: int, numbers: int = 1) -> "Steps":
        """A window that shows a number of things, and up to `step` more.

        Args:
            limit: How many it shows at least.
            step: How many more it may show.
            numbers: How many numbers of the log each of them has, as a rule.
        """
        return cls(limit, limit + step, numbers * (step + 1))

    @classmethod
    def below(cls, limit: int, step: int) -> "Steps":
        """A window that shows a number of tokens at most, and as a rule no more than `step` less."""
        return cls(max(limit - step, 0), limit, max(step // _SHORT_MESSAGE, 1))

    def first(self, numbers: Sequence[int], weights: Sequence[int], besides: int = 0) -> int:
        """The place of the first thing that is shown; the number of things if none is.

        Args:
            numbers: The numbers of the log at which the window could begin, rising.
            weights: What each of these adds to what is shown.
            besides: What is shown in any case.

        Example:
            >>> steps = Steps.above(2, 2)
            >>> [list(range(1, last + 1))[steps.first(range(1, last + 1), [1] * last) :] for last in (4, 5, 6)]
            [[1, 2, 3, 4], [4, 5], [4, 5, 6]]
        """
        shown = [besides + weight for weight in accumulate(reversed(weights))][::-1]
        enough = sum(weight >= self.least for weight in shown) - 1
        if enough < 0:
            return sum(weight > self.most for weight in shown)
        every = self.every
        while every:
            begins = (numbers[enough] - 1) // every * every + 1
            place = bisect_left(numbers, begins)
            if shown[place] <= self.most:
                return place
            every //= 2
        return enough + 1

    def room(
        self, numbers: Sequence[int], weights: Sequence[int], newest: int, *, begins: int, besides: int = 0
    ) -> int:
        """What can be added before it begins elsewhere; below 0 if it shows too much already.

        Args:
            numbers: The numbers at which it could begin when something is added, rising.
            weights: What each of these adds to what is shown.
            newest: The newest number of the log. What is added comes behind it, and may be where it begins then.
            begins: The place at which it begins now.
            besides: What is shown in any case.
        """
        spare = self.most - besides - sum(weights[begins:])

        def moves(more: int) -> bool:
            # The lighter the messages, the later the last of them from which on as much is shown as has to be.
            early = min(max(besides + more - self.least, 0), more - 1)
            added = [newest + 1, newest + 1 + early]
            return self.first([*numbers, *added], [*weights, early, more - early], besides) != begins

        # The more is added, the later it begins.
        return bisect_left(range(1, min(spare, _FAR) + 1), 1, key=moves)


def as_room(spare: int, entries: Sequence[Entry], weight: Callable[[Entry], int]) -> int:
    """What can be added, if that is as much as the newest exchange has; else -1, for most likely it moves."""
    newest = entries[last_exchange(entries) :]
    return spare if spare > 0 and spare >= sum(map(weight, newest)) else -1
