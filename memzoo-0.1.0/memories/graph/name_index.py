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
        # By the word that the fewest names had when this one came: a text that has the name has the word, and a word
        # that many names share ("crowns") does not bring all of them up.
        self._by_rarest: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        self._rarest: dict[str, str] = {}
        self._by_part: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def add(self, name: str) -> None:
        """Know a name."""
        words = _WORD.findall(name)
        rarest = min(words, key=lambda word: (len(self._by_rarest.get(word, ())), -len(word)), default="")
        self._rarest[name] = rarest
        self._by_rarest[rarest][name] = frozenset(words)
        for part in name.split():
            self._by_part[part][name] = None

    def remove(self, name: str) -> None:
        """Know a name no more."""
        self._by_rarest[self._rarest.pop(name)].pop(name)
        for part in name.split():
            self._by_part[part].pop(name, None)

    def clear(self) -> None:
        """Know none."""
        self._by_rarest.clear()
        self._rarest.clear()
        self._by_part.clear()

    def named_in(self, text: str) -> list[str]:
        """The known names that stand in a text, in their order there; none that is only a part of a longer one."""
        left = folded(text)
        words = {"", *_WORD.findall(left)}
        likely = [name for word in words for name, needed in self._by_rarest.get(word, {}).items() if needed <= words]
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
