"""What a memory does with a conversation, whatever its strategy: it stores what is said, learns, and shows both."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from memzoo.memories.engine.learner import Learner
from memzoo.memories.engine.log import Follower, Log, talk
from memzoo.memories.engine.patience import Patience
from memzoo.memories.engine.state import State
from memzoo.memories.engine.steps import exchange_ends, size_of
from memzoo.memories.engine.system_message import SystemMessage
from memzoo.memories.engine.turns import turn_name
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Record
from memzoo.sync import together

__all__ = ["Engine", "OldestNeeded"]

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
        learner: What derives the strategy's state; `None` if it derives nothing.
        learners: All that learns from what is said: `learner`, or those of a combined memory's members.

    Args:
        follower: See above.
        patience: See above.
        learner: See above.
        raising: Tells whether to raise the failure of a model; otherwise it is logged.
        room: Tells the tokens that what waits to be learnt from may have in a view; `None` if the strategy shows it.
        size: Counts these tokens; by default they are estimated, which needs no vocabulary.
    """

    def __init__(
        self,
        follower: Follower,
        patience: Patience,
        learner: Learner | None,
        *,
        raising: Callable[[], bool],
        room: Callable[[], int | None],
        size: Callable[[Entry], int] | None,
    ) -> None:
        self.follower, self.log, self.system = follower, Log(follower), SystemMessage(follower)
        self.patience = patience
        self.learner = learner
        self.learners: Sequence[Learner] = [learner] if learner else []
        self._raising = raising
        self._room = room
        self._size = size or size_of

    async def append(self, records: Sequence[Record], turn_id: str | None, *, learn: bool) -> Sequence[Entry]:
        """Store a turn, by default with a fresh id, learn from it, and return what was learnt from, with its numbers.

        Raises:
            ModelError: It is stored, but could not be learnt from.
        """
        new: Sequence[Entry] = ()
        if records:
            known, name = self.follower, turn_name(turn_id)
            new = await known.store.append(known.conversation_id, records, turn_id=name)
        if not learn:
            await self.system.keep(new)
            return ()
        await self.learn(new)
        await self.system.keep(new)
        return new

    async def learn(self, new: Sequence[Entry] = ()) -> None:
        """Learn from what is in the log, of which `new` was just appended; raises as `append` does."""
        if self.learners:
            await together([learner.follow(new, raising=self._raising()) for learner in self.learners])
        else:
            self.follower.add(new)

    def look_again(self) -> None:
        """Let the next call look for something to learn, though nothing was said: an option changed."""
        for learner in self.learners:
            learner.idle_at = ()

    async def refreshed(self) -> Log:
        """The log as it is now."""
        await self.follower.refresh()
        return self.log

    async def state(self, *, catch_up: bool = False) -> State:
        """What was learnt; `catch_up` learns first from what was not learnt from yet, as far as possible."""
        if self.learner is None:
            return _NO_STATE
        return await (self.learner.current() if catch_up else self.learner.refresh())

    async def shown(self, show: Show, log: Log | None = None, *, catch_up: bool = True) -> View:
        """What a strategy shows, with what waits to be learnt from and the system message.

        Args:
            show: The strategy's view.
            log: The log, if it is up to date.
            catch_up: See `state`.
        """
        log = log or await self.refreshed()
        if self.learner is None:
            view = await show(log, _NO_STATE)
        else:
            view = await self._learnt_view(self.learner, show, log, catch_up=catch_up)
        system = await self.system.current()
        return view if view.final or system is None else replace(view, system=system, entries=talk(view.entries))

    async def settle(self) -> None:
        """Return when all that was said is learnt from, or a model failed; raises as `append` does."""
        await together(learner.settle(raising=self._raising()) for learner in self.learners)

    async def set_aside(self) -> list[Entry]:
        """The messages at which a model failed again and again, oldest first."""
        aside = {one for learner in self.learners for one in (await learner.refresh()).attempts.aside}
        pages = [await self.log.page(after=first - 1, before=last + 1) for first, last in sorted(aside)]
        return list({entry.seq: entry for page in pages for entry in page}.values())

    def keeps(self, state: State) -> bool:
        """Whether a state is the kept one, as far as is known here; what `relearn` is about to learn is not, yet."""
        return self.learner is not None and self.learner.keeper.newest is state

    async def finished(self) -> None:
        """Wait for what is being learnt in the background."""
        for learner in self.learners:
            await learner.finished()

    async def _learnt_view(self, learner: Learner, show: Show, log: Log, *, catch_up: bool) -> View:
        """What a strategy shows that learns."""
        state = await self.state(catch_up=catch_up)
        room = self._room()
        seen = log if room is None else log.passing_over(state.attempts.aside)
        with self.patience.loading(state.attempts):
            view = await show(seen, state)
        if room is None or (learner.is_idle(state) and not state.attempts.aside):
            return view
        return await self._with_waiting(view, log, state, learner, room)

    async def _with_waiting(self, view: View, log: Log, state: State, learner: Learner, room: int) -> View:
        """The view with what could not be learnt from yet, and what was set aside: the newest of it that fits.

        The newest exchange is shown in any case, and calls of tools with their results or not at all.
        """
        waiting, ripe = await learner.waiting(state)
        aside = [entry for first, last in state.attempts.aside for entry in await log.between(first, last)]
        pending = [*aside, *waiting[:ripe]]
        *_, newest, _ = (0, 0, *exchange_ends(waiting))
        left = room - sum(map(self._size, waiting[ripe:]))
        gone = _too_many(pending, [*map(self._size, pending)], left, len(aside) + newest)
        shown = {entry.seq: entry for entry in [*pending, *view.entries]}
        for entry in pending[:gone]:
            del shown[entry.seq]
        note = (f"({gone} earlier messages are not shown here, and were not learnt from yet.)",) if gone else ()
        return replace(view, recalled=(*view.recalled, *note), entries=[shown[seq] for seq in sorted(shown)])


def _too_many(pending: Sequence[Entry], sizes: Sequence[int], room: int, newest: int) -> int:
    """How many of the oldest do not fit; never those of the newest exchange, and no call without its results."""
    left, gone = sum(sizes), 0
    while gone < min(len(pending), newest) and left > room:
        left -= sizes[gone]
        gone += 1
        while gone < len(pending) and pending[gone].message["role"] == "tool":
            left -= sizes[gone]
            gone += 1
    return gone
