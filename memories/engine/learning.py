"""Learning from what waits: step by step, until nothing is left or a model fails."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from memzoo.memories.engine.attempts import Attempts
from memzoo.memories.engine.log import Follower, Log, talk
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.prompt_limit import TooLongError, shortened_entries
from memzoo.memories.engine.state import Changes, OnStateChange, State
from memzoo.memories.engine.steps import Step, exchange_ends, next_step, size_of
from memzoo.stores import Entry
from memzoo.stores.errors import ConflictError, ModelError, ModelReplyError

__all__ = ["Hooks", "Keeper", "Learning", "hooks_of"]

logger = logging.getLogger("memzoo")

# A message that is cut further than that says nothing any more.
_FEWEST_TOKENS = 64
_MANY = 64


class Hooks(NamedTuple):
    """What a strategy gives to the engine.

    Attributes:
        derive: Learns from entries that the state has not taken in.
        due: Whether the entries that wait, if they are all there are, are to be learnt from now; or how many of them.
        on_state_change: Called when the state changed; see `StateKeeper`. `None` if nothing is kept beside the state.
        learns_system: Whether system messages are among the entries; otherwise they are no part of what was said.
    """

    derive: Callable[[State, Sequence[Entry], Log], Awaitable[Changes]]
    due: Callable[[State, Sequence[Entry]], bool | int]
    on_state_change: OnStateChange | None
    learns_system: bool = False


def hooks_of(memory: Any, base: type, *, learns_system: bool) -> Hooks | None:
    """The hooks of a memory whose class overrides those of a base; `None` if it does not learn.

    Args:
        memory: Has the hooks.
        base: Has them as they are by default.
        learns_system: Whether they are given system messages too.
    """
    learns, follows = (getattr(type(memory), one) is not getattr(base, one) for one in ("derive", "on_state_change"))
    on_state_change = memory.on_state_change if follows else None
    return Hooks(memory.derive, memory.due, on_state_change, learns_system) if learns else None


class Keeper(Protocol):
    """Where a state is read and committed; see `StateKeeper`."""

    async def refresh(self) -> State:
        """The state as it is now."""
        ...

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts) -> State:
        """Keep what was learnt."""
        ...


class Learning:
    """Takes in what waits, in steps that are committed one by one.

    The call that meets a failing model ends there, and leaves word with the state of how the next one is to go on, see
    `Attempts`: the same step once more, then half of it, down to one exchange. When that has failed several times, the
    model is asked about the newest exchange, to see whether it works at all; not if it gave a reply, though of no use.
    If it works, the old one is tried for the last time, and set aside if it fails. So an outage sets nothing aside.

    Args:
        log: The conversation.
        hooks: The strategy's.
        patience: How a failing model is dealt with.
    """

    def __init__(self, log: Follower, hooks: Hooks, patience: Patience) -> None:
        self._follower = log
        self._log = Log(log)
        self._hooks = hooks
        self._patience = patience

    async def until_done(
        self, keeper: Keeper, *, may_ask: Callable[[Attempts], None] = lambda _: None, everything: bool = False
    ) -> State:
        """Learn until nothing is left, and return the state.

        Args:
            keeper: Where the state is kept.
            may_ask: Called before each step; raises a `ModelError` if the model is not to be asked now.
            everything: Learn also from what may wait for more.

        Raises:
            ModelError: A model failed. What was committed before stays.
        """
        state = await keeper.refresh()
        if known := state.attempts.prompt_tokens:
            self._patience.prompts.learn(known)
        room, tidies = self._patience.prompts.room, True
        while step := await self._next_step(state, room, tidies=tidies, everything=everything):
            may_ask(state.attempts)
            try:
                state = await self._take(keeper, state, step, room)
                tidies = tidies and bool(step.entries)
            except TooLongError as error:
                if not self._can_shorten(error, room):
                    raise
                room //= 2
        return state

    async def is_behind(self, state: State) -> bool:
        """Whether there is something to learn from now."""
        return await self._next_step(state, self._patience.prompts.room) is not None

    async def ripe(self, state: State) -> tuple[list[Entry], int]:
        """What was not learnt from yet, oldest first, and how many of the oldest are to be."""
        waiting = self._heard(await self._log.after(state.watermark))
        due = self._hooks.due(state, waiting) if waiting else 0
        if due is False:
            # One who waits for something else is not to wait for ever.
            due = len(waiting) >= _MANY or sum(map(size_of, waiting)) > self._patience.prompts.room
        return waiting, len(waiting) if due is True else due

    async def derived(self, state: State, entries: Sequence[Entry], room: int) -> Changes:
        """What a strategy learns from entries, as far as there is room for them in a prompt."""
        until = entries[-1].seq if entries else state.watermark
        log = Log(self._follower, until, state.attempts.aside)
        return await self._hooks.derive(state, shortened_entries(entries, room), log)

    async def take_up(self, keeper: Keeper, aside: tuple[int, int]) -> None:
        """Learn from an exchange that was set aside.

        Raises:
            ModelError: It failed, and stays aside.
            ConflictError: Another writer was faster; nothing is changed.
        """
        state = await keeper.refresh()
        entries = self._heard(await self._log.between(*aside))
        changes = Changes()
        if entries:
            changes = await self.derived(state, entries, self._patience.prompts.room)
        await keeper.commit(state, changes, state.watermark, state.attempts.taken_up(aside))

    async def _next_step(
        self, state: State, room: int, *, tidies: bool = True, everything: bool = False
    ) -> Step | None:
        if tidies and self._hooks.due(state, ()):
            return Step((), 0, is_last=False)
        waiting, ripe = await self.ripe(state)
        if everything:
            ripe = len(waiting)
        return next_step(waiting, ripe, room, state.attempts.exchanges) if ripe else None

    def _heard(self, entries: list[Entry]) -> list[Entry]:
        """The entries that the strategy learns from."""
        return entries if self._hooks.learns_system else talk(entries)

    def _can_shorten(self, error: ModelError, room: int) -> bool:
        """Whether a step that was too long is made shorter, as nobody was asked yet."""
        return isinstance(error, TooLongError) and not error.asked and room >= 2 * _FEWEST_TOKENS

    async def _take(self, keeper: Keeper, state: State, step: Step, room: int) -> State:
        is_last_try = step.exchanges == 1 and state.attempts.is_last_try(self._patience.tries)
        needs_proof = is_last_try and not state.attempts.answered
        is_proven = needs_proof and await self._is_proven(keeper, state, room)
        try:
            changes = await self.derived(state, step.entries, room)
        except ModelError as error:
            if not self._can_shorten(error, room):
                if needs_proof and not is_proven:
                    step, is_last_try = Step((), 0, is_last=False), False
                # A reply may have come before an outage: only another one shows that the model is still there.
                is_last_try = is_last_try and (is_proven or isinstance(error, ModelReplyError))
                await self._give_up(keeper, state, step, error, is_last_try=is_last_try)
            raise
        until = step.entries[-1].seq if step.entries else state.watermark
        return await self._committed(keeper, state, changes, until, state.attempts.learnt(all_of_it=step.is_last))

    async def _is_proven(self, keeper: Keeper, state: State, room: int) -> bool:
        """Whether the model works with the newest exchange (what comes of it is not kept); not so if no other waits.

        Raises:
            ModelError: It does not work.
        """
        waiting = self._heard(await self._log.after(state.watermark))
        *_, start, _ = (0, 0, *exchange_ends(waiting))
        try:
            if start:
                await self.derived(state, waiting[start:], room)
        except ModelError as error:
            await self._committed(keeper, state, Changes(), state.watermark, self._after_a_refusal(state, error))
            raise
        return bool(start)

    async def _give_up(self, keeper: Keeper, state: State, step: Step, error: ModelError, *, is_last_try: bool) -> None:
        """Leave word of a step that failed."""
        attempts, until = state.attempts, state.watermark
        if _leads_to_less(error) or not step.entries:
            attempts = self._after_a_refusal(state, error)
        elif is_last_try:
            first, until = step.entries[0].seq, step.entries[-1].seq
            attempts = attempts.set_aside(first, until)
            logger.warning(
                "%r: messages %d to %d are set aside, since the model failed at them %d times: %s",
                *(self._follower.conversation_id, first, until, self._patience.tries, error),
            )
        else:
            answered = isinstance(error, ModelReplyError)
            attempts = attempts.failed(step.entries[0].seq, step.exchanges, self._patience.clock(), answered=answered)
        await self._committed(keeper, state, Changes(), until, attempts)

    def _after_a_refusal(self, state: State, error: ModelError) -> Attempts:
        """After a call that failed for no fault of the step."""
        now = self._patience.clock()
        if _leads_to_less(error):
            # The model is there, and the next prompt is shorter, so there is no reason to wait.
            return replace(state.attempts, failures=1, at=now, prompt_tokens=self._patience.prompts.tokens)
        return state.attempts.refused(now)

    async def _committed(self, keeper: Keeper, state: State, changes: Changes, until: int, attempts: Attempts) -> State:
        try:
            return await keeper.commit(state, changes, until, attempts)
        except ConflictError:
            await self._follower.refresh()
            return await keeper.refresh()


def _leads_to_less(error: ModelError) -> bool:
    """Whether the endpoint has said how long a prompt may be, so that the next one is shorter."""
    return isinstance(error, TooLongError) and error.asked and error.shorter
