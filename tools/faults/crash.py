"""The fault "crash": a process is killed while it saves, and another process continues the conversation."""

import contextlib
import functools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from memzoo.stores import open_store
from memzoo.sync import drive
from tools.faults.lives import Life, Told, live
from tools.faults.places import STORES, Places
from tools.faults.scenarios import CONVERSATION, SEVEN, Scenario
from tools.faults.tally import Cell, Tally

__all__ = ["cells", "crash"]

_AT_RANDOM = 0.4
# How much of the whole talk a process that is killed at random has time for, at most.
_LONGEST_LIFE = 0.2

Aim: TypeAlias = tuple[int, int] | None
"""The moment of a kill, as (exchanges since the process started, step); `None` for a random moment."""


def crash(tally: Tally, new: Callable[[], Scenario], kills: int, *, exchanges: int = 25, seed: int = 0) -> None:
    """Kill processes at least `kills` times: at every step of a save, at steps of a restart, and at random moments.

    Args:
        tally: The tally that counts the results.
        new: A function that makes a scenario with a new, empty store.
        kills: The least number of kills. Steps of a restart are included if the number is large enough.
        exchanges: The number of exchanges in a talk, over all its processes.
        seed: The seed for the texts, and for the choice and order of the kills.
    """
    chance = random.Random(f"{seed} {tally.strategy} {tally.store}")  # noqa: S311 - chance that repeats
    start = time.perf_counter()
    undisturbed = live(Life(new(), 0, exchanges, seed=seed))
    longest = _LONGEST_LIFE * (time.perf_counter() - start)
    killer = _Killer(tally, undisturbed, chance, longest, _aims(undisturbed, kills, chance))
    while tally.tried < kills or killer.aims:
        killer.whole_talk(Life(new(), 0, exchanges, seed=seed))


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy and each store."""
    for store in STORES:
        for strategy in SEVEN:
            new = functools.partial(places.scenario, strategy, store)
            yield Tally("crash", strategy, store), functools.partial(crash, new=new, kills=kills)


def _aims(undisturbed: Told, kills: int, chance: random.Random) -> list[Aim]:
    most = max(len(steps) for number, steps in undisturbed.steps.items() if number)
    steps, room = range(1, most + 1), int(kills * (1 - _AT_RANDOM))
    saves: list[Aim] = [(1, step) for step in (steps if most <= room else chance.sample(steps, room))]
    restarts: list[Aim] = [(0, step) for step in chance.sample(steps, min(most, room - len(saves)))]
    aims = saves + restarts + [None] * (kills - len(saves) - len(restarts))
    chance.shuffle(aims)
    return aims


@dataclass
class _Killer:
    """Lets processes hold one talk after another, and kills the processes.

    Attributes:
        tally: The tally that counts the results.
        undisturbed: The result of a talk without kills, to compare with.
        chance: The random number generator.
        longest: The longest life of a process that is killed at a random moment, in seconds.
        aims: The kills that remain to be done.
    """

    tally: Tally
    undisturbed: Told
    chance: random.Random
    longest: float
    aims: list[Aim]

    def whole_talk(self, life: Life) -> None:
        """Hold one talk to its end, with as many processes as necessary, and compare the result."""
        acknowledged: list[int] = []
        told, patience = Told(killed=True), self.longest
        while told.killed:
            aim = self.aims.pop() if self.aims else None
            life = replace(
                life,
                first=len(acknowledged),
                kill_at=aim and (len(acknowledged) + aim[0], aim[1]),
                asynchronous=self.chance.random() < 0.5,
            )
            told = live(life, kill_after=None if aim else self.chance.uniform(0, patience))
            patience = self.longest if told.saved else 2 * patience
            acknowledged += told.saved
            self._check(life, told, acknowledged)

    def _check(self, life: Life, told: Told, acknowledged: list[int]) -> None:
        tally, undisturbed = self.tally, self.undisturbed
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
