"""Notes as they change: what was corrected stays as history, and each statement knows where it is from."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.strategies.entity_notes import EntityNotes, NoteStatement, make_statement, statements_in
from memzoo.memories.strategies.shown_notes import in_parts, units_of_note
from memzoo.memories.text.messages import Labels
from memzoo.stores import Entry


def entry(seq: int, text: str) -> Entry:
    """A message of the user, each of another day."""
    return Entry(seq, {"role": "user", "content": text}, "", datetime(2026, 5, seq, tzinfo=UTC))


def note(name: str, *holding: str, ended: str = "") -> dict[str, Any]:
    """A note with statements, and one that was corrected."""
    old = [NoteStatement(ended, ended_by=9)] if ended else []
    return {"name": name, "statements": [one.as_json() for one in (*old, *map(NoteStatement, holding))]}


ITEMS = {
    "bob": note("Bob", "Bob likes tea.", ended="Bob lives in Oslo."),
    "bobby": note("Bobby", "Bobby sings.", ended="Bobby has a cat."),
}


def told(item: Any) -> dict[str, bool]:
    """What a note states, and whether that holds."""
    return {one.text: one.holds for one in statements_in(item)}


def test_what_was_corrected_stays_when_a_note_is_written_anew() -> None:
    """The new text takes the place of what held; what the note had as history it keeps."""
    changed = EntityNotes(ITEMS).changes({"Bob": "Bob likes milk."}, {}, ["Bob"])
    assert told(changed["bob"]) == {"Bob lives in Oslo.": False, "Bob likes milk.": True}


def test_what_is_said_again_holds_again() -> None:
    """A sentence of the new note that had been corrected is no history any more."""
    changed = EntityNotes(ITEMS).changes({"Bob": "Bob lives in Oslo. Bob likes tea."}, {}, ["Bob"])
    assert told(changed["bob"])["Bob likes tea."]
    assert [one.text for one in statements_in(changed["bob"])].count("Bob lives in Oslo.") == 1


def test_names_that_mean_the_same_keep_the_history_of_both() -> None:
    """Two notes become one with all that both stated; the other name leads to it."""
    same = {"Bobby": "Bob"}
    for changed in (EntityNotes(ITEMS).changes({}, same, ()), EntityNotes(ITEMS).amend_notes((), same, ())):
        assert told(changed["bob"]) == told(ITEMS["bob"]) | told(ITEMS["bobby"])
        assert changed["bobby"] == {"name": "Bobby", "of": "bob"}


def test_a_note_that_was_written_in_view_of_both_takes_the_place_of_both() -> None:
    """What held of the other note is in the new text, if the model kept it; its history stays, and what was hidden."""
    notes = EntityNotes(ITEMS)
    changed = notes.changes({"Bob": "Bob likes tea and sings."}, {"Bobby": "Bob"}, ["Bob", "Bobby"])
    history = {"Bob lives in Oslo.": False, "Bobby has a cat.": False}
    assert told(changed["bob"]) == {**history, "Bob likes tea and sings.": True}
    hidden = {"bobby": [NoteStatement("Bobby sings.")]}
    changed = notes.changes({"Bob": "Bob likes tea."}, {"Bobby": "Bob"}, ["Bob", "Bobby"], hidden=hidden)
    assert told(changed["bob"]) == {**history, "Bob likes tea.": True, "Bobby sings.": True}


def test_a_statement_is_of_the_message_with_most_of_its_words() -> None:
    """Of several as good ones, of the first; of none, nobody knows when it was said."""
    said = [entry(1, "Hello"), entry(2, "Bob likes tea"), entry(3, "Yes, Bob likes tea"), entry(4, "Bob?")]
    assert make_statement("Bob likes tea.", said) == NoteStatement("Bob likes tea.", date(2026, 5, 2), (2,))
    assert make_statement("Bob likes tea.", []) == NoteStatement("Bob likes tea.")


def test_the_first_statement_of_a_note_says_who_somebody_is() -> None:
    """Of what holds, the first leads from a role to a name, for a search; what was corrected says what corrected it."""
    item = note("Bob", "Bob is the baker.", "Bob likes tea.", ended="Bob is a cook.")
    units = units_of_note("bob", item)
    assert [(unit.text, unit.names, unit.tells, bool(unit.corrected_by)) for unit in units] == [
        ("Bob: Bob is the baker.", ("bob",), True, False),
        ("Bob: Bob likes tea.", ("bob",), False, False),
        ("Bob is a cook.", ("bob",), False, True),
    ]


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("In May the assistant advised heating it slowly.", True),
        ("2026\u5e745\u6708\u52a9\u624b\u5efa\u8bae\u5148\u95ee\u4ef7\u3002", True),
        ("It costs \u00a350; the assistant advised asking for less.", False),
        ("Sam is my assistant.", False),
    ],
)
def test_tells_advice_from_what_is_so(said: str, *, advice: bool) -> None:
    """What begins with what the assistant said is searched as advice, which comes after what is so."""
    (unit,) = units_of_note("oven", note("Oven", said))
    assert unit.advice is advice


def test_who_is_asked_about_by_another_name_is_asked_about_as_surely() -> None:
    """By a name and another name for the same, as surely as by the surer one; by a part of it, less so."""
    notes = EntityNotes({"robert miller": note("Robert Miller"), "bob": {"name": "Bob", "of": "robert miller"}})
    assert notes.find_asked("Where is Bob?", Labels()) == {"robert miller": 1.0}
    assert notes.find_asked("Where is Bob, or Miller?", Labels()) == {"robert miller": 1.0}
    assert notes.find_asked("Where is Miller?", Labels()) == {"robert miller": 0.7}
    others = EntityNotes({"sam": note("Sam"), "bob the builder": {"name": "Bob the builder", "of": "sam"}})
    assert others.find_asked("Where is Builder?", Labels()) == {"sam": 0.7}


def test_a_note_that_just_fits_is_shown_whole() -> None:
    """With one token less, what has least to do with the new lines stays behind, and is known as hidden."""
    notes = EntityNotes({"bob": note("Bob", *(f"Bob likes thing number {number}." for number in range(9)))})
    whole = next(
        tokens
        for tokens in range(500)
        if [hidden for _, hidden in in_parts(notes, ["Bob"], "4", tokens)] == [{"bob": []}]
    )
    assert whole - 20 < count_for_prompt(notes.summary("bob")) < whole
    ((part, hidden),) = in_parts(notes, ["Bob"], "number 4 again", whole - 1)
    assert part[0]["name"] == "Bob"
    assert "number 4" in part[0]["summary"]
    assert 0 < len(hidden["bob"]) < 9
    assert len(sorted([*in_parts(notes, ["Bob", "Zoe"], "4", whole)], key=len)) == 2
