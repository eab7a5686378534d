"""How a strategy's state follows the log, step by step, after a save has stored new messages.

1. `follow` adds the new messages to the cached log. `catch_up` then waits for other calls in this process that are
   learning the same state.
2. As soon as enough exchanges wait (a portion, usually `learn_every`), `learn` begins to take steps. The strategy's
   `due` says how many of the waiting messages to learn from. Each step takes the oldest whole exchanges of these, as
   many as fit in a prompt (`next_step`). If another process is learning this state, the steps are left to that process
   (`Leaseholder`).
3. The strategy's `derive` returns the changes learnt from these messages. `CachedState.commit` stores the changes with
   the number of the last message. Then the next step is chosen.
4. If a model fails, the call stores its `Attempts` with the state, and ends. The next call goes on from there; see
   `retry`.
"""

import contextlib
import itertools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memzoo.errors import ConflictError, ModelError, OptionError, StoreError
from memzoo.memories.engine.background import Background
from memzoo.memories.engine.hooks import await_hook, check_returned
from memzoo.memories.engine.leaseholder import Leaseholder
from memzoo.memories.engine.locks import state_locks
from memzoo.memories.engine.log import CachedLog, Log, talk
from memzoo.memories.engine.prompt_limit import LearningStep, next_step, shorten_entries, size_of, smaller_room
from memzoo.memories.engine.retry import MAX_TRIES, RestingError, RetryPolicy, after_success, is_last_try
from memzoo.memories.engine.state import Attempts, CachedState, Changes, StagedState, State
from memzoo.memories.options import one_of, whole_number
from memzoo.memories.text.grouping import last_exchange
from memzoo.stores import JSON, Entry
from memzoo.sync import together

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

logger = logging.getLogger("memzoo")

Progress: TypeAlias = Callable[[int, int], None]
"""A function called with two numbers: the messages learnt from so far, and all messages to learn from."""

# This many waiting messages are learnt from even if the strategy's `due` would wait for more.
_MANY = 64
# A caller waits for a save or a load, so one call takes few steps; the next call goes on from there.
_FEW_STEPS = 4


class WaitingRules(NamedTuple):
    """The rules for waiting messages: when a strategy learns from them, and how many of them a view shows.

    Attributes:
        portion: The number of exchanges to learn from at once: `learn_every`, or the strategy's default.
        pending_limit: The token limit for waiting messages: `max_pending_tokens`, or the model's default.
        message_limit: The token limit for all messages in a view; if given, it replaces `pending_limit`.
        shows_waiting: True if views also show messages that were due, but could not be learnt from.
        learns_system: True if the strategy also learns from system messages.
    """

    portion: int = 1
    pending_limit: int = 0
    message_limit: int | None = None
    shows_waiting: bool = False
    learns_system: bool = False


class Effort(NamedTuple):
    """Settings for one call of `Learner.catch_up` or `Learner.learn`.

    Attributes:
        saving: True in a save, False in a load, otherwise `None`. Shortly after a failure, saves and loads do not ask
            the model.
        rest: True to learn from all waiting messages, even from fewer than `learn_every` exchanges.
        most: The maximum number of steps; `None` for no limit.
        wait: True to wait while another process learns this state; False to leave the work to that process.
    """

    saving: bool | None = None
    rest: bool = False
    most: int | None = None
    wait: bool = False


class Waiting(NamedTuple):
    """The messages that a strategy has not learnt from yet.

    Attributes:
        entries: The messages, oldest first.
        due: The number of messages to learn from next, counted from the oldest.
        is_held: True if there are too few messages yet to learn from (see `learn_every`).
    """

    entries: Sequence[Entry]
    due: int
    is_held: bool = False


