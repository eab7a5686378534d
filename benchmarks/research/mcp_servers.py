"""memzoo's MCP server beside `@modelcontextprotocol/server-memory`, over one script of 200 calls: `make mcp-compare`.

Both run as their users run them, as processes on standard input and output, with a fresh memory. After that, fifty
entities are created at the same time, and a large graph is read.
"""

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memzoo.memories.text.tokens import count_text

__all__ = ["Call", "compare", "script"]

_CALLS = 200
_NAMES = ["Ada", "ada", "Grace Hopper", "Zoë", "数学", "a\tb", "C#", "The Acme, Inc."]
_TYPES = ["person", "company", ""]
_FACTS = ["likes tea", "Likes tea", "born in 1815", "writes “programs”", "line\nbreak", ""]
_VERBS = ["works_at", "knows", "Knows"]


@dataclass(frozen=True)
class Call:
    """A call of the script.

    Attributes:
        tool: The tool.
        arguments: What it is called with.
        about: What is special about it, if the original is known to be wrong there.
    """

    tool: str
    arguments: Mapping[str, Any]
    about: str = ""


def script() -> list[Call]:
    """The calls, in order: at random but always the same, and between them those at which the original errs."""
    chance = random.Random(15)  # noqa: S311 - nothing is secret
    odd = [*_odd()]
    calls = [_random_call(chance) for _ in range(_CALLS - len(odd))]
    return [*calls[:60], *odd, *calls[60:]]


def _random_call(chance: random.Random) -> Call:
    name, other = chance.choice(_NAMES), chance.choice(_NAMES)
    facts = chance.sample(_FACTS, chance.randint(0, 3))
    relations = [{"from": name, "to": other, "relationType": chance.choice(_VERBS)}]
    calls = [
        Call("create_entities", {"entities": [_entity(name, chance.choice(_TYPES), facts)]}),
        Call("create_relations", {"relations": relations}),
        Call("add_observations", {"observations": [{"entityName": name, "contents": facts}]}),
        Call("delete_entities", {"entityNames": [name]}),
        Call("delete_observations", {"deletions": [{"entityName": name, "observations": facts}]}),
        Call("delete_relations", {"relations": relations}),
        Call("read_graph", {}),
        Call("search_nodes", {"query": chance.choice(["TEA", "person", "a", "", "nothing like it", "数"])}),
        Call("open_nodes", {"names": [name, other]}),
        Call("add_observations", {"observations": [{"entityName": name}]}),
    ]
    return chance.choices(calls, weights=[5, 5, 4, 1, 2, 1, 3, 3, 3, 1])[0]


def _odd() -> Iterator[Call]:
    twice = "what is given twice in one call is stored twice"
    yield Call("create_entities", {"entities": [_entity("Twin", "person", []), _entity("Twin", "robot", [])]}, twice)
    yield Call("open_nodes", {"names": ["Twin"]}, twice)
    yield Call("delete_entities", {"entityNames": ["Twin"]})
    yield Call("create_entities", {"entities": [_entity("Echo", "person", ["hello", "hello"])]}, twice)
    yield Call("add_observations", {"observations": [{"entityName": "Echo", "contents": ["bye", "bye"]}]}, twice)
    yield Call("open_nodes", {"names": ["Echo"]}, twice)
    relation = {"from": "Echo", "to": "Echo", "relationType": "hears"}
    yield Call("create_relations", {"relations": [relation, relation]}, twice)
    yield Call("search_nodes", {"query": "echo"}, twice)
    yield Call("delete_entities", {"entityNames": ["Echo"]})


def _entity(name: str, kind: str, observations: Sequence[str]) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


@dataclass(frozen=True)
class _Result:
    """What a server answered."""

    failed: bool
    text: str
    values: Any


async def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[list[_Result], Any, list[int]]:
    """The answers to the script; the tools; and how many of fifty were kept, and the tokens of a large read."""
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=command[0], args=[*command[1:]], env=dict(environment))
    async with Client(server, mode="legacy") as client:
        answers = [await _answer(client, call) for call in script()]
        tools = {tool.name: tool.model_dump(by_alias=True) for tool in (await client.list_tools()).tools}
        await asyncio.gather(*(_answer(client, _new(f"at once {n}", [])) for n in range(50)))
        found = (await _answer(client, Call("search_nodes", {"query": "at once"}))).values["entities"]
        for part in range(20):
            facts = [f"fact {part}-{n}, which is told in some ten words or so" for n in range(150)]
            await _answer(client, _new(f"large {part}", facts))
        large = await client.call_tool("read_graph", {})
        read = sum(count_text(getattr(part, "text", ""), "approximate") for part in large.content)
        return answers, tools, [len(found), read]


def _new(name: str, facts: Sequence[str]) -> Call:
    return Call("create_entities", {"entities": [_entity(name, "test", facts)]})


async def _answer(client: Any, call: Call) -> _Result:
    result = await client.call_tool(call.tool, dict(call.arguments))
    text = "\n".join(part.text for part in result.content)
    failed = bool(result.is_error)
    # That arguments are refused is compared, not in which words.
    return _Result(failed, "" if failed and "arguments" in text.lower() else text, result.structured_content)


