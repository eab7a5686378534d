"""Estimates the tokens of a text from its kinds of characters.

A table tells how many tokens each kind of character takes in each family of tokenizers. The estimate is corrected
by the token counts that endpoints report.
"""

import contextlib
import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from memzoo.memories.text.media import weigh_parts
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Message
from memzoo.stores.base import ANSWER

T = TypeVar("T")

# A byte pair encoding has one token for most short words; names, capitals and accented letters take more tokens.
_PIECE = re.compile(
    r"(?P<sign>[\u3400-\u9fff\uf900-\ufaff]+)"
    r"|(?P<kana>[\u3040-\u30ff]+)"
    r"|(?P<hangul>[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]+)"
    r"|(?P<word>[a-zß-öø-ɏ]+)"
    r"|(?P<name>[A-ZÀ-ÖØ-Þ][a-zß-öø-ɏ]+)"
    r"|(?P<capitals>[A-ZÀ-ÖØ-Þ]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<number>\d{1,3})"
    r"|(?P<line>\s*\n\s*)"
    r"|(?P<gap>[^\S\n]{2,})"
    r"|(?P<joint>_(?=[^\W\d_]))"
    r"|(?P<marks>[^\w\s]+|_+)"
)
_BLANKS = re.compile(r"\s{2,}|\n")
# A line end without other blanks beside it, at which a text can be cut: the parts have the tokens of the whole.
_LINE_END = re.compile(r"\n(?<=\S\n)(?=\S)")
_LONGEST_WORD = 30
# The cost of a piece's first character, and of each further character beyond a free length.
_FIRST = {"word": 0.96, "name": 1.14, "capitals": 0.4, "letters": 0.4, "line": 1.4, "gap": 0.5}
_FURTHER = {"word": 0.12, "name": 0.21, "capitals": 0.25, "letters": 0.4}
_FREE = {"word": 7, "name": 4}
_ACCENT, _FOREIGN_MARK, _OTHER_MARK = 1.2, 0.45, 0.16
_JOINT = 0.4  # an underscore before letters is often one token with them


@dataclass(frozen=True)
class Tokenizer:
    """The cost in tokens of each kind of character, for a family of tokenizers, as fitted by `tools/tokenizers`.

    Some attributes are numbers of tokens. The others, called factors, multiply an estimate that all families share.

    Attributes:
        name: The family's name.
        models: A regular expression for the names of the family's models.
        words: A factor for the tokens at the beginnings of words.
        long: A factor for the tokens in the rest of long words, and for accents.
        sign: The tokens of a Chinese character, in Chinese or in Japanese.
        kana: The tokens of a Japanese kana.
        hangul: The tokens of a Korean character.
        number: The tokens of a group of up to three digits, in addition to `digit`.
        digit: The tokens of each digit.
        mark: The tokens of a run of punctuation marks.
        blank: A factor for the tokens of line ends and of runs of spaces.
        frame: The tokens around a message: its role and its marks in the chat template.
    """

    name: str
    models: str
    words: float
    long: float
    sign: float
    kana: float
    hangul: float
    number: float
    digit: float
    mark: float
    blank: float
    frame: float

    def measure(self, text: str) -> "tuple[float, float, float, float]":
        """Return four numbers: a text's tokens for each of four kinds of character.

        The kinds are: letters; Chinese characters; kana and Korean characters; digits, punctuation and blanks.
        """
        letters = signs = kana = marks = 0.0
        for match in _PIECE.finditer(text):
            kind, piece = str(match.lastgroup), match.group()
            if kind == "sign":
                signs += self.sign * len(piece)
            elif kind in ("kana", "hangul"):
                kana += getattr(self, kind) * len(piece)
            elif kind == "number":
                marks += self.number + self.digit * len(piece)
            elif kind == "marks":
                marks += self.mark + _OTHER_MARK * (len(set(piece)) - 1)
                if not piece.isascii():
                    marks += _FOREIGN_MARK * _count_foreign(piece)
            elif kind == "joint":
                marks += _JOINT
            elif kind in _FURTHER:
                rest = _FURTHER[kind] * max(0, len(piece) - _FREE.get(kind, 1))
                if kind in _FREE and not piece.isascii():
                    rest += _ACCENT * _count_foreign(piece)
                letters += _FIRST[kind] * self.words + rest * (self.long if kind in _FREE else self.words)
            else:
                marks += _FIRST[kind] * self.blank
        return letters, signs, kana, marks


