"""Search by embedding with Chroma: in process, in a folder, or on a server."""

import ctypes
import gc
import hashlib
import json
import os
import re
import uuid
import weakref
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memzoo.errors import MissingExtraError, OptionError, StoreError
from memzoo.stores.indexes.chroma_folder import ChromaFolder
from memzoo.stores.indexes.index import check_dimension, decode, digest
from memzoo.sync import Closing

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ClientAPI
    from chromadb.api.types import Metadata


class ChromaIndex(Closing):
    """A `VectorIndex` in Chroma, for more embeddings than fit in memory.

    Without arguments, the index lasts as long as the process. With a `path`, the index is in a folder that only one
    index can have open at a time. With a `host`, the index is on a Chroma server (`chroma run`) that any number of
    processes can share. Embeddings that Chroma lost are added again from the store.

    A killed process may leave broken files in the folder, and Chroma may crash when it opens broken files. So the index
    starts empty if it was not closed properly, or if its files changed after it was closed. The first search in
    each conversation then adds the embeddings from the store; no text is embedded again. An index that is
    garbage-collected, or still open when the program ends, is closed properly.

    A forked process must open its own index, because Chroma's threads exist only in the parent.

    Embeddings of the same dimension share one Chroma collection, named `{collection}-{dimension}`, whatever their
    conversation. Chroma sees only a hash of a conversation's id.

    The methods block the event loop until Chroma answers, even with a server. The search is approximate: among many
    embeddings, it may miss some of the nearest.

    Example:
        >>> import struct
        >>> from memzoo.sync import drive
        >>> index = ChromaIndex()
        >>> drive(index.add("user-42", "toy", {1: struct.pack("<2f", 1, 0), 2: struct.pack("<2f", 0, 1)}))
        >>> drive(index.search("user-42", "toy", struct.pack("<2f", 2, 0), k=1))
        [(1, 1.0)]
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        client: "ClientAPI | None" = None,
        host: str | None = None,
        port: int = 8000,
        timeout: float = 30,
        collection: str = "memzoo",
    ) -> None:
        """Make an index in this process, or in the place given by one of `path`, `client` and `host`.

        Args:
            path: A folder, created if missing; the index is in a subfolder.
            client: Your own Chroma client; must not be asynchronous.
            host: A Chroma server's name or address.
            port: The server's port.
            timeout: Seconds to wait for the server's answer before a `StoreError`.
            collection: The prefix of the collections' names: at least 2 characters from `a-z A-Z 0-9 . _ -`.

        Raises:
            MissingExtraError: Chroma is not installed.
            OptionError: More than one place is given, or the path is invalid.
            StoreError: The folder or the server cannot be opened, or another index has the folder open.
        """
        try:
            import chromadb
        except ModuleNotFoundError as error:
            raise MissingExtraError.of("ChromaIndex", "chroma") from error
        if path is not None and not isinstance(path, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"path must be a folder, not {path!r}; pass a Chroma client as client=")
        if sum(place is not None for place in (path, client, host)) > 1:
            raise OptionError("give at most one of path, client and host")
        in_process = client is None and path is None and host is None
        # All in-process clients see the same data, but two indexes may belong to two different stores.
        self._prefix = f"{collection}-{uuid.uuid4().hex}" if in_process else collection
        self._place = str(path or (f"{host}:{port}" if host else "in process"))
        self._folder = None if path is None else ChromaFolder(path)
        with _explain_errors(self._place, self._folder):
            if self._folder is not None:
                self._client = self._folder.client()
            elif host is not None:
                self._client = _connect(host, port, timeout)
            else:
                self._client = client or chromadb.EphemeralClient()
            drop = self._prefix if in_process else None
            self._finalizer = weakref.finalize(
                self, _give_back, self._client, self._folder, drop=drop, close=client is None
            )
            self._batch = self._client.get_max_batch_size()
        self._pid = os.getpid()
        _indexes.add(self)

    def __repr__(self) -> str:
        return f"<ChromaIndex {self._place}>"

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        """See `VectorIndex.add`."""
        if not embeddings:
            return
        key, matrix = _key(conversation_id, space), decode(embeddings.values())
        ids = [f"{key}-{number}" for number in embeddings]
        digests = [digest(embedding) for embedding in embeddings.values()]
        with self._open():
            self._check_others(matrix.shape[1], conversation_id, space)
            collection = self._client.get_or_create_collection(
                f"{self._prefix}-{matrix.shape[1]}",
                configuration={"hnsw": {"space": "cosine"}},
                embedding_function=None,
            )
            for start in range(0, len(ids), self._batch):
                some = slice(start, start + self._batch)
                labels: list[Metadata] = [{"memory": key, "digest": sign} for sign in digests[some]]
                collection.upsert(ids[some], embeddings=matrix[some], metadatas=labels)

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        """See `VectorIndex.search`."""
        vector, key = decode([query]), _key(conversation_id, space)
        if k < 1:
            return []
        with self._open():
            collection = self._collection(vector.shape[1])
            found = _nearest(collection, key, vector, k) if collection else []
            if not found:
                self._check_others(vector.shape[1], conversation_id, space)
        return found

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        """See `VectorIndex.known`."""
        where: Any = {"memory": _key(conversation_id, space)}
        with self._open():
            found = [collection.get(where=where, include=["metadatas"]) for collection in self._collections().values()]
        return {
            _number(id_): str(labels["digest"])
            for one in found
            for id_, labels in zip(one["ids"], one["metadatas"] or [], strict=True)
        }

    async def remove(self, conversation_id: str, space: str) -> None:
        """See `VectorIndex.remove`."""
        with self._open():
            for collection in self._collections().values():
                collection.delete(where={"memory": _key(conversation_id, space)})

    def close(self) -> None:
        """Release files and connections; your own client stays open. A closed index cannot be used again."""
        if self._finalizer.alive:
            self._finalizer()
            # Chroma keeps its connections to a server open until the client is garbage-collected.
            del self._client

    def leave(self) -> None:
        """In a forked process, leave Chroma's client to the parent without closing it."""
        if inherited := self._finalizer.detach():
            # Any other reference is dropped at the end of the program, when all modules and their objects are released.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))

    @contextmanager
    def _open(self) -> Generator[None, None, None]:
        if self._pid != os.getpid():
            raise StoreError(
                f"Chroma ({self._place}): this index was opened before the process forked, and Chroma's threads "
                "stayed behind: open a ChromaIndex in each process, or share one on a server (host=...)"
            )
        if not self._finalizer.alive:
            raise StoreError("this index is closed")
        with _explain_errors(self._place, self._folder):
            yield

    def _collection(self, dimension: int) -> "Collection | None":
        from chromadb.errors import NotFoundError

        try:
            # With the default instead of None, Chroma attaches its own embedding function, which downloads a model.
            return self._client.get_collection(f"{self._prefix}-{dimension}", embedding_function=None)
        except NotFoundError:
            return None

    def _collections(self) -> dict[int, "Collection"]:
        found = {_number(name): self._collection(_number(name)) for name in _names(self._client, self._prefix)}
        return {dimension: collection for dimension, collection in found.items() if collection}

    def _check_others(self, dimension: int, conversation_id: str, space: str) -> None:
        where: Any = {"memory": _key(conversation_id, space)}
        for held, collection in self._collections().items():
            if held != dimension and collection.get(where=where, limit=1, include=[])["ids"]:
                check_dimension(held, dimension, conversation_id, space)


