"""Which kinds of values a question asks for, and a text has."""

import pytest

from memzoo.memories.search.kinds import find_asked_kinds, kinds_of


@pytest.mark.parametrize(
    ("question", "answers", "does_not"),
    [
        ("When does it open?", "It opens on Monday.", "It opens late."),
        ("How much is the rent?", "The rent is £950.", "The rent is high."),
        ("房租多少", "房租一千九百五", "房租周五付"),
        ("房租多少", "房租1950元", "9月3日付房租"),
        ("几个箱子", "四十一个箱子", "一堆箱子"),
        ("房租几号付", "房租九月三日付", "房租一千九百五"),
        ("游泳课是星期几", "游泳课在周日", "游泳课有十二节"),
        ("那是什么时候的事", "那是一九八四年的事", "那是两千四的事"),
        ("还要多久", "下午就好", "不会太慢"),
        ("柠檬树多高", "柠檬树一米七", "柠檬树活着"),
    ],
)
def test_of_what_answers_a_question(question: str, answers: str, does_not: str) -> None:
    """Dates answer when, amounts and numbers how much, in Chinese in words, too; nothing else does."""
    assert find_asked_kinds(question) & kinds_of(answers)
    assert not find_asked_kinds(question) & kinds_of(does_not)


def test_of_a_question_for_neither() -> None:
    """Who and what ask for no kind."""
    assert find_asked_kinds("Who is it?") == find_asked_kinds("他是谁") == 0
