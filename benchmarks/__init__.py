"""Compare memory strategies on a conversation of your own: what each remembers, what it costs, how slow it is."""

from memzoo.benchmarks.measure.comparing import Comparison, Row, Score, compare
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.scenarios import SCENARIOS, Scenario
from memzoo.benchmarks.transcripts import Exchange, Question, Transcript, load_transcripts, sample_transcripts

__all__ = [
    "SCENARIOS",
    "Comparison",
    "Exchange",
    "Question",
    "Row",
    "Scenario",
    "Score",
    "TextCounter",
    "Transcript",
    "compare",
    "load_transcripts",
    "named_counter",
    "sample_transcripts",
]
