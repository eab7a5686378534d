"""What is done to a good file so that it is no longer one."""

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
"""Values that stand where another one should."""

_DEEP = b"[" * 3_000
_PIECE = 512


@dataclass
class Fuzzed:
    """What came of many changed files.

    Attributes:
        kind: What was read.
        outcomes: How often which outcome.
        wrong: What must not be: another error than a typed one, something lost or half done.
    """

    kind: str
    outcomes: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])

    def holds(self, sound: bool, what: str) -> None:  # noqa: FBT001
        """Take down what must not be."""
        if not sound:
            self.wrong.append(what[:1_000])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each value inside of JSON: what it stands in, and where."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        pairs = enumerate(cast("list[Any]", value))
    for place, inner in pairs:
        yield value, place
        yield from places(inner)


def changed(value: Any, chance: random.Random) -> Any:
    """A copy of JSON in which one to three values are gone, or others; an object may be another value as a whole."""
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
    """Bytes of which some are others, gone, zeroed, or far too many."""
    at = chance.randrange(len(content))
    ways: list[Callable[[], bytes]] = [
        lambda: content[:at],
        lambda: content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :],
        lambda: content[:at] + bytes(min(_PIECE, len(content) - at)) + content[at + _PIECE :],
        lambda: content[:at] + content[at + chance.randrange(1, 20) :],
        lambda: content[:at] + chance.choice([_DEEP, b"\xff\xfe", b"\0", b'"', b"}", b"1e999"]) + content[at:],
    ]
    return chance.choice(ways)()