class Learner:
    """Brings the state of a strategy up to the end of the log, in steps that are committed one by one.

    A step takes in whole exchanges, as many as fit a prompt. The step's changes and last log number are committed
    together. A crash or a failing model therefore loses at most the current step, and the next call repeats that step.

    Attributes:
        name: The name under which the store keeps the state.
        hooks: The strategy, with its hooks.
        rules: The rules for waiting messages.
        log: The log to learn from.
        cached_state: The newest known state.
        lock: The lock held while learning; see `StateLock`.
        idle_at: The versions of state, log and pins at the last check that found nothing to learn.
        holds: True if the check at `idle_at` found waiting messages, but too few to learn from.

    Args:
        cached: The cached log.
        name: The name under which the store keeps the state.
        hooks: The strategy.
        retry: The policy for a failing model.
        rules: The rules for waiting messages.
        lease_seconds: The duration of a lease, during which other processes do not learn the state; 0 for no lease.
    """

    def __init__(
        self,
        cached: CachedLog,
        name: str,
        hooks: "BaseMemory",
        retry: RetryPolicy,
        rules: WaitingRules,
        *,
        lease_seconds: float,
    ) -> None:
        self.name = name
        store, id_ = cached.store, cached.conversation_id
        self.cached_state: CachedState | StagedState = CachedState(store, id_, name, hooks.on_state_change)
        self.lock = state_locks.of(store, id_, name)
        self._cached, self.log = cached, Log(cached)
        self.hooks, self.retry, self.rules, self.lease_seconds = hooks, retry, rules, lease_seconds
        self.idle_at: tuple[object, ...] = ()
        self.holds = False
        self._is_later = hooks.learn == "later"
        # The state's epoch at the last refresh of the log.
        self._clean_at = 0
        self._background = Background(self._catch_up_quietly) if hooks.learn == "background" else None

    async def follow(self, new: Sequence[Entry], *, raising: bool, whole: bool = False) -> None:
        """Learn from new entries, now or in the background.

        With `learn="later"`, only take the entries into the cached log.

        Args:
            new: The entries just appended.
            raising: True to raise a model's failure, false to log it.
            whole: True to learn from all new entries, even if they take many steps or are fewer than `learn_every`
                exchanges.

        Raises:
            ModelError: A model failed, now or a short time ago.
        """
        if self._is_later:
            self._cached.add(new)
            return
        if self._background:
            self._background.start()
            return
        if not self._cached.add(new):
            await self._cached.refresh()
        most = None if whole else _FEW_STEPS
        await self.catch_up(Effort(saving=True, rest=whole, most=most), raising=raising)

    async def catch_up(self, effort: Effort, *, raising: bool) -> State:
        """Learn from the waiting messages, and return the state.

        If another call in this process is learning the same state, wait for that call first.

        Args:
            effort: The settings.
            raising: True to raise a model's failure, false to log it.

        Raises:
            ModelError: A model failed, now or a short time ago.
        """
        try:
            async with self.lock.hold():
                return await self.learn(effort)
        except ModelError as error:
            if raising:
                raise
            # The failure itself was logged or raised when it happened.
            level = logging.DEBUG if isinstance(error, RestingError) else logging.WARNING
            told = "%r is stored, but not all of it learnt from yet: %s"
            logger.log(level, told, self._cached.conversation_id, error)
        return await self.refresh()

    async def learn(self, effort: Effort) -> State:
        """Take steps until nothing is left to learn, or another process is learning; return the state.

        Raises:
            ModelError: A model failed, now or a short time ago. Earlier commits stay.
        """
        async with self._leaseholder() as lease:
            state = self.cached_state.newest
            # In a store with leases, a save reads the state only once, after taking the lease: unless something was
            # deleted, the cached state can only be behind.
            if not (effort.saving and lease.is_shared and self.idle_at[:2] == (state.version, self._cached.epoch)):
                state = await self.refresh()
            return await self._take_steps(effort, state, lease)

    async def learn_all(self) -> None:
        """Learn from all waiting messages. After a failure, try again if the failed attempt made some progress.

        If another process is learning this state, wait for that process first.

        Raises:
            ModelError: The model failed, and the attempt made no progress.
        """
        await self._cached.refresh()
        while True:
            before = _progress(await self.refresh())
            try:
                await self.learn(Effort(rest=True, wait=True))
            except ModelError:
                if _progress(await self.refresh()) == before:
                    raise
            else:
                return

    def _leaseholder(self) -> Leaseholder:
        return Leaseholder(self._cached.store, self._cached.conversation_id, self.name, self.lease_seconds)

    async def _take_steps(self, effort: Effort, state: State, lease: Leaseholder) -> State:
        prompts, tidied, steps = self.retry.prompts, False, 0
        await self._cached.pins.current()
        if known := state.attempts.prompt_tokens:
            prompts.learn(known)
        room = prompts.room
        while steps != effort.most:
            step = await self._next_step(state, room, tidied=tidied, rest=effort.rest)
            if step is None:
                break
            proven = False
            if state.attempts.failures:
                self.retry.check(state.attempts, saving=effort.saving)
            if not await lease.hold(wait=effort.wait):
                return await self.cached_state.refresh()
            if lease.is_new and (now := await self.cached_state.refresh()) is not state:
                state = now  # another process has learnt something since
                continue
            if state.attempts.failures:
                proven = await self._is_proven(state, step, room)
            try:
                changes = await self.derive(state, step.entries)
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
        self, state: State, room: int, *, tidied: bool = False, rest: bool = False
    ) -> LearningStep | None:
        if state.epoch != self._clean_at:
            # Something was deleted. A deletion after the state was read makes the commit fail.
            await self._cached.refresh()
            self._clean_at = state.epoch
        moment = self._moment(state)  # before the search, which may miss messages that another thread adds meanwhile
        waiting = await self.find_waiting(state)
        if waiting.due and (rest or not waiting.is_held):
            entries, usual = self._clear_results(waiting.entries), self.retry.prompts.usual // 2
            return next_step(
                entries, waiting.due, room, state.attempts.exchanges, portion=self.rules.portion, usual=usual
            )
        if not tidied and self.hooks.is_over_limit(state):
            return LearningStep((), is_last=False)
        if not (waiting.is_held and self.hooks.learn_after_pause):  # time alone makes these messages due
            self.idle_at, self.holds = moment, waiting.is_held
        return None

    def _select(self, entries: list[Entry]) -> list[Entry]:
        """Return the entries from which the strategy learns: without system messages, unless it learns from them."""
        return entries if self.rules.learns_system else talk(entries)

    async def find_waiting(self, state: State) -> Waiting:
        """Return the messages not learnt from yet."""
        is_behind = state.watermark < self._cached.last
        waiting = self._select(await self.log.after(state.watermark)) if is_behind else []
        due = self.hooks.due(state, waiting) if waiting else 0
        check_returned(self.hooks, "due", due, int, "True, False or a number of messages")
        if due is True:
            return Waiting(waiting, len(waiting), is_held=not await self._is_portion(state, waiting))
        if due is False and (len(waiting) >= _MANY or sum(map(size_of, waiting)) > self.retry.prompts.usual // 2):
            due = len(waiting)
        return Waiting(waiting, due)

    async def _is_portion(self, state: State, waiting: Sequence[Entry]) -> bool:
        """Return whether waiting messages make a portion worth a model call: usually `learn_every` exchanges.

        Fewer exchanges make a portion if they take half of the room in the view, since messages must not leave the view
        before they are learnt from; if they take all of the room in a prompt; or after a pause (`learn_after_pause`).
        """
        roles = [entry.message["role"] for entry in waiting]
        # A user message at the end has no answer yet, so its exchange is not complete.
        if roles.count("user") - (roles[-1] == "user") >= self.rules.portion or self.rules.portion == 1:
            return True
        if (pause := self.hooks.learn_after_pause) is not None:
            times = [*(entry.created_at.timestamp() for entry in waiting), self.hooks.clock()]
            if any(after - before >= pause for before, after in itertools.pairwise(times)):
                return True
        room, size = self.room_for_waiting()
        others = itertools.chain(*await self.find_others(state, waiting))
        return (
            2 * sum(map(size, waiting)) >= room - sum(map(size, others))
            or sum(map(size_of, waiting)) > self.retry.prompts.room
        )

    def room_for_waiting(self) -> tuple[int, Callable[[Entry], float]]:
        """Return the token limit for waiting messages in a view, and a function that counts a message's tokens."""
        limit = self.rules.message_limit
        # Without an option that needs exact counts, tokens are estimated: an estimate needs no vocabulary.
        exact = self.hooks.token_counter is not None or limit is not None
        size = self.hooks.render.tokens if exact else size_of
        return self.rules.pending_limit if limit is None else limit, size

    async def find_others(self, state: State, waiting: Sequence[Entry]) -> tuple[list[Entry], Sequence[Entry]]:
        """Return the messages set aside after failures, and the pinned messages that are neither set aside nor waiting.

        A view shows these messages too, so they leave less room for the waiting messages.
        """
        aside = [entry for first, last in state.attempts.aside for entry in await self.log.between(first, last)]
        return aside, self._cached.pins.besides([*aside, *waiting])

    async def derive(self, state: State, entries: Sequence[Entry]) -> Changes:
        """Return the changes that the strategy derives from entries. The strategy sees the log up to the last entry."""
        until = entries[-1].seq if entries else state.watermark
        log = Log(self._cached, until, state.attempts.aside, "learnt")
        called = self.hooks.derive(state, self._clear_results(entries), log)
        right = "Changes, such as Changes({key: value})"
        return await await_hook(self.hooks, "derive", called, Changes, right)

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

    async def _is_proven(self, state: State, step: LearningStep, room: int) -> bool:
        """Try the model with the newest exchange and drop the result; return True if the model works.

        Return False without a try if no proof is needed, or no other exchange waits.

        Raises:
            ModelError: The model does not work.
        """
        # Only a failure that could set an exchange aside needs the proof.
        if not step.entries or not is_last_try(state.attempts) or state.attempts.answered:
            return False
        waiting = self._select(await self.log.after(state.watermark))
        start = last_exchange(waiting)
        try:
            if start:
                await self.derive(state, shorten_entries(waiting[start:], room))
        except ModelError as error:
            await self._note_failure(state, (), error, proven=False)
            raise
        return bool(start)

    async def _note_failure(self, state: State, entries: Sequence[Entry], error: ModelError, *, proven: bool) -> None:
        """Commit the consequences of a failed step with the state."""
        attempts, aside = self.retry.after_failure(state.attempts, error, entries, proven=proven)
        if aside:
            told = "%r: messages %d to %d are set aside, since the model failed at them %d times: %s"
            logger.warning(told, self._cached.conversation_id, *aside, MAX_TRIES, error)
        await self._commit(state, Changes(), aside[1] if aside else state.watermark, attempts)

    async def refresh(self, *, reset: bool = False) -> State:
        """Return the current state without learning; see `CachedState.refresh`."""
        return await self.cached_state.refresh(reset=reset)

    async def current(self) -> State:
        """Return the state for a load, after learning from the waiting messages if possible.

        Nothing is learnt if the option `learn` is "later", if another call is learning, or if the model failed a short
        time ago. With `learn="background"`, learning begins, but the load does not wait for it. If the model fails now,
        the newest committed state is returned.
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
        """Return whether there is work to do now: messages to learn from, or a state to shorten."""
        return await self._next_step(await self.refresh(), self.retry.prompts.room) is not None

    def is_idle(self, state: State) -> bool:
        """Return whether the last check found nothing to learn, and nothing has changed since."""
        return self._moment(state) == self.idle_at

    async def wait(self) -> None:
        """Wait for the background run, if possible; see `Background.wait`."""
        if self._background:
            await self._background.wait()

    async def learn_left_out(self, gone: Collection[int]) -> bool:
        """If a request leaves out a waiting message, learn from all waiting messages.

        Returns whether anything was learnt. With `learn="later"`, nothing is learnt.

        Args:
            gone: The log numbers of the messages that the request leaves out.
        """
        before = self.cached_state.newest.watermark
        if self._is_later or max(gone) <= before:
            return False
        return (await self.catch_up(Effort(saving=False, rest=True), raising=False)).watermark > before

    async def finish(self) -> None:
        """Learn from all waiting messages, even from fewer than `learn_every` exchanges. Failures are logged.

        With `learn="later"`, nothing is learnt.
        """
        if self._is_later or self.rules.portion == 1:
            return
        await self.wait()
        try:
            await self._cached.refresh()
            await self.catch_up(Effort(saving=True, rest=True), raising=False)
        except StoreError as error:
            logger.warning("learning the rest of a portion is left for later: %s", error)

    async def settle(self, *, raising: bool) -> None:
        """Wait for runs in the background and in other processes, then catch up, even soon after a failure.

        Afterwards, loads may ask the model again at once. Raises the errors of `catch_up`.
        """
        self.retry.forgive()
        await self.wait()
        await self._cached.refresh()
        await self.catch_up(Effort(rest=True, wait=True), raising=raising)

    async def learn_anew(self, first: int, tell: Callable[[int], None]) -> None:
        """Derive the state from the log again, and replace the old state once the new state is complete.

        Args:
            first: The log number to begin with, if the state consists of embeddings; the embeddings of older messages
                stay. Any other state is derived from the whole log.
            tell: A function called after each step with the last log number learnt from.

        Raises:
            ModelError: The model does not work; nothing was changed.
            ConflictError: Something was deleted meanwhile; nothing was changed.
        """
        async with self.lock.hold():
            log, old = self._cached, await self.refresh()
            if not log.last:
                return
            epoch, before = log.epoch, 0 if old.items else min(first - 1, old.watermark)
            aside = tuple(one for one in old.attempts.aside if one[1] <= before)
            # Another object of the strategy learns the new state, so that its search indexes follow that state.
            drafting = self.hooks.clone()
            drafting.usage = self.hooks.usage
            attempts = Attempts(aside=aside, prompt_tokens=old.attempts.prompt_tokens)
            state = State(watermark=before, attempts=attempts)
            draft = drafting.learners[0].cached_state = StagedState(state, tell, drafting.on_state_change)
            try:
                await drafting.learners[0].learn_all()
            except ModelError as error:
                error.add_note("What was known before is kept as it was; nothing was changed.")
                raise
            new = draft.newest
            while True:
                # The log is read after the state: a later deletion makes the commit fail.
                old = await self.refresh()
                await log.refresh()
                if log.epoch != epoch:
                    raise ConflictError("something was deleted meanwhile; nothing was changed, call relearn again")
                items = {**dict.fromkeys(old.items), **new.items}
                with contextlib.suppress(ConflictError):
                    await self.cached_state.commit(old, Changes(items, draft.embeddings), new.watermark, new.attempts)
                    return

    async def learn_set_aside(self) -> None:
        """Learn from the set-aside exchanges, one after the other.

        Raises:
            ModelError: The model failed at an exchange, which stays set aside.
            ConflictError: Another writer committed first; nothing is changed.
        """
        async with self.lock.hold(), self._leaseholder() as lease:
            for aside in (await self.refresh()).attempts.aside:
                await lease.hold(wait=True)
                state, changes = await self.refresh(), Changes()
                if aside not in state.attempts.aside:  # the exchange was forgotten meanwhile, and the state cleared
                    continue
                # The log is read after the state: a later deletion makes the commit fail.
                await self._cached.refresh()
                if entries := self._select(await self.log.between(*aside)):
                    changes = await self.derive(state, shorten_entries(entries, self.retry.prompts.room))
                left = replace(state.attempts, aside=tuple(one for one in state.attempts.aside if one != aside))
                await self.cached_state.commit(state, changes, state.watermark, left)

    async def amend(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        """Commit changed items of the state; its watermark (the last log number learnt from) stays the same.

        Args:
            change: A function that returns the changed items; called again if another writer committed first.
        """
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
        """Return all values that can make a step due: the state's version, the log's epoch and end, and the pins."""
        return state.version, self._cached.epoch, self._cached.last, self._cached.pins.entries


def _progress(state: State) -> tuple[int, Attempts]:
    """Return the part of a state that changes whenever a try makes progress, even if the model fails."""
    return state.watermark, replace(state.attempts, failures=0, at=0.0)


async def relearn(
    memory: "BaseMemory", *, from_: int | None, only_set_aside: bool, progress: Progress | None = None
) -> None:
    """Learn everything again from the log; see `BaseMemory.arelearn`.

    `progress` is called after each step with two arguments: the number of messages done, and the total.
    """
    one_of("only_set_aside", only_set_aside, True, False)  # noqa: FBT003 - these are the values
    if from_ is not None:
        whole_number("from_", from_, at_least=1)
    if not memory.keep_history and not only_set_aside:
        raise OptionError(
            "relearn would lose knowledge from messages that keep_history=False has deleted; "
            "only_set_aside=True learns only from exchanges set aside"
        )
    log = memory.log.cached
    await log.refresh()
    learning = list(memory.learners)
    if only_set_aside:
        await together(learner.learn_set_aside() for learner in learning)
        return
    first, reached = from_ or 1, [0] * len(learning)

    def tell(place: int, number: int) -> None:
        reached[place] = max(number - first + 1, 0)
        if progress:
            progress(sum(reached), (log.last - first + 1) * len(reached))

    await together(learner.learn_anew(first, partial(tell, place)) for place, learner in enumerate(learning))
