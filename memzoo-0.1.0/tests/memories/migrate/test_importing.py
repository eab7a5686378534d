"""`memzoo import --from`: what other libraries keep comes over once, whole, with its times."""

import json
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from typer.testing import CliRunner

from memzoo import ConversationBufferMemory, InMemoryStore
from memzoo.errors import TransferError
from memzoo.memories.cli.commands import app
from memzoo.memories.migrate.importing import READERS, import_logs, read_logs
from memzoo.stores.driving import drive
from tests.memories.hosts.sides import FileChatMessageHistory, SQLChatMessageHistory

FORMATS = Path(__file__).parents[2] / "benchmarks" / "formats"
CALL = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
SAID = [
    HumanMessage("1+1?", name="Anna"),
    AIMessage("", tool_calls=[CALL]),
    ToolMessage("2", tool_call_id="c1"),
    AIMessage("It is 2."),
]
EXPECTED: list[dict[str, Any]] = [
    {"role": "user", "content": "1+1?", "name": "Anna"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}],
    },
    {"role": "tool", "content": "2", "tool_call_id": "c1"},
    {"role": "assistant", "content": "It is 2."},
]
THREADS: dict[str, Any] = {
    "object": "list",
    "data": [
        {
            "id": f"msg_{place}",
            "object": "thread.message",
            "created_at": 1_700_000_000 + place,
            "thread_id": "thread_a",
            "role": role,
            "content": [{"type": "text", "text": {"value": text, "annotations": []}}],
        }
        for place, (role, text) in reversed([*enumerate([("user", "hi"), ("assistant", "hello")])])
    ],
}


def history(kind: str, folder: Path) -> tuple[str, Any]:
    """A source that LangChain made, and what made it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "langchain-sql":
            url = f"sqlite:///{folder}/old.db"
            return url, SQLChatMessageHistory("anna", connection=url)
        return f"{folder}/anna.json", FileChatMessageHistory(f"{folder}/anna.json")


@pytest.mark.parametrize("kind", ["langchain-sql", "langchain-file"])
def test_from_langchain(kind: str, tmp_path: Path) -> None:
    """Roles, names, calls and results are there; twice changes nothing, and what was said since comes over too."""
    source, old = history(kind, tmp_path)
    old.add_messages(SAID)
    store = InMemoryStore()
    [tried] = import_logs(store, read_logs(kind, source), dry_run=True)
    assert drive(store.read("anna")) == []
    [first] = import_logs(store, read_logs(kind, source))
    assert (first.read, first.written, first.digest) == (4, 4, tried.digest)
    memory = ConversationBufferMemory(store=store, conversation_id="anna")
    assert [without_none(message) for message in memory.history()] == EXPECTED
    assert import_logs(store, read_logs(kind, source))[0].written == 0
    old.add_messages([HumanMessage("thanks"), AIMessage("welcome")])
    assert import_logs(store, read_logs(kind, source))[0].written == 2
    assert [message["content"] for message in memory.history()[4:]] == ["thanks", "welcome"]
    if kind == "langchain-sql":
        old.engine.dispose()


def without_none(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what says nothing: an empty content may be "" or `None`."""
    return message | {"content": message["content"] or ""}


def test_from_threads(tmp_path: Path) -> None:
    """Pages of OpenAI's threads come newest first; order and times are those of the messages."""
    file = tmp_path / "pages.json"
    file.write_text(json.dumps([THREADS, THREADS]), encoding="utf-8")
    store = InMemoryStore()
    [done] = import_logs(store, read_logs("openai-threads", str(file)))
    entries = drive(store.read("thread_a"))
    assert (done.read, [entry.message["content"] for entry in entries]) == (2, ["hi", "hello"])
    assert entries[0].created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert entries[0].turn_id == entries[1].turn_id


@pytest.mark.parametrize(
    ("form", "file"),
    [("openai-agents", "agents.sqlite"), ("langgraph", "langgraph.sqlite"), ("chatgpt", "chatgpt_conversations.json")],
)
def test_from_files_of_others(form: str, file: str) -> None:
    """Files that the libraries themselves wrote come over, and once only."""
    store = InMemoryStore()
    done = import_logs(store, read_logs(form, str(FORMATS / file)))
    assert done
    assert all(one.read == one.written > 0 for one in done)
    assert {one.conversation_id for one in done} == set(drive(store.conversations()))
    assert [one.written for one in import_logs(store, read_logs(form, str(FORMATS / file)))] == [0] * len(done)


def test_another_conversation_of_that_id(tmp_path: Path) -> None:
    """It is not mixed with what is there."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    memory = ConversationBufferMemory(conversation_id="anna")
    memory.save_context({"input": "something"}, {"output": "else"})
    with pytest.raises(TransferError, match="another conversation 'anna'"):
        import_logs(memory.store, read_logs("langchain-file", source))  # type: ignore[arg-type]
    assert len(memory.history()) == 2


@pytest.mark.parametrize("form", [*READERS, "something"])
def test_what_cannot_be_read(form: str, tmp_path: Path) -> None:
    """A source of another kind, or a form that there is not, is an error that says so."""
    file = tmp_path / "x.json"
    file.write_text("[]", encoding="utf-8")
    source = f"sqlite:///{tmp_path}/none.db" if form == "langchain-sql" else str(file)
    with pytest.raises(Exception, match=r"cannot|no conversation"):
        list(read_logs(form, source))


def test_the_command(tmp_path: Path) -> None:
    """It prints what was read and written, and the digest."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    command = ["import", "--from", "langchain-file", source, "--store", f"sqlite:///{tmp_path}/new.db"]
    done = CliRunner().invoke(app, command)
    assert done.output.startswith("anna\t4 read\t4 new\tsha256 ")
    assert CliRunner().invoke(app, command).output == done.output.replace("4 new", "0 new")
