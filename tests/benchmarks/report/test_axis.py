"""Axes, ticks, and labels that keep apart."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.report.axis import Axis, apart

_PLACES = st.lists(st.floats(0, 100), max_size=9)


@given(_PLACES)
def test_labels_keep_apart(places: list[float]) -> None:
    """Any two of them have the gap between them."""
    moved = sorted(apart(places, 2.0))
    assert all(above - below > 2.0 - 1e-6 for below, above in itertools.pairwise(moved))


@given(_PLACES)
def test_labels_keep_their_order(places: list[float]) -> None:
    """A higher line has the higher label."""
    moved = apart(places, 2.0)
    assert sorted(range(len(places)), key=lambda n: (places[n], n)) == sorted(range(len(moved)), key=moved.__getitem__)


@given(_PLACES)
def test_labels_stay_within_bounds_that_have_room_for_them(places: list[float]) -> None:
    """Even where all lines end at the edge."""
    assert all(10 - 1e-6 <= place <= 60 + 1e-6 for place in apart(places, 5.0, 10, 60))


def test_labels_that_have_room_stay_where_they_are() -> None:
    """Nothing moves without need."""
    assert apart([9.0, 1.0, 5.0], 2.0) == [9.0, 1.0, 5.0]


@given(st.floats(1, 1e7), st.booleans(), st.floats(20, 90))
def test_ticks_keep_apart_and_are_within_the_axis(high: float, bent: bool, gap: float) -> None:  # noqa: FBT001
    """Their texts do not run into each other."""
    axis = Axis(0, high, 0, 400, bent)
    places = [axis.at(value) for value in axis.ticks(gap)]
    assert all(later - earlier >= gap - 0.2 for earlier, later in itertools.pairwise(places))
    assert places
    assert 0 <= min(places) <= max(places) <= 400


def test_an_axis_may_go_up() -> None:
    """Higher values stand further up, where numbers are smaller."""
    axis = Axis(0, 1, 100, 0)
    assert axis.at(0.25) == 75.0
    assert axis.ticks(20) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


def test_ticks_are_one_two_or_five_times_a_power_of_ten() -> None:
    """The smallest step that leaves the gap; whole numbers where they are to be; from the end of a bent axis to 10."""
    assert Axis(0, 1000, 0, 300).ticks(90) == [0, 500, 1000]
    assert Axis(0, 1, 0, 300).ticks(300) == [0, 1]
    assert Axis(1, 3, 0, 300).ticks(30, 1) == [1, 2, 3]
    assert Axis(0, 100, 0, 300, bent=True).ticks(10) == [0, 10, 20, 50, 100]
    assert Axis(5, 2e6, 0, 900, bent=True).ticks(1)[-4:] == [2e5, 5e5, 1e6, 2e6]
