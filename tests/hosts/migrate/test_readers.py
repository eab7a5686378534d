"""What becomes of the messages in each form that is imported: words, calls, results, times, and what is refused."""

import asyncio
import importlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo import InMemoryStore
from memzoo.errors import ConflictError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, date_of, reason
from memzoo.hosts.migrate.importing import READERS, import_logs, read_logs
from memzoo.stores import Entry, Message
from memzoo.sync import drive

USER = {"role": "user", "content": "Hi"}
DATABASES = "OpenAI Agents' sessions, LangGraph's checkpoints"


def logs_in(form: str, source: Path | str, document: Any = None) -> tuple[list[ChatLog], list[str]]:
    """What a source is read as, and what is said of the rest; a document is written there first."""
    if document is not None:
        Path(source).write_text(json.dumps(document), encoding="utf-8")
    errors = list[TransferError]()
    logs = list(read_logs(form if form in READERS else "", str(source), errors.append))
    return logs, [str(error).replace(str(source), "FILE") for error in errors]


def said_in(form: str, source: Path, document: Any) -> list[Message]:
    """The messages of the one conversation of a source."""
    ([log], errors) = logs_in(form, source, document)
    assert not errors
    return list(log.messages)


def file_of(form: str, item: Any, folder: Path) -> tuple[Path, Any]:
    """A file of a form with one message in it."""
    documents: dict[str, Any] = {
        "langchain-file": [item],
        "llama-index": {"store": {"anna": [item]}},
        "chatgpt": [{"id": "anna", "mapping": {"a": {"message": item, "parent": None}}}],
    }
    if form == "openai-threads":
        documents[form] = {"data": [{"id": "m", "thread_id": "anna", "created_at": 1, **item}]}
    return folder / "file.json", documents[form]


def call(id_: str, name: str, arguments: str) -> Message:
    """A message with a call of a tool."""
    function = {"name": name, "arguments": arguments}
    calls = [{"id": id_, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def of_gpt(role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    """A message of ChatGPT's export."""
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}, **more}


PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}


