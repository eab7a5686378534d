"""What is remembered of attempts to learn: pauses, halves, tries, and what is set aside."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.memories.engine.patience import Attempts


def after(*failures: tuple[int, int]) -> Attempts:
    """The attempts after steps that failed, given by the number of their first message and their exchanges."""
    attempts = Attempts()
    for first, exchanges in failures:
        attempts = attempts.failed(first, exchanges, now=0.0)
    return attempts


@pytest.mark.parametrize(
    ("failures", "save", "load"), [(0, 0, 0), (1, 0, 600), (2, 2, 600), (3, 4, 600), (9, 256, 600), (500, 300, 600)]
)
def test_a_model_that_failed_is_left_alone(failures: int, save: float, load: float) -> None:
    """A save may try again at once, then after pauses that double; a load leaves the trying to saves (I14)."""
    attempts = after(*[(1, 1)] * failures)
    assert attempts.rest(0.0, saving=True) == save
    assert attempts.rest(0.0, saving=False) == load
    assert attempts.rest(save, saving=True) == 0
    assert attempts.rest(1.0, saving=False) == max(load - 1, 0)


def test_a_clock_that_was_set_back_stops_nothing() -> None:
    """What seems to have failed in the future makes nobody wait."""
    assert Attempts(failures=9, at=1e9).rest(5.0, saving=True) == 0


def test_a_step_is_halved_when_it_fails_again() -> None:
    """The first failure is taken for the model's; then the step gets smaller, down to one exchange."""
    assert [after(*[(1, 9)] * n).exchanges for n in (1, 2)] == [0, 4]
    assert after((1, 9), (1, 9), (1, 4), (1, 2)).exchanges == 1
    assert after((1, 9), (1, 9), (1, 4), (1, 2), (1, 1)).exchanges == 1


def test_a_later_step_that_fails_goes_on_from_the_half() -> None:
    """If the first half works, the fault is in the second, which is halved at once."""
    half = after((1, 8), (1, 8)).learnt(all_of_it=False)
    assert (half.exchanges, half.failures) == (4, 0)
    assert half.failed(9, 4, now=0.0).exchanges == 2


@pytest.mark.parametrize("tries", [2, 3, 5])
def test_an_exchange_has_a_last_try(tries: int) -> None:
    """Only an exchange that failed by itself, one time less than allowed, may be set aside by the next failure."""
    needed = [after(*[(1, 1)] * n).is_last_try(tries) for n in range(tries + 1)]
    assert needed == [n >= max(tries - 1, 2) for n in range(tries + 1)]
    assert not after(*[(1, 4)] * tries).is_last_try(tries)


def test_what_works_in_the_end_was_not_at_fault() -> None:
    """After an outage the steps are as large as before."""
    assert after((1, 2), (1, 2), (1, 1)).learnt(all_of_it=False) == Attempts()
    assert after((1, 9), (1, 9)).learnt(all_of_it=True) == Attempts()


def test_only_what_is_set_aside_stays() -> None:
    """It can be taken up again, one by one."""
    aside = after((1, 1)).set_aside(1, 2).set_aside(5, 6)
    assert aside.aside == ((1, 2), (5, 6))
    assert aside.taken_up((1, 2)).as_json() == {"aside": [[5, 6]]}
    assert aside.taken_up((1, 2)).taken_up((5, 6)).as_json() is None


numbers = st.integers(0, 2**40)
attempts_of_any_kind = st.builds(
    Attempts, numbers, numbers, st.floats(0, 1e12), numbers, numbers, numbers, numbers,
    st.lists(st.tuples(st.integers(1, 50), st.integers(50, 99))).map(tuple),
)  # fmt: skip


@given(attempts_of_any_kind)
def test_they_survive_the_store(attempts: Attempts) -> None:
    """What is written as JSON is read back as it was."""
    assert Attempts.from_json(json.loads(json.dumps(attempts.as_json()))) == attempts


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["first", "at", "aside"]), inner),
)


@given(junk)
def test_what_somebody_edited_does_no_harm(value: Any) -> None:
    """Whatever stands in a store or an imported file, attempts can be made of it and go on."""
    attempts = Attempts.from_json(value)
    assert attempts.rest(1.0, saving=True) >= 0
    assert all(0 < first <= last for first, last in attempts.aside)
    assert attempts.failed(3, 2, now=1.0).learnt(all_of_it=True).as_json() is None or attempts.aside
