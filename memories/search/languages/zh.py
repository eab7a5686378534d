"""Prepares Chinese texts for a search: numbers and dates in digits, and pairs of characters as words."""

import re
from collections.abc import Iterator

from memzoo.memories.search.languages.language import RelativeDates
from memzoo.memories.text.days import MONTHS
from memzoo.memories.text.language import PAIRED

RUN = re.compile(f"[{PAIRED}]+")
"""A run of characters that are searched in pairs."""

CORRECTIONS = "更正|改[为成到叫期]|要改|不再|而不是|提前到|推迟|又说"
"""Phrases that clearly correct earlier words, as a regular expression."""

# "三月前" is before March, and "上年" a part of other words.
DATES = RelativeDates(
    days={"昨天": -1, "前天": -2, "明天": 1, "后天": 2},
    counts="一, 二/两, 三, 四, 五, 六, 七, 八, 九, 十",
    units="天, 周/星期/个星期, 月/个月, 年",
    ago="{count}(?!月){unit}前",
    last="上(?!年){unit}",
    next="下(?!年){unit}",
    hints=("昨", "前", "明", "后", "上", "下"),
    edge="",
)
"""Phrases such as "yesterday"."""

# Words of any question that say nothing about its subject. Characters of many words are left out: "下" cuts "下午".
_STOP_WORDS = """
    的 了 是 吗 呢 吧 啊 在 和 与 跟 对 从 把 被 给 让 就 都 也 还 又 很 他 她 我 你 它 您 他们 她们 我们 你们 自己 这
    那 这个 那个 哪 哪个 哪种 哪些 哪家 哪里 哪儿 哪位 哪一 什么 谁 怎么 怎样 如何 为什么 为何 多少 几 时候 一个 一位
    一种 一件 一些 最后 到底 究竟 没有 可以 关于 通过 因为 所以 但是 由于 根据 是否
    """.split()
_STOP = re.compile("|".join(sorted(_STOP_WORDS, key=len, reverse=True)))

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"\u3007": 0, "两": 2}
_SMALL, _LARGE = {"十": 10, "百": 100, "千": 1_000}, {"万": 10_000, "亿": 100_000_000}
_ALL = "".join([*_DIGITS, *_SMALL, *_LARGE])
# A single character is a number only before a measure: "一" is part of many words.
_NUMBER = re.compile(rf"[{_ALL}]{{2,16}}|[{_ALL}](?=[年月日号点元块岁])")
_ROUND = re.compile(r"(?<![\d.])(\d{1,9}(?:\.\d{1,4})?)([百千万亿])")
_MONTH = re.compile(r"(?<!\d)(1[0-2]|0?[1-9])月(?:份)?")
_DAY_OR_YEAR = re.compile(r"(?<!\d)(?:0?([1-9]|[12]\d|3[01])[日号]|(\d{4})年)")


def translate_numbers(text: str) -> str:
    """Return a text with Chinese numbers in digits, and Chinese dates in digits and English months.

    Example:
        >>> translate_numbers("一月二十二日花了两万"), translate_numbers("2025年3月")
        (' january  22 花了20000', ' 2025  march ')
    """
    text = _NUMBER.sub(lambda match: str(_value_of(match[0])), text)
    text = _ROUND.sub(lambda match: f"{float(match[1]) * (_SMALL | _LARGE)[match[2]]:.0f}", text)
    text = _MONTH.sub(lambda match: f" {MONTHS[int(match[1]) - 1].lower()} ", text)
    return _DAY_OR_YEAR.sub(lambda match: f" {match[1] or match[2]} ", text)


def find_pairs(text: str) -> Iterator[str]:
    """Yield all pairs of adjacent characters of `PAIRED`, and such characters that stand alone.

    Stop words are left out.

    Example:
        >>> list(find_pairs("她的猫下午在哪里睡觉"))
        ['猫下', '下午', '睡觉']
    """
    for run in RUN.findall(text):
        for part in _STOP.split(run):
            yield from (part[place : place + 2] for place in range(max(len(part) - 1, min(len(part), 1))))


def _value_of(number: str) -> int:
    """Return the value of a number in characters, such as "两千零八"; digits in a row are read one by one."""
    if all(one in _DIGITS for one in number):
        return int("".join(str(_DIGITS[one]) for one in number))
    total = below = digit = 0
    for one in number:
        if one in _DIGITS:
            digit = _DIGITS[one]
        elif one in _SMALL:
            below += (digit or 1) * _SMALL[one]
            digit = 0
        else:
            total = (total + below + digit or 1) * _LARGE[one]
            below = digit = 0
    return total + below + digit
