"""What a large model learnt of a bundled conversation is measured beside the rules."""

from dataclasses import replace
from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Settings, Transcript, Variant, compare
from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.recorded_states import LearntState, fingerprint, learnt_of, log_of
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.memories import ConversationBufferMemory
from memzoo.stores import InMemoryStore

FOUR = ("summary", "summary-buffer", "entity", "knowledge-graph")


def yes(_messages: object) -> str:
    """A model."""
    return "yes"


def starred(found: Comparison) -> dict[str, Any]:
    """The rows of what was learnt, by name."""
    return {row.memory.name: row for row in found.rows if row.memory.learnt_by}


def test_the_bundled_conversation_comes_with_what_the_four_learnt_of_it() -> None:
    """Of these very words: a change of the conversation leaves nothing learnt of it."""
    (talk,) = sample_transcripts()
    learnt = learnt_of([talk])
    assert learnt is not None
    assert tuple(learnt.memories) == FOUR
    assert learnt.talk == fingerprint(talk)
    assert learnt_of([replace(talk, exchanges=talk.exchanges[1:])]) is None


def test_of_several_conversations_nothing_is_known_beforehand() -> None:
    """Nor of none, nor of another."""
    assert [learnt_of(talks) for talks in (sample_transcripts() * 2, [], sample_transcripts("zh"))] == [None] * 3


def test_what_was_learnt_is_a_row_beside_the_floor_and_can_be_picked() -> None:
    """It has the figures of the questions, and what learning took; no model is asked."""
    steps: dict[str, int] = {}
    found = compare(
        sample_transcripts(),
        ["summary", "window"],
        Settings(budgets=[900], counter="approximate"),
        progress=lambda name, count: steps.__setitem__(name, steps.get(name, 0) + count),
    )
    assert set(steps.values()) == {102 + 76}
    row = starred(found)["summary*"]
    assert not row.error
    assert not row.memory.floor
    assert row.figure("answers", 900).mean > 0.3
    assert row.asking == row.load == Sum()
    assert row.save.calls == 8
    assert row.budgets[900].tokens == row.budgets[900].tokens_for_a_question > 500
    assert [pair.best for pair in found.results.pairs] == ["summary*"]
    assert "Rows with a star: a large instruction-following model learnt the conversation in advance." in found.verdict
    assert "summary needs a model." in found.verdict


def test_several_processes_find_the_same() -> None:
    """A state reaches them."""
    one, two = (
        starred(compare(sample_transcripts(), ["summary-buffer"], Settings(counter="approximate"), executor=jobs))
        for jobs in (1, 2)
    )
    assert one == two
    assert list(one) == ["summary-buffer*"]


@pytest.mark.parametrize(
    "more",
    [{"learnt": False}, {"model": yes}, {"memories": ["summary:max_state_tokens=90"]}],
    ids=["not wanted", "a model", "other options"],
)
def test_nothing_stands_in_for_what_was_asked_for(more: dict[str, Any], saved_sample: list[Transcript]) -> None:
    """Whoever names a model or options sees what these do."""
    memories = more.pop("memories", ["summary"])
    assert starred(compare(saved_sample, memories, Settings(draft=False, **more))) == {}


@pytest.fixture
def saved_sample() -> list[Transcript]:
    """The bundled conversation without its questions, which saves time."""
    (talk,) = sample_transcripts()
    return [replace(talk, questions=())]


def test_without_questions_it_shows_nothing(saved_sample: list[Transcript]) -> None:
    """What was learnt beforehand is loaded for questions only."""
    at = starred(compare(saved_sample, ["summary"], Settings(counter="approximate", budgets=[900], draft=False)))[
        "summary*"
    ].budgets[900]
    assert (at.tokens, at.tokens_at_end, at.course) == (0, 0, ())


def test_it_lies_on_the_log_that_a_run_leaves() -> None:
    """The same messages under the same turns, each stored when it was said."""
    (talk,) = sample_transcripts()
    now = [talk.exchanges[0].said_at]
    memory = ConversationBufferMemory(store=InMemoryStore(clock=lambda: now[0]))
    for number, exchange in enumerate(talk.exchanges, start=1):
        now[0] = exchange.said_at
        memory.add_messages(exchange.messages, turn_id=f"exchange-{number}")
    assert log_of(talk) == memory.entries()


def test_a_memory_that_asks_after_all_says_so() -> None:
    """Its row has the error; nothing is made up."""
    (talk,) = sample_transcripts()
    state = LearntState(options={}, name="summary")
    variant = Variant("mine*", strategy="summary", options={"learn_every": 1}, learnt=state, learnt_by="somebody")
    found = compare(
        [replace(talk, exchanges=talk.exchanges[:2])], [variant], Settings(counter="approximate", learnt=False)
    )
    (row,) = (row for row in found.rows if row.memory.name == "mine*")
    assert "somebody cannot be asked for summary" in row.error
