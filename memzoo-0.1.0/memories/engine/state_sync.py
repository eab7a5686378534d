"""How the state of a strategy follows the log."""

import contextlib
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from memzoo.memories.engine.attempts import Attempts
from memzoo.memories.engine.background import Background
from memzoo.memories.engine.learning import Hooks, Learning
from memzoo.memories.engine.locks import state_locks
from memzoo.memories.engine.log import Follower
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.state import Changes, State, StateKeeper
from memzoo.stores import Entry
from memzoo.stores.errors import ConflictError, ModelError

__all__ = ["StateSync"]

logger = logging.getLogger("memzoo")


class _RestingError(ModelError):
    """The model was not asked, since it failed a short time ago."""


class StateSync:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole exchanges, as many as fit a prompt; what it learnt and how far it came are committed
    together. A crash or a failing model therefore costs at most the step it hit, and the next call starts there.

    Attributes:
        name: The name under which the store keeps the state.
        learning: How it learns.
        keeper: What keeps the state.

    Args:
        follower: The log.
        name: See above.
        hooks: The strategy's.
        patience: How a failing model is dealt with.
        background: Learn after the call that asked for it has returned.
    """

    def __init__(self, follower: Follower, name: str, hooks: Hooks, patience: Patience, *, background: bool) -> None:
        self.name = name
        self.learning = Learning(follower, hooks, patience)
        self._follower = follower
        self._patience = patience
        self.keeper = StateKeeper(follower.store, follower.conversation_id, name, hooks.on_state_change)
        self._idle: tuple[object, ...] = ()
        self._lock = state_locks.of(follower.store, follower.conversation_id, name)
        self._background = Background(self._catch_up_quietly) if background else None

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is now, however far it came; see `StateKeeper.refresh`."""
        return await self.keeper.refresh(reset=reset)

    async def current(self) -> State:
        """The state after catching up as far as possible.

        Not while another call is at it, not if the model fails, and not soon after it failed.
        """
        state = await self.refresh()
        if self.is_idle(state) or self._patience.rest(state.attempts, saving=False):
            return state
        if self._background:
            if await self.behind():
                self._background.start()
        elif not self._lock.is_taken:
            return await self.catch_up(raising=False, saving=False)
        return state

    async def follow(self, new: Sequence[Entry], *, raising: bool, everything: bool = False) -> None:
        """Catch up with the log, now or in the background.

        Args:
            new: What was just appended: if nothing else was, the log need not be read.
            raising: See `catch_up`.
            everything: Learn at once, and also from what may wait for more.

        Raises:
            ModelError: As in `catch_up`.
        """
        if self._background and not everything:
            self._background.start()
            return
        if not new or not self._follower.add(new):
            await self._follower.refresh()
        await self.catch_up(raising=raising, saving=True, everything=everything)

    async def finished(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await self._background.finished()

    async def settle(self, *, raising: bool) -> None:
        """Wait for what runs in the background, then catch up with what is left, even soon after a failure.

        Raises:
            ModelError: As in `catch_up`.
        """
        await self.finished()
        await self._follower.refresh()
        await self.catch_up(raising=raising)

    async def catch_up(self, *, raising: bool, saving: bool | None = None, everything: bool = False) -> State:
        """Derive until nothing is left or the model fails, and return the state.

        Args:
            raising: Raise a model's failure; otherwise it is logged. What was committed before stays.
            saving: Whether it is for a save or for a load: they leave a model alone that has just failed; `None` for
                neither.
            everything: Learn also from what may wait for more.

        Raises:
            ModelError: A model failed, now or a short time ago.
        """

        def may_ask(attempts: Attempts) -> None:
            if saving is not None and (rest := self._patience.rest(attempts, saving=saving)):
                times = f"the model failed {attempts.failures} times in a row"
                raise _RestingError(f"{times}; it is asked again in {rest:.0f} s, or by memory.settle() at once")

        try:
            async with self._lock.held():
                state = await self.learning.until_done(self.keeper, may_ask=may_ask, everything=everything)
                self._idle = self._moment(state)
                return state
        except ModelError as error:
            if raising:
                raise
            # That it failed was told when it did.
            level = logging.DEBUG if isinstance(error, _RestingError) else logging.WARNING
            told = "%r is stored, but not all of it learnt from yet: %s"
            logger.log(level, told, self._follower.conversation_id, error)
        return await self.refresh()

    def held(self) -> AbstractAsyncContextManager[bool]:
        """For `async with`: nobody else in this process derives meanwhile."""
        return self._lock.held()

    async def put(self, changes: Changes, until: int, attempts: Attempts | None = None) -> bool:
        """Commit a state that was not derived step by step, in place of the one there is.

        Args:
            changes: Its items.
            until: The last number of the log that it stands for.
            attempts: What became of the attempts to learn; as they are by default.

        Returns:
            Whether nobody was faster.
        """
        try:
            await self.keeper.commit(await self.refresh(), changes, until, attempts)
        except ConflictError:
            return False
        return True

    async def amend(self, change: Callable[[State], Changes]) -> None:
        """Commit a change to what was learnt; how far the log was taken in stays as it is."""
        async with self._lock.held():
            while True:
                state = await self.refresh()
                with contextlib.suppress(ConflictError):
                    await self.keeper.commit(state, change(state), state.watermark)
                    return

    async def behind(self) -> bool:
        """Whether there is something to derive."""
        return await self.learning.is_behind(await self.refresh())

    def is_idle(self, state: State) -> bool:
        """Whether nothing has happened since there was nothing to derive."""
        return self._moment(state) == self._idle

    async def _catch_up_quietly(self) -> None:
        await self._follower.refresh()
        await self.catch_up(raising=False, saving=True)

    def _moment(self, state: State) -> tuple[object, ...]:
        """What has to change before something can be due that was not."""
        entries = self._follower.entries
        return state.version, self._follower.epoch, entries[-1].seq if entries else 0
