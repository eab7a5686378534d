"""Code shared by the strategies that extract notes or facts."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from memzoo.errors import ModelReplyError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.prompt_limit import count_for_prompt, reword
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.language import join_sentences, sentences
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry

Derive: TypeAlias = Callable[[State, Sequence[Entry], Log], Awaitable[Changes]]


async def derive_in_pieces(derive: Derive, state: State, entries: Sequence[Entry], log: Log) -> Changes:
    """Return the changes of `derive`. If the reply about an exchange is cut off, derive from each half of the exchange.

    The exchange is divided between two messages, and a single message between two sentences. If the reply about a half
    is cut off, this half is divided again. If a part fails, nothing changes.

    Raises:
        ModelReplyError: A reply has no answer.
        ModelReplyError: A reply about a single sentence was cut off.
        ModelReplyError: A reply about several exchanges was cut off; the caller must divide `entries`.
    """
    try:
        return await derive(state, entries, log)
    except ModelReplyError as error:
        if error.cut_after is None or sum(1 for _ in exchange_ends(entries)) > 1 or not (halves := _halves(entries)):
            raise
    first = await derive_in_pieces(derive, state, halves[0], log)
    items = {key: item for key, item in {**state.items, **first.items}.items() if item is not None}
    second = await derive_in_pieces(derive, replace(state, items=items), halves[1], log)
    return Changes({**first.items, **second.items})


def _halves(entries: Sequence[Entry]) -> tuple[Sequence[Entry], Sequence[Entry]] | None:
    """Return messages, or the sentences of a single message, in two halves; `None` for a single sentence."""
    if (middle := len(entries) // 2) > 0:
        return entries[:middle], entries[middle:]
    (entry,) = entries
    told = sentences(text_of(entry.message))
    if (middle := len(told) // 2) == 0:
        return None
    return [reword(entry, join_sentences(told[:middle]))], [reword(entry, join_sentences(told[middle:]))]


class Valued(NamedTuple):
    """A statement or fact with its worth. If there is no room for all, those of least worth are dropped first."""

    worth: tuple[int, ...]
    key: str
    text: str


def least_worth(known: Iterable[Valued], tokens: int) -> dict[str, set[str]]:
    """Return the statements or facts of least worth, to be dropped so that the rest fits `tokens`.

    Returns:
        A dict from key to the texts to drop.
    """
    ordered = sorted(known)
    over, gone = sum(count_for_prompt(one.text) for one in ordered) - tokens, dict[str, set[str]]()
    for one in ordered:
        if over <= 0:
            break
        over -= count_for_prompt(one.text)
        gone.setdefault(one.key, set()).add(one.text)
    return gone