_BECOMES: list[tuple[str, Any, Message]] = [
    (
        "langchain-file",
        {"type": "AIMessageChunk", "data": {"content": "Hi"}},
        {"role": "assistant", "content": "Hi"},
    ),
    ("langchain-file", {"type": "chat", "data": {"role": "Human", "content": "Hi"}}, USER),
    (
        "langchain-file",
        {"type": "chat", "data": {"role": "moderator", "content": "Hi"}},
        USER | {"content": "moderator: Hi"},
    ),
    (
        "langchain-file",
        {"type": "chat", "data": {"role": "tool", "content": ["See", PICTURE]}},
        USER | {"content": [{"type": "text", "text": "tool:"}, {"type": "text", "text": "See"}, PICTURE]},
    ),
    (
        "langchain-file",
        {"type": "ai", "data": {"content": "", "invalid_tool_calls": [{"id": "c", "name": "f", "args": "{"}]}},
        call("c", "f", "{") | {"content": ""},
    ),
    (
        "langchain-file",
        {"type": "human", "additional_kwargs": {}, "content": "Hi", "name": "Anna"},
        USER | {"name": "Anna"},
    ),
    ("langchain-file", {"lc": 1, "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Hi"}}, USER),
    (
        "langchain-file",
        {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "add", "args": {"a": 1}}]}},
        call("call-0", "add", '{"a": 1}') | {"content": ""},
    ),
    (
        "langchain-file",
        {"type": "function", "data": {"content": "2", "name": "add"}},
        {"role": "tool", "content": "2", "tool_call_id": "add"},
    ),
    (
        "langchain-file",
        {"type": "tool", "data": {"content": "2", "name": "add", "tool_call_id": "c"}},
        {"role": "tool", "content": "2", "tool_call_id": "c"},
    ),
    ("langchain-file", {"role": "human", "content": ["Hi", {"text": "there"}]}, USER | {"content": "Hi\nthere"}),
    ("langchain-file", {"from": "gpt", "value": "Hi"}, {"role": "assistant", "content": "Hi"}),
    (
        "langchain-file",
        {"role": "user", "content": [{"type": "text", "text": "See"}, PICTURE | {"odd": 1}]},
        USER | {"content": [{"type": "text", "text": "See"}, PICTURE]},
    ),
    (
        "langchain-file",
        {"role": "user", "content": [{"content_type": "scan", "filename": "a.pdf", "caption": "A"}]},
        USER | {"content": "[a.pdf]"},
    ),
    ("langchain-file", {"role": "user", "content": [7]}, USER | {"content": "[attachment]"}),
    ("langchain-file", {"role": "user", "text": "Hi", "content": None}, USER),
    (
        "langchain-file",
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        call("c", "f", "{}"),
    ),
    (
        "langchain-file",
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'},
        call("c", "f", '{"a": 1}'),
    ),
    (
        "langchain-file",
        {"type": "function_call_output", "call_id": "c", "output": "2"},
        {"role": "tool", "content": "2", "tool_call_id": "c"},
    ),
    (
        "langchain-file",
        {"type": "function_call_output", "call_id": "c", "output": {"a": "é"}},
        {"role": "tool", "content": '{"a": "é"}', "tool_call_id": "c"},
    ),
    (
        "langchain-file",
        {"type": "function_call_output", "call_id": "c"},
        {"role": "tool", "content": "", "tool_call_id": "c"},
    ),
    # The short forms that LangChain takes for messages.
    *(
        ("langchain-file", short, expected)
        for short, expected in (
            (["user", "Hi"], USER),
            (["human", [{"type": "text", "text": "Hi"}]], USER),
            (["developer", "Hi"], USER | {"role": "developer"}),
            ({"type": "human", "content": "Hi"}, USER),
            ({"role": "human", "content": "Hi", "id": "m1"}, USER),
            (
                {"role": "ai", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c"}]},
                call("c", "f", '{"a": 1}') | {"content": ""},
            ),
            (
                {"type": "assistant", "content": "", "tool_calls": [call("c", "f", "{}")["tool_calls"][0]]},
                call("c", "f", "{}") | {"content": ""},
            ),
            (
                {"type": "tool", "content": "2", "tool_call_id": "c", "status": "success"},
                {"role": "tool", "content": "2", "tool_call_id": "c"},
            ),
        )
    ),
    (
        "openai-threads",
        {"role": "user", "content": [{"type": "text", "text": {"value": "Hi", "annotations": []}}]},
        USER,
    ),
    ("llama-index", {"role": "user", "content": "Hi"}, USER),
    (
        "llama-index",
        {
            "role": "user",
            "blocks": [{"block_type": "text", "text": "Hi"}, {"block_type": "thinking", "content": "Hm"}],
        },
        USER,
    ),
    (
        "llama-index",
        {"role": "user", "blocks": [{"block_type": "image", "url": "https://example.org/cat.png"}]},
        USER | {"content": [PICTURE]},
    ),
    (
        "llama-index",
        {"role": "user", "blocks": [{"block_type": "image", "image": "R0lG"}, {"block_type": "audio"}]},
        USER | {"content": "[image] [audio]"},
    ),
    (
        "llama-index",
        {"role": "assistant", "blocks": [{"block_type": "tool_call", "tool_name": "f"}]},
        call("f", "f", "{}") | {"content": ""},
    ),
    (
        "llama-index",
        {
            "role": "assistant",
            "blocks": [{"block_type": "tool_call", "tool_call_id": "c", "tool_name": "f", "tool_kwargs": {"a": 1}}],
        },
        call("c", "f", '{"a": 1}') | {"content": ""},
    ),
    (
        "llama-index",
        {"role": "tool", "content": "2", "additional_kwargs": {"tool_call_id": "c", "name": "f", "odd": 1}},
        {"role": "tool", "content": "2", "tool_call_id": "c", "name": "f"},
    ),
    ("chatgpt", of_gpt("user", "Hi", "", None), USER),
    (
        "chatgpt",
        of_gpt("user", {"content_type": "image_asset_pointer"}, "Hi"),
        USER,
    ),
    ("chatgpt", {"author": {"role": "user"}, "content": {"text": "Hi"}}, USER),
]


@pytest.mark.parametrize(("form", "item", "expected"), _BECOMES)
def test_what_a_message_becomes(form: str, item: Any, expected: Message, tmp_path: Path) -> None:
    """A message in OpenAI's words, with its calls, results and pictures."""
    assert said_in(form, *file_of(form, item, tmp_path)) == [expected]


