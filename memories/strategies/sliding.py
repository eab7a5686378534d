"""The newest messages that fit a limit, kept from one load to the next."""

from collections.abc import Callable, Hashable, Sequence

from memzoo.memories.engine.log import Log
from memzoo.stores import Entry

__all__ = ["FEWEST_ENTRIES", "SlidingWindow"]

FEWEST_ENTRIES = 32
"""How many messages to read at first; doubled until there are enough."""


class SlidingWindow:
    """Knows which messages fit a limit, as long as the log has only user messages and answers.

    In that case the rules of `text.eviction` keep the longest end of the log that fits. So what fits now is what fitted
    last time plus what is new, minus what that pushes out, and a load costs only what changed. `fitted` handles all
    other cases.

    Args:
        weight: What an entry counts towards the limit.
    """

    def __init__(self, weight: Callable[[Entry], int]) -> None:
        self._weight = weight
        # The limit and the epoch that it holds for, the entries, and their weight. One object: threads see all of it or
        # nothing.
        self._known: tuple[Hashable, list[Entry], int] | None = None

    def spare(self, shown: Sequence[Entry], limit: int) -> int:
        """Return the unused part of the limit if everything said is shown; else 0, as the oldest would go next."""
        return limit - sum(map(self._weight, shown)) if shown and shown[0].seq == 1 else 0

    async def shown(self, log: Log, limit: int) -> Sequence[Entry] | None:
        """Return the entries that fit, oldest first; `None` if `fitted` has to decide."""
        known = self._known
        if known and known[0] == (limit, log.cached.epoch):
            _, kept, size = known
            new = await log.after(kept[-1].seq)
        else:
            kept, size = [], 0
            new = await self._longest_end(log, limit)
        if new:
            kept, size = self._fitting([*kept, *new], size + sum(map(self._weight, new)), limit)
        newest = reversed(kept)
        # What `fitted` never lets go of is the newest user message.
        if all(map(_is_plain, new)) and any(entry.message["role"] == "user" for entry in newest):
            self._known = (limit, log.cached.epoch), kept, size
            return kept
        self._known = None
        return None

    def _fitting(self, entries: list[Entry], size: int, limit: int) -> tuple[list[Entry], int]:
        gone = 0
        while size > limit:
            size -= self._weight(entries[gone])
            gone += 1
        return entries[gone:], size

    async def _longest_end(self, log: Log, limit: int) -> list[Entry]:
        """Read back from the end of the log, only until it exceeds the limit, or all of it."""
        count = FEWEST_ENTRIES
        while True:
            tail = await log.tail(count)
            if len(tail) < count or sum(map(self._weight, tail)) > limit:
                return tail
            count *= 2


def _is_plain(entry: Entry) -> bool:
    message = entry.message
    return message["role"] in ("user", "assistant") and not ("tool_calls" in message or "function_call" in message)
