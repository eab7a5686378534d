"""What the pictures share."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.report.drawing import INLINE, STANDALONE, apart, beside, new_axes, require_matplotlib, svg_of
from memzoo.stores.errors import MissingExtraError

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


def test_labels_that_have_room_stay_where_they_are() -> None:
    """Nothing moves without need."""
    assert apart([9.0, 1.0, 5.0], 2.0) == [9.0, 1.0, 5.0]


def test_a_label_avoids_the_points_of_others() -> None:
    """It goes to the other side of its point, or above."""
    placed = beside({"a": (0.5, 0.5), "b": (0.53, 0.5)}, 0.02, 0.05)
    assert placed["a"][0] < 0.5
    assert placed["b"][0] > 0.53


@pytest.mark.parametrize(("theme", "colour"), [(INLINE, "var(--ink)"), (STANDALONE, "#1c2128")])
def test_a_picture_is_the_same_each_time_and_has_the_colours_of_its_theme(theme: object, colour: str) -> None:
    """No date, no version, no random id; text stays text."""
    assert theme in {INLINE, STANDALONE}
    chosen = INLINE if theme == INLINE else STANDALONE
    drawn: list[str] = []
    for _ in range(2):
        with new_axes(chosen, (3, 2), (0.1, 0.1, 0.8, 0.8)) as axes:
            axes.plot([1, 2], [3, 4], "o")
            axes.set_title("A title")
            drawn.append(svg_of(axes.figure, chosen, "A picture"))
    assert drawn[0] == drawn[1]
    assert colour in drawn[0]
    assert ">A title</text>" in drawn[0]
    assert drawn[0].startswith('<svg role="img" aria-label="A picture" ')
    assert "metadata" not in drawn[0]


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(MissingExtraError, match=r"pip install 'memzoo\[report\]'"):
        require_matplotlib()
