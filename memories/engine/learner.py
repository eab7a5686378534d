"""How the state of a strategy follows the log: step by step, until nothing is left or a model fails."""

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence

from memzoo.errors import ConflictError, CutReplyError, ModelError
from memzoo.memories.engine.background import Background
from memzoo.memories.engine.locks import state_locks
from memzoo.memories.engine.log import Follower, Log, talk
from memzoo.memories.engine.patience import Attempts, Patience, RestingError
from memzoo.memories.engine.prompt_limit import TooLongError
from memzoo.memories.engine.state import Changes, Draft, Hooks, State, StateKeeper
from memzoo.memories.engine.steps import Step, exchange_ends, next_step, shortened_entries, size_of
from memzoo.stores import JSON, Entry

__all__ = ["Learner"]

logger = logging.getLogger("memzoo")

# A message that is cut further than that says nothing any more.
_FEWEST_TOKENS = 64
# When so many messages wait, they are learnt from even if the strategy would wait for more.
_MANY = 64


class Learner:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole exchanges, as many as fit a prompt; what it learnt and how far it came are committed
    together. A crash or a failing model therefore costs at most the step it hit, and the next call starts there.

    The call that meets a failing model ends there, and leaves word with the state of how the next one is to go on, see
    `Attempts`: the same step once more, then half of it, down to one exchange. When that has failed several times, the
    model is asked about the newest exchange, to see whether it works at all; not if it gave a reply, though of no use.
    If it works, the old one is tried for the last time, and set aside if it fails. So an outage sets nothing aside.

    Attributes:
        name: The name under which the store keeps the state.
        derives: Whether it learns; otherwise the state is what the strategy itself puts there.
        keeper: What keeps the state.
        lock: Held by who derives, so that nobody else in this process does meanwhile.
        idle_at: The moment since which there is nothing to derive.

    Args:
        follower: The log.
        name: See above.
        hooks: The strategy's.
        patience: How a failing model is dealt with.
        background: Learn after the call that asked for it has returned.
    """

    def __init__(self, follower: Follower, name: str, hooks: Hooks, patience: Patience, *, background: bool) -> None:
        self.name, self.derives = name, hooks.derives
        store, id_ = follower.store, follower.conversation_id
        self.keeper: StateKeeper | Draft = StateKeeper(store, id_, name, hooks.on_state_change)
        self.lock = state_locks.of(store, id_, name)
        self._follower, self._log = follower, Log(follower)
        self._hooks = hooks
        self._patience = patience
        self.idle_at: tuple[object, ...] = ()
        self._background = Background(self._catch_up_quietly) if background else None

    # The way of a save: `follow` > `catch_up` > `learn` > the strategy's `derive` > `commit`.

    async def follow(self, new: Sequence[Entry], *, raising: bool, everything: bool = False) -> None:
        """Catch up with the log, now or in the background.

        Args:
            new: What was just appended: if nothing else was, the log need not be read.
            raising: See `catch_up`.
            everything: Learn at once, and also from what may wait for more.

        Raises:
            ModelError: As in `catch_up`.
        """
        if not self.derives:
            self._follower.add(new)
            return
        if self._background and not everything:
            self._background.start()
            return
        if not self._follower.add(new):
            await self._follower.refresh()
        await self.catch_up(raising=raising, saving=True, everything=everything)

    async def catch_up(self, *, raising: bool, saving: bool | None = None, everything: bool = False) -> State:
        """Learn as `learn` does, one call at a time, and return the state.

        Args:
            raising: Raise a model's failure; otherwise it is logged. What was committed before stays.
            saving: See `learn`.
            everything: See `learn`.

        Raises:
            ModelError: A model failed, now or a short time ago.
        """
        try:
            async with self.lock.held():
                return await self.learn(saving=saving, everything=everything)
        except ModelError as error:
            if raising:
                raise
            # That it failed was told when it did.
            level = logging.DEBUG if isinstance(error, RestingError) else logging.WARNING
            told = "%r is stored, but not all of it learnt from yet: %s"
            logger.log(level, told, self._follower.conversation_id, error)
        return await self.refresh()

    async def learn(self, *, saving: bool | None = None, everything: bool = False) -> State:
        """Derive until nothing is left or the model fails, and return the state.

        Args:
            saving: Whether it is for a save or for a load: they leave a model alone that has just failed; `None` for
                neither.
            everything: Learn also from what may wait for more.

        Raises:
            ModelError: A model failed, now or a short time ago. What was committed before stays.
        """
        state, prompts, tidied = await self.keeper.refresh(), self._patience.prompts, False
        if known := state.attempts.prompt_tokens:
            prompts.learn(known)
        room = prompts.room
        while step := await self._next_step(state, room, tidied=tidied, everything=everything):
            proven = False
            if state.attempts.failures:
                self._patience.check(state.attempts, saving=saving)
                proven = await self._is_proven(state, step, room)
            try:
                changes = await self.derived(state, step.shortened)
            except ModelError as error:
                if smaller := _smaller(room, step, error):
                    room = smaller
                    continue
                await self._note_failure(state, step.entries, error, proven=proven)
                raise
            until = step.entries[-1].seq if step.entries else state.watermark
            state = await self._committed(state, changes, until, state.attempts.learnt(all_of_it=step.is_last))
            tidied = tidied or not step.entries
        return state

    async def derived(self, state: State, entries: Sequence[Entry]) -> Changes:
        """What the strategy learns from entries, seeing the log up to the last of them."""
        until = entries[-1].seq if entries else state.watermark
        return await self._hooks.derive(state, entries, Log(self._follower, until, state.attempts.aside))

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is now, however far it came; see `StateKeeper.refresh`."""
        return await self.keeper.refresh(reset=reset)

    async def current(self) -> State:
        """The state after catching up as far as possible.

        Not while another call is at it, not if the model fails, and not soon after it failed.
        """
        state = await self.refresh()
        if not self.derives or self.is_idle(state) or self._patience.rest(state.attempts, saving=False):
            return state
        if self._background:
            if await self.behind():
                self._background.start()
        elif not self.lock.is_taken:
            return await self.catch_up(raising=False, saving=False)
        return state

    async def waiting(self, state: State) -> tuple[list[Entry], int]:
        """What was not learnt from yet, oldest first, and how many of the oldest are to be."""
        waiting = self._heard(await self._log.after(state.watermark)) if self.derives else []
        due = self._hooks.due(state, waiting) if waiting else 0
        if due is False:
            due = len(waiting) >= _MANY or sum(map(size_of, waiting)) > self._patience.prompts.room
        return waiting, len(waiting) if due is True else due

    async def behind(self) -> bool:
        """Whether there is something to derive."""
        return await self._next_step(await self.refresh(), self._patience.prompts.room) is not None

    def is_idle(self, state: State) -> bool:
        """Whether nothing has happened since there was nothing to derive."""
        return self._moment(state) == self.idle_at

    async def finished(self) -> None:
        """Wait for what runs in the background."""
        if self._background:
            await self._background.finished()

    async def settle(self, *, raising: bool) -> None:
        """Wait for what runs in the background, then catch up with what is left, even soon after a failure.

        Loads ask the model again from now on. Raises as `catch_up` does.
        """
        self._patience.forgive()
        await self.finished()
        await self._follower.refresh()
        await self.catch_up(raising=raising)

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

    async def amend(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        """Commit changed items, told from the state as it is; how far the log was taken in stays as it is."""
        async with self.lock.held():
            while True:
                state = await self.refresh()
                with contextlib.suppress(ConflictError):
                    await self.keeper.commit(state, Changes(change()), state.watermark)
                    return

    async def take_up(self, aside: tuple[int, int]) -> None:
        """Learn from an exchange that was set aside.

        Raises:
            ModelError: It failed, and stays aside.
            ConflictError: Another writer was faster; nothing is changed.
        """
        state = await self.refresh()
        entries = self._heard(await self._log.between(*aside))
        changes = Changes()
        if entries:
            changes = await self.derived(state, shortened_entries(entries, self._patience.prompts.room))
        await self.keeper.commit(state, changes, state.watermark, state.attempts.taken_up(aside))

    async def _next_step(
        self, state: State, room: int, *, tidied: bool = False, everything: bool = False
    ) -> Step | None:
        moment = self._moment(state)  # what another thread hears of from now on was not looked at
        waiting, ripe = await self.waiting(state)
        if ripe := len(waiting) if everything else ripe:
            return next_step(waiting, ripe, room, state.attempts.exchanges)
        if not tidied and self._hooks.due(state, ()):
            return Step((), (), is_last=False)
        self.idle_at = moment
        return None

    def _heard(self, entries: list[Entry]) -> list[Entry]:
        """The entries that the strategy learns from."""
        return entries if self._hooks.learns_system else talk(entries)

    async def _is_proven(self, state: State, step: Step, room: int) -> bool:
        """Whether the model works with the newest exchange (what comes of it is not kept), if that has to be known.

        Not so if no other exchange waits.

        Raises:
            ModelError: It does not work.
        """
        if not step.entries or not self._patience.needs_proof(state.attempts):
            return False
        waiting = self._heard(await self._log.after(state.watermark))
        *_, start, _ = (0, 0, *exchange_ends(waiting))
        try:
            if start:
                await self.derived(state, shortened_entries(waiting[start:], room))
        except ModelError as error:
            await self._note_failure(state, (), error, proven=False)
            raise
        return bool(start)

    async def _note_failure(self, state: State, entries: Sequence[Entry], error: ModelError, *, proven: bool) -> None:
        """Keep with the state that a step failed."""
        attempts, until = self._patience.after(state.attempts, entries, error, proven=proven), state.watermark
        if attempts.aside != state.attempts.aside:
            first, until = entries[0].seq, entries[-1].seq
            logger.warning(
                "%r: messages %d to %d are set aside, since the model failed at them %d times: %s",
                *(self._follower.conversation_id, first, until, self._patience.tries, error),
            )
        await self._committed(state, Changes(), until, attempts)

    async def _committed(self, state: State, changes: Changes, until: int, attempts: Attempts) -> State:
        try:
            return await self.keeper.commit(state, changes, until, attempts)
        except ConflictError:
            await self._follower.refresh()
            return await self.keeper.refresh()

    async def _catch_up_quietly(self) -> None:
        await self._follower.refresh()
        await self.catch_up(raising=False, saving=True)

    def _moment(self, state: State) -> tuple[object, ...]:
        """What has to change before something can be due that was not."""
        entries = self._follower.entries
        return state.version, self._follower.epoch, entries[-1].seq if entries else 0


def _smaller(room: int, step: Step, error: ModelError) -> int:
    """The room for a smaller step, to be tried at once; 0 if a smaller one would be of no use, or there is none.

    So it is where a prompt is too long of which nobody was asked yet; and where the reply to several exchanges was cut
    off, since that to fewer is shorter.
    """
    least = _size_of_first(step.entries)
    if isinstance(error, CutReplyError) and least:
        return max(sum(map(size_of, step.entries)) // 2, least)
    least = least or _FEWEST_TOKENS
    if isinstance(error, TooLongError) and not error.asked and room > least:
        return max(room - max(error.excess, room // 8), least)
    return 0


def _size_of_first(entries: Sequence[Entry]) -> int:
    """The room that the first of several exchanges takes; 0 if there is only one, which can be made shorter only."""
    ends = [*exchange_ends(entries)]
    return sum(map(size_of, entries[: ends[0]])) if len(ends) > 1 else 0
