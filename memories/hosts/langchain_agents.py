"""Agents of LangChain 1.x and deepagents: a memory as middleware, and its summaries in LangChain's own middleware."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, cast

from memzoo.memories.hosts.langchain.messages import objects
from memzoo.memories.hosts.shared import HostLog, Memories, Said, host_module, memory_of
from memzoo.memories.strategies.summarizing import SummarizingMemory
from memzoo.stores import Message

__all__ = ["MemoryMiddleware", "said_of", "summarizer", "view_of"]

_middleware = host_module("langchain.agents.middleware", "langchain")
_messages = host_module("langchain_core.messages", "langchain")

Request: TypeAlias = Any
"""LangChain's `ModelRequest`."""

_EARLIER = "Here is a summary of the conversation to date:"


class MemoryMiddleware(_middleware.AgentMiddleware):  # type: ignore[misc]
    """Sends the model the memory's view of the thread, and keeps every message of the thread in the memory's log.

    The agent's state stays whole: what is sent is replaced, not what is kept. The question is the newest message of a
    human, so memories that search are served. Messages are known by their ids.

    Example:
        `create_agent(model, tools, middleware=[MemoryMiddleware(MemoryProvider("summary-buffer", llm="gpt-5-mini"))])`
    """

    def __init__(self, memories: Memories) -> None:
        """Make one for all threads.

        Args:
            memories: A `MemoryProvider`, which is asked for the memory of `config["configurable"]["thread_id"]`; or the
                memory of the one thread that there is.
        """
        super().__init__()
        self._memories = memories

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Any]) -> Any:
        """Keep what is new, and send the view."""
        log = self._log()
        log.follow(said_of(request.messages))
        return handler(request.override(messages=view_of(log.shown(_question(request)), request.messages)))

    async def awrap_model_call(self, request: Request, handler: Callable[[Request], Awaitable[Any]]) -> Any:
        """As `wrap_model_call`."""
        log = self._log()
        await log.afollow(said_of(request.messages))
        view = view_of(await log.ashown(_question(request)), request.messages)
        return await handler(request.override(messages=view))

    def after_agent(self, state: Any, runtime: Any) -> None:
        """Keep the answer, and learn from the exchange."""
        self._log().follow(said_of(state["messages"]), ended=True)

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        """As `after_agent`."""
        await self._log().afollow(said_of(state["messages"]), ended=True)

    def _log(self) -> HostLog:
        config: dict[str, Any] = host_module("langgraph.config", "langchain").get_config()
        thread_id = config.get("configurable", {}).get("thread_id")
        return HostLog(memory_of(self._memories, thread_id), "langchain")


def summarizer(memory: SummarizingMemory) -> Any:
    """What writes the summaries of `SummarizationMiddleware(model, summarizer=...)`: the memory's model and prompt.

    The earlier summary is brought up to date instead of being summarized itself. The memory stores nothing of it.
    """

    def of(messages: Sequence[Any]) -> tuple[list[Message], str]:
        first = messages[0]
        was = str(first.text) if first.additional_kwargs.get("lc_source") == "summarization" else ""
        return [_chat(message) for message in messages[bool(was) :]], was.removeprefix(_EARLIER).strip()

    def write(messages: Sequence[Any]) -> str:
        return memory.predict_new_summary(*of(messages))

    async def awrite(messages: Sequence[Any]) -> str:
        return await memory.apredict_new_summary(*of(messages))

    return host_module("langchain_core.runnables", "langchain").RunnableLambda(write, awrite)


def said_of(messages: Sequence[Any]) -> list[Said]:
    """LangChain's messages as messages of a log, known by their ids."""
    whole = _messages.messages_to_dict(messages)
    return [Said(_chat(message), own, message.id or "") for message, own in zip(messages, whole, strict=True)]


def view_of(shown: Sequence[Said], live: Sequence[Any] = ()) -> list[Any]:
    """A view as LangChain's messages: the very ones that the host has, and those of earlier runs as they were."""
    by_id = {message.id: message for message in live}
    return [by_id.get(one.key) or _object(one) for one in shown]


def _object(said: Said) -> Any:
    return objects([said.message])[0] if said.own is None else _messages.messages_from_dict([said.own])[0]


def _chat(message: Any) -> Message:
    chat = cast("Message", _messages.convert_to_openai_messages(message))
    if message.type != "ai":
        return chat
    # Reasoning and what else is no text stands in the host's own form, which is kept beside it.
    return {**chat, "content": str(message.text) or (None if chat.get("tool_calls") else "")}


def _question(request: Request) -> str | None:
    return next((str(message.text) for message in reversed(request.messages) if message.type == "human"), None)
