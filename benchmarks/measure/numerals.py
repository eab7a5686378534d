r"""Rewrites numbers and dates in one format, whether they are in digits or in words, in English or Chinese.

A date ("7 May", "May 7th, 2023", "the first of July", "2026年7月7日") becomes `\x02YYYY-M-D\x03`. A part that
the text does not name, such as the year, is empty.
"""

import functools
import re
from collections.abc import Iterable

DATE = re.compile("\x02(\\d*)-(\\d*)-(\\d*)\x03")
"""A date in a text from `with_one_writing`: year, month and day, each of which may be empty."""

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBERS = {name: number for number, name in enumerate(_MONTHS, start=1)}
_MONTH_NUMBERS |= {name[:3]: number for name, number in _MONTH_NUMBERS.items()} | {"sept": 9}
_SMALL = {
    word: number
    for number, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ).split()
    )
}
_SMALL |= {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_TO_NINE = "first second third fourth fifth sixth seventh eighth ninth".split()
_TO_TWENTY = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_ORDINALS = {word: number for number, word in enumerate([*_TO_NINE, *_TO_TWENTY], start=1)}
_ORDINALS |= {f"twenty-{word}": number for number, word in enumerate(_TO_NINE, start=21)}
_ORDINALS |= {"thirtieth": 30, "thirty-first": 31}


def _one_of(words: Iterable[str]) -> str:
    return "|".join(words)


_MONTH = rf"(?P<month>{_one_of(_MONTH_NUMBERS)})\b\.?"
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|{_one_of(_ORDINALS)})(?![\w.,]*\d)"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?!\d)"
_ISO = re.compile(rf"(?<!\d){_YEAR}([-/.])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}})(?!\d)")
# Words that are counted: a number before them is not the day of a date that lacks its "日".
_COUNTED = "个個人次块元年月天周岁斤公米分秒"
_CHINESE = re.compile(
    rf"(?:(?<!\d){_YEAR}年)?(?<![\d.])(?P<month>\d{{1,2}})月(?:(?P<day>\d{{1,2}})(?:[日号號]|(?![\d.:%{_COUNTED}])))?"
)
_DAY_FIRST = re.compile(rf"\b{_DAY} (?:of )?{_MONTH}(?:,? (?:in |of )?{_YEAR})?", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{_MONTH} (?:the )?{_DAY}(?:,? (?:in |of )?{_YEAR})?", re.IGNORECASE)
_MONTH_AND_YEAR = re.compile(rf"\b{_MONTH},? (?:of )?{_YEAR}", re.IGNORECASE)
# "May" and "march" may be verbs, so they count as months only after certain words.
_MONTH_ALONE = re.compile(
    rf"\b(?P<month>{'|'.join(name.title() for name in _MONTHS if name not in ('march', 'may'))})\b"
    r"|\b(?:in|by|of|last|next|since|until|early|late) (?P<plain>March|May)\b"
)
_WITH_MONTH = (_DAY_FIRST, _MONTH_FIRST, _MONTH_AND_YEAR, _MONTH_ALONE)
# A weekday beside a full date adds nothing.
_ITS_WEEKDAY = re.compile(
    "\\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? (?:the )?(?=\x02)"
    "|(?<=\x03),? ?[(\uff08]?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|星期[1-7])[)\uff09]?",
    re.IGNORECASE,
)
_WEEK = re.compile(r"(?:周|礼拜|禮拜|星期)([1-6日天])")
_HAN = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"\u3007": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000, "亿": 100_000_000}
_HAN_NUMBER = re.compile(f"[{''.join(_HAN)}{''.join(_HAN_UNITS)}]+")
_HAN_DIGITS = re.compile(r"(?<![\d.])(\d{1,15}(?:\.\d{1,15})?)([百千万萬亿])")
# "两米三五" is 2.35 metres.
_HAN_TENTHS = re.compile(rf"(?<![\d.])(\d{{1,3}})(公斤|[米块斤吨])(\d{{1,2}})(?![\d.:%{_COUNTED}])")
_LONGEST_HAN = 16  # characters; a longer run is not read as a number
_ORDINAL_DIGITS = re.compile(r"(?<=\d)(?:st|nd|rd)\b", re.IGNORECASE)
_PER_CENT = re.compile(r" ?\bper ?cent\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[,\u202f](?=\d{3}(?!\d))")
_MANY = re.compile(
    r"(?<![\w.])(?P<number>\d{1,15}(?:\.\d{1,15})?)(?: ?(?P<unit>thousand|million|billion)|k)\b", re.IGNORECASE
)
_DECIMAL = re.compile(r"(?<![\d.])(\d{1,15})\.(\d{1,15})(?!\.?\d)")
_WORDED = re.compile(
    rf"\b(?:{_one_of(_ORDINALS)})\b|\b(?:(?:{_one_of(_SMALL)})|an?(?= (?:{_one_of(_LARGE)})\b))"
    rf"(?:[ -](?:and )?(?:{_one_of([*_SMALL, *_LARGE])})\b){{0,12}}\b",
    re.IGNORECASE,
)
_DIGIT, _WORD = re.compile(r"\d"), re.compile("[a-z]+")
# Without a digit and one of these words, a text has no number and no date. Most texts have none.
_NUMBER_WORDS = {*_SMALL, *_LARGE, *_ORDINALS}
_TELLING = {*_NUMBER_WORDS, *_MONTH_NUMBERS, "cent", "percent"}
# A number or a date never goes on after a sentence, except after the short name of a month: "Sept. 5".
_SENTENCE_END = re.compile(
    rf"((?<=[.!?])(?<!(?:{_one_of({name[-3:] for name in _MONTH_NUMBERS})})\.)\s+(?!per ?cent))", re.IGNORECASE
)