def _count_foreign(piece: str) -> int:
    return sum(not character.isascii() for character in piece)


_STRAL = r"(?:mi|mini|magi|dev|code|math)stral|[mp]ixtral|voxtral"
TOKENIZERS: Sequence[Tokenizer] = (
    #         name        models           words long  sign  kana  hangul number digit mark blank frame
    Tokenizer("qwen", r"qwen|qwq|qvq", 1.01, 1.56, 0.59, 0.51, 0.83, 0.26, 1.18, 0.82, 0.70, 5),
    Tokenizer("llama", r"(?<!o)llama", 1.01, 1.61, 0.80, 0.56, 0.77, 1.42, 0.10, 0.81, 0.69, 5),
    Tokenizer("deepseek", r"deepseek", 1.00, 1.64, 0.53, 0.57, 0.87, 1.33, 0.10, 0.89, 0.80, 1.5),
    Tokenizer("gemma", r"gemma|gemini", 1.03, 0.81, 0.61, 0.35, 0.66, 0.26, 1.09, 0.99, 1.31, 5),
    Tokenizer("mistral", _STRAL, 1.05, 1.04, 0.91, 0.56, 0.65, 0.26, 1.15, 0.83, 0.86, 1.5),
    Tokenizer("", r"", 1.01, 0.83, 0.76, 0.67, 0.75, 1.42, 0.10, 0.81, 0.81, 4),
)
"""The known families. The cost of a Chinese character lies between those in everyday talk and in an assistant's words.

The last family, which resembles OpenAI's `o200k_base`, is for all other models.
"""


def tokenizer_of(model: str) -> Tokenizer:
    """Return the family of tokenizers for a model's name, such as "qwen3:8b" or "mistralai/Ministral-8B".

    For an unknown model, the family's name is "".

    Example:
        >>> tokenizer_of("deepseek-r1-distill-qwen-7b").name, tokenizer_of("my-own-model").name
        ('qwen', '')
    """
    return next(one for one in TOKENIZERS if re.search(one.models, model.lower()))


class Factors(NamedTuple):
    """The factors that correct the token estimate for one model, learnt from the counts of its endpoint.

    Attributes:
        letters: The factor for letters.
        signs: The factor for Chinese characters, in Chinese or in Japanese.
        kana: The factor for Japanese kana and for Korean characters.
        marks: The factor for digits, punctuation and blanks.
        frame: The tokens around a message.
        base: The tokens around a request.
    """

    letters: float = 1.0
    signs: float = 1.0
    kana: float = 1.0
    marks: float = 1.0
    frame: float = 4.0
    base: float = 3.0


def remember(function: Callable[..., T], most: int) -> Callable[..., T]:
    """Return a version of `function` that remembers up to `most` results.

    Only the hashes of arguments are kept, so that a deleted text does not stay in the process.

    Example:
        >>> read, size = [], remember(lambda text: read.append(text) or len(text), 100)
        >>> size("tea"), size("tea"), read
        (3, 3, ['tea'])
    """
    known = dict[int, T]()

    def recall(*arguments: Hashable) -> T:
        result = known.get(key := hash(arguments))
        if result is None:
            result = function(*arguments)
            if len(known) >= most:
                known.clear()
            known[key] = result
        return result

    return recall


@functools.lru_cache(maxsize=16)
def _measurer(tokenizer: Tokenizer) -> "Callable[[str], tuple[float, ...]]":
    """Return a function that returns the tokens of a text by kind, as `Tokenizer.measure` does."""
    measure_word = functools.lru_cache(maxsize=1 << 13)(tokenizer.measure)  # Most words occur many times.

    def add_up(measured: Iterable[tuple[int, tuple[float, ...]]]) -> tuple[float, ...]:
        letters = signs = kana = marks = 0.0
        for times, (letter, sign, syllable, mark) in measured:
            letters += times * letter
            signs += times * sign
            kana += times * syllable
            marks += times * mark
        return letters, signs, kana, marks

    def measure_words(line: str) -> tuple[float, ...]:
        counts, measure = Counter(split_text(line)), tokenizer.measure
        measured = [measure_word(word) if len(word) <= _LONGEST_WORD else measure(word) for word in counts]
        return add_up(zip(counts.values(), measured, strict=True))

    measure_line = remember(measure_words, 1 << 13)  # Views repeat most lines of earlier views.

    def measure(text: str) -> tuple[float, ...]:
        lines = _LINE_END.split(text)
        if not lines[1:]:
            return measure_line(text)
        counts = Counter(lines)
        counts["\n"] += len(lines) - 1
        return add_up(zip(counts.values(), map(measure_line, counts), strict=True))

    return measure


