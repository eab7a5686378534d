"""The base of all memories: saving and loading, once for all of them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.memories.archive import Archive
from memzoo.memories.engine.chat_history import ChatHistory
from memzoo.memories.engine.forgetting import evict
from memzoo.memories.engine.turns import TurnTaking
from memzoo.memories.text.keys import input_key_of, output_key_of
from memzoo.memories.text.messages import checked, text_of
from memzoo.stores import Entry, Message, Record
from memzoo.stores.driving import blocking

__all__ = ["BaseMemory"]


@dataclass(kw_only=True, eq=False)
class BaseMemory(TurnTaking, Archive):
    """A memory: what is said goes in, what the model should see comes out.

    What a strategy is says `Strategy`. Each method is written once, as a coroutine; its synchronous twin drives it.

    Args:
        **common: See `CommonOptions`.
    """

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

    async def amessages(self, query: str | None = None, *, max_tokens: int | None = None) -> list[Message]:
        """The memory as chat messages that can be sent: system messages first, tool calls with their results.

        The newest user message in the log and what follows it is always among them as long as it is not answered,
        whatever else the strategy shows.

        Args:
            query: What the user is about to say (it is not appended); by default the user's last words.
            max_tokens: Tokens that all of it may have together: the oldest messages are left out.

        Raises:
            OverBudgetError: What must not be left out is over `max_tokens`, or over the strategy's own limit.
        """
        if query is None and self.needs_query:
            query = next((text_of(entry.message) for entry in await self._log.exchanges(1)), "")
        view = await self.current_view(query)
        request = self.as_request(await self.completed(view))
        return request if max_tokens is None else self.within(request, max_tokens)

    load_memory_variables = blocking(aload_memory_variables)
    save_context = blocking(asave_context)
    add_messages = blocking(aadd_messages)
    messages = blocking(amessages)

    @property
    def chat_memory(self) -> ChatHistory:
        """The log, with the methods that LangChain users know."""
        return ChatHistory(self)

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
