"""Counts the tokens of views, with one counter for all memories of a comparison."""

import functools
from collections.abc import Callable, Iterable

from memzoo.memories.text.tokens import count_text, token_counter
from memzoo.stores import Message
from memzoo.strategy import text_of

APPROXIMATE = "approximate"


class TextCounter:
    """A token counter that remembers the counts of recent texts.

    Example:
        >>> words = TextCounter("words", lambda text: len(text.split()))
        >>> words("how are you"), words.of_messages([{"role": "user", "content": "how are you"}] * 2)
        (3, 6)
    """

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        """Make a counter.

        Args:
            name: The name in reports: an encoding of tiktoken, `"approximate"`, or a name of your own.
            count: A function that counts the tokens of a text.
        """
        self.name = name
        self._given = count
        self._count = functools.lru_cache(maxsize=1 << 15)(count)

    def __reduce__(self) -> tuple[type["TextCounter"], tuple[str, Callable[[str], int]]]:
        # Pickled without the remembered counts.
        return TextCounter, (self.name, self._given)

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return self._count(text)

    def of_message(self, message: Message) -> int:
        """Return the number of tokens in a message's text, without its role."""
        return self._count(text_of(message))

    def of_messages(self, messages: Iterable[Message]) -> int:
        """Return the number of tokens in the texts of several messages, without their roles."""
        return sum(map(self.of_message, messages))


def named_counter(name: str) -> TextCounter:
    """Return the token counter for a name: a model or an encoding that tiktoken knows, or `"approximate"`.

    If tiktoken cannot load the vocabulary, tokens are estimated.

    Raises:
        OptionError: The name is unknown.
    """
    encoding = token_counter(name).name
    return TextCounter(encoding, functools.partial(count_text, encoding=encoding))
