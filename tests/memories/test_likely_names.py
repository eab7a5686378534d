"""An error about a name that is unknown tells the one that was probably meant."""

from collections.abc import Callable

import pytest

from memzoo import MemoryZooError, create_memory, open_store
from memzoo.memories import KnowledgeGraph
from memzoo.memories.graph.export import export


@pytest.mark.parametrize(
    ("use", "meant"),
    [
        (lambda: create_memory("sumary"), "summary"),
        (lambda: create_memory("Window"), "window"),
        (lambda: create_memory("window", K=3), "k"),
        (lambda: create_memory("window", retrun_messages=True), "return_messages"),
        (lambda: create_memory("summary", llm="offline", on_model_error="defre"), "defer"),
        (lambda: create_memory("summary", llm="offline", prompts={"sumary": "x"}), "summary"),
        (lambda: open_store("sqllite:///chat.db"), "sqlite"),
        (lambda: export(KnowledgeGraph(), "mermaidd"), "mermaid"),
    ],
)
def test_the_likely_name_is_told(use: Callable[[], object], meant: str) -> None:
    """Of strategies, options, their values, prompts, stores and formats."""
    with pytest.raises(MemoryZooError, match=rf"\. Did you mean '{meant}'\?$"):
        use()