def compare(original: Annotated[Path, typer.Argument(help="The package's folder in node_modules.")]) -> None:
    """Run both servers over the script, and print where they differ."""
    with tempfile.TemporaryDirectory() as name:
        file, store = Path(name) / "memory.jsonl", f"sqlite:///{name}/memory.db"
        node = ["node", str(original / "dist" / "index.js")]
        theirs, their_tools, their_counts = asyncio.run(_run(node, {"MEMORY_FILE_PATH": str(file)}))
        own = [sys.executable, "-m", "memzoo", "mcp", "--store", store]
        ours, our_tools, our_counts = asyncio.run(_run(own, {}))
    version = json.loads((original / "package.json").read_text(encoding="utf-8"))["version"]
    console, calls = Console(width=120), script()
    console.print(_table(calls, theirs, ours, version))
    for call, one, other in zip(calls, theirs, ours, strict=True):
        if one != other:
            known = call.about or "NOT EXPLAINED"
            console.print(
                f"{call.tool}: {known}\n  theirs {one.text!r:.300}\n  ours   {other.text!r:.300}", markup=False
            )
    same = sum(_shape(tool) == _shape(our_tools[name]) for name, tool in their_tools.items())
    console.print(f"Schemas: {same} of {len(their_tools)} tools take and give the same.")
    console.print(f"Of 50 entities created at once, kept: theirs {their_counts[0]}, ours {our_counts[0]}.")
    console.print(f"Tokens (estimated) of reading 3,000 observations: theirs {their_counts[1]}, ours {our_counts[1]}.")
    with tempfile.TemporaryDirectory() as name:
        theirs_fast = _speed(node, {"MEMORY_FILE_PATH": f"{name}/memory.jsonl"})
        ours_fast = _speed([*own[:-1], f"sqlite:///{name}/memory.db"], {})
    for what, took in theirs_fast.items():
        console.print(f"{what}: theirs {took:,.3f}, ours {ours_fast[what]:,.3f}, {ours_fast[what] / took:.2f} times")
    unexplained = [
        call for call, one, other in zip(calls, theirs, ours, strict=True) if one != other and not call.about
    ]
    raise typer.Exit(code=bool(unexplained) or same < len(their_tools))


class _Process:
    """A server that is asked line by line, so that its seconds are not those of a client library."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._before = resource.getrusage(resource.RUSAGE_CHILDREN)
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
        )
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "speed", "version": "1"}}
        self._ask({"id": 0, "method": "initialize", "params": about})
        self._say({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> float:
        """Call a tool; gives the seconds that it took."""
        began = time.perf_counter()
        self._ask({"id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        return time.perf_counter() - began

    def end(self) -> float:
        """End it; gives the seconds of CPU that it used in its life."""
        self._process.communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - self._before.ru_utime - self._before.ru_stime

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin  # noqa: S101
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _ask(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdout  # noqa: S101
        self._say(message)
        self._process.stdout.readline()


def _speed(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, float]:
    """What a start and a search take, empty and with 10,000 entities: the least of three, the median of fifteen."""
    empty = min(_Process(command, environment).end() for _ in range(3))
    writing = _Process(command, environment)
    for part in range(20):
        told = [_entity(f"entity {n} of {part}", "person", [f"likes number {n * 7 % 1000}"]) for n in range(500)]
        writing.call("create_entities", entities=told)
    writing.end()

    def start_again() -> float:
        again = _Process(command, environment)
        again.call("open_nodes", names=["entity 1 of 1"])
        return again.end()

    restart = min(start_again() for _ in range(3))
    asked = _Process(command, environment)
    asked.call("open_nodes", names=["entity 1 of 1"])
    one = [asked.call("search_nodes", query=f"entity {n} of 7") for n in range(15)]
    every = [asked.call("search_nodes", query="likes") for _ in range(5)]
    asked.end()
    return {
        "CPU seconds of a start": empty,
        "CPU seconds of a restart with 10,000 entities": restart,
        "Seconds of a search among them": statistics.median(one),
        "Seconds of a search that finds them all (ours shows the newest 25,000 tokens)": statistics.median(every),
    }


def _table(calls: Sequence[Call], theirs: Sequence[_Result], ours: Sequence[_Result], version: str) -> Table:
    table = Table(
        "tool", "calls", "same", "theirs wrong", "refused by both", title=f"server-memory {version} and memzoo"
    )
    pairs = [*zip(calls, theirs, ours, strict=True)]
    for tool in dict.fromkeys([*sorted({call.tool for call in calls}), "all"]):
        own = [(one, other) for call, one, other in pairs if tool in (call.tool, "all")]
        known = sum(bool(call.about) and one != other for call, one, other in pairs if tool in (call.tool, "all"))
        both = sum(one.failed and other.failed for one, other in own)
        table.add_row(tool, str(len(own)), str(sum(one == other for one, other in own)), str(known), str(both))
    return table


def _shape(tool: Mapping[str, Any]) -> Any:
    """What a tool takes and gives, without what is said about it."""
    return [_bare(tool["inputSchema"]), _bare(tool["outputSchema"]), _bare(tool["annotations"])]


def _bare(part: Any) -> Any:
    if isinstance(part, list):
        return sorted(map(_bare, part), key=str)
    if not isinstance(part, dict):
        return part
    return {
        key: {name: _bare(one) for name, one in value.items()} if key == "properties" else _bare(value)
        for key, value in part.items()
        if key not in ("description", "$schema", "title") and value is not None
    }


if __name__ == "__main__":
    typer.run(compare)
