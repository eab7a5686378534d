"""Several processes from one: parent and child go on with the same store."""

import contextlib
import multiprocessing
import os
import warnings
from pathlib import Path

import pytest

from memzoo.memories import create_memory
from memzoo.stores import Store, open_store
from memzoo.stores.driving import drive
from memzoo.stores.testing import same
from memzoo.stores.testing.tools import fill


def _append(store: Store, content: str) -> None:
    fill(store, "c", content)


def _contents(store: Store) -> list[str]:
    return [entry.message["content"] for entry in drive(store.read("c"))]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_parent_and_child_of_a_fork_go_on(tmp_path: Path) -> None:
    """Both save and read after a fork, in turn, and what either stored is there for the other."""
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/chat.db")) as store:
        _append(store, "before")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # pytest's own threads do nothing here
            child = os.fork()
        if not child:
            code = 1
            with contextlib.suppress(BaseException):
                _append(store, "child")
                code = 0 if _contents(store) == ["before", "child"] else 2
            os._exit(code)
        same(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        _append(store, "parent")
        same(_contents(store), ["before", "child", "parent"])


def test_a_store_goes_to_another_process(tmp_path: Path) -> None:
    """A store that is an argument of a new process is opened again there."""
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/chat.db")) as store:
        _append(store, "before")
        process = multiprocessing.get_context("spawn").Process(target=_append, args=(store, "child"))
        process.start()
        process.join()
        same(process.exitcode, 0)
        _append(store, "parent")
        same(_contents(store), ["before", "child", "parent"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_memory_in_a_forked_process_saves(tmp_path: Path) -> None:
    """A memory that has loaded before a fork saves in the child, and sees that in the parent."""
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/chat.db")) as store:
        memory = create_memory("buffer", store=store, conversation_id="c")
        memory.save_context({"input": "hi"}, {"output": "hello"})
        memory.load_memory_variables({})
        process = multiprocessing.get_context("fork").Process(
            target=memory.save_context, args=({"input": "child"}, {"output": "ok"})
        )
        process.start()
        process.join()
        same(process.exitcode, 0)
        same(memory.load_memory_variables({}), {"history": "Human: hi\nAI: hello\nHuman: child\nAI: ok"})
