"""What a search did not show, by what the question and the message have in common."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table

from memzoo.benchmarks.measure.words import content_words
from memzoo.benchmarks.research.retrieving import Found
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories.text.messages import text_of

__all__ = ["KINDS", "misses", "misses_table"]

_IN_IT = "a word of the question is in it"
_NEAR_IT = "only near it, within 3 messages"
_NOWHERE = "neither in it nor near it"
_NEAR = 3

KINDS = (_IN_IT, _NEAR_IT, _NOWHERE)
"""What a message that was not shown and its question may have in common."""


def misses(found: Iterable[Found], transcripts: Iterable[Transcript], budget: int) -> Counter[tuple[str, str]]:
    """How many messages were not shown at a budget, by category and kind.

    Names of the speakers do not count as words; words are compared without plural endings, otherwise as they are.
    """
    conversations = {transcript.title: transcript for transcript in transcripts}
    counts: Counter[tuple[str, str]] = Counter()
    for one in found:
        if one.budget == budget:
            counts.update((one.category, _kind(one.question, text, conversations[one.title])) for text in one.missed)
    return counts


def misses_table(found: Sequence[Found], transcripts: Sequence[Transcript], budget: int) -> Table:
    """The counts as a table for a terminal."""
    counts = misses(found, transcripts, budget)
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"messages with evidence that were not shown at {budget:,} tokens",
        title_justify="left",
    )
    table.add_column("")
    for kind in KINDS:
        table.add_column(kind, justify="right")
    for category in sorted({category for category, _ in counts}):
        table.add_row(category, *(str(counts[category, kind]) for kind in KINDS))
    table.add_row("all", *(str(sum(counts[key] for key in counts if key[1] == kind)) for kind in KINDS))
    return table


def _kind(question: str, text: str, transcript: Transcript) -> str:
    asked = content_words(question) - content_words(f"{transcript.user} {transcript.assistant}")
    if asked & content_words(text):
        return _IN_IT
    said = [text_of(message) for exchange in transcript.exchanges for message in exchange.messages]
    place = next(place for place, one in enumerate(said) if text in one)
    near = said[max(0, place - _NEAR) : place + _NEAR + 1]
    return _NEAR_IT if asked & content_words("\n".join(near)) else _NOWHERE
