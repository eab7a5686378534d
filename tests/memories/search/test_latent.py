"""What is about the same in other words."""

from collections.abc import Sequence

import numpy
import pytest

from memzoo.memories.search.latent import LatentSpace, Placed
from memzoo.memories.search.words import Analyser

SAID = [
    "the course in Ghent teaches sourdough",
    "the lessons are about sourdough",
    "lessons cost a lot",
    "the oven weighs much",
    "the oven comes by ship",
    "a ship is slow",
]


def placed(texts: list[str], *, axes: int = 2, said: Sequence[str] = SAID) -> Placed:
    """Where texts lie in the space of what was said."""
    analyser = Analyser()
    terms, counts = analyser.terms(said)
    end = numpy.cumsum(counts)
    space = LatentSpace.of(terms, end - counts, end, numpy.arange(len(said)), axes)
    asked, lengths = analyser.terms(texts)
    end = numpy.cumsum(lengths)
    return space.place(asked, end - lengths, end)


def test_words_are_near_that_stand_beside_the_same_words() -> None:
    """Lessons are near Ghent though no text has both, and the ship is not."""
    ghent, lessons, ship = placed(["Ghent", "lessons", "ship"])
    assert ghent @ lessons > 0.9
    assert abs(ghent @ ship) < 0.5


def test_what_nobody_said_lies_nowhere() -> None:
    """A text of unknown words, or of none, is near nothing."""
    assert not placed(["zebra", ""]).any()


def test_places_are_directions() -> None:
    """Each text with a known word has length 1, however often it says it."""
    once, often = placed(["oven", "oven oven oven"])
    assert once @ once == pytest.approx(1.0, abs=1e-5)
    assert once @ often == pytest.approx(1.0, abs=1e-5)


def test_one_word_is_a_space() -> None:
    """What has it lies somewhere, what has it not lies nowhere."""
    assert placed(["boat", "ship"], said=["", "boat"]).any(axis=1).tolist() == [True, False]


def test_without_words_there_is_no_space() -> None:
    """Nothing is near anything where nothing was said."""
    nothing = numpy.empty(0, numpy.uint64)
    none = numpy.zeros(1, numpy.int64)
    space = LatentSpace.of(nothing, none, none, none, 2)
    assert space.place(numpy.ones(1, numpy.uint64), none, none + 1).shape == (1, 1)


@pytest.mark.parametrize("most", [3, 6])
def test_a_sample_is_enough(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Of many texts only the first that are drawn are gone through; texts of other words then lie nowhere."""
    monkeypatch.setattr("memzoo.memories.search.latent._MOST", most)
    assert placed(["ship"]).any() == (most == len(SAID))
