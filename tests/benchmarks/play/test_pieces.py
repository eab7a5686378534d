"""Differences between views: what is rebuilt from them is what was shown, to the letter."""

import doctest
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memzoo.benchmarks.play import pieces
from memzoo.benchmarks.play.pieces import (
    Fragment,
    apply_splices,
    join_pieces,
    pair_rewritten,
    pieces_of,
    reasons,
    splices,
)
from memzoo.memories.text.explanation import Find, ShownText

TEXTS = st.text(st.sampled_from("aB .!?\n\u3002\uff01\u2028<:\x00"), max_size=30)
SHOWN = st.one_of(
    st.builds(ShownText, st.just("recalled"), st.just(1), st.none(), TEXTS),
    st.builds(ShownText, st.just("message"), st.just(1), st.integers(1, 9), TEXTS, st.sampled_from(["user", "tool"])),
)
NUMBERS = st.lists(st.integers(0, 6), max_size=40)


@given(st.lists(SHOWN, max_size=8))
def test_messages_are_rebuilt_from_their_pieces(shown: Sequence[ShownText]) -> None:
    """Whatever a text has in it, and wherever it is cut."""
    expected = [(one.role, one.kind, one.number, one.text) for one in shown]
    assert join_pieces(pieces_of(shown)) == expected


@given(NUMBERS, NUMBERS)
def test_a_view_is_rebuilt_from_its_difference(old: Sequence[int], new: Sequence[int]) -> None:
    """Differences stand in order, do not overlap, and make the new list of the old one."""
    found = splices(old, new)
    assert apply_splices(old, found) == new
    assert all(one.at + one.removed <= other.at for one, other in pairwise(found))
    assert bool(found) == (old != new)


def test_a_long_difference_is_told_as_one() -> None:
    """Lists that would take long to compare are replaced as a whole, behind what is alike at the beginning."""
    old, new = [0, *range(1, 3_000)], [0, *range(3_000, 6_000)]
    assert [(one.at, one.removed, len(one.added)) for one in splices(old, new)] == [(1, 2_999, 3_000)]


def test_a_text_is_cut_at_sentences_and_lines() -> None:
    """So that one that stays is told once, however the rest changes."""
    text = "Anna lives in Oslo, No. 3.5. She rows!\nMara bakes\n\u4f60\u597d\u3002\u518d\u89c1"
    found = [piece.text for piece in pieces_of([ShownText("recalled", 1, None, text)])]
    assert found == [
        "Anna lives in Oslo, No. ",
        "3.5. ",
        "She rows!\n",
        "Mara bakes\n",
        "\u4f60\u597d\u3002",
        "\u518d\u89c1",
    ]


def test_what_says_much_the_same_is_rewritten() -> None:
    """Each piece that went has at most one successor, the likeliest; what is about something else has none."""
    texts = {1: "Anna lives in Oslo.", 2: "Bo sells bikes.", 3: "Anna lives in Bergen now.", 4: "Anna lives in Oslo!"}
    assert pair_rewritten([1, 2], [3, 4], texts) == [(1, 4)]
    assert pair_rewritten([1], [3], texts) == [(1, 3)]
    assert pair_rewritten([2], [3], texts) == []
    assert pair_rewritten([2, 9], [9, 3], texts) == []


def test_a_piece_tells_by_what_it_was_found() -> None:
    """Also behind a date and a speaker's name; the best search counts, and one whose find is not shown does not."""
    shown = [
        Fragment(None, "8 May 2026: Mara: Anna lives in Oslo. "),
        Fragment(None, "She has a boat.\n"),
        Fragment(None, "Hm."),
    ]
    finds = [
        Find("words", 3, 2.0, shown=True, text=""),
        Find("names", 3, 5.0, shown=True, text=""),
        Find("words", "Hm.", 1, shown=False, text="Hm."),
    ]
    found = list(reasons(shown, finds, {3: "Anna lives in Oslo. She has a boat."}))
    assert found == [(0, "names", 5.0), (1, "names", 5.0)]


def test_examples_are_true() -> None:
    """Those in the documentation of the code."""
    assert doctest.testmod(pieces).failed == 0
