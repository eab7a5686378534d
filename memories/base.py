"""The base of all strategies: saving, loading, catching up, once for all of them."""

import logging
import uuid
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from memzoo.memories.chat_history import ChatHistory
from memzoo.memories.forgetting import Receipt, evict, forget
from memzoo.memories.keys import input_key_of, output_key_of
from memzoo.memories.log import Log, messages_of
from memzoo.memories.messages import checked, text_of
from memzoo.memories.presentation import Presentation
from memzoo.memories.state import Changes, State
from memzoo.memories.upkeep import Upkeep
from memzoo.memories.usage import Usage
from memzoo.memories.view import View
from memzoo.prompts import PromptSet
from memzoo.stores import JSON, Entry, Message, Record
from memzoo.stores.driving import blocking

__all__ = ["BaseMemory"]

logger = logging.getLogger("memzoo")


@dataclass(kw_only=True, eq=False)
class BaseMemory(Presentation, ABC):
    """A view of a conversation's log, with whatever a strategy derived from it.

    A strategy is two functions: `derive` says what to learn from new messages, `view` what to show the model.
    All else is here. Each method is written once, as a coroutine; its synchronous twin drives it.

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

    # What a strategy is.

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
        return type(self).derive is not BaseMemory.derive

    @property
    def state_name(self) -> str:
        """The name under which the store keeps what was derived."""
        return self.name

    async def needed(self, log: Log, state: State) -> int:
        """The first log number that `view` or `derive` still has a use for; 1 for everything."""
        return 1

    def learn(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the state in an index or a graph kept beside it; `reset` says to forget all before."""

    # What everybody calls.

    @property
    def memory_variables(self) -> list[str]:
        """The names of the variables that `load_memory_variables` returns."""
        return [self.memory_key]

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The memory for a prompt: a transcript, or chat messages with `return_messages`, by variable.

        Args:
            inputs: The inputs of this turn. Strategies that search for what fits them need them; others do not.

        Raises:
            AmbiguousKeyError, MissingKeyError: The strategy needs the input and cannot tell which it is.
        """
        query = self._query(inputs or {}) if self.needs_query else None
        return self.variables(await self.current_view(query))

    async def asave_context(
        self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], *, turn_id: str | None = None
    ) -> None:
        """Save an exchange and learn from it.

        Args:
            inputs: The user's words, under `input_key`.
            outputs: The assistant's words, under `output_key`.
            turn_id: Saving the same one again changes nothing; a fresh one by default.

        Raises:
            AmbiguousKeyError, MissingKeyError, MessageError: The exchange is refused; nothing was stored.
            ModelError: The exchange is stored, but could not be learnt from yet; the next call catches up.
        """
        key = input_key_of(inputs, self.input_key, self.memory_variables)
        answer = output_key_of(outputs, self.output_key, type(self).__name__)
        await self._append([self._record("user", inputs, key), self._record("assistant", outputs, answer)], turn_id)

    async def aadd_messages(self, messages: Sequence[Message], *, turn_id: str | None = None) -> None:
        """Save OpenAI chat messages of any kind as one turn, oldest first, and learn from them.

        Raises:
            MessageError: One of them is refused; none was stored.
            ModelError: As in `asave_context`.
        """
        await self._append([Record(checked(message)) for message in messages], turn_id)

    async def amessages(self, query: str | None = None) -> list[Message]:
        """The memory as chat messages that can be sent: system messages first, tool calls with their results.

        Args:
            query: What the user is about to say (it is not appended); by default the user's last words.
        """
        if query is None and self.needs_query:
            query = next((text_of(entry.message) for entry in await self._log.exchanges(1)), "")
        return self.as_request(await self.current_view(query))

    async def aentries(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Entry]:
        """What was said, with log numbers and times, whatever the strategy shows of it.

        Args:
            limit: At most so many; `None` for all.
            before: Only numbers below this one: for the page before an entry, its number.
            after: Only numbers above this one: for the page after an entry, its number.
            newest_first: Begin with the newest instead of the oldest.
        """
        return await self._log.page(limit, before=before, after=after, newest_first=newest_first)

    async def ahistory(
        self, limit: int | None = None, before: int | None = None, after: int = 0, *, newest_first: bool = False
    ) -> list[Message]:
        """All that was ever said, oldest first, whatever the strategy shows of it; or a page of it, as `aentries`."""
        return messages_of(await self.aentries(limit, before, after, newest_first=newest_first))

    async def aforget(self, ids: Collection[int] | None, *, thorough: bool = True) -> Receipt:
        """Delete messages for good, and derive what was learnt from them anew without them.

        Of a tool call and its results, those that are left stay in the log, but are never sent.

        Args:
            ids: Log numbers (see `aentries`), or `None` for the whole conversation.
            thorough: Rewrite the store's files, so that no copy is left in them. It takes as long as copying them.

        Raises:
            UnknownMessageError: There is no such message; nothing was forgotten.
            ModelError: As in `asave_context`. The messages are forgotten all the same.
        """
        return await forget(self, ids, thorough=thorough)

    async def aclear(self) -> None:
        """Delete the conversation: what was said and everything derived from it."""
        await self._upkeep.clear()
        if not await self.store.scrub():
            logger.warning("%r is deleted, but the store's log file could not be emptied yet", self.conversation_id)

    async def asettle(self) -> None:
        """Return when all that was said is learnt from; with `background`, wait for what is under way.

        Raises:
            ModelError: As in `asave_context`.
        """
        if self.derives:
            await self._upkeep.settle(raising=self.on_model_error == "raise")

    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    add_messages = blocking(aadd_messages)
    messages = blocking(amessages)
    entries = blocking(aentries)
    history = blocking(ahistory)
    forget = blocking(aforget)
    clear = blocking(aclear)
    settle = blocking(asettle)

    # What strategies use, and memories that consist of others.

    async def current_view(self, query: str | None) -> View:
        """The view after catching up with the log as far as possible."""
        state = await self._upkeep.current() if self.derives else State()
        return await self.view(self._log, state, query)

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
    def deriving(self) -> "list[BaseMemory]":
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
    def chat_memory(self) -> ChatHistory:
        """The log, with the methods that LangChain users know."""
        return ChatHistory(self)

    @property
    def _log(self) -> Log:
        return Log(self.store, self.conversation_id)

    def _query(self, inputs: Mapping[str, Any]) -> str:
        key = input_key_of(inputs, self.input_key, self.memory_variables)
        return text_of(checked({"role": "user", "content": inputs[key]}))

    def _record(self, role: str, values: Mapping[str, Any], key: str) -> Record:
        fields = {name: None if name == key else str(value) for name, value in values.items()}
        return Record(checked({"role": role, "content": values[key]}), fields if self.keeps_fields else {})

    async def _append(self, records: Sequence[Record], turn_id: str | None) -> None:
        entries: Sequence[Entry] = ()
        if records:
            entries = await self.store.append(self.conversation_id, records, turn_id=turn_id or uuid.uuid4().hex)
        await self.catch_up()
        if entries and not self.keep_history:
            await evict(self, entries[0].seq)
