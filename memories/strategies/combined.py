"""Remember in several ways at once."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Self, TypeAlias, cast

from memzoo.errors import OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.combining import merged
from memzoo.memories.strategies.named import strategy_named
from memzoo.memories.text.view import View
from memzoo.stores import Store
from memzoo.stores.common import HIGHEST
from memzoo.sync import together

__all__ = ["CombinedMemory"]

Member: TypeAlias = BaseMemory | str | tuple[str, Mapping[str, Any]]
"""A memory, the name of a strategy, or a name and options."""

# A search and the newest messages: together they show most without asking a model.
_MEMBERS: tuple[Member, ...] = ("vector-retriever", "window")


@strategy
class CombinedMemory(BaseMemory):
    r"""Shows what several strategies show, over one log.

    The log is stored once. The members learn from it independently and at the same time, so one that fails does not
    stop the others. Loading returns the variables of all members. `messages` merges their views: each text and each
    message once, within a limit if there is one. If some members are existing memories, their store and conversation id
    are used.

    Costs: what its members cost.
    Needs: what its members need.

    State: none of its own; each member keeps its own.

    Raises:
        OptionError: Two members return the same variable, keep the same state, or belong to different conversations.

    Example:
        >>> memory = CombinedMemory(memories=[("window", {"k": 1}), ("summary", {"llm": lambda _: "Sam likes tea."})])
        >>> memory.save_context({"input": "I am Sam. I like tea."}, {"output": "Hello Sam!"})
        >>> memory.load_memory_variables({})
        {'window': 'Human: I am Sam. I like tea.\nAI: Hello Sam!', 'summary': 'Sam likes tea.'}
        >>> [message["content"] for message in memory.messages()]
        ['Sam likes tea.', 'I am Sam. I like tea.', 'Hello Sam!']
    """

    name = "combined"

    memories: Sequence[Member] = option(
        _MEMBERS,
        fixed=True,
        doc="The members: names of strategies, pairs of a name and options, or existing memories that share one store "
        "and conversation id. A member made from its name takes over the options that the two have in common, and its "
        'variable is named after it ("summary_buffer"), unless its options say otherwise.',
    )
    max_token_limit: int | None = option(
        None,
        at_least=1,
        doc="The most tokens that `messages` may return in all; `None` for no limit. The system message, pinned "
        "messages, and the newest user message with what follows it until it is answered come first; if they do not "
        "fit, they raise an `OverBudgetError`.",
    )
    shares: Sequence[float] | None = option(
        None,
        fixed=True,
        doc="How to divide the limit among the members, in proportion; equally by default. What one does not use goes "
        "to the others, the one with the largest share first; a share of 0 gets what the others leave.",
    )

    def __init__(
        self,
        *,
        memories: Sequence[Member] = _MEMBERS,
        max_token_limit: int | None = None,
        shares: Sequence[float] | None = None,
        **common: Any,
    ) -> None:
        made = [given for given in memories if isinstance(given, BaseMemory)]
        for name in ("store", "conversation_id", "input_key", "output_key", "redact") if made else ():
            known = (getattr(one, name) for one in made)
            common.setdefault(name, next((value for value in known if value is not None), None))
        self.memories, self.max_token_limit, self.shares = memories, max_token_limit, shares
        super().__init__(**common)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._members = _members_of(self.memories, self)
        self.learners = [learner for member in self.members for learner in member.learners]
        self._shares = _shares_of(self.shares, self.members)
        self.usage = Usage(*(member.usage for member in self.members))
        self.needs_query = any(member.needs_query for member in self.members)
        self.keeps_fields = any(member.keeps_fields for member in self.members)

    @property
    def members(self) -> list[BaseMemory]:
        """The memories that it combines."""
        return self._members

    @property
    def memory_variables(self) -> list[str]:
        """The variables of all members."""
        return [variable for member in self.members for variable in member.memory_variables]

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What the members show, each text and message once, within the limit."""
        views = await self._views(query)
        system = await self.system.current()
        must = {entry.seq: entry for entry in (*self.pins.entries, *await log.unanswered(), *filter(None, [system]))}
        first = View.of([must[seq] for seq in sorted(must)])
        return merged(views, self.render, limit=self.max_token_limit, shares=self._shares, first=first)

    def copy_over(self, store: Store, **changed: Any) -> Self:
        """See `BaseMemory.copy_over`: the members of the copy are over that store too."""
        return super().copy_over(store, memories=[one.copy_over(store) for one in self.members], **changed)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the first log number that any member still needs."""
        states = [await member.known_state() for member in self.members]
        return min([await one.oldest_needed(log, known) for one, known in zip(self.members, states, strict=True)])

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables of all members; `max_token_limit` applies to `messages` only, not here."""
        views = await self._views(self._query(inputs) if self.needs_query else None)
        loaded = [member.variables(view) for member, view in zip(self.members, views, strict=True)]
        return {variable: value for variables in loaded for variable, value in variables.items()}

    async def _views(self, query: str | None) -> list[View]:
        return await together(member.view_for(query if member.needs_query else None) for member in self.members)


def _members_of(given: Sequence[Member], whole: BaseMemory) -> list[BaseMemory]:
    """Return the members of a combined memory, making those that were only named, with its common options.

    Raises:
        OptionError: There are none, one is not a member, or they do not fit together.
    """
    if not given or isinstance(given, str):
        raise OptionError(f"memories must be a list of at least one member, not {given!r}")
    members = [_member(one, whole) for one in given]
    _check_one_log(members, whole)
    if repeated := _find_repeated(variable for member in members for variable in member.memory_variables):
        raise OptionError(
            f"The same variables {repeated} are found in multiplememory object, which is not allowed by CombinedMemory."
        )
    states = _find_repeated(learner.name for member in members for learner in member.learners)
    if states:
        raise OptionError(f"memories: two members would keep one and the same state {', '.join(sorted(states))}")
    return members


def _shares_of(given: Sequence[float] | None, members: Sequence[BaseMemory]) -> Sequence[float]:
    """Return each member's share of the limit; equal shares if none are given.

    Raises:
        OptionError: There is not one share for each member, one is infinite or below 0, or all are 0.
    """
    shares = [1] * len(members) if given is None else given
    numbers = [one for one in shares if isinstance(one, (int, float))]  # pyright: ignore[reportUnnecessaryIsInstance]
    are_finite = all(0 <= one <= HIGHEST for one in numbers)
    if not (len(numbers) == len(shares) == len(members) and are_finite and any(numbers)):
        raise OptionError(
            f"shares must be a number for each of the {len(members)} members, none infinite or below 0 and not all 0, "
            f"not {given!r}"
        )
    return shares


def _member(given: object, whole: BaseMemory) -> BaseMemory:
    match given:
        case BaseMemory():
            return given
        case str():
            return _make_member(given, {}, whole)
        case (str(name), Mapping() as options):
            return _make_member(name, cast("Mapping[str, Any]", options), whole)
        case _:
            raise OptionError(f"memories must be memories, names of strategies or pairs (name, options), not {given!r}")


def _make_member(name: str, options: Mapping[str, Any], whole: BaseMemory) -> BaseMemory:
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


def _find_repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
