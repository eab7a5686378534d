"""Counts a memory's spending on models, by purpose."""

import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from memzoo.forks import new_lock

__all__ = ["Spent", "Usage"]

_RECEIVED = ("completion_tokens", "output_tokens")
_CACHED = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens")
_WRITTEN = ("cache_write_tokens", "cache_creation_tokens")
_MOST = 1e15  # More cannot be a number of tokens, and infinity is not an integer.


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum of model calls.

    Attributes:
        calls: Requests answered.
        prompt_tokens: Tokens sent, as the endpoint counted them.
        completion_tokens: Tokens received, as the endpoint counted them.
        seconds: Time waited.
        cached_tokens: Tokens sent that the provider had cached from an earlier request, and charges less for.
        cache_write_tokens: Tokens sent that the provider charges more for because it caches them.

    Example:
        >>> Spent(1, 2_000, 50, cached_tokens=1_920) - Spent(1, 1_500, 20, cached_tokens=1_408)
        Spent(calls=0, prompt_tokens=500, completion_tokens=30, seconds=0.0, cached_tokens=512, cache_write_tokens=0)
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    @classmethod
    def of(cls, response: Any, seconds: float) -> Self:
        """Read the cost of one call from the `usage` of its response, tolerating whatever endpoints write there.

        It understands the names of OpenAI (and Gemini, llama.cpp, xAI, OpenRouter, LiteLLM behind its interface), of
        Anthropic and of DeepSeek.
        """
        usage = getattr(response, "usage", None)
        details = _member(usage, "prompt_tokens_details")
        sent, received = _count(usage, "prompt_tokens", "input_tokens"), _count(usage, *_RECEIVED)
        cached = _count(details, "cached_tokens") or _count(usage, *_CACHED)
        written = _count(details, *_WRITTEN) or _count(usage, "cache_creation_input_tokens")
        # Anthropic's own count leaves out cached tokens.
        apart = cached + written > sent or not _count(usage, "prompt_tokens")
        return cls(1, sent + (cached + written) * apart, received, seconds, cached, written)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(*map(operator.add, _FIGURES(self), _FIGURES(other)))

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(*map(operator.sub, _FIGURES(self), _FIGURES(other)))


# Faster than `astuple`, which copies each.
_FIGURES = operator.attrgetter(*(one.name for one in fields(Spent)))


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        members: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return members.get(name)
    return getattr(value, name, None)


def _count(usage: Any, *names: str) -> int:
    """Return the first of the named values that is a number."""
    for one in (_member(usage, name) for name in names):
        if type(one) in (int, float) and 0 <= one < _MOST:
            return int(one)
    return 0


class Usage:
    """Sums spent by purpose (the name of the prompt, or `"embedding"`), and counts of redactions.

    Example:
        >>> usage = Usage()
        >>> usage.add("summary", Spent(calls=1, prompt_tokens=100, completion_tokens=20))
        >>> usage["summary"].prompt_tokens, usage["triple_extraction"].calls, usage.total.calls
        (100, 0, 1)
    """

    def __init__(self, *parts: "Usage") -> None:
        """Start with nothing spent.

        Args:
            *parts: Other counters, whose spending, past and future, is included.
        """
        self._parts = parts
        self._spent: dict[str, Spent] = {}
        self._redacted = Counter[str]()
        self._lock = new_lock()

    def add(self, purpose: str, spent: Spent) -> None:
        """Count the cost of one or more calls."""
        with self._lock:
            self._spent[purpose] = self._spent.get(purpose, Spent()) + spent

    def count_redacted(self, name: str, times: int) -> None:
        """Count redactions in a text."""
        with self._lock:
            self._redacted[name] += times

    @property
    def redacted(self) -> dict[str, int]:
        """The numbers of redactions by the option `redact`, by the name of the pattern."""
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
