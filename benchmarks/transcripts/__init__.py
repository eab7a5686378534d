"""Transcripts: reading and validating conversations from files."""

from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.benchmarks.transcripts.reading import (
    load_transcripts,
    read_transcripts,
    sample_path,
    sample_transcripts,
)

__all__ = [
    "Exchange",
    "Question",
    "Transcript",
    "load_transcripts",
    "read_transcripts",
    "sample_path",
    "sample_transcripts",
]
