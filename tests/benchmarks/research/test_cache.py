"""What a request of each memory pays with a prompt cache."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.measure.caching import CacheRule, Requests
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.cache import measure_requests
from memzoo.benchmarks.variants import parse_variant
from tests.benchmarks.research.test_strong_model import rows

BY_ONE = CacheRule("by one")


def of(name: str, transcript: Transcript, words: TextCounter) -> Requests:
    """The requests of a memory behind 10 tokens of a system prompt, and a system message of 5."""
    found = measure_requests([transcript], parse_variant(name), words, budget=100, systems=[10], rule=BY_ONE)
    return found.requests[10]


def test_who_shows_everything_repeats_all_but_the_newest_exchange(transcript: Transcript, words: TextCounter) -> None:
    """With role and marks the user's three messages have 9, 11 and 9 tokens, the answers between them 10 and 9."""
    assert of("buffer", transcript, words) == Requests(3, 24 + (24 + 10 + 11) + (45 + 9 + 9), 24 + 45)


def test_a_window_that_slides_repeats_the_system_prompt_alone(transcript: Transcript, words: TextCounter) -> None:
    """With one exchange in view, the third request begins with another message of the user."""
    assert of("window:k=1", transcript, words) == Requests(3, 24 + 45 + (15 + 11 + 9 + 9), 24 + (15 + 3))


@pytest.mark.parametrize("names", [["window"], ["window:k=1", "vector-retriever"]])
def test_has_a_row_for_each_memory(names: list[str], chat: dict[str, Any], saved: Callable[..., Path]) -> None:
    """Evidence, and for each system prompt what is sent and paid at two prices."""
    given = [part for name in names for part in ("--memory", name)]
    done = CliRunner().invoke(app, ["cache", str(saved(json.dumps(chat))), *given, "--system", "0,2000"])
    assert done.exit_code == 0, done.output
    found = rows(done.output)
    assert set(found) == set(names)
    evidence, *_, sent, cached, dear, cheap = found[names[0]]
    assert 0 <= float(evidence) <= 1
    assert float(sent.replace(",", "")) > 2000
    assert (cached, float(dear.replace(",", "")) > float(cheap.replace(",", ""))) == ("63%", True)


def test_refuses_a_memory_that_nobody_knows() -> None:
    """The command ends with the names that there are."""
    done = CliRunner().invoke(app, ["cache", "--memory", "windoe"])
    assert (done.exit_code, "window" in done.output) == (1, True)
