"""Serves a graph memory over the Model Context Protocol: on standard input and output, or local HTTP."""

import importlib.metadata
import io
import logging
import re
import socket
import sys
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memzoo.errors import MemoryZooError, MissingExtraError, OptionError, StoreError
from memzoo.hosts.mcp import tools
from memzoo.hosts.mcp.calls import Arguments
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.reading import as_text
from memzoo.sync import drive

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, ReadResourceResult, Resource, Tool

logger = logging.getLogger("memzoo")

T = TypeVar("T")

# Matches whole JSON escapes: surrogate pairs first, then lone surrogates.
_HIGH, _LOW = "u[dD][89abAB][0-9a-fA-F]{2}", "u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\{_HIGH}\\{_LOW}|\\({_HIGH}|{_LOW})|\\.")

_INSTRUCTIONS = (
    "A memory that lasts. Before you answer, recall what fits the question. Write down what you learn of people and "
    "things as entities, observations and relations; take back what holds no more."
)


def mcp_server(memory: GraphMemory) -> "Server[Any]":
    """Return a server of the `mcp` package for a memory, for any transport of that package.

    Raises:
        MissingExtraError: The package `mcp` is not installed.
    """
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
    except ImportError as error:
        raise MissingExtraError.of("memzoo mcp", "mcp") from error

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(name, tool) for name, tool in tools.TOOLS.items()])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _call(memory, params.name, params.arguments or {})

    async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[*map(_resource, _RESOURCES)])

    async def read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await _read(memory, params.uri)

    return Server(
        "memzoo",
        version=importlib.metadata.version("memzoo"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


async def serve_stdio(memory: GraphMemory) -> None:
    """Serve a memory on standard input and output until the input ends."""
    server = mcp_server(memory)
    import anyio
    from mcp.server.stdio import stdio_server

    given = anyio.wrap_file(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))
    async with stdio_server(cast("Any", _Lines(given))) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(memory: GraphMemory, port: int, started: Callable[[str], None] = print) -> None:
    """Serve a memory over streamable HTTP, only to programs on this machine, until interrupted.

    Port 0 picks a free port. `started` is called with the URL once the server runs.

    Raises:
        OptionError: The port cannot be used.
    """
    server = mcp_server(memory)
    import uvicorn

    config = uvicorn.Config(server.streamable_http_app(host="127.0.0.1"), log_level="warning")
    try:
        taken = socket.create_server(("127.0.0.1", port))  # uvicorn itself would end the process
    except OSError as error:
        raise OptionError.of_port(port, error) from error
    with taken as bound:
        started(f"http://127.0.0.1:{bound.getsockname()[1]}/mcp")
        await uvicorn.Server(config).serve([bound])


async def _aside(work: Callable[..., Coroutine[Any, Any, T]], *arguments: Any) -> T:
    """Run asynchronous work in a thread of its own, so that a long call delays no other client; return the result."""
    import anyio.to_thread

    return await anyio.to_thread.run_sync(lambda: drive(work(*arguments)))


class _Lines:
    """Lines of JSON with U+FFFD in place of lone surrogates, for which the `mcp` package would drop the whole line."""

    def __init__(self, lines: AsyncIterable[str]) -> None:
        self._lines = lines

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            yield _ESCAPE.sub(lambda found: "\\ufffd" if found[1] else found[0], line) if "\\u" in line else line


async def _call(memory: GraphMemory, name: str, arguments: dict[str, Any]) -> "CallToolResult":
    """Return a tool's result; an error becomes a result that the model can read."""
    from mcp.types import CallToolResult, TextContent

    try:
        answer = await _aside(tools.call, memory, name, arguments)
    except StoreError as error:
        # The model must not see the error's message, which names the store and may quote its content.
        logger.warning("the store failed in tool %s: %s", name, error)
        text = "the store of this memory failed; its owner finds the reason in the server's log"
        return CallToolResult(content=[TextContent(text=text)], is_error=True)
    except MemoryZooError as error:
        return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
    content = [TextContent(text=text) for text in answer.texts]
    return CallToolResult(content=[*content], structured_content=dict(answer.values))


async def _graph(memory: GraphMemory) -> Any:
    return (await memory.agraph()).values


# The name, title, description and reader of each resource, by URI.
_RESOURCES: dict[str, tuple[str, str, str, Callable[[GraphMemory], Coroutine[Any, Any, Any]]]] = {
    "memory://knowledge-graph": (
        "knowledge-graph",
        "Knowledge Graph",
        "All entities and relations, the newest that fit",
        _graph,
    ),
    "memory://history": (
        "history",
        "History",
        "The messages that the graph comes from, the newest that fit",
        tools.history,
    ),
}


def _resource(uri: str) -> "Resource":
    from mcp.types import Resource

    name, title, about, _ = _RESOURCES[uri]
    return Resource(uri=uri, name=name, title=title, description=about, mime_type="application/json")


async def _read(memory: GraphMemory, uri: str) -> "ReadResourceResult":
    from mcp.shared.exceptions import MCPError
    from mcp.types import INVALID_PARAMS, ReadResourceResult, TextResourceContents

    if uri not in _RESOURCES:
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri!r}; there are {', '.join(_RESOURCES)}")
    text = as_text(await _aside(_RESOURCES[uri][-1], memory))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="application/json", text=text)])


def _tool(name: str, tool: tools.GraphTool) -> "Tool":
    from mcp.types import Tool, ToolAnnotations

    return Tool(
        name=name,
        title=name.replace("_", " ").title(),
        description=tool.about,
        input_schema=_schema(tool.takes),
        output_schema=_schema(tool.gives, closed=True) if tool.gives else None,
        annotations=ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.deletes,
            idempotent_hint=tool.reads or tool.deletes,
            open_world_hint=False,
        ),
    )


def _schema(kind: type[Arguments], *, closed: bool = False) -> dict[str, Any]:
    """Return the JSON schema of arguments or of a result, without "$ref", which some clients do not support.

    Args:
        kind: The class of the arguments or of the result.
        closed: Forbid additional members.
    """
    whole = kind.model_json_schema()

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            each: list[Any] = part
            return [*map(inline, each)]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return inline(whole["$defs"][str(part["$ref"]).rpartition("/")[2]])
        is_object, members = "properties" in part, cast("dict[str, Any]", part)
        # Leave out titles, which are names in memzoo's code, and descriptions of classes, which are docstrings.
        hidden = {"$defs", "title", *(["description"] if is_object else [])}
        found = {name: inline(value) for name, value in members.items() if name not in hidden}
        return found | {"additionalProperties": False} if closed and is_object else found

    return cast("dict[str, Any]", inline(whole))