def of_ai(**more: Any) -> dict[str, Any]:
    """What the assistant said without a word, as LangChain dumps it."""
    return {"type": "ai", "data": {"content": "", "tool_calls": [], "additional_kwargs": more}}


ADD = {"name": "add", "arguments": '{"a": 1}'}
ADDED = {"type": "function", "data": {"content": "2", "name": "add"}}


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        (
            [
                of_ai(tool_calls=[{"id": "c", "function": ADD}]),
                {"type": "tool", "data": {"content": "2", "tool_call_id": "c"}},
            ],
            ["c"],
        ),
        ([of_ai(function_call=ADD), ADDED, of_ai(function_call=ADD), ADDED], ["call-0", "call-1"]),
        ([of_ai(function_call=ADD), of_ai(function_call=ADD), ADDED], ["call-0", "call-1"]),
        ([of_ai(tool_calls=[{"id": "c", "function": {"name": "f"}}, {"id": "d", "function": ADD}]), ADDED], ["c", "d"]),
        ([of_ai(tool_calls=[{"id": "c", "function": ADD}, {"id": "c", "function": ADD}]), ADDED, ADDED], ["c", "c"]),
        (
            [
                {"role": "assistant", "content": None, "function_call": ADD},
                {"role": "function", "name": "add", "content": "2"},
            ],
            ["call-0"],
        ),
    ],
)
def test_older_forms_of_calls(said: list[Any], ids: list[str], tmp_path: Path) -> None:
    """Calls of functions are calls of tools, each with an id of its own, which its result has too."""
    messages = said_in("langchain-file", tmp_path / "file.json", said)
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert [call["id"] for call in calls] == ids
    assert {**ADD} in [call["function"] for call in calls]
    results = [message for message in messages if message["role"] == "tool"]
    assert all(result["content"] == "2" for result in results)
    assert [result["tool_call_id"] for result in results] == ids[-len(results) :]
    assert not any({"function_call", "name"} & message.keys() for message in messages)


@pytest.mark.parametrize(
    ("form", "item", "left_out"),
    [
        ("langchain-file", {"type": "remove", "data": {"content": "", "id": "x"}}, ""),
        ("langchain-file", {"type": "reasoning", "summary": []}, ""),
        ("chatgpt", of_gpt("tool", "2"), "1 tool step"),
        ("chatgpt", of_gpt("assistant", "f()", recipient="python"), "1 tool step"),
        ("chatgpt", of_gpt("user", "Hi", metadata={"is_visually_hidden_from_conversation": True}), ""),
        ("chatgpt", of_gpt("user"), ""),
        (
            *("chatgpt", {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "text": "Hm"}}),
            "1 thought",
        ),
    ],
)
def test_what_nobody_said_is_left_out(form: str, item: Any, left_out: str, tmp_path: Path) -> None:
    """Thoughts, removals, what tools and the application wrote: a conversation of that alone is none."""
    logs, (error,) = logs_in(form, *file_of(form, item, tmp_path))
    assert not logs
    assert error.endswith(f"has no text: left out: {left_out}" if left_out else " has no conversation with text in it")


def test_messages_without_a_text_are_told(tmp_path: Path) -> None:
    """Also where there is nothing else."""
    item = {"role": "ai", "content": None}
    told = "FILE, 'file', has no text: 1 message without text left out"
    assert logs_in("langchain-file", *file_of("langchain-file", item, tmp_path)) == ([], [told])


