"""The picture of a graph: everything can be read, and nothing leaves it."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OptionError
from memzoo.memories import Fact, KnowledgeGraph
from memzoo.memories.text.names import canonical

CIRCLE = 8
"""The radius of a name's circle."""
WIDE, HIGH = 7, 13
"""How much room a character of a label takes, at the most."""

_NUMBER = r"([-.\d]+)"
_NAME = re.compile(rf'<circle class="(\w+)" cx="{_NUMBER}" cy="{_NUMBER}" r="8"/><text[^>]*>([^<]*)</text>')
_FACT = re.compile(rf'<path d="([^"]+)" marker-end[^>]*/><text x="{_NUMBER}" y="{_NUMBER}">([^<]*)</text>')


class Labelled(NamedTuple):
    """A name, or a fact: where its label stands, and how it is drawn (a fact) or what kind it is (a name)."""

    at: complex
    label: str
    drawn: str


class Picture:
    """What a browser shows of a graph."""

    def __init__(self, *said: tuple[str, str, str]) -> None:
        graph = KnowledgeGraph()
        facts = [Fact(*one) for one in said]
        graph.apply({fact.key: fact.as_json() for fact in facts}, reset=True)
        page = graph.export("html")
        self.names = [Labelled(complex(float(x), float(y)), text, kind) for kind, x, y, text in _NAME.findall(page)]
        self.facts = [Labelled(complex(float(x), float(y)), text, path) for path, x, y, text in _FACT.findall(page)]
        (box,) = re.findall(r'<svg id="graph" viewBox="([^"]+)"', page)
        self.left, self.top, self.width, self.height = map(float, box.split())
        ((x, y),) = re.findall(rf'data-x="{_NUMBER}" data-y="{_NUMBER}"', page)
        self.middle = complex(float(x), float(y))

    def at(self, label: str) -> complex:
        """Where a name stands."""
        return next(name.at for name in self.names if name.label == label)


