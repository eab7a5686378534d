"""Compares memories on your own conversations by recall, cost and speed."""

from memzoo.benchmarks.comparing import Comparison, compare
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.results import Results, Row
from memzoo.benchmarks.transcripts import (
    Exchange,
    Question,
    Transcript,
    load_transcripts,
    read_transcripts,
    sample_transcripts,
)
from memzoo.benchmarks.variants import PRESETS, Variant, parse_variant

__all__ = [
    "PRESETS",
    "Comparison",
    "Exchange",
    "Question",
    "Results",
    "Row",
    "Settings",
    "TextCounter",
    "Transcript",
    "Variant",
    "compare",
    "load_transcripts",
    "named_counter",
    "parse_variant",
    "read_transcripts",
    "sample_transcripts",
]
