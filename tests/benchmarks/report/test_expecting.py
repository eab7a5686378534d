"""What a dry run calls exact is so, whatever a model replies."""

from dataclasses import replace
from typing import TYPE_CHECKING

from memzoo.benchmarks import TextCounter, compare, sample_transcripts
from memzoo.benchmarks.report.expecting import expected
from memzoo.benchmarks.variants import PRESETS
from memzoo.memories.models.offline.tasks import reply
from memzoo.stores import Message

if TYPE_CHECKING:
    from memzoo.memories.models.chat import ModelOption

MEMORIES = [name for name, one in PRESETS.items() if not one.baseline]


def brief(messages: list[Message]) -> str:
    """Say the first of what the rules would say."""
    return reply([(message["role"], message["content"]) for message in messages]).partition("\n")[0]


def terse(_messages: list[Message]) -> str:
    """Know nothing."""
    return "NONE"


def test_exact_figures_are_those_of_any_run(words: TextCounter) -> None:
    """With a model that says less than the rules, and with one that says nothing."""
    (talk,) = sample_transcripts()
    talk = replace(talk, exchanges=talk.exchanges[:25], questions=talk.questions[:3])
    models: list[ModelOption] = ["offline", brief, terse]
    dry, *real = (compare([talk], MEMORIES, model=one, budgets=[60], counter=words).rows for one in models)
    checked = 0
    for before, *after in zip(dry, *real, strict=True):
        for name, found in expected(before, 60).items():
            if found.exact:
                assert {name: found} == {name: expected(after[0], 60)[name]}, before.memory.name
                assert {name: found} == {name: expected(after[1], 60)[name]}, before.memory.name
                checked += 1
    assert checked >= 5 * 7 + 8
