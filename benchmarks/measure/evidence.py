"""Measures the share of a question's evidence that a view shows."""

import functools
from collections.abc import Iterable, Sequence

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.outcomes import Scored, Update, View
from memzoo.benchmarks.transcripts.conversations import RULE_KINDS, Question

_LONG = 40
_RUN = 5
_ENOUGH = 0.5


@functools.lru_cache(maxsize=4096)
def squeeze(text: str) -> str:
    """Return a text with each run of white space replaced by a single space."""
    return " ".join(text.split())


class Texts:
    r"""The texts of a view, to be searched with `in`. Any run of white space matches any other.

    Attributes:
        squeezed: The texts with a single space in place of each run of white space.

    Example:
        >>> "moved to Oslo" in Texts(["I moved to", "I moved\nto Oslo."])
        True
    """

    def __init__(self, shown: Iterable[str]) -> None:
        # Squeezed one by one, because `squeeze` caches its results, such as the messages of a long log.
        self.squeezed = "\n".join(map(squeeze, shown))

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and squeeze(text) in self.squeezed


def whole(evidence: Sequence[str], shown: Texts) -> float:
    r"""Return the share of evidence texts that are shown word for word.

    Example:
        >>> whole(["I moved to\nOslo.", "I have a cat."], Texts(["Human: I moved to Oslo. It rains."]))
        0.5
    """
    return sum(one in shown for one in evidence) / len(evidence)


def measure_coverage(evidence: Sequence[str], shown: Texts) -> float:
    """Return the share of evidence texts that are shown. Half of a long text is enough to count as shown."""
    return sum(covers(one, shown) for one in evidence) / len(evidence)


def covers(text: str, shown: Texts) -> bool:
    """Return whether a view shows a text.

    For a text of more than 40 words, it is enough if half of its sequences of five words are shown.

    Example:
        >>> story = " ".join(map(str, range(60)))
        >>> covers(story, Texts([story[:100]])), covers(story, Texts([story[:40]]))
        (True, False)
    """
    if text in shown:
        return True
    runs = _split_into_runs(text)
    return bool(runs) and sum(run in shown.squeezed for run in runs) >= _ENOUGH * len(runs)


@functools.lru_cache(maxsize=4096)
def _split_into_runs(text: str) -> list[str]:
    """Return the sequences of five words of a text; for a text of 40 words or fewer, an empty list."""
    words = text.split()
    return [" ".join(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1) if len(words) > _LONG]


def update_shown(new: Sequence[str], old: Sequence[str], shown: Texts, *, said: bool = False) -> Update:
    """Tell if texts show only a correction ("corrected"), only the old statement ("stale"), "both" or "neither".

    A correction counts as shown if all its messages are shown; an old statement, if any of its messages is shown.

    Args:
        new: The messages with the correction.
        old: The messages with the old statement.
        shown: The shown texts.
        said: True if the texts are already known to contain the correction, perhaps in other words.

    Example:
        >>> update_shown(["Bergen"], ["Oslo"], Texts(["lives in Oslo"]))
        'stale'
    """
    has_new = said or all(covers(one, shown) for one in new)
    has_old = any(covers(one, shown) for one in old)
    if has_new:
        return "both" if has_old else "corrected"
    return "stale" if has_old else "neither"


def score_question(question: Question, view: View) -> Scored:
    """Return a view's scores for a question: the share of evidence, and whether the answer and correction are shown."""
    said = [text for _, text in view]
    shown = Texts(said)
    answer = answer_found(question.answer, said, denied=question.category in RULE_KINDS)
    update = update_shown(question.evidence, question.stale, shown, said=bool(answer)) if question.stale else None
    return Scored(
        whole=round(whole(question.evidence, shown), 6),
        covered=round(measure_coverage(question.evidence, shown), 6),
        answer=answer,
        update=update,
    )
