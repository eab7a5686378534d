"""What a turn takes the place of: messages after an earlier one, which go only when the turn is stored.

1. `check_replaceable` refuses, when the turn begins, what would lose something.
2. When the turn asks for `messages`, `Replaced.show` copies the conversation up to the message before them into a store
   in memory, and a memory with the same options shows it. The conversation itself does not change.
3. When the turn is stored, `Replaced.take_back` deletes them and what was learnt from them. What the copy has learnt
   meanwhile comes in its place, so that no model is asked for it twice.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from memzoo.errors import ConflictError, StoreError, TurnError
from memzoo.memories.engine.forgetting import forget_messages
from memzoo.memories.engine.memory_protocol import Memory
from memzoo.memories.text.view import Shown
from memzoo.stores import Entry, InMemoryStore, StoredState, managed
from memzoo.stores.base import find_lacking
from memzoo.stores.tombstones import keeps_tombstones, tombstones_of

__all__ = ["Replaced", "check_replaceable"]


class Replaced:
    """Messages that a turn takes the place of.

    Attributes:
        memory: Remembers the conversation.
        entries: They, oldest first, as they were when the turn began. What others say meanwhile stays.

    Args:
        memory: See above.
        last: The log number of the message before them.
        entries: See above.
    """

    def __init__(self, memory: Memory, last: int, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.memory, self._last = memory, last
        self._store, self._id = memory.store, memory.conversation_id
        # The conversation without them, with what was learnt, once it was shown.
        self._copy: InMemoryStore | None = None

    async def show(self, query: str | None, *, catch_up: bool = True) -> Shown:
        """Show the conversation as it was before them; reads the log up to there once.

        Args:
            query: See `BaseMemory.messages`.
            catch_up: Likewise.
        """
        entries = await self._store.read(self._id, until=self._last)
        self._copy = InMemoryStore()
        if entries:
            names = await managed(self._store, "states").states(self._id)
            states = {name: state for name in names if (state := await self._state_before(name))}
            await self._copy.restore(self._id, entries, states)
        earlier = self.memory.copy_over(self._copy)
        try:
            return await earlier.amessages(query, catch_up=catch_up)
        finally:
            for purpose in earlier.usage:
                self.memory.usage.add(purpose, earlier.usage[purpose])

    async def take_back(self, new: Sequence[Entry]) -> None:
        """Delete them, now that the turn is stored.

        Args:
            new: The entries of the turn. Nothing is deleted if none is new, because the turn's id was there already or
                was forgotten.
        """
        if not new or new[0].seq <= self._last:
            return
        try:
            await self.delete()
        except asyncio.CancelledError:
            # Nobody waits for the answer any more, but it is stored: what it replaces must not stand beside it.
            await self.delete()
            raise
        except StoreError as error:
            error.add_note("The turn is stored, but what it replaces may still stand before it: see memory.rewind.")
            raise
        if self._copy:
            await self._keep_learnt(self._copy)

    async def delete(self) -> list[Entry]:
        """Delete those that are still there, and return them."""
        there = await self._store.read(self._id, after=self._last, until=self.entries[-1].seq)
        # Others were said after the conversation was cleared, with the same numbers.
        if gone := [entry for entry in there if entry in self.entries]:
            await forget_messages(self._store, self._id, [entry.seq for entry in gone], for_good=False)
        for learner in self.memory.learners:
            await learner.refresh(reset=True)
        return gone

    async def _keep_learnt(self, copy: InMemoryStore) -> None:
        """Bring in what was learnt in the copy, where the conversation is still the same up to there."""
        copied = await copy.read(self._id)
        for name in await copy.states(self._id):
            new, now = await copy.read_state(self._id, name), await self._store.read_state(self._id, name)
            if new.watermark <= now.watermark:
                continue
            # After the state: what is deleted from now on makes the commit be refused.
            there = await self._store.read(self._id, until=copied[-1].seq)
            if there != copied:
                return
            with contextlib.suppress(ConflictError):  # somebody has learnt it meanwhile
                await self._store.commit(
                    self._id,
                    name,
                    expected=now.version,
                    watermark=new.watermark,
                    changes={**dict.fromkeys(now.changes), **new.changes},
                    embeddings=await copy.embeddings(self._id, name),
                )

    async def _state_before(self, name: str) -> StoredState | None:
        """A state as far as it comes from the messages before them; `None` for one that goes further."""
        state = await self._store.read_state(self._id, name)
        has_vectors = not find_lacking(self._store, "embeddings")
        embeddings = await managed(self._store, "embeddings").embeddings(self._id, name) if has_vectors else {}
        if state.watermark > self._last and (state.changes or not embeddings):
            return None
        kept = {seq: one for seq, one in embeddings.items() if seq <= self._last}
        return StoredState(min(state.watermark, self._last), state.changes, kept)


async def check_replaceable(memory: Memory, last: int) -> None:
    """Check that messages after a log number can be replaced.

    What was learnt from them goes with them, and has to be learnt anew from the rest.

    Raises:
        TurnError: Of the rest, `keep_history=False` has deleted some.
        UnsupportedError: The store cannot delete single messages.
    """
    managed(memory.store, "forget")
    store, id_ = memory.store, memory.conversation_id
    states = [] if memory.keep_history else [await learner.refresh() for learner in memory.learners]
    if not any(state.items and state.watermark > last for state in states):
        return
    if await tombstones_of(store, id_) or not keeps_tombstones(store):
        raise TurnError(
            f"what was learnt of {id_!r} goes beyond message {last}, and keep_history=False has deleted messages "
            "that it was learnt from: they would be forgotten with what this turn replaces. Say it as a new turn"
        )
