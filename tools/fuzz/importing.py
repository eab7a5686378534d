"""Fuzzes other libraries' files: an import reads each conversation unchanged, or names it and reads the rest."""

import copy
import json
import random
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from memzoo.errors import MemoryZooError, TransferError
from memzoo.hosts.migrate.importing import import_logs, read_logs
from memzoo.stores import InMemoryStore
from memzoo.sync import drive
from tools.fuzz.mutations import Fuzzed, changed, spoilt

__all__ = ["SOURCES", "fuzz_import"]

FORMATS = Path(__file__).parents[2] / "tests" / "benchmarks" / "formats"
_NAMES = ("anna", "ben", "cleo", "dan")
_BYTES = 0.3  # the share of files whose bytes are changed, and not what they mean

Talks = dict[str, Any]
"""A file's conversations as JSON, by id."""


def _langchain(name: str, number: int) -> list[Any]:
    call = {"name": "add", "args": {"a": number}, "id": "c1", "type": "tool_call"}
    return [
        {"type": "human", "data": {"content": f"I am {name}. 1+{number}?", "type": "human", "name": name}},
        {"type": "ai", "data": {"content": "", "type": "ai", "tool_calls": [call]}},
        {"type": "tool", "data": {"content": str(number + 1), "type": "tool", "tool_call_id": "c1"}},
        {"type": "ai", "data": {"content": [{"type": "text", "text": f"It is {number + 1}."}], "type": "ai"}},
    ]


def _each(make: Callable[[str, int], Any]) -> Talks:
    return {name: make(name, number) for number, name in enumerate(_NAMES)}


def _of_export(name: str, number: int) -> Any:
    talk = copy.deepcopy(json.loads((FORMATS / "chatgpt_conversations.json").read_text(encoding="utf-8"))[0])
    return {**talk, "conversation_id": name, "title": f"Talk {number}"}


def _of_thread(name: str, number: int) -> list[Any]:
    return [
        {
            "id": f"msg_{number}_{place}",
            "object": "thread.message",
            "created_at": 1_700_000_000 + place,
            "thread_id": name,
            "role": role,
            "content": [{"type": "text", "text": {"value": f"{text} {name}", "annotations": []}}],
        }
        for place, (role, text) in enumerate([("user", "hi"), ("assistant", "hello"), ("user", "bye")])
    ]


def _of_llama_index(_: str, number: int) -> list[Any]:
    store = json.loads((FORMATS / "llama_index.json").read_text(encoding="utf-8"))["store"]
    return store[["anna", "ben"][number % 2]]


def _of_agents(name: str, _: int) -> list[Any]:
    with closing(sqlite3.connect(FORMATS / "agents.sqlite")) as file:
        found = file.execute("select message_data, created_at from agent_messages where session_id = 'bakery'")
        return [{"session_id": name, "message_data": json.loads(data), "created_at": at} for data, at in found]


def _of_checkpoint(name: str, number: int) -> list[Any]:
    values = {"messages": [one["data"] | {"additional_kwargs": {}} for one in _langchain(name, number)], "llm_calls": 2}
    row = {"thread_id": name, "checkpoint_ns": "", "checkpoint_id": "1", "type": "json"}
    return [{**row, "checkpoint": {"v": 4, "channel_values": values}}]


def _of_memory(name: str, number: int) -> list[Any]:
    items = _of_llama_index(name, number)
    return [{"key": name, "timestamp": 10**18 + place, "data": item} for place, item in enumerate(items)]


def _in_json(wrap: Callable[[Talks], Any]) -> Callable[[Path, Talks], str]:
    def write(folder: Path, talks: Talks) -> str:
        (folder / "export.json").write_text(json.dumps(wrap(talks)), encoding="utf-8")
        return str(folder / "export.json")

    return write


def _in_lines(lines: Callable[[str, Any], list[Any]]) -> Callable[[Path, Talks], str]:
    def write(folder: Path, talks: Talks) -> str:
        written = [json.dumps(line) for name, talk in talks.items() for line in lines(name, talk)]
        (folder / "lines.jsonl").write_text("\n".join(written), encoding="utf-8")
        return str(folder / "lines.jsonl")

    return write


def _in_table(table: str, *columns: str, url: str = "{}") -> Callable[[Path, Talks], str]:
    def write(folder: Path, talks: Talks) -> str:
        file = folder / "old.sqlite"
        with closing(sqlite3.connect(file)) as database:
            database.execute(f"create table {table} (id integer primary key, {', '.join(columns)})")
            for talk in talks.values():
                for row in _listed(talk):
                    known = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
                    cells = [_cell(known.get(name)) for name in columns]
                    marks = ", ".join("?" * len(columns))
                    database.execute(f"insert into {table} ({', '.join(columns)}) values ({marks})", cells)  # noqa: S608
            database.commit()
        return url.format(file)

    return write


def _cell(value: Any) -> Any:
    is_plain = value is None or (isinstance(value, str) and "\ud800" not in value) or isinstance(value, float)
    fits = isinstance(value, int) and abs(value) < 2**63
    return value if is_plain or fits else json.dumps(value)


