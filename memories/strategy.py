"""What a strategy is: two functions, and how its state follows the log."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.engine.state_sync import Upkeep
from memzoo.memories.models.usage import Usage
from memzoo.memories.text.eviction import unanswered
from memzoo.memories.text.rendering import Presentation
from memzoo.memories.text.view import View
from memzoo.prompts import PromptSet
from memzoo.stores import JSON, Entry

__all__ = ["Strategy"]


@dataclass(kw_only=True, eq=False)
class Strategy(Presentation, ABC):
    """A view of a conversation's log, with whatever was derived from it.

    `derive` says what to learn from new messages, `view` what to show the model.

    Args:
        **common: See `CommonOptions`.

    Attributes:
        name: The strategy's short name.
        needs_query: Loading needs the input of this turn, because the view depends on it.
        keeps_fields: All inputs and outputs are kept with a saved exchange, not only the user's and assistant's words.
        usage: What this memory spent on models, by purpose.
    """

    name: ClassVar[str]
    # Not annotated, or they would be options.
    needs_query = False
    keeps_fields = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.usage = Usage()
        self._prompts = PromptSet(self.prompts)
        self._upkeep = Upkeep(self)

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """What to learn from entries that the state has not taken in; the log ends with the last of them.

        It changes nothing by itself. It may ask a model, and raises `ModelError` if that fails.
        """
        raise NotImplementedError

    @abstractmethod
    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What to show the model now, for a query if there is one."""

    def unfinished(self, state: State) -> bool:
        """Whether `derive` has something to do without new entries."""
        return False

    def waits_for_more(self, entries: Sequence[Entry]) -> bool:
        """Whether new entries may stay as they are until there are more."""
        return False

    @property
    def derives(self) -> bool:
        """Whether it learns anything: a strategy that only looks at the log does not."""
        return type(self).derive is not Strategy.derive

    @property
    def state_name(self) -> str:
        """The name under which the store keeps what was derived."""
        return self.name

    async def needed(self, log: Log, state: State) -> int:
        """The first log number that `view` or `derive` still has a use for; 1 for everything."""
        return 1

    def learn(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in an index or a graph kept beside it; `reset` says to forget all before."""

    # What follows from it, for all of them.

    async def current_view(self, query: str | None) -> View:
        """The view after catching up with the log as far as possible."""
        state = await self._upkeep.current() if self.derives else State()
        return await self.view(self._log, state, query)

    async def completed(self, view: View) -> View:
        """A view with the newest user message and what follows it, as long as it is not answered."""
        return view.ending_with(await self.unanswered())

    async def unanswered(self) -> list[Entry]:
        """The newest user message and what follows it, as long as it is not answered; else nothing."""
        newest = await self._log.exchanges(1)
        return [newest[place] for place in unanswered(messages_of(newest))]

    async def stored_view(self, query: str | None) -> View:
        """The view of what is stored, without catching up: nothing is derived, nothing is written."""
        return await self.view(self._log, await self._upkeep.state(), query)

    async def catch_up(self) -> None:
        """Learn from what is in the log: at once, or with `background` after this call.

        Raises:
            ModelError: As in `asave_context`.
        """
        if self.derives:
            await self._upkeep.follow(raising=self.on_model_error == "raise")

    @property
    def deriving(self) -> "list[Strategy]":
        """The memories that learn when this one saves: itself, if it learns anything."""
        return [self] if self.derives else []

    async def drop_deleted(self) -> None:
        """Let go of what the store has deleted, in whatever is kept beside it."""
        await self._upkeep.state()

    async def behind(self) -> bool:
        """Whether there is something to learn that was not learnt yet."""
        return await self._upkeep.behind()

    async def first_needed(self) -> int:
        """The first log number that is still needed for anything."""
        return await self.needed(self._log, await self._upkeep.state() if self.derives else State())

    @property
    def _log(self) -> Log:
        return Log(self.store, self.conversation_id)
