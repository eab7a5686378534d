"""The members of a combined memory: how they are made, and what makes them fit together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, cast

from memzoo.memories.base import BaseMemory
from memzoo.memories.strategies.named import strategy_named
from memzoo.stores.errors import OptionError

__all__ = ["Member", "members_of", "shares_of"]

Member: TypeAlias = BaseMemory | str | tuple[str, Mapping[str, Any]]
"""A memory, the name of a strategy, or a name and options."""


def members_of(given: Sequence[Member], whole: BaseMemory) -> list[BaseMemory]:
    """The members that a combined memory was given; those that are only named are made, with its common options.

    Raises:
        OptionError: There is none, one is no member, or they do not fit together.
    """
    if not given:
        raise OptionError(f"memories must have at least one member, not {given!r}")
    members = [_member(one, whole) for one in given]
    _check_one_log(members, whole)
    if repeated := _repeated(variable for member in members for variable in member.memory_variables):
        raise OptionError(
            f"The same variables {repeated} are found in multiplememory object, which is not allowed by CombinedMemory."
        )
    states = _repeated(learner.name for member in members for learner in member._engine.learners)  # noqa: SLF001
    if states:
        raise OptionError(f"memories: two members would keep one and the same state {', '.join(sorted(states))}")
    return members


def shares_of(given: Sequence[float] | None, members: Sequence[BaseMemory]) -> Sequence[float]:
    """The shares of members in a limit; equal ones if none are given.

    Raises:
        OptionError: They are not one for each member, one is below 0, or all are 0.
    """
    shares = [1] * len(members) if given is None else given
    if len(shares) != len(members) or min(shares) < 0 or sum(shares) <= 0:
        raise OptionError(
            f"shares must be a number for each of the {len(members)} members, none below 0 and not all 0, not {given!r}"
        )
    return shares


def _member(given: object, whole: BaseMemory) -> BaseMemory:
    match given:
        case BaseMemory():
            return given
        case str():
            return _made(given, {}, whole)
        case (str(name), Mapping() as options):
            return _made(name, cast("Mapping[str, Any]", options), whole)
        case _:
            raise OptionError(f"memories must be memories, names of strategies or pairs (name, options), not {given!r}")


def _made(name: str, options: Mapping[str, Any], whole: BaseMemory) -> BaseMemory:
    chosen = strategy_named(name)
    common = {option.name: getattr(whole, option.name) for option in fields(BaseMemory)}
    own_key = {"memory_key": chosen.name.replace("-", "_")}
    return chosen(**{**common, **own_key, **options})


def _check_one_log(members: Iterable[BaseMemory], whole: BaseMemory) -> None:
    for member in members:
        if (member.store, member.conversation_id) != (whole.store, whole.conversation_id):
            raise OptionError(
                f"memories: {member.name!r} was made with another store or conversation_id; all members have to share "
                "them (given as a name, or as a pair of a name and options, a member is made to fit)"
            )


def _repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
