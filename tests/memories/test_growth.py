"""What an exchange costs does not grow with the conversation: counted in calls of functions, not in seconds (I10)."""

import contextlib
import itertools
import random
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from memzoo.memories import Fact, KnowledgeGraph, create_memory
from memzoo.memories.models.offline.tasks import reply
from memzoo.stores import Message

SYLLABLES = [first + second for first in "bdgklmnrst" for second in "aeiou"]
THINGS = ["a red boat", "a house by the lake", "green tea", "a day at the lake", "an old red car"]
BLOCK = 10


def exchanges() -> Iterator[tuple[str, str]]:
    """Somebody tells of new people again and again, with words that come up time after time."""
    chance = random.Random(5)  # noqa: S311
    while True:
        one, two = ("".join(chance.sample(SYLLABLES, 3)).capitalize() for _ in range(2))
        thing, other = chance.sample(THINGS, 2)
        asked = f"{one} likes {thing}. {two} lives in {one}ville. I met {two} at the lake."
        yield asked, f"{one} has {other}, and {two} wants {thing}."


class Counter:
    """Counts the calls of functions, but not those of the model, which sees no more of a long conversation."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> None:
        sys.setprofile(self._see)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def model(self, messages: list[Message]) -> str:
        """Answer by rules."""
        counting = sys.getprofile()
        sys.setprofile(None)
        try:
            return reply([(message["role"], message["content"]) for message in messages])
        finally:
            sys.setprofile(counting)

    def _see(self, _frame: FrameType, event: str, _given: object) -> None:
        self.calls += event in ("call", "c_call")


@pytest.mark.parametrize(
    ("name", "options"),
    [("entity", {}), ("knowledge-graph", {"max_token_limit": 100}), ("window", {})],
)
def test_an_exchange_costs_the_same_however_much_was_said_before(name: str, options: dict[str, Any]) -> None:
    """With twice as many names and facts known, it takes no more work; what fits a budget may become a little more."""
    counter = Counter()
    asked: dict[str, Any] = {"llm": counter.model, "learn_every": 1} if name != "window" else {}
    memory = create_memory(name, token_counter="approximate", **asked, **options)
    counts: list[int] = []
    talk = exchanges()
    for calls in (80, BLOCK, 100, BLOCK):
        before = counter.calls
        for question, answer in itertools.islice(talk, calls):
            with counter if calls == BLOCK else contextlib.nullcontext():
                memory.load_memory_variables({"input": question})
                memory.save_context({"input": question}, {"output": answer})
        counts += [counter.calls - before] if calls == BLOCK else []
    assert counts[1] < 1.1 * counts[0]


def test_all_facts_are_listed_without_a_walk_through_the_graph() -> None:
    """A page that shows each moment lists them each time, so a fact takes no more than a few calls."""
    counter, graph = Counter(), KnowledgeGraph()
    graph.apply({(one := Fact(f"Sam {n}", "likes", "tea")).key: one.as_json() for n in range(100)})
    assert len(graph.facts()) == 100
    with counter:
        graph.facts()
    assert counter.calls < 5 * 100
