"""Learns from one exchange in pieces when the model's reply to all of it was cut off; a piece needs less."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from memzoo.errors import CutReplyError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.sentences import joined, sentences
from memzoo.memories.text.view import Shortened
from memzoo.stores import Entry

__all__ = ["derive_in_pieces"]

Derive: TypeAlias = Callable[[State, Sequence[Entry], Log], Awaitable[Changes]]


async def derive_in_pieces(derive: Derive, state: State, entries: Sequence[Entry], log: Log) -> Changes:
    """Learn as `derive` does; if the reply to an exchange was cut off, learn from its halves, one after the other.

    A half is some of its messages, or some sentences of its only message. Learns from all of them or none.

    Raises:
        CutReplyError: The reply to several exchanges was cut off (fewer can be tried), or the reply to one sentence.
    """
    try:
        return await derive(state, entries, log)
    except CutReplyError:
        if sum(1 for _ in exchange_ends(entries)) > 1 or not (halves := _halves(entries)):
            raise
    first = await derive_in_pieces(derive, state, halves[0], log)
    items = {key: item for key, item in {**state.items, **first.items}.items() if item is not None}
    second = await derive_in_pieces(derive, replace(state, items=items), halves[1], log)
    return Changes({**first.items, **second.items})


def _halves(entries: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Entry]] | None:
    """Split messages, or the sentences of a single one, into halves; `None` for a single sentence."""
    if (middle := len(entries) // 2) > 0:
        return entries[:middle], entries[middle:]
    (entry,) = entries
    told = sentences(text_of(entry.message))
    if (middle := len(told) // 2) == 0:
        return None
    return [_saying(entry, joined(told[:middle]))], [_saying(entry, joined(told[middle:]))]


def _saying(entry: Entry, text: str) -> Entry:
    named = {key: value for key, value in entry.message.items() if key in ("role", "name")}
    return Shortened(entry.seq, named | {"content": text}, entry.turn_id, entry.created_at, entry.fields)
