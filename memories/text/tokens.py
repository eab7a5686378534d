"""Counts tokens: by tiktoken where a model with a known tokenizer is named, else by an estimate, or by a function."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from memzoo.errors import OptionError, TokenizerError
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.token_estimate import estimate_tokens
from memzoo.stores import Message

__all__ = ["TokenCounter", "TokenCounterOption", "count_text", "token_counter"]

TokenCounterOption: TypeAlias = str | Callable[[Message], int] | None
"""A model's or encoding's name for tiktoken, `"approximate"` for an estimate, or a function of one message."""

_APPROXIMATE = "approximate"


@dataclass(frozen=True)
class TokenCounter:
    """Counts the tokens of one message.

    Attributes:
        name: What counts: the name of an encoding, `"approximate"`, or the name of a function. Counts that are
            kept in a state are taken for valid as long as the name stays the same.
        count: One message -> its tokens.
    """

    name: str
    count: Callable[[Message], int]

    def __call__(self, message: Message) -> int:
        """Count the tokens of a message."""
        tokens = self.count(message)
        if not isinstance(tokens, int) or tokens < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TokenizerError(
                f"the token counter {self.name!r} gave {tokens!r} for {message!r}; it must be an int >= 0"
            )
        return tokens


def token_counter(option: TokenCounterOption, model: str = "") -> TokenCounter:
    """Make the counter that an option stands for.

    Args:
        option: See `TokenCounterOption`; `None` takes the encoding of `model`.
        model: The model whose tokens are to be counted; if tiktoken does not know it, they are estimated.

    Raises:
        OptionError: The name is neither a model's nor an encoding's.
        TokenizerError: tiktoken cannot get its vocabulary; the text says how to provide it.
    """
    if callable(option):
        return TokenCounter(getattr(option, "__qualname__", type(option).__name__), option)
    if option is not None and not isinstance(option, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"token_counter must be a name, 'approximate', or a function of one message, not {option!r}")
    encoding = _encoding_name(option) if option else _encoding_name(model, default=_APPROXIMATE)
    return TokenCounter(encoding, lambda message: count_text(text_of(message), encoding))


def count_text(text: str, encoding: str) -> int:
    """Count the tokens of a text in an encoding of tiktoken; `"approximate"` estimates them."""
    return estimate_tokens(text) if encoding == _APPROXIMATE else len(_encode(encoding)(text))


def _encoding_name(name: str, default: str = "") -> str:
    if name in ("", _APPROXIMATE):
        return _APPROXIMATE
    import tiktoken

    if name in tiktoken.list_encoding_names():
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError as error:
        if default:
            return default
        raise OptionError(
            f"token_counter {name!r} is no model and no encoding that tiktoken knows; give a model's name, one of "
            f"{', '.join(tiktoken.list_encoding_names())}, 'approximate', or a function of one message"
        ) from error


@functools.cache
def _encode(name: str) -> Callable[[str], list[int]]:
    import tiktoken

    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # requests, ssl, os: whatever a download can meet
        raise TokenizerError(
            f"tiktoken could not get its vocabulary {name!r} ({type(error).__name__}). It is downloaded once: let this "
            "machine reach it, or set TIKTOKEN_CACHE_DIR to a folder that has it, or choose "
            "token_counter='approximate' (--token-counter approximate in a command)"
        ) from error
    return functools.partial(encoding.encode, disallowed_special=())
