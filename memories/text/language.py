"""Splits texts into words, stems and sentences, also in languages without spaces, and recognises stop words."""

import functools
import itertools
import re
from collections.abc import Iterable, Sequence

SPEAKING_OF_ONESELF = ("I ", "I'", "My ", "We ", "我", "咱", "私", "僕", "俺", "ฉัน", "ผม", "เรา")
"""The first words of sentences about the speaker."""

UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Characters of Chinese and Japanese, written for a character class of a regular expression."""

HAN = re.compile(f"[{UNSPACED}]")
"""A Chinese or Japanese character."""

MARKED = "\u0900-\u0963\u0966-\u109f\u1780-\u17ff"
"""Characters of scripts from India to Cambodia, whose vowels are marks; Python does not count marks as letters."""

PAIRED = f"{UNSPACED}{MARKED}\uac00-\ud7af"
"""Characters that a search takes in pairs: those of Chinese and Japanese, of `MARKED`, and of Korean.

Their words are not apart, have many endings, or are broken by marks.
"""

STOPWORDS = frozenset(
    """
    a about above actually after again all almost already also although always am an and any anyone anything are
    aren't around as at away back be because been before being below between both but by came can can't cannot come
    could couldn't did didn't do does doesn't doing don't done down during each either else ever every everyone
    everything few for from further get gets getting go goes going gonna got gotta had hadn't has hasn't have haven't
    having he he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll i'm i've if in into
    is isn't it it'd it'll it's its itself just kind kinda know lately let let's like lot lots made make makes many
    may maybe me might more most much must my myself near no nor not now of off often oh on once one only onto or
    other our ours ourselves out over own perhaps please put quite rather really said same say says see seem seems
    she she'd she'll she's should shouldn't since so some someone something soon sort still such take takes than that
    that'd that's the their theirs them themselves then there there's these they they'd they'll they're they've thing
    things think this those though through thus till to together too took toward towards try trying under until up
    upon us use used very wanna want was wasn't way we we'd we'll we're we've well went were weren't what what's when
    when's where where's whether which while who who's whom whose why will with within without won't would wouldn't
    yes yet you you'd you'll you're you've your yours yourself yourselves ain't em ya yeah
    """.split()
)
"""Function words, which say little by themselves, with plain apostrophes."""

SMALL_TALK = STOPWORDS | frozenset(
    """
    absolutely adorable afternoon agree agreed ah aha alright amazing anytime appreciate awesome aw aww awww
    beautiful best bet bye care catch certainly chat cheers congrats congratulations cool correct course cute dear
    definitely delighted enjoy enjoyed evening exactly excellent excited exciting fab fantastic fascinating fine fun
    glad good goodbye goodnight gosh great greetings ha haha happy hear heard hehe hello help helpful hey hi hmm hope
    hopefully hugs impressive incredible indeed inspiring interesting later lmao lol looking lovely luck lucky mate mean
    means mention morning nice night nope okay ok omg ouch perfect pleasure positively pretty problem proud rest
    right sad safe sec sense sharing share shared shame sir sorry sound sounds strong stunning super support
    supportive sure sweet talk talking tell terrific thank thankful thanks thx true truly ugh understand understood
    view wait wow welcome wicked wish wonderful worries worry yay yeah yep yum yup zero
    """.split()
)
"""`STOPWORDS` and words of courtesy and applause: a sentence with no other words tells nothing."""

RELATING = frozenset(
    """
    across along alongside amid among amongst apart aside behind beneath beside besides beyond despite except however
    inside instead meanwhile opposite otherwise outside per round therefore thus toward unlike via whatever whenever
    whereas wherever whichever whoever
    """.split()
)
"""Words that only connect other words, in addition to `STOPWORDS`."""

_CAPITAL_INSIDE = re.compile(r"[a-z,;] (?!I\b)[A-Z]")

# Chinese, Japanese, Thai, Lao, Burmese and Khmer: scripts without spaces between words.
_TOGETHER = re.compile(f"[{UNSPACED}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_CHARACTERS_OF_WORD, _LONGEST_WORD = 2, 16
# Courtesies in Chinese: a clause of only courtesies tells nothing.
_COURTESIES = re.compile(
    "(?:好的?[呀吧啊]?|是的|[对對]的?|嗯|哈|多?谢谢|謝謝|[你您](?:们|們|好)?|大家好|早上好|晚上好|晚安|再见|再見|不客[气氣]"
    "|没关系|沒關係|没问题|沒問題|[对對]不起|抱歉|不好意思|太好了|太棒了|真棒|很高[兴興]|明白了?|知道了|[当當]然|加油|了解)+"
)
_CLAUSE = re.compile(r"[^\s,.!?…~、。\uff0c\uff01\uff1f\uff5e]+")

_SHORTEST = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_VOWEL = re.compile(r"[aeiouy]")
_ASKING = re.compile(
    r"(?:wh(?:at|o|om|ose|ere|en|y|ich)|how|do|does|did|is|are|was|were|can|could|would|will|should|have|has)\s"
    r"|(?:please\s+)?(?:tell|remind|list|name|show|give|describe|explain)\b",
    re.IGNORECASE,
)

_END = re.compile(r"(?<=[.!?…\u0964\u06d4\u061f])[\"'”’»)\]]{0,3}\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])\s*(?=\S)")
_ABBREVIATION = re.compile(r"\b(?:mr|mrs|ms|dr|prof|st|no|vs|e\.g|i\.e|(?!i)[^\W\d_])\.\Z", re.IGNORECASE)
_UNSPACED_END = re.compile(rf"[{UNSPACED}\u3002\uff01\uff1f]")


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower().replace("’", "'"))


@functools.lru_cache(maxsize=1 << 12)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words in order, without the words in `STOPWORDS`."""
    return tuple([stem(word) for word in words(text) if word not in STOPWORDS])


