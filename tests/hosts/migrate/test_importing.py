"""`memzoo import --from`: what other libraries keep comes over once, whole, with its times."""

import functools
import json
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, message_to_dict
from typer.testing import CliRunner

from memzoo import ConversationBufferMemory, InMemoryStore, VectorStoreRetrieverMemory
from memzoo.cli.commands import app
from memzoo.errors import OptionError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.migrate.importing import READERS, import_logs, read_logs
from memzoo.sync import drive
from tests.hosts.sides import FileChatMessageHistory, SQLChatMessageHistory

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


def test_what_has_no_time_gets_none() -> None:
    """Neither today's nor that of its neighbours; what has one keeps it, also where it comes with a later import."""
    day = datetime(2019, 4, 2, 8, tzinfo=UTC)
    said: list[dict[str, Any]] = [
        {"role": role, "content": str(number)} for number in range(3) for role in ("user", "assistant")
    ]
    dates = [None, day, None, None, day, None]
    store = InMemoryStore()
    for count in (4, 6):
        import_logs(store, [ChatLog("anna", said[:count], dates[:count])])
    entries = drive(store.read("anna"))
    assert [entry.said_at for entry in entries] == dates
    assert [entry.created_at for entry in entries[:4]] == [day] * 4
    shown = VectorStoreRetrieverMemory(store=store, conversation_id="anna").load_memory_variables({"input": "0 1 2"})
    headings = [line for line in shown["history"].splitlines() if line.endswith(":")]
    assert headings == ["2 April 2019:", "Day unknown:"] * 2


@pytest.mark.parametrize("kind", ["langchain-sql", "langchain-file"])
def test_from_langchain(kind: str, tmp_path: Path) -> None:
    """Roles, names, calls and results are there; twice changes nothing, and what was said since comes over too."""
    source, old = history(kind, tmp_path)
    form = kind if kind in READERS else ""
    old.add_messages(SAID)
    store = InMemoryStore()
    [tried] = import_logs(store, read_logs(form, source), dry_run=True)
    assert drive(store.read("anna")) == []
    [first] = import_logs(store, read_logs(form, source))
    assert (first.read, first.written, first.digest) == (4, 4, tried.digest)
    memory = ConversationBufferMemory(store=store, conversation_id="anna")
    assert [without_none(message) for message in memory.history()] == EXPECTED
    assert import_logs(store, read_logs(form, source))[0].written == 0
    old.add_messages([HumanMessage("thanks"), AIMessage("welcome")])
    assert import_logs(store, read_logs(form, source))[0].written == 2
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
    [done] = import_logs(store, read_logs("", str(file)))
    entries = drive(store.read("thread_a"))
    assert (done.read, [entry.message["content"] for entry in entries]) == (2, ["hi", "hello"])
    assert entries[0].created_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert entries[0].turn_id == entries[1].turn_id


@pytest.mark.parametrize(
    ("form", "file"),
    [
        ("", "agents.sqlite"),
        ("", "langgraph.sqlite"),
        ("llama-index", "llama_index.json"),
        ("", "chatgpt_conversations.json"),
    ],
)
def test_from_files_of_others(form: str, file: str) -> None:
    """Files that the libraries themselves wrote come over, and once only."""
    store = InMemoryStore()
    done = import_logs(store, read_logs(form, str(FORMATS / file)))
    assert done
    assert all(one.read == one.written > 0 for one in done)
    assert {one.conversation_id for one in done} == set(drive(store.conversations()))
    assert [one.written for one in import_logs(store, read_logs(form, str(FORMATS / file)))] == [0] * len(done)


