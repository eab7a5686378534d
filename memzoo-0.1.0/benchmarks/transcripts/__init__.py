"""Transcripts: conversations in files, read and validated."""

from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.benchmarks.transcripts.reading import load_transcripts, read_transcripts, sample_path, sample_transcripts

__all__ = [
    "Exchange",
    "Question",
    "Transcript",
    "load_transcripts",
    "read_transcripts",
    "sample_path",
    "sample_transcripts",
]