def with_one_writing(text: str) -> str:
    r"""Return a text with all numbers in digits, and all dates in the form `\x02YYYY-M-D\x03`.

    Example:
        >>> with_one_writing("Two hundred and fifty on May 7th, 2023: £1,900 or 1.9k, 一千九百五, 六公斤二")
        '250 on \x022023-5-7\x03: £1900 or 1900, 1950, 6.2公斤'
    """
    return "".join(map(_rewrite, _SENTENCE_END.split(text)))


# The lines of views differ, but consist of the same sentences.
@functools.lru_cache(maxsize=1 << 13)
def _rewrite(text: str) -> str:
    text = text.replace("\x02", " ").replace("\x03", " ")
    if not text.isascii():
        text = _HAN_DIGITS.sub(lambda found: _times(found[1], _HAN_UNITS[found[2]]), text)
        text = _HAN_NUMBER.sub(lambda found: _of_han(found[0]), text)
        text = _HAN_TENTHS.sub(r"\1.\3\2", text)
        text = _WEEK.sub(lambda found: f"星期{'7' if found[1] in '日天' else found[1]}", text)
    words, has_digits = {*_WORD.findall(text.lower())}, _DIGIT.search(text)
    if not has_digits and words.isdisjoint(_TELLING):
        return text
    if has_digits:
        text = _CHINESE.sub(_write_date, _ISO.sub(_write_date, text))
    if not words.isdisjoint(_MONTH_NUMBERS):
        for writing in _WITH_MONTH:
            text = writing.sub(_write_date, text)
    if "\x02" in text:
        text = _ITS_WEEKDAY.sub("", text)
    text = _ORDINAL_DIGITS.sub("th", _PER_CENT.sub("%", text))
    if not words.isdisjoint(_NUMBER_WORDS):
        text = _WORDED.sub(lambda found: _of_words(found[0].lower()), text)
    text = _THOUSANDS.sub("", text)
    text = _MANY.sub(lambda found: _times(found["number"], _LARGE[(found["unit"] or "thousand").lower()]), text)
    return _DECIMAL.sub(lambda found: _without_zeros(found[0]), text)


def _write_date(found: "re.Match[str]") -> str:
    parts = found.groupdict(default="")
    name, day = (parts["month"] or parts["plain"]).lower(), parts.get("day", "").lower()
    month = _MONTH_NUMBERS.get(name) or int(name)
    number = _ORDINALS.get(day) or int(day.rstrip("stndrh") or 0)
    if not 1 <= month <= len(_MONTHS) or number > 31:  # noqa: PLR2004 - days
        return found[0]
    return f"\x02{parts.get('year', '')}-{month}-{number or ''}\x03"


def _times(number: str, by: int) -> str:
    return _without_zeros(f"{float(number) * by:.6f}")


def _without_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".")


def _of_words(text: str) -> str:
    """Return a number in English words as digits; an ordinal gets the ending "th", so "third" is not "3"."""
    if text in _ORDINALS:
        return f"{_ORDINALS[text]}th"
    whole = part = 0
    for word in re.split("[ -]", text):
        if word == "hundred":
            part = max(part, 1) * _LARGE[word]
        elif word in _LARGE:
            whole, part = whole + max(part, 1) * _LARGE[word], 0
        else:
            number = _SMALL.get(word, 0)  # "and" and "a" count as 0
            # "Six-forty" is 640, and "nineteen eighty-four" 1984.
            part = part * (100 if part % 100 and number >= _SMALL["ten"] else 1) + number
    return str(whole + part)


def _of_han(text: str) -> str:
    """Return a Chinese number, with or without units, as digits: 两千四 is 2400, 两千零四 is 2004, 二十四 is 24."""
    if len(text) > _LONGEST_HAN:
        return text
    if not set(text) & _HAN_UNITS.keys():
        return "".join(str(_HAN[one]) for one in text)
    whole = section = digit = 0
    for one in text:
        if one in _HAN:
            digit = _HAN[one]
        elif (unit := _HAN_UNITS[one]) < _HAN_UNITS["万"]:
            section, digit = section + (digit or 1) * unit, 0
        else:
            whole, section, digit = (sum(divmod(whole, unit)) + section + digit) * unit, 0, 0
    below = _HAN_UNITS[text[-2]] // 10 if text[-2:-1] in _HAN_UNITS else 1
    return str(whole + section + digit * below)