def all_stems(text: str) -> tuple[str, ...]:
    """Return the stems of all words of a text, in order."""
    return tuple(map(stem, words(text)))


def is_idle(text: str) -> bool:
    """Tell whether a text is only small talk, such as thanks or applause.

    Example:
        >>> is_idle("Thanks!"), is_idle("Thanks, Anna moved.")
        (True, False)
    """
    return SMALL_TALK.issuperset(words(text)) and not _CAPITAL_INSIDE.search(text)


def count_words(text: str) -> int:
    """Return the approximate number of words; in scripts without spaces, two characters count as one word.

    A word of more than sixteen letters counts as several words.

    Example:
        >>> count_words("My sister lives in Oslo."), count_words("我姐姐安娜住在奥斯陆。"), count_words("a" * 160)
        (5, 6, 10)
    """
    together = len(_TOGETHER.findall(text))
    apart = sum(-(-len(word) // _LONGEST_WORD) for word in _TOGETHER.sub(" ", text).split())
    return apart + together // _CHARACTERS_OF_WORD


def tells(sentence: str) -> bool:
    """Tell whether a sentence states anything. Questions and courtesies ("Thanks, Anna!") do not.

    Example:
        >>> [tells(text) for text in ("Thanks, Anna!", "Anna moved.", "谢谢你。", "她养了两只猫。", "我爱茶。")]
        [False, True, False, True, True]
    """
    said = " ".join(one for one in _CLAUSE.findall(sentence) if not _COURTESIES.fullmatch(one))
    apart, together = {*words(_TOGETHER.sub(" ", said))} - SMALL_TALK, len(_TOGETHER.findall(said))
    least = 0 if sentence.startswith(SPEAKING_OF_ONESELF) else 1
    return not is_question(sentence) and len(apart) + -(-together // _CHARACTERS_OF_WORD) > least


def is_question(sentence: str) -> bool:
    """Tell whether a sentence is a question, by its question mark or its beginning."""
    bare = sentence.rstrip(" \"'”’)*_")
    return bare.endswith(("?", "\uff1f", "\u061f")) or (not bare.endswith((".", "!")) and bool(_ASKING.match(sentence)))


@functools.lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Return the stem of a lower-case word: `mov` for `moves`, `moved` and `moving`."""
    word = word.removesuffix("'s")
    if len(word) <= _SHORTEST or not word.isascii():
        return word
    word = singular(word)
    for ending, shortest in (("ing", 6), ("ied", 5), ("ed", 5), ("ly", 6)):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(word) >= shortest and _VOWEL.search(rest):
            word = rest + "y" if ending == "ied" else _single(rest)
            break
    if len(word) > _SHORTEST:
        word = word.removesuffix("e")
    return word[:-1] + "i" if len(word) >= _SHORTEST and word[-1] == "y" else word


def singular(word: str) -> str:
    """Return a lower-case English word without its plural ending."""
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def _single(word: str) -> str:
    return word[:-1] if word[-1:] == word[-2:-1] and word[-1] not in "lsz" else word


def sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text.

    Example:
        >>> sentences("He saw Dr. Hall.  It is 3.5 km away. 他住在东京。他喜欢茶。")
        ['He saw Dr. Hall.', 'It is 3.5 km away.', '他住在东京。', '他喜欢茶。']
    """
    ends = (end for end in _END.finditer(text) if not _ABBREVIATION.search(text[max(end.start() - 6, 0) : end.start()]))
    places = [0, *(end.end() for end in ends), len(text)]
    found = (" ".join(text[start:end].split()) for start, end in itertools.pairwise(places))
    return [sentence for sentence in found if sentence]


def join_sentences(texts: Iterable[str]) -> str:
    """Return sentences as one text, with spaces between them if the script uses spaces."""
    return "".join(one if _UNSPACED_END.match(one[-1]) else f"{one} " for one in texts if one).removesuffix(" ")
