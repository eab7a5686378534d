"""Scores what was shown for a question."""

from memzoo.benchmarks.measure.evidence import Texts, covered, update_shown, whole
from memzoo.benchmarks.measure.words import answer_found
from memzoo.benchmarks.outcomes import Scored, View
from memzoo.benchmarks.transcripts.conversations import Question

__all__ = ["scored"]


def scored(question: Question, view: View) -> Scored:
    """Look for the evidence of a question, for its answer, and for what the evidence corrects."""
    said = [text for _, text in view]
    shown = Texts(said)
    return Scored(
        whole=round(whole(question.evidence, shown), 6),
        covered=round(covered(question.evidence, shown), 6),
        answer=answer_found(question.answer, said),
        update=update_shown(question.evidence, question.stale, shown) if question.stale else None,
    )
