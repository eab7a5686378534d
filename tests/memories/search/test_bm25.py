"""Search by words: any query, any script, and the words around a message count."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from memzoo.memories.search.bm25 import WordIndex
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.passage import Passage
from tests.memories.search.reference import fts_scores

REPEATABLE = settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


def index_of(*texts: str, pause: timedelta = timedelta(hours=2)) -> WordIndex:
    """An index of messages, each long after the one before, so that none is context of another."""
    index = WordIndex()
    index.add(Passage(seq, "Human", text, NOON + seq * pause, seq) for seq, text in enumerate(texts, start=1))
    return index


def ranked(index: WordIndex, query: str) -> Sequence[int]:
    """What is found, best first."""
    return list(index.scores(query))


WORDS = ["cat", "Cats", "I sail.", "a_b", "a b", "Why?", "2026", "5,6", "Łódź", "我住", "é", "x" * 300, "", "\n", "cat fish " * 40]
ASKED_FOR = ["cat", "sailing", "a_b", "b", "why", "May", "9 May", "2026", "5,6", "anna", "lodz", "住", "E", "zebra"]
PAUSES = [0, 1, 59, 61, 60 * 24]

TEXTS = some.lists(some.sampled_from(WORDS), max_size=6).map(" ".join)
SPOKEN = some.lists(some.tuples(some.sampled_from(["Anna", "Bo"]), TEXTS, some.sampled_from(PAUSES)), max_size=25)
ASKED = some.lists(some.sampled_from(ASKED_FOR), max_size=4).map(" ".join)


def spoken(said: list[tuple[str, str, int]]) -> list[Passage]:
    """Messages with speakers, and the minutes since the one before."""
    passages: list[Passage] = []
    now = NOON
    for seq, (speaker, text, minutes) in enumerate(said, start=1):
        now += timedelta(minutes=minutes)
        passages.append(Passage(3 * seq, speaker, text, now, 3 * seq))
    return passages


class TestScores:
    """How well messages fit."""

    @REPEATABLE
    @given(SPOKEN, ASKED)
    def test_are_those_of_full_text_search(self, said: list[tuple[str, str, int]], query: str) -> None:
        """Scores are those of BM25 as SQLite computes it, over the text, the window and the segment."""
        passages = spoken(said)
        index = WordIndex({"Anna", "Bo"})
        index.add(passages)
        assert index.scores(query) == pytest.approx(fts_scores(passages, query, {"Anna", "Bo"}), abs=1e-6)

    def test_come_best_first(self) -> None:
        """The best first, the older first among equals; points count for messages that words do not find, too."""
        index = index_of("cat", "dog", "cat fish", "cat")
        assert list(index.scores("cat fish")) == [3, 1, 4]
        assert list(index.scores("cat fish", {2: 100.0, 4: 0.001, 99: 1.0})) == [2, 3, 4, 1]

    def test_of_a_search_without_words_are_the_points(self) -> None:
        """With weights that leave all words out, only points count."""
        index = WordIndex(weights=Weights(own=0, around=0, segment=0))
        index.add(spoken([("Anna", "cat", 1), ("Anna", "cat", 1)]))
        assert index.scores("cat", {6: 2.0}) == {6: 2.0}


class TestCost:
    """What time the search takes."""

    @pytest.mark.parametrize("text", ["", "a", "yes, I do"])
    def test_grows_with_the_number_of_messages(self, text: str) -> None:
        """Four times as many messages, however short, take about four times as long, not 16 times (I13)."""

        def steps(count: int) -> int:
            passages = spoken([("Anna", text, 0)] * count)
            return counted(lambda: WordIndex().add(passages))

        assert steps(6_000) < 8 * steps(1_500)

    @pytest.mark.parametrize("text", ["word ", "?! ", "a_", "我", "\n"])
    def test_grows_with_the_length_of_a_message(self, text: str) -> None:
        """A message of 200,000 characters is put in and found like any other (I13)."""
        index = index_of(text * (200_000 // len(text)), "needle")
        assert ranked(index, "needle") == [2]

    def test_of_a_long_phrase_is_bounded(self) -> None:
        """A query that is one long run of the same word does not compare all of it at each place (I13)."""
        index = index_of("a " * 20_000)
        assert ranked(index, "a_" * 20_000 + "a") == [1]


def counted(work: Callable[[], object]) -> int:
    """Lines of Python that some work takes, and numbers that NumPy goes over in it, in thousands."""
    steps = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += event == "line"
        if event == "line" and "growing" in frame.f_locals:
            steps += len(frame.f_locals["growing"]) // 100
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return steps


class TestGrowing:
    """What is put in."""

    def test_by_many_speakers(self) -> None:
        """What was packed in pieces is as it was, with all who spoke."""
        passages = spoken([(f"Speaker {number % 40}", f"word{number} cat", 7) for number in range(1_500)])
        names = {passage.speaker for passage in passages}
        whole, packed = WordIndex(names), WordIndex(names)
        whole.add(passages)
        early = WordIndex(names)
        early.add(passages[:30])
        packed.unpack({**early.packed(0), **whole.packed(passages[29].seq)})
        assert packed.scores("Speaker 39 word700") == whole.scores("Speaker 39 word700")
        assert len(whole.packed(0)) == 3

    def test_ignores_what_is_there(self) -> None:
        """Messages that are put in again are not found twice, and their text stays."""
        index = index_of("my cat")
        index.add([Passage(1, "Human", "my dog", NOON, 1), Passage(2, "Human", "my dog", NOON, 2)])
        assert set(ranked(index, "dog")) >= {2}
        assert set(index.scores("my")) == {1, 2}

    @REPEATABLE
    @given(some.lists(some.text("ab ", max_size=300), max_size=12), some.integers(1, 5))
    def test_step_by_step_is_as_all_at_once(self, texts: list[str], step: int) -> None:
        """An index that grew with the conversation finds what one finds that was built from the whole log."""
        passages = [Passage(seq, "Human", text, NOON, seq) for seq, text in enumerate(texts, start=1)]
        at_once, grown = WordIndex(), WordIndex()
        at_once.add(passages)
        for start in range(0, len(passages), step):
            grown.add(passages[start : start + step])
        assert grown.scores("a") == pytest.approx(at_once.scores("a"))


class TestWorth:
    """What a message is worth whatever is asked."""

    def test_who_tells_comes_before_who_asks(self) -> None:
        """Of messages that fit alike, one that tells of its speaker comes first, one that asks comes last."""
        index = index_of(*["The weather is dull"] * 9, "Who sails a boat?", "One sails a boat.", "I sail a boat.")
        assert ranked(index, "sailing a boat") == [12, 11, 10]

    def test_does_not_outweigh_words(self) -> None:
        """A question with the words comes before a statement with fewer of them."""
        index = index_of(*["The weather is dull"] * 9, "Did we sail a red boat to Oslo?", "I saw a boat, I think.")
        assert ranked(index, "the red boat that sailed to Oslo")[0] == 10
