"""Shortens a memory's view to a budget of tokens, by one rule for all strategies.

System messages and recalled texts come first. The first of them that does not fit is cut at its end, and everything
after it is left out. If all of them fit, the rest of the budget goes to the conversation's messages, from the newest
back, until one does not fit. A tool call and its results are kept or dropped together. The words that mark a text as
recalled count towards the budget; roles do not.
"""

import bisect
from collections.abc import Callable, Sequence
from dataclasses import replace

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import find_sendable, sendable
from memzoo.memories.text.order import STAND_INS
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.types import Piece, Shown

Count = Callable[[str], int]

_NEAR = 16


def fit(messages: Sequence[Message], budget: int, count: Count) -> Shown:
    """Return the messages of a view that fit a budget.

    Args:
        messages: A view: first its system messages, then the others, oldest first.
        budget: The maximum number of tokens in all messages together.
        count: A function that counts the tokens of a text.

    Returns:
        The messages that fit, in the order of the view; one may be cut at its end.

    Example:
        >>> view = [{"role": "system", "content": "ab"}] + [{"role": "user", "content": text} for text in ("cde", "fg")]
        >>> [message["content"] for message in fit(view, 6, len)]
        ['ab', 'fg']
    """
    pieces = messages.pieces if isinstance(messages, Shown) else list(map(Piece, messages))
    kept, left = _fit_recalled([piece for piece in pieces if _stays(piece)], budget, count)
    said = _newest([piece for piece in pieces if not _stays(piece)], left, count)
    in_front = next((place for place, piece in enumerate(pieces) if not _stays(piece)), len(pieces))
    asked = next((place for place, piece in enumerate(reversed(pieces)) if _stays(piece)), 0)
    place = len(said) - min(asked, len(said)) if kept[in_front:] else 0
    fitting = [*kept[:in_front], *_sendable(said[:place]), *kept[in_front:], *_sendable(said[place:])]
    return Shown([piece.sent for piece in fitting], fitting)


def cut_to_budget(text: str, budget: int, count: Count) -> str:
    """Return the beginning of a text that fits a budget.

    Example:
        >>> cut_to_budget("a long story", 6, len)
        'a long'
    """
    # Only counting tells the number of tokens of a beginning. Most texts are a little too long: the last characters are
    # searched first.
    near = max(len(text) - _NEAR, 0)
    start = near if near and count(text[:near]) <= budget else 0
    fits = bisect.bisect_right(range(len(text)), budget, start, key=lambda last: count(text[: last + 1]))
    return text[:fits]


def _fit_recalled(pieces: Sequence[Piece], budget: int, count: Count) -> tuple[list[Piece], int]:
    """Return the first pieces that fit (the last piece perhaps cut), and the rest of the budget."""
    kept: list[Piece] = []
    for piece in pieces:
        tokens = count(text_of(piece.sent))
        if tokens > budget:
            text = text_of(piece.message)
            text = cut_to_budget(text, budget - (tokens - count(text)), count)
            return [*kept, *([replace(piece, message=piece.message | {"content": text})] if text else [])], 0
        kept.append(piece)
        budget -= tokens
    return kept, budget


def _stays(piece: Piece) -> bool:
    return is_instruction(piece.message) or piece.kind == "recalled"


def _newest(pieces: Sequence[Piece], budget: int, count: Count) -> Sequence[Piece]:
    for place in range(len(pieces) - 1, -1, -1):
        budget -= count(text_of(pieces[place].message))
        if budget < 0:
            return pieces[place + 1 :]
    return pieces


def _sendable(pieces: Sequence[Piece]) -> list[Piece]:
    return [pieces[place] for place in find_sendable([piece.message for piece in pieces])]


class Said:
    """A growing conversation, which returns all its messages or the newest that fit a budget.

    Only the newest system message is kept. Measurements use this class in place of the slower buffer strategy.

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
        self._up_to = [0]  # the running total of tokens, before each of the others and after the last
        self._size = 0

    @property
    def count(self) -> int:
        """The number of messages that are kept."""
        return len(self._rule) + len(self._others)

    @property
    def rule(self) -> list[Message]:
        """A list with the newest system message; empty if there is none."""
        return self._rule

    @property
    def opening(self) -> list[Message]:
        """A list with a placeholder user message, sent first if the assistant speaks first; otherwise empty."""
        return [STAND_INS["user"]] if self._others and self._others[0]["role"] == "assistant" else []

    @property
    def tokens(self) -> int:
        """The number of tokens in all messages that are kept."""
        return self._counter.of_messages(self._rule) + self._size

    def add(self, messages: Sequence[Message]) -> None:
        """Add the messages of an exchange. Only the newest system message is kept."""
        others = [message for message in messages if not is_instruction(message)]
        self._rule = [message for message in messages if is_instruction(message)][-1:] or self._rule
        self._others += others
        for message in others:
            self._up_to.append(self._up_to[-1] + self._counter.of_message(message))
        self._size += self._counter.of_messages(sendable(others))

    def whole(self) -> list[Message]:
        """Return all messages that are kept, in a form that a model accepts."""
        return sendable([*self._rule, *self._others])

    def end(self, budget: int) -> Shown:
        """Return the messages that fit a budget, as `fit` chooses them."""
        size = len(self._up_to) - bisect.bisect_left(self._up_to, self._up_to[-1] - budget)
        while True:
            newest = sendable([*self._rule, *self._others[-size:]])
            # A tool call that is separated from its results here lies beyond the budget, so `fit` drops it anyway.
            if size >= len(self._others) or self._counter.of_messages(newest) > budget:
                return fit(newest, budget, self._counter)
            size *= 2
