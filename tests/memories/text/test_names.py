"""One form for each name, however it was written; and whom and what a question is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.text.messages import Labels
from memzoo.memories.text.names import NameIndex, canonical, find_asked_names, fold, mentions

NAMES = ["devin achterberg", "noor", "mara", "user", "assistant", "14 weir street"]
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
    assert mentions(fold(text), name) is stands
    assert index.find_all_names(text) == index.find_names(text) == [name] * stands


def asked(query: str, *before: str) -> dict[str, float]:
    """The names that a question asks about."""
    index = NameIndex()
    for name in NAMES:
        index.add(name)
    return find_asked_names(query, index, Labels("Mara", "Bot"), before)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Is Noor at 14 Weir Street?", ["noor", "14 weir street"]),
        ("Where was DEVIN taught?", ["devin achterberg"]),
        ("what do I owe?", ["user", "mara"]),
        ("Our oven?", ["user", "mara"]),
        ("What did you advise?", ["assistant", "bot"]),
        ("the devil is in it", []),
        ("我的烤箱呢\uff1f", ["user", "mara"]),
        ("", []),
    ],
)
def test_asked_names_are_named_in_full_or_in_part_or_by_a_pronoun(query: str, names: list[str]) -> None:
    """A known name, a part of one with a capital, "I" for the user and "you" for the assistant count."""
    assert list(asked(query)) == names


def test_asked_in_full_count_more_than_in_part() -> None:
    """What is sure counts more."""
    found = asked("Did Devin speak to Noor about me?")
    assert found["noor"] > found["devin achterberg"] > found["mara"]


def test_asked_names_are_those_spoken_of_before_where_a_pronoun_refers_to_them() -> None:
    """With "she", names in the messages before count, those of the newest more; without, they do not."""
    before = ("Noor came late.", "Devin Achterberg baked.")
    found = asked("Why did she?", *before)
    assert found["noor"] > found["devin achterberg"] > 0
    assert asked("Why?", *before) == {}