def _connect(host: str, port: int, timeout: float) -> "ClientAPI":
    """Return a client with a time-out: Chroma's client has neither a time-out nor a setting for a time-out.

    Chroma's client contacts the server on creation, so first check, with the time-out, that the server answers.
    """
    import chromadb
    import httpx
    from chromadb.api.fastapi import FastAPI

    with suppress(httpx.ConnectError):  # Chroma's client raises a more precise error
        httpx.get(FastAPI.resolve_url(host, chroma_server_http_port=port), timeout=timeout)
    client: Any = chromadb.HttpClient(host, port)
    client._server._session.timeout = timeout  # noqa: SLF001 - there is no other way in
    return client  # type: ignore[no-any-return]


def _leave_to_the_parent() -> None:
    for index in _indexes:
        index.leave()


_indexes: weakref.WeakSet[ChromaIndex] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    # A client that is released in a forked process waits for threads that exist only in the parent. So unreferenced
    # clients are collected before the fork, and the clients of open indexes are never released in the child.
    os.register_at_fork(before=gc.collect, after_in_child=_leave_to_the_parent)


def _names(client: "ClientAPI", prefix: str) -> list[str]:
    names = [collection.name for collection in client.list_collections()]
    return [name for name in names if re.fullmatch(re.escape(prefix) + "-[0-9]+", name)]


def _give_back(client: "ClientAPI", folder: ChromaFolder | None, *, drop: str | None, close: bool) -> None:
    for name in _names(client, drop) if drop else ():
        client.delete_collection(name)
    if close and (closing := getattr(client, "close", None)):
        closing()
    if folder is not None:
        folder.close()


def _nearest(collection: "Collection", key: str, vector: Any, k: int) -> list[tuple[int, float]]:
    """Return the `k` nearest embeddings.

    Chroma chooses arbitrarily among equally near embeddings at the cut, so ask for more and choose here.
    """
    count = k + 1
    while True:
        answer = collection.query(vector, n_results=count, where={"memory": key}, include=["distances"])
        distances = (answer["distances"] or [[]])[0]
        if len(distances) < count or distances[-1] > distances[k - 1]:
            break
        count *= 2
    found = [
        (_number(id_), max(-1.0, min(1.0, 1.0 - distance)))
        for id_, distance in zip(answer["ids"][0], distances, strict=True)
    ]
    return sorted(found, key=lambda one: (-one[1], one[0]))[:k]


def _key(conversation_id: str, space: str) -> str:
    return hashlib.sha256(json.dumps([conversation_id, space]).encode()).hexdigest()


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


@contextmanager
def _explain_errors(place: str, folder: ChromaFolder | None) -> Generator[None, None, None]:
    import httpx
    from chromadb.errors import ChromaError, InternalError

    try:
        yield
    except (ChromaError, httpx.HTTPError, OSError, ValueError) as error:
        if folder is not None and isinstance(error, (InternalError, OSError)):
            folder.sound = False
        raise StoreError(f"Chroma ({place}): {error}") from error
