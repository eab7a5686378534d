"""Facts around names as lines, within a budget."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import ConversationKGMemory, Fact, KnowledgeGraph
from memzoo.memories.graph.nearby import best_within, in_lines, write_known
from memzoo.memories.text.tokens import count_text
from memzoo.testing import ScriptedModel
from memzoo.types import Source


def fact(seq: int, text: str) -> Fact:
    """A fact that a message stated."""
    subject, relation, obj = text.split(" ", 2)
    return Fact(subject, relation, obj, sources=(Source(seq, "user", datetime(2026, 5, 8, tzinfo=UTC)),))


def words(text: str) -> int:
    """Words as tokens."""
    return len(text.split())


def alone(facts: list[Fact]) -> list[list[Fact]]:
    """A group for each fact."""
    return [[one] for one in facts]


BEST = [fact(2, "Sam likes strong tea"), fact(3, "Eve likes milk"), fact(1, "Sam employs Eve")]


class TestBudget:
    """Which facts are shown where not all can be."""

    @pytest.mark.parametrize(
        ("limit", "expected"),
        [
            (2, ()),
            (3, ("Eve likes milk.",)),
            (4, ("Sam likes strong tea.",)),
            (7, ("Sam likes strong tea.", "Eve likes milk.")),
            (10, ("Sam employs Eve. Sam likes strong tea.", "Eve likes milk.")),
        ],
    )
    def test_goes_to_the_best(self, limit: int, expected: tuple[str, ...]) -> None:
        """What fits is shown, the best first; a fact that does not fit leaves its room to the next."""
        assert in_lines(best_within(limit, alone(BEST), words)) == expected

    def test_goes_to_groups_as_a_whole(self) -> None:
        """A fact whose group does not fit is not shown, even if it would fit alone."""
        pair = [fact(4, "Ann booked the Velvet Harbour band"), fact(2, "Ann knows Kettles")]
        shown = [in_lines(best_within(limit, [pair, BEST[1:2]], words)) for limit in (8, 9)]
        assert shown == [
            ("Eve likes milk.",),
            ("Ann knows Kettles. Ann booked the Velvet Harbour band.",),
        ]

    @given(
        some.lists(some.tuples(some.sampled_from("ABC"), some.text("xy z.é→", max_size=9))),
        some.integers(1, 80),
    )
    def test_is_never_exceeded(self, found: list[tuple[str, str]], limit: int) -> None:
        """However a real tokenizer counts, lines and text have at most so many tokens."""
        facts = [fact(seq, f"{name} is {text}x") for seq, (name, text) in enumerate(found)]
        shown = in_lines(best_within(limit, alone(facts), lambda text: count_text(text, "o200k_base")))
        assert sum(count_text(line, "o200k_base") for line in shown) <= limit
        assert count_text("\n".join(shown), "o200k_base") <= limit

    def test_holds_where_texts_have_more_tokens_than_their_parts(self) -> None:
        """A counter that adds something for each text, even for none, leads neither over the limit nor to an error."""

        def tokens(text: str) -> int:
            return words(text) ** 2 + 2

        for limit in range(1, 250):
            shown = in_lines(best_within(limit, alone(BEST), tokens))
            assert not shown or tokens("\n".join(shown)) <= limit

    def test_is_not_looked_for_without_end(self) -> None:
        """After twenty facts in a row that do not fit, no other is tried."""
        long = [fact(seq, f"Sam says {'so ' * 30}{seq}") for seq in range(20)]
        assert best_within(20, alone([BEST[0], *long, BEST[1]]), words) == best_within(20, [BEST[:1]], words)
        assert len(best_within(20, alone([BEST[0], *long[1:], BEST[1]]), words)) == 2


class TestKnown:
    """What a model is shown that new lines may change."""

    @staticmethod
    def known(*facts: Fact, new_lines: str = "x", history: str = "x", most: int = 2_000) -> list[str]:
        """The known facts for new lines, where no fact is likelier than others."""
        graph = KnowledgeGraph()
        graph.apply({one.key: one.as_json() for one in facts}, reset=True)
        return write_known(graph, (), new_lines, history, most).splitlines()

    @pytest.mark.parametrize(("length", "shown"), [(500, 2), (501, 1)])
    def test_no_fact_takes_more_than_a_quarter(self, length: int, shown: int) -> None:
        """A fact of 500 characters is shown beside others, a longer one is passed over."""
        long = fact(1, "Sam is " + "y" * (length - len("Sam | is | ")))
        assert len(self.known(long, fact(2, "Sam likes tea"), new_lines="Sam?")) == shown

    @pytest.mark.parametrize(("most", "shown"), [(50, 2), (34, 2), (33, 1), (17, 1), (16, 0), (0, 0)])
    def test_is_no_longer_than_there_is_room(self, most: int, shown: int) -> None:
        """Two lines of 16 characters, each with the end of its line, need 34."""
        facts = fact(1, "Sam has dogs"), fact(2, "Sam has cats")
        assert [len(one.triple) for one in facts] == [16, 16]
        assert len(self.known(*facts, new_lines="Sam?", most=most)) == shown

    def test_shares_words_with_the_new_lines_before_all_else(self) -> None:
        """Of facts about a name, those with words of the new lines are chosen first, then the newer ones."""
        facts = fact(1, "Sam has cats"), fact(2, "Sam has dogs"), fact(3, "Sam has fish")
        assert self.known(*facts, new_lines="Sam loves cats", most=40) == ["Sam | has | cats", "Sam | has | fish"]

    def test_has_names_of_the_new_lines_before_those_of_the_history(self) -> None:
        """Whom the new lines name comes first, then the user and whom the lines before them name, newer facts first."""
        facts = fact(1, "Sam has cats"), fact(2, "Eve has dogs"), fact(3, "user has fish")
        assert self.known(*facts, new_lines="Sam?", history="Eve?", most=17) == ["Sam | has | cats"]
        assert self.known(*facts, new_lines="Sam?", history="Eve?", most=36) == [
            "Sam | has | cats",
            "user | has | fish",
        ]
        assert len(self.known(*facts, new_lines="Sam?", history="Eve?")) == 3


class TestMemory:
    """The options of the memory."""

    FACTS = "Sam | works at | Acme\nAcme | is located in | Oslo\nOslo | is in | Norway\nSam | likes | tea"

    def ask(self, question: str, **options: Any) -> str:
        """What a memory that was told the facts shows."""
        memory = ConversationKGMemory(
            llm=ScriptedModel(self.FACTS), token_counter="approximate", **options, learn_every=1
        )
        memory.save_context({"input": "Sam works at Acme in Oslo, Norway, and likes tea"}, {"output": "ok"})
        shown: str = memory.load_memory_variables({"input": question})["history"]
        return shown

    def test_shows_one_step_by_default(self) -> None:
        """The facts about the name first, then those that share a name with them; without a limit, the former alone."""
        near = "Sam likes tea. Sam works at Acme."
        assert self.ask("Sam?").splitlines()[:2] == [near, "Acme is located in Oslo."]
        assert self.ask("Sam?", max_token_limit=None) == f"On Sam: {near}"

    def test_stops_at_the_limit(self) -> None:
        """With `max_token_limit` no more is shown than fits, counted with the memory's counter."""
        assert self.ask("Sam?", max_token_limit=12) == "Sam likes tea. Sam works at Acme."
        assert self.ask("Sam?", max_token_limit=1) == ""
