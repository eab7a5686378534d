"""Remember in several ways at once."""

import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.models.usage import Usage
from memzoo.memories.options import whole_number
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.strategies.combining import merged, placed_in
from memzoo.memories.strategies.members import Member, members_of, shares_of
from memzoo.memories.strategy import Strategy
from memzoo.memories.text.view import View
from memzoo.stores import Store
from memzoo.stores.driving import together
from memzoo.stores.errors import ModelError

__all__ = ["CombinedMemory"]

logger = logging.getLogger("memzoo")


@dataclass(kw_only=True, eq=False)
class CombinedMemory(BaseMemory):
    r"""Several strategies behind one load and one save, over one log.

    What is said is stored once; each member learns from it by itself, all at the same time, and one that fails does
    not stop the others. Loading returns the variables of all members. `messages` puts their views together: each text
    and each message once, within a budget if there is one.

    Args:
        memories: The members: names of strategies, pairs of a name and options, or memories made before on one and the
            same store and conversation id. A member that is made from its name gets the options that the two have in
            common from here, and its variable is called after it ("summary_buffer"), unless its options say otherwise.
        max_token_limit: Tokens that `messages` may return together; `None` for no limit. The newest user message and
            what follows it come first as long as it is not answered, and raise an `OverBudgetError` if they do not fit.
        shares: How the limit is divided among the members, in proportion; equally by default. What one does not use
            the others get, the one with the largest share first; a share of 0 is what the others leave.
        **common: See `BaseMemory`. Store and conversation id are those of the members if there are such.

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

    store: Store = field(default=cast("Store", None))
    conversation_id: str = field(default=cast("str", None))
    memories: Sequence[Member] = ()
    max_token_limit: int | None = None
    shares: Sequence[float] | None = None

    def __post_init__(self) -> None:
        self._take_over([given for given in self.memories if isinstance(given, BaseMemory)])
        super().__post_init__()
        self.members = members_of(self.memories, self)
        if self.max_token_limit is not None:
            whole_number("max_token_limit", self.max_token_limit, at_least=1)
        self._shares = shares_of(self.shares, self.members)
        self.usage = Usage(*(member.usage for member in self.members))
        self.needs_query = any(member.needs_query for member in self.members)
        self.keeps_fields = any(member.keeps_fields for member in self.members)

    @property
    def memory_variables(self) -> list[str]:
        """The variables of all members."""
        return [variable for member in self.members for variable in member.memory_variables]

    @property
    def derives(self) -> bool:
        """Whether a member learns anything."""
        return any(member.derives for member in self.members)

    @property
    def deriving(self) -> list[Strategy]:
        """The members that learn."""
        return [part for member in self.members for part in member.deriving]

    async def first_needed(self) -> int:
        """The first log number that a member still needs."""
        return min([await member.first_needed() for member in self.members])

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What the members show, each text and message once, within the limit."""
        views = zip(self.members, await self._views(query), strict=True)
        placed = [await placed_in(log, view, member.name) for member, view in views]
        first = View.of(await self.unanswered())
        return merged(placed, self.tokens_of, limit=self.max_token_limit, shares=self._shares, first=first)

    async def current_view(self, query: str | None) -> View:
        """The view after all members caught up as far as possible."""
        return await self.view(self._log, State(), query)

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The variables of all members; `max_token_limit` is for `messages` and does not count here."""
        views = await self._views(self._query(inputs or {}) if self.needs_query else None)
        loaded = [member.variables(view) for member, view in zip(self.members, views, strict=True)]
        return {variable: value for variables in loaded for variable, value in variables.items()}

    async def catch_up(self) -> None:
        """Let all members learn from what is in the log.

        Raises:
            ModelError: That of the first member that failed; the others learnt all the same.
        """
        await self._each(member.catch_up() for member in self.members if member.derives)

    async def asettle(self) -> None:
        """Return when all members have learnt from all that was said."""
        await self._each(member.asettle() for member in self.members if member.derives)

    async def aclear(self) -> None:
        """Delete the conversation, and what the members derived from it."""
        for member in self.members:
            await member.aclear()

    async def _each(self, work: Iterable[Coroutine[Any, Any, None]]) -> None:
        try:
            await together(work)
        except ModelError as error:
            if self.on_model_error == "raise":
                raise
            logger.warning("%r is stored, but not all of it learnt from yet: %s", self.conversation_id, error)

    async def _views(self, query: str | None) -> list[View]:
        return await together(member.current_view(query if member.needs_query else None) for member in self.members)

    def _take_over(self, made: Sequence[BaseMemory]) -> None:
        """Choose what all have to agree on: as given, else as in members that were made before, else afresh."""
        for name in ("store", "conversation_id", "input_key", "output_key"):
            if getattr(self, name) is None:
                known = (getattr(one, name) for one in (*made, ConversationBufferMemory()))
                setattr(self, name, next((value for value in known if value is not None), None))
