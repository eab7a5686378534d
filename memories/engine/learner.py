"""How the state of a strategy follows the log, in the order in which it happens: what a save does after storing.

1. `follow` takes what was just said into the log that is held in memory; `catch_up` waits until nobody else learns this
   state.
2. `learn` takes steps (`_take_steps`). For each it looks up the state, and chooses what to learn from: whole exchanges
   that wait, as many as a prompt has room for (`steps.next_step`), if the strategy says that it is time to (`due`).
   Where another process learns this state, the step is left to that one (`Leaseholder`).
3. The strategy's `derive` says what to learn from them. `CachedState.commit` stores that together with the number of
   the last message. Then it looks whether more waits.
4. If a model fails, the call ends; what it notes with the state (`Attempts`) tells the next one how to go on. `retry`
   says what.
"""

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from memzoo.errors import ConflictError, ModelError
from memzoo.memories.engine.background import Background
from memzoo.memories.engine.cached_state import CachedState, Hooks, OnStateChange, StagedState
from memzoo.memories.engine.hooks import check_returned
from memzoo.memories.engine.leaseholder import Leaseholder
from memzoo.memories.engine.locks import state_locks
from memzoo.memories.engine.log import CachedLog, Log, talk
from memzoo.memories.engine.pins import Pins
from memzoo.memories.engine.retry import RestingError, RetryPolicy, after_success
from memzoo.memories.engine.state import Attempts, Changes, State
from memzoo.memories.engine.steps import Step, next_step, shorten_entries, size_of, smaller_room
from memzoo.memories.text.grouping import last_exchange
from memzoo.stores import JSON, Entry

__all__ = ["Effort", "LearnOption", "Learner"]

logger = logging.getLogger("memzoo")

LearnOption: TypeAlias = Literal["now", "background", "later"]
"""When a memory learns: before a save returns, after it, or only by `settle`, `relearn` and `upkeep`."""

# When so many messages wait, they are learnt from even if the strategy would wait for more.
_MANY = 64
# Somebody waits for a save or a load, so it takes at most so many steps; the next ones go on from there.
_FEW_STEPS = 4


class Effort(NamedTuple):
    """How far one call goes in learning.

    Attributes:
        saving: Whether it is for a save or for a load: they leave a model alone that has just failed; `None` for
            neither.
        everything: Learn also from what may wait for more.
        most: At most so many steps; `None` for all.
        wait: For another process that learns this state; otherwise it is left to that one.
    """

    saving: bool | None = None
    everything: bool = False
    most: int | None = None
    wait: bool = False


