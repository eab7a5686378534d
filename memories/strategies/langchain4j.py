"""LangChain4j's rules for its two windows, message for message, including the corner cases that break."""

from collections.abc import Iterable

from memzoo.memories.text.eviction import Weighed
from memzoo.memories.text.grouping import is_instruction

__all__ = ["added", "evicted"]


def added(held: Iterable[Weighed], new: Weighed, limit: int, *, system_first: bool) -> list[Weighed]:
    """Return what the memory holds after adding a message.

    Ignores a system message that is held already; a different one replaces it and goes to the end, or to the beginning
    with `system_first`.

    Args:
        held: What it held before, oldest first.
        new: The message.
        limit: The most that all messages may weigh.
        system_first: LangChain4j's `alwaysKeepSystemMessageFirst`.
    """
    messages = list(held)
    if not is_instruction(new.message):
        return evicted([*messages, new], limit)
    known = next((place for place, one in enumerate(messages) if is_instruction(one.message)), None)
    if known is not None:
        if messages[known].message == new.message:
            return messages
        del messages[known]
    return evicted([new, *messages] if system_first else [*messages, new], limit)


def evicted(held: Iterable[Weighed], limit: int) -> list[Weighed]:
    """Remove the oldest messages until the rest fits, and return the rest.

    A system message at the beginning stays. A message that calls tools takes the results directly after it along,
    whichever call they answer. A single message over the limit is removed too, so the result may be empty.
    """
    messages = list(held)
    size = sum(one.weight for one in messages)
    while size > limit and messages:
        victim = 1 if is_instruction(messages[0].message) else 0
        if victim == len(messages):
            break
        calls = bool(messages[victim].message.get("tool_calls"))
        size -= messages.pop(victim).weight
        while calls and victim < len(messages) and messages[victim].message["role"] == "tool":
            size -= messages.pop(victim).weight
    return messages
