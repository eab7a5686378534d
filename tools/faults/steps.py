"""Counts the steps of a save and a load; a fault can happen at each step."""

import functools
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Literal, TypeVar

from sqlalchemy import Engine, Pool, event

from memzoo.stores import Message, VectorIndex
from tools.faults.scenarios import Ports

__all__ = ["Steps"]

T = TypeVar("T")


class Steps:
    """Counts the steps of each turn: the moments before and after model calls, statements, commits and index calls.

    Args:
        fault_at: The turn and the step of the fault; `None` for no fault.
        fault: A function that is called with the label of the step of the fault.
        each: A function that is called with the label of each step.
    """

    def __init__(
        self,
        fault_at: tuple[int, int] | None,
        fault: Callable[[str], None],
        *,
        each: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.labels: list[str] = []
        self._fault_at = fault_at
        self._fault = fault
        self._each = each
        self._turn = -1
        self._lock = threading.Lock()

    def begin(self, turn: int) -> list[str]:
        """Begin a turn, and return the labels of the steps since the last turn began."""
        labels, self.labels, self._turn = self.labels, [], turn
        return labels

    def __call__(self, label: str) -> None:
        """Count a step."""
        with self._lock:
            self.labels.append(label)
            self._each(label)
            if self._fault_at == (self._turn, len(self.labels)):
                self._fault(label)

    def ports(self, ports: Ports) -> Ports:
        """Return the ports with a step before and after each call."""

        @functools.wraps(ports.llm)
        def llm(messages: list[Message]) -> Any:
            return self._around("model", ports.llm, messages)

        @functools.wraps(ports.embedder)
        def embedder(texts: list[str]) -> Any:
            return self._around("embedder", ports.embedder, texts)

        return Ports(llm, embedder, lambda index: _SteppedIndex(ports.index(index), self))

    def watch_sql(self) -> None:
        """Count the statements and commits of all databases of this process from now on."""

        def before(*args: Any) -> None:
            self(f"before {_title(args[2])}")

        def after(*args: Any) -> None:
            self(f"after {_title(args[2])}")

        def commit(_: Any) -> None:
            self("before commit")

        def checkin(*_: Any) -> None:
            self("connection back")

        stepped = type("Stepped", (_SteppedConnection,), {"step": self})
        sqlite3.connect = functools.partial(sqlite3.connect, factory=stepped)
        event.listen(Engine, "before_cursor_execute", before)
        event.listen(Engine, "after_cursor_execute", after)
        event.listen(Engine, "commit", commit)
        event.listen(Pool, "checkin", checkin)

    def _around(self, name: str, function: Callable[[Any], Any], argument: Any) -> Any:
        self(f"before {name}")
        result = function(argument)
        self(f"after {name}")
        return result


class _SteppedConnection(sqlite3.Connection):
    """An SQLite connection with a step before and after each statement or commit outside SQLAlchemy."""

    step: Steps

    def execute(self, sql: str, /, *parameters: Any) -> sqlite3.Cursor:
        return self._around(sql, super().execute, parameters)

    def executemany(self, sql: str, /, *parameters: Any) -> sqlite3.Cursor:
        return self._around(sql, super().executemany, parameters)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self.step("before commit")
        super().__exit__(kind, error, trace)
        self.step("after commit")
        return False

    def _around(self, sql: str, call: Callable[..., sqlite3.Cursor], parameters: tuple[Any, ...]) -> sqlite3.Cursor:
        self.step(f"before {_title(sql)}")
        found = call(sql, *parameters)
        self.step(f"after {_title(sql)}")
        return found


class _SteppedIndex:
    """An index with a step before and after each call."""

    def __init__(self, index: VectorIndex, step: Callable[[str], None]) -> None:
        self._index = index
        self._step = step

    async def add(self, conversation_id: str, space: str, embeddings: Mapping[int, bytes]) -> None:
        await self._between("add", self._index.add(conversation_id, space, embeddings))

    async def search(self, conversation_id: str, space: str, query: bytes, k: int) -> list[tuple[int, float]]:
        return await self._between("search", self._index.search(conversation_id, space, query, k))

    async def known(self, conversation_id: str, space: str) -> dict[int, str]:
        return await self._between("known", self._index.known(conversation_id, space))

    async def remove(self, conversation_id: str, space: str) -> None:
        await self._between("remove", self._index.remove(conversation_id, space))

    async def _between(self, call: str, work: Coroutine[Any, Any, T]) -> T:
        self._step(f"before index {call}")
        result = await work
        self._step(f"after index {call}")
        return result


def _title(statement: str) -> str:
    """Return the verb of a statement and the first table in it."""
    words = statement.split()
    tables = [word for word in words if word.startswith("memzoo_")]
    return " ".join([words[0], *(table.partition(".")[0].strip("(,)") for table in tables[:1])])
