"""Checks what `compare` is given: what cannot work is refused by name, before anything runs."""

import math
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias, cast

from memzoo.benchmarks.measure.caching import CACHES, CacheRule
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.errors import OptionError

__all__ = ["check_arguments"]

_Fits: TypeAlias = Callable[[Any], bool]


def check_arguments(given: Mapping[str, Any]) -> None:
    """Check the arguments of `compare`, by their names.

    Raises:
        OptionError: One has a type or a value that cannot work.
    """
    for name, (fits, expected) in _RULES.items():
        if not fits(given[name]):
            raise OptionError(f"{name} must be {expected}, not {given[name]!r}")


def _whole(least: int) -> _Fits:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _none_or(fits: _Fits) -> _Fits:
    return lambda value: value is None or fits(value)


def _several(value: Any, fits: _Fits) -> bool:
    several = isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)
    return several and all(map(fits, cast("Collection[Any]", value)))


def _budgets(value: Any) -> bool:
    return _several(value, _whole(1)) and len(value) > 0


def _prices(value: Any) -> bool:
    known = cast("Mapping[Any, Any]", value)
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and _several(pair, _amount) and len(pair) == 2  # noqa: PLR2004
        for name, pair in known.items()
    )


def _place(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) and value != ""


_RULES: dict[str, tuple[_Fits, str]] = {
    "make_model": (callable, "a function that makes a model of its name"),
    "budgets": (_budgets, "tokens, each a whole number of at least 1, in a list such as [500, 1000]"),
    "counter": (
        lambda value: isinstance(value, str | TextCounter),
        "a name for tiktoken, 'approximate' or a TextCounter",
    ),
    "prompts": (
        _none_or(lambda value: isinstance(value, str | os.PathLike | Mapping)),
        "a folder, or templates by name",
    ),
    "prices": (_none_or(_prices), "pairs of input and output by model, such as {'*': (0.15, 0.6)}"),
    "currency": (lambda value: isinstance(value, str), "a text such as '$'"),
    "per_month": (_none_or(_whole(1)), "a whole number of at least 1"),
    "stop_at": (_none_or(_amount), "a number of at least 0"),
    "out": (_none_or(_place), "a folder or a URL"),
    "progress": (_none_or(callable), "a function of the name of a memory and of the steps it took"),
    "cache": (
        lambda value: isinstance(value, CacheRule) or (isinstance(value, str) and value in CACHES),
        f"a rule or one of {', '.join(CACHES)}",
    ),
    "price_cached": (_none_or(_amount), "a number of at least 0"),
    "system_tokens": (_whole(0), "a whole number of at least 0"),
    "paid": (lambda value: _several(value, _whole(0)), "whole numbers of at least 0, in a list such as [500]"),
}
