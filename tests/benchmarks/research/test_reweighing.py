"""One search weighed in many ways."""

from dataclasses import replace

import pytest

from memzoo.benchmarks import Question, TextCounter, Transcript
from memzoo.benchmarks.research.retrieving import find, memory_maker
from memzoo.benchmarks.research.reweighing import reweigh
from memzoo.memories.search.weights import Weights

SETTINGS = {
    "shipped": Weights(),
    "long is cheap": Weights(length=0, talkative=0),
    "long is dear": Weights(length=2.0, talkative=1.0, short=2),
    "whoever speaks": Weights(speaker=0),
    "around it alone": Weights(own=0, segment=0),
}


@pytest.fixture
def asked(transcript: Transcript) -> Transcript:
    """The short conversation with questions that are asked in its midst, and one that names who spoke."""
    questions = (
        Question("What is my cat called?", evidence=("A fine name for a cat.",), asked_after=1),
        Question("What of Bot and the cat?", evidence=("A fine name for a cat.",), asked_after=1),
        Question("What does the boat by the river cost?", evidence=("The boat costs 4,200 crowns.",), asked_after=3),
        Question("Is it fair for a cat?", evidence=("That is a fair price.", "My cat is called Tom.")),
    )
    return replace(transcript, questions=questions)


@pytest.mark.parametrize("name", SETTINGS)
def test_finds_what_the_memory_finds(name: str, asked: Transcript, words: TextCounter) -> None:
    """With each of the weights and at each budget, as if a memory had been made with them alone."""
    budgets = [9, 12, 18, 100]
    found = reweigh([asked], SETTINGS, budgets, words)
    alone = find(memory_maker(None, replace(SETTINGS[name], embeddings=0)), [asked], budgets, words)
    for budget in budgets:
        assert found[name, budget] == [(one.recall, one.sessions) for one in alone if one.budget == budget]


def test_weights_make_a_difference(asked: Transcript, words: TextCounter) -> None:
    """Otherwise the comparison above would compare nothing."""
    found = reweigh([asked], SETTINGS, [9, 12], words)
    assert len({tuple(found[name, 9] + found[name, 12]) for name in SETTINGS}) > 2
