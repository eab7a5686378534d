"""What a search did not show: what the question and the message have in common, and whether more room helps."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy

from memzoo.benchmarks.research.retrieving import Found
from memzoo.benchmarks.research.tables import table
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories.search.words import Analyser
from memzoo.strategy import text_of

__all__ = ["KINDS", "misses", "misses_table", "room_table"]

_IN_IT = "a word of the question is in it"
_NEAR_IT = "only near it, within 3 messages"
_NOWHERE = "neither in it nor near it"
_NEAR = 3

KINDS = (_IN_IT, _NEAR_IT, _NOWHERE)
"""What a message that was not shown and its question may have in common."""

Counts = Mapping[tuple[str, str], float]


def misses(
    found: Iterable[Found], transcripts: Iterable[Transcript], budget: int
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Count messages that were not shown at a budget.

    Names of the speakers do not count as words; words are compared as the search compares them, by their stems.

    Returns:
        By category and kind: how many messages, and how much more recall there would be with all of them.
    """
    conversations = {transcript.title: _Words(transcript) for transcript in transcripts}
    at = [one for one in found if one.budget == budget]
    counts: Counter[tuple[str, str]] = Counter()
    losses: Counter[tuple[str, str]] = Counter()
    for one in at:
        for text in one.missed:
            key = one.category, conversations[one.title].kind(one.question, text)
            counts[key] += 1
            losses[key] += (1 - one.recall) / len(one.missed) / len(at)  # type: ignore[assignment]
    return counts, losses


def misses_table(found: Sequence[Found], transcripts: Sequence[Transcript], budget: int) -> str:
    """The counts as a table, and in brackets what they cost of the mean recall."""
    counts, losses = misses(found, transcripts, budget)
    categories = sorted({category for category, _ in counts})
    rows = [
        [name, *(_cell(counts, losses, some, kinds) for kinds in (*((kind,) for kind in KINDS), KINDS))]
        for name, some in [*((one, [one]) for one in categories), ("all", categories)]
    ]
    title = f"Messages with evidence that are not shown at {budget:,} tokens, in brackets what they cost of the recall"
    return table(["category", *KINDS, "all"], rows, title)


def room_table(found: Sequence[Found], budget: int) -> str:
    """The messages that are not shown at a budget, and those that larger ones do not show either."""
    missed: dict[int, Counter[str]] = {}
    for one in found:
        missed.setdefault(one.budget, Counter())[one.category] += len(one.missed)
    budgets = sorted(size for size in missed if size >= budget)
    rows = [[category, *(str(missed[size][category]) for size in budgets)] for category in sorted(missed[budget])]
    rows.append(["all", *(str(missed[size].total()) for size in budgets)])
    return table(["category", *(f"{size:,} tokens" for size in budgets)], rows, "Not shown with more room")


def _cell(counts: Counts, losses: Counts, categories: Sequence[str], kinds: Sequence[str]) -> str:
    keys = [(category, kind) for category in categories for kind in kinds]
    return f"{sum(counts[key] for key in keys)} ({sum(losses[key] for key in keys):.3f})"


class _Words:
    """The stems of a conversation."""

    def __init__(self, transcript: Transcript) -> None:
        self._analyser = Analyser()
        said = (text_of(message) for exchange in transcript.exchanges for message in exchange.messages)
        self._said = list(said)
        terms, counts = self._analyser.terms(self._said)
        self._stems = [set(part.tolist()) for part in numpy.split(terms, numpy.cumsum(counts)[:-1])]
        self._names = self._find_terms(f"{transcript.user} {transcript.assistant}")

    def kind(self, question: str, text: str) -> str:
        """What a question and a message have in common."""
        asked = self._find_terms(question) - self._names
        if asked & set(self._analyser.terms([text])[0].tolist()):
            return _IN_IT
        place = next(place for place, one in enumerate(self._said) if text in one)
        near = self._stems[max(0, place - _NEAR) : place + _NEAR + 1]
        return _NEAR_IT if any(asked & stems for stems in near) else _NOWHERE

    def _find_terms(self, question: str) -> set[int]:
        return {int(term) for phrase in self._analyser.phrases(question) for term in phrase}
