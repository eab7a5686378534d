"""Counts the tokens of views, with one counter for all strategies of a comparison."""

import functools
from collections.abc import Callable, Iterable

from memzoo.memories.text.tokens import count_text
from memzoo.stores import Message
from memzoo.strategy import text_of, token_counter

__all__ = ["APPROXIMATE", "TextCounter", "named_counter"]

APPROXIMATE = "approximate"


class TextCounter:
    """Counts the tokens of a text, once for each text.

    Example:
        >>> words = TextCounter("words", lambda text: len(text.split()))
        >>> words("how are you"), words.of_messages([{"role": "user", "content": "how are you"}] * 2)
        (3, 6)
    """

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        """Make a counter.

        Args:
            name: Its name in reports: an encoding of tiktoken, `"approximate"`, or a name of your own.
            count: A text -> its tokens.
        """
        self.name = name
        self._given = count
        self._count = functools.lru_cache(maxsize=1 << 15)(count)

    def __reduce__(self) -> tuple[type["TextCounter"], tuple[str, Callable[[str], int]]]:
        # To another process it goes without what it counted.
        return TextCounter, (self.name, self._given)

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return self._count(text)

    def of_message(self, message: Message) -> int:
        """Count the tokens of a message's text; its role adds nothing."""
        return self._count(text_of(message))

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Count the tokens of several messages."""
        return sum(map(self.of_message, messages))


def named_counter(name: str) -> TextCounter:
    """Make a counter by name: an encoding or model that tiktoken knows, or `"approximate"` (estimated).

    It estimates where tiktoken cannot get the vocabulary, and its name says so.

    Raises:
        OptionError: The name is unknown.
    """
    encoding = token_counter(name).name
    return TextCounter(encoding, functools.partial(count_text, encoding=encoding))
