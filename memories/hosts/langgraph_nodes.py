"""A memory inside a graph of one's own: what goes in front of the model, behind it, and into the state."""

from collections.abc import Sequence
from typing import Any

from memzoo.memories.hosts.langchain_messages import log_of, question_of, said_of, view_of
from memzoo.memories.hosts.shared import Memories, host_module

__all__ = ["remember", "this_turn", "view"]

_message = host_module("langgraph.graph.message", "langgraph")


def view(memories: Memories) -> Any:
    """What goes in front of a model, `view(memories) | model`: the messages of the state in, what to send out.

    What is new is kept in the log. The question is the newest message of a human, so memories that search are served.
    """

    def of(messages: Sequence[Any]) -> list[Any]:
        log = log_of(memories)
        log.follow(said_of(messages))
        return view_of(log.shown(question_of(messages)), messages)

    async def aof(messages: Sequence[Any]) -> list[Any]:
        log = log_of(memories)
        await log.afollow(said_of(messages))
        return view_of(await log.ashown(question_of(messages)), messages)

    return host_module("langchain_core.runnables", "langgraph").RunnableLambda(of, aof)


def remember(memories: Memories) -> Any:
    """The last node of a turn: it keeps what is new in `state["messages"]`, and learns from the exchange."""

    def keep(state: Any) -> dict[str, Any]:
        log_of(memories).follow(said_of(state["messages"]), ended=True)
        return {}

    async def akeep(state: Any) -> dict[str, Any]:
        await log_of(memories).afollow(said_of(state["messages"]), ended=True)
        return {}

    return host_module("langchain_core.runnables", "langgraph").RunnableLambda(keep, akeep)


def this_turn(left: Any, right: Any) -> list[Any]:
    """A reducer, `messages: Annotated[list, this_turn]`: the state has this turn alone, and checkpoints stay small.

    What was said before is in the memory's log. Otherwise it is LangGraph's `add_messages`.
    """
    messages: list[Any] = _message.add_messages(left, right)
    starts = [place for place, message in enumerate(messages) if message.type == "human"]
    return messages[starts[-1] :] if starts else messages
