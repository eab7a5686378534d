"""The result of `Conversation.send`."""

from collections.abc import Callable, Iterable
from typing import Any

from memzoo.memories.chat.tools import Called
from memzoo.memories.models.usage import Spent

__all__ = ["Reply"]


class Reply(str):
    """The answer in a conversation: a string with details of the turn as attributes.

    Attributes:
        calls: The turn's tool calls, in order.
        immediate: True if the text is not the model's, but the results of tools with `Tool.immediate`.
        finish_reason: The model's reason for stopping, such as `"stop"`, or `"length"` for a cut-off answer.
        spent: The cost of the turn: model calls, tokens, seconds.
    """

    __slots__ = ("calls", "finish_reason", "immediate", "spent")

    calls: tuple[Called, ...]
    immediate: bool
    finish_reason: str
    spent: Spent

    @classmethod
    def of(cls, text: str, calls: Iterable[Called], finish_reason: str, *, immediate: bool = False) -> "Reply":
        """Return a reply with the given attributes; `spent` is zero."""
        reply = cls(text)
        reply.calls, reply.immediate, reply.finish_reason = tuple(calls), immediate, finish_reason
        reply.spent = Spent()
        return reply

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        # FastAPI reads the return annotation of an endpoint, and must treat a reply as text.
        return handler(str)
