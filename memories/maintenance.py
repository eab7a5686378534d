"""Upkeep of many conversations, for example each night: strategies learn from all waiting messages."""

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
from memzoo.stores import Store
from memzoo.stores.base import managed
from memzoo.stores.common import escaped
from memzoo.sync import drive, together

_PAGE = 500
_PROBE = "memzoo-upkeep"  # the id of a memory that is never used


@dataclass(frozen=True, slots=True)
class Upkept:
    """The result of an upkeep call.

    Attributes:
        conversations: The number of conversations visited.
        learnt: The number of conversations in which something was learnt.
        failed: A dict from the id of each failed conversation to its error. The next call tries these ids again.
        spent: The model and embedder calls, except those of workers that died.
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
    """Learn from the waiting messages of many conversations: those that the strategy has not learnt from yet.

    Learning proceeds in steps, and each step is stored, so after an interruption you can simply call again. If another
    process is learning from a conversation, the call waits for that process. If one conversation fails, the work on the
    others continues.

    Args:
        store: The store of the conversations. It is pickled for other processes, without passwords and keys.
        strategy: The name of the strategy, as for `create_memory`.
        ids: The ids of the conversations. By default, all conversations with waiting messages are taken; their ids are
            read from the store a page at a time.
        prefix: Learn only from conversations whose ids begin with this text.
        executor: The executor for the work: any `concurrent.futures.Executor`, or a number of processes; by default the
            work is done in the calling thread.
        progress: A function called after each conversation with the number of finished conversations and the total
            (`None` if unknown).
        **options: The options of the strategy, the same as in the program that serves the conversations.

    Raises:
        OptionError: The strategy learns nothing; or an argument or option is invalid, or cannot be pickled.
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
    if "conversation_id" in options:
        raise OptionError("conversation_id is not an option of upkeep; choose conversations with ids=['user-42']")
    probe = create_memory(strategy, store=store, conversation_id=_PROBE, **options)
    states = [learner.name for learner in probe.learners]
    if not states:
        raise OptionError(f"{strategy!r} learns nothing, so there is nothing to keep up")
    check_texts(prefix=prefix)
    if isinstance(ids, str) or not (ids is None or isinstance(ids, Iterable)):
        raise OptionError(f"ids must be a list of conversations, such as ['user-42'], not {ids!r}")
    listed = None if ids is None else list(ids)
    if wrong := [id_ for id_ in listed or () if not isinstance(id_, str)]:
        raise OptionError(f"ids must be a list of conversation ids, such as ['user-42']; {wrong[0]!r} is not one")
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
    """Yield the ids of conversations with a message that one of the named states has not taken in, each id once."""
    # All lists are in the store's order, so that equal ids from several lists come one after another.
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
    """The work of an upkeep call in one conversation, in this or another process."""

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
        except Exception as error:  # noqa: BLE001 - even if a custom strategy raises, other conversations go on
            failure = f"{type(error).__name__}: {error}"
        has_learnt = before != [learner.cached_state.newest.watermark for learner in memory.learners]
        return _Outcome(has_learnt and bool(before), memory.usage.total, failure)


async def _learn(learner: Learner) -> None:
    async with learner.lock.hold():
        await learner.learn_all()
