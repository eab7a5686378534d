"""Splits views into pieces of text, and computes the differences between successive views.

To keep the page small, each piece is written only once. A view is written as its differences from the view before.
"""

import difflib
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from memzoo.memories.text.explanation import Find, ShownText

T = TypeVar("T")

# A piece ends after a sentence or at the end of a line; white space stays in the piece, so joining restores the text.
_END = re.compile(r"(?<=[.!?]\s)|(?<=[\u3002\uff01\uff1f\n])")
_MOST_PAIRS = 4_000_000
_MOST_REWRITTEN = 4_000
_ALIKE = 0.5
_LABELS = 3


class Head(NamedTuple):
    """The attributes of a message, without its text.

    Attributes:
        kind: The kind of the message in the view: "system", "recalled", "message" or "pinned".
        number: The log number; `None` for a text that is not in the log.
    """

    role: str
    kind: str
    number: int | None


class Fragment(NamedTuple):
    """A part of a view: a whole message of the log, or a sentence or line of any other text.

    Attributes:
        head: The attributes of the message, if this is its first fragment; otherwise `None`.
        text: The text, with any white space at its end.
    """

    head: Head | None
    text: str


class Numbers(Generic[T]):
    """Numbers values from 0 on, in the order in which they first appear. Equal values have the same number.

    Attributes:
        new: The values numbered since the last call of `take_new`, in order.
    """

    def __init__(self) -> None:
        self._known: dict[T, int] = {}
        self.new: list[T] = []

    def of(self, thing: T) -> int:
        """Return the number of a value; a new value gets the next number."""
        if thing not in self._known:
            self.new.append(thing)
        return self._known.setdefault(thing, len(self._known))

    def take_new(self) -> list[T]:
        """Return the new values and clear `new`."""
        new, self.new = self.new, []
        return new


class Splice(NamedTuple):
    """One difference between two lists: some items are replaced by others.

    Attributes:
        at: The position in the old list.
        removed: The number of items removed from this position on.
    """

    at: int
    removed: int
    added: tuple[int, ...]


Told: TypeAlias = tuple[str, str, int | None, str]
"""A message rebuilt from pieces: role, kind, log number, text."""


def pieces_of(shown: Iterable[ShownText]) -> list[Fragment]:
    """Split messages into pieces, in order.

    A message of the log is one piece; other texts are split into sentences and lines.
    """
    found: list[Fragment] = []
    for one in shown:
        first, *others = _split_text(one.text) if one.number is None else (one.text,)
        found.append(Fragment(Head(one.role, one.kind, one.number), first))
        found += [Fragment(None, text) for text in others]
    return found


def join_pieces(pieces: Iterable[Fragment]) -> list[Told]:
    """Join pieces from `pieces_of` back into messages, as tuples of role, kind, log number and text.

    Example:
        >>> shown = [ShownText("recalled", 9, None, "Anna lives in Oslo. She has a boat.")]
        >>> [piece.text for piece in pieces_of(shown)], join_pieces(pieces_of(shown))[0][-1]
        (['Anna lives in Oslo. ', 'She has a boat.'], 'Anna lives in Oslo. She has a boat.')
    """
    found: list[list[Fragment]] = []
    for piece in pieces:
        if piece.head:
            found.append([])
        found[-1].append(piece)
    return [(*(some[0].head or ("", "", None)), "".join(piece.text for piece in some)) for some in found]


def splices(old: Sequence[int], new: Sequence[int]) -> list[Splice]:
    """Return the differences from an old list to a new list, in order.

    Example:
        >>> splices([1, 2, 3, 4], [2, 3, 5])
        [Splice(at=0, removed=1, added=()), Splice(at=3, removed=1, added=(5,))]
    """
    # Most views begin like the previous view; only the rest is compared piece by piece.
    begin = sum(1 for _ in itertools.takewhile(bool, map(int.__eq__, old, new)))
    some, others = old[begin:], new[begin:]
    if len(some) * len(others) > _MOST_PAIRS:
        return [Splice(begin, len(some), tuple(others))]
    matcher = difflib.SequenceMatcher(None, some, others, autojunk=False)
    return [
        Splice(begin + first, last - first, tuple(others[start:end]))
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]


def apply_splices(old: Sequence[int], differences: Iterable[Splice]) -> list[int]:
    """Return the new list, made from the old list and the differences."""
    found, at = list[int](), 0
    for one in differences:
        found += [*old[at : one.at], *one.added]
        at = one.at + one.removed
    return [*found, *old[at:]]


def pair_rewritten(gone: Sequence[int], come: Sequence[int], texts: Mapping[int, str]) -> list[tuple[int, int]]:
    """Match removed pieces with added pieces of similar wording, and return the numbers of each pair: removed, added.

    `gone` and `come` are the numbers of all removed and all added pieces. `texts` is a dict from number to text; a
    piece missing from it is never paired.
    """
    old = {number: _words(texts[number]) for number in gone if number in texts}
    new = {number: _words(texts[number]) for number in come if number in texts}
    if len(old) * len(new) > _MOST_REWRITTEN:
        return []
    alike = sorted(
        (-_likeness(one, other), before, after) for before, one in old.items() for after, other in new.items()
    )
    pairs: dict[int, int] = {}
    for likeness, before, after in alike:
        if -likeness >= _ALIKE and before not in pairs and after not in pairs.values():
            pairs[before] = after
    return sorted(pairs.items())


def reasons(
    pieces: Sequence[Fragment], finds: Iterable[Find], said: Mapping[int, str]
) -> Iterator[tuple[int, str, float]]:
    """For each piece that a search put into a view, yield its position, the kind of search, and the score.

    `finds` are the results of the searches; `said` is a dict from log number to a message's text.
    """
    best: dict[str | int, tuple[str, float]] = {}
    for one in finds:
        if not one.shown:
            continue
        text = said.get(one.what, "") if isinstance(one.what, int) else one.what
        for key in (one.what, *map(_bare, _split_text(text))):
            if key not in best or one.score > best[key][1]:
                best[key] = one.by, one.score
    for place, piece in enumerate(pieces if best else ()):
        keys = [piece.head.number] if piece.head and piece.head.number else _strip_labels(_bare(piece.text))
        found = next((best[key] for key in keys if key in best), None)
        if found:
            yield place, *found


def _bare(text: str) -> str:
    """Return a text without outer white space and final full stops, since a fact gets a full stop when shown."""
    return text.strip().rstrip(".")


def _strip_labels(text: str) -> Iterator[str]:
    """Yield a text, and the rest of the text after each of its first three labels, such as a date or a speaker."""
    yield text
    for _ in range(_LABELS):
        _, label, text = text.partition(": ")
        if label:
            yield text


@functools.lru_cache(maxsize=4096)
def _split_text(text: str) -> tuple[str, ...]:
    return tuple(part for part in _END.split(text) if part) or ("",)


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
