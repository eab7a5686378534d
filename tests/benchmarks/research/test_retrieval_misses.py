"""What was not shown, by kind."""

import pytest

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research.retrieval_misses import KINDS, misses, misses_table, room_table
from memzoo.benchmarks.research.retrieving import Found

IN_IT, NEAR_IT, NOWHERE = KINDS
TOM, BOAT = "My cat is called Tom.", "The boat costs 4,200 crowns."


def missed(question: str, *texts: str, budget: int = 10) -> Found:
    """A question for which some messages were not shown."""
    return Found("Cat & boat", question, "old", budget, 0.0, 5, 0.0, texts)


def test_a_miss_is_of_a_kind(transcript: Transcript) -> None:
    """A word of the question stands in the message, or near it, or nowhere; the speakers' names are no words."""
    found = [missed("Whose cat?", TOM), missed("Who has a fine cat?", BOAT), missed("Does Ann fly?", TOM)]
    counts, _ = misses(found, [transcript], 10)
    assert counts == {("old", IN_IT): 1, ("old", NEAR_IT): 1, ("old", NOWHERE): 1}


def test_words_are_compared_as_the_search_does(transcript: Transcript) -> None:
    """By their stems: who asks for what costs finds what cost."""
    counts, _ = misses([missed("What is the costing?", BOAT)], [transcript], 10)
    assert counts == {("old", IN_IT): 1}


def test_what_misses_cost_adds_up_to_the_recall_that_is_missing(transcript: Transcript) -> None:
    """A question that misses two messages of two costs as much as one that misses its only one."""
    found = [missed("Whose cat?", TOM, BOAT), missed("Does Ann fly?", TOM)]
    _, losses = misses(found, [transcript], 10)
    assert losses.total() == pytest.approx(1.0)
    assert losses["old", NOWHERE] == pytest.approx(0.5)


def test_the_table_counts_one_budget(transcript: Transcript) -> None:
    """Misses at other budgets are not in it; the last line is the sum."""
    found = [missed("cat?", TOM), missed("cat?", TOM, budget=9)]
    assert last_row(misses_table(found, [transcript], 10)) == [
        "all",
        "1 (1.000)",
        "0 (0.000)",
        "0 (0.000)",
        "1 (1.000)",
    ]


def test_more_room_is_counted_from_the_budget_on() -> None:
    """What a larger budget does not show either, and nothing of smaller ones."""
    found = [missed("cat?", TOM, BOAT), missed("cat?", TOM, budget=20), missed("cat?", TOM, budget=5)]
    assert last_row(room_table(found, 10)) == ["all", "2", "1"]


def last_row(table: str) -> list[str]:
    """The cells of the last row of a table."""
    return [cell.strip() for cell in table.splitlines()[-1].strip("|").split("|")]
