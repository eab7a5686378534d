"""The model's tools: those of `@modelcontextprotocol/server-memory`, and tools that read or change the log."""

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from memzoo.errors import OptionError
from memzoo.hosts.mcp.calls import (
    WRITES,
    AddObservations,
    Arguments,
    CreateEntities,
    Entity,
    Relation,
    Write,
    parse_arguments,
)
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.reading import ToolResult, as_text, graph_of, newest_within
from memzoo.stores import Entry
from memzoo.text import did_you_mean
from memzoo.types import Reason, Source

_LONGEST_QUOTE = 500


@dataclass(frozen=True, slots=True)
class GraphTool:
    """A tool for the model.

    Attributes:
        gives: The class of the result; `None` if the server declares no schema for the result.
        reads: True if the tool changes nothing.
        deletes: True if the tool deletes something.
    """

    about: str
    takes: type[Arguments]
    run: Callable[[GraphMemory, Any], Awaitable[ToolResult]]
    gives: type[Arguments] | None = None
    reads: bool = False
    deletes: bool = False


class _Entities(Arguments):
    entities: list[Entity]


class _Relations(Arguments):
    relations: list[Relation]


class _Graph(_Entities, _Relations):
    pass


class _Added(Arguments):
    entity_name: str = Field(alias="entityName")
    added_observations: list[str] = Field(alias="addedObservations")


class _Results(Arguments):
    results: list[_Added]


class _Done(Arguments):
    success: bool
    message: str


class _Nothing(Arguments):
    pass


class _Query(Arguments):
    query: str = Field(description="A text in the name, the type or an observation of the entities looked for")


class _Names(Arguments):
    names: list[str] = Field(description="The names of the entities, to the letter")


class _Recall(Arguments):
    query: str = Field(description="What to look for, in words; empty for what is newest")
    max_tokens: int = Field(default=1_000, ge=16, description="The most tokens that the answer may have")


class _Text(Arguments):
    text: str = Field(description="What to keep, word for word")


class _Fact(Arguments):
    fact: str = Field(description="Words of what is known: a name, an observation, a relation")


class _Entries(Arguments):
    entries: list[int] = Field(description="Numbers of messages, as `why` gives them")


