"""Writes what a version of memzoo stores, for every later version to open: `python -m tests.versions`.

Run it once for each release, from its code: a new folder beside this file gets a database of each kind, an export and a
cassette. What is there is never written anew.
"""

import contextlib
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import memzoo
from memzoo.cassettes import use_cassette
from memzoo.memories import ChatModel, HashEmbedder, create_memory
from memzoo.memories.models.offline.serving import serve
from memzoo.stores import open_store
from memzoo.sync import drive
from tests.postgres import PostgresServer
from tests.redis_servers import RedisServer, free_ports

SAID = ["I am Anna, and I live in Zurich.", "My brother Bo plays the cello.", "Bo works at Acme."]
LEARNT = ("summary", "entity", "knowledge-graph")


def commands(store: str) -> Iterator[tuple[list[str], str]]:
    """The commands that fill a store, each with its input."""
    yield ["chat", "--memory", "buffer", "--store", store, "--conversation", "anna"], "\n".join(SAID)
    for name in LEARNT:
        yield ["learn", "--store", store, "--memory", name], ""
    yield ["pin", "3", "--store", store, "--conversation", "anna"], ""


def run(arguments: list[str], given: str = "") -> str:
    """Run a command of memzoo."""
    done = subprocess.run(
        [Path(sys.executable).with_name("memzoo"), *arguments], input=given, capture_output=True, text=True, check=True
    )
    return done.stdout


def fill(store: str) -> None:
    """Let the commands fill a store."""
    for arguments, given in commands(store):
        run(arguments, given)
    # No command learns with an embedder that needs no key.
    with contextlib.closing(open_store(store)) as opened:
        create_memory("vector-retriever", store=opened, conversation_id="anna", embedder=HashEmbedder()).settle()


def keys(client: Any) -> Iterator[list[str]]:
    """The commands that put all there is in Redis into another one; a letter is a byte."""
    for key in sorted(client.scan_iter()):
        match client.type(key):
            case b"hash":
                command = [b"HSET", key, *(part for pair in client.hgetall(key).items() for part in pair)]
            case b"zset":
                scored = client.zrange(key, 0, -1, withscores=True)
                command = [b"ZADD", key, *(part for one, score in scored for part in (repr(score).encode(), one))]
            case b"list":
                command = [b"RPUSH", key, *client.lrange(key, 0, -1)]
            case b"set":
                command = [b"SADD", key, *sorted(client.smembers(key))]
            case b"string":
                command = [b"SET", key, client.get(key)]
            case other:
                raise NotImplementedError(f"{key}: {other}")
        yield [part.decode("latin-1") for part in command]


def main() -> None:
    """Write the folder of the version that is installed."""
    out = Path(__file__).parent / memzoo.__version__
    out.mkdir()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        fill(f"sqlite:///{folder}/chat.db")
        (out / "chat.db.gz").write_bytes(gzip.compress((folder / "chat.db").read_bytes(), mtime=0))
        exported = run(["export", "--store", f"sqlite:///{folder}/chat.db"])
        (out / "export.jsonl").write_text(exported, encoding="utf-8")

        server = PostgresServer(folder / "postgres")
        database = server.new_database()
        fill(server.database_url(database))
        (out / "postgresql.sql").write_text(server.dump(database), encoding="utf-8")
        server.cleanup()

        redis = RedisServer(folder / "redis", free_ports(1)[0])
        fill(f"redis://127.0.0.1:{redis.port}/0")
        lines = (f"{json.dumps(command)}\n" for command in keys(redis.client()))
        (out / "redis.jsonl").write_text("".join(lines), encoding="utf-8")
        redis.close()

    with serve() as server_url, use_cassette(out / "cassette.yaml", record="once"):
        model = ChatModel("offline", base_url=server_url, api_key="none")
        drive(model.complete([{"role": "user", "content": SAID[0]}], "chat"))


if __name__ == "__main__":
    main()
