"""Checks if a view has the evidence of an answer: the one place for it, for comparisons and research."""

import functools
from collections.abc import Iterable, Sequence

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.outcomes import Scored, Update, View
from memzoo.benchmarks.transcripts.conversations import Question

__all__ = ["Texts", "covers", "measure_coverage", "score_question", "squeeze", "update_shown", "whole"]

_LONG = 40
_RUN = 5
_ENOUGH = 0.5


@functools.lru_cache(maxsize=4096)
def squeeze(text: str) -> str:
    """Replace each run of white space with a single space."""
    return " ".join(text.split())


class Texts:
    r"""Texts of a view, searched for other texts without regard to white space.

    Example:
        >>> "moved to Oslo" in Texts(["I moved to", "I moved\nto Oslo."])
        True
    """

    def __init__(self, shown: Iterable[str]) -> None:
        # One after the other: what was looked through once, such as each message of a long log, is kept by `squeeze`.
        self._shown = [squeeze(text) for text in shown]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and any(squeeze(text) in one for one in self._shown)


def whole(evidence: Sequence[str], shown: Texts) -> float:
    r"""Compute the share of evidence that is whole in a view.

    Example:
        >>> whole(["I moved to\nOslo.", "I have a cat."], Texts(["Human: I moved to Oslo. It rains."]))
        0.5
    """
    return sum(one in shown for one in evidence) / len(evidence)


def measure_coverage(evidence: Sequence[str], shown: Texts) -> float:
    """Compute the share of evidence that is covered; see `covers`."""
    return sum(covers(one, shown) for one in evidence) / len(evidence)


def covers(text: str, shown: Texts) -> bool:
    """Return true if a view has a whole text or, if it has more than 40 words, half of its runs of five.

    Example:
        >>> story = " ".join(map(str, range(60)))
        >>> covers(story, Texts([story[:100]])), covers(story, Texts([story[:40]]))
        (True, False)
    """
    if text in shown:
        return True
    words = text.split()
    if len(words) <= _LONG:
        return False
    runs = [" ".join(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1)]
    return sum(run in shown for run in runs) >= _ENOUGH * len(runs)


def update_shown(new: Sequence[str], old: Sequence[str], shown: Texts, *, said: bool = False) -> Update:
    """Classify the view of a statement and its correction: all of the new, any of the old.

    Args:
        new: The messages that correct.
        old: The messages that they correct.
        shown: Where they are looked for.
        said: The view has the correction in other words.

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
    """Look for the evidence of a question, its answer, and the statement that the evidence corrects."""
    said = [text for _, text in view]
    shown = Texts(said)
    answer = answer_found(question.answer, said)
    update = update_shown(question.evidence, question.stale, shown, said=bool(answer)) if question.stale else None
    return Scored(
        whole=round(whole(question.evidence, shown), 6),
        covered=round(measure_coverage(question.evidence, shown), 6),
        answer=answer,
        update=update,
    )
