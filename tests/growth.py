"""Tells whether work grows with the length of a text or faster, by processor time, on a busy machine too."""

import contextlib
import gc
import importlib
import itertools
import re
import string
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

__all__ = ["ATOMS", "Text", "against", "repeated", "superlinear"]

Text = Callable[[int], str]
"""Makes a text of about a number of characters."""

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

_ENOUGH = 0.001
_TIMES, _MOST = 4, 9
_TIMES_AT_FIRST, _MOST_AT_FIRST = 8, 18
_TRIES, _TRIES_FURTHER_ON = 5, 2

_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_MANY = 100
_KINDS = "a A1_ \n\v.,:;-|<>/*'\"()[]{}=#&@%\\`!?\u2028漢é…"
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}

_PAIRS = " \n .\n. - \n- -\n |\n| | ,\n, , : a. .a a, (a a) 1. *a _a '' 's =\n <a </ ]] )( ``"
_TOKENS = """
<think> </think> <|im_end|> <summary> </summary> {"a": [[ {} Human: Task: &lt; &lt;/ Sam NOT NONE A=a Mr. sk- %41
http:// password= a@ \\u0041 Bearer I'm a\u0316\u0300
""".split()
_LINES = ["\nHuman:", "NONE\n", "A=a\n", "```\n", "</think>\n", "data: {}\n\n", "|-|\n", "| a |\n", "- a\n", "a: b\n"]
_PHRASES = ["Sam, ", "the ", "NOT ", ", Inc. ", "I am ", "A and ", "Let me know ", "sorry ", "here is ", "x y "]
ATOMS = list(
    dict.fromkeys(
        [
            *string.punctuation,
            *"aA1é漢\u3002’“…—\u200b\ud83d\0\uff1c",
            *" \t\n\r\v\f\x1c\x85\u2028",
            *(_PAIRS[at : at + 2] for at in range(0, len(_PAIRS) - 1, 3)),
            *_TOKENS,
            *_LINES,
            *_PHRASES,
        ]
    )
)
"""What somebody may repeat without end: characters of each kind, and what the library looks for."""


def repeated(atoms: Iterable[str], *frames: tuple[str, str]) -> Iterator[Text]:
    """Texts in which an atom is repeated, with something before and behind it."""
    for atom, (before, behind) in itertools.product(atoms, frames or [("", "")]):
        yield lambda size, atom=atom, before=before, behind=behind: before + atom * (size // len(atom)) + behind


def against(pattern: "re.Pattern[str]") -> Iterator[Text]:
    """Texts that make an expression try in vain: what its repeats take, repeated behind what stands before them."""
    before, taken = {""}, dict[str, None]()
    for head, body in _repeats(parser.parse(pattern.pattern, pattern.flags & re.IGNORECASE), ""):
        before.add(head)
        taken[_sample(body)] = None
        taken.update(dict.fromkeys(_first_of_each_kind(body)))
    taken[_sample(parser.parse(pattern.pattern))] = None
    yield from repeated(filter(None, taken), *((head, "\x01") for head in sorted(before)))


def superlinear(do: Callable[[str], object], text: Text, size: int) -> bool:
    """Tell whether work grows faster than a text: four times the text is more than nine times the work, twice running.

    The square of four is sixteen. A single step up, as where a text is first too long for a prompt, is no growth. Work
    that takes next to no time, at a size at which squares would take some, or that has hardly grown since an eighth of
    that size, is not looked at any further.
    """
    large = _seconds(do, text(size))
    if large < _ENOUGH or large < _MOST_AT_FIRST * _seconds(do, text(size // _TIMES_AT_FIRST)):
        return False
    sizes = (size // 16, size // 4, size)
    enough = next((at for at in sizes if _seconds(do, text(at)) >= _ENOUGH), 0)
    return bool(enough) and _grows(do, text, enough, _TRIES) and _grows(do, text, _TIMES * enough, _TRIES_FURTHER_ON)


def _grows(do: Callable[[str], object], text: Text, size: int, tries: int) -> bool:
    """Compare a size with four times that; the least of several times counts, and one linear growth is believed."""
    small = large = float("inf")
    for _ in range(tries):
        small = min(small, _seconds(do, text(size)))
        large = min(large, _seconds(do, text(_TIMES * size)))
        if large < _MOST * small:
            return False
    return True


def _seconds(do: Callable[[str], object], text: str) -> float:
    gc.disable()
    start = time.thread_time()
    with contextlib.suppress(Exception):  # what is refused is done with, too
        do(text)
    seconds = time.thread_time() - start
    gc.enable()
    return seconds


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, Any]]:
    """The parts of an expression that are repeated without end, each with a text that leads to it."""
    for op, given in tree:
        inner = _inside(op, given)
        if op in _REPEATS and given[1] > _MANY:
            yield before, given[2]
        for part in inner:
            yield from _repeats(part, before)
        before += _sample([(op, given)])


def _inside(op: Any, given: Any) -> Sequence[Any]:
    if op in _REPEATS:
        return [given[2]]
    if op is codes.BRANCH:
        return given[1]
    if op in (codes.ASSERT, codes.SUBPATTERN):
        return [given[-1]]
    return [given] if op is codes.ATOMIC_GROUP else []


def _sample(tree: Any) -> str:
    """A text that an expression is likely to match."""
    text = ""
    for op, given in tree:
        if op is codes.BRANCH:
            text += _sample(given[1][0])
        elif op in _REPEATS:
            text += _sample(given[2]) * max(1, given[0])
        else:
            text += "".join(map(_sample, _inside(op, given))) or next(_chars(op, given), "")
    return text


def _first_of_each_kind(tree: Any) -> Iterator[str]:
    for op, given in tree:
        yield from _chars(op, given)
        for part in _inside(op, given):
            yield from _first_of_each_kind(part)


def _chars(op: Any, given: Any) -> Iterator[str]:
    """One character of each kind that a part of an expression takes."""
    if op is codes.LITERAL:
        yield chr(given)
    elif op is codes.ANY:
        yield "a"
    elif op in (codes.IN, codes.NOT_LITERAL):
        items = given if op is codes.IN else [(codes.NEGATE, None), (codes.LITERAL, given)]
        yield from (char for char in _KINDS if _has(items, char))


def _has(items: Any, char: str) -> bool:
    negated = items[0][0] is codes.NEGATE
    return negated != any(_is(op, given, char) for op, given in items)


def _is(op: Any, given: Any, char: str) -> bool:
    if op is codes.CATEGORY:
        return _CATEGORIES[given](char)
    return (op is codes.LITERAL and given == ord(char)) or (op is codes.RANGE and given[0] <= ord(char) <= given[1])
