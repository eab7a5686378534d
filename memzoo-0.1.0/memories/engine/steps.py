"""What is learnt from at once: whole exchanges, as many as a prompt has room for."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memzoo.memories.engine.prompt_limit import estimated
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry

__all__ = ["Step", "exchange_ends", "next_step", "size_of"]

# A speaker's label and a line end.
_TOKENS_AROUND = 4


class Step(NamedTuple):
    """What is derived from at once. Without entries, what is stored is brought within new limits.

    Attributes:
        entries: Messages, oldest first.
        exchanges: How many exchanges they are; 1 for a part of one.
        is_last: Nothing else waits.
    """

    entries: Sequence[Entry]
    exchanges: int
    is_last: bool


def next_step(waiting: Sequence[Entry], ripe: int, tokens: int, most: int) -> Step:
    """The oldest whole exchanges of what waits; of one that is too long by itself, the messages that fit.

    Args:
        waiting: All that waits, oldest first.
        ripe: So many of the oldest messages are to be learnt from now.
        tokens: The room for them in a prompt.
        most: At most so many exchanges; 0 for any number.
    """
    size = fitting = exchanges = 0
    for count, end in enumerate(exchange_ends(waiting[:ripe]), 1):
        size += sum(map(size_of, waiting[fitting:end]))
        if size > tokens or (most and count > most):
            break
        fitting, exchanges = end, count
    if not fitting and ripe:
        fitting, exchanges = _fitting_messages(waiting[: next(exchange_ends(waiting[:ripe]))], tokens), 1
    return Step(waiting[:fitting], exchanges, fitting == len(waiting))


def exchange_ends(entries: Sequence[Entry]) -> Iterator[int]:
    """The places after which an exchange is complete; the end is one.

    A new one begins with what a user says after an answer, and with each turn that does not go on with what the one
    before it left open. What was saved together before there was an answer stays together.
    """
    for place in range(1, len(entries)):
        before, here = entries[place - 1], entries[place]
        answered = before.message["role"] == "assistant" and not _calls(before)
        asks = here.message["role"] == "user" or is_instruction(here.message)
        anew = before.turn_id != here.turn_id and (asks or answered) and here.message["role"] != "tool"
        if anew or (asks and answered):
            yield place
    if entries:
        yield len(entries)


def _fitting_messages(exchange: Sequence[Entry], tokens: int) -> int:
    """How many messages of an exchange fit, but at least two: a question and what follows it."""
    size = 0
    for place, entry in enumerate(exchange):
        size += size_of(entry)
        if size > tokens and place > 1:
            return place
    return len(exchange)


def _calls(entry: Entry) -> bool:
    return bool(entry.message.get("tool_calls") or entry.message.get("function_call"))


def size_of(entry: Entry) -> int:
    """The room that a message takes in a prompt, in tokens as `PromptLimit` counts them."""
    return estimated(text_of(entry.message)) + _TOKENS_AROUND