@pytest.mark.parametrize(
    ("form", "item", "told"),
    [
        ("langchain-file", {"type": "chat", "data": {"content": "Hi"}}, "message 1: 'chat' is not a known role"),
        ("langchain-file", {"type": "cat", "data": {"content": "Miaow"}}, "message 1: 'cat' is not a known role"),
        ("langchain-file", {"role": "user"}, "message 1: the content of a user message must be a string"),
        ("langchain-file", {"type": "function_call", "role": "user"}, "message 1: the content of a user message must"),
        ("langchain-file", 7, "item 0 is in none of the known formats: it contains 7"),
        ("langchain-file", ["Hi", "there"], "item 0 is in none of the known formats: it contains ['Hi', 'there']"),
        ("llama-index", {"role": "user"}, "message 1: it has neither 'blocks' nor 'content'"),
        ("llama-index", {"content": "Hi"}, "message 1: KeyError: 'role'"),
        ("chatgpt", of_gpt("cat", "Miaow"), "a message is from 'cat', which is not a known role"),
        (
            "chatgpt",
            {"author": {"role": "user"}, "content": {"parts": "Hi"}},
            "the parts of a message are not a list: 'Hi'",
        ),
        ("openai-threads", {"role": "user", "content": 7}, "message 1: the content of a user message must be a string"),
    ],
)
def test_what_is_no_message_is_named(form: str, item: Any, told: str, tmp_path: Path) -> None:
    """The error says which message of which conversation it is, and what is wrong."""
    logs, [refused, *more] = logs_in(form, *file_of(form, item, tmp_path))
    assert (logs, told in refused, more) == ([], True, []), refused


@pytest.mark.parametrize(
    ("form", "document", "told"),
    [
        (
            "llama-index",
            {"shop": {}},
            ["FILE cannot be read as llama-index: it is not the file of a SimpleChatStore: it has no 'store'"],
        ),
        (
            "llama-index",
            {"store": {"ben": 7}},
            ["FILE, 'ben' cannot be read as llama-index: this is not a list of messages: 7"],
        ),
        (
            "openai-threads",
            [{}, 7, {"data": 7}, {"data": [{"thread_id": None}, {}]}],
            [
                *(
                    f"FILE, 'page {page}' cannot be read as OpenAI Assistants: "
                    "this is not a page of messages with 'data'"
                    for page in (2, 3)
                ),
                *(
                    f"FILE, 'message {n} of page 4' cannot be read as OpenAI Assistants: "
                    "it does not say to which thread it belongs"
                    for n in (1, 2)
                ),
            ],
        ),
    ],
)
def test_what_is_no_conversation_is_named(form: str, document: Any, told: list[str], tmp_path: Path) -> None:
    """Each by its id, or its place in the file."""
    logs, errors = logs_in(form, tmp_path / "file.json", document)
    assert (logs, errors[: len(told)]) == ([], told)


@pytest.mark.parametrize("circle", ["a", "b"])
def test_a_tree_that_goes_in_circles(circle: str, tmp_path: Path) -> None:
    """A message of ChatGPT's that follows itself is refused."""
    nodes = {name: {"message": of_gpt("user", name), "parent": parent} for name, parent in (("a", circle), ("b", "a"))}
    _, [told, *_] = logs_in("chatgpt", tmp_path / "c.json", [{"id": "anna", "mapping": nodes}])
    assert "its messages are not a tree: " in told


def test_the_branch_that_was_shown_last(tmp_path: Path) -> None:
    """Of ChatGPT's tree the one that ends at the current node is read, with its times; without one, the newest."""
    parents = {"root": None, "q": "root", "old": "q", "new": "q"}
    nodes = {name: {"message": of_gpt("user", name, create_time=7), "parent": at} for name, at in parents.items()}
    nodes["root"]["message"] = None
    for current, newest in (("old", "old"), (None, "new")):
        ([log], _) = logs_in("chatgpt", tmp_path / "c.json", {"title": "T", "mapping": nodes, "current_node": current})
        assert [message["content"] for message in log.messages] == ["q", newest]
        assert (log.title, log.dates) == ("T", [datetime.fromtimestamp(7, UTC)] * 2)


def test_pages_of_threads_are_put_in_order(tmp_path: Path) -> None:
    """Threads that are mixed come apart, and messages that are there twice come once, oldest first."""
    page = [
        {"id": f"{thread}{at}", "thread_id": thread, "created_at": at, "role": "user", "content": f"{thread}{at}"}
        for at in (3, 1, 2)
        for thread in "ab"
    ]
    logs, _ = logs_in("openai-threads", tmp_path / "pages.json", [{"data": page[:4]}, {"data": page[2:]}])
    said = [[message["content"] for message in log.messages] for log in logs]
    assert said == [["a1", "a2", "a3"], ["b1", "b2", "b3"]]


