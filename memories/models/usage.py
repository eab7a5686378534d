"""Counts the cost of a memory's model calls, by purpose."""

import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from memzoo.forks import new_lock

_RECEIVED = ("completion_tokens", "output_tokens")
_CACHED = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens")
_WRITTEN = ("cache_write_tokens", "cache_creation_tokens")
_MOST = 1e15  # No call has more tokens, and infinity is not an integer.


@dataclass(frozen=True, slots=True)
class Spent:
    """The total cost of model calls.

    Attributes:
        calls: The number of answered requests.
        prompt_tokens: Tokens sent, as counted by the endpoint.
        completion_tokens: Tokens received, as counted by the endpoint.
        seconds: The time spent waiting for answers.
        cached_tokens: Tokens sent that were already in the provider's cache, at a lower price.
        cache_write_tokens: Tokens sent that were written to the provider's cache, at a higher price.

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
        """Return the cost of one call from the `usage` of its response; malformed numbers count as 0.

        Supports the field names of OpenAI and compatible endpoints (Gemini, llama.cpp, xAI, OpenRouter, LiteLLM), of
        Anthropic and of DeepSeek.
        """
        usage = getattr(response, "usage", None)
        of_input = _member(usage, "input_tokens_details")  # of the Responses API
        details = _member(usage, "prompt_tokens_details") or of_input
        sent, received = _count(usage, "prompt_tokens", "input_tokens"), _count(usage, *_RECEIVED)
        cached = _count(details, "cached_tokens") or _count(usage, *_CACHED)
        written = _count(details, *_WRITTEN) or _count(usage, "cache_creation_input_tokens")
        # Anthropic's count of prompt tokens leaves out cached tokens.
        apart = cached + written > sent or not (of_input or _count(usage, "prompt_tokens"))
        return cls(1, sent + (cached + written) * apart, received, seconds, cached, written)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(*map(operator.add, _FIGURES(self), _FIGURES(other)))

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(*map(operator.sub, _FIGURES(self), _FIGURES(other)))


# Faster than `astuple`, which copies each value.
_FIGURES = operator.attrgetter(*(one.name for one in fields(Spent)))


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        members: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return members.get(name)
    return getattr(value, name, None)


def _count(usage: Any, *names: str) -> int:
    """Return the first of several members of `usage` that is a number, as an integer; 0 if none is."""
    for one in (_member(usage, name) for name in names):
        if type(one) in (int, float) and 0 <= one < _MOST:
            return int(one)
    return 0


class Usage:
    """The cost of model calls by purpose, and the number of redactions.

    The purpose is the prompt's name, or `"embedding"`.

    Attributes:
        estimated: The newest token estimate of a `Conversation`, by model name. Each value is a dict: `"factors"` has
            the factors that correct later estimates, and `"tokens"`, if present, is the estimate for the last request.
            Empty if a tokenizer counts tokens.

    Example:
        >>> usage = Usage()
        >>> usage.add("summary", Spent(calls=1, prompt_tokens=100, completion_tokens=20))
        >>> usage["summary"].prompt_tokens, usage["triple_extraction"].calls, usage.total.calls
        (100, 0, 1)
    """

    def __init__(self, *parts: "Usage") -> None:
        """Start with the cost of `parts`, or without a cost.

        Args:
            *parts: Other `Usage` objects, whose past and future cost is included.
        """
        self._parts = parts
        self._spent: dict[str, Spent] = {}
        self._redacted = Counter[str]()
        self.estimated: dict[str, Mapping[str, Any]] = {}
        self._lock = new_lock()

    def add(self, purpose: str, spent: Spent) -> None:
        """Add the cost of one or more calls."""
        with self._lock:
            self._spent[purpose] = self._spent.get(purpose, Spent()) + spent

    def count_redacted(self, name: str, times: int) -> None:
        """Add `times` redactions by the pattern `name` to the counts."""
        with self._lock:
            self._redacted[name] += times

    @property
    def redacted(self) -> dict[str, int]:
        """The redactions made by the option `redact`: a dict from pattern name to number."""
        with self._lock:
            own = Counter(self._redacted)
        return dict(sum((Counter(part.redacted) for part in self._parts), own))

    def __getitem__(self, purpose: str) -> Spent:
        return sum((part[purpose] for part in self._parts), self._spent.get(purpose, Spent()))

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(self._spent).union(*self._parts)))

    @property
    def total(self) -> Spent:
        """The total cost over all purposes."""
        return sum((*self._spent.values(), *(part.total for part in self._parts)), Spent())

    def __repr__(self) -> str:
        return f"Usage({', '.join(f'{purpose}={self[purpose]}' for purpose in self)})"