@functools.cache
def guesser_of(model: str) -> Callable[[str], int]:
    """Return a function that estimates the tokens of a text for a model, by the model's name alone."""
    measure = _measurer(tokenizer_of(model))
    return lambda text: int(sum(measure(text)) + 0.5) or int(bool(text))


def split_text(text: str) -> list[str]:
    """Return the words of a text, then the line ends and runs of spaces that may be tokens of their own."""
    words = text.split()
    # Without a blank to spare, each blank is a single character, and only line ends count.
    if len(text) == len("".join(words)) + len(words) - 1:
        return [*words, *["\n"] * text.count("\n")]
    return [*words, *_BLANKS.findall(text)]


# How far each factor may be off before any answer, and its bounds; the frame of an unknown family may be off farther.
_DOUBTS, _UNKNOWN_FRAME = Factors(0.08, 0.12, 0.16, 0.12, 1.0, 10.0), 1.5
_LEAST, _MOST = Factors(0.5, 0.3, 0.3, 0.4, 0.0, 0.0), Factors(2.0, 3.0, 3.0, 3.0, 16.0, 256.0)
# The most that the descriptions of tools may be of a request that teaches.
_MOST_TOOLS = 0.25
_NOISE = 0.004
# Factors in use before an answer to a request with more of these tokens than a share: texts differ much.
_UNSURE, _FEW = {"signs": 1.16, "kana": 1.1}, 0.1
# The factors in use follow the learnt ones once a request has this many times more or fewer tokens by those, and go as
# far beyond: so a change always is 3 %, and the factors in use are never farther than 1.5 % from the learnt ones.
_STEP = 1.015
# Messages count in these parts of a token, which floats add up exactly, in any order: whole tokens would be off by a
# tenth for messages of a word.
_PARTS = 64
# A report beyond these shares of the estimate is no count of the request: a proxy's or a stand-in's.
_PLAUSIBLE = 0.4, 2.5


