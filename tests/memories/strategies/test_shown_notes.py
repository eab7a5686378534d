"""Which notes a model is shown that is to amend them: as much as has room, and what new lines are most about first."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.models.replies import Amendment
from memzoo.memories.search.unit_index import FoundUnit, KnownUnit
from memzoo.memories.strategies.entity_notes import EntityNotes
from memzoo.memories.strategies.shown_notes import KnownNotes, choose_notes, notes_within

TEA, CAT, SINGS = "Bob likes tea.", "Bob has one cat.", "Eve sings."
# What a statement takes besides its words: its number. A heading is a name and as much.
AROUND = 3


def note(name: str, *statements: str, seq: int = 1) -> dict[str, Any]:
    """A note as it stands in the state."""
    return {"name": name, "statements": [{"text": text, "seq": [seq]} for text in statements]}


NOTES = EntityNotes({"bob": note("Bob", TEA, CAT), "eve": note("Eve", SINGS)})


def found(name: str, text: str) -> FoundUnit:
    """A statement as a search finds it."""
    return FoundUnit(name.lower(), 0, KnownUnit(f"{name}: {text}", (name.lower(),)))


def known(tokens: int, touched: Iterable[FoundUnit] = (), said: str = "", before: str = "") -> KnownNotes:
    """What is shown of the notes on Bob and Eve."""
    return choose_notes(NOTES, touched, said, before, tokens)


def texts(shown: KnownNotes) -> list[str]:
    """The statements that are shown."""
    return [one.text for _, one in shown.statements.values()]


def fewest(cost: int) -> int:
    """The fewest tokens of which three quarters are so many; names alone have the rest."""
    return next(tokens for tokens in range(1000) if tokens * 3 // 4 >= cost)


def size(*statements: str, headings: Iterable[str] = ()) -> int:
    """The tokens of statements under some names."""
    return sum(count_for_prompt(text) + AROUND for text in (*statements, *headings))


@pytest.mark.parametrize(
    ("touched", "said", "expected", "cost"),
    [
        ([], "Bob?", [TEA], size(TEA, headings=["Bob"])),
        ([("Bob", CAT)], "Bob?", [TEA, CAT], size(TEA, CAT, headings=["Bob"])),
        ([("Bob", TEA), ("Bob", TEA)], "Bob and Eve?", [TEA, SINGS], size(TEA, SINGS, headings=["Bob", "Eve"])),
    ],
)
def test_what_just_fits_is_shown(touched: list[tuple[str, str]], said: str, expected: list[str], cost: int) -> None:
    """Each statement takes its words and its number once, and each name once; with a token less, one has no room."""
    tokens = fewest(cost)
    assert texts(known(tokens, [found(*one) for one in touched], said)) == expected
    assert texts(known(tokens - 1, [found(*one) for one in touched], said)) != expected


def test_statements_are_numbered_under_their_names() -> None:
    """From 1, note by note, each note's in its order; a number leads back to the note and what it states."""
    shown = known(400, [found("Bob", CAT)], said="Eve?", before="Bob?")
    assert shown.entities == [
        {"name": "Bob", "aliases": [], "statements": [{"number": 1, "text": TEA}, {"number": 2, "text": CAT}]},
        {"name": "Eve", "aliases": [], "statements": [{"number": 3, "text": SINGS}]},
    ]
    lines = [Amendment("", "no longer", 2), Amendment("", "made up", 4), Amendment("Zoe", "is new", 0)]
    meant = [(key, ended and ended.text, text) for key, ended, text in shown.resolve(lines)]
    assert meant == [("bob", CAT, "no longer"), ("Zoe", None, "is new")]


def test_who_is_only_named_is_shown_by_what_is_said_first() -> None:
    """Of a name in the new lines or those before, the first statement; what a search found comes before both."""
    tokens = fewest(size(TEA, headings=["Bob"]))
    assert texts(known(tokens, said="Bob?")) == [TEA]
    assert texts(known(tokens, [found("Eve", SINGS)], said="Bob?")) == [SINGS]
    assert texts(known(400, before="Bob?")) == [TEA]


def test_what_is_no_more_is_passed_over() -> None:
    """Something else may have been learnt since the search."""
    assert texts(known(400, [found("Bob", "Bob has a dog."), found("Eve", SINGS)])) == [SINGS]


def test_other_names_have_a_quarter_of_the_room() -> None:
    """Each with a token between, those that were added to last first; at most fifty."""
    notes = EntityNotes({f"p{at}": note(f"P{at}", "Sings.", seq=at) for at in range(10, 70)})
    newest = [f"P{at}" for at in range(69, 9, -1)]
    assert choose_notes(notes, (), "", "", 4 * 6).names == newest[:3]
    assert choose_notes(notes, (), "", "", 4 * 6 - 1).names == newest[:2]
    assert choose_notes(notes, (), "", "", 4000).names == newest[:50]
    some = choose_notes(notes, (), "P10 and P69?", "P11", 4000)
    assert [entity["name"] for entity in some.entities] == ["P10", "P69", "P11"]
    assert some.names == newest[1:51]


def test_nobody_looks_far_for_what_still_fits() -> None:
    """Where twenty in a row had no room, hardly anything fits any more: the search is asked for no others."""
    notes = EntityNotes({"bob": note("Bob", *(f"Bob likes {'very ' * at}much." for at in range(20, 90)))})
    asked = list[str]()

    def touched() -> Iterator[FoundUnit]:
        for one in notes.statements("bob"):
            asked.append(one.text)
            yield found("Bob", one.text)

    assert choose_notes(notes, touched(), "", "", 40).entities == []
    assert len(asked) == 20


def test_statements_of_one_note_that_belong_together_are_shown_together() -> None:
    """What took something's place often stands in the note that has the old statement, too."""
    old, new = "Bob has seen The Kettles.", "Bob plays in Velvet Harbour instead of The Kettles."
    notes = EntityNotes({"bob": note("Bob", TEA, old, new)})
    shown = notes_within(100, [[found("Bob", new), found("Bob", old)]], notes, count_for_prompt)
    assert {name: [one.text for one in kept] for name, kept in shown.items()} == {"Bob": [TEA, old, new]}


def test_a_statement_of_several_notes_is_repeated_only_where_all_else_has_room() -> None:
    """This is for statements with the other name in them: "likes tea" in two notes tells two things."""
    both, alike = "Bob met Eve.", "Likes tea."
    notes = EntityNotes({"bob": note("Bob", both, alike), "eve": note("Eve", both, alike)})
    groups = [[found(name, text)] for text in (both, alike) for name in ("Bob", "Eve")]
    views = [notes_within(tokens, groups, notes, count_for_prompt) for tokens in (16, 100)]
    bob, eve = ([f"{name}: {text}" for text in (both, alike)] for name in ("Bob", "Eve"))
    assert [[f"{name}: {one}" for name, kept in view.items() for one in kept] for view in views] == [
        [*bob, eve[1]],
        [*bob, *eve],
    ]
