"""The beginning of the bundled conversation, through which the seven go once for all tests."""

from dataclasses import replace

import pytest

from memzoo.benchmarks.play.playing import Line
from memzoo.benchmarks.transcripts import sample_transcripts
from tests.benchmarks.play.talks import play


@pytest.fixture(scope="session")
def bundled() -> list[Line]:
    """The lines of its page: 30 exchanges, all seven memories."""
    [transcript] = sample_transcripts()
    return [*play(replace(transcript, exchanges=transcript.exchanges[:30], questions=()), budget=1_000).lines()]