@pytest.mark.parametrize(
    "written",
    [
        b"\xc1",
        b"\x92\xc0",
        b"\x91" * 5_000 + b"\xc0",
        functools.reduce(lambda inner, _: b"\xc8" + len(inner).to_bytes(2) + b"\x05" + inner, range(1_000), b"\xc0"),
    ],
    ids=["no MessagePack", "cut off", "lists in lists", "objects in objects"],
)
def test_a_checkpoint_that_cannot_be_read(written: bytes, tmp_path: Path) -> None:
    """Whatever stands in a file, it is refused by name: nothing is made of it, and no depth ends the process."""
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute("create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        database.execute("insert into checkpoints values ('anna', '', '1', 'msgpack', ?)", (written,))
        database.commit()
    with pytest.raises(TransferError, match=r"x\.sqlite, 'anna' cannot be read as "):
        list(read_logs("", str(tmp_path / "x.sqlite")))


@pytest.mark.parametrize("place", ["llama_index.json", "sqlite+aiosqlite:///{}/llama_index.sqlite"])
def test_from_llama_index(place: str) -> None:
    """Calls come with their results, whether they stand in blocks or beside the text; what was archived comes too."""
    store = InMemoryStore()
    source = place.format(FORMATS) if "://" in place else str(FORMATS / place)
    done = import_logs(store, read_logs("llama-index", source))
    assert [(one.conversation_id, one.read, one.written) for one in done] == [("anna", 8, 8), ("ben", 2, 2)]
    said = [entry.message for entry in drive(store.read("anna"))]
    assert [message["role"] for message in said] == ["user", "assistant", "tool", "assistant"] * 2
    calls = [(said[at]["tool_calls"][0], said[at + 1]) for at in (1, 5)]
    assert [call["id"] == result["tool_call_id"] for call, result in calls] == [True, True]
    assert [json.loads(call["function"]["arguments"]) for call, _ in calls] == [{"a": 1, "b": 1}, {"a": 2, "b": 2}]
    assert said[3]["content"] == "It is 2."
    if "://" in place:
        [first, *_] = drive(store.read("anna"))
        assert int(first.created_at.timestamp()) == 1795332720


def keys_of_redis() -> str:
    """What the script on the page about migrating writes of a history on Redis: newest messages first."""
    lines = [json.dumps(message_to_dict(message)) for message in reversed(SAID)]
    return json.dumps({"key": "message_store:anna", "value": lines}) + "\n"


def documents_of_mongo() -> str:
    """What the script writes of MongoDB: a document for each message, here in another order than they were said."""
    documents = [
        {
            "_id": f"6553f1{place:02}0123456789abcdef",
            "SessionId": "anna",
            "History": json.dumps(message_to_dict(message)),
        }
        for place, message in enumerate(SAID)
    ]
    return "".join(json.dumps(document) + "\n" for document in reversed(documents))


@pytest.mark.parametrize(
    ("form", "lines"), [("langchain-redis", keys_of_redis()), ("langchain-mongo", documents_of_mongo())]
)
def test_from_lines_of_json(form: str, lines: str, tmp_path: Path) -> None:
    """Keys and documents that somebody saved as lines come over in the order in which they were said, once."""
    file = tmp_path / "lines.jsonl"
    file.write_text(lines, encoding="utf-8")
    store = InMemoryStore()
    assert [one.written for _ in range(2) for one in import_logs(store, read_logs(form, str(file)))] == [4, 0]
    entries = drive(store.read("anna"))
    assert [without_none(entry.message) for entry in entries] == EXPECTED
    if form == "langchain-mongo":
        assert entries[0].created_at == datetime.fromtimestamp(0x6553F100, UTC)


@pytest.mark.parametrize(
    ("form", "line"),
    [("langchain-redis", '{"key": "a"}'), ("langchain-redis", "[]"), ("langchain-mongo", '{"SessionId": "a"}')],
)
def test_a_line_of_another_kind(form: str, line: str, tmp_path: Path) -> None:
    """The error names the line, and what it must hold."""
    file = tmp_path / "lines.jsonl"
    file.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(
        TransferError, match=r"'line 2' cannot be read as [\w-]+: it must be an object with '\w+' and '\w+'"
    ):
        list(read_logs(form, str(file)))


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A Redis server of this test."""
    pytest.importorskip("redis", reason="needs the 'redis' extra")
    program = shutil.which("redis-server")
    if not program:
        pytest.skip("needs redis-server (Debian's package redis-server)")
    # A path of a socket may have some hundred characters only.
    with tempfile.TemporaryDirectory() as folder:
        place = ["--port", "0", "--unixsocket", f"{folder}/redis", "--dir", folder, "--save", ""]
        with subprocess.Popen([program, *place], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            assert any("ready to accept connections" in line.lower() for line in server.stdout)
            rest = threading.Thread(target=deque[str], args=(server.stdout, 0))
            rest.start()
            yield f"unix://{folder}/redis"
            server.terminate()
            rest.join()


@pytest.mark.parametrize("prefix", ["message_store:", "other:"])
def test_from_redis(redis_url: str, prefix: str) -> None:
    """A running server is read, whatever its keys begin with; other keys are left alone."""
    from langchain_community.chat_message_histories import RedisChatMessageHistory

    for session, messages in (("anna", SAID), ("ben", SAID[-1:])):
        old = RedisChatMessageHistory(session, url=redis_url, key_prefix=prefix)
        old.add_messages(messages)
        old.redis_client.close()
    store = InMemoryStore()
    source = redis_url if prefix == "message_store:" else f"{redis_url}#{prefix}"
    done = import_logs(store, read_logs("langchain-redis", source))
    assert [(one.conversation_id, one.written) for one in done] == [("anna", 4), ("ben", 1)]
    assert [without_none(entry.message) for entry in drive(store.read("anna"))] == EXPECTED
    if prefix != "message_store:":
        with pytest.raises(TransferError, match="no conversation"):
            list(read_logs("langchain-redis", redis_url))


@pytest.mark.parametrize("kind", ["chat", "generic"])
def test_a_role_of_ones_own_is_a_speaker(kind: str, tmp_path: Path) -> None:
    """langchain-core 1.8.3 writes its type "chat", @langchain/core 1.4.0 for JavaScript "generic"."""
    file = tmp_path / "talk.json"
    critic = {"type": kind, "data": {"content": "Really?", "role": "critic"}}
    file.write_text(json.dumps([{"type": "human", "data": {"content": "I am Ann."}}, critic]), encoding="utf-8")
    store = InMemoryStore()
    (done,) = import_logs(store, read_logs("", str(file)))
    messages = [entry.message for entry in drive(store.read(done.conversation_id))]
    assert [one["content"] for one in messages] == ["I am Ann.", "critic: Really?"]


def test_mongo_is_not_read_live() -> None:
    """A URL is refused with what to do instead."""
    with pytest.raises(TransferError, match="a line of JSON for each document"):
        list(read_logs("langchain-mongo", "mongodb://127.0.0.1/"))


def test_another_conversation_of_that_id(tmp_path: Path) -> None:
    """It is not mixed with what is there."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    memory = ConversationBufferMemory(conversation_id="anna")
    memory.save_context({"input": "something"}, {"output": "else"})
    with pytest.raises(TransferError, match="another conversation with the id 'anna'"):
        import_logs(memory.store, read_logs("", source))  # type: ignore[arg-type]
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
    command = ["import", source, "--store", f"sqlite:///{tmp_path}/new.db"]
    done = CliRunner().invoke(app, command)
    assert done.output.startswith("anna\t4 read\t4 new\tsha256 ")
    assert CliRunner().invoke(app, command).output == done.output.replace("4 new", "0 new")


def test_a_terminal_sees_how_far_an_import_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There it counts conversations, or shows how much of the file was read; the output is the same."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    monkeypatch.setenv("FORCE_COLOR", "1")
    url = f"sqlite:///{tmp_path}/new.db"
    done = CliRunner().invoke(app, ["import", source, "--store", url])
    assert "1 conversations" in done.stderr
    assert done.stdout.startswith("anna\t4 read")
    CliRunner().invoke(app, ["export", "--store", url, "--out", f"{tmp_path}/anna.jsonl"])
    again = CliRunner().invoke(app, ["import", f"{tmp_path}/anna.jsonl", "--store", f"sqlite:///{tmp_path}/other.db"])
    assert "Reading" in again.stderr
    assert again.stdout.startswith("'anna' is in")


def test_one_conversation_can_be_given_another_id(tmp_path: Path) -> None:
    """`--conversation` names the only one of a source; where there are several, it is refused."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    place = ["--store", f"sqlite:///{tmp_path}/new.db", "--conversation", "shop"]
    done = CliRunner().invoke(app, ["import", source, *place])
    assert done.output.startswith("shop\t4 read\t4 new")
    several = CliRunner().invoke(app, ["import", "--from", "llama-index", str(FORMATS / "llama_index.json"), *place])
    assert "has several conversations: 'anna' (anna), 'ben' (ben) ...; choose one with FILE:title=TEXT" in str(
        several.exception
    )


def test_a_folder_goes_on_with_the_next_file(tmp_path: Path) -> None:
    """Each file of a folder is read; one that cannot be is named, and the exit says so."""
    source, old = history("langchain-file", tmp_path)
    old.add_messages(SAID)
    folder, store = Path(source).parent, f"sqlite:///{tmp_path}/new.db"
    (folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    (folder / "odd.json").write_text('[{"type": "human", "data": {"content": "hi"}}, 7]', encoding="utf-8")
    done = CliRunner().invoke(app, ["import", str(folder), "--store", store])
    assert done.stdout.startswith("anna\t4 read\t4 new")
    assert f"{folder}/deep.json, item 0: this is not JSON (nested too deeply)" in done.stderr
    assert f"{folder}/odd.json cannot be read as chat messages: message 2: this is not a message: 7" in done.stderr
    assert str(done.exception) == "2 files or conversations could not be imported; everything else was imported"


def test_one_conversation_of_a_file_goes_on_with_the_next(tmp_path: Path) -> None:
    """A conversation that cannot be read, or has another one's id in the store, costs no other one."""
    talks = json.loads((FORMATS / "llama_index.json").read_text(encoding="utf-8"))
    file = tmp_path / "store.json"
    file.write_text(json.dumps({"store": {"odd": [{"role": "user"}], **talks["store"]}}), encoding="utf-8")
    memory, errors = ConversationBufferMemory(conversation_id="anna"), list[TransferError]()
    memory.save_context({"input": "something"}, {"output": "else"})
    store: Any = memory.store
    done = import_logs(store, read_logs("llama-index", str(file), errors.append), on_error=errors.append)
    assert [one.conversation_id for one in done] == ["ben"]
    assert ["'odd' cannot be read" in str(errors[0]), "another conversation with the id 'anna'" in str(errors[1])] == [
        True
    ] * 2
    assert len(memory.history()) == 2


def test_a_branch_that_is_cut_off(tmp_path: Path) -> None:
    """Where a message of ChatGPT's tree follows one that is not there, what was before it is not lost in silence."""
    [talk, *_] = json.loads((FORMATS / "chatgpt_conversations.json").read_text(encoding="utf-8"))
    del talk["mapping"]["s"]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([talk]), encoding="utf-8")
    with pytest.raises(TransferError, match="its messages are not a tree: 's' is not in it"):
        list(read_logs("", str(file)))