def points(path: str) -> list[complex]:
    """The points of the drawing of a fact: where it begins, what it is bent to, and where it ends."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.replace(" 0 1 1 ", " "))]
    return [complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=False)]


WORDS = some.text("abc ", min_size=1, max_size=40).filter(canonical)
SAID = some.lists(some.tuples(WORDS, some.sampled_from(["likes", "is"]), WORDS), min_size=1, max_size=12)
CROWD = [("Sam", "likes", f"thing number {number}") for number in range(60)]
CHAIN = [(f"stop {number}", "leads to", f"stop {number + 1}") for number in range(12)]
BETWEEN_TWO = [("Sam", "hates", "Oslo"), ("Sam", "lives in", "Oslo"), ("Oslo", "is kind to", "Sam")]
LOOPS = [("Narcissus", "loves", "Narcissus"), ("Narcissus", "hates", "Narcissus")]


def test_a_graph_that_is_too_large_is_refused() -> None:
    """The error names a form that has room for it."""
    with pytest.raises(OptionError, match="html draws 3,000 names at most, not 3,001; graphml has no limit"):
        Picture(*(("Sam", "likes", f"thing {number}") for number in range(3000)))


@given(SAID)
def test_no_name_covers_another(said: list[tuple[str, str, str]]) -> None:
    """Circles and labels of any two names have room below or beside each other, however long the names are."""
    for one, other in itertools.combinations(Picture(*said).names, 2):
        apart = one.at - other.at
        beside = abs(apart.real) >= WIDE * (len(one.label) + len(other.label)) / 2
        assert beside or abs(apart.imag) >= 2 * CIRCLE + 2 * HIGH, (one, other)


@given(SAID)
def test_nothing_leaves_the_picture(said: list[tuple[str, str, str]]) -> None:
    """All labels of names and facts are in it, and it is hardly larger than they need."""
    picture = Picture(*said)
    labels = [*picture.names, *picture.facts]
    lefts, rights = ([one.at.real + side * WIDE * len(one.label) / 2 for one in labels] for side in (-1, 1))
    heights = [one.at.imag for one in labels]
    right, bottom = picture.left + picture.width, picture.top + picture.height
    for margin in (min(lefts) - picture.left, right - max(rights)):
        assert HIGH < margin < 80
    for margin in (min(heights) - picture.top, bottom - max(heights)):
        assert 2 * CIRCLE + 2 * HIGH < margin < 80


@given(SAID)
def test_arrows_end_just_outside_the_circles_of_their_names(said: list[tuple[str, str, str]]) -> None:
    """The head of an arrow is not hidden by the name, nor far from it."""
    picture = Picture(*said)
    for fact in picture.facts:
        begin, *_, end = points(fact.drawn)
        for tip in (begin, end):
            assert CIRCLE < min(abs(tip - name.at) for name in picture.names) <= CIRCLE + 2.2


@given(SAID)
def test_what_a_fact_says_stands_on_its_arrow(said: list[tuple[str, str, str]]) -> None:
    """The label is where the curve is in its middle, or on top of the circle that leads back to the name."""
    for fact in Picture(*said).facts:
        begin, *bent, end = points(fact.drawn)
        if "Q" in fact.drawn:
            on_it = (begin + 2 * bent[0] + end) / 4
        else:
            radius = bent[0].real
            on_it = (begin + end) / 2 - 1j * (radius + (radius**2 - abs(begin - end) ** 2 / 4) ** 0.5)
        assert abs(fact.at - on_it) < 1.5


@pytest.mark.parametrize("said", [BETWEEN_TWO, LOOPS])
def test_facts_between_the_same_names_can_all_be_read(said: Sequence[tuple[str, str, str]]) -> None:
    """Their labels stand above each other, a line or two apart, on different curves."""
    picture = Picture(*said)
    assert len({fact.drawn for fact in picture.facts}) == len(said)
    for one, other in itertools.combinations(picture.facts, 2):
        assert abs(one.at - other.at) > HIGH
    names = [name.at for name in picture.names]
    for fact in picture.facts:
        assert abs(fact.at - sum(names) / len(names)) < 5 * 2 * HIGH


def test_names_around_one_stand_apart_but_near() -> None:
    """Three of four have room for a label, however far the picture reaches elsewhere; and it reaches not too far."""
    picture = Picture(("Sam", "stands at", "stop 0"), *CHAIN, *CROWD)
    nearest = [min(abs(one.at - other.at) for other in picture.names if other != one) for one in picture.names]
    assert len(picture.names) == 74
    assert sorted(nearest)[len(nearest) // 4] > 100
    assert max(picture.width, picture.height) < 3_000


def test_what_a_fact_connects_stands_together() -> None:
    """Of twenty pairs, each name is nearer to the other of its pair than to most of the rest."""
    picture = Picture(*((f"Sam {number}", "likes", f"tea {number}") for number in range(20)))
    for number in range(20):
        here, there = picture.at(f"Sam {number}"), picture.at(f"tea {number}")
        nearer = [name for name in picture.names if abs(name.at - here) < abs(there - here)]
        assert len(nearer) <= 10


def test_names_that_nothing_connects_stay_near_each_other() -> None:
    """Twenty pairs fill the picture: it is no larger than a few labels a name, about as wide as high."""
    picture = Picture(*((f"Sam {number}", "likes", f"tea {number}") for number in range(20)))
    assert picture.width * picture.height / len(picture.names) < 300 * 200
    assert 0.5 < picture.width / picture.height < 2


def test_any_number_of_names_can_be_drawn() -> None:
    """Of a graph that is too large to be read at once, there is a picture too."""
    assert len(Picture(*(("Sam", "likes", f"thing {number}") for number in range(520))).names) == 521


def test_opens_at_the_name_that_most_facts_are_about() -> None:
    """A picture that is too large to be read as a whole shows its centre first."""
    picture = Picture(("Sam", "likes", "tea"), ("Eve", "likes", "tea"), ("Eve", "is", "tall"))
    assert picture.middle == picture.at("Eve")


@pytest.mark.parametrize(("length", "shown"), [(32, "x" * 32), (33, "x" * 31 + "…")])
def test_a_label_has_32_characters(length: int, shown: str) -> None:
    """What is longer is cut, and shows that it is."""
    picture = Picture(("Sam", "likes", "x" * length))
    assert {name.label for name in picture.names} == {"Sam", shown}


def test_names_have_the_colour_of_their_kind() -> None:
    """Who speaks, what facts are about, and what is only said of it."""
    kinds = {name.label: name.drawn for name in Picture(("user", "knows", "Sam"), ("Sam", "likes", "tea")).names}
    assert kinds == {"user": "person", "Sam": "name", "tea": "value"}
