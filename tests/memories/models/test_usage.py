"""What a memory spent, by purpose."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories import ConversationEntityMemory, ConversationSummaryMemory, Usage
from memzoo.memories.models.chat import ChatFunction
from memzoo.testing import ScriptedModel
from memzoo.types import Spent


def test_sums_up_by_purpose() -> None:
    """Each purpose has its sum, unknown ones have nothing, and the total is the sum of all."""
    usage = Usage()
    usage.add("b", Spent(1, 10, 2, 0.5))
    usage.add("a", Spent(1, 20, 3, 0.25))
    usage.add("b", Spent(2, 30, 4, 0.25))
    assert usage["b"] == Spent(3, 40, 6, 0.75)
    assert usage["c"] == Spent()
    assert usage.total == Spent(4, 60, 9, 1.0)
    assert list(usage) == ["a", "b"]
    assert "a=Spent(calls=1" in repr(usage)


def test_of_nothing_is_nothing() -> None:
    """A memory that asked nobody spent nothing."""
    assert ConversationSummaryMemory(llm=ScriptedModel()).usage.total == Spent()


def test_is_kept_by_the_names_of_the_prompts(clerk: ChatFunction) -> None:
    """The calls of a turn are counted under the prompts that were asked (I11)."""
    memory = ConversationEntityMemory(llm=clerk, ask_at_load=True, learn_every=1)
    memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
    memory.load_memory_variables({"input": "Who is Sam?"})
    assert {purpose: memory.usage[purpose].calls for purpose in memory.usage} == {
        "current_entities": 1,
        "entity_notes": 1,
    }


def test_counts_replies_that_could_not_be_used() -> None:
    """A reply that was paid for counts, though it was a refusal; a call that failed does not (M3)."""
    model = ScriptedModel("I'm sorry, but I can't help with that.", ModelError("down"), "ok")
    memory = ConversationSummaryMemory(llm=model, learn_every=1)
    with pytest.raises(ModelReplyError):
        memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.usage["summary"].calls == 1
    with pytest.raises(ModelError):
        memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.usage["summary"].calls == 1


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Lets threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_loses_nothing_in_threads() -> None:
    """Loads of one memory in several threads are all counted (F4)."""
    usage = Usage()

    def spend(_: int) -> None:
        for _ in range(5_000):
            usage.add("summary", Spent(calls=1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(spend, range(8)))
    assert usage.total.calls == 40_000
