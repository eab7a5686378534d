"""Numbers and dates have one writing."""

import pytest

from memzoo.benchmarks.measure.numerals import with_one_writing

ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = "January February March April May June July August September October November December".split()
WRITTEN = {
    "a hundred and one": "101",
    "three hundred": "300",
    "a thousand": "1000",
    "nine thousand nine hundred and ninety-nine": "9999",
    "two million": "2000000",
    "a million three hundred thousand and four": "1300004",
    "two billion": "2000000000",
    "two hundred thousand": "200000",
    "six-forty": "640",
    "nineteen eighty-four": "1984",
    "1.5k": "1500",
    "2 thousand": "2000",
    "1.25 million": "1250000",
    "3 billion": "3000000000",
    "5.50": "5.5",
    "5.05": "5.05",
    "7.00": "7",
    "1,234,567": "1234567",
    "6.4 per cent": "6.4%",
    "the 21st, 2nd, 3RD and 4th": "the 21th, 2th, 3th and 4th",
    "零一二三四五六七八九": "0123456789",
    "二〇二六": "2026",
    "两百": "200",
    "兩千": "2000",
    "十": "10",
    "二十四": "24",
    "一百零一": "101",
    "一百五": "150",
    "两千零四": "2004",
    "三千四": "3400",
    "五万六": "56000",
    "七萬": "70000",
    "一亿二": "120000000",
    "三亿四千万": "340000000",
    "两万亿": "2000000000000",
    "1.2万": "12000",
    "3百": "300",
    "4千": "4000",
    "5亿": "500000000",
    "两米三五": "2.35米",
    "六公斤二": "6.2公斤",
    "三块五个人": "3块5个人",
    "礼拜天": "星期7",
    "周日": "星期7",
    "周三": "星期3",
}
NO_DATES = ["2026-13-05", "2026-00-05", "2026-05-32", "13月5日", "0月5日", "45 May", "May 32"]


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items())
def test_numbers_are_digits(text: str, expected: str) -> None:
    """Whatever they were written in."""
    assert with_one_writing(text) == expected


def test_each_word_for_a_number_is_known() -> None:
    """From zero to ninety-nine."""
    words = [*CARDINALS, *(f"{ten}-{one}".removesuffix("-zero") for ten in TENS for one in CARDINALS[:10])]
    assert [with_one_writing(word) for word in words] == [*map(str, range(100))]


def test_each_day_of_a_month_is_known() -> None:
    """In words, before the month and after it; without a month they are no dates."""
    for day, word in enumerate(ORDINALS, start=1):
        date = f"\x02-5-{day}\x03"
        assert [with_one_writing(f"{word} of May"), with_one_writing(f"May the {word}")] == [date, date]
        assert with_one_writing(word) == f"{day}th"


def test_each_month_is_known() -> None:
    """By its name, or by three letters of it; September by four, too."""
    for number, name in enumerate(MONTHS, start=1):
        date = f"\x022026-{number}-31\x03"
        for written in (f"31 {name} 2026", f"{name[:3]}. 31st, 2026", f"2026-{number:02}-31", f"2026年{number}月31日"):
            assert with_one_writing(written) == date
    assert with_one_writing("Sept 3") == "\x02-9-3\x03"


@pytest.mark.parametrize("text", NO_DATES)
def test_what_can_be_no_date_is_left_as_it_is(text: str) -> None:
    """A thirteenth month, a 32nd day."""
    assert with_one_writing(text) == text


def test_a_month_without_a_day_is_a_date_too() -> None:
    """Its year may be left open; "may" and "march" are verbs unless a word before them says otherwise."""
    assert with_one_writing("May 2026") == "\x022026-5-\x03"
    assert with_one_writing("10月") == "\x02-10-\x03"
    assert with_one_writing("四月二十二出发, 四月三个人") == "\x02-4-22\x03出发, \x02-4-\x033个人"
    assert with_one_writing("October, in March; we may march") == "\x02-10-\x03, \x02-3-\x03; we may march"


def test_a_row_of_chinese_digits_that_is_no_number_is_left_as_it_is() -> None:
    """Up to sixteen of them are one; nobody can make a comparison count to a number of any length."""
    assert with_one_writing("一二三四五六七八九零一二三四五六") == "1234567890123456"
    for row in ("一二三四五六七八九零一二三四五六七", "万" * 20_000):
        assert with_one_writing(row) == row
