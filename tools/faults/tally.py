"""The results of fault tests: the number of tries, and the damage."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from memzoo.stores import Entry

__all__ = ["ALL", "Cell", "Tally", "as_json", "as_table", "by_fault"]

ALL = 200
"""The number of kills from which on other faults are tried in all combinations; with fewer, in a share of them."""


@dataclass
class Tally:
    """The results of one fault with one strategy and one store.

    Attributes:
        fault: The name of the fault.
        strategy: The strategy.
        store: The kind of store.
        tried: The number of times that the fault was caused.
        lost: The number of acknowledged turns that were missing or incomplete afterwards.
        doubled: The number of turns or parts of turns that were stored more than once.
        wrong: The number of outcomes that differ from the expected outcome: another order, view or state, or another
            error.
        places: The number of faults by the place that was hit.
        examples: Descriptions of the first few errors.
    """

    fault: str
    strategy: str
    store: str
    tried: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    places: Counter[str] = field(default_factory=Counter[str])
    examples: list[str] = field(default_factory=list[str])

    @property
    def clean(self) -> bool:
        """Return whether nothing was lost, doubled or wrong."""
        return not (self.lost or self.doubled or self.wrong)

    def check_log(self, log: Sequence[Entry], acknowledged: Iterable[str], size: int = 2) -> None:
        """Count the turns of `size` messages that are missing from the log or there twice."""
        messages = Counter(entry.turn_id for entry in log)
        for turn in acknowledged:
            self.lost += (short := messages[turn] < size)
            if short:
                self.example(f"{turn} is lost")
        for turn, count in messages.items():
            self.doubled += (long := count > size)
            if long:
                self.example(f"{turn} is there with {count} messages")

    def check_equal(self, found: Any, expected: Any, what: str) -> None:
        """Count an error if the found value differs from the expected value."""
        if found != expected:
            self.wrong += 1
            self.example(f"{what}: {_difference(found, expected)}")

    def example(self, text: str) -> None:
        """Keep the description of an error, if it is one of the first few."""
        self.examples = [*self.examples, text[:2000]][:3]


def _difference(found: Any, expected: Any) -> str:
    if isinstance(found, dict) and isinstance(expected, dict):
        one, other = cast("dict[Any, Any]", found), cast("dict[Any, Any]", expected)
        differing = [key for key in one | other if one.get(key) != other.get(key)]
        return "; ".join(f"{key!r}: {_difference(one.get(key), other.get(key))}" for key in differing)
    return f"{found!r} instead of {expected!r}"


Cell: TypeAlias = tuple[Tally, Callable[[Tally], None]]
"""A cell of the table: an empty tally, and the function that fills the tally."""


def as_json(tallies: Iterable[Tally]) -> list[dict[str, Any]]:
    """Return the results with all details."""
    return [vars(tally) for tally in tallies]


def by_fault(tallies: Iterable[Tally]) -> str:
    """Return a table with a row for each fault, summed over all strategies and stores."""
    sums: dict[str, Tally] = {}
    for one in tallies:
        of = sums.setdefault(one.fault, Tally(one.fault, "all", ""))
        of.store = _listed(of.store, one.store)
        of.tried, of.lost = of.tried + one.tried, of.lost + one.lost
        of.doubled, of.wrong = of.doubled + one.doubled, of.wrong + one.wrong
    return as_table(sums.values(), ("fault", "store"))


def _listed(names: str, name: str) -> str:
    return ", ".join(dict.fromkeys([*names.split(", "), name] if names else [name]))


def as_table(tallies: Iterable[Tally], about: Sequence[str] = ("fault", "strategy", "store")) -> str:
    """Return the results as a table in Markdown."""
    head = [*about, "tried", "lost", "doubled", "wrong"]
    rows = [[str(getattr(tally, name)) for name in head] for tally in tallies]
    rule = ["---"] * len(about) + ["--:"] * 4
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])
