"""Every error that memzoo raises on purpose.

Catch `MemoryZooError` for all of them; each also is the builtin that fits, so code that caught
`ValueError` or `KeyError` before goes on working. They live in the lowest layer because every
layer raises them.
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
        # KeyError would show the repr of its message, quotes and all.
        return Exception.__str__(self)


class OptionError(MemoryZooError, ValueError):
    """An option has a value that cannot work."""


class UnknownStrategyError(OptionError, KeyError):
    """No strategy has this name."""


class UnknownOptionError(OptionError, TypeError):
    """The strategy has no option of this name."""


class ConversationIdError(OptionError):
    """A place that serves many conversations was not told which one."""


class MessageError(MemoryZooError, ValueError):
    """A message is not an OpenAI chat message; nothing was stored."""


class RedactionError(MemoryZooError, RuntimeError):
    """What `redact` says could not be taken out of a text; nothing was stored or sent.

    The function failed, or gave no text; or the text is escaped too many times over to be read.
    """


class OverBudgetError(MemoryZooError, ValueError):
    """What has to be shown is larger than the limit; nothing was changed.

    Attributes:
        size: What it takes, in the units of the limit: messages or tokens.
        limit: What it may take.
    """

    size: int = 0
    limit: int = 0

    @property
    def over(self) -> int:
        """By how much it is too large."""
        return self.size - self.limit

    @classmethod
    def of(cls, what: str, size: int, limit: int, unit: str = "tokens", advice: str = "") -> "OverBudgetError":
        """The error for something of a size over a limit."""
        error = cls(f"{what} together take {size} {unit}, {size - limit} more than the limit of {limit}{advice}")
        error.size, error.limit = size, limit
        return error


class UnknownMessageError(MemoryZooError, LookupError):
    """A conversation has no message of this number; nothing was changed."""


class MissingKeyError(MemoryZooError, KeyError):
    """`input_key` or `output_key` names a key that the inputs or outputs lack; nothing was stored."""


class AmbiguousKeyError(MemoryZooError, ValueError):
    """It cannot be told which input or output to store; nothing was stored."""


class PromptError(MemoryZooError, ValueError):
    """A prompt template is missing, broken, or lacks a variable."""


class ModelError(MemoryZooError, RuntimeError):
    """A model call failed. What was said is stored; the next call catches up."""


class ModelReplyError(ModelError, ValueError):
    """The model replied, but with something that cannot be used: empty, refused, cut off, unparseable.

    Attributes:
        spent: What the reply cost all the same (a `memzoo.memories.Spent`), where that is known.
        reply: What it said, where something else was asked for; "" for nothing, and for what was not read.
        refused: Whether it is a refusal.
    """

    spent: Any = None
    reply: str = ""
    refused: bool = False


class CutReplyError(ModelReplyError):
    """The model's reply was cut off: whole, it would have been longer than the model may write.

    Attributes:
        characters: So many came.
    """

    characters: int = 0


class ToolRoundsError(MemoryZooError, RuntimeError):
    """The model went on asking for tools after the last round it was given."""


class TurnError(MemoryZooError, RuntimeError):
    """A turn is used before it began or after it ended, or there is no question that it could answer again."""


class TurnInProgressError(TurnError):
    """Another turn of the same conversation is under way; this one was refused, nothing of it is stored."""


class TokenizerError(MemoryZooError, RuntimeError):
    """Tokens cannot be counted with the chosen counter."""


class StoreError(MemoryZooError, RuntimeError):
    """A store cannot be opened, read or written."""


class ConflictError(StoreError):
    """Another writer committed first; read the state again and derive anew."""


class UnsupportedError(StoreError, NotImplementedError):
    """A store of this kind cannot do that; the message names what is missing."""


class WrongKeyError(StoreError):
    """A store is encrypted, but not with any of the keys given, or it is encrypted and no key is given."""


class TamperedError(StoreError):
    """Encrypted content stands in another place than the one that it was written for: somebody has moved it."""


class AsyncOnlyError(MemoryZooError, RuntimeError):
    """Something asynchronous was reached in a synchronous call; call the asynchronous twin of the method."""


class TransferError(MemoryZooError, ValueError):
    """A file is no export of a conversation, was cut off, or was written by a newer memzoo; nothing was stored."""


class TranscriptError(MemoryZooError, ValueError):
    """A transcript file cannot be understood."""


class PluginError(MemoryZooError, ImportError):
    """What extends memzoo, an installed package or a class of your own, cannot be used; the text says why."""


class ExecutorError(MemoryZooError, RuntimeError):
    """The executor that does the work failed again and again. What is finished is kept."""


class MissingExtraError(MemoryZooError, ImportError):
    """An optional package is needed that is not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> "MissingExtraError":
        """The error that tells which extra to install for `what`."""
        return cls(f"{what} needs the {extra!r} extra. Install it with: pip install 'memzoo[{extra}]'")