def _in_files(folder: Path, talks: Talks) -> str:
    for name, talk in talks.items():
        (folder / f"{name}.json").write_text(json.dumps(talk), encoding="utf-8")
    return str(folder)


SOURCES: Mapping[str, tuple[str, Callable[[str, int], Any], Callable[[Path, Talks], str]]] = {
    "langchain-sql": (
        "langchain-sql",
        lambda name, number: [{"session_id": name, "message": one} for one in _langchain(name, number)],
        _in_table("message_store", "session_id", "message", url="sqlite:///{}"),
    ),
    "langchain-redis": (
        "langchain-redis",
        lambda name, number: {"key": f"message_store:{name}", "value": _langchain(name, number)[::-1]},
        _in_lines(lambda _, talk: [talk]),
    ),
    "langchain-mongo": (
        "langchain-mongo",
        lambda name, number: [
            {"_id": f"6553f1{number}{place}", "SessionId": name, "History": json.dumps(one)}
            for place, one in enumerate(_langchain(name, number))
        ],
        _in_lines(lambda _, talk: _listed(talk)),
    ),
    "langchain-file": ("", _langchain, _in_files),
    "langgraph": (
        "",
        _of_checkpoint,
        _in_table("checkpoints", "thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"),
    ),
    "openai-agents": (
        "",
        _of_agents,
        _in_table("agent_messages", "session_id", "message_data", "created_at"),
    ),
    "openai-threads": (
        "",
        _of_thread,
        _in_json(lambda talks: {"data": [one for talk in talks.values() for one in _listed(talk)][::-1]}),
    ),
    "llama-index": ("llama-index", _of_llama_index, _in_json(lambda talks: {"store": talks})),
    "llama-index, database": (
        "llama-index",
        _of_memory,
        _in_table("llama_index_memory", "key", "timestamp", "data", url="sqlite:///{}"),
    ),
    "chatgpt": ("", _of_export, _in_json(lambda talks: list(talks.values()))),
}
"""For each form: its name for `--from`, a function that makes a conversation, and a function that writes a file."""


def _listed(talk: Any) -> list[Any]:
    return cast("list[Any]", talk) if isinstance(talk, list) else [talk]


def fuzz_import(kind: str, count: int, folder: Path, seed: int = 0) -> Fuzzed:
    """Change `count` files of a form, and import each file.

    Args:
        kind: The name of a form in `SOURCES`.
        count: The number of changed files.
        folder: An empty folder.
        seed: The seed of the changes.
    """
    form, make, write = SOURCES[kind]
    talks, fuzzed = _each(make), Fuzzed(kind)
    chance = random.Random(f"{seed} {kind}")  # noqa: S311 - chance that repeats
    (folder / "sound").mkdir()
    sound = {log.key: log for log in read_logs(form, write(folder / "sound", talks))}
    assert set(sound) == set(_NAMES)
    for number in range(count):
        place = folder / str(number)
        place.mkdir()
        name = chance.choice(_NAMES)
        is_apart = chance.random() >= _BYTES
        talk = changed(talks[name], chance)
        source = write(place, {**talks, name: talk} if is_apart else talks)
        if not is_apart:
            file = chance.choice([one for one in place.iterdir() if one.is_file()])
            file.write_bytes(spoilt(file.read_bytes(), chance))
        _read(fuzzed, form, source, sound, name if is_apart else "")
    return fuzzed


def _read(fuzzed: Fuzzed, form: str, source: str, sound: Mapping[str, Any], name: str) -> None:
    errors: list[TransferError] = []
    store = InMemoryStore()
    try:
        logs = list(read_logs(form, source, errors.append))
        done = import_logs(store, logs, on_error=errors.append)
        again = import_logs(store, logs, on_error=lambda _: None)
    except MemoryZooError as error:
        fuzzed.wrong.append(f"{source} stops at {error!r}")
        return
    except Exception as error:  # noqa: BLE001 - what must not be
        fuzzed.wrong.append(f"{source}: {error!r}")
        return
    fuzzed.holds(not any(one.written for one in again), f"{source}: something is imported twice")
    kept = {id_: [entry.message for entry in drive(store.read(id_))] for id_ in drive(store.conversations())}
    read = {log.key: log.messages for log in logs}
    fuzzed.holds({one.conversation_id for one in done} == set(kept), f"{source}: more is kept than was told")
    fuzzed.holds(all(kept[id_] in [read[id_], *kept.values()] for id_ in kept), f"{source}: half a conversation")
    if name:
        for other in set(sound) - {name}:
            fuzzed.holds(other in kept, f"{source}: {other} is lost")
            fuzzed.holds(kept.get(other) == list(sound[other].messages), f"{source}: {other} is another one")
        # A thread of LangGraph's, or a list in Redis, need not have messages.
        is_there = errors or len(kept) >= len(sound) or fuzzed.kind in ("langgraph", "langchain-redis")
        fuzzed.holds(bool(is_there), f"{source}: {name} is gone")
    fuzzed.outcomes["refused by name" if errors else "read"] += 1
