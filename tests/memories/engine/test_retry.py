"""What follows from a model that fails: rests, halves, tries, and what is set aside."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.engine.prompt_limit import TooLongError
from memzoo.memories.engine.retry import (
    MAX_TRIES,
    Decision,
    FailedStep,
    after_success,
    decide,
    is_last_try,
    rest_of,
)
from memzoo.memories.engine.state import Attempts

DOWN, NONSENSE = ModelError("down"), ModelReplyError("nonsense")


def too_long(*, shorter: bool) -> TooLongError:
    """What an endpoint says that refuses a prompt; the next one may be shorter."""
    error = TooLongError("too long")
    error.asked, error.shorter = True, shorter
    return error


# What was known, the failure, the step, and what follows. Steps begin with message 1 and end with message 2.
ONE = FailedStep(first=1, last=2, exchanges=1, now=9.0, tokens=500)
EIGHT = ONE._replace(exchanges=8)
ALONE = Attempts(first=1, failures=2, at=8.0, exchanges=1, tries=2)
DECISIONS: dict[str, tuple[Attempts, ModelError, FailedStep, Decision]] = {
    "a first failure is the model's": (
        Attempts(), DOWN, EIGHT, Decision(Attempts(first=1, failures=1, at=9.0))
    ),
    "the same step fails again: half of it": (
        Attempts(first=1, failures=1, at=8.0), DOWN, EIGHT, Decision(Attempts(first=1, failures=2, at=9.0, exchanges=4))
    ),
    "a later step fails after halving: half of that": (
        Attempts(exchanges=4), DOWN, EIGHT._replace(first=5, exchanges=4),
        Decision(Attempts(first=5, failures=1, at=9.0, exchanges=2)),
    ),
    "one exchange by itself: a try": (
        replace(ALONE, tries=0), NONSENSE, ONE,
        Decision(Attempts(first=1, failures=3, at=9.0, exchanges=1, tries=1, answered=1)),
    ),
    "the last try, and nobody knows whether the model is there": (
        ALONE, DOWN, ONE, Decision(replace(ALONE, failures=3, at=9.0))
    ),
    "the last try, and the model works with another exchange": (
        ALONE, DOWN, ONE._replace(proven=True), Decision(Attempts(failures=1, at=9.0, aside=((1, 2),)), (1, 2))
    ),
    "the last try, and the model gave replies, both of no use": (
        replace(ALONE, answered=1), NONSENSE, ONE, Decision(Attempts(failures=1, at=9.0, aside=((1, 2),)), (1, 2))
    ),
    "the last try after a reply, but now the model is down": (
        replace(ALONE, answered=1), DOWN, ONE,
        Decision(Attempts(first=1, failures=3, at=9.0, exchanges=1, tries=3)),
    ),
    "the model does not work with another exchange either": (
        ALONE, DOWN, FailedStep(now=9.0), Decision(replace(ALONE, failures=3, at=9.0))
    ),
    "a prompt was too long, and the next one is shorter: at once": (
        replace(ALONE, failures=7), too_long(shorter=True), ONE,
        Decision(replace(ALONE, failures=1, at=9.0, prompt_tokens=500)),
    ),
    "a prompt was too long, and cannot be shorter: as any failure": (
        Attempts(), too_long(shorter=False), EIGHT, Decision(Attempts(first=1, failures=1, at=9.0))
    ),
    "what was set aside before stays aside": (
        replace(ALONE, aside=((7, 8),)), DOWN, ONE._replace(proven=True),
        Decision(Attempts(failures=1, at=9.0, aside=((7, 8), (1, 2))), (1, 2)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DECISIONS)
def test_what_follows_from_a_failure(case: str) -> None:
    """Each rule by an example (I14)."""
    attempts, error, step, decision = DECISIONS[case]
    assert decide(attempts, error, step) == decision


def after(*failures: tuple[int, int]) -> Attempts:
    """The attempts after steps that failed, given by the number of their first message and their exchanges."""
    attempts = Attempts()
    for first, exchanges in failures:
        attempts = decide(attempts, DOWN, FailedStep(first, first + 1, exchanges)).attempts
    return attempts


@pytest.mark.parametrize(
    ("failures", "save", "load"), [(0, 0, 0), (1, 0, 600), (2, 2, 600), (3, 4, 600), (9, 256, 600), (500, 300, 600)]
)
def test_a_model_that_failed_is_left_alone(failures: int, save: float, load: float) -> None:
    """A save may try again at once, then after pauses that double; a load leaves the trying to saves (I14)."""
    attempts = after(*[(1, 1)] * failures)
    assert rest_of(attempts, 0.0, saving=True) == save
    assert rest_of(attempts, 0.0, saving=False) == load
    assert rest_of(attempts, save, saving=True) == 0
    assert rest_of(attempts, 1.0, saving=False) == max(load - 1, 0)


def test_a_clock_that_was_set_back_stops_nothing() -> None:
    """What seems to have failed in the future makes nobody wait."""
    assert rest_of(Attempts(failures=9, at=1e9), 5.0, saving=True) == 0


def test_a_step_is_halved_when_it_fails_again() -> None:
    """The first failure is taken for the model's; then the step gets smaller, down to one exchange."""
    assert [after(*[(1, 9)] * n).exchanges for n in (1, 2)] == [0, 4]
    assert after((1, 9), (1, 9), (1, 4), (1, 2)).exchanges == 1
    assert after((1, 9), (1, 9), (1, 4), (1, 2), (1, 1)).exchanges == 1


def test_a_later_step_that_fails_goes_on_from_the_half() -> None:
    """If the first half works, the fault is in the second, which is halved at once."""
    half = after_success(after((1, 8), (1, 8)), all_of_it=False)
    assert (half.exchanges, half.failures) == (4, 0)
    assert decide(half, DOWN, FailedStep(9, 16, 4)).attempts.exchanges == 2


def test_an_exchange_has_a_last_try() -> None:
    """Only an exchange that failed by itself, one time less than allowed, may be set aside by the next failure."""
    assert [is_last_try(after(*[(1, 1)] * n)) for n in range(MAX_TRIES + 1)] == [False, False, True, True]
    assert not is_last_try(after(*[(1, 4)] * MAX_TRIES))


def test_what_works_in_the_end_was_not_at_fault() -> None:
    """After an outage the steps are as large as before."""
    assert after_success(after((1, 2), (1, 2), (1, 1)), all_of_it=False) == Attempts()
    assert after_success(after((1, 9), (1, 9)), all_of_it=True) == Attempts()


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
    assert rest_of(attempts, 1.0, saving=True) >= 0
    assert all(0 < first <= last for first, last in attempts.aside)
    assert after_success(attempts, all_of_it=True).as_json() is None or attempts.aside


def test_what_an_endpoint_told_of_prompts_is_kept() -> None:
    """However the next steps go, by success or by setting an exchange aside, prompts stay as short."""
    told = Attempts(first=3, exchanges=1, tries=2, answered=1, prompt_tokens=500)
    assert after_success(told, all_of_it=True).prompt_tokens == 500
    failed = decide(told, ModelReplyError("empty"), FailedStep(first=3, last=4, exchanges=1))
    assert failed.set_aside == (3, 4)
    assert failed.attempts.prompt_tokens == 500
