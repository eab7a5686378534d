"""The view of a memory in pieces, and its differences to the view before.

A page with each whole view of each memory would be as long as the conversation times its turns. Therefore the page has
each piece of text once, and each view as its difference to the one before.
"""

import difflib
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from memzoo.memories.text.explanation import Find, ShownText

__all__ = [
    "Head",
    "Numbers",
    "Piece",
    "Splice",
    "apply_splices",
    "join_pieces",
    "pair_rewritten",
    "pieces_of",
    "reasons",
    "splices",
]

T = TypeVar("T")

# Where one ends: behind a sentence, or at the end of a line. Both are told as they are, so nothing is lost.
_END = re.compile(r"(?<=[.!?]\s)|(?<=[\u3002\uff01\uff1f\n])")
_MOST_PAIRS = 4_000_000
_MOST_REWRITTEN = 4_000
_ALIKE = 0.5
_LABELS = 3


class Head(NamedTuple):
    """The beginning of a message.

    Attributes:
        role: The role shown for it.
        kind: As in `ShownText`.
        number: In the log; `None` for text outside it.
    """

    role: str
    kind: str
    number: int | None


class Piece(NamedTuple):
    """A part of a view: a message of the log, or a sentence or line of a derived or found text.

    Attributes:
        head: Of the message that begins with it; `None` if it goes on with one.
        text: With the space behind it.
    """

    head: Head | None
    text: str


class Numbers(Generic[T]):
    """Numbers things, each once, from 0 on.

    Attributes:
        new: The things that got a number since `take_new` was called last, in order.
    """

    def __init__(self) -> None:
        self._known: dict[T, int] = {}
        self.new: list[T] = []

    def of(self, thing: T) -> int:
        """The number of a thing."""
        if thing not in self._known:
            self.new.append(thing)
        return self._known.setdefault(thing, len(self._known))

    def take_new(self) -> list[T]:
        """The new pieces, which are then no longer new."""
        new, self.new = self.new, []
        return new


class Splice(NamedTuple):
    """One difference between two lists.

    Attributes:
        at: The place in the old list.
        removed: The number of things removed there.
        added: The things put in their place.
    """

    at: int
    removed: int
    added: tuple[int, ...]


Told: TypeAlias = tuple[str, str, int | None, str]
"""A message as it is rebuilt from pieces: role, kind, number in the log, text."""


def pieces_of(shown: Iterable[ShownText]) -> list[Piece]:
    """The pieces of shown messages, in order. A message of the log stays in one piece."""
    found: list[Piece] = []
    for one in shown:
        first, *others = _split_text(one.text) if one.number is None else (one.text,)
        found.append(Piece(Head(one.role, one.kind, one.number), first))
        found += [Piece(None, text) for text in others]
    return found


def join_pieces(pieces: Iterable[Piece]) -> list[Told]:
    """The messages that pieces were made of.

    Example:
        >>> shown = [ShownText("recalled", 9, None, "Anna lives in Oslo. She has a boat.")]
        >>> [piece.text for piece in pieces_of(shown)], join_pieces(pieces_of(shown))[0][-1]
        (['Anna lives in Oslo. ', 'She has a boat.'], 'Anna lives in Oslo. She has a boat.')
    """
    found: list[list[Piece]] = []
    for piece in pieces:
        if piece.head:
            found.append([])
        found[-1].append(piece)
    return [(*(some[0].head or ("", "", None)), "".join(piece.text for piece in some)) for some in found]


def splices(old: Sequence[int], new: Sequence[int]) -> list[Splice]:
    """The differences that make one list of another, in order.

    Example:
        >>> splices([1, 2, 3, 4], [2, 3, 5])
        [Splice(at=0, removed=1, added=()), Splice(at=3, removed=1, added=(5,))]
    """
    # Most of what is shown stays as it is at the beginning; what is behind that is compared piece by piece.
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
    """The list that differences make of another one."""
    found, at = list[int](), 0
    for one in differences:
        found += [*old[at : one.at], *one.added]
        at = one.at + one.removed
    return [*found, *old[at:]]


def pair_rewritten(gone: Sequence[int], come: Sequence[int], texts: Mapping[int, str]) -> list[tuple[int, int]]:
    """Pairs of a removed piece and the one in its place that says much the same in other words.

    Args:
        gone: The removed pieces.
        come: The added pieces.
        texts: Of both, by number, if they can be rewritten.
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
    pieces: Sequence[Piece], finds: Iterable[Find], said: Mapping[int, str]
) -> Iterator[tuple[int, str, float]]:
    """The search that found a piece: its place, the kind of search, its fit.

    Args:
        pieces: The pieces of the view.
        finds: The results of the searches.
        said: The messages of the log by number.
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
    """A text without an ending that may differ elsewhere: a fact ends like a sentence."""
    return text.strip().rstrip(".")


def _strip_labels(text: str) -> Iterator[str]:
    """A text, and the rest behind each of its first labels: a date, a speaker, a name."""
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
