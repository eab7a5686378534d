"""What a strategy learnt from a conversation: values that never change, and how they are written down."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, cast

from memzoo.stores import JSON

__all__ = ["ATTEMPTS", "Attempts", "Changes", "State"]

ATTEMPTS = "attempts:"
"""The item of a state that keeps them. No strategy sees it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a strategy learnt.

    Attributes:
        items: New values of items by key; `None` for an item that goes.
        embeddings: Embeddings by log number, float32 little-endian.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True)
class Attempts:
    """How the attempts to learn from what waits have gone so far. It never changes; each outcome makes a new one.

    It is committed with the state that it belongs to, so the next call, or another process, goes on from there.

    Attributes:
        first: The number of the first message of the step that failed last; 0 if none did.
        failures: How often a model has failed since it last worked.
        at: When it failed last, in seconds.
        exchanges: At most so many make a step; 0 for as many as fit.
        tries: How often the first exchange has failed by itself.
        answered: 1 if what failed last was a reply: the model is there then.
        prompt_tokens: Tokens that a prompt may have, as far as an endpoint has told so; 0 if it has not.
        aside: The first and last numbers of exchanges that were set aside.
    """

    first: int = 0
    failures: int = 0
    at: float = 0.0
    exchanges: int = 0
    tries: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    aside: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_json(cls, value: JSON) -> "Attempts":
        """Read what `as_json` wrote. What is not of that form, as from an edited file, counts as nothing."""
        given: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
        numbers = {field.name: given.get(field.name, 0) for field in fields(cls) if field.name != "aside"}
        ranges: list[Any] = given["aside"] if isinstance(given.get("aside"), list) else []
        aside = tuple((one[0], one[1]) for one in ranges if _is_range(one))
        sound = all(_is_number(number, float if name == "at" else int) for name, number in numbers.items())
        return cls(**numbers, aside=aside) if sound else cls(aside=aside)

    def as_json(self) -> JSON:
        """All that is not as it was at first; `None` if nothing is."""
        known = asdict(self) | {"aside": [list(one) for one in self.aside]}
        return {name: value for name, value in known.items() if value} or None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one moment. It never changes; a commit makes a new one.

    Attributes:
        items: Its items by key.
        watermark: The last log number that the items have taken in.
        version: As in `StateUpdate`.
        epoch: Counts how often the state had to be started anew, because it was cleared.
        attempts: What became of the attempts to learn; kept with the items in the store.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    watermark: int = 0
    version: int = 0
    epoch: int = 0
    attempts: Attempts = field(default_factory=Attempts)


def _is_number(value: object, kind: type[float]) -> bool:
    return isinstance(value, (int, kind)) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_range(value: object) -> bool:
    """Whether it is the first and the last number of an exchange."""
    if not isinstance(value, list):
        return False
    pair: list[Any] = value
    return len(pair) == 2 and all(type(one) is int for one in pair) and 0 < pair[0] <= pair[1] < 2**53  # noqa: PLR2004
