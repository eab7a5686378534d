"""Estimates tokens without a vocabulary: one rule, the same on every machine."""

import math
import re

__all__ = ["estimate_tokens"]

# A byte pair encoding has a token for most short words; names, capitals and letters with accents are cut into more.
# The shares were fitted to o200k_base on English, Chinese, German and code (`research token-estimate` measures it).
_PIECE = re.compile(
    r"(?P<unspaced>[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)"
    r"|(?P<word>[a-zß-öø-ɏ]+)"
    r"|(?P<name>[A-ZÀ-ÖØ-Þ][a-zß-öø-ɏ]+)"
    r"|(?P<capitals>[A-ZÀ-ÖØ-Þ]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<number>\d{1,3})"
    r"|(?P<line>\s*\n\s*)"
    r"|(?P<gap>[^\S\n]{2,})"
    r"|(?P<marks>[^\w\s]+|_+)"
)
# The first character of a piece, each further one up to a length, and each one above it.
_FIRST = {"unspaced": 0.7, "word": 0.96, "name": 1.14, "capitals": 0.4, "letters": 0.4, "number": 1.25, "line": 1.4}
_FIRST |= {"gap": 0.5, "marks": 0.7}
_FURTHER = {"unspaced": 0.7, "word": 0.12, "name": 0.21, "capitals": 0.25, "letters": 0.4}
_FREE = {"word": 7, "name": 4}
_ACCENT, _FOREIGN_MARK, _OTHER_MARK = 1.2, 0.45, 0.15


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, as `o200k_base` would count them; 0 only for an empty text.

    On texts of 200 tokens and more it is some 5 % off, on average, in English, Chinese, German and code; on a single
    message it may be a quarter off.
    """
    tokens = 0.0
    for match in _PIECE.finditer(text):
        kind, piece = str(match.lastgroup), match.group()
        tokens += _FIRST[kind]
        if kind in _FURTHER:
            tokens += _FURTHER[kind] * max(0, len(piece) - _FREE.get(kind, 1))
        if kind == "marks":
            tokens += _OTHER_MARK * (len(set(piece)) - 1)
        if kind in ("word", "name", "marks") and not piece.isascii():
            others = sum(not character.isascii() for character in piece)
            tokens += others * (_FOREIGN_MARK if kind == "marks" else _ACCENT)
    return math.ceil(tokens) if tokens else int(bool(text))
