"""Upkeep: how the state of a strategy follows the log."""

import itertools
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from memzoo.memories.engine.background import Background
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State, StateKeeper, turnstiles
from memzoo.memories.text.messages import text_of
from memzoo.stores import JSON, Entry, Store
from memzoo.stores.errors import ConflictError, ModelError

__all__ = ["Strategy", "Upkeep"]

logger = logging.getLogger("memzoo")

_FEWEST_ENTRIES = 64
_MOST_CHARACTERS = 16_000


class Strategy(Protocol):
    """What upkeep has to know of a strategy."""

    store: Store
    conversation_id: str
    background: bool

    @property
    def state_name(self) -> str:
        """The name under which the store keeps its state."""
        ...

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Learn from entries that the state has not taken in."""
        ...

    def unfinished(self, state: State) -> bool:
        """Whether there is something to derive without new entries."""
        ...

    def waits_for_more(self, entries: Sequence[Entry]) -> bool:
        """Whether these new entries, which are all there are, may stay as they are until there are more."""
        ...

    def learn(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in whatever the strategy keeps beside it."""
        ...


class Upkeep:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole turns, as many as fit one model call; what it learnt and how far it came are committed
    together. A crash or a failing model therefore costs at most the step it hit, and the next call starts there.

    Args:
        strategy: Derives.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._keeper = StateKeeper(
            strategy.store,
            strategy.conversation_id,
            strategy.state_name,
            lambda changes, reset: strategy.learn(changes, reset=reset),
        )
        self._turnstile = turnstiles.of(strategy.store, strategy.conversation_id, strategy.state_name)
        self._background = Background(lambda: self.catch_up(raising=False))

    async def state(self) -> State:
        """The state as it is now, however far it came."""
        return await self._keeper.refresh()

    async def current(self) -> State:
        """The state after catching up as far as possible: not while another call is at it, not if the model fails."""
        if self._strategy.background:
            return await self._followed_in_background()
        if not self._turnstile.busy:
            await self.catch_up(raising=False)
        return await self.state()

    async def follow(self, *, raising: bool) -> None:
        """Catch up with the log, now or in the background, as the strategy was told to."""
        if self._strategy.background:
            self._background.start()
        else:
            await self.catch_up(raising=raising)

    async def settle(self, *, raising: bool) -> None:
        """Wait for what runs in the background, then catch up with what is left."""
        await self._background.finished()
        await self.catch_up(raising=raising)

    async def catch_up(self, *, raising: bool) -> None:
        """Derive until nothing is left.

        Args:
            raising: Raise a model's failure; otherwise it is logged. What was committed before stays.

        Raises:
            ModelError: A model failed.
        """
        try:
            async with self._turnstile.passed():
                state = await self.state()
                while (entries := await self._step(state)) or self._strategy.unfinished(state):
                    state = await self._take(state, entries)
        except ModelError as error:
            if raising:
                raise
            logger.warning("%r is stored, but not all of it learnt from yet: %s", self._strategy.conversation_id, error)

    async def put(self, changes: Changes, until: int) -> bool:
        """Commit a state that was not derived, in place of the one there is; whether nobody was faster.

        Args:
            changes: Its items.
            until: The last number of the log that it stands for.
        """
        async with self._turnstile.passed():
            try:
                await self._keeper.commit(await self.state(), changes, until)
            except ConflictError:
                return False
            return True

    async def clear(self) -> None:
        """Delete log and state."""
        async with self._turnstile.passed():
            await self._strategy.store.clear(self._strategy.conversation_id)
            await self.state()

    async def behind(self) -> bool:
        """Whether there is something to derive."""
        state = await self.state()
        return bool(await self._step(state)) or self._strategy.unfinished(state)

    async def _followed_in_background(self) -> State:
        if await self.behind():
            self._background.start()
        return await self.state()

    async def _take(self, state: State, entries: Sequence[Entry]) -> State:
        until = entries[-1].seq if entries else state.watermark
        log = Log(self._strategy.store, self._strategy.conversation_id, until)
        changes = await self._strategy.derive(state, entries, log)
        try:
            return await self._keeper.commit(state, changes, until)
        except ConflictError:
            return await self.state()

    async def _step(self, state: State) -> Sequence[Entry]:
        """The next whole turns, not many more than a prompt has room for; none if they may wait for more."""
        log = Log(self._strategy.store, self._strategy.conversation_id)
        limit, ends = _FEWEST_ENTRIES, list[int]()
        waiting = await log.after(state.watermark, limit=limit)
        while not (ends := _ends_of_turns(waiting, whole=len(waiting) < limit)) and waiting:
            limit *= 2
            waiting = await log.after(state.watermark, limit=limit)
        sizes = list(itertools.accumulate(len(text_of(entry.message)) for entry in waiting))
        fitting = [end for end in ends if sizes[end - 1] <= _MOST_CHARACTERS]
        step = waiting[: max(fitting or ends[:1], default=0)]
        more = len(step) < len(waiting) or len(waiting) == limit
        return [] if step and not more and self._strategy.waits_for_more(step) else step


def _ends_of_turns(entries: Sequence[Entry], *, whole: bool) -> list[int]:
    """The places after which a turn is complete; the last turn is so only if `whole` says that nothing follows."""
    turns = [entry.turn_id for entry in entries]
    ends = [place for place in range(1, len(turns)) if turns[place] != turns[place - 1]]
    return [*ends, len(turns)] if whole and turns else ends
