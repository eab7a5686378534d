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
    """memzoo went on, perhaps not as you expect; the message says how to change that."""


class OptionError(MemoryZooError, ValueError, TypeError):
    """An option is unknown, or has a value that cannot work, such as a prompt template that is broken."""


class MessageError(MemoryZooError, ValueError):
    """A message cannot be taken; nothing was stored, changed or sent.

    It is not an OpenAI chat message, the conversation has no message with its number, or it cannot be redacted: the
    function in the option `redact` failed or did not return a text, or a text is escaped too many times.
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
    """`input_key` or `output_key` is missing, or names a key that the inputs or outputs lack; nothing was stored."""


class ModelError(MemoryZooError, RuntimeError):
    """A model call failed. The messages are stored; the next call catches up."""


class ModelReplyError(ModelError, ValueError):
    """The model's reply cannot be used: it is empty, refused, cut off, unparseable, or one call of a tool too many.

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
    """A turn cannot begin because another one is under way, is not open, or has no question to answer again."""


class StoreError(MemoryZooError, RuntimeError):
    """A store cannot be opened, read or written, or encrypted content in it was moved to another place."""


class ConflictError(StoreError):
    """Another writer stored a newer state first; read the state again and repeat the change."""


class UnsupportedError(StoreError, NotImplementedError):
    """The store does not support an operation, which the message names."""


class WrongKeyError(StoreError):
    """An encrypted store was opened without a key, or with wrong keys only."""


class AsyncOnlyError(MemoryZooError, RuntimeError):
    """A synchronous call reached asynchronous code; call the asynchronous twin of the method instead."""


class TransferError(MemoryZooError, ValueError):
    """A file cannot be read: it has no known form, is damaged or cut off, or comes from a newer memzoo."""


class PluginError(MemoryZooError, ImportError):
    """An extension cannot be used: a package, a class of your own, or another library in a comparison."""


class ExecutorError(MemoryZooError, RuntimeError):
    """The executor failed repeatedly. Finished work is kept."""


class MissingExtraError(MemoryZooError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> "MissingExtraError":
        """Return the error for a feature (`what`) that needs an extra; the message tells how to install the extra."""
        return cls(f"{what} needs the {extra!r} extra. Install it with: pip install 'memzoo[{extra}]'")
