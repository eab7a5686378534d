"""Every error that memzoo raises on purpose.

Catch `MemoryZooError` for all of them. Each is also the fitting builtin, so code that catches
`ValueError` or `KeyError` keeps working. They live in the lowest layer because every layer
raises them.
"""

from typing import Any

__all__ = [
    "AmbiguousKeyError",
    "AsyncOnlyError",
    "ConflictError",
    "ConversationIdError",
    "CutReplyError",
    "ExecutorError",
    "MemoryZooError",
    "MessageError",
    "MissingExtraError",
    "MissingKeyError",
    "ModelError",
    "ModelReplyError",
    "OptionError",
    "OverBudgetError",
    "PluginError",
    "PromptError",
    "RedactionError",
    "StoreError",
    "TamperedError",
    "TokenizerError",
    "ToolRoundsError",
    "TranscriptError",
    "TransferError",
    "TurnError",
    "TurnInProgressError",
    "UnknownMessageError",
    "UnknownOptionError",
    "UnknownStrategyError",
    "UnsupportedError",
    "WrongKeyError",
]


class MemoryZooError(Exception):
    """The root of all errors of this library."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message, with quotes.
        return Exception.__str__(self)


class OptionError(MemoryZooError, ValueError):
    """An option has a value that cannot work."""


class UnknownStrategyError(OptionError, KeyError):
    """No strategy has this name."""


class UnknownOptionError(OptionError, TypeError):
    """The strategy has no option of this name."""


class ConversationIdError(OptionError):
    """No conversation was named, in a place that serves many."""


class MessageError(MemoryZooError, ValueError):
    """A message is not an OpenAI chat message; nothing was stored."""


class RedactionError(MemoryZooError, RuntimeError):
    """A text could not be redacted; nothing was stored or sent.

    The option `redact` failed or did not return a text, or the text has too many levels of escapes to be read.
    """


class OverBudgetError(MemoryZooError, ValueError):
    """The messages and texts that must be shown exceed the limit; nothing was changed.

    Attributes:
        size: Their size, in the unit of the limit: messages or tokens.
        limit: The limit.
    """

    size: int = 0
    limit: int = 0

    @property
    def over(self) -> int:
        """The size beyond the limit."""
        return self.size - self.limit

    @classmethod
    def of(cls, what: str, size: int, limit: int, unit: str = "tokens", advice: str = "") -> "OverBudgetError":
        """Make the error for a `what` of a size over a limit."""
        error = cls(f"{what} together take {size} {unit}, {size - limit} more than the limit of {limit}{advice}")
        error.size, error.limit = size, limit
        return error


class UnknownMessageError(MemoryZooError, LookupError):
    """The conversation has no message with this number; nothing was changed."""


class MissingKeyError(MemoryZooError, KeyError):
    """`input_key` or `output_key` names a key that the inputs or outputs lack; nothing was stored."""


class AmbiguousKeyError(MemoryZooError, ValueError):
    """Several inputs or outputs could be the message to store; nothing was stored."""


class PromptError(MemoryZooError, ValueError):
    """A prompt template is missing, broken, or lacks a variable."""


class ModelError(MemoryZooError, RuntimeError):
    """A model call failed. The messages are stored; the next call catches up."""


class ModelReplyError(ModelError, ValueError):
    """The model's reply cannot be used: it is empty, refused, cut off or unparseable.

    Attributes:
        spent: The cost of the reply (a `memzoo.memories.Spent`), if known.
        reply: The text of the reply, if it was not in the form asked for; "" if there was none or it was not read.
        refused: True for a refusal.
    """

    spent: Any = None
    reply: str = ""
    refused: bool = False


class CutReplyError(ModelReplyError):
    """The model's reply was cut off because it would have exceeded the model's limit.

    Attributes:
        characters: The number of characters that arrived.
    """

    characters: int = 0


class ToolRoundsError(MemoryZooError, RuntimeError):
    """The model still asked for tools after the last round allowed."""


class TurnError(MemoryZooError, RuntimeError):
    """A turn was used before it began or after it ended, or there is no question to answer again."""


class TurnInProgressError(TurnError):
    """Another turn of the same conversation is under way; this one was refused, and nothing of it was stored."""


class TokenizerError(MemoryZooError, RuntimeError):
    """Tokens cannot be counted with the chosen counter."""


class StoreError(MemoryZooError, RuntimeError):
    """A store cannot be opened, read or written."""


class ConflictError(StoreError):
    """Another writer committed first; read the state again and derive anew."""


class UnsupportedError(StoreError, NotImplementedError):
    """This kind of store lacks an operation; the message names it."""


class WrongKeyError(StoreError):
    """A store is encrypted, and no key was given or none of the given keys decrypts it."""


class TamperedError(StoreError):
    """Encrypted content is not in the place that it was written for: somebody has moved it."""


class AsyncOnlyError(MemoryZooError, RuntimeError):
    """A synchronous call reached asynchronous code; call the asynchronous twin of the method instead."""


class TransferError(MemoryZooError, ValueError):
    """A file is not an exported conversation, was cut off, or comes from a newer memzoo; nothing was stored."""


class TranscriptError(MemoryZooError, ValueError):
    """A transcript file cannot be understood."""


class PluginError(MemoryZooError, ImportError):
    """An extension (an installed package or a class of your own) cannot be used; the message says why."""


class ExecutorError(MemoryZooError, RuntimeError):
    """The executor that does the work failed again and again. What is finished is kept."""


class MissingExtraError(MemoryZooError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> "MissingExtraError":
        """Make the error that names the extra to install for `what`."""
        return cls(f"{what} needs the {extra!r} extra. Install it with: pip install 'memzoo[{extra}]'")
