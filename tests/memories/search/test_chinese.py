"""Chinese in a search: numbers, dates, pairs of characters, speakers."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.search.languages.zh import translate_numbers
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage

SAID = [
    ("Human", "我养了一只猫\uff0c名字是咪咪。"),
    ("AI", "一月二十二日我们去杭州看展览。"),
    ("张静", "房东把租金涨到了两万元。"),
    ("王海", "变速箱坏了\uff0c修理要八千块。"),
    ("Human", "今天天气很好\uff0c没有别的安排。"),
]


def found(question: str) -> str:
    """Return the message found best; the messages are ten days apart."""
    index, first = WordIndex(), datetime(2025, 1, 5, tzinfo=UTC)
    index.add(
        Passage(seq, *one, first + seq * timedelta(days=10), begins=True) for seq, one in enumerate(SAID, start=1)
    )
    return SAID[next(iter(index.scores(question))) - 1][1]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("我的猫叫什么\uff1f", 0),
        ("咪咪是谁\uff1f", 0),
        ("1月22日我们去哪里\uff1f", 1),
        ("Where did we go on 22 January?", 1),
        ("谁的租金是20000元\uff1f", 2),
        ("修理花了8000块吗\uff1f", 3),
        ("王海要修理什么\uff1f", 3),
        ("2025年2月24日说了什么\uff1f", 4),
    ],
)
def test_a_question_finds_its_message(question: str, place: int) -> None:
    """Names, numbers, dates and single characters find, in both forms of a number."""
    assert found(question) == SAID[place][1]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("一月二十二日", " january  22 "),
        ("2025年12月3号", " 2025  december  3 "),
        ("二\u3007二五年", " 2025 "),
        ("三个月", "三个月"),
        ("两万三千", "23000"),
        ("一亿零五十", "100000050"),
        ("1.5万", "15000"),
        ("十二", "12"),
        ("一起", "一起"),
        ("13月", "13月"),
    ],
)
def test_numbers_and_dates_are_read(text: str, read: str) -> None:
    """Numbers become digits, dates digits and English months; other words stay."""
    assert translate_numbers(text) == read


@given(some.text("零一二两十百千万亿年月日号点.0129元猫 ", max_size=40))
def test_any_text_is_read(text: str) -> None:
    """No text of numbers is refused, and other words stay."""
    assert translate_numbers(text).count("猫") == text.count("猫")
