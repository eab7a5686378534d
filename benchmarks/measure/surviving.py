"""Measures how long marked lines of a transcript, such as rules and goals, are still shown."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.evidence import Texts, covers
from memzoo.benchmarks.outcomes import Survived
from memzoo.benchmarks.transcripts.conversations import Mark
from memzoo.stores import Message
from memzoo.strategy import text_of

__all__ = ["AGES", "Followed"]

AGES = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
"""The lower ends of the age groups, in exchanges: checks of one age group are counted together."""


class Followed:
    """Counts the marked lines still shown during a conversation, by kind and age, and at the end by kind.

    Example:
        >>> followed, goal = Followed(), Mark("goal", "We sail to Oslo.")
        >>> shown = [{"role": "user", "content": "We sail to Oslo."}]
        >>> for number in range(1, 5):
        ...     followed.look(number, [(0, goal)], shown if number < 4 else [])
        >>> [(one.after, one.shown, one.of) for one in followed.list_survived()]
        [(1, 1, 1), (2, 2, 3), (None, 0, 1)]
    """

    def __init__(self) -> None:
        self._ages: dict[tuple[str, int], list[bool]] = defaultdict(list)
        self._end: dict[str, list[bool]] = {}

    def look(self, number: int, marks: Sequence[tuple[int, Mark]], shown: Sequence[Message] | None) -> None:
        """Check each marked line at an exchange.

        Args:
            number: The number of the exchange.
            marks: The marked lines of earlier exchanges, each with the number of its exchange.
            shown: The memory's view; `None` if all messages are shown.
        """
        said = None if shown is None else [text_of(message) for message in shown]
        texts, end = Texts(said or []), defaultdict[str, list[bool]](list)
        for since, mark in marks:
            survives = said is None or _says(mark, said, texts)
            self._ages[mark.kind, AGES[bisect_right(AGES, number - since) - 1]].append(survives)
            end[mark.kind].append(survives)
        self._end = end

    def list_survived(self) -> tuple[Survived, ...]:
        """Return the counts by kind and age, then the counts of the last check by kind."""
        ages = [
            Survived(kind=kind, after=after, shown=sum(held), of=len(held))
            for (kind, after), held in self._ages.items()
        ]
        return (*ages, *(Survived(kind=kind, shown=sum(held), of=len(held)) for kind, held in self._end.items()))


def _says(mark: Mark, said: Sequence[str], texts: Texts) -> bool:
    """Return True if a marked line is shown, word for word or in other words with the same meaning."""
    return covers(mark.text, texts) or bool(answer_found(mark.means or mark.text, said))
