"""Compares memories on your own conversations by recall, cost and speed."""

from memzoo.benchmarks.comparing import Comparison, compare
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.results import Results, Row
from memzoo.benchmarks.transcripts import (
    Exchange,
    Question,
    Transcript,
    load_transcripts,
)
from memzoo.benchmarks.variants import Variant

__all__ = [
    "Comparison",
    "Exchange",
    "Question",
    "Results",
    "Row",
    "Settings",
    "Transcript",
    "Variant",
    "compare",
    "load_transcripts",
]
