"""One form for each name, however it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.text.name_index import NameIndex
from memzoo.memories.text.names import canonical, mentions

PIECES = ["the", "The", "s", "'s", "'", '"', "(", ")", ".", " ", "Sam"]


@pytest.mark.parametrize(
    "written",
    [
        "Sam",
        "sam",
        "SAM",
        " Sam\n",
        "Sam's",
        "Sam’s",
        '"Sam"',
        "“Sam”",
        "**Sam**",
        "`Sam`",
        "the Sam",
        "\uff33\uff41\uff4d",
        "Sam,",
    ],
)
def test_one_name_has_one_form(written: str) -> None:
    """Case, width, blanks, quotes, marks, an article and a possessive do not make another name (K4, C3)."""
    assert canonical(written) == "sam"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C"),
        ("C#", "C"),
        ("-5", "5"),
        ("Sam", "Samuel"),
        ("Sam 1", "Sam 2"),
        ("Thea", "a"),
        ("€ 5", "$ 5"),
    ],
)
def test_two_names_have_two_forms(one: str, other: str) -> None:
    """A sign that belongs to a name or a number tells it from others (K1, K2)."""
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme, Inc.", "ACME,  Inc."),
        ("Straße", "STRASSE"),
        ("Zoë", "Zoe\u0308"),
        ("The Titanic", "Titanic"),
        ("the “Titanic”", "Titanic"),
        ("Łódź", "ŁÓDŹ"),
        ("Sam (the cook)", "sam (the Cook)"),
    ],
)
def test_forms_of_other_names(one: str, other: str) -> None:
    """The same holds in all scripts, and for names of several words."""
    assert canonical(one) == canonical(other) != ""


@pytest.mark.parametrize("nobody", ["", " ", "\n", '""', "**", "..."])
def test_nobody_has_the_empty_form(nobody: str) -> None:
    """What has no letter and no digit is no name."""
    assert canonical(nobody) == ""


@given(some.one_of(some.text(), some.lists(some.sampled_from(PIECES)).map("".join)))
def test_a_form_is_its_own_form(written: str) -> None:
    """The form of a form is the form itself, so that a name that is read back finds what was kept under it."""
    assert canonical(canonical(written)) == canonical(written)
    assert "\t" not in canonical(written)


@pytest.mark.parametrize(
    ("text", "name", "stands"),
    [
        ("房东是老太太叫洪玉珍就住对门。", "洪玉珍", True),
        ("洪玉珍的孙子在槟城。", "洪玉珍", True),
        ("猫叫Tiger是橘的", "tiger", True),
        ("洪玉不在。", "洪玉珍", False),
        ("Tigers", "tiger", False),
    ],
)
def test_names_stand_in_texts_without_blanks(text: str, name: str, stands: bool) -> None:  # noqa: FBT001
    """In Chinese a name has no blanks around it, and is found all the same, alone and among many."""
    index = NameIndex()
    for known in (name, "听鲸"):
        index.add(known)
    assert mentions(text, name) is stands
    assert index.standing_in(text) == index.find_names(text) == [name] * stands
