"""What is learnt from at once: whole exchanges, as many as a prompt has room for."""

from collections.abc import Sequence
from typing import NamedTuple

from memzoo.errors import CutReplyError, ModelError
from memzoo.memories.engine.prompt_limit import TooLongError, count_for_prompt, cut_middle
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Shortened
from memzoo.stores import Entry

__all__ = ["Step", "next_step", "reword", "shorten_entries", "size_of", "smaller_room"]

# A message that is cut further than that says nothing any more.
_FEWEST_TOKENS = 64
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
    fitting = _count_fitting(waiting[: next(exchange_ends(waiting[:ripe]))], tokens)
    return Step(waiting[:fitting], shorten_entries(waiting[:fitting], tokens), fitting == len(waiting))


def size_of(entry: Entry) -> int:
    """The room that a message takes in a prompt, in tokens as `PromptLimit` counts them."""
    return count_for_prompt(text_of(entry.message)) + _TOKENS_AROUND


def smaller_room(room: int, step: Step, error: ModelError) -> int:
    """The room for a smaller step, to be tried at once; 0 if a smaller one would be of no use, or there is none.

    So it is where a prompt is too long of which nobody was asked yet; and where the reply to several exchanges was cut
    off, since that to fewer is shorter.
    """
    ends = [*exchange_ends(step.entries)]
    first = sum(map(size_of, step.entries[: ends[0]])) if len(ends) > 1 else 0
    if isinstance(error, CutReplyError) and first:
        return max(sum(map(size_of, step.entries)) // 2, first)
    least = first or _FEWEST_TOKENS
    if isinstance(error, TooLongError) and not error.asked and room > least:
        return max(room - max(error.excess, room // 8), least)
    return 0


def shorten_entries(entries: Sequence[Entry], tokens: int) -> Sequence[Entry]:
    """Make entries fit together, for a prompt: where they do not, the longest ones are cut in the middle."""
    texts = [text_of(entry.message) for entry in entries]
    sizes = list(map(count_for_prompt, texts))
    if sum(sizes) <= tokens:
        return entries
    longest = _longest_allowed(sizes, tokens)
    return [
        entry if size <= longest else reword(entry, cut_middle(text, longest))
        for entry, text, size in zip(entries, texts, sizes, strict=True)
    ]


def _count_fitting(exchange: Sequence[Entry], tokens: int) -> int:
    """Count the messages of an exchange that fit, but at least two: a question and what follows it."""
    size = 0
    for place, entry in enumerate(exchange):
        size += size_of(entry)
        if size > tokens and place > 1:
            return place
    return len(exchange)


def _longest_allowed(sizes: Sequence[int], tokens: int) -> int:
    """The size to which the longest have to be cut so that all fit."""
    ordered, before = sorted(sizes), 0
    for place, size in enumerate(ordered):
        others = len(ordered) - place
        if before + size * others > tokens:
            return max((tokens - before) // others, 1)
        before += size
    return max(ordered, default=0)


def reword(entry: Entry, text: str) -> Shortened:
    """Give an entry other words; calls of tools are among them already."""
    named = {key: value for key, value in entry.message.items() if key in ("role", "name")}
    return Shortened(entry.seq, named | {"content": text}, entry.turn_id, entry.created_at, entry.fields)
