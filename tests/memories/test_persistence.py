"""After a restart, summary, entities, vectors and graph are all there, from a file as from memory."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memzoo.memories import STRATEGIES, BaseMemory
from memzoo.stores import InMemoryStore, Store, open_store
from memzoo.sync import drive

Make = Callable[..., BaseMemory]

SAID = [
    ("Sam lives in Oslo", "How is Oslo?"),
    ("Sam likes tea", "Noted"),
    ("Sam lives in Rome", "Fine"),
    ("Sam does not like tea", "I see"),
]
QUESTION = {"input": "Who is Sam?"}


def tell(memory: BaseMemory) -> None:
    """Save all exchanges."""
    for said, answer in SAID:
        memory.save_context({"input": said}, {"output": answer})


def outcome(memory: BaseMemory) -> tuple[object, ...]:
    """All that can be seen of a memory."""
    shown = memory.load_memory_variables(QUESTION), memory.messages("Sam?"), memory.history()
    return *shown, [drive(learner.refresh()).watermark for learner in memory.learners]


@pytest.mark.parametrize("name", STRATEGIES)
class TestRestart:
    """A process ends, another one opens the same file."""

    def test_shows_the_same(self, name: str, make: Make, tmp_path: Path) -> None:
        """A conversation in a file is shown by a new process as by the one that told it (P1, P2)."""
        url = f"sqlite:///{tmp_path}/memories.db"
        store: Store = open_store(url)
        first = make(name, store)
        tell(first)
        before = outcome(first)
        store.close()
        reopened: Store = open_store(url)
        assert outcome(make(name, reopened)) == before
        reopened.close()

    def test_learns_nothing_again(self, name: str, make: Make, tmp_path: Path) -> None:
        """What was paid for is not asked for again: a new process asks only what a load asks (P1, I2)."""
        store: Store = open_store(f"sqlite:///{tmp_path}/memories.db")
        tell(make(name, store))
        second = make(name, store)
        second.load_memory_variables(QUESTION)
        assert set(second.usage) <= {"current_entities", "embedding"}
        assert second.usage.total.calls <= 1
        store.close()

    def test_is_as_in_memory(self, name: str, make: Make, tmp_path: Path) -> None:
        """A strategy does not tell one store from another (I5)."""
        store: Store = open_store(f"sqlite:///{tmp_path}/memories.db")
        in_file, in_memory = make(name, store), make(name, InMemoryStore())
        tell(in_file)
        tell(in_memory)
        assert outcome(in_file) == outcome(in_memory)
        in_file.clear()
        in_memory.clear()
        assert outcome(in_file) == outcome(in_memory)
        store.close()
