"""Whether what was shown holds the words of an answer."""

import functools
import re
import unicodedata
from collections.abc import Sequence

__all__ = ["answer_found", "content_words"]

_STOP_WORDS = frozenset(
    "a about after all also am an and any are as at be because been before being but by can could did do does for from "
    "had has have he her hers him his how i if in into is it its like me my no not of on or our ours she should so "
    "some such than that the their them then there these they this those to too us was we were what when where which "
    "who whom whose why will with would yes you your yours".split()
)
# A number with its separators, else letters; scripts without spaces between words are compared as they stand.
_WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_POSSESSIVE = re.compile(r"['’]s\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SHORTEST_PLURAL = 4  # "gas" and "his" are none


def answer_found(answer: str, shown: Sequence[str]) -> bool | None:
    """Tell whether all content words of an answer were shown; `None` if it has none ("yes").

    Example:
        >>> answer_found("the Church Organs", ["He repairs an organ", "in a church."]), answer_found("Yes", ["Yes!"])
        (True, None)
    """
    wanted = content_words(answer)
    return all(any(_has(text, word) for text in shown) for word in wanted) if wanted else None


def _has(text: str, word: str) -> bool:
    return word in content_words(text) or bool(_UNSPACED.search(word) and word in _folded(text))


@functools.lru_cache(maxsize=1 << 15)
def content_words(text: str) -> frozenset[str]:
    """Extract the content words of a text: lower case, singular, without punctuation and stop words.

    Example:
        >>> sorted(content_words("The 3 sisters' boxes cost £1,900."))
        ['1900', '3', 'box', 'cost', 'sister']
    """
    # Possessives first: "sister's" would else be two words.
    words = (word for word in _WORD.findall(_POSSESSIVE.sub("", _folded(text))) if word not in _STOP_WORDS)
    return frozenset(_singular(_THOUSANDS.sub("", word)) for word in words)


@functools.lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "zes", "sses")) else word[:-1]
