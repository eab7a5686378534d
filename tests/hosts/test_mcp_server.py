"""The server of the Model Context Protocol, asked by the client of the `mcp` package."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from memzoo.cli.commands import main
from memzoo.errors import MissingExtraError
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.server import mcp_server, serve_http
from memzoo.stores import open_store

ADA = {"name": "Ada", "entityType": "person", "observations": ["likes tea"]}
NINE = [
    *("create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations"),
    *("delete_relations", "read_graph", "search_nodes", "open_nodes"),
]


async def asked(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers, as JSON values."""
    return (await client.call_tool(tool, arguments)).structured_content


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_tools_and_resources(mode: str) -> None:
    """Both generations of the protocol list the tools with their schemas, call them, and read the resources."""

    async def talk() -> None:
        memory = GraphMemory(conversation_id="g", token_counter="approximate")
        async with Client(mcp_server(memory), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [*NINE, "recall", "remember", "why", "forget"]
            assert tools[3].input_schema["required"] == ["entityNames"]
            assert "$ref" not in json.dumps([tool.input_schema for tool in tools])
            assert await asked(client, "create_entities", entities=[ADA]) == {"entities": [ADA]}
            uris = [resource.uri for resource in (await client.list_resources()).resources]
            graph, history = [json.loads(await text_at(client, uri)) for uri in uris]
            assert graph == {"entities": [ADA], "relations": []}
            assert [(one["entry"], one["name"]) for one in history] == [(1, "create_entities")]

    asyncio.run(talk())


async def text_at(client: Client, uri: str) -> str:
    """The text of a resource."""
    (content,) = (await client.read_resource(uri)).contents
    assert content.uri == uri
    return str(getattr(content, "text", ""))


def test_errors_are_answers() -> None:
    """A model can read what was wrong with its call; a resource that there is not is an error of the protocol."""

    async def talk() -> None:
        async with Client(mcp_server(GraphMemory())) as client:
            wrong = await client.call_tool("open_nodes", {"names": "Ada"})
            assert (wrong.is_error, getattr(wrong.content[0], "text", "")) == (
                True,
                "the arguments of open_nodes cannot be used: names: Input should be a valid list, not 'Ada'",
            )
            with pytest.raises(MCPError, match="there is no resource 'memory://x'"):
                await client.read_resource("memory://x")

    asyncio.run(talk())


def test_fifty_calls_at_once_are_all_kept() -> None:
    """Calls that come at the same time are stored one after the other, and none is lost."""

    async def talk() -> None:
        async with Client(mcp_server(GraphMemory(max_read_tokens=10_000, token_counter="approximate"))) as client:
            new = [{**ADA, "name": f"e{number}"} for number in range(50)]
            answers = await asyncio.gather(*(asked(client, "create_entities", entities=[one]) for one in new))
            assert answers == [{"entities": [one]} for one in new]
            assert len((await asked(client, "read_graph"))["entities"]) == 50

    asyncio.run(talk())


def test_the_command_serves_on_standard_input_and_output(tmp_path: Path) -> None:
    """With the configuration of the original, its file is taken in once, and what is written after that stays."""
    file = tmp_path / "memory.jsonl"
    file.write_text(json.dumps({"type": "entity", **ADA}), encoding="utf-8")
    environment = {"MEMORY_FILE_PATH": str(file), "PYTHONPATH": os.pathsep.join(sys.path)}
    server = StdioServerParameters(command=sys.executable, args=["-m", "memzoo", "mcp"], env=environment)

    async def talk() -> None:
        async with Client(server) as client:
            more = [{"entityName": "Ada", "contents": ["has a cat"]}]
            found = await asked(client, "add_observations", observations=more)
            assert found == {"results": [{"entityName": "Ada", "addedObservations": ["has a cat"]}]}

    asyncio.run(talk())
    memory = GraphMemory(store=open_store(f"sqlite:///{tmp_path}/memory.db"), conversation_id="mcp")
    assert memory.recall("Ada", 100) == ["Ada (person)", "Ada: likes tea", "Ada: has a cat"]
    memory.close()


def test_half_a_character_on_standard_input_is_answered(tmp_path: Path) -> None:
    """JSON may hold half a surrogate pair: it is U+FFFD, the whole pair beside it stays, and the call is answered."""
    command = [sys.executable, "-m", "memzoo", "mcp", "--store", f"sqlite:///{tmp_path}/m.db"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "remember", "arguments": 0}}),
    ]
    text = r"""{"text": "a \ud83d b \ud83d\ude00 c \\ud83d"}"""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write("\n".join(lines).replace('"arguments": 0', f'"arguments": {text}') + "\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
    assert answers[1]["result"]["structuredContent"] == {"entry": 1}
    with open_store(f"sqlite:///{tmp_path}/m.db") as store:
        memory = GraphMemory(store=store, conversation_id="mcp")
        assert memory.history()[0]["content"] == "a \ufffd b \U0001f600 c \\ud83d"


def test_a_failing_store_tells_no_path(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the store says goes to the log of the server, and not to the model; numbers that cannot be are unknown."""

    async def talk() -> None:
        with open_store(f"sqlite:///{tmp_path}/secret.db") as store:
            memory = GraphMemory(store=store)
            async with Client(mcp_server(memory)) as client:
                await asked(client, "create_entities", entities=[ADA])
                beyond = await client.call_tool("forget", {"entries": [10**30]})
                assert "has no message that large; nothing was forgotten" in str(beyond.content)
                store.close()
                closed = await client.call_tool("remember", {"text": "x"})
                assert closed.is_error
                assert "the store of this memory failed" in str(closed.content)
                assert "secret.db" not in str([beyond, closed])

    asyncio.run(talk())
    assert "secret.db" in caplog.text


def test_a_long_call_holds_up_no_other_client() -> None:
    """While one call is at work, the calls of others are answered."""
    answered = threading.Event()

    def counter(_: object) -> int:
        assert answered.wait(60)
        return 1

    async def talk() -> None:
        memory = GraphMemory(token_counter=counter)
        async with Client(mcp_server(memory)) as one, Client(mcp_server(memory)) as other:
            await asked(one, "create_entities", entities=[ADA])
            long = asyncio.create_task(asked(one, "recall", query="Ada"))
            await asyncio.sleep(0)
            await asked(other, "create_entities", entities=[{**ADA, "name": "Bob"}])
            answered.set()
            assert (await long)["lines"][0] == "Ada (person)"

    asyncio.run(talk())


def test_http_is_served_to_this_machine() -> None:
    """Over streamable HTTP the same tools answer."""

    async def talk() -> None:
        url = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve_http(GraphMemory(), 0, url.set_result))
        async with Client(await url) as client:
            assert await asked(client, "create_entities", entities=[ADA]) == {"entities": [ADA]}
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(talk())


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has not installed it is told how to."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memzoo\[mcp\]'"):
        mcp_server(GraphMemory())


def test_the_program_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/mcp.md: what is written by a client is recalled by the memory."""
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "docs/mcp.md", "exec"), {})  # noqa: S102 - it is ours
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["['Ada: likes tea', 'Ada (person)']", "Ada observation likes tea said in message 1"]


