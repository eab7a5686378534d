"""Changes that make a valid file invalid."""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

__all__ = ["ODD", "Fuzzed", "changed", "places", "spoilt"]

ODD: list[Any] = [
    *(None, True, 0, -1, 2**63 - 1, 2**70, 1.5, 1e308, "", "x", "\ud800", "\0", "9999-12-31T23:59:59-12:00"),
    *([], [[]], [1, "a", None], {}, {"of": "sam"}, {"name": 1}, "user", "tool", "2026-01-01T00:00:00+00:00"),
]
"""Values to insert in place of other values."""

_DEEP = b"[" * 3_000
_PIECE = 512


@dataclass
class Fuzzed:
    """The results of reading many changed files.

    Attributes:
        kind: The kind of files.
        outcomes: The number of files by outcome.
        wrong: Descriptions of errors: an untyped exception, lost data, or a half-done change.
    """

    kind: str
    outcomes: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])

    def holds(self, sound: bool, what: str) -> None:  # noqa: FBT001
        """Record an error unless a condition holds."""
        if not sound:
            self.wrong.append(what[:1_000])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the place of each value in JSON, at any depth: the container, and the key or index."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        pairs = enumerate(cast("list[Any]", value))
    for place, inner in pairs:
        yield value, place
        yield from places(inner)


def changed(value: Any, chance: random.Random) -> Any:
    """Return a copy of JSON with one to three values removed or replaced; an object as a whole may be replaced too."""
    whole: list[Any] = [copy.deepcopy(value)]
    for _ in range(chance.randint(1, 3)):
        inside: Any = whole if isinstance(whole[0], dict) else whole[0]
        holder, place = chance.choice(list(places(inside)) or [(whole, 0)])
        if isinstance(holder, dict) and chance.random() < 1 / 3:
            del holder[place]
        else:
            holder[place] = copy.deepcopy(chance.choice(ODD))
    [result] = whole
    return result


def spoilt(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with some bytes changed, removed, zeroed or inserted, or with the end cut off."""
    at = chance.randrange(len(content))
    ways: list[Callable[[], bytes]] = [
        lambda: content[:at],
        lambda: content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :],
        lambda: content[:at] + bytes(min(_PIECE, len(content) - at)) + content[at + _PIECE :],
        lambda: content[:at] + content[at + chance.randrange(1, 20) :],
        lambda: content[:at] + chance.choice([_DEEP, b"\xff\xfe", b"\0", b'"', b"}", b"1e999"]) + content[at:],
    ]
    return chance.choice(ways)()
