"""Notes as they change: what was corrected stays as history, and each statement knows where it is from."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from memzoo.memories.strategies.entity_notes import (
    EntityIndex,
    EntityNotes,
    NoteStatement,
    make_statement,
    statements_in,
)
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


def test_names_that_mean_the_same_keep_the_history_of_both() -> None:
    """Two notes become one with all that both stated; the other name leads to it."""
    same = {"Bobby": "Bob"}
    changed = EntityNotes(ITEMS).amend_notes((), same, ())
    assert told(changed["bob"]) == told(ITEMS["bob"]) | told(ITEMS["bobby"])
    assert changed["bobby"] == {"name": "Bobby", "of": "bob"}


def test_a_statement_is_of_the_message_with_most_of_its_words() -> None:
    """Of several as good ones, of the first; of none, nobody knows when it was said."""
    said = [entry(1, "Hello"), entry(2, "Bob likes tea"), entry(3, "Yes, Bob likes tea"), entry(4, "Bob?")]
    assert make_statement("Bob likes tea.", said) == NoteStatement("Bob likes tea.", date(2026, 5, 2), (2,))
    assert make_statement("Bob likes tea.", []) == NoteStatement("Bob likes tea.")


def test_the_first_statement_of_a_note_says_who_somebody_is() -> None:
    """Of what holds, the first leads from a role to a name, for a search; what was corrected is not searched."""
    item = note("Bob", "Bob is the baker.", "Bob likes tea.", ended="Bob is a cook.")
    units = EntityIndex().units("bob", item)
    assert [(unit.text, unit.names, unit.tells) for unit in units] == [
        ("Bob: Bob is the baker.", ("bob",), True),
        ("Bob: Bob likes tea.", ("bob",), False),
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
    (unit,) = EntityIndex().units("oven", note("Oven", said))
    assert unit.advice is advice


def test_who_is_asked_about_by_another_name_is_asked_about_as_surely() -> None:
    """By a name and another name for the same, as surely as by the surer one; by a part of it, less so."""
    notes = EntityNotes({"robert miller": note("Robert Miller"), "bob": {"name": "Bob", "of": "robert miller"}})
    assert notes.find_asked("Where is Bob?", Labels()) == {"robert miller": 1.0}
    assert notes.find_asked("Where is Bob, or Miller?", Labels()) == {"robert miller": 1.0}
    assert notes.find_asked("Where is Miller?", Labels()) == {"robert miller": 0.7}
    others = EntityNotes({"sam": note("Sam"), "bob the builder": {"name": "Bob the builder", "of": "sam"}})
    assert others.find_asked("Where is Builder?", Labels()) == {"sam": 0.7}