async def call(memory: GraphMemory, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool by name, and return its result.

    Raises:
        OptionError: There is no tool with that name.
        MessageError: The arguments do not fit the tool, or the call is impossible; nothing was stored.
    """
    if name not in TOOLS:
        raise OptionError(f"there is no tool {name!r}; there are {', '.join(TOOLS)}{did_you_mean(name, TOOLS)}")
    tool = TOOLS[name]
    return await tool.run(memory, parse_arguments(tool.takes, arguments, name))


async def history(memory: GraphMemory) -> list[dict[str, Any]]:
    """Return the newest messages of the log that fit into `max_read_tokens`, oldest first."""
    entries = [_entry(entry) for entry in await memory.aentries()]
    return newest_within(memory.max_read_tokens, entries, memory.tokens)


async def _create(memory: GraphMemory, arguments: Write) -> ToolResult:
    made = graph_of(await memory.awrite(arguments))
    if not isinstance(arguments, CreateEntities):
        return _list("relations", made["relations"])
    result = _list("entities", made["entities"])
    types = {one["name"]: one["entityType"] for one in made["entities"]}
    left = [one.name for one in arguments.entities if one.name not in types]
    other = [one for one in arguments.entities if types.get(one.name, one.entity_type) != one.entity_type]
    return ToolResult([*result.texts, *_tell_left(left), *map(_tell_other_type, other)], result.values)


def _tell_left(names: list[str]) -> list[str]:
    known = ", ".join(dict.fromkeys(names))
    return [f"Left as before, because known already: {known}. Write more with add_observations."] if names else []


def _tell_other_type(entity: Entity) -> str:
    return f"{entity.name} has the type that was given first; {entity.entity_type!r} was not taken."


async def _observe(memory: GraphMemory, arguments: AddObservations) -> ToolResult:
    new = {(note.fact.subject, note.fact.object) for note in await memory.awrite(arguments)}
    added: list[Any] = []
    for one in arguments.observations:
        texts = [text for text in dict.fromkeys(one.contents) if (one.entity_name, text) in new]
        new -= {(one.entity_name, text) for text in texts}
        added.append({"entityName": one.entity_name, "addedObservations": texts})
    return _list("results", added)


async def _delete(memory: GraphMemory, arguments: Write) -> ToolResult:
    await memory.awrite(arguments)
    message = f"{arguments.tool.removeprefix('delete_').capitalize()} deleted successfully"
    return ToolResult([message], {"success": True, "message": message})


async def _read(memory: GraphMemory, _: _Nothing) -> ToolResult:
    return await memory.agraph()


async def _search(memory: GraphMemory, arguments: _Query) -> ToolResult:
    return await memory.asearch(arguments.query)


async def _open(memory: GraphMemory, arguments: _Names) -> ToolResult:
    return await memory.aopen(arguments.names)


async def _recall(memory: GraphMemory, arguments: _Recall) -> ToolResult:
    lines = await memory.arecall(arguments.query, arguments.max_tokens)
    return ToolResult(["\n".join(lines) or "Nothing was found."], {"lines": lines})


async def _remember(memory: GraphMemory, arguments: _Text) -> ToolResult:
    entry = await memory.aremember(arguments.text)
    return ToolResult([f"Remembered as message {entry.seq}."], {"entry": entry.seq})


async def _explain(memory: GraphMemory, arguments: _Fact) -> ToolResult:
    found = [_reason(reason) for reason in await memory.awhy(arguments.fact)]
    return _list("facts", newest_within(memory.max_read_tokens, found, memory.tokens))


async def _forget(memory: GraphMemory, arguments: _Entries) -> ToolResult:
    receipt = dataclasses.asdict(await memory.aforget(arguments.entries))
    return ToolResult([as_text(receipt)], receipt)


def _list(name: str, values: list[Any]) -> ToolResult:
    return ToolResult([as_text(values)], {name: values})


def _reason(reason: Reason) -> dict[str, Any]:
    back = reason.corrected_by and _quote(reason.corrected_by)
    return {"fact": str(reason.fact), "holds": reason.holds, "said": [*map(_quote, reason.quotes)], "takenBack": back}


def _quote(quote: Source) -> dict[str, Any]:
    text = quote.text if len(quote.text) <= _LONGEST_QUOTE else f"{quote.text[:_LONGEST_QUOTE]} ..."
    return {"entry": quote.seq, "by": quote.speaker, "at": quote.said_at and quote.said_at.isoformat(), "text": text}


def _entry(entry: Entry) -> dict[str, Any]:
    return {"entry": entry.seq, "at": entry.said_at and entry.said_at.isoformat(), **entry.message}


def _write(name: str, about: str, gives: type[Arguments]) -> dict[str, GraphTool]:
    verb = name.partition("_")[0]
    run: Any = {"create": _create, "add": _observe, "delete": _delete}[verb]
    return {name: GraphTool(about, WRITES[name], run, gives, deletes=verb == "delete")}


_KEPT = "They stay as history, which `why` tells."

TOOLS: dict[str, GraphTool] = {
    **_write("create_entities", "Write down new entities; a name that is known already is left as it is.", _Entities),
    **_write("create_relations", "Write down how entities are related; each relation once.", _Relations),
    **_write("add_observations", "Write down more about entities that are known.", _Results),
    **_write("delete_entities", f"Take entities back, with all their observations and relations. {_KEPT}", _Done),
    **_write("delete_observations", f"Take observations about entities back. {_KEPT}", _Done),
    **_write("delete_relations", f"Take relations back. {_KEPT}", _Done),
    "read_graph": GraphTool("Read the graph, the newest first to fit.", _Nothing, _read, _Graph, reads=True),
    "search_nodes": GraphTool(
        "Find entities by a text in them, with their relations.", _Query, _search, _Graph, reads=True
    ),
    "open_nodes": GraphTool("Read entities by their names, with their relations.", _Names, _open, _Graph, reads=True),
    "recall": GraphTool("Recall what fits a question best, within so many tokens.", _Recall, _recall, reads=True),
    "remember": GraphTool("Keep a text word for word, to be recalled.", _Text, _remember),
    "why": GraphTool("Tell which messages said something, and which took it back.", _Fact, _explain, reads=True),
    "forget": GraphTool("Delete messages for good, with all that came of them.", _Entries, _forget, deletes=True),
}
"""All tools by name."""
