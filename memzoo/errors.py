"""All errors that memzoo raises on purpose.

`MemoryZooError` is their base class. Each error is also a subclass of a suitable builtin error, so code that catches
`ValueError` or `KeyError` keeps working.
"""

import math
from typing import Any

__all__ = [
    "AsyncOnlyError",
    "ConflictError",
    "ExecutorError",
    "MemoryZooError",
    "MemoryZooWarning",
    "MessageError",
    "MissingExtraError",
    "MissingKeyError",
    "ModelError",
    "ModelReplyError",
    "OptionError",
    "OverBudgetError",
    "PluginError",
    "StoreError",
    "TransferError",
    "TurnError",
    "UnsupportedError",
    "WrongKeyError",
]


class MemoryZooError(Exception):
    """The base class of all errors of this library."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message, with quotes.
        return Exception.__str__(self)


class MemoryZooWarning(UserWarning):
    """memzoo carried on, but perhaps not as you expect; the message says what to change."""


class OptionError(MemoryZooError, ValueError, TypeError):
    """An option is unknown, or has an invalid value, such as a broken prompt template."""

    @classmethod
    def of_port(cls, port: int, error: OSError) -> "OptionError":
        """Return the error for a port on which a server cannot listen."""
        return cls(f"cannot listen on port {port}: {error.strerror}; port 0 picks a free one")


class MessageError(MemoryZooError, ValueError):
    """A message is invalid, does not exist or cannot be redacted; nothing was stored, changed or sent.

    The message is not an OpenAI chat message, or the conversation has no message with the given number. A message
    cannot be redacted if the function in the option `redact` fails or does not return a text, or if a text is escaped
    too many times.
    """


class OverBudgetError(MemoryZooError, ValueError):
    """The messages and texts that must be shown exceed the limit; nothing was changed.

    Attributes:
        size: The size of these messages and texts, in messages or tokens.
        limit: The limit, in the same unit as `size`.
    """

    size: int = 0
    limit: int = 0

    @property
    def over(self) -> int:
        """The size minus the limit."""
        return self.size - self.limit

    @classmethod
    def of(cls, what: str, size: float, limit: int, unit: str = "tokens", advice: str = "") -> "OverBudgetError":
        """Return the error for texts over a limit.

        `what` names the texts in the error's message, and `advice` ends the message.
        """
        size = math.ceil(size)
        error = cls(f"{what} together take {size} {unit}, {size - limit} more than the limit of {limit}{advice}")
        error.size, error.limit = size, limit
        return error


class MissingKeyError(MemoryZooError, KeyError, ValueError):
    """The inputs or outputs lack the configured key, or it is unclear which key to use; nothing was stored."""


class ModelError(MemoryZooError, RuntimeError):
    """A model call failed. The messages are stored, and the memory's next call catches up."""


class ModelReplyError(ModelError, ValueError):
    """The model's reply cannot be used: it is empty, a refusal, cut off or unparseable, or it asks for tools too often.

    Attributes:
        spent: The cost of the reply (a `memzoo.memories.Spent`), if known.
        reply: The text of a reply that could not be parsed; otherwise "".
        refused: True if the reply is a refusal.
        cut_after: The number of characters of a reply that was cut off at the model's limit for replies; `None` for
            other replies.
    """

    spent: Any = None
    reply: str = ""
    refused: bool = False
    cut_after: int | None = None


class TurnError(MemoryZooError, RuntimeError):
    """A turn cannot be used: for example, it is not open, another turn is under way, or there is nothing to answer."""


class StoreError(MemoryZooError, RuntimeError):
    """A store cannot be opened, read or written, or its encrypted content was moved to another place in the store."""


class ConflictError(StoreError):
    """Another writer stored a newer state first; read the state again and repeat the change."""


class UnsupportedError(StoreError, NotImplementedError):
    """The store does not support an operation; the message names the operation."""


class WrongKeyError(StoreError):
    """An encrypted store was opened without a key, or with wrong keys only."""


class AsyncOnlyError(MemoryZooError, RuntimeError):
    """A synchronous call reached code that must be awaited; call the asynchronous version of the method instead."""


class TransferError(MemoryZooError, ValueError):
    """A file cannot be read: it has an unknown format, is damaged or cut off, or comes from a newer memzoo."""


class PluginError(MemoryZooError, ImportError):
    """An installed extension, your own class, or a library to compare with memzoo cannot be used."""


class ExecutorError(MemoryZooError, RuntimeError):
    """The executor failed repeatedly. Finished work is kept."""


class MissingExtraError(MemoryZooError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> "MissingExtraError":
        """Return the error for a feature (`what`) that needs an extra; the message says how to install the extra."""
        return cls(f"{what} needs the {extra!r} extra. Install it with: pip install 'memzoo[{extra}]'")
