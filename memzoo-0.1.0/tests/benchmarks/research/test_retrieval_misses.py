"""What was not shown, by kind."""

from rich.console import Console

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research.retrieval_misses import KINDS, misses, misses_table
from memzoo.benchmarks.research.retrieving import Found

IN_IT, NEAR_IT, NOWHERE = KINDS
TOM, BOAT = "My cat is called Tom.", "The boat costs 4,200 crowns."


def missed(question: str, *texts: str, budget: int = 10) -> Found:
    """A question for which some messages were not shown."""
    return Found("Cat & boat", question, "old", budget, 0.0, 5, 0.0, texts)


def test_a_miss_is_of_a_kind(transcript: Transcript) -> None:
    """A word of the question stands in the message, or near it, or nowhere; the speakers' names are no words."""
    found = [missed("Whose cat?", TOM), missed("Who has a fine cat?", BOAT), missed("Does Ann fly?", TOM)]
    assert misses(found, [transcript], 10) == {("old", IN_IT): 1, ("old", NEAR_IT): 1, ("old", NOWHERE): 1}


def test_the_table_counts_one_budget(transcript: Transcript) -> None:
    """Misses at other budgets are not in it; the last line is the sum."""
    console = Console(width=150)
    with console.capture() as captured:
        console.print(misses_table([missed("cat?", TOM), missed("cat?", TOM, budget=9)], [transcript], 10))
    assert captured.get().split()[-4:] == ["all", "1", "0", "0"]
