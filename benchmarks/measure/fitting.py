"""Cuts the view of a memory to a budget of tokens, by one rule for all strategies.

First come the system messages and other messages with derived or found texts, in the order in which the memory
gives them; one that does not fit whole is cut at its end, and then nothing follows. The frame around what was found
counts, roles do not. What is left of the budget goes to the messages word for word, from the newest back; the
first that does not fit whole ends it. A tool call and its results stay or go together. What is recalled behind the
messages stays there.
"""

import bisect
import functools
from collections.abc import Callable, Sequence

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.stores import Message
from memzoo.strategy import in_frame, is_instruction, is_recalled, reframed, sendable, text_of

__all__ = ["Said", "cut_to_budget", "fit"]

Count = Callable[[str], int]


def fit(messages: Sequence[Message], budget: int, count: Count) -> list[Message]:
    """Keep as much of a view as fits a budget.

    Args:
        messages: A view, system messages first, then messages oldest first.
        budget: Tokens that all of them may have together.
        count: A text -> its tokens.

    Returns:
        What fits, in the same order.

    Example:
        >>> view = [{"role": "system", "content": "ab"}] + [{"role": "user", "content": text} for text in ("cde", "fg")]
        >>> [message["content"] for message in fit(view, 6, len)]
        ['ab', 'fg']
    """
    kept, left = _fit_recalled([message for message in messages if _stays(message)], budget, count)
    said = _newest([message for message in messages if not _stays(message)], left, count)
    in_front = next((place for place, message in enumerate(messages) if not _stays(message)), len(messages))
    asked = next((place for place, message in enumerate(reversed(messages)) if _stays(message)), 0)
    place = len(said) - min(asked, len(said)) if kept[in_front:] else 0
    return [*kept[:in_front], *sendable(said[:place]), *kept[in_front:], *sendable(said[place:])]


def cut_to_budget(text: str, budget: int, count: Count) -> str:
    """Cut a text at its end, so that it fits a budget.

    Example:
        >>> cut_to_budget("a long story", 6, len)
        'a long'
    """
    # Searched by halves: how many tokens a text has is known only when it is counted.
    fits = bisect.bisect_right(range(len(text)), budget, key=lambda last: count(text[: last + 1]))
    return text[:fits]


def _fit_recalled(messages: Sequence[Message], budget: int, count: Count) -> tuple[list[Message], int]:
    """Keep the first messages that fit; also return the rest of the budget."""
    kept: list[Message] = []
    for message in messages:
        tokens = count(text_of(message))
        if tokens > budget:
            frame = tokens - count(in_frame(text_of(message)))
            text = reframed(text_of(message), functools.partial(cut_to_budget, budget=budget - frame, count=count))
            return [*kept, *([message | {"content": text}] if text else [])], 0
        kept.append(message)
        budget -= tokens
    return kept, budget


def _stays(message: Message) -> bool:
    return is_instruction(message) or is_recalled(message)


def _newest(messages: Sequence[Message], budget: int, count: Count) -> list[Message]:
    for place in range(len(messages) - 1, -1, -1):
        budget -= count(text_of(messages[place]))
        if budget < 0:
            return list(messages[place + 1 :])
    return list(messages)


class Said:
    """A conversation on its way, as a buffer shows it: whole, or its end.

    A buffer returns all that was said at each load. Over a conversation that is quadratic, and nothing of it but the
    newest messages is within a budget; here a look at the end costs only the messages shown, and the size of the whole
    is a sum.

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
    def count(self) -> int:
        """The number of messages."""
        return len(self._rule) + len(self._others)

    @property
    def rule(self) -> list[Message]:
        """The system message that holds, if there is one."""
        return self._rule

    @property
    def tokens(self) -> int:
        """The tokens of all of it."""
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
        """Return all of it, as it can be sent."""
        return sendable([*self._rule, *self._others])

    def end(self, budget: int) -> list[Message]:
        """Return the messages that `fit` keeps."""
        size = len(self._up_to) - bisect.bisect_left(self._up_to, self._up_to[-1] - budget)
        while True:
            newest = sendable([*self._rule, *self._others[-size:]])
            # A call and its results that are cut apart here lie beyond the budget, where `fit` does not get to.
            if size >= len(self._others) or self._counter.of_messages(newest) > budget:
                return fit(newest, budget, self._counter)
            size *= 2