def agents_file(path: Path, items: Sequence[tuple[Any, Any]]) -> Path:
    """A file of the OpenAI Agents SDK's sessions."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table agent_messages (id integer primary key, session_id, message_data, created_at)")
        rows = [(session, json.dumps(item)) for session, item in items]
        sql = "insert into agent_messages (session_id, message_data, created_at) values (?, ?, '2026-01-02 03:04:05')"
        database.executemany(sql, rows)
        database.commit()
    return path


def test_sessions_of_openai_agents(tmp_path: Path) -> None:
    """Calls come with their results; what has no words is passed over; what belongs to nobody is named."""
    items: list[Any] = [
        {"role": "user", "content": [{"type": "input_text", "text": "Add."}]},
        {"type": "reasoning", "summary": []},
        {"type": "web_search_call", "id": "ws"},
        {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "2"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 2."}]},
    ]
    odd = [{"type": "thing", "role": "assistant"}, {"type": "message"}, {"role": "cat"}]
    rows = [*(("anna", item) for item in items), *((f"odd{place}", item) for place, item in enumerate(odd))]
    logs, errors = logs_in("openai-agents", agents_file(tmp_path / "a.db", [*rows, (None, items[0])]))
    assert [(log.title, len(log.messages)) for log in logs] == [("anna", 4)]
    result = {"role": "tool", "tool_call_id": "c", "content": "2"}
    answer = {"role": "assistant", "content": "It is 2."}
    assert logs[0].messages == [{"role": "user", "content": "Add."}, call("c", "add", "{}"), result, answer]
    assert set(logs[0].dates) == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}
    assert "'messages of no session' cannot be read" in errors[0]
    assert [f"'odd{place}' cannot be read" in error for place, error in enumerate(errors[1:])] == [True] * 3


def test_calls_of_one_answer_of_openai_agents(tmp_path: Path) -> None:
    """They are one message, with what was said before them: no window parts them."""
    items: list[Any] = [
        {"role": "user", "content": "Add twice."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I add."}]},
        *({"type": "function_call", "call_id": id_, "name": "add", "arguments": "{}"} for id_ in "cd"),
        *({"type": "function_call_output", "call_id": id_, "output": "2"} for id_ in "cd"),
    ]
    ((log,), _) = logs_in("openai-agents", agents_file(tmp_path / "a.db", [("anna", item) for item in items]))
    assert [message["role"] for message in log.messages] == ["user", "assistant", "tool", "tool"]
    assert log.messages[1]["content"] == "I add."
    assert [one["id"] for one in log.messages[1]["tool_calls"]] == ["c", "d"]


def checkpoints_file(path: Path, rows: Sequence[tuple[str, str, str, Any]]) -> Path:
    """A file of LangGraph's checkpoints: thread, namespace, id, values of the channels."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        documents = [(*row[:3], "json", json.dumps({"channel_values": row[3]})) for row in rows]
        database.executemany("insert into checkpoints values (?, ?, ?, ?, ?)", documents)
        database.commit()
    return path


def test_checkpoints_of_langgraph(tmp_path: Path) -> None:
    """The newest state of a thread counts, of it the channel with the most messages; subgraphs have their own."""
    hi: dict[str, Any] = {"type": "human", "content": "Hi", "additional_kwargs": {}}
    ok = {"role": "assistant", "content": "OK"}
    channels: dict[str, Any] = {"words": ["Hi", "there", "you"], "talk": [hi, ok], "last": [ok]}
    rows: list[tuple[str, str, str, Any]] = [
        ("anna", "", "1", {"talk": [hi]}),
        ("anna", "", "2", channels),
        ("anna", "inner:1", "3", {"talk": [ok]}),
        ("ben", "", "1", {"messages": 7}),
        ("cleo", "", "1", {"words": ["Hi"]}),
        ("dora", "", "1", {"talk": [hi, 7]}),
    ]
    logs, errors = logs_in("langgraph", checkpoints_file(tmp_path / "c.db", rows))
    assert [(log.title, log.messages) for log in logs] == [("anna", [USER, {"role": "assistant", "content": "OK"}])]
    assert errors == [
        f"FILE, 'ben' cannot be read as {DATABASES}: its 'messages' are not a list: 7",
        f"FILE, 'dora' cannot be read as {DATABASES}: message 2: this is not a message: 7",
    ]