def test_the_command_takes_in_and_writes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `--import` takes in, `--export` writes."""
    source, target = tmp_path / "memory.jsonl", tmp_path / "copy.jsonl"
    source.write_text(json.dumps({"type": "entity", **ADA}, separators=(",", ":")) + "\n", encoding="utf-8")
    arguments = ["--store", f"sqlite:///{tmp_path}/m.db", "--import", str(source), "--export", str(target)]
    monkeypatch.setattr("sys.argv", ["memzoo", "mcp", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    assert target.read_text(encoding="utf-8") == source.read_text(encoding="utf-8")
    assert capsys.readouterr().out == "2 items imported: entities, observations, relations.\n"


def test_a_file_in_another_encoding_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is named, and no store is made; nor for a file with other lines, or without a file."""
    source, store = tmp_path / "memory.jsonl", f"sqlite:///{tmp_path}/m.db"
    monkeypatch.setattr("sys.argv", ["memzoo", "mcp", "--store", store, "--import", str(source)])
    for content in (None, (json.dumps({"type": "entity", **ADA}) + "\n").encode("utf-16"), b"garbage\n"):
        if content:
            source.write_bytes(content)
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 2
        assert [*tmp_path.iterdir()] == [source] * bool(content)


def test_an_export_tells_of_texts_that_have_no_place_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A memory.jsonl has the graph alone; what was remembered as a text is not left out without a word."""
    url, target = f"sqlite:///{tmp_path}/m.db", tmp_path / "memory.jsonl"
    with open_store(url) as store:
        memory = GraphMemory(store=store, conversation_id="mcp")
        asyncio.run(memory.aremember("I like tea."))
    monkeypatch.setattr("sys.argv", ["memzoo", "mcp", "--store", url, "--export", str(target)])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    assert "has the graph without 1 remembered text; `memzoo export` writes everything." in capsys.readouterr().err
