"""Learning what waits, in many conversations: the nightly job, what follows an import, and a fleet's learner."""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memzoo.dispatch import Workers, check_it_travels, executor_of, run_units
from memzoo.errors import OptionError
from memzoo.memories.engine.learner import Learner
from memzoo.memories.models.usage import Spent
from memzoo.memories.options import check_texts
from memzoo.memories.registry import create_memory
from memzoo.stores import Store, managed
from memzoo.stores.common import escaped
from memzoo.sync import drive, together

__all__ = ["Upkept", "upkeep"]

_PAGE = 500
_PROBE = "memzoo-upkeep"  # the id of a memory that is never used


@dataclass(frozen=True, slots=True)
class Upkept:
    """What `upkeep` did.

    Attributes:
        conversations: How many it looked at.
        learnt: In how many of them something was learnt.
        failed: Why nothing more could be learnt, by conversation; the next call tries again.
        spent: What models and embedders were asked for it, in workers that died not counted.
    """

    conversations: int = 0
    learnt: int = 0
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    spent: Spent = field(default_factory=Spent)


def upkeep(
    store: Store,
    strategy: str,
    ids: Iterable[str] | None = None,
    *,
    prefix: str = "",
    executor: Workers = None,
    progress: Callable[[int, int | None], None] | None = None,
    **options: Any,
) -> Upkept:
    """Learn what waits, in each conversation in which something does: catch up, learn anew what was cleared, embed.

    Each conversation is learnt to the end of its log, step by step as a memory does, by one process at a time: where
    another one learns, it is waited for. What was done is in the store, so a call that was killed is simply made again.
    If one conversation fails, the others go on.

    Args:
        store: Has the conversations. It is pickled for other processes, without passwords and keys.
        strategy: What learns, by the name that `create_memory` takes.
        ids: Which conversations; by default those of the store that are behind, a page at a time.
        prefix: Only those whose ids begin so.
        executor: Does the work: any `concurrent.futures.Executor`, or a number of processes; by default it is done
            here.
        progress: Told after each conversation how many are done, and of how many, if that is known.
        **options: Those of the strategy, as the program has them that serves the conversations.

    Raises:
        OptionError: The strategy learns nothing, an argument has the wrong type, an option cannot work, or the store or
            an option cannot travel.
        UnsupportedError: The store cannot list its conversations, and no `ids` are given.
        ExecutorError: The executor is broken.

    Example:
        >>> from memzoo import create_memory
        >>> memory = create_memory("summary", llm="offline", conversation_id="anna", learn="later")
        >>> memory.save_context({"input": "I am Anna. I live in Oslo."}, {"output": "Hello Anna!"})
        >>> upkeep(memory.store, "summary", llm="offline").learnt
        1
        >>> memory.load_memory_variables({})
        {'history': 'Human said: I am Anna. I live in Oslo.'}
    """
    probe = create_memory(strategy, store=store, conversation_id=_PROBE, **options)
    states = [learner.name for learner in probe.learners]
    if not states:
        raise OptionError(f"{strategy!r} learns nothing, so there is nothing to keep up")
    check_texts(prefix=prefix)
    if isinstance(ids, str) or not (ids is None or isinstance(ids, Iterable)):
        raise OptionError(f"ids must be a list of conversations, such as ['user-42'], not {ids!r}")
    listed = None if ids is None else list(ids)
    if wrong := [id_ for id_ in listed or () if not isinstance(id_, str)]:
        raise OptionError(f"ids must be a list of conversations, such as ['user-42'], not {wrong[0]!r} among them")
    listed = listed and [id_ for id_ in listed if id_.startswith(prefix)]
    work = _Work(store, strategy, options)
    parts = {"the store": store, **{f"{name}={value!r}": value for name, value in options.items()}}
    done, learnt, failed, spent = 0, 0, dict[str, str](), Spent()
    behind = _behind(store, states, prefix) if listed is None else iter(listed)
    with executor_of(executor) as working:
        check_it_travels(working, parts)
        for id_, outcome in run_units(working, work, behind):
            done, learnt, spent = done + 1, learnt + outcome.has_learnt, spent + outcome.spent
            if outcome.failure:
                failed[id_] = outcome.failure
            if progress:
                progress(done, None if listed is None else len(listed))
    return Upkept(done, learnt, failed, spent)


def _behind(store: Store, states: Iterable[str], prefix: str) -> Iterator[str]:
    """The conversations with a message that one of the states has not taken in, each once."""
    # All lists are in the store's order: whoever stands in several of them comes there at once.
    found = heapq.merge(*(_behind_in(store, state, prefix) for state in states), key=escaped)
    return (id_ for id_, _ in itertools.groupby(found))


def _behind_in(store: Store, state: str, prefix: str) -> Iterator[str]:
    whole, after = managed(store, "conversations"), None
    while page := drive(whole.conversations(after=after, limit=_PAGE, prefix=prefix, behind=state)):
        yield from page
        after = page[-1]


@dataclass(frozen=True, slots=True)
class _Outcome:
    has_learnt: bool
    spent: Spent
    failure: str = ""


@dataclass(frozen=True)
class _Work:
    """Learns in one conversation, wherever it was sent to."""

    store: Store
    strategy: str
    options: Mapping[str, Any]

    def __call__(self, id_: str) -> _Outcome:
        return drive(self._do(id_))

    async def _do(self, id_: str) -> _Outcome:
        memory = create_memory(self.strategy, store=self.store, conversation_id=id_, **self.options)
        before, failure = list[int](), ""
        try:
            before += [(await learner.refresh()).watermark for learner in memory.learners]
            await together(map(_learn, memory.learners))
        except Exception as error:  # noqa: BLE001 - whatever a strategy of one's own raises, the others go on
            failure = f"{type(error).__name__}: {error}"
        has_learnt = before != [learner.cached_state.newest.watermark for learner in memory.learners]
        return _Outcome(has_learnt and bool(before), memory.usage.total, failure)


async def _learn(learner: Learner) -> None:
    async with learner.lock.hold():
        await learner.learn_all()
