"""What is learnt from at once: whole exchanges, as many as a prompt has room for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from memzoo.memories.engine.prompt_limit import cut, estimated
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry

__all__ = ["Step", "exchange_ends", "next_step", "shortened_entries", "size_of"]

# A speaker's label and a line end.
_TOKENS_AROUND = 4


class Step(NamedTuple):
    """What is derived from at once. Without entries, what is stored is brought within new limits.

    Attributes:
        entries: Messages, oldest first.
        shortened: The same messages, cut where a prompt has no room for them.
        is_last: Nothing else waits.
    """

    entries: Sequence[Entry]
    shortened: Sequence[Entry]
    is_last: bool


def next_step(waiting: Sequence[Entry], ripe: int, tokens: int, most: int) -> Step:
    """The oldest whole exchanges of what waits; of one that is too long by itself, the messages that fit.

    Args:
        waiting: All that waits, oldest first.
        ripe: So many of the oldest messages are to be learnt from now.
        tokens: The room for them in a prompt.
        most: At most so many exchanges; 0 for any number.
    """
    size = fitting = 0
    for count, end in enumerate(exchange_ends(waiting[:ripe]), 1):
        size += sum(map(size_of, waiting[fitting:end]))
        if size > tokens or (most and count > most):
            break
        fitting = end
    if fitting:
        return Step(waiting[:fitting], waiting[:fitting], fitting == len(waiting))
    fitting = _fitting_messages(waiting[: next(exchange_ends(waiting[:ripe]))], tokens)
    return Step(waiting[:fitting], shortened_entries(waiting[:fitting], tokens), fitting == len(waiting))


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


def size_of(entry: Entry) -> int:
    """The room that a message takes in a prompt, in tokens as `PromptLimit` counts them."""
    return estimated(text_of(entry.message)) + _TOKENS_AROUND


def shortened_entries(entries: Sequence[Entry], tokens: int) -> Sequence[Entry]:
    """Entries that fit together, for a prompt: where they do not, the longest ones are cut in the middle."""
    texts = [text_of(entry.message) for entry in entries]
    sizes = list(map(estimated, texts))
    if sum(sizes) <= tokens:
        return entries
    longest = _longest_allowed(sizes, tokens)
    return [
        entry if size <= longest else replace(entry, message=_saying(entry, cut(text, longest)))
        for entry, text, size in zip(entries, texts, sizes, strict=True)
    ]


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


def _longest_allowed(sizes: Sequence[int], tokens: int) -> int:
    """The size to which the longest have to be cut so that all fit."""
    ordered, before = sorted(sizes), 0
    for place, size in enumerate(ordered):
        others = len(ordered) - place
        if before + size * others > tokens:
            return max((tokens - before) // others, 1)
        before += size
    return max(ordered, default=0)


def _saying(entry: Entry, text: str) -> dict[str, object]:
    """The message of an entry with other words; calls of tools are among them already."""
    named = {key: value for key, value in entry.message.items() if key in ("role", "name")}
    return named | {"content": text}
