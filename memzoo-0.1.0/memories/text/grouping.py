"""Groups messages that belong together: each tool call with its results, matched by id wherever they stand."""

from collections.abc import Hashable, Sequence
from typing import Any

from memzoo.stores import Message

__all__ = ["INSTRUCTIONS", "grouped", "is_answer", "is_instruction"]

INSTRUCTIONS = ("system", "developer")
"""The roles of system messages."""


def grouped(messages: Sequence[Message]) -> list[list[int]]:
    """Group messages, given by their places, as they can be sent: a call with all its results, others alone.

    A result belongs to the newest call before it that has its id and no result yet. A call of which a result is
    missing, and a result without a call, belong to no group.

    Returns:
        Groups in the order of their first messages; results in the order of the calls.

    Example:
        >>> call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
        >>> result = {"role": "tool", "tool_call_id": "c1", "content": "sunny"}
        >>> grouped([result, call, {"role": "user", "content": "hm"}, result])
        [[1, 3], [2]]
    """
    groups: list[tuple[int, dict[Hashable, int | None]]] = []
    waiting: dict[Hashable, dict[Hashable, int | None]] = {}
    for place, message in enumerate(messages):
        if (key := _answered(message)) is not None:
            if results := waiting.pop(key, None):
                results[key] = place
            continue
        results = dict.fromkeys(_asked(message))
        waiting.update(dict.fromkeys(results, results))
        groups.append((place, results))
    found = [[place, *results.values()] for place, results in groups]
    return [[place for place in group if place is not None] for group in found if None not in group]


def is_instruction(message: Message) -> bool:
    """Tell whether it is a system message, by either name of the role."""
    return message["role"] in INSTRUCTIONS


def is_answer(message: Message) -> bool:
    """Tell whether it is what the assistant says to the user, and calls no tool."""
    return message["role"] == "assistant" and not _asked(message)


def _asked(message: Message) -> list[Hashable]:
    """List the results that a message waits for."""
    calls: list[Hashable] = [call["id"] for call in message.get("tool_calls") or ()]
    legacy: Any = message.get("function_call")
    return [*calls, ("function", str(legacy.get("name")))] if isinstance(legacy, dict) else calls


def _answered(message: Message) -> Hashable | None:
    """Name the call that a message answers; `None` if it answers none."""
    if message["role"] == "function":
        return ("function", str(message.get("name")))
    return message["tool_call_id"] if message["role"] == "tool" else None
