"""The engine of a memory: it keeps the log, lets what was learnt follow it, and shows both as a view."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from memzoo.memories.engine.forgetting import Receipt, clear, evict, forget
from memzoo.memories.engine.learning import Hooks
from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.pending import Pending
from memzoo.memories.engine.relearning import relearn, set_aside
from memzoo.memories.engine.state import State
from memzoo.memories.engine.state_sync import StateSync
from memzoo.memories.engine.system_message import SystemMessage
from memzoo.memories.models.usage import Usage
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Record
from memzoo.stores.driving import together

__all__ = ["Engine"]

Show: TypeAlias = Callable[[Log, State], Awaitable[View]]
"""What a strategy shows of a log and a state."""

OldestNeeded: TypeAlias = Callable[[Log, State], Awaitable[int]]
"""The first log number that a strategy has a use for."""

_NO_STATE = State()


class Engine:
    """What a memory does with a conversation, whatever its strategy.

    Attributes:
        follower: What is known of the log.
        log: The log, as far as it is known; `refreshed` brings it up to date.
        system: Which system message holds.
        patience: How a failing model is dealt with.
        sync: The state that the strategy derives; `None` if it derives nothing.
        learners: All that learns from what is said: `sync`, or the states of a combined memory's members.

    Args:
        follower: See above.
        name: The name of the state in the store.
        hooks: How the strategy learns; `None` if it does not.
        patience: See above.
        background: Learn after a save has returned.
        room: Tokens that what waits to be learnt from may have in a view; `None` if the strategy shows it by itself.
        size: Counts these tokens; they are estimated by default.
    """

    def __init__(
        self,
        follower: Follower,
        name: str,
        hooks: Hooks | None,
        patience: Patience,
        *,
        background: bool,
        room: int | None,
        size: Callable[[Entry], int] | None,
    ) -> None:
        self.follower, self.log, self.system = follower, Log(follower), SystemMessage(follower)
        self.patience = patience
        self.sync = StateSync(follower, name, hooks, patience, background=background) if hooks else None
        self.learners: Sequence[StateSync] = [self.sync] if self.sync else []
        self._pending = Pending(self.sync, room, size) if self.sync and room is not None else None

    async def refreshed(self) -> Log:
        """The log as it is now."""
        await self.follower.refresh()
        return self.log

    async def state(self, *, catch_up: bool = False) -> State:
        """What was learnt; `catch_up` learns first from what was not learnt from yet, as far as possible."""
        if self.sync is None:
            return _NO_STATE
        return await (self.sync.current() if catch_up else self.sync.refresh())

    async def shown(self, show: Show, log: Log | None = None, *, catch_up: bool = True) -> View:
        """What a strategy shows, with what waits to be learnt from and the system message.

        Args:
            show: The strategy's view.
            log: The log, if it is up to date.
            catch_up: See `state`.
        """
        log = log or await self.refreshed()
        state = await self.state(catch_up=catch_up)
        seen = log.passing_over(state.attempts.aside) if self._pending else log
        with self.patience.loading(state.attempts):
            view = await show(seen, state)
        if self._pending:
            view = await self._pending.shown_in(view, log, state)
        return await self.system.shown_in(view, log)

    async def append(
        self, records: Sequence[Record], turn_id: str | None, *, learn: bool, raising: bool
    ) -> Sequence[Entry]:
        """Store a turn, by default with a fresh id, learn from it, and return what was learnt from, with its numbers.

        Raises:
            ModelError: It is stored, but could not be learnt from; with `raising` only.
        """
        new: Sequence[Entry] = ()
        if records:
            known, name = self.follower, turn_id or secrets.token_hex(16)
            new = await known.store.append(known.conversation_id, records, turn_id=name)
        if not learn:
            return ()
        await self.learn(new, raising=raising)
        await self.system.keep(self.log, new)
        return new

    async def learn(self, new: Sequence[Entry] = (), *, raising: bool) -> None:
        """Learn from what is in the log, of which `new` was just appended; raises as `append` does."""
        if self.learners:
            await together([learner.follow(new, raising=raising) for learner in self.learners])
        elif new:
            self.follower.add(new)

    async def evict(self, oldest_needed: OldestNeeded, newest: int) -> None:
        """Delete what a strategy needs no more, but for the system message, what was set aside, and the newest turn.

        Args:
            oldest_needed: The strategy's hook.
            newest: The first number of the newest turn.
        """
        first_needed = await oldest_needed(await self.refreshed(), await self.state())
        kept = {entry.seq for entry in await self.set_aside()} | await self.system.kept(self.log)
        await evict(self.follower, first_needed, newest, kept)

    async def forget(
        self, ids: Sequence[int] | set[int] | None, usage: Usage, *, raising: bool, thorough: bool | None
    ) -> Receipt:
        """See `BaseMemory.aforget`."""

        async def learn() -> None:
            await self.learn(raising=raising)

        return await forget(self.follower, ids, self.learners, learn, usage, thorough=thorough)

    async def clear(self) -> None:
        """Delete the conversation."""
        await clear(self.follower, self.learners)

    async def settle(self, *, raising: bool) -> None:
        """Return when all that was said is learnt from, or a model failed; raises as `append` does."""
        await together(learner.settle(raising=raising) for learner in self.learners)

    async def set_aside(self) -> list[Entry]:
        """The messages at which a model failed again and again."""
        return await set_aside(self.log, self.learners)

    async def relearn(self, *, from_: int | None, only_set_aside: bool, keeps_history: bool) -> None:
        """See `BaseMemory.arelearn`."""
        only, keeps = only_set_aside, keeps_history
        await relearn(self.follower, self.learners, from_=from_, only_set_aside=only, keeps_history=keeps)

    def keeps(self, state: State) -> bool:
        """Whether a state is the kept one, as far as is known here; what `relearn` is about to learn is not, yet."""
        return self.sync is not None and self.sync.keeper.newest is state

    async def finished(self) -> None:
        """Wait for what is being learnt in the background."""
        for learner in self.learners:
            await learner.finished()
