"""The shape of a sentence: one letter a word, so that patterns of grammar are patterns of letters.

::

    N name          P I, he         M my, his        O me, him         Y you, your      S possessive 's
    D the, a        # number        e time word      w other word      a adverb         n not
    b be            h have          d do             f will            m may, would
    v verb          V finite verb   t participle     g -ing form
    p preposition   T to            & and, or        k because, but    i if, when       q question word
    c comma         x full stop     ' quotation mark
"""

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from memzoo.memories.models.offline.lexicon import CALENDAR
from memzoo.memories.models.offline.names import Mention
from memzoo.memories.models.offline.verbs import FORMS

__all__ = ["Token", "shape_of", "tokenise"]

_TOKEN = re.compile(
    r"(?i:no longer)\b|[£$€]\s?\d[\d,.]*\d?[mk]?\b|\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|%|am|pm|k|m)?\b"
    r"|[^\W\d_]+(?:['’\-][^\W\d_]+)*|\.{2,}|[^\w\s]|\w+"
)
_CONTRACTED = re.compile(r"(.+)['’](m|re|ve|ll|d|s)$", re.IGNORECASE)
_NEGATED = re.compile(r"(.+)n['’]t$", re.IGNORECASE)
_FULL = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}
_IRREGULAR_NEGATION = {"wo": "will", "ca": "can", "sha": "shall", "ai": "is"}
_PRONOUNS = frozenset("i we he she it they that this there who what where here".split())
_CLASSES = {
    "P": "i we he she it they",
    "M": "my our his her its their",
    "D": "the a an this that these those some any each every another both all no",
    "b": "am is are was were be been being",
    "h": "have has had having",
    "d": "do does did",
    "m": "would could should may might must can cannot shall ought used",
    "f": "will",
    "n": "not never",
    "#": "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred",
    "a": """
        also just now still really always usually often recently already actually currently finally both originally
        mostly mainly absolutely definitely totally officially unofficially sometimes soon then once too so very
        basically even only apparently certainly probably personally honestly ever yet again well yes no sure sadly
        luckily fortunately happily eventually previously formerly here twice together
        """,
    "p": """
        in on at from with for by of about as into near under over after before during since until between among
        through against without towards toward like than per via inside outside around behind beside next-to off out
        up down
        """,
    "T": "to",
    "&": "and or nor plus",
    "k": "but because although though while whereas whereby which who whom whose where however",
    "i": "if whether unless when whenever",
    "Y": "you your yours yourself",
    "O": "me him us them himself herself myself themselves itself mine",
    "q": "what why how whatever whoever",
    "e": """
        last next ago week month year today tonight weekend morning evening afternoon night years months weeks days
        """,
    "c": ",",
    "'": "\" “ ” ' ‘ ’ * _ `",
    "x": ". ; : ! ? ( ) [ ] { } — – - … / | .. ... ....",
}
_LETTERS = {
    **{word: letter for letter, listed in reversed(_CLASSES.items()) for word in listed.split()},
    **dict.fromkeys(CALENDAR, "e"),
    "may": "m",
    "no longer": "n",
}


_VERB_LETTERS = {"base": "v", "present": "V", "past": "V", "participle": "t", "ing": "g"}
_CHANGING = frozenset({"like", "May"})


class Token(NamedTuple):
    """A word, a name or a mark of a sentence.

    Attributes:
        text: As it is written; a title without its quotation marks.
        letter: Its class.
        start: Where it begins in the sentence.
    """

    text: str
    letter: str
    start: int

    @property
    def lower(self) -> str:
        """In lower case."""
        return self.text.lower()


def tokenise(sentence: str, mentions: Sequence[Mention]) -> list[Token]:
    """The tokens of a sentence; each name is one, contractions are taken apart."""
    tokens: list[Token] = []
    place = 0
    for mention in mentions:
        tokens += _plain(sentence, place, mention.start)
        tokens.append(Token(mention.name, "N", mention.start))
        place = mention.end
    tokens += _plain(sentence, place, len(sentence))
    for number, token in enumerate(tokens):
        if token.text in _CHANGING:
            tokens[number] = _in_place(token, tokens[number - 1 : number])
    return tokens


def _in_place(token: Token, before: Sequence[Token]) -> Token:
    """A token with the letter that it has behind another: "I like", "3 May"."""
    follows = before[0].letter if before else ""
    if token.lower == "like" and follows in set("PNYdnfTa"):
        return token._replace(letter="v")
    return token._replace(letter="e") if token.text == "May" and follows in {"#", "p"} else token


def shape_of(tokens: Sequence[Token]) -> str:
    """The letters of tokens."""
    return "".join([token.letter for token in tokens])


def _plain(sentence: str, start: int, end: int) -> list[Token]:
    found: list[Token] = []
    if sentence[start : start + 2].lower() in {"'s", "’s"}:
        found.append(Token("'s", "S", start))
        start += 2
    for token in _TOKEN.finditer(sentence, start, end):
        text = token[0]
        if "'" in text or "’" in text:
            found += _apart(text, token.start())
        else:
            found.append(Token(text, _letter(text), token.start()))
    return found


def _apart(text: str, start: int) -> list[Token]:
    if negated := _NEGATED.match(text):
        return [_token(_IRREGULAR_NEGATION.get(negated[1].lower(), negated[1]), start), Token("not", "n", start)]
    contracted = _CONTRACTED.match(text)
    if not contracted:
        return [_token(text, start)]
    if contracted[2].lower() == "s" and contracted[1].lower() not in _PRONOUNS:
        return [_token(contracted[1], start), Token("'s", "S", start)]
    return [_token(contracted[1], start), _token(_FULL[contracted[2].lower()], start)]


def _token(text: str, start: int) -> Token:
    return Token(text, _letter(text), start)


@functools.lru_cache(maxsize=1 << 14)
def _letter(text: str) -> str:
    lower = text.lower()
    if letter := _LETTERS.get(lower):
        return letter
    if text[0].isdigit() or text[0] in "£$€":
        return "#"
    return _VERB_LETTERS[FORMS[lower].tense] if lower in FORMS else "w"
