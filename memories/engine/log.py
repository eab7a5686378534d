"""The log of one conversation, as a strategy reads it."""

from collections.abc import Sequence

from memzoo.memories.options import whole_number
from memzoo.stores import Entry, Message, Store

__all__ = ["Log", "messages_of"]


class Log:
    """Reads from the log of a conversation, never past a chosen number.

    Args:
        store: Where the log is kept.
        conversation_id: Whose log.
        until: The last number to be seen; `None` for all. What is derived from the log up to a number is the same,
            whenever it is derived.
    """

    def __init__(self, store: Store, conversation_id: str, until: int | None = None) -> None:
        self.store = store
        self.conversation_id = conversation_id
        self.until = until

    async def after(self, seq: int, *, limit: int | None = None) -> list[Entry]:
        """The entries numbered above `seq`, at most `limit` of them, oldest first."""
        return await self.store.read(self.conversation_id, after=seq, until=self.until, limit=limit)

    async def page(
        self, limit: int | None = None, *, before: int | None = None, after: int = 0, newest_first: bool = False
    ) -> list[Entry]:
        """The entries numbered above `after` and below `before`, at most `limit`, from the one end or the other.

        Raises:
            OptionError: A bound is no whole number.
        """
        for name, value in {"limit": limit, "before": before, "after": after}.items():
            if value is not None:
                whole_number(name, value, at_least=0)
        until = self.until if before is None else before - 1
        found = await self.store.read(self.conversation_id, after=after, until=until, limit=limit, newest=newest_first)
        return found[::-1] if newest_first else found

    async def between(self, first: int, last: int) -> list[Entry]:
        """The entries numbered `first` to `last`, both included, oldest first."""
        return await self.store.read(self.conversation_id, after=first - 1, until=last)

    async def tail(self, count: int, *, after: int = 0) -> list[Entry]:
        """The newest `count` messages of those numbered above `after`, oldest first."""
        return await self.store.read(
            self.conversation_id, after=after, until=self.until, limit=max(count, 0), newest=True
        )

    def before(self, entry: Entry) -> "Log":
        """The log as it was before an entry."""
        return Log(self.store, self.conversation_id, entry.seq - 1)

    async def start_of_exchanges(self, k: int) -> int:
        """The number with which the newest `k` exchanges begin; that after the newest message for `k` below 1."""
        if entries := await self.exchanges(k):
            return entries[0].seq
        newest = await self.tail(1)
        return newest[0].seq + 1 if newest else 1

    async def exchanges(self, k: int) -> list[Entry]:
        """The newest `k` exchanges, oldest first; none for `k` below 1.

        An exchange begins with a user message and reaches to the next one. Only so much is read as is needed.
        """
        size = 2 * k
        while k > 0:
            entries = await self.tail(size)
            starts = [place for place, entry in enumerate(entries) if entry.message["role"] == "user"]
            if len(starts) >= k:
                return entries[starts[-k] :]
            if len(entries) < size:
                return entries
            size *= 2
        return []


def messages_of(entries: Sequence[Entry]) -> list[Message]:
    """The messages of entries, in their order."""
    return [entry.message for entry in entries]
