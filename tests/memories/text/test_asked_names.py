"""Whom and what a question is about."""

import pytest

from memzoo.memories.text.messages import Labels
from memzoo.memories.text.name_index import NameIndex, asked_names

NAMES = ["devin achterberg", "noor", "mara", "user", "assistant", "14 weir street"]


def asked(query: str, *before: str) -> dict[str, float]:
    """The names that a question asks about."""
    index = NameIndex()
    for name in NAMES:
        index.add(name)
    return asked_names(query, index, Labels("Mara", "Bot"), before)


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
def test_are_named_in_full_or_in_part_or_by_a_pronoun(query: str, names: list[str]) -> None:
    """A known name, a part of one with a capital, "I" for the user and "you" for the assistant count."""
    assert list(asked(query)) == names


def test_in_full_count_more_than_in_part() -> None:
    """What is sure counts more."""
    found = asked("Did Devin speak to Noor about me?")
    assert found["noor"] > found["devin achterberg"] > found["mara"]


def test_are_those_spoken_of_before_where_a_pronoun_refers_to_them() -> None:
    """With "she", names in the messages before count, those of the newest more; without, they do not."""
    before = ("Noor came late.", "Devin Achterberg baked.")
    found = asked("Why did she?", *before)
    assert found["noor"] > found["devin achterberg"] > 0
    assert asked("Why?", *before) == {}
