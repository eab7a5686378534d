"""Remember in several ways at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.combining import merged
from memzoo.memories.strategies.members import Member, members_of, shares_of
from memzoo.memories.text.keys import query_of
from memzoo.memories.text.view import View
from memzoo.stores.driving import together

__all__ = ["CombinedMemory"]


@strategy
class CombinedMemory(BaseMemory):
    r"""Remembers with several strategies at once, over one log.

    What is said is stored once; each member learns from it by itself, all at the same time, and one that fails does
    not stop the others. Loading returns the variables of all members. `messages` puts their views together: each text
    and each message once, within a limit if there is one. Store and conversation id are those of members that were made
    before, if there are such.

    Costs: what its members cost.
    Needs: what its members need.

    State: none of its own; each member keeps its own.

    Raises:
        OptionError: Two members return the same variable or keep the same state, or are of different conversations.

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
        (),
        doc="The members: names of strategies, pairs of a name and options, or memories made before on one and the "
        "same store and conversation id. A member that is made from its name gets the options that the two have in "
        "common from "
        'here, and its variable is called after it ("summary_buffer"), unless its options say otherwise.',
    )
    max_token_limit: int | None = option(
        None,
        at_least=1,
        doc="Tokens that `messages` may return together; `None` for no limit. The system message, and the "
        "newest user message with what follows it as long as it is not answered, come first, and raise an "
        "`OverBudgetError` if they do not fit.",
    )
    shares: Sequence[float] | None = option(
        None,
        doc="How the limit is divided among the members, in proportion; equally by default. What one does not use the "
        "others get, the one with the largest share first; a share of 0 is what the others leave.",
    )

    def __init__(
        self,
        *,
        memories: Sequence[Member] = (),
        max_token_limit: int | None = None,
        shares: Sequence[float] | None = None,
        **common: Any,
    ) -> None:
        made = [given for given in memories if isinstance(given, BaseMemory)]
        for name in ("store", "conversation_id", "input_key", "output_key") if made else ():
            known = (getattr(one, name) for one in made)
            common.setdefault(name, next((value for value in known if value is not None), None))
        self.memories, self.max_token_limit, self.shares = memories, max_token_limit, shares
        super().__init__(**common)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.members = members_of(self.memories, self)
        self._engine.learners = [one for member in self.members for one in member._engine.learners]  # noqa: SLF001
        self._shares = shares_of(self.shares, self.members)
        self.usage = Usage(*(member.usage for member in self.members))
        self.needs_query = any(member.needs_query for member in self.members)
        self.keeps_fields = any(member.keeps_fields for member in self.members)

    @property
    def memory_variables(self) -> list[str]:
        """The variables of all members."""
        return [variable for member in self.members for variable in member.memory_variables]

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What the members show, each text and message once, within the limit."""
        views = await self._views(query)
        system = await self._engine.system.current()
        first = View.of([*([system] if system else []), *await log.unanswered()])
        return merged(views, self._renderer, limit=self.max_token_limit, shares=self._shares, first=first)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """The first log number that a member still needs."""
        states = [await member._engine.state() for member in self.members]  # noqa: SLF001 - a member is a part
        return min([await one.oldest_needed(log, known) for one, known in zip(self.members, states, strict=True)])

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The variables of all members; `max_token_limit` is for `messages` and does not count here."""
        query = query_of(inputs or {}, self.input_key, self.memory_variables) if self.needs_query else None
        views = await self._views(query)
        loaded = [member._variables(view) for member, view in zip(self.members, views, strict=True)]  # noqa: SLF001
        return {variable: value for variables in loaded for variable, value in variables.items()}

    async def _views(self, query: str | None) -> list[View]:
        return await together(
            member._current_view(query if member.needs_query else None)  # noqa: SLF001
            for member in self.members
        )
