"""Hostile ids reach no other conversation and no file."""

import random
import re
from pathlib import Path

import pytest

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory
from memzoo.stores import ChromaIndex, Store, open_store
from memzoo.testing.store_tools import HOSTILE_IDS
from tools.faults.places import STORES, Places
from tools.faults.scenarios import remember

LONG = "".join(random.Random(0).choices("abcdefghij/'%", k=10_000))  # noqa: S311 - it only has to be incompressible
IDS = [
    *(id_ for id_ in HOSTILE_IDS if id_),
    *("%", "%s", "%(conversation_id)s", ":id", "?", "$1", "a'; DROP TABLE memzoo_messages; --", "a' OR 'a' = 'a"),
    *("/etc/passwd", "..\\..\\a", "C:\\a", "file:///a", "a\n../a", "~", "$HOME", "CON", "a.db", "a/", "/a"),
    *("\u0430", "\uff41", "a\u200b", "a\u00a0", "\u202ea", "A\u030a", "\u00c5", "\u212b", "ß", "ss", "\u0131", "i"),
    *(LONG, LONG[:-1], LONG + "\0"),
]


def _files(folder: Path) -> set[str]:
    """What is in a folder: databases, and folders of Chroma as a whole."""
    return {file.name.partition("-")[0] for file in folder.iterdir()}


def _open_all(strategy: str, store: Store, index: ChromaIndex | None) -> dict[str, BaseMemory]:
    return {id_: remember(strategy, store, index=index, conversation_id=id_) for id_ in IDS}


@pytest.mark.parametrize(
    ("place", "strategy"),
    [(place, "vector-retriever") for place in STORES],
)
def test_ids_are_apart(place: str, strategy: str, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each id has a conversation of its own, which others neither see nor delete, or is refused as a whole (I7)."""
    if "chroma" in place:
        pytest.importorskip("chromadb", reason="needs the 'chroma' extra")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    scenario = places.scenario(strategy, place)
    store = open_store("memory://" if place == "memory" else scenario.store)
    index = ChromaIndex(path=scenario.index) if scenario.index else None
    before = _files(tmp_path)
    memories = _open_all(strategy, store, index)
    refused = _tell(memories)
    assert refused == ({LONG, LONG[:-1], LONG + "\0"} if place == "postgresql" else set())
    for number, (id_, memory) in enumerate(_open_all(strategy, store, index).items()):
        said = [] if id_ in refused else [f"Sam likes tea{number}", f"Fine, tea{number}"]
        assert [message["content"] for message in memory.history()] == said
        shown = str(memory.messages("What does Sam like?"))
        assert {int(word) for word in _numbers(shown)} == ({number} if said else set())
        memory.clear()
        assert memory.history() == []
    assert _files(tmp_path) == before
    assert list((tmp_path / "here").iterdir()) == []
    if index:
        index.close()
    store.close()


def _tell(memories: dict[str, BaseMemory]) -> set[str]:
    """Save an exchange in each conversation; the ids that were refused."""
    refused: set[str] = set()
    for number, (id_, memory) in enumerate(memories.items()):
        try:
            memory.save_context({"input": f"Sam likes tea{number}"}, {"output": f"Fine, tea{number}"}, turn_id=id_)
        except StoreError:
            refused.add(id_)
    return refused


def _numbers(text: str) -> list[str]:
    return re.findall(r"tea(\d+)", text)
