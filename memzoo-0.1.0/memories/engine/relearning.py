"""Learning anew: a state is derived from the log once more, and takes the place of the old one when it is there."""

from collections.abc import Sequence
from dataclasses import replace

from memzoo.memories.engine.attempts import Attempts
from memzoo.memories.engine.log import Follower, Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.engine.state_sync import StateSync
from memzoo.memories.options import one_of, whole_number
from memzoo.stores import Entry
from memzoo.stores.driving import together
from memzoo.stores.errors import ConflictError, ModelError, OptionError

__all__ = ["relearn", "set_aside"]


class _Draft:
    """A state in memory: what a strategy learns is kept here until it is whole."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.embeddings: dict[int, bytes] = {}

    async def refresh(self) -> State:
        """The state as it is by now."""
        return self.state

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Keep what was learnt."""
        items = {key: value for key, value in {**state.items, **changes.items}.items() if value is not None}
        self.embeddings |= changes.embeddings
        self.state = State(items, watermark, state.version + 1, attempts=attempts or state.attempts)
        return self.state


async def relearn(
    log: Follower, learners: Sequence[StateSync], *, from_: int | None, only_set_aside: bool, keeps_history: bool
) -> None:
    """As `BaseMemory.arelearn`."""
    one_of("only_set_aside", only_set_aside, True, False)  # noqa: FBT003 - these are the values
    if from_ is not None:
        whole_number("from_", from_, at_least=1)
    if not keeps_history and not only_set_aside:
        raise OptionError(
            "relearn would lose what was learnt from messages that keep_history=False has deleted; "
            "only_set_aside=True learns from what was set aside"
        )
    await log.refresh()
    await together(
        _take_up(learner) if only_set_aside else _learn_anew(log, learner, from_ or 1) for learner in learners
    )


async def set_aside(log: Log, learners: Sequence[StateSync]) -> list[Entry]:
    """The messages that were set aside by any of these, oldest first."""
    aside = {one for learner in learners for one in (await learner.refresh()).attempts.aside}
    pages = [await log.page(after=first - 1, before=last + 1) for first, last in sorted(aside)]
    return list({entry.seq: entry for page in pages for entry in page}.values())


async def _learn_anew(log: Follower, learner: StateSync, first: int) -> None:
    async with learner.held():
        old, epoch = await learner.refresh(), log.epoch
        # Embeddings stand by themselves, so those of older messages can stay. Any other state is one whole.
        draft = _Draft(State(watermark=first - 1 if not old.items else 0))
        await _until_done(learner, draft)
        while True:
            await log.refresh()
            old = await learner.refresh()
            if log.epoch != epoch:
                raise ConflictError("something was deleted meanwhile; nothing was changed, call relearn again")
            gone = dict.fromkeys(old.items.keys() - draft.state.items.keys())
            changes = Changes({**gone, **draft.state.items}, draft.embeddings)
            if await learner.put(changes, draft.state.watermark, draft.state.attempts):
                return


async def _until_done(learner: StateSync, draft: _Draft) -> None:
    """Go on after each failure, as several saves would, until all is learnt or the model does not work at all."""
    while True:
        before = draft.state
        try:
            await learner.learning.until_done(draft)
        except ModelError as error:
            after = draft.state
            if _progress(after) == _progress(before):
                error.add_note("What was known before is kept as it was; nothing was changed.")
                raise
        else:
            return


def _progress(state: State) -> tuple[int, Attempts]:
    return state.watermark, replace(state.attempts, failures=0, at=0.0)


async def _take_up(learner: StateSync) -> None:
    async with learner.held():
        for one in (await learner.refresh()).attempts.aside:
            await learner.learning.take_up(learner.keeper, one)
