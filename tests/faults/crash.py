"""Crash: a process is killed while it saves, at random and at every step, and another one goes on where it was."""

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from memzoo.stores import open_store
from memzoo.stores.driving import drive
from tests.faults.lives import Life, Told, live
from tests.faults.scenarios import CONVERSATION, Scenario
from tests.faults.tally import Tally

__all__ = ["crash"]

_EXCHANGES = 25
_AT_RANDOM = 0.4
# How much of the whole talk a process that is killed at random has time for, at most.
_LONGEST_LIFE = 0.2

Aim: TypeAlias = tuple[int, int] | None
"""How many exchanges after the first, and at which step of that one; `None` for any moment."""


def crash(tally: Tally, new: Callable[[], Scenario], kills: int, seed: int = 0) -> None:
    """Kill at least `kills` times; every step of a save, and of a restart, is among them if there are enough.

    Args:
        tally: Takes the results.
        new: Makes a scenario with a new, empty store.
        kills: How often.
        seed: Of what is said, and of the order and choice of kills.
    """
    chance = random.Random(f"{seed} {tally.strategy} {tally.store}")  # noqa: S311 - chance that repeats
    start = time.perf_counter()
    undisturbed = live(Life(new(), 0, _EXCHANGES, seed=seed))
    longest = _LONGEST_LIFE * (time.perf_counter() - start)
    aims = _aims(undisturbed, kills, chance)
    while tally.tried < kills or aims:
        _whole_talk(tally, Life(new(), 0, _EXCHANGES, seed=seed), aims, undisturbed, chance, longest)


def _aims(undisturbed: Told, kills: int, chance: random.Random) -> list[Aim]:
    most = max(len(steps) for number, steps in undisturbed.steps.items() if number)
    every: list[Aim] = [(later, step) for later in (0, 1) for step in range(1, most + 1)]
    if len(every) > kills * (1 - _AT_RANDOM):
        every = chance.sample(every, int(kills * (1 - _AT_RANDOM)))
    aims = every + [None] * max(kills - len(every), 0)
    chance.shuffle(aims)
    return aims


def _whole_talk(
    tally: Tally, life: Life, aims: list[Aim], undisturbed: Told, chance: random.Random, longest: float
) -> None:
    """Say all there is to say, however many processes it takes, and compare."""
    acknowledged: list[int] = []
    told, patience = Told(killed=True), longest
    while told.killed:
        aim = aims.pop() if aims else None
        life = replace(
            life,
            first=len(acknowledged),
            kill_at=aim and (len(acknowledged) + aim[0], aim[1]),
            asynchronous=chance.random() < 0.5,  # noqa: PLR2004 - evenly
        )
        told = live(life, kill_after=None if aim else chance.uniform(0, patience))
        patience = longest if told.saved else 2 * patience
        acknowledged += told.saved
        _check(tally, life, told, acknowledged, undisturbed)


def _check(tally: Tally, life: Life, told: Told, acknowledged: list[int], undisturbed: Told) -> None:
    for number in told.saved[1:]:
        tally.check_equal(told.views[number], undisturbed.views[number], f"the view before exchange {number}")
    if told.killed:
        tally.tried += 1
        tally.places[told.killed_at or "at random"] += 1
    else:
        tally.check_equal(told.outcome, undisturbed.outcome, "the outcome")
    with contextlib.closing(open_store(life.scenario.store)) as store:
        log = drive(store.read(CONVERSATION))
    tally.check_log(log, [f"turn-{number}" for number in acknowledged])
