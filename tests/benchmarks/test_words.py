"""Finding evidence and answers."""

import pytest

from memzoo.benchmarks.measure.words import answer_found, recall


class TestRecall:
    """The share of evidence that was shown."""

    def test_white_space_does_not_count(self) -> None:
        """A line break in the evidence matches a space in what was shown."""
        assert recall(["I moved\nto  Oslo."], "Human: I moved to Oslo.\nAI: Oh.") == 1

    def test_a_part_is_not_enough(self) -> None:
        """Evidence counts only as a whole, word for word."""
        assert recall(["I moved to Oslo.", "I have a cat."], "I moved to Oslo in May. I have a cat") == 0

    def test_it_is_the_share_that_was_found(self) -> None:
        """One of four is a quarter."""
        assert recall(["a b", "c d", "e f", "g h"], "x e f x") == 0.25


@pytest.mark.parametrize(
    ("answer", "shown", "expected"),
    [
        ("the Church Organs", "He tuned an organ; the church was cold.", True),
        ("church organs", "He tuned an organ.", False),
        ("£1,900", "It will be 1900 pounds a month.", True),
        ("£1,900", "It will be 1 pound, or 900.", False),
        ("6.4 per cent", "at 6.4 per cent", True),
        ("Mara's boxes", "MARA has one box", True),
        ("the 2 cities", "city 2", True),
        ("glass bus", "glasses on buses", False),
        ("上海", "我住在上海。", True),
        ("上海", "我住在北京。", False),
        ("Yes", "Yes!", None),
        ("", "anything", None),
    ],
)
def test_an_answer_is_found_by_its_content_words(answer: str, shown: str, expected: object) -> None:
    """Case, punctuation, order, stop words and plurals do not count; an answer of stop words is not judged."""
    assert answer_found(answer, shown) is expected
