"""Learning anew: a state is derived from the log once more, and takes the place of the old one when it is there."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

from memzoo.errors import ConflictError, ModelError, OptionError
from memzoo.memories.engine.cached_state import StagedState
from memzoo.memories.engine.learner import Learner
from memzoo.memories.engine.log import CachedLog, Log
from memzoo.memories.engine.state import Attempts, Changes, State
from memzoo.memories.engine.steps import shorten_entries
from memzoo.memories.options import one_of, whole_number
from memzoo.sync import together

__all__ = ["Progress", "relearn"]


Progress: TypeAlias = Callable[[int, int], None]
"""Told of how many messages were learnt from, and of how many there are."""


class Learns(Protocol):
    """What learning anew asks of a memory; `Memory` says more of each."""

    keep_history: bool
    log: Log
    learners: Sequence[Learner]


async def relearn(memory: Learns, *, from_: int | None, only_set_aside: bool, progress: Progress | None = None) -> None:
    """As `BaseMemory.arelearn`.

    Args:
        memory: Which.
        from_: See there.
        only_set_aside: See there.
        progress: Told after each step. Each strategy of a combined memory counts the messages for itself.
    """
    one_of("only_set_aside", only_set_aside, True, False)  # noqa: FBT003 - these are the values
    if from_ is not None:
        whole_number("from_", from_, at_least=1)
    if not memory.keep_history and not only_set_aside:
        raise OptionError(
            "relearn would lose what was learnt from messages that keep_history=False has deleted; "
            "only_set_aside=True learns from what was set aside"
        )
    log = memory.log.cached
    await log.refresh()
    learning = list(memory.learners)
    if only_set_aside:
        await together(_take_up(log, learner) for learner in learning)
        return
    first, reached = from_ or 1, [0] * len(learning)

    def tell(place: int, number: int) -> None:
        reached[place] = max(number - first + 1, 0)
        if progress:
            progress(sum(reached), (log.last - first + 1) * len(reached))

    await together(_learn_anew(log, learner, first, partial(tell, place)) for place, learner in enumerate(learning))


async def _learn_anew(log: CachedLog, learner: Learner, first: int, tell: Callable[[int], None]) -> None:
    async with learner.lock.hold():
        old, epoch = await learner.refresh(), log.epoch
        if not log.last:
            return
        # Embeddings stand by themselves, so those of older messages can stay. Any other state is one whole.
        before = 0 if old.items else min(first - 1, old.watermark)
        aside = tuple(one for one in old.attempts.aside if one[1] <= before)
        draft = StagedState(State(watermark=before, attempts=Attempts(aside=aside)), tell)
        drafting = copy.copy(learner)
        drafting.cached_state = draft
        try:
            await drafting.learn_all()
        except ModelError as error:
            error.add_note("What was known before is kept as it was; nothing was changed.")
            raise
        new = draft.newest
        while True:
            # After the state: what is deleted from now on makes the commit be refused.
            old = await learner.refresh()
            await log.refresh()
            if log.epoch != epoch:
                raise ConflictError("something was deleted meanwhile; nothing was changed, call relearn again")
            gone = dict.fromkeys(old.items.keys() - new.items.keys())
            if await learner.put(old, Changes({**gone, **new.items}, draft.embeddings), new.watermark, new.attempts):
                return


async def _take_up(log: CachedLog, learner: Learner) -> None:
    async with learner.lock.hold(), learner.leaseholder() as lease:
        for one in (await learner.refresh()).attempts.aside:
            await lease.hold(wait=True)
            await _take_up_one(log, learner, one)


async def _take_up_one(log: CachedLog, learner: Learner, aside: tuple[int, int]) -> None:
    """Learn from an exchange that was set aside.

    Raises:
        ModelError: It failed, and stays aside.
        ConflictError: Another writer was faster; nothing is changed.
    """
    state, changes = await learner.refresh(), Changes()
    if aside not in state.attempts.aside:  # forgotten meanwhile, and with it what was learnt
        return
    # After the state: what is deleted from now on makes the commit be refused.
    await log.refresh()
    if entries := learner.select(await learner.log.between(*aside)):
        changes = await learner.derive(state, shorten_entries(entries, learner.retry.prompts.room))
    left = replace(state.attempts, aside=tuple(one for one in state.attempts.aside if one != aside))
    await learner.cached_state.commit(state, changes, state.watermark, left)
