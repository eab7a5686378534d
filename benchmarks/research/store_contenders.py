"""Stores of conversations side by side: memzoo's, a bare database, and those of other libraries, each as it comes.

`python -m memzoo.benchmarks.research.store_contenders NAME EXCHANGES` lets one of them append to a file in a temporary
folder, which is all it does: for a tracer, which can count how often it flushes.
"""

import asyncio
import importlib
import json
import sqlite3
import sys
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from memzoo.benchmarks.research.packaged import library
from memzoo.stores import Message, Record, open_store
from memzoo.sync import drive

__all__ = ["ON_POSTGRESQL", "ON_SQLITE", "Contender"]


class Contender(Protocol):
    """Keeps messages by conversation."""

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        """Store messages as one turn."""
        ...

    def last(self, conversation: str, count: int) -> Sequence[object]:
        """The newest messages, oldest first."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class _Memzoo:
    """memzoo's store."""

    def __init__(self, url: str) -> None:
        self._store = open_store(url)
        self.close = self._store.close

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        records = [Record(message) for message in messages]
        return drive(self._store.append(conversation, records, turn_id=uuid.uuid4().hex))

    def last(self, conversation: str, count: int) -> Sequence[object]:
        return drive(self._store.read(conversation, limit=count, newest=True))


class _BareSQLite:
    """The standard library's driver: a table with one index, a transaction a turn, JSON."""

    def __init__(self, path: Path, synchronous: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        self._connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation TEXT, message TEXT)")
        self._connection.execute("CREATE INDEX by_conversation ON messages (conversation, id)")
        self.close = self._connection.close

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        rows = [(conversation, json.dumps(message)) for message in messages]
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO messages (conversation, message) VALUES (?, ?)", rows)
        return self._connection.execute("COMMIT")

    def last(self, conversation: str, count: int) -> Sequence[object]:
        query = "SELECT message FROM messages WHERE conversation = ? ORDER BY id DESC LIMIT ?"
        rows = self._connection.execute(query, (conversation, count)).fetchall()
        return [json.loads(message) for (message,) in reversed(rows)]


class _BarePostgreSQL:
    """psycopg: a table with one index, one statement a turn, JSON as text."""

    def __init__(self, url: str) -> None:
        self._connection = library("psycopg", "psycopg[binary]").connect(url, autocommit=True)
        self._connection.execute(
            "CREATE TABLE bare_messages (id bigserial PRIMARY KEY, conversation text, message text)"
        )
        self._connection.execute("CREATE INDEX bare_by_conversation ON bare_messages (conversation, id)")
        self.close = self._connection.close

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        statement = "INSERT INTO bare_messages (conversation, message) SELECT %s, unnest(%s::text[])"
        return self._connection.execute(statement, (conversation, [json.dumps(message) for message in messages]))

    def last(self, conversation: str, count: int) -> Sequence[object]:
        query = "SELECT message FROM bare_messages WHERE conversation = %s ORDER BY id DESC LIMIT %s"
        rows = self._connection.execute(query, (conversation, count)).fetchall()
        return [json.loads(message) for (message,) in reversed(rows)]


class _LangChain:
    """`SQLChatMessageHistory` of langchain-community. It has no way to read the newest messages alone."""

    def __init__(self, url: str) -> None:
        histories = library("langchain_community.chat_message_histories", "langchain-community")
        self._history = histories.SQLChatMessageHistory
        self._kinds = library("langchain_core.messages", "langchain-core")
        self._engine = importlib.import_module("sqlalchemy").create_engine(url)
        self._histories: dict[str, Any] = {}
        self.close = self._engine.dispose

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        kinds = {"user": self._kinds.HumanMessage, "assistant": self._kinds.AIMessage}
        return self._of(conversation).add_messages(
            [kinds[message["role"]](content=message["content"]) for message in messages]
        )

    def last(self, conversation: str, count: int) -> Sequence[object]:
        messages: Sequence[object] = self._of(conversation).messages[-count:]
        return messages

    def _of(self, conversation: str) -> Any:
        if conversation not in self._histories:
            self._histories[conversation] = self._history(session_id=conversation, connection=self._engine)
        return self._histories[conversation]


class _OpenAIAgents:
    """`SQLiteSession` of openai-agents, which works in threads."""

    def __init__(self, path: Path) -> None:
        self._session = library("agents", "openai-agents").SQLiteSession
        self._path = path
        self._sessions: dict[str, Any] = {}
        self._runner = asyncio.Runner()

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        return self._runner.run(self._of(conversation).add_items(list(messages)))

    def last(self, conversation: str, count: int) -> Sequence[object]:
        messages: Sequence[object] = self._runner.run(self._of(conversation).get_items(limit=count))
        return messages

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()
        self._runner.close()

    def _of(self, conversation: str) -> Any:
        if conversation not in self._sessions:
            self._sessions[conversation] = self._session(conversation, self._path)
        return self._sessions[conversation]


class _LlamaIndex:
    """`SQLAlchemyChatStore` of llama-index-core. Its limit is for the oldest messages: the newest need all of them."""

    def __init__(self, url: str) -> None:
        library("aiosqlite", "aiosqlite")
        self._message = library("llama_index.core.llms", "llama-index-core").ChatMessage
        store = importlib.import_module("llama_index.core.storage.chat_store.sql").SQLAlchemyChatStore
        self._store = store(table_name="llama_messages", async_database_uri=url)
        self._runner = asyncio.Runner()

    def append(self, conversation: str, messages: Sequence[Message]) -> object:
        said = [self._message(message["content"], role=message["role"]) for message in messages]
        return self._runner.run(self._store.add_messages(conversation, said))

    def last(self, conversation: str, count: int) -> Sequence[object]:
        messages: Sequence[object] = self._runner.run(self._store.get_messages(conversation))[-count:]
        return messages

    def close(self) -> None:
        with suppress(AttributeError):
            self._runner.run(self._store._async_engine.dispose())  # noqa: SLF001 - it has no method for it
        self._runner.close()


ON_SQLITE: Mapping[str, Callable[[Path], Contender]] = {
    "bare sqlite3, FULL": lambda folder: _BareSQLite(folder / "bare-full.db", "FULL"),
    "memzoo, FULL": lambda folder: _Memzoo(f"sqlite:///{folder}/memzoo-full.db"),
    "langchain-community": lambda folder: _LangChain(f"sqlite:///{folder}/langchain-community.db"),
    "openai-agents": lambda folder: _OpenAIAgents(folder / "openai-agents.db"),
    "LlamaIndex": lambda folder: _LlamaIndex(f"sqlite+aiosqlite:///{folder}/llama-index.db"),
    "bare sqlite3, NORMAL": lambda folder: _BareSQLite(folder / "bare-normal.db", "NORMAL"),
    "memzoo, NORMAL": lambda folder: _Memzoo(f"sqlite:///{folder}/memzoo-normal.db?synchronous=normal"),
}
"""Stores in a file of their own in a folder. A bare one stands before those that flush to disk as it does."""

ON_POSTGRESQL: Mapping[str, Callable[[str], Contender]] = {
    "bare psycopg": _BarePostgreSQL,
    "memzoo": _Memzoo,
    "langchain-community": lambda url: _LangChain(url.replace("postgresql:", "postgresql+psycopg:", 1)),
}
"""Stores in tables of their own in one database."""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        traced = ON_SQLITE[sys.argv[1]](Path(place))
        for _ in range(int(sys.argv[2])):
            traced.append("traced", [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi!"}])
