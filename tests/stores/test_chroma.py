"""The index on Chroma: in process, in a folder, and on a server."""

import contextlib
import gc
import os
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import MissingExtraError, OptionError, StoreError
from memzoo.stores import ChromaIndex, VectorIndex
from memzoo.sync import drive
from memzoo.testing import VectorIndexContract
from memzoo.testing.store_tools import vector
from tests.forking import run_program
from tests.stalling import StallingProxy

chromadb = pytest.importorskip("chromadb", reason="needs the 'chroma' extra")

# Chroma does not close its connections to a server, not even in `close`.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

HOST = "127.0.0.1"


@contextlib.contextmanager
def closing(index: ChromaIndex) -> Generator[ChromaIndex, None, None]:
    """Close it, and let what Chroma leaves open complain here rather than in another test."""
    yield index
    index.close()
    gc.collect()


def open_client() -> Any:
    """A client in process, as a context manager, which Chroma's annotations do not know yet."""
    return chromadb.EphemeralClient()


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a Chroma server listens."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
    run = "from chromadb.cli.cli import app; app()"
    place = ["--path", str(tmp_path_factory.mktemp("server")), "--host", HOST, "--port", str(port)]
    with subprocess.Popen(
        [sys.executable, "-c", run, "run", *place], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        assert server.stdout
        log: list[bytes] = []
        assert any(log.append(line) or b"listening on address" in line for line in server.stdout), b"".join(log)
        rest = threading.Thread(target=deque[bytes], args=(server.stdout, 0))
        rest.start()
        yield port
        server.terminate()
        rest.join()


class TestFolder(VectorIndexContract):
    """In a folder it keeps the contract."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[VectorIndex]:
        """A new one."""
        with closing(ChromaIndex(path=tmp_path / "chroma")) as index:
            yield index


class TestServer(VectorIndexContract):
    """On a server it keeps the contract."""

    @pytest.fixture
    def index(self, port: int, request: pytest.FixtureRequest) -> Iterator[VectorIndex]:
        """One that is new because each test has collections of its own."""
        with closing(ChromaIndex(host=HOST, port=port, collection=f"test-{id(request)}")) as index:
            yield index


def test_a_folder_outlives_the_process(tmp_path: Path):
    """What another process put into a folder is found."""
    code = """
import sys
from memzoo.stores import ChromaIndex
from memzoo.sync import drive
from memzoo.testing.store_tools import vector
index = ChromaIndex(path=sys.argv[1])
drive(index.add("c", "s", {7: vector(1, 0), 8: vector(0, 1)}))
index.close()
"""
    assert run_program(code, tmp_path) == 0
    with closing(ChromaIndex(path=tmp_path)) as index:
        assert set(drive(index.known("c", "s"))) == {7, 8}
        assert drive(index.search("c", "s", vector(0, 3), 1)) == [(8, 1.0)]


def test_a_server_is_shared(port: int):
    """Two indexes on one server and collection see the same; on another collection, nothing."""
    with (
        closing(ChromaIndex(host=HOST, port=port, collection="shared")) as one,
        closing(ChromaIndex(host=HOST, port=port, collection="shared")) as two,
        closing(ChromaIndex(host=HOST, port=port, collection="shared-2")) as other,
    ):
        drive(one.add("c", "s", {1: vector(1, 0)}))
        assert set(drive(two.known("c", "s"))) == {1}
        assert set(drive(other.known("c", "s"))) == set()
        drive(other.add("c", "s", {2: vector(1, 0, 0)}))
        drive(two.remove("c", "s"))
        assert set(drive(one.known("c", "s"))) == set()
        assert set(drive(other.known("c", "s"))) == {2}


def test_indexes_in_process_are_apart():
    """The same ids in two indexes of one process are two different things: they belong to two stores."""
    with closing(ChromaIndex()) as one, closing(ChromaIndex()) as other:
        drive(one.add("c", "s", {1: vector(1, 0)}))
        assert set(drive(other.known("c", "s"))) == set()
        assert drive(other.search("c", "s", vector(1, 0), 1)) == []


def test_a_repr_says_where_the_index_is():
    """An index in this process says so."""
    with ChromaIndex() as index:
        assert repr(index) == "<ChromaIndex in process>"


def test_a_client_of_ones_own_stays_open():
    """A client that was handed over is used under the given name, and not closed."""
    with open_client() as client:
        with closing(ChromaIndex(client=client, collection="own")) as index:
            drive(index.add("c", "s", {1: vector(1, 0)}))
        (collection,) = client.list_collections()
        assert (collection.name, collection.count()) == ("own-2", 1)
        client.delete_collection("own-2")


def test_no_id_reaches_chroma():
    """Chroma sees neither the ids of conversations nor text, only digests and numbers."""
    with open_client() as client:
        with closing(ChromaIndex(client=client, collection="private")) as index:
            drive(index.add("user-42", "toy", {1: vector(1, 0)}))
        found = client.get_collection("private-2", embedding_function=None).get()
        assert "user-42" not in str(found)
        assert "toy" not in str(found)
        assert found["documents"] == [None]
        client.delete_collection("private-2")


def test_a_closed_index_says_so():
    """After `close` every call is an error, and a second `close` is none."""
    index = ChromaIndex()
    index.close()
    index.close()
    for call in (index.known("c", "s"), index.remove("c", "s"), index.add("c", "s", {1: vector(1)})):
        with pytest.raises(StoreError, match="closed"):
            drive(call)


def test_dropping_an_index_frees_its_data():
    """An index in process that nobody holds any more leaves nothing behind."""
    with open_client() as client:
        index = ChromaIndex()
        drive(index.add("c", "s", {1: vector(1, 0)}))
        assert len(client.list_collections()) == 1
        del index
        gc.collect()
        assert client.list_collections() == []


def test_a_place_must_be_one(tmp_path: Path):
    """A folder and a server at once is a mistake."""
    with pytest.raises(OptionError, match="at most one of path, client and host"):
        ChromaIndex(path=tmp_path, host=HOST)


def test_a_client_is_no_folder():
    """A client in the place of the folder is told where it belongs."""
    with open_client() as client, pytest.raises(OptionError, match="pass a Chroma client as client="):
        ChromaIndex(client)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_server_that_is_not_there_is_named():
    """No server at the address is an error of ours."""
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1\): Could not connect to a Chroma server"):
        ChromaIndex(host=HOST, port=1)


def test_a_silent_server_is_an_error(port: int):
    """A server that falls silent is waited for as long as `timeout` says: by an index, and when one is opened."""
    with contextlib.closing(StallingProxy(port)) as proxy:
        with closing(ChromaIndex(host=HOST, port=proxy.port, timeout=1)) as index:
            proxy.stall()
            with pytest.raises(StoreError, match="timed out"):
                drive(index.known("c", "s"))
        with pytest.raises(StoreError, match="timed out"):
            ChromaIndex(host=HOST, port=proxy.port, timeout=1)
        proxy.flow()


def test_a_folder_that_cannot_be_is_named(tmp_path: Path):
    """A path below a file is an error of ours."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file/chroma\): Not a directory"):
        ChromaIndex(path=tmp_path / "file" / "chroma")


