"""Cuts what a memory shows to a budget of tokens, by one rule for all strategies.

First come the system messages, which carry what a strategy derived or found, in the order in which the memory gives
them; one that does not fit whole is cut at its end, and then nothing follows. What is left of the budget goes to the
messages word for word, from the newest back; the first that does not fit whole ends it. A tool call and its results
stay or go together.
"""

from collections.abc import Callable, Sequence

from memzoo.memories.text.messages import sendable, text_of
from memzoo.stores import Message

__all__ = ["cut", "fit"]

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
    kept, left = _recalled([message for message in messages if _is_system(message)], budget, count)
    said = [message for message in messages if not _is_system(message)]
    return kept + sendable(_newest(said, left, count))


def cut(text: str, budget: int, count: Count) -> str:
    """Cut a text at its end, so that it fits a budget.

    Example:
        >>> cut("a long story", 6, len)
        'a long'
    """
    fits, too_long = 0, len(text) + 1
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if count(text[:middle]) <= budget:
            fits = middle
        else:
            too_long = middle
    return text[:fits]


def _is_system(message: Message) -> bool:
    return message["role"] in ("system", "developer")


def _recalled(messages: Sequence[Message], budget: int, count: Count) -> tuple[list[Message], int]:
    """Keep the first messages that fit; return what is left of the budget, too."""
    kept: list[Message] = []
    for message in messages:
        tokens = count(text_of(message))
        if tokens > budget:
            text = cut(text_of(message), budget, count)
            return [*kept, *([message | {"content": text}] if text else [])], 0
        kept.append(message)
        budget -= tokens
    return kept, budget


def _newest(messages: Sequence[Message], budget: int, count: Count) -> list[Message]:
    for place in range(len(messages) - 1, -1, -1):
        budget -= count(text_of(messages[place]))
        if budget < 0:
            return list(messages[place + 1 :])
    return list(messages)
