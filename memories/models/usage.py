"""Counts what a memory spent on models, by purpose."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from memzoo.forks import new_lock

__all__ = ["Spent", "Usage"]

_MOST = 1e15  # More is no number of tokens, and infinity is no whole number.


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum of model calls.

    Attributes:
        calls: Requests answered.
        prompt_tokens: Tokens sent, as the endpoint counted them.
        completion_tokens: Tokens received, as the endpoint counted them.
        seconds: Time waited.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, response: Any, seconds: float) -> Self:
        """Read what one call cost from the `usage` of its response, into which endpoints write anything."""
        usage = getattr(response, "usage", None)
        counts = [getattr(usage, kind, 0) for kind in ("prompt_tokens", "completion_tokens")]
        sent, received = (int(one) if type(one) in (int, float) and 0 <= one < _MOST else 0 for one in counts)
        return cls(1, sent, received, seconds)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


class Usage:
    """The sums spent by purpose: the name of the prompt, or `"embedding"`; and what was taken out of texts.

    Example:
        >>> usage = Usage()
        >>> usage.add("summary", Spent(calls=1, prompt_tokens=100, completion_tokens=20))
        >>> usage["summary"].prompt_tokens, usage["triple_extraction"].calls, usage.total.calls
        (100, 0, 1)
    """

    def __init__(self, *parts: "Usage") -> None:
        """Begin with nothing spent.

        Args:
            *parts: What was or will be spent there is counted in.
        """
        self._parts = parts
        self._spent: dict[str, Spent] = {}
        self._redacted = Counter[str]()
        self._lock = new_lock()

    def add(self, purpose: str, spent: Spent) -> None:
        """Count what one or more calls cost."""
        with self._lock:
            self._spent[purpose] = self._spent.get(purpose, Spent()) + spent

    def count_redacted(self, name: str, times: int) -> None:
        """Count what was taken out of a text."""
        with self._lock:
            self._redacted[name] += times

    @property
    def redacted(self) -> dict[str, int]:
        """How often something was taken out by the option `redact`, by the name of its pattern."""
        with self._lock:
            own = Counter(self._redacted)
        return dict(sum((Counter(part.redacted) for part in self._parts), own))

    def __getitem__(self, purpose: str) -> Spent:
        return sum((part[purpose] for part in self._parts), self._spent.get(purpose, Spent()))

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(self._spent).union(*self._parts)))

    @property
    def total(self) -> Spent:
        """The sum over all purposes."""
        return sum((self[purpose] for purpose in self), Spent())

    def __repr__(self) -> str:
        return f"Usage({', '.join(f'{purpose}={self[purpose]}' for purpose in self)})"
