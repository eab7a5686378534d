"""Pydantic AI: a memory as a capability of an agent."""

from dataclasses import replace
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.hosts.pydantic_messages import agents_parts, merged, said_of, view_of
from memzoo.memories.hosts.shared import HostLog, Memories, host_module, host_text, memory_of

__all__ = ["MemoryCapability"]

_capabilities = host_module("pydantic_ai.capabilities", "pydantic-ai")


class MemoryCapability(_capabilities.AbstractCapability):  # type: ignore[misc, name-defined]
    """Sends the model the memory's view of the conversation, and keeps every message in the memory's log.

    The run's own history stays whole. The question is the newest user prompt, so memories that search are served.
    System prompts are the agent's, and are not kept. A run with the `run_id` of one that failed is a retry of it.

    Example:
        `Agent(model, capabilities=[MemoryCapability(MemoryProvider("summary-buffer", llm="gpt-5-mini"))])`, and then
        `agent.run("Hello!", conversation_id="anna")`, without a `message_history`.
    """

    def __init__(self, memories: Memories) -> None:
        """Make one for all conversations.

        Args:
            memories: A `MemoryProvider`, which is asked for the memory of the run's `conversation_id`; or the memory of
                the one conversation that there is.
        """
        self._memories = memories

    def get_default_conversation_id(self, run_id: str) -> str | None:
        """The conversation of a memory that was given alone."""
        return self._memories.conversation_id if isinstance(self._memories, BaseMemory) else None

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Keep what is new, and send the view."""
        log, live = self._log(ctx), request_context.messages
        said = list(said_of(live))
        await log.afollow([one for one, _ in said])
        asked = [one.message["content"] for one, _ in said if one.message["role"] == "user"]
        shown = await log.ashown(host_text(asked[-1]) if asked else None)
        view = merged([*agents_parts(live), *view_of(shown, {one.key: piece for one, piece in said})])
        return await handler(replace(request_context, messages=view))

    async def after_run(self, ctx: Any, *, result: Any) -> Any:
        """Keep the answer, and learn from the exchange."""
        await self._log(ctx).afollow([one for one, _ in said_of(result.all_messages())], ended=True)
        return result

    def _log(self, ctx: Any) -> HostLog:
        return HostLog(memory_of(self._memories, ctx.conversation_id), "pydantic-ai")
