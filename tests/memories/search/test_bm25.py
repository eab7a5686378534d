"""Search by words: any query, any script, and the words around a message count."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from memzoo.memories.search.bm25 import WordIndex
from memzoo.memories.text.passage import Passage

REPEATABLE = settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)


def index_of(*texts: str, pause: timedelta = timedelta(hours=2)) -> WordIndex:
    """An index of messages, each long after the one before, so that none is context of another."""
    index = WordIndex()
    index.add(Passage(seq, "Human", text, NOON + seq * pause, seq) for seq, text in enumerate(texts, start=1))
    return index


def ranked(index: WordIndex, query: str) -> Sequence[int]:
    """What is found, best first."""
    scores = index.scores(query)
    return sorted(scores, key=lambda seq: (-scores[seq], seq))


class TestQueries:
    """What is looked for."""

    @pytest.mark.parametrize(
        ("query", "best"),
        [
            ("Oslo", 1),
            ("OSLO?", 1),
            ("Where did I move to?", 1),
            ("the cats", 2),
            ("Was it Łódź or Øystein?", 3),
            ("snake_case", 4),
            ("6,000", 5),
        ],
    )
    def test_find_words_in_any_form(self, query: str, best: int) -> None:
        """Case, endings and punctuation do not matter, in English; words of other languages are found too."""
        index = index_of(
            "I moved to Oslo", "My cat likes fish", "Øystein grew up in Łódź", "use snake_case here", "it costs 6,000"
        )
        assert ranked(index, query)[0] == best

    @pytest.mark.parametrize(("query", "best"), [("What about July?", 2), ("on 7 June?", 1), ("in 2026, in July", 2)])
    def test_find_the_time_at_which_it_was_said(self, query: str, best: int) -> None:
        """A day, a month or a year in a query finds what was said then, though the text does not name it."""
        index = index_of("I bought a boat", "I sold a car", pause=timedelta(days=30))
        assert ranked(index, query)[0] == best

    @pytest.mark.parametrize(("text", "query"), [("我住在奥斯陆", "奥斯陆"), ("私はオスロに住んでいます", "オスロ")])
    def test_find_words_that_no_space_separates(self, text: str, query: str) -> None:
        """A word inside a Chinese or Japanese sentence is found."""
        assert ranked(index_of("hello", text), query) == [2]

    @pytest.mark.parametrize(
        "query",
        [
            "",
            " ",
            "?!",
            '"',
            '" OR "',
            "cat AND",
            "NEAR(cat fish)",
            "text:cat",
            "cat*",
            "-cat",
            "(",
            "'; DROP TABLE own",
            "_",
            "\0",
        ],
    )
    def test_are_never_commands(self, query: str) -> None:
        """The syntax of the full-text search means nothing in a query (I8)."""
        assert set(ranked(index_of("My cat likes fish"), query)) <= {1}

    def test_of_stop_words_alone_are_taken_at_their_word(self) -> None:
        """Words that stand in every question count for little, unless there are no others."""
        index = index_of("who am I", "the cat and the dog and the bird", "a cat")
        assert ranked(index, "who am I?") == [1]
        assert 1 not in ranked(index, "who has the cat?")

    def test_may_be_long(self) -> None:
        """A pasted document is a query too."""
        index = index_of("nothing", "word19999")
        assert ranked(index, " ".join(f"word{number}" for number in range(20_000))) == [2]

    @REPEATABLE
    @given(some.lists(some.text(), max_size=4), some.text())
    def test_and_texts_may_be_anything(self, texts: list[str], query: str) -> None:
        """No text and no query breaks the index, and only what was put in is found."""
        assert set(ranked(index_of(*texts), query)) <= set(range(1, len(texts) + 1))


class TestRanking:
    """What is found first."""

    def test_prefers_rare_words_and_more_of_them(self) -> None:
        """More words of the query, and rarer ones, rank higher; the older first among equals."""
        index = index_of("cat", "cat fish", "cat bird", "cat", "cat")
        assert ranked(index, "cat fish") == [2, 1, 4, 5, 3]

    def test_finds_an_answer_beside_its_question(self) -> None:
        """A message is found by the words around it, too, unless a long pause lies between."""
        near = index_of("Where does your sister live?", "In Oslo", pause=timedelta(minutes=1))
        far = index_of("Where does your sister live?", "In Oslo")
        assert set(ranked(near, "sister")) == {1, 2}
        assert ranked(far, "sister") == [1]


class TestGrowing:
    """What is put in."""

    def test_ignores_what_is_there(self) -> None:
        """Messages that are put in again are not found twice, and their text stays."""
        index = index_of("my cat")
        index.add([Passage(1, "Human", "my dog", NOON, 1), Passage(2, "Human", "my dog", NOON, 2)])
        assert set(ranked(index, "dog")) >= {2}
        assert index.passages.last == 2
        assert len(index.passages) == 2

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
