"""Finding evidence, and corrections."""

import pytest

from memzoo.benchmarks import Question
from memzoo.benchmarks.measure.evidence import Texts, covers, measure_coverage, score_question, update_shown, whole

LONG = " ".join(f"word{number}" for number in range(60))


def test_white_space_does_not_count() -> None:
    """A line break in the evidence matches a space in what was shown."""
    assert whole(["I moved\nto  Oslo."], Texts(["Human: I moved to Oslo.\nAI: Oh."])) == 1


def test_a_part_is_not_enough() -> None:
    """Evidence counts only as a whole, word for word, and within one message."""
    shown = Texts(["I moved to Oslo in May.", "I have a cat", "I have", "a dog."])
    assert whole(["I moved to Oslo.", "I have a cat.", "I have a dog."], shown) == 0


def test_it_is_the_share_that_was_found() -> None:
    """One of four is a quarter."""
    assert whole(["a b", "c d", "e f", "g h"], Texts(["x e f x"])) == 0.25


@pytest.mark.parametrize(
    ("words", "shown", "expected"),
    [
        (60, (0, 60), True),
        (60, (0, 32), True),
        (60, (0, 31), False),
        (40, (0, 39), False),
        (41, (0, 24), True),
    ],
)
def test_half_of_a_long_message_covers_it(words: int, shown: tuple[int, int], expected: bool) -> None:  # noqa: FBT001
    """Half of its runs of five words, if it has more than 40."""
    text = LONG.split()[:words]
    assert covers(" ".join(text), Texts([" ".join(text[slice(*shown)])])) is expected


def test_an_excerpt_in_pieces_covers_too() -> None:
    """Runs are looked for wherever they stand."""
    words = LONG.split()
    assert measure_coverage([LONG], Texts([" ".join(words[:20]) + " [...] " + " ".join(words[40:])])) == 1
    assert whole([LONG], Texts([" ".join(words[:20]) + " [...] " + " ".join(words[40:])])) == 0


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (["I live in Oslo.", "I moved to Bergen."], "both"),
        (["I moved to Bergen."], "corrected"),
        (["I live in Oslo."], "stale"),
        ([], "neither"),
    ],
)
def test_a_correction_is_shown_or_the_old_statement_alone(shown: list[str], expected: str) -> None:
    """Or both, or none of them."""
    assert update_shown(["I moved to Bergen."], ["I live in Oslo."], Texts(shown)) == expected


def test_of_several_corrections_all_have_to_be_shown() -> None:
    """And of what they correct, any is stale; what says the answer in other words shows the correction, too."""
    new, old = ["It is Bergen.", "In May."], ["I live in Oslo.", "Since March."]
    assert update_shown(new, old, Texts(["It is Bergen."])) == "neither"
    assert update_shown(new, old, Texts(["It is Bergen.", "Since March."])) == "stale"
    assert update_shown(new, old, Texts(["It is Bergen. In May."])) == "corrected"
    assert update_shown(new, old, Texts(["Bergen it is."]), said=True) == "corrected"


def test_shares_have_six_digits() -> None:
    """Of three messages, one is a third."""
    found = score_question(Question("?", evidence=("a b", "c d", "e f")), (("user", "a b"),))
    assert (found.whole, found.covered) == (0.333333, 0.333333)
