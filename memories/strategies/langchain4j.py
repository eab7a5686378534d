"""LangChain4j's rules for its two windows, message for message, with the corners in which they break."""

from collections.abc import Iterable

from memzoo.memories.text.eviction import Weighed
from memzoo.memories.text.grouping import is_instruction

__all__ = ["added", "evicted"]


def added(held: Iterable[Weighed], new: Weighed, limit: int, *, system_first: bool) -> list[Weighed]:
    """What the memory holds after a message was added.

    A system message that is held already is ignored; another one replaces it and stands at the end, or at the head
    with `system_first`.

    Args:
        held: What it held before, oldest first.
        new: The message.
        limit: What all of it may weigh.
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
    """What is left after the oldest messages were removed until the rest fits.

    A system message in the first place stays. With a message that calls tools go the results that stand directly behind
    it, whichever call they answer. One message over the limit goes too, so that nothing may be left.
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
