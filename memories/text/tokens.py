"""Counts tokens with tiktoken, by an estimate, or with a function."""

import functools
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from memzoo import counting
from memzoo.errors import OptionError
from memzoo.memories.text.estimating import Estimate, guesser_of, tokenizer_of
from memzoo.memories.text.media import weigh_parts
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

TokenCounterOption: TypeAlias = str | Callable[[Message], int] | None
"""A model's or encoding's name, `"approximate"` for an estimate, or a function from a message to a whole number."""

_APPROXIMATE = "approximate"
# The tokens around a message (its role and its marks) and around a request, with OpenAI's models.
_FRAME, _BASE = 4, 3


@dataclass(frozen=True)
class TokenCounter:
    """Counts the tokens of one message.

    Attributes:
        chosen: The name of the chosen counter: an encoding, a function, or an estimate such as `"approximate"`.
        count: Counts the tokens of a message.
        count_text: Counts the tokens of a text; `None` for a function of the user, which counts only messages.
        by_encoding: True if the chosen counter is an encoding, which needs its vocabulary to count.
        estimate: The object that estimates tokens, perhaps as fractions; `None` if tokens are not estimated.
    """

    chosen: str
    count: Callable[[Message], float]
    count_text: Callable[[str], int] | None = None
    by_encoding: bool = False
    estimate: Estimate | None = None

    @property
    def name(self) -> str:
        """The name of the current counter: `"approximate"` while an encoding's vocabulary is missing.

        If the name changes, earlier counts are no longer valid.
        """
        if self.estimate:
            return self.estimate.name
        if self.by_encoding and self.chosen not in _encoders:
            count_text("", self.chosen)  # This loads the vocabulary if needed and available.
        return _APPROXIMATE if self.chosen in _missing else self.chosen

    @property
    def base(self) -> int:
        """The number of tokens that a request has besides those of its messages and tools."""
        return math.ceil(self.estimate.factors.base) if self.estimate else _BASE * self.by_encoding

    def of_text(self, text: str) -> int:
        """Count the tokens of a text, without the tokens that a message adds."""
        return self.count_text(text) if self.count_text else round(self({"role": "system", "content": text}))

    def __call__(self, message: Message) -> float:
        """Count the tokens of a message, with the tokens around the message; a `float` only if they are estimated."""
        tokens = self.count(message)
        if not (isinstance(tokens, int) or self.estimate) or tokens < 0:
            raise OptionError(
                f"the token counter {self.name!r} returned {tokens!r} for {message!r}; it must be an int >= 0"
            )
        return tokens


def token_counter(option: TokenCounterOption, model: str = "") -> TokenCounter:
    """Return the counter for the option `token_counter`.

    Args:
        option: A model's or encoding's name, `"approximate"`, or a function of a message; `None` for the encoding of
            `model`.
        model: The model's name. If tiktoken does not support the model, tokens are estimated.

    Raises:
        OptionError: The option has a wrong type, or is the name of neither a model nor an encoding.
    """
    if callable(option):
        return TokenCounter(getattr(option, "__qualname__", type(option).__name__), option)
    if option is not None and not isinstance(option, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"token_counter must be a name, 'approximate', or a function of one message, not {option!r}")
    if (option or "").startswith(_APPROXIMATE):
        return _estimating(f"{option} {model}" if option == _APPROXIMATE else str(option))
    name = option or model
    if tokenizer_of(name).name:
        return _estimating(name)
    if encoding := _encoding_name(name):
        count = functools.partial(count_text, encoding=encoding)
        return TokenCounter(
            encoding, lambda message: count(text_of(message)) + weigh_parts(message) + _FRAME, count, by_encoding=True
        )
    if option:
        import tiktoken

        raise OptionError(
            f"token_counter {option!r} is neither a model with a known tokenizer nor an encoding of tiktoken; give "
            f"a model's name, one of {', '.join(tiktoken.list_encoding_names())}, 'approximate', or a function of one "
            "message"
        )
    return _estimating(name)


def _estimating(model: str) -> TokenCounter:
    estimate = Estimate(model)
    return TokenCounter(estimate.name, estimate.count_message, estimate.count_text, estimate=estimate)


def count_text(text: str, encoding: str) -> int:
    """Count the tokens of a text with an encoding of tiktoken.

    If `encoding` is the name of an estimate, such as "approximate", the tokens are estimated.
    """
    if encoding.startswith(_APPROXIMATE):
        return guesser_of(encoding)(text)

    def count() -> int:
        encode = _encoders.get(encoding) or _load(encoding)
        return len(encode(text)) if encode else guesser_of("")(text)

    return counting.through(encoding, text, count)


def _encoding_name(name: str) -> str:
    """Return tiktoken's encoding for a name of a model or an encoding; "" for a name that tiktoken does not know."""
    if not name:
        return ""
    import tiktoken

    if name in tiktoken.list_encoding_names():
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        return ""


_encoders: dict[str, Callable[[str], list[int]]] = {}
# Encodings with a missing vocabulary, and the time of the next attempt for each.
_missing: dict[str, float] = {}
# The pause after a failed attempt, as a multiple of the attempt's time.
_REST = 10


def _load(name: str) -> Callable[[str], list[int]] | None:
    """Load an encoding; return `None` while its vocabulary is unavailable."""
    started = time.monotonic()
    if started < _missing.get(name, 0):
        return None
    import tiktoken

    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # noqa: BLE001 - requests, ssl, os: whatever a download can meet
        now, is_known = time.monotonic(), name in _missing
        _missing[name] = now + _REST * (now - started)
        if not is_known:
            warnings.warn(
                f"tiktoken could not get its vocabulary {name!r} ({type(error).__name__}), so tokens are estimated "
                "until it can. It is downloaded once: let this machine reach it, or set TIKTOKEN_CACHE_DIR to a folder "
                "that has it. token_counter='approximate' (in a command: --memory NAME:token_counter=approximate, "
                "or --token-counter approximate) always estimates",
                stacklevel=2,
            )
        return None
    _missing.pop(name, None)
    _encoders[name] = encode = functools.partial(encoding.encode, disallowed_special=())
    return encode
