# memzoo_pinned.py
"""A strategy that shows what it was asked to remember."""

from typing import Annotated

from memzoo.strategy import AtLeast, BaseMemory, Log, State, View, strategy


@strategy
class PinnedMemory(BaseMemory):
    """Shows what the user asked to remember, and the last `k` exchanges."""

    name = "pinned"

    k: Annotated[int, AtLeast(0)] = 3
    """How many exchanges are shown besides."""
    word: str = "remember"
    """Pins a message that it occurs in."""

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The pinned messages, then the newest exchanges."""
        pinned = [entry for entry in await log.after(0) if self.word in str(entry.message.get("content")).lower()]
        shown = {entry.seq: entry for entry in [*pinned, *await log.exchanges(self.k)]}
        return View.of([shown[seq] for seq in sorted(shown)])