def test_short_forms_in_checkpoints(tmp_path: Path) -> None:
    """A state without LangGraph's reducer keeps messages as they were given; bare texts count in "messages" only."""
    msgpack: Any = importlib.import_module("msgpack")
    pair = msgpack.ExtType(0, msgpack.packb(["builtins", "tuple", ["user", "Hi"]]))
    channels = {"messages": ["Hi", pair, ["ai", "OK"]], "words": ["a", "b", "c", "d"]}
    written: bytes = msgpack.packb({"channel_values": channels})
    with closing(sqlite3.connect(tmp_path / "c.db")) as database:
        database.execute("create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        database.execute("insert into checkpoints values ('anna', '', '1', 'msgpack', ?)", (written,))
        database.commit()
    [log], errors = logs_in("langgraph", tmp_path / "c.db")
    assert (log.messages, errors) == ([USER, USER, {"role": "assistant", "content": "OK"}], [])


@pytest.mark.parametrize(("levels", "is_read"), [(8, True), (9, False)])
def test_objects_within_objects(levels: int, is_read: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """LangGraph's are a few levels deep; more is refused before it takes the stack."""
    msgpack: Any = importlib.import_module("msgpack")
    inner: bytes = msgpack.packb({"role": "user", "content": "Hi"})
    for _ in range(levels - 1):
        inner = msgpack.packb(msgpack.ExtType(5, inner))
    written: bytes = msgpack.packb({"channel_values": {"messages": [msgpack.ExtType(5, inner)]}})
    with closing(sqlite3.connect(tmp_path / "c.db")) as database:
        database.execute("create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        database.execute("insert into checkpoints values ('anna', '', '1', 'msgpack', ?)", (written,))
        database.commit()
    logs, errors = logs_in("langgraph", tmp_path / "c.db")
    assert [log.messages for log in logs] == [[USER]] * is_read
    assert ["nested too deeply" in error for error in errors[:1]] == [True] * (not is_read)


def test_a_text_that_is_no_text(tmp_path: Path) -> None:
    """What is no UTF-8 spoils the conversation that it stands in, and no other one."""
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.execute("create table message_store (id integer primary key, session_id, message)")
        message = '{"type": "human", "data": {"content": "%s"}}'
        for session, text in (("anna", b"caf\xe9"), ("ben", b"Hi")):
            written = (message % "@").encode().replace(b"@", text)
            sql = "insert into message_store (session_id, message) values (?, cast(? as text))"
            database.execute(sql, (session, written))
        database.commit()
    logs, errors = logs_in("langchain-sql", f"sqlite:///{tmp_path / 'old.db'}")
    assert [(log.title, log.messages) for log in logs] == [("ben", [USER])]
    assert [error.startswith("FILE, 'anna' cannot be read") for error in errors] == [True]


def test_a_database_of_something_else(tmp_path: Path) -> None:
    """The error names what is expected, and the tables that there are."""
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute("create table cats (name)")
    _, [told, *_] = logs_in("langgraph", tmp_path / "x.db")
    assert told.endswith("(table checkpoints); there are the tables cats")


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (0, None),
        (-1, None),
        (True, None),
        (float("nan"), None),
        (10**14, None),
        (None, None),
        ("soon", None),
        ("0001-01-01T00:00:00+05:00", None),
        (1, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
        (10**11, datetime.fromtimestamp(10**11, UTC)),
        (10**11 + 1000, datetime.fromtimestamp(10**8 + 1, UTC)),
        (" 2026-03-02T09:15:00+02:00", datetime(2026, 3, 2, 7, 15, tzinfo=UTC)),
        ("2026-03-02 09:15", datetime(2026, 3, 2, 9, 15, tzinfo=UTC)),
    ],
)
def test_dates(value: Any, date: datetime | None) -> None:
    """Seconds and milliseconds since 1970, ISO 8601 with a zone or in UTC; nothing else is a date."""
    assert date_of(value) == date


def test_what_an_error_says_is_short() -> None:
    """A line of some hundred characters, with the kind of a foreign error in front."""
    assert reason(ValueError("a\n  b")) == "ValueError: a b"
    assert reason(TransferError("a b")) == "a b"
    assert reason(TransferError("x" * 300)) == "x" * 300
    assert reason(TransferError("x" * 301)) == "x" * 300 + " ..."


def test_a_message_without_a_time_has_that_of_the_one_before() -> None:
    """The first ones that of the first that has one; what is appended later continues the turn that was begun."""
    store, first, second = InMemoryStore(), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    answer = {"role": "assistant", "content": "Hello."}
    said, dates = [USER, answer, USER, answer, answer], [None, first, None, second, None]
    import_logs(store, [ChatLog("anna", said[:4], dates[:4])])
    [done] = import_logs(store, [ChatLog("anna", said, dates)])
    assert (done.read, done.written) == (5, 1)
    entries = drive(store.read("anna"))
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.created_at for entry in entries[:4]] == [first, first, first, second]
    assert [entry.turn_id for entry in entries] == ["import-0", "import-0", "import-2", "import-2", "import-2-4"]


class Meddled(InMemoryStore):
    """Somebody else writes first, or the store changes what it is given."""

    conflicts = False

    async def restore(self, conversation_id: str, entries: Sequence[Entry], *args: Any, **options: Any) -> None:
        """See `ManagedStore.restore`."""
        if self.conflicts:
            raise ConflictError("it is there")
        changed = [replace(entry, message={**entry.message, "content": "?"}) for entry in entries]
        await super().restore(conversation_id, changed, *args, **options)


def test_a_store_that_does_not_keep_what_it_is_given() -> None:
    """What is read back is compared; whoever was faster is not mixed with this."""
    store, log = Meddled(), ChatLog("anna", [USER], [None])
    with pytest.raises(TransferError, match="does not return conversation 'anna' as it was written"):
        import_logs(store, [log])
    store, store.conflicts = Meddled(), True
    with pytest.raises(
        TransferError, match="already has another conversation with the id 'anna'; nothing of this one was written"
    ):
        import_logs(store, [log])
    assert asyncio.run(store.conversations()) == []


def test_a_folder_is_read_without_what_is_hidden(tmp_path: Path) -> None:
    """Files within folders too, in the order of their names; a file without a conversation is told."""
    (tmp_path / "sub").mkdir()
    talk = [{"role": "user", "content": "Hi"}]
    for name, document in (("b.json", talk), ("sub/c.json", talk), (".a.json", talk), ("empty.json", [])):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    logs, errors = logs_in("langchain-file", tmp_path)
    assert [log.title for log in logs] == ["b", "c"]
    assert errors == ["FILE/empty.json is an empty list"]


@pytest.mark.parametrize(
    ("form", "line", "told"),
    [
        (
            "langchain-redis",
            '{"key": "message_store:anna", "value": 7}',
            "'message_store:anna' {}: 'value' is not a list: 7",
        ),
        (
            "langchain-mongo",
            '{"SessionId": null, "History": {}}',
            "'message 1' {}: it does not say to which conversation it belongs",
        ),
        ("langchain-mongo", "{", "'line 2' {}: it cannot be read as JSON: JSONDecodeError"),
    ],
)
def test_an_odd_line(form: str, line: str, told: str, tmp_path: Path) -> None:
    """It is named, and what is wrong with it."""
    (tmp_path / "x.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    _, [error, *_] = logs_in(form, tmp_path / "x.jsonl")
    assert error.startswith("FILE, " + told.format(f"cannot be read as {form}"))


def test_documents_of_mongo_have_the_times_of_their_ids(tmp_path: Path) -> None:
    """As MongoDB's tools export them, in the order of the ids; an id of another kind has no time."""
    history = {"type": "human", "data": {"content": "Hi"}}
    ids = [{"$oid": "6553f1020123456789abcdef"}, "6553f1010123456789abcdef", "zzz"]
    lines = [json.dumps({"_id": id_, "SessionId": "anna", "History": history}) for id_ in ids]
    (tmp_path / "x.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ([log], _) = logs_in("langchain-mongo", tmp_path / "x.jsonl")
    assert log.dates == [datetime.fromtimestamp(0x6553F101, UTC), None, datetime.fromtimestamp(0x6553F102, UTC)]
