"""What each released version stored is opened by this one: see `__main__.py`, which wrote it."""

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from memzoo.cassettes import use_cassette
from memzoo.memories import (
    ChatModel,
    ConversationBufferMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryMemory,
)
from memzoo.stores import InMemoryStore, ManagedStore, import_conversation, open_store
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from tests.postgres import PostgresServer, connected
from tests.redis_servers import RedisServer
from tests.versions.__main__ import SAID

VERSIONS = sorted(path for path in Path(__file__).parent.iterdir() if (path / "export.jsonl").is_file())
each = pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)


def check(store: ManagedStore) -> None:
    """The talk, what was learnt from it, and the pin are there, no model is asked, and all goes on."""
    here: dict[str, Any] = {"store": store, "conversation_id": "anna"}
    buffer = ConversationBufferMemory(**here)
    assert [one["content"] for one in buffer.history() if one["role"] == "user"] == SAID
    assert buffer.pin() == [3]
    nobody = ScriptedModel()
    summary = ConversationSummaryMemory(llm=nobody, **here)
    assert "My brother Bo plays the cello." in summary.load_memory_variables({})["history"]
    entity = ConversationEntityMemory(llm=nobody, **here)
    assert "plays the cello" in entity.load_memory_variables({"input": "Who is Bo?"})["entities"]["Bo"]
    graph = ConversationKGMemory(llm=nobody, **here)
    assert "Bo plays the cello" in graph.load_memory_variables({"input": "What does Bo play?"})["history"]
    assert nobody.asked == []
    (embedded,) = [name for name in drive(store.states("anna")) if name.startswith("vector-retriever")]
    assert len(drive(store.embeddings("anna", embedded))) == len(buffer.history())
    buffer.save_context({"input": "And Acme makes violins."}, {"output": "Noted."})
    assert [entry.seq for entry in buffer.entries()] == list(range(1, 2 * len(SAID) + 3))


@each
def test_sqlite(version: Path, tmp_path: Path) -> None:
    """A file of SQLite."""
    (tmp_path / "chat.db").write_bytes(gzip.decompress((version / "chat.db.gz").read_bytes()))
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/chat.db")) as store:
        check(store)


@each
def test_postgresql(version: Path, postgres_server: PostgresServer) -> None:
    """A dump of PostgreSQL."""
    url = postgres_server.database_url(postgres_server.new_database())
    dump = (version / "postgresql.sql").read_text(encoding="utf-8").splitlines()
    # Settings, of which an older server may not know one, and commands of psql.
    rows = "\n".join(line for line in dump if not line.startswith(("SET ", "SELECT pg_catalog.set_config", "\\")))
    with connected(url) as connection:
        connection.execute(rows.encode())
    with contextlib.closing(open_store(url)) as store:
        check(store)


@each
def test_redis(version: Path, redis_server: RedisServer) -> None:
    """The keys of Redis."""
    with contextlib.closing(redis_server.client()) as client:
        client.flushall()
        for line in (version / "redis.jsonl").read_text(encoding="utf-8").splitlines():
            command: list[str] = json.loads(line)
            client.execute_command(*(part.encode("latin-1") for part in command))
    with contextlib.closing(open_store(f"redis://127.0.0.1:{redis_server.port}/0")) as store:
        check(store)


@each
def test_export(version: Path) -> None:
    """An exported conversation."""
    store = InMemoryStore()
    with (version / "export.jsonl").open(encoding="utf-8") as lines:
        assert import_conversation(store, lines) == "anna"
    check(store)


@each
def test_cassette(version: Path) -> None:
    """A recording, which replays as it is."""
    file = version / "cassette.yaml"
    before = file.read_bytes()
    with use_cassette(file):
        model = ChatModel("offline", base_url="http://127.0.0.1:9/v1", api_key="none")
        assert drive(model.complete([{"role": "user", "content": SAID[0]}], "chat")).text
    assert file.read_bytes() == before
