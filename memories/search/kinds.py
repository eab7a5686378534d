"""Recognises kinds of texts by words: corrections, rules, advice, places, and values such as dates and numbers."""

import functools
import re
from collections.abc import Collection

from memzoo.memories.search.languages.spaced import LANGUAGES
from memzoo.memories.search.languages.zh import CORRECTIONS
from memzoo.memories.text.language import HAN

# Lower case only: matching both cases would take more than twice as long.
# Phrases that clearly correct something, in any subject.
_SURE = re.compile(
    r"(?:^|[.!?,\n]\s{0,9})make (?:that|it)\b"
    rf"|\b(?:{'|'.join(language.corrections for language in LANGUAGES)})\b"
    r"|\b(?:not|no|never|\w{1,9}n['\u2019]t)\b[^.!?\n]{0,40}\bany ?more\b"
    r"|\b(?:is|are|am|['\u2019](?:s|re|m))\b[^.!?\n]{1,40}(?<!right )(?<!for )\bnow[.!]"
    rf"|{CORRECTIONS}",
)

# Words that may correct something.
_PERHAPS = re.compile(
    r"\b(?:official(?:ly)?|finali[sz]ed?|settled on|decided|revised?|(?<!you )(?<!me )updated?"
    r"|replac(?:e|ed|ing)|proceed with|rather than|going with|go with|switch\w*|changed|used to|per the"
    r"|(?<!right )(?<!for )now)\b",
)
_MOST_WORDS = 57

# Kinds of values: a value may correct another value of its kind without sharing a word. Amounts of money, dates and
# times, numbers; names follow below.
_KINDS = (
    re.compile(r"[$\u20ac\u00a3\u00a5]\s?\d"),
    re.compile(
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|year|today|tomorrow|tonight|noon|\d{1,2}\s?[ap]m"
        r"|\d{1,2}:\d\d|january|february|march|april|june|july|august|september|october|november|december"
        rf"|woche|uhr|{'|'.join(day for one in LANGUAGES[1:] for day in (*one.dates.weekday, *one.english_months))})\b",
    ),
    re.compile(r"(?<![$\u20ac\u00a3\u00a5\d.,])\d"),
)
# The same kinds in Chinese, where numbers may be words ("两千八"); "一" usually means "a", and a date is not a number.
_HAN_DIGIT, _HAN_DATE = r"\d\u3007零一二两三四五六七八九十百千万亿", "年月日号点"
_HAN_KINDS = (
    re.compile(rf"{_KINDS[0].pattern}|[{_HAN_DIGIT}][元块镑]"),
    re.compile(
        rf"{_KINDS[1].pattern}|[{_HAN_DIGIT}][{_HAN_DATE}]|(?:星期|礼拜|周)[一二三四五六日天末]|[今明昨后前]天"
        "|[上下]午|[早晚]上"
    ),
    re.compile(
        rf"(?<![{_HAN_DIGIT}期拜周])(?:[{_HAN_DIGIT}]{{2,}}|[\d两三四五六七八九十百千万])(?![{_HAN_DIGIT}{_HAN_DATE}])"
    ),
)
_NAME = re.compile(r"(?<!\S)[a-z\u00df-\u00ff]+ [A-Z\u00c0-\u00de][a-z\u00df-\u00ff]")
_NAMES = 1 << len(_KINDS)
_MONEY, _DATE, _NUMBER = (1 << place for place in range(len(_KINDS)))

_WHEN = re.compile(
    r"\b(?:when|since|until|(?:what|which) (?:time|day|date|week|month|year)s?|how (?:long|old|often|soon|late))\b"
    r"|\b(?:wann|seit|bis|wie (?:lange|alt|oft))\b"
    r"|什么时|几[月号日点年]|(?:星期|礼拜|周)几|哪一?[天年]|何时|多久",
)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|many|big|high|large|long|old|far|often|heavy|tall|deep|expensive)|what time"
    r"|(?:what|which) (?:rate|price|percentage|share|portion|sum|amount|number|size|weight)|per ?cent(?:age)?|costs?"
    r"|price|rate|amount|number|wie ?(?:viele?|gro\u00df|hoch|lange?|alt|weit|oft|schwer))\b",
)
_HOW_MANY = re.compile("多少|(?<![期拜周])几(?![年月日号点])|多[大高重长远宽]")

VALUES = (_NAMES << 1) - 1
"""The bits for all kinds of values, such as dates and numbers, combined."""

CORRECTS = _NAMES << 1
"""The bit of a message that may correct another message."""

SURELY = _NAMES << 2
"""The bit of a message that clearly corrects something, by its words."""

RULE = _NAMES << 3
"""The bit of a statement that forbids or demands something, or sets a limit."""

_PLACE = _NAMES << 4

ASSISTANT = frozenset("ai assistant assistent bot chatbot \u52a9\u624b \u52a9\u7406".split())
"""Names for the assistant of a conversation, in canonical form."""

