"""Finding answers."""

import pytest

from memzoo.benchmarks.measure.words import answer_found


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
    assert answer_found(answer, [shown]) is expected


def test_the_words_of_an_answer_may_stand_in_several_messages() -> None:
    """What is shown is read together."""
    assert answer_found("church organ", ["an organ", "in a church"])