def test_a_collection_name_chroma_refuses():
    """What Chroma says against a name is passed on."""
    with (
        closing(ChromaIndex(collection="no spaces, please")) as index,
        pytest.raises(StoreError, match=r"(?i)chroma \(in process\): .*name"),
    ):
        drive(index.add("c", "s", {1: vector(1, 0)}))


def test_without_chroma_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    """Where Chroma is not installed, the message says what to install."""
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(MissingExtraError, match=r"ChromaIndex needs the 'chroma' extra.*memzoo\[chroma\]"):
        ChromaIndex()


FORKING = """
import gc, os, sys
from memzoo.stores import ChromaIndex
from memzoo.sync import drive
from memzoo.errors import StoreError

def used():
    index = ChromaIndex(path=sys.argv[1] + "/left")
    cycle = [index]
    cycle.append(cycle)

gc.disable()
used()
index = ChromaIndex(path=sys.argv[1] + "/open")
child = os.fork()
if not child:
    gc.collect()
    try:
        drive(index.known("a", "b"))
    except StoreError as error:
        index.close()
        sys.exit(str(error))  # an ordinary end, with all that Python does then
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
drive(index.known("a", "b"))
index.close()
print(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_a_forked_process_is_told_to_open_an_index_of_its_own_and_ends(tmp_path: Path) -> None:
    """Chroma's threads stay in the parent, which goes on; letting go of its clients would hang the child for ever."""
    command = [sys.executable, "-W", "ignore", "-c", FORKING, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout == "1\n", ended.stderr
    assert "open a ChromaIndex in each process" in ended.stderr