# "My assistant" is another person.
_SPOKEN_OF = re.compile(r"\b(?:the|der) assist[ae]nt\b|\u52a9\u624b", re.IGNORECASE)
_PART = re.compile("[;\uff1b]")
# "Never" forbids at the beginning of a clause; in the middle, it usually tells a story ("who never came").
_FORBIDS = re.compile(
    r"(?:^|[:,;.] )never\b|\b(?:must|may|should) (?:absolutely )?(?:not|never)\b|\babsolutely no\b"
    r"|\b(?:allerg(?:y|ic)|forbid(?:s|den)?|prohibit(?:s|ed)?|ban(?:s|ned)|not allowed|allergi(?:e|sch)|verboten)\b"
    r"|\bdarf (?:nie|nicht)\b|\brules?(?: number \w+)?(?: is\b| are\b|:)"
    r"|绝对不|千万不|不许|不准|不得|禁止|严禁|规矩[是:\uff1a]|过敏",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|ha(?:s|ve) to|needs? to|cannot|can['’]t|can not|only|never|at (?:most|least)|no more than|limit(?:ed)?)"
    r"\b|必须|只[能准许]|不能|不要|最多|至多|不超过|(?<![特区个分告])别(?![人的处])",
    re.IGNORECASE,
)
_ASKS_FOR_RULE = re.compile(
    r"\b(?:forbidden|banned|allowed|prohibited|permitted|avoid|beware|allerg(?:y|ic)|rules?|limits?|verboten|erlaubt|darf)\b"
    r"|\b(?:must|able to|ha(?:s|ve) to|needs? to)\b|\b(?:may|should|can)\b(?! (?:you|i ask)\b)"
    "|[不只][许准能]|可以|必须|不得|禁|避开|当心|忌|过敏|规矩|最[多高]",
    re.IGNORECASE,
)
_TELLS_PLACE = re.compile(
    r"\b(?:at|from|in|into|near|on|to|towards?) (?:an? |the )?[A-Z]|去(?!年)|(?<![得感遇受收])到|(?<![现正])在|[住往]"
)
_ASKS_FOR_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:address|city|country|place|street|town|village)\b"
    "|哪里|哪儿|[哪什][个么]地方|哪一?站",
    re.IGNORECASE,
)


def kinds_of(text: str) -> int:
    """Return the kinds of values in a text, such as dates and numbers, as a sum of bits (see `VALUES`).

    `CORRECTS` is added if the text may correct an earlier text; `SURELY` is added as well if the text clearly does.
    """
    small, kinds = text.lower(), _find_values(text)
    if len(text.split()) > _MOST_WORDS:
        return kinds
    if _SURE.search(small):
        return kinds | CORRECTS | SURELY
    return kinds | CORRECTS if _PERHAPS.search(small) else kinds


def find_kinds(statement: str) -> int:
    """Return, as a sum of bits, the kinds of information in a statement: values, places and rules.

    A statement may name a place if it has a preposition of place before a name. It counts as a rule if it sets a
    condition or a limit, such as "must be freestanding" or "only on Mondays".

    Example:
        >>> kinds = [find_kinds(text) for text in ("Ann goes to Oslo.", "Ann goes to school.")]
        >>> [bool(one & find_asked_kinds("Where is Ann?")) for one in kinds]
        [True, False]
        >>> find_kinds("The set must be freestanding.") == RULE
        True
    """
    place, rule = _TELLS_PLACE.search(statement), _OBLIGES.search(statement)
    return _find_values(statement) | _PLACE * bool(place) | RULE * bool(rule)


def find_asked_kinds(question: str) -> int:
    """Return, as a sum of bits, the kinds of information that a question asks for; "when" asks for dates.

    The kinds are those of `find_kinds`; 0 if the question asks for none of them.

    Example:
        >>> find_asked_kinds("When does it open?") == find_kinds("It opens on monday.")
        True
        >>> [find_asked_kinds(one) for one in ("Who is it?", "Can you tell me more?")]
        [0, 0]
        >>> [find_asked_kinds(one) == RULE for one in ("Which fruit is forbidden?", "What can Leo eat?")]
        [True, True]
    """
    small = question.lower()
    dates = _DATE if _WHEN.search(small) else 0
    amounts = _MONEY | _NUMBER if _HOW_MANY.search(small) else 0
    values = dates | amounts | (_MONEY | _DATE | _NUMBER if _HOW_MUCH.search(small) else 0)
    return values | _PLACE * bool(_ASKS_FOR_PLACE.search(small)) | RULE * bool(_ASKS_FOR_RULE.search(small))


def _find_values(text: str) -> int:
    small = text.lower()
    patterns = _HAN_KINDS if HAN.search(text) else _KINDS
    kinds = sum(1 << place for place, kind in enumerate(patterns) if kind.search(small))
    return kinds | _NAMES if _NAME.search(text) else kinds


@functools.lru_cache(maxsize=1 << 12)
def tells_advice(statement: str) -> bool:
    """Return whether a statement begins by reporting the assistant's words instead of a fact.

    Example:
        >>> tells_advice("The assistant said to ask for 50."), tells_advice("It costs 50; the assistant said to ask.")
        (True, False)
    """
    first, *_ = _PART.split(statement, 1)
    return _SPOKEN_OF.search(first) is not None


def asks_for_advice(question: str, named: Collection[str]) -> bool:
    """Return whether a question asks for something that the assistant said, such as advice.

    Args:
        question: The question.
        named: The canonical names of the question's subjects.
    """
    return not ASSISTANT.isdisjoint(named) or _SPOKEN_OF.search(question) is not None


@functools.lru_cache(maxsize=1 << 12)
def tells_rule(statement: str) -> bool:
    """Return whether a statement forbids something, mentions an allergy, or states a rule.

    The assistant's advice is not a rule.

    Example:
        >>> tells_rule("Never give Rex grapes."), tells_rule("Ann never came."), tells_rule("The assistant forbade it.")
        (True, False, False)
    """
    return _FORBIDS.search(statement) is not None and not tells_advice(statement)