class Estimate:
    """The token estimate of one memory, corrected by the count of tokens that the endpoint reports with each answer.

    The corrections are factors, which are stored with each answer: all processes with the same log have the same
    estimate. The factors in use change only in steps of about 3 % or more, so that views rarely move.

    Attributes:
        tokenizer: The family of tokenizers.
        factors: The factors in use.
        learnt: The factors learnt from all answers so far; `factors` follows these in steps.
        name: The name of the factors in use. If the name changes, earlier counts are invalid.
    """

    def __init__(self, model: str = "") -> None:
        self._choose(tokenizer_of(model))
        self.begin()

    def _choose(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._measure = _measurer(tokenizer)
        # A request repeats most messages of the one before.
        self._measure_again = remember(self._measure, 1 << 12)

    def suit(self, model: str) -> None:
        """Choose the family of tokenizers for a model, and drop all corrections.

        If a known family was chosen before, nothing changes.
        """
        if not self.tokenizer.name:
            self._choose(tokenizer_of(model))
            self.begin()

    def begin(self) -> None:
        """Drop all corrections, and return to the factors from before the first answer."""
        self._use(*self._table)

    @property
    def _table(self) -> tuple[Factors, Factors]:
        """The factors in use, and the learnt ones, before any answer; those in use leave room for errors."""
        factors = Factors(frame=self.tokenizer.frame)
        return factors._replace(**_UNSURE), factors

    def follow(self, entries: Iterable[Entry]) -> bool:
        """Use the newest valid factors stored with `entries` (newest first); return False if there are none."""
        told = (entry.fields[ANSWER] for entry in entries if ANSWER in entry.fields)
        for counted in (json.loads(one).get("counted") for one in told if one and '"counted"' in one):
            # Another version may keep other factors.
            with contextlib.suppress(KeyError, TypeError):
                factors, learnt = Factors._make(counted["factors"]), Factors._make(counted["learnt"])
                if self.tokenizer.name in ("", counted["as"]) and _are_possible(factors) and _are_possible(learnt):
                    if self.tokenizer.name != counted["as"]:
                        self._choose(tokenizer_of(counted["as"]))
                    self._use(factors, learnt)
                    return True
        return False

    def _use(self, factors: Factors, learnt: Factors) -> None:
        self.factors, self.learnt = factors, learnt
        parts = ["approximate", self.tokenizer.name, *(map(str, factors) if factors != self._table[0] else ())]
        self.name = " ".join(filter(None, parts))

    def count_text(self, text: str) -> int:
        """Estimate the tokens of a text, by the factors in use; 0 only for an empty text."""
        return int(_dot(self._measure(text), self.factors[:4]) + 0.5) or int(bool(text))

    def count_message(self, message: Message) -> float:
        """Estimate the tokens of a message and its frame. For parts that are not text, see `weigh_parts`."""
        words = _dot(self._measure_again(text_of(message)), self.factors[:4])
        return round((words + self.factors.frame) * _PARTS) / _PARTS + weigh_parts(message)

    def learn(
        self, request: Sequence[Message], tools: Sequence[Mapping[str, Any]], counted: int
    ) -> dict[str, Any] | None:
        """Correct the factors by an endpoint's count of a request's tokens.

        Nothing changes if the request has pictures, sounds or files, if descriptions of tools make up more than a
        quarter of the request, or if the count is implausible.

        Returns:
            The factors, to store with the answer; `None` if no request has corrected the factors yet.
        """
        if not counted or any(map(weigh_parts, request)):
            return self._tell()
        offered = self._measure(json.dumps(list(tools)) if tools else "")
        said = (self._measure_again(text_of(message)) for message in request)
        amounts = (*map(sum, zip(offered, *said, strict=True)), float(len(request)), 1.0)
        guess = _dot(self.learnt, amounts)
        # An endpoint writes the descriptions of tools in a form of its own: many of them say nothing of the words.
        if sum(offered) > _MOST_TOOLS * guess or not _PLAUSIBLE[0] <= counted / guess <= _PLAUSIBLE[1]:
            return self._tell()
        doubts = _DOUBTS if self.tokenizer.name else _DOUBTS._replace(frame=_UNKNOWN_FRAME)
        pulls = [doubt * doubt * amount for doubt, amount in zip(doubts, amounts, strict=True)]
        gain = (counted - guess) / (_dot(pulls, amounts) + (_NOISE * counted) ** 2)
        learnt = Factors._make(
            round(min(max(factor + gain * pull, least), most), 4)
            for factor, pull, least, most in zip(self.learnt, pulls, _LEAST, _MOST, strict=True)
        )
        factors, change = self.factors, _dot(learnt, amounts) / _dot(self.factors, amounts)
        if not 1 / _STEP < change < _STEP:
            beyond = _STEP if change > 1 else 1 / _STEP
            factors = Factors._make(round(factor * beyond, 4) for factor in learnt)
        told = zip(Factors._fields, self.factors, amounts, strict=True)
        unknown = {name: before for name, before, amount in told if name in _UNSURE and amount < _FEW * guess}
        self._use(factors._replace(**unknown), learnt)
        return {"as": self.tokenizer.name, "tokens": round(guess), "factors": self.factors, "learnt": learnt}

    def _tell(self) -> dict[str, Any] | None:
        """Return the factors, to store with the newest answer; `None` if nothing was ever corrected."""
        if self.learnt == self._table[1]:
            return None
        return {"as": self.tokenizer.name, "factors": self.factors, "learnt": self.learnt}


def _are_possible(factors: Factors) -> bool:
    return all(least / _STEP <= one <= most * _STEP for least, one, most in zip(_LEAST, factors, _MOST, strict=True))


def _dot(some: Iterable[float], others: Iterable[float]) -> float:
    return sum(one * other for one, other in zip(some, others, strict=True))
