"""Processes that take turns in a conversation learn each turn once."""

from pathlib import Path

import pytest

from tools.faults.learners import STORES, Learnt, Talk, talked
from tools.faults.notes import Notes


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A short talk, in which the model takes as long as three turns."""
    with STORES["SQLite"](tmp_path) as new:
        return Talk(new(), "summary", Notes(tmp_path / "notes"), turns=9, every=0.1, model=0.3)


def test_processes_learn_each_turn_once(talk: Talk):
    """Four that save at once learn from all turns, each time a single one of them; nothing is lost."""
    told = talked(talk, 4)
    assert told == Learnt(calls=told.calls, cut=0, twice=0, unlearnt=0, lost=0)
    assert told.calls < talk.turns


def test_a_process_that_is_killed_while_it_learns_costs_one_call(talk: Talk):
    """Another one takes over at once: nothing is lost, and only the call that was cut off is made again."""
    told = talked(talk, 2, kill_in_call=2)
    assert told == Learnt(calls=told.calls, cut=1, twice=0, unlearnt=0, lost=0)
    assert told.calls <= talk.turns + 1


def test_without_leases_they_pay_several_times(tmp_path: Path):
    """So that the two tests above would show it: the same talk, in which nobody asks for a lease."""
    with STORES["SQLite"](tmp_path) as new:
        told = talked(Talk(new(), "summary", Notes(tmp_path / "notes"), turns=9, every=0.1, model=0.3, leases=False), 4)
    assert told.calls > 9
    assert (told.unlearnt, told.lost) == (0, 0)
