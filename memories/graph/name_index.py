"""Finds known names in a text, without looking at each of them."""

import re
from collections import defaultdict
from collections.abc import Sequence

from memzoo.memories.text.names import canonical, folded, standing

__all__ = ["NameIndex"]

_WORD = re.compile(r"\w+")
_SHORTEST_PART = 4


class NameIndex:
    """Names in their canonical form, by their words.

    Example:
        >>> index = NameIndex()
        >>> for name in ("york", "new york", "sam"):
        ...     index.add(name)
        >>> index.named_in("Is New York where Sam lives?"), index.with_words("york new")
        (['new york', 'sam'], ['new york'])
    """

    def __init__(self) -> None:
        # By the longest word of the name: a text that has the name has this word, and seldom by chance.
        self._by_longest: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        self._by_part: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def add(self, name: str) -> None:
        """Know a name."""
        words = _WORD.findall(name)
        self._by_longest[_longest(words)][name] = frozenset(words)
        for part in name.split():
            self._by_part[part][name] = None

    def remove(self, name: str) -> None:
        """Know a name no more."""
        self._by_longest[_longest(_WORD.findall(name))].pop(name, None)
        for part in name.split():
            self._by_part[part].pop(name, None)

    def clear(self) -> None:
        """Know none."""
        self._by_longest.clear()
        self._by_part.clear()

    def named_in(self, text: str) -> list[str]:
        """The known names that stand in a text, in their order there; none that is only a part of a longer one."""
        left = folded(text)
        words = {"", *_WORD.findall(left)}
        likely = [name for word in words for name, needed in self._by_longest.get(word, {}).items() if needed <= words]
        places: dict[str, int] = {}
        for name in sorted(likely, key=lambda name: (-len(name), name)):
            if found := standing(name).search(left):
                places[name] = found.start()
                left = standing(name).sub(lambda match: "\0" * len(match[0]), left)
        return sorted(places, key=places.__getitem__)

    def with_words(self, name: str) -> list[str]:
        """The known names that have all words of a name."""
        words = set(name.split())
        rarest = min((self._by_part.get(word, {}) for word in words), key=len, default={})
        return [known for known in rarest if words <= set(known.split())]

    def has_part_of_a_name(self, text: str, named: Sequence[str]) -> bool:
        """Tell whether a capitalised word of a text, outside the names found in it, is a word of a known name."""
        covered = {word for name in named for word in name.split()}
        capitalised = {canonical(word) for word in text.split() if word.lower() != word}
        return any(self._by_part.get(word) for word in capitalised - covered if len(word) >= _SHORTEST_PART)


def _longest(words: Sequence[str]) -> str:
    return max(words, key=len, default="")
