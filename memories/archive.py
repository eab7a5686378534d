"""What was said, whatever a strategy shows of it: reading it in pages, forgetting it."""

import logging
from collections.abc import Collection
from dataclasses import dataclass

from memzoo.memories.engine.forgetting import Receipt, forget
from memzoo.memories.engine.log import messages_of
from memzoo.memories.strategy import Strategy
from memzoo.stores import Entry, ManagedStore, Message
from memzoo.stores.driving import blocking

__all__ = ["Archive"]

logger = logging.getLogger("memzoo")


@dataclass(kw_only=True, eq=False)
class Archive(Strategy):
    """The conversation itself, of which a strategy shows a part."""

    async def aentries(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Entry]:
        """What was said, with log numbers and times, whatever the strategy shows of it.

        Args:
            limit: At most so many; `None` for all.
            before: Only numbers below this one: for the page before an entry, its number.
            after: Only numbers above this one: for the page after an entry, its number.
            newest_first: Begin with the newest instead of the oldest.
        """
        return await self._log.page(limit, before=before, after=after, newest_first=newest_first)

    async def ahistory(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Message]:
        """All that was ever said, oldest first, whatever the strategy shows of it; or a page of it, as `aentries`."""
        return messages_of(await self.aentries(limit, before, after, newest_first=newest_first))

    async def aforget(self, ids: Collection[int] | None, *, thorough: bool | None = None) -> Receipt:
        """Delete messages for good, and derive what was learnt from them anew without them.

        Of a tool call and its results, those that are left stay in the log, but are never sent.

        Args:
            ids: Log numbers (see `aentries`), or `None` for the whole conversation.
            thorough: Rewrite the store's files, so that no copy is left in them, which takes as long as copying them;
                by default where the store is a file, but not on a server, where it would lock others out.

        Raises:
            UnknownMessageError: There is no such message; nothing was forgotten.
            ModelError: As in `asave_context`. The messages are forgotten all the same.
        """
        return await forget(self, ids, thorough=thorough)

    async def aclear(self) -> None:
        """Delete the conversation: what was said and everything derived from it."""
        await self._upkeep.clear()
        if isinstance(self.store, ManagedStore) and not await self.store.scrub():
            logger.warning("%r is deleted, but the store's log file could not be emptied yet", self.conversation_id)

    async def asettle(self) -> None:
        """Return when all that was said is learnt from; with `background`, wait for what is under way.

        Raises:
            ModelError: As in `asave_context`.
        """
        if self.derives:
            await self._upkeep.settle(raising=self.on_model_error == "raise")

    entries = blocking(aentries)
    history = blocking(ahistory)
    forget = blocking(aforget)
    clear = blocking(aclear)
    settle = blocking(asettle)
