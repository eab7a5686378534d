"""Facts as further keys of a search."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from memzoo.benchmarks import TextCounter, Transcript
from memzoo.benchmarks.research.retrieval import Counted
from memzoo.benchmarks.research.retrieval_facts import FactKeys, app, with_facts
from memzoo.memories import HashEmbedder
from memzoo.memories.models.chat import ChatFunction


def test_a_fact_leads_to_the_message_that_stated_it(transcript: Transcript) -> None:
    """A word that the model put into the fact, and nobody said, finds the message."""
    keys = FactKeys(transcript, lambda _: "Tom | is | a feline")
    found = keys.points("Is there a feline?")
    assert len(keys) == 1
    assert found
    assert all(score > 0 for score in found.values())
    assert keys.points("?!") == {}


def test_a_fact_is_found_by_the_memory(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> None:
    """Facts are counted, and questions answered with them."""
    found, facts = with_facts([transcript], [100], words, Counted(HashEmbedder()), rules)
    assert (facts, len(found)) == (1, 2)
    assert all(one.recall == 1 for one in found)


def test_the_command_shows_both(chat: dict[str, Any], saved: Callable[..., Path]) -> None:
    """A table has the memory with facts as keys and without."""
    done = CliRunner().invoke(app, [str(saved(chat))])
    assert done.exit_code == 0, done.output
    assert "memzoo with facts as keys" in done.output
    assert "taken by the model 'offline'" in done.output
