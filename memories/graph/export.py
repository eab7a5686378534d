"""Reads the graph of a stored conversation, without asking any model, and writes it in a format of choice."""

from collections.abc import Callable
from dataclasses import dataclass

from memzoo.memories.engine.patience import ATTEMPTS
from memzoo.memories.graph.formats import to_graphml, to_json, to_mermaid, to_text
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.graph.picture import to_html
from memzoo.stores import Store, managed
from memzoo.stores.common import did_you_mean
from memzoo.stores.errors import OptionError

__all__ = ["FORMATS", "StoredGraph", "export", "stored_graph"]

FORMATS: dict[str, Callable[..., str]] = {
    "text": to_text,
    "mermaid": to_mermaid,
    "graphml": to_graphml,
    "html": to_html,
    "json": to_json,
}
"""The formats by name: functions of a graph, and of whether to show its `history`."""

# The name of the state in which `ConversationKGMemory` keeps its facts; it stands to the left of this room.
_STATE = "knowledge-graph"


@dataclass(frozen=True)
class StoredGraph:
    """A graph as it is stored.

    Attributes:
        graph: The facts.
        behind: How many messages of the conversation no facts were taken from yet.
    """

    graph: KnowledgeGraph
    behind: int


async def stored_graph(store: Store, conversation_id: str) -> StoredGraph:
    """The graph of a conversation as it was left, however far behind.

    Raises:
        OptionError: The store has no such conversation.
    """
    newest = await store.read(conversation_id, limit=1, newest=True)
    if not newest:
        known = ", ".join(map(repr, await managed(store, "conversations").conversations())) or "none"
        raise OptionError(f"the store has no conversation {conversation_id!r}; it has {known}")
    state = await store.read_state(conversation_id, _STATE)
    graph = KnowledgeGraph()
    graph.apply(
        {key: value for key, value in state.changes.items() if value is not None and key != ATTEMPTS}, reset=True
    )
    return StoredGraph(graph, len(await store.read(conversation_id, after=state.watermark)))


def export(graph: KnowledgeGraph, form: str, *, history: bool = False) -> str:
    """A graph in a format.

    Args:
        graph: The graph.
        form: One of `FORMATS`.
        history: Superseded facts too.

    Raises:
        OptionError: There is no such format.
        MissingExtraError: The format needs a library that is not installed.

    Example:
        >>> from memzoo import ConversationKGMemory
        >>> memory = ConversationKGMemory(llm=lambda messages: "Sam | likes | tea")
        >>> memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
        >>> print(export(memory.kg, "text"), end="")
        Sam | likes | tea [1]
    """
    if form not in FORMATS:
        raise OptionError(f"there is no format {form!r}; there are {', '.join(FORMATS)}{did_you_mean(form, FORMATS)}")
    return FORMATS[form](graph, history=history)
