"""The fault "model": each model call of each strategy fails once in each way."""

import asyncio
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memzoo.errors import ModelError
from memzoo.memories import BaseMemory
from memzoo.memories.engine.state import ATTEMPTS
from memzoo.sync import drive
from tools.faults.endpoint import ACCEPTABLE, FAULTS, Endpoint
from tools.faults.places import Places
from tools.faults.scenarios import ASKING, QUESTION, Scenario, aoutcome, opened, said
from tools.faults.tally import ALL, Cell, Tally

__all__ = ["STRATEGIES", "cells", "fail"]

STRATEGIES = [*ASKING, "combined"]
_EXCHANGES = 4


@dataclass
class _Seen:
    """The observations of a talk.

    Attributes:
        states: Each derived state after a save, by name and watermark.
        outcome: The outcome at the end.
        failed: The number of memory calls that raised a `ModelError`.
        calls: The number of model calls, without the calls for the outcome.
        hidden: The exchanges that were saved, but neither learnt from nor in view.
    """

    states: dict[tuple[str, int], Any]
    outcome: dict[str, Any]
    failed: int = 0
    hidden: int = 0
    calls: int = 0


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy that asks a model, and each kind of store."""
    for store in ("sqlite", "postgresql"):
        for strategy in STRATEGIES:
            new = functools.partial(places.scenario, strategy, store)
            yield Tally("model", strategy, store), functools.partial(fail, new=new, every=ALL // min(kills, ALL))


def fail(tally: Tally, new: Any, *, every: int = 1) -> None:
    """Let a model call fail in each combination of fault, call and way of calling, or in one out of `every`."""
    endpoint = Endpoint()
    undisturbed = _talk(new(), endpoint, asynchronous=False)
    trials = [(fault, at, way) for fault in FAULTS for at in range(undisturbed.calls) for way in (False, True)]
    for fault, at, asynchronous in trials[::every]:
        endpoint.plan(fault, at)
        seen = _talk(new(), endpoint, asynchronous=asynchronous)
        tally.tried += 1
        tally.places[fault] += 1
        what = f"{fault} at call {at}{' of an asynchronous memory' if asynchronous else ''}"
        _check(tally, seen, undisturbed, what, accepted=fault in ACCEPTABLE)


def _check(tally: Tally, seen: _Seen, undisturbed: _Seen, what: str, *, accepted: bool) -> None:
    tally.check_log(seen.outcome["log"], [f"turn-{number}" for number in range(_EXCHANGES)])
    tally.check_equal(seen.outcome["log"], undisturbed.outcome["log"], f"the log after {what}")
    tally.check_equal(seen.hidden, 0, f"exchanges out of view after {what}")
    if accepted:
        ends = {name: watermark for name, watermark in undisturbed.states if watermark}
        tally.check_equal({name for name, watermark in seen.states if watermark}, set(ends), f"the states after {what}")
        return
    tally.check_equal(seen.outcome, undisturbed.outcome, f"the outcome after {what}")
    for at, state in seen.states.items():
        tally.check_equal(state, undisturbed.states.get(at) if at[1] else {}, f"state {at} after {what}")


def _talk(scenario: Scenario, endpoint: Endpoint, *, asynchronous: bool) -> _Seen:
    with opened(scenario, endpoint.ports) as memory:
        return asyncio.run(_turns(memory, endpoint)) if asynchronous else drive(_turns(memory, endpoint))


async def _turns(memory: BaseMemory, endpoint: Endpoint) -> _Seen:
    seen = _Seen({}, {})
    for number in range(_EXCHANGES):
        inputs, outputs = said(number)
        await memory.amessages(QUESTION)
        try:
            await memory.asave_context(inputs, outputs, turn_id=f"turn-{number}")
        except ModelError:
            seen.failed += 1
            endpoint.stuck = True
            seen.hidden += inputs["input"] not in str(await memory.amessages(inputs["input"]))
            endpoint.stuck = False
        for learner in memory.learners:
            state = await memory.store.read_state(memory.conversation_id, learner.name)
            known = {key: value for key, value in state.changes.items() if key != ATTEMPTS}
            seen.states[learner.name, state.watermark] = known
    await memory.asettle()
    seen.calls = endpoint.calls
    seen.outcome = await aoutcome(memory)
    return seen
