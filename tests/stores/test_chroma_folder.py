"""The folder of an index on Chroma: whatever becomes of it, nothing that was paid for is paid again."""

import contextlib
import gc
import signal
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from memzoo.errors import StoreError
from memzoo.memories import VectorStoreRetrieverMemory
from memzoo.stores import ChromaIndex, InMemoryStore
from memzoo.sync import drive
from memzoo.testing.store_tools import vector
from tests.forking import run_program

pytest.importorskip("chromadb", reason="needs the 'chroma' extra")

SAID = [(f"I like food number {number}", "Fine") for number in range(30)]

KILLED = """
import os, signal, sys
from memzoo.stores import ChromaIndex
from memzoo.sync import drive
from memzoo.testing.store_tools import vector
index = ChromaIndex(path=sys.argv[1])
drive(index.add("c", "s", {7: vector(1, 0)}))
os.kill(os.getpid(), signal.SIGKILL)
"""


@contextlib.contextmanager
def opened(path: Path) -> Generator[ChromaIndex, None, None]:
    """An index in that folder, closed afterwards."""
    with contextlib.closing(ChromaIndex(path=path)) as index:
        yield index
    del index
    gc.collect()


def known(path: Path) -> set[int]:
    """The numbers of what an index in that folder has."""
    with opened(path) as index:
        return set(drive(index.known("c", "s")))


def _index(path: Path) -> Path:
    (index,) = path.glob("index-*")
    return index


def _delete(path: Path) -> None:
    for file in sorted(_index(path).rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()


def _truncate(path: Path) -> None:
    (_index(path) / "chroma.sqlite3").write_bytes((_index(path) / "chroma.sqlite3").read_bytes()[:5000])


def _fill_with_garbage(path: Path) -> None:
    (_index(path) / "chroma.sqlite3").write_bytes(b"garbage" * 5000)


def _add_a_segment(path: Path) -> None:
    (_index(path) / "segment").mkdir()
    (_index(path) / "segment" / "link_lists.bin").write_bytes(b"\xff" * 5000)


def _spoil_the_notes(path: Path) -> None:
    (path / "memzoo.db").write_bytes(b"garbage" * 5000)


DAMAGES = [_delete, _truncate, _fill_with_garbage, _add_a_segment, _spoil_the_notes]


def test_a_closed_folder_is_used_again(tmp_path: Path):
    """What was properly closed is there again, as often as one likes."""
    for number in range(1, 4):
        with opened(tmp_path) as index:
            assert set(drive(index.known("c", "s"))) == set(range(1, number))
            drive(index.add("c", "s", {number: vector(1, number)}))
    assert known(tmp_path) == {1, 2, 3}


def test_a_killed_process_leaves_an_empty_index(tmp_path: Path):
    """What a killed process leaves is not opened, but deleted: it may be broken in ways that no code can catch."""
    assert run_program(KILLED, tmp_path) == -signal.SIGKILL
    left = _index(tmp_path)
    assert known(tmp_path) == set()
    assert not left.exists()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_made_good(tmp_path: Path, damage: Callable[[Path], None]):
    """A damaged folder is filled again from the store, and nothing is embedded a second time."""
    embedded: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[len(text), float(text[-1:].isdigit()), 1.0] for text in texts]

    def shown(index: ChromaIndex) -> str:
        memory = VectorStoreRetrieverMemory(store=store, conversation_id="c", embedder=embed, index=index)
        if not memory.history():
            for said, answer in SAID:
                memory.save_context({"input": said}, {"output": answer})
        return str(memory.load_memory_variables({"prompt": "food number 7"}))

    store = InMemoryStore()
    with opened(tmp_path) as index:
        before = shown(index)
    damage(tmp_path)
    embedded.clear()
    with opened(tmp_path) as index:
        assert shown(index) == before
        assert embedded == ["food number 7"]
        assert len(drive(index.known("c", "vector-retriever/" + embed.__qualname__))) == 2 * len(SAID)


def test_one_index_at_a_time(tmp_path: Path):
    """A folder that is open cannot be opened again, and is none the worse for the attempt."""
    with opened(tmp_path) as index:
        drive(index.add("c", "s", {1: vector(1, 0)}))
        with pytest.raises(StoreError, match=r"another index has this folder open.*host="):
            ChromaIndex(path=tmp_path)
        assert set(drive(index.known("c", "s"))) == {1}
    assert known(tmp_path) == {1}


def test_other_files_stay(tmp_path: Path):
    """Only the index's own files are deleted."""
    (tmp_path / "chroma.sqlite3").write_text("somebody else's")
    run_program(KILLED, tmp_path)
    assert known(tmp_path) == set()
    assert (tmp_path / "chroma.sqlite3").read_text() == "somebody else's"


def test_an_index_that_fails_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """After an error inside Chroma the next one begins with an empty index."""
    from chromadb.api.client import Client as ClientClass
    from chromadb.errors import InternalError

    with opened(tmp_path) as index:
        drive(index.add("c", "s", {1: vector(1, 0)}))

        def fail(*_: object) -> None:
            raise InternalError("disk I/O error")

        with monkeypatch.context() as patch:
            patch.setattr(ClientClass, "list_collections", fail)
            with pytest.raises(StoreError, match="disk I/O error"):
                drive(index.known("c", "s"))
    assert known(tmp_path) == set()
