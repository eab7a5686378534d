"""How the state of a strategy follows the log."""

import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from memzoo.memories.engine.background import Background
from memzoo.memories.engine.locks import state_locks
from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.engine.state import Changes, OnStateChange, State, StateKeeper
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry
from memzoo.stores.errors import ConflictError, ModelError

__all__ = ["Hooks", "StateSync"]

logger = logging.getLogger("memzoo")

_FEWEST_ENTRIES = 64
_MOST_CHARACTERS = 16_000


class Hooks(NamedTuple):
    """What a strategy gives to the engine.

    Attributes:
        derive: Learns from entries that the state has not taken in.
        due: Whether the entries that wait, if they are all there are, are to be learnt from now.
        on_state_change: Called when the state changed; see `StateKeeper`. `None` if nothing is kept beside the state.
    """

    derive: Callable[[State, Sequence[Entry], Log], Awaitable[Changes]]
    due: Callable[[State, Sequence[Entry]], bool]
    on_state_change: OnStateChange | None


class _Step(NamedTuple):
    """What is derived from at once. Without entries, what is stored is brought within new limits."""

    entries: Sequence[Entry]
    is_last: bool


class StateSync:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole turns, as many as fit one model call; what it learnt and how far it came are committed
    together. A crash or a failing model therefore costs at most the step it hit, and the next call starts there.

    Args:
        follower: The log.
        name: The name under which the store keeps the state.
        hooks: The strategy's.
        background: Learn after the call that asked for it has returned.
    """

    def __init__(self, follower: Follower, name: str, hooks: Hooks, *, background: bool) -> None:
        self.name = name
        self._follower = follower
        self._log = Log(follower)
        self._hooks = hooks
        self._keeper = StateKeeper(follower.store, follower.conversation_id, name, hooks.on_state_change)
        self._idle: tuple[object, ...] = ()
        self._lock = state_locks.of(follower.store, follower.conversation_id, name)
        self._background = Background(self._catch_up_quietly) if background else None

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is now, however far it came; see `StateKeeper.refresh`."""
        return await self._keeper.refresh(reset=reset)

    async def current(self) -> State:
        """The state after catching up as far as possible: not while another call is at it, not if the model fails."""
        if self._background:
            if await self.behind():
                self._background.start()
        elif not self._lock.is_taken:
            state = await self.refresh()
            return state if self._moment(state) == self._idle else await self.catch_up(raising=False)
        return await self.refresh()

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
        await self.catch_up(raising=raising, everything=everything)

    async def finished(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await self._background.finished()

    async def settle(self, *, raising: bool) -> None:
        """Wait for what runs in the background, then catch up with what is left.

        Raises:
            ModelError: As in `catch_up`.
        """
        await self.finished()
        await self._follower.refresh()
        await self.catch_up(raising=raising)

    async def catch_up(self, *, raising: bool, everything: bool = False) -> State:
        """Derive until nothing is left, and return the state.

        Args:
            raising: Raise a model's failure; otherwise it is logged. What was committed before stays.
            everything: Learn also from what may wait for more.

        Raises:
            ModelError: A model failed.
        """
        try:
            async with self._lock.held():
                state = await self.refresh()
                while step := await self._next_step(state, everything=everything):
                    state = await self._take(state, step.entries)
                    if step.is_last and state.watermark == step.entries[-1].seq:
                        break
                return state
        except ModelError as error:
            if raising:
                raise
            logger.warning("%r is stored, but not all of it learnt from yet: %s", self._follower.conversation_id, error)
        return await self.refresh()

    async def put(self, changes: Changes, until: int) -> bool:
        """Commit a state that was not derived, in place of the one there is.

        Args:
            changes: Its items.
            until: The last number of the log that it stands for.

        Returns:
            Whether nobody was faster.
        """
        async with self._lock.held():
            try:
                await self._keeper.commit(await self.refresh(), changes, until)
            except ConflictError:
                return False
            return True

    async def behind(self) -> bool:
        """Whether there is something to derive."""
        return await self._next_step(await self.refresh()) is not None

    async def _catch_up_quietly(self) -> None:
        await self._follower.refresh()
        await self.catch_up(raising=False)

    async def _take(self, state: State, entries: Sequence[Entry]) -> State:
        until = entries[-1].seq if entries else state.watermark
        changes = await self._hooks.derive(state, entries, Log(self._follower, until))
        try:
            return await self._keeper.commit(state, changes, until)
        except ConflictError:
            await self._follower.refresh()
            return await self.refresh()

    def _moment(self, state: State) -> tuple[object, ...]:
        """What has to change before something can be due that was not."""
        entries = self._follower.entries
        return state.version, self._follower.epoch, entries[-1].seq if entries else 0

    async def _next_step(self, state: State, *, everything: bool = False) -> _Step | None:
        """The next whole turns, not many more than a prompt has room for; `None` if nothing is to be derived now."""
        limit = _FEWEST_ENTRIES
        waiting = await self._log.after(state.watermark, limit=limit)
        sizes = list(itertools.accumulate(map(_size, waiting)))
        few = len(waiting) < limit and (not sizes or sizes[-1] <= _MOST_CHARACTERS)
        if few and not (everything and waiting) and not self._hooks.due(state, waiting):
            self._idle = self._moment(state)
            return None
        while not (ends := _ends_of_turns(waiting, whole=len(waiting) < limit)) and waiting:
            limit *= 2
            waiting = await self._log.after(state.watermark, limit=limit)
            sizes = list(itertools.accumulate(map(_size, waiting)))
        fitting = [end for end in ends if sizes[end - 1] <= _MOST_CHARACTERS]
        step = waiting[: max(fitting or ends[:1], default=0)]
        return _Step(step, bool(step) and len(step) == len(waiting) < limit)


def _ends_of_turns(entries: Sequence[Entry], *, whole: bool) -> list[int]:
    """The places after which a turn is complete; the last turn is so only if `whole` says that nothing follows."""
    turns = [entry.turn_id for entry in entries]
    ends = [place for place in range(1, len(turns)) if turns[place] != turns[place - 1]]
    return [*ends, len(turns)] if whole and turns else ends


def _size(entry: Entry) -> int:
    """The characters of a message; nearly all have nothing but a text, of which the length is known."""
    content: object = entry.message.get("content")
    return len(content) if isinstance(content, str) and len(entry.message) == 2 else len(text_of(entry.message))  # noqa: PLR2004