def test_a_dry_run_makes_no_store(tmp_path: Path) -> None:
    """What would be written is told, and there is no file afterwards."""
    command = ["import", "--from", "llama-index", str(FORMATS / "llama_index.json"), "--dry-run"]
    done = CliRunner().invoke(app, [*command, "--store", f"sqlite:///{tmp_path}/new.db"])
    assert done.output.startswith("anna\t8 read\t8 new")
    assert not list(tmp_path.iterdir())


def test_a_dry_run_looks_into_the_store_that_is_there(tmp_path: Path) -> None:
    """What the store has already is not told as new, also where its URL has options."""
    command = ["import", "--from", "llama-index", str(FORMATS / "llama_index.json")]
    url = f"sqlite:///{tmp_path}/chat.db?timeout=5"
    assert CliRunner().invoke(app, [*command, "--store", url]).output.startswith("anna\t8 read\t8 new")
    done = CliRunner().invoke(app, [*command, "--store", url, "--dry-run"])
    assert done.output.startswith("anna\t8 read\t0 new")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("sqlite:///{}/none.db", "there is no file"),
        ("{}/none.db", "is not the URL of a database"),
        ("sqlite:///{}/old.db#others; drop", "is not the name of a table"),
    ],
)
def test_a_database_that_cannot_be_meant(source: str, told: str, tmp_path: Path) -> None:
    """The error says what is wrong, and no database is made."""
    with pytest.raises(TransferError, match=told):
        list(read_logs("langchain-sql", source.format(tmp_path)))
    assert not list(tmp_path.iterdir())


def test_a_table_of_another_name(tmp_path: Path) -> None:
    """It is named behind the URL."""
    url = f"sqlite:///{tmp_path}/old.db"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = SQLChatMessageHistory("anna", connection=url, table_name="my_chats")
    old.add_messages(SAID)
    old.engine.dispose()
    [done] = import_logs(InMemoryStore(), read_logs("langchain-sql", f"{url}#my_chats"))
    assert (done.conversation_id, done.written) == ("anna", 4)


def test_a_refused_import_leaves_no_store(tmp_path: Path) -> None:
    """A source that cannot be read is one line, and nothing is made."""
    command = ["import", f"{tmp_path}/none.json", "--store", f"sqlite:///{tmp_path}/new.db"]
    assert isinstance(CliRunner().invoke(app, command).exception, OptionError)
    assert not list(tmp_path.iterdir())
