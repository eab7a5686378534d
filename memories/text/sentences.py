"""Takes texts apart into sentences, and puts sentences together."""

import itertools
import re
from collections.abc import Iterable, Sequence

from memzoo.memories.text.language import UNSPACED

__all__ = ["joined", "sentences"]

_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]{0,3}\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])\s*(?=\S)")
_ABBREVIATION = re.compile(r"\b(?:mr|mrs|ms|dr|prof|st|no|vs|e\.g|i\.e|(?!i)[^\W\d_])\.\Z", re.IGNORECASE)
_UNSPACED_END = re.compile(rf"[{UNSPACED}\u3002\uff01\uff1f]")


def sentences(text: str) -> Sequence[str]:
    """The sentences of a text.

    Example:
        >>> sentences("He saw Dr. Hall.  It is 3.5 km away. 他住在东京。他喜欢茶。")
        ['He saw Dr. Hall.', 'It is 3.5 km away.', '他住在东京。', '他喜欢茶。']
    """
    ends = (end for end in _END.finditer(text) if not _ABBREVIATION.search(text[max(end.start() - 6, 0) : end.start()]))
    places = [0, *(end.end() for end in ends), len(text)]
    found = (" ".join(text[start:end].split()) for start, end in itertools.pairwise(places))
    return [sentence for sentence in found if sentence]


def joined(texts: Iterable[str]) -> str:
    """Sentences as one text, with spaces where the script has them."""
    return "".join(one if _UNSPACED_END.match(one[-1]) else f"{one} " for one in texts if one).removesuffix(" ")