class Learner:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole exchanges, as many as fit a prompt; what it learnt and how far it came are committed
    together. A crash or a failing model therefore costs at most the step it hit, and the next call starts there.

    Attributes:
        name: The name under which the store keeps the state.
        log: What it learns from.
        retry: How a failing model is dealt with.
        cached_state: The state, as far as it is known here.
        lock: Held by who derives, so that nobody else in this process does meanwhile.
        lease_seconds: How long the lease of another process lasts that has it while it derives; 0 to do without.
        idle_at: When there was last nothing to derive, as `_moment` tells it.

    Args:
        cached: The log.
        name: See above.
        hooks: The strategy's.
        retry: See above.
        pins: The pinned messages, which may leave less room for others.
        when: Learn before a save returns, after it, or when it is asked to.
        lease_seconds: See above.
        on_change: The hook `on_state_change`, if the strategy has it.
    """

    def __init__(
        self,
        cached: CachedLog,
        name: str,
        hooks: Hooks,
        retry: RetryPolicy,
        pins: Pins,
        *,
        when: LearnOption,
        lease_seconds: float,
        on_change: OnStateChange | None,
    ) -> None:
        self.name = name
        store, id_ = cached.store, cached.conversation_id
        self.cached_state: CachedState | StagedState = CachedState(store, id_, name, on_change)
        self.lock = state_locks.of(store, id_, name)
        self._cached, self.log = cached, Log(cached)
        self._hooks, self._pins, self.lease_seconds = hooks, pins, lease_seconds
        self.retry = retry
        self.idle_at: tuple[object, ...] = ()
        self._is_later = when == "later"
        # The epoch of the state since which the log was read.
        self._clean_at = 0
        self._background = Background(self._catch_up_quietly) if when == "background" else None

    async def follow(
        self, new: Sequence[Entry], *, raising: bool, whole: bool = False, everything: bool = False
    ) -> None:
        """Catch up with the log, now or in the background, unless that is for later.

        Args:
            new: What was just appended: if nothing else was, the log need not be read.
            raising: See `catch_up`.
            whole: However many steps it takes.
            everything: Learn at once, and also from what may wait for more.

        Raises:
            ModelError: As in `catch_up`.
        """
        if self._is_later and not everything:
            self._cached.add(new)
            return
        if self._background and not everything:
            self._background.start()
            return
        if not self._cached.add(new):
            await self._cached.refresh()
        most = None if everything or whole else _FEW_STEPS
        await self.catch_up(Effort(saving=True, everything=everything, most=most), raising=raising)

    async def catch_up(self, effort: Effort, *, raising: bool) -> State:
        """Learn as `learn` does, one call at a time, and return the state.

        Args:
            effort: How far to go.
            raising: Raise a model's failure; otherwise it is logged. What was committed before stays.

        Raises:
            ModelError: A model failed, now or a short time ago.
        """
        try:
            async with self.lock.hold():
                return await self.learn(effort)
        except ModelError as error:
            if raising:
                raise
            # That it failed was told when it did.
            level = logging.DEBUG if isinstance(error, RestingError) else logging.WARNING
            told = "%r is stored, but not all of it learnt from yet: %s"
            logger.log(level, told, self._cached.conversation_id, error)
        return await self.refresh()

    async def learn(self, effort: Effort) -> State:
        """Derive until nothing is left, another process does, or the model fails, and return the state.

        Raises:
            ModelError: A model failed, now or a short time ago. What was committed before stays.
        """
        async with self.leaseholder() as lease:
            state = self.cached_state.newest
            # Where others may learn too, a save looks once, after it has the lease: as long as nothing was deleted, the
            # state that is known here is behind at most.
            if not (effort.saving and lease.is_shared and self.idle_at[:2] == (state.version, self._cached.epoch)):
                state = await self.refresh()
            return await self._take_steps(effort, state, lease)

    async def learn_all(self) -> None:
        """Go on after each failure, as several saves would, until all is learnt or the model does not work at all.

        It waits for another process that learns this state.

        Raises:
            ModelError: The model does not work.
        """
        await self._cached.refresh()
        while True:
            before = _progress(await self.refresh())
            try:
                await self.learn(Effort(wait=True))
            except ModelError:
                if _progress(await self.refresh()) == before:
                    raise
            else:
                return

    def leaseholder(self) -> Leaseholder:
        """Holds the lease of the state, when it is asked to."""
        return Leaseholder(self._cached.store, self._cached.conversation_id, self.name, self.lease_seconds)

    async def _take_steps(self, effort: Effort, state: State, lease: Leaseholder) -> State:
        prompts, tidied, steps = self.retry.prompts, False, 0
        await self._pins.current()
        if known := state.attempts.prompt_tokens:
            prompts.learn(known)
        room = prompts.room
        while steps != effort.most:
            step = await self._next_step(state, room, tidied=tidied, everything=effort.everything)
            if step is None:
                break
            proven = False
            if state.attempts.failures:
                self.retry.check(state.attempts, saving=effort.saving)
            if not await lease.hold(wait=effort.wait):
                return await self.cached_state.refresh()
            if lease.is_new and (now := await self.cached_state.refresh()) is not state:
                state = now  # what another process has learnt since
                continue
            if state.attempts.failures:
                proven = await self._is_proven(state, step, room)
            try:
                changes = await self.derive(state, step.shortened)
            except ModelError as error:
                if smaller := smaller_room(room, step, error):
                    room = smaller
                    continue
                await self._note_failure(state, step.entries, error, proven=proven)
                raise
            until = step.entries[-1].seq if step.entries else state.watermark
            state = await self._commit(state, changes, until, after_success(state.attempts, all_of_it=step.is_last))
            tidied, steps = tidied or not step.entries, steps + 1
        return state

    async def _next_step(
        self, state: State, room: int, *, tidied: bool = False, everything: bool = False
    ) -> Step | None:
        if state.epoch != self._clean_at:
            # Something was deleted. Whatever is deleted after the state was read makes the commit be refused.
            await self._cached.refresh()
            self._clean_at = state.epoch
        moment = self._moment(state)  # what another thread hears of from now on was not looked at
        waiting, ripe = await self.find_waiting(state)
        if ripe := len(waiting) if everything else ripe:
            return next_step(self._clear_results(waiting), ripe, room, state.attempts.exchanges)
        if not tidied and self._due(state, ()):
            return Step((), (), is_last=False)
        self.idle_at = moment
        return None

    async def find_waiting(self, state: State) -> tuple[list[Entry], int]:
        """Return what was not learnt from yet, oldest first, and how many of the oldest are to be."""
        is_behind = state.watermark < self._cached.last
        waiting = self.select(await self.log.after(state.watermark)) if is_behind else []
        due = self._due(state, waiting) if waiting else 0
        if due is False:
            due = len(waiting) >= _MANY or sum(map(size_of, waiting)) > self.retry.prompts.room
        return waiting, len(waiting) if due is True else due

    def _due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        due = self._hooks.due(state, waiting)
        return check_returned(self._hooks, "due", due, int, "True, False or a number of messages")

    def select(self, entries: list[Entry]) -> list[Entry]:
        """The entries that the strategy learns from."""
        return entries if self._hooks.learns_system else talk(entries)

    async def derive(self, state: State, entries: Sequence[Entry]) -> Changes:
        """What the strategy learns from entries, seeing the log up to the last of them."""
        until = entries[-1].seq if entries else state.watermark
        log = Log(self._cached, until, state.attempts.aside, "learnt")
        changes = await self._hooks.derive(state, self._clear_results(entries), log)
        return check_returned(self._hooks, "derive", changes, Changes, "Changes, such as Changes({key: value})")

    def _clear_results(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        clearing = self._cached.clearing
        return clearing.replace_all(entries) if clearing else entries

    async def _commit(self, state: State, changes: Changes, until: int, attempts: Attempts) -> State:
        try:
            committed = await self.cached_state.commit(state, changes, until, attempts)
        except ConflictError:
            await self._cached.refresh()
            return await self.cached_state.refresh()
        self._cached.note_commit(committed.version)
        return committed

    async def _is_proven(self, state: State, step: Step, room: int) -> bool:
        """Whether the model works with the newest exchange (what comes of it is not kept), if that has to be known.

        Not so if no other exchange waits.

        Raises:
            ModelError: It does not work.
        """
        if not step.entries or not self.retry.needs_proof(state.attempts):
            return False
        waiting = self.select(await self.log.after(state.watermark))
        start = last_exchange(waiting)
        try:
            if start:
                await self.derive(state, shorten_entries(waiting[start:], room))
        except ModelError as error:
            await self._note_failure(state, (), error, proven=False)
            raise
        return bool(start)

    async def _note_failure(self, state: State, entries: Sequence[Entry], error: ModelError, *, proven: bool) -> None:
        """Keep with the state what follows from a step that failed."""
        attempts, aside = self.retry.after_failure(state.attempts, error, entries, proven=proven)
        if aside:
            told = "%r: messages %d to %d are set aside, since the model failed at them %d times: %s"
            logger.warning(told, self._cached.conversation_id, *aside, self.retry.max_tries, error)
        await self._commit(state, Changes(), aside[1] if aside else state.watermark, attempts)

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is now, however far it came; see `CachedState.refresh`."""
        return await self.cached_state.refresh(reset=reset)

    async def current(self) -> State:
        """The state after catching up as far as possible.

        Not if that is for later, not while another call is at it, not if the model fails, and not soon after it failed.
        """
        state = await self.refresh()
        if self._is_later or self.is_idle(state) or self.retry.rest(state.attempts, saving=False):
            return state
        if self._background:
            if await self.is_behind():
                self._background.start()
        elif not self.lock.is_taken:
            return await self.catch_up(Effort(saving=False, most=_FEW_STEPS), raising=False)
        return state

    async def is_behind(self) -> bool:
        """Whether there is something to derive."""
        return await self._next_step(await self.refresh(), self.retry.prompts.room) is not None

    def is_idle(self, state: State) -> bool:
        """Whether nothing has changed since there was nothing to derive."""
        return self._moment(state) == self.idle_at

    async def wait(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await self._background.wait()

    async def settle(self, *, raising: bool) -> None:
        """Wait for what runs in the background or in another process, then catch up, even soon after a failure.

        Loads ask the model again from now on. Raises as `catch_up` does.
        """
        self.retry.forgive()
        await self.wait()
        await self._cached.refresh()
        await self.catch_up(Effort(wait=True), raising=raising)

    async def put(self, state: State, changes: Changes, until: int, attempts: Attempts | None = None) -> bool:
        """Commit a state that was not derived step by step, in place of the one there is.

        Args:
            state: The one there is, looked up before the log was read.
            changes: Its items.
            until: The last number of the log that it stands for.
            attempts: What became of the attempts to learn; as they are by default.

        Returns:
            Whether nobody was faster.
        """
        try:
            await self.cached_state.commit(state, changes, until, attempts)
        except ConflictError:
            return False
        return True

    async def amend(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        """Commit changed items, told from the state as it is; how far the log was taken in stays as it is."""
        async with self.lock.hold():
            while True:
                state = await self.refresh()
                with contextlib.suppress(ConflictError):
                    await self.cached_state.commit(state, Changes(change()), state.watermark)
                    return

    async def _catch_up_quietly(self) -> None:
        await self._cached.refresh()
        await self.catch_up(Effort(saving=True), raising=False)

    def _moment(self, state: State) -> tuple[object, ...]:
        """All that can make something due: the state, the end of the log, and the pins."""
        return state.version, self._cached.epoch, self._cached.last, self._pins.entries


def _progress(state: State) -> tuple[int, Attempts]:
    """What changes if a failing model still gets somewhere."""
    return state.watermark, replace(state.attempts, failures=0, at=0.0)
