"""Agents with tools: a provider accepts all that every strategy sends, though results come late or never."""

import openai
import pytest

from tests.conversations import call, said
from tests.memories.agents import talk
from tests.memories.sequences import SPECIES
from tests.provider import Provider


@pytest.mark.parametrize("name", SPECIES)
def test_all_requests_are_accepted(name: str) -> None:
    """Through the real client, whatever the model calls and whichever results are missing (I6)."""
    assert sum(talk(name, seed, turns=4) for seed in range(2)) >= 8


def test_the_provider_answers_400() -> None:
    """A call without results is refused as the real endpoint refuses it."""
    messages = [said("user"), call("a")]
    with Provider(lambda: said("assistant")).client() as client, pytest.raises(openai.BadRequestError, match="'a'"):
        client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]
