"""A memory as middleware for LangChain 1.x and deepagents, and a summarizer for LangChain's own middleware."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from memzoo.hosts.langchain_threads import akeep, akeep_and_view, chat_of, keep, keep_and_view
from memzoo.hosts.shared import Memories, host_module
from memzoo.memories.strategies.summarizing import SummarizingMemory
from memzoo.stores import Message

__all__ = ["MemoryMiddleware", "summarizer"]

_middleware = host_module("langchain.agents.middleware", "langchain")

Request: TypeAlias = Any
"""LangChain's `ModelRequest`."""

_EARLIER = "Here is a summary of the conversation to date:"


class MemoryMiddleware(_middleware.AgentMiddleware):  # type: ignore[misc, name-defined]
    """Middleware that sends the model the memory's view of a thread, and keeps all messages of the thread in the log.

    Only the requests to the model change; the agent's state stays the same. The newest human message is the query for a
    memory that searches. Messages are identified by their ids.

    Example:
        `create_agent(model, tools, middleware=[MemoryMiddleware(MemoryProvider("summary-buffer", llm="gpt-5-mini"))])`
    """

    def __init__(self, memories: Memories) -> None:
        """Make middleware for all threads.

        Args:
            memories: A `MemoryProvider`, which gives the memory for `config["configurable"]["thread_id"]`; or, for a
                single thread, its memory.
        """
        super().__init__()
        self._memories = memories

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Any]) -> Any:
        """Save new messages to the log, and send the view to the model."""
        view = keep_and_view(self._memories, request.messages, system=request.system_message)
        return handler(_with_view(request, view))

    async def awrap_model_call(self, request: Request, handler: Callable[[Request], Awaitable[Any]]) -> Any:
        """Do the same as `wrap_model_call`, in asynchronous code."""
        view = await akeep_and_view(self._memories, request.messages, system=request.system_message)
        return await handler(_with_view(request, view))

    def after_agent(self, state: Any, runtime: Any) -> None:
        """Save the answer, and learn from the exchange."""
        keep(self._memories, state["messages"])

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        """Do the same as `after_agent`, in asynchronous code."""
        await akeep(self._memories, state["messages"])


def _with_view(request: Request, view: list[Any]) -> Request:
    """Return the request with its messages replaced by a view, whose system message is the request's."""
    if request.system_message is None:
        return request.override(messages=view)
    return request.override(messages=view[1:], system_message=view[0])


def summarizer(memory: SummarizingMemory) -> Any:
    """Return a summarizer for `SummarizationMiddleware(model, summarizer=...)`.

    The summarizer uses the memory's model and prompt, and updates the earlier summary. The memory does not store the
    summaries.
    """

    def of(messages: Sequence[Any]) -> tuple[list[Message], str]:
        first = messages[0]
        was = str(first.text) if first.additional_kwargs.get("lc_source") == "summarization" else ""
        return [chat_of(message) for message in messages[bool(was) :]], was.removeprefix(_EARLIER).strip()

    return host_module("langchain_core.runnables", "langchain").RunnableLambda(
        lambda messages: memory.predict_new_summary(*of(messages)),
        lambda messages: memory.apredict_new_summary(*of(messages)),
    )
