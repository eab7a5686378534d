"""Facts around names as lines, within a budget."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import ConversationKGMemory, Fact, Source
from memzoo.memories.graph.graph import Near
from memzoo.memories.graph.nearby import lines, within
from memzoo.memories.text.tokens import count_text
from memzoo.testing.contract import ScriptedModel


def fact(seq: int, text: str) -> Fact:
    """A fact that a message stated."""
    subject, relation, obj = text.split(" ", 2)
    return Fact(subject, relation, obj, sources=(Source(seq, "user", datetime(2026, 5, 8, tzinfo=UTC)),))


def words(text: str) -> int:
    """Words as tokens."""
    return len(text.split())


BOTH = fact(1, "Eve employs Sam")
NEAR = [
    Near(BOTH, "Sam", 1),
    Near(fact(2, "Sam likes tea"), "Sam", 1),
    Near(BOTH, "Eve", 1),
    Near(fact(3, "Eve likes milk"), "Eve", 1),
    Near(fact(4, "Milk costs 2"), "Eve", 2),
]


class TestBudget:
    """Which facts are shown where not all can be."""

    @pytest.mark.parametrize(
        ("limit", "expected"),
        [
            (4, ()),
            (5, ("On Sam: Eve employs Sam.",)),
            (10, ("On Sam: Eve employs Sam.", "On Eve: Eve likes milk.")),
            (13, ("On Sam: Eve employs Sam. Sam likes tea.", "On Eve: Eve likes milk.")),
            (99, ("On Sam: Eve employs Sam. Sam likes tea.", "On Eve: Eve likes milk. Milk costs 2.")),
        ],
    )
    def test_goes_to_the_best(self, limit: int, expected: tuple[str, ...]) -> None:
        """Nearer facts come before further ones, those between two names before others, newer ones before older."""
        assert lines(within(limit, NEAR, words)) == expected

    @given(
        some.lists(some.tuples(some.sampled_from("ABC"), some.text("xy z.é→", max_size=9), some.integers(1, 3))),
        some.integers(1, 80),
    )
    def test_is_never_exceeded(self, found: list[tuple[str, str, int]], limit: int) -> None:
        """However a real tokenizer counts, lines and text have at most so many tokens."""
        near = [Near(fact(seq, f"{name} is {text}x"), name, steps) for seq, (name, text, steps) in enumerate(found)]
        shown = lines(within(limit, near, lambda text: count_text(text, "o200k_base")))
        assert sum(count_text(line, "o200k_base") for line in shown) <= limit
        assert count_text("\n".join(shown), "o200k_base") <= limit


class TestMemory:
    """The options of the memory."""

    FACTS = "Sam | works at | Acme\nAcme | is located in | Oslo\nOslo | is in | Norway\nSam | likes | tea"

    def ask(self, question: str, **options: Any) -> str:
        """What a memory that was told the facts shows."""
        memory = ConversationKGMemory(llm=ScriptedModel(self.FACTS), token_counter="approximate", **options)
        memory.save_context({"input": "Sam works at Acme in Oslo, Norway, and likes tea"}, {"output": "ok"})
        shown: str = memory.load_memory_variables({"input": question})["history"]
        return shown

    def test_shows_one_step_by_default(self) -> None:
        """The facts about the name first, then those that share a name with them; without a limit, the former alone."""
        near = "On Sam: Sam likes tea. Sam works at Acme."
        assert self.ask("Sam?").splitlines()[:2] == [near, "On Acme: Acme is located in Oslo."]
        assert self.ask("Sam?", max_token_limit=None) == near

    def test_follows_facts_to_further_ones(self) -> None:
        """With `depth` the facts about the neighbours come with the name, behind its own."""
        shown = "On Sam: Sam likes tea. Sam works at Acme. Acme is located in Oslo."
        assert self.ask("Sam?", depth=2, max_token_limit=None) == shown
        assert self.ask("Sam?", depth=3, max_token_limit=None) == f"{shown} Oslo is in Norway."
        further = ["On Acme: Acme is located in Oslo.", "On Oslo: Oslo is in Norway."]
        assert self.ask("Sam?", depth=2).splitlines()[1:] == further

    def test_stops_at_the_limit(self) -> None:
        """With `max_token_limit` no more is shown than fits, counted with the memory's counter."""
        assert self.ask("Sam?", depth=3, max_token_limit=12) == "On Sam: Sam likes tea. Sam works at Acme."
        assert self.ask("Sam?", max_token_limit=1) == ""
