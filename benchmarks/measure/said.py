"""What was said so far, as a buffer shows it, without going through all of it each time."""

import bisect
from collections.abc import Sequence

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.fitting import fit
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import sendable
from memzoo.stores import Message

__all__ = ["Said"]


class Said:
    """A conversation on its way, as a buffer shows it: whole, or its end.

    A buffer returns all that was said at each load. Over a conversation that is quadratic, and nothing of it but the
    newest messages is within a budget; here a look at the end costs what it shows, and the size of the whole is a sum.

    Example:
        >>> said = Said(TextCounter("letters", len))
        >>> for text in ("abc", "de", "f"):
        ...     said.add([{"role": "user", "content": text}])
        >>> said.tokens, [message["content"] for message in said.end(3)]
        (6, ['de', 'f'])
    """

    def __init__(self, counter: TextCounter) -> None:
        self._counter = counter
        self._rule: list[Message] = []
        self._others: list[Message] = []
        self._up_to = [0]  # before each of the others, and after the last, the tokens so far
        self._size = 0

    @property
    def tokens(self) -> int:
        """What all of it has."""
        return self._counter.of_messages(self._rule) + self._size

    def add(self, messages: Sequence[Message]) -> None:
        """Take in an exchange; of system messages, the newest one holds."""
        others = [message for message in messages if not is_instruction(message)]
        self._rule = [message for message in messages if is_instruction(message)][-1:] or self._rule
        self._others += others
        for message in others:
            self._up_to.append(self._up_to[-1] + self._counter.of_message(message))
        self._size += self._counter.of_messages(sendable(others))

    def whole(self) -> list[Message]:
        """All of it, as it can be sent."""
        return sendable([*self._rule, *self._others])

    def end(self, budget: int) -> list[Message]:
        """What `fit` keeps of all of it."""
        size = len(self._up_to) - bisect.bisect_left(self._up_to, self._up_to[-1] - budget)
        while True:
            newest = sendable([*self._rule, *self._others[-size:]])
            # A call and its results that are cut apart here lie beyond the budget, where `fit` does not get to.
            if size >= len(self._others) or self._counter.of_messages(newest) > budget:
                return fit(newest, budget, self._counter)
            size *= 2
