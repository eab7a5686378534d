"""The OpenAI Agents SDK: a memory as a `Session`, and as a filter of what the model is sent."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memzoo.memories.hosts.responses_items import Item, items_of, said_of
from memzoo.memories.hosts.shared import HostLog, Memories, host_module, host_text, memory_of, refuse_search

__all__ = ["MemorySession"]

_HOOK = "RunConfig(call_model_input_filter=session.filter_input) with MemorySession(..., raw=True)"


class MemorySession:
    """A session that keeps all items in a memory's log, and shows the model the memory's view of it.

    Made with `raw=True` it gives all items, as the SDK's own sessions do; then `filter_input` shows the view. That way
    works for every memory. Without it, those that search are refused: the SDK does not tell a session the question.

    Attributes:
        memory: The memory.
        session_id: The memory's `conversation_id`.
        session_settings: The SDK's `SessionSettings`.
    """

    def __init__(
        self, memories: Memories, session_id: str | None = None, *, raw: bool = False, session_settings: Any = None
    ) -> None:
        """Open the session of a conversation, with `SessionSettings`, or a dict of them, as the SDK's own have.

        Raises:
            OptionError: The memory searches, and `raw` is false.
            ConversationIdError: There is no id, or the memory belongs to another conversation.
        """
        self.memory = memory = memory_of(memories, session_id)
        self.session_id = memory.conversation_id
        settings = host_module("agents.memory", "openai-agents").SessionSettings()
        self.session_settings = settings.resolve(session_settings)
        self._log, self._raw = HostLog(memory, "openai-agents"), raw
        if not raw:
            refuse_search(memory, "Session.get_items", _HOOK)

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """All items with `raw=True`, else the view; at most the newest `limit`, besides what was derived.

        By default it is the limit of `session_settings`.
        """
        limit = self.session_settings.limit if limit is None else limit
        if self._raw:
            said = await self._log.aall(None if limit is None else max(limit, 0))
        else:
            said = sorted(await self._log.ashown(), key=lambda one: one.seq)  # a call's results need not follow it
        derived = [one for one in said if not one.seq]
        return [*items_of(derived), *_newest(items_of(said[len(derived) :]), limit)]

    async def add_items(self, items: Sequence[Item]) -> None:
        """Append items to the log."""
        await self._log.aadd(list(said_of(items)))

    async def pop_item(self) -> Item | None:
        """Take the newest item of the log back, whatever the view shows of it."""
        newest = await self._log.aall(1)
        if not newest:
            return None
        *kept, popped = items_of(newest)
        await self._log.arewind(newest)
        await self.memory.aadd_messages([self._log.record(one) for one in said_of(kept)], learn=False)
        return popped

    async def clear_session(self) -> None:
        """Delete the conversation and all that was learnt from it."""
        await self.memory.aclear()

    async def filter_input(self, data: Any) -> Any:
        """Send the view for what the user has just said, for `RunConfig(call_model_input_filter=...)`.

        The run has to have this session too. What is sent here is never stored.
        """
        given: list[Item] = data.model_data.input
        start = max((place for place, item in enumerate(given) if item.get("role") == "user"), default=0)
        query = host_text(given[start].get("content")) if given else None
        view = items_of(sorted(await self._log.ashown(query), key=lambda one: one.seq))
        # What a run without this session says is not in the log.
        asked = [item for item in view if item.get("role") == "user"]
        live = [] if asked and host_text(asked[-1]["content"]) == query else given[start:]
        return replace(data.model_data, input=[*view, *live])


def _newest(items: list[Item], limit: int | None) -> list[Item]:
    return items if limit is None else items[max(len(items) - limit, 0) :] if limit > 0 else []
