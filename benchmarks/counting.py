"""Counting the tokens of what is shown, with one counter for all strategies of a comparison."""

import functools
from collections.abc import Callable, Iterable

from memzoo.memories.text.messages import text_of
from memzoo.memories.text.tokens import count_text, token_counter
from memzoo.stores import Message
from memzoo.stores.errors import TokenizerError

__all__ = ["APPROXIMATE", "DEFAULT", "TextCounter", "available_counter", "named_counter"]

DEFAULT = "o200k_base"
APPROXIMATE = "approximate"

_REMEMBERED = 1 << 14


class TextCounter:
    """Counts the tokens of a text, once for each text.

    Example:
        >>> words = TextCounter("words", lambda text: len(text.split()))
        >>> words("how are you"), words.of_messages([{"role": "user", "content": "how are you"}] * 2)
        (3, 6)
    """

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        """A counter.

        Args:
            name: What counts, for reports: an encoding of tiktoken, `"approximate"`, or a name of one's own.
            count: A text -> its tokens.
        """
        self.name = name
        self._count = functools.lru_cache(maxsize=_REMEMBERED)(count)

    def __call__(self, text: str) -> int:
        """The tokens of a text."""
        return self._count(text)

    def of_message(self, message: Message) -> int:
        """The tokens of what a message says; nothing is added for its role."""
        return self._count(text_of(message))

    def of_messages(self, messages: Iterable[Message]) -> int:
        """The sum over messages."""
        return sum(map(self.of_message, messages))


def named_counter(name: str) -> TextCounter:
    """A counter by name: an encoding of tiktoken, a model that tiktoken knows, or `"approximate"` (characters / 4).

    Raises:
        OptionError: The name is unknown.
        TokenizerError: tiktoken cannot get the vocabulary.
    """
    encoding = token_counter(name).name
    count_text("", encoding)
    return TextCounter(encoding, functools.partial(count_text, encoding=encoding))


def available_counter() -> tuple[TextCounter, TokenizerError | None]:
    """The counter by o200k_base, or the approximate counter and the reason why the former cannot be had."""
    try:
        return named_counter(DEFAULT), None
    except TokenizerError as error:
        return named_counter(APPROXIMATE), error
