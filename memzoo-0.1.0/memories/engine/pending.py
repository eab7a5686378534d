"""What waits to be learnt from is shown word for word, as far as there is room for it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.engine.state_sync import StateSync
from memzoo.memories.engine.steps import exchange_ends, size_of
from memzoo.memories.text.view import View
from memzoo.stores import Entry

__all__ = ["Pending"]


class Pending:
    """Shows what could not be learnt from yet, and what was set aside: the newest of it that fits.

    The newest exchange is shown in any case, and calls of tools with their results or not at all.

    Args:
        sync: Knows what waits.
        limit: Tokens that all that waits may have.
        size: Counts the tokens of an entry; by default they are estimated, which needs no vocabulary.
    """

    def __init__(self, sync: StateSync, limit: int, size: Callable[[Entry], int] | None) -> None:
        self._sync = sync
        self._limit = limit
        self._size = size or size_of

    async def shown_in(self, view: View, log: Log, state: State) -> View:
        """The view with what waits, in place of all of it.

        Args:
            view: What the strategy shows.
            log: The conversation.
            state: What the view was made of.
        """
        if self._sync.is_idle(state) and not state.attempts.aside:
            return view
        waiting, ripe = await self._sync.learning.ripe(state)
        aside = [entry for first, last in state.attempts.aside for entry in await log.between(first, last)]
        pending = [*aside, *waiting[:ripe]]
        *_, newest, _ = (0, 0, *exchange_ends(waiting))
        room = self._limit - sum(map(self._size, waiting[ripe:]))
        gone = _too_many(pending, [*map(self._size, pending)], room, len(aside) + newest)
        shown = {entry.seq: entry for entry in [*pending, *view.entries]}
        for entry in pending[:gone]:
            del shown[entry.seq]
        note = (f"({gone} earlier messages are not shown here, and were not learnt from yet.)",) if gone else ()
        return replace(view, recalled=(*view.recalled, *note), entries=[shown[seq] for seq in sorted(shown)])


def _too_many(pending: Sequence[Entry], sizes: Sequence[int], room: int, newest: int) -> int:
    """How many of the oldest do not fit; never those of the newest exchange, and no call without its results."""
    left, gone = sum(sizes), 0
    while gone < min(len(pending), newest) and left > room:
        left -= sizes[gone]
        gone += 1
        while gone < len(pending) and pending[gone].message["role"] == "tool":
            left -= sizes[gone]
            gone += 1
    return gone
