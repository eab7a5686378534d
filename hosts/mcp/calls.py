"""Tool calls that write the graph: their arguments, and their messages in the log."""

import json
import secrets
from typing import ClassVar, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memzoo.errors import MessageError
from memzoo.stores import Entry, Message
from memzoo.strategy import text_of


class Arguments(BaseModel):
    """A base class for the arguments of a tool. Unknown fields are dropped."""

    model_config = ConfigDict(strict=True, populate_by_name=True)


class Entity(Arguments):
    """An entity: a person, a place or a thing, with observations."""

    name: str = Field(description="What the entity is called; one name is one entity")
    entity_type: str = Field(alias="entityType", description="What kind of thing it is, such as person")
    observations: list[str] = Field(description="What is known about it, a statement each")


class Relation(Arguments):
    """A relation between two entities."""

    start: str = Field(alias="from", description="The name of the entity that the relation begins at")
    end: str = Field(alias="to", description="The name of the entity that it leads to")
    relation_type: str = Field(alias="relationType", description="The relation, in active voice, such as works_at")


class Addition(Arguments):
    """New observations about an entity."""

    entity_name: str = Field(alias="entityName", description="The name of an entity that there is")
    contents: list[str] = Field(description="What is to be known about it from now on, a statement each")


class Deletion(Arguments):
    """Observations to delete from an entity."""

    entity_name: str = Field(alias="entityName", description="The name of the entity")
    observations: list[str] = Field(description="The statements to take back, word for word")


class CreateEntities(Arguments):
    """The arguments of `create_entities`."""

    tool: ClassVar = "create_entities"
    entities: list[Entity]


class CreateRelations(Arguments):
    """The arguments of `create_relations`."""

    tool: ClassVar = "create_relations"
    relations: list[Relation]


class AddObservations(Arguments):
    """The arguments of `add_observations`."""

    tool: ClassVar = "add_observations"
    observations: list[Addition]


class DeleteEntities(Arguments):
    """The arguments of `delete_entities`."""

    tool: ClassVar = "delete_entities"
    entity_names: list[str] = Field(alias="entityNames", description="The names of the entities to take back")


class DeleteObservations(Arguments):
    """The arguments of `delete_observations`."""

    tool: ClassVar = "delete_observations"
    deletions: list[Deletion]


class DeleteRelations(Arguments):
    """The arguments of `delete_relations`."""

    tool: ClassVar = "delete_relations"
    relations: list[Relation] = Field(description="The relations to take back")


Write: TypeAlias = (
    CreateEntities | CreateRelations | AddObservations | DeleteEntities | DeleteObservations | DeleteRelations
)
WRITES: dict[str, type[Write]] = {kind.tool: kind for kind in get_args(Write)}
"""The argument class of each tool that writes the graph, by the tool's name."""


def message_of(write: Write) -> Message:
    """Return a tool call as a message for the log, with a new call id."""
    said = {"tool": write.tool, "arguments": write.model_dump(by_alias=True)}
    content = json.dumps(said, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": f"call_{secrets.token_hex(12)}", "name": write.tool, "content": content}


def call_in(entry: Entry) -> Write | None:
    """Return the arguments of the tool call in a log entry; `None` for an entry without a tool call."""
    message = entry.message
    kind = WRITES.get(str(message.get("name"))) if message["role"] == "tool" else None
    if kind is None:
        return None
    try:
        return kind.model_validate(json.loads(text_of(message))["arguments"])
    except (ValueError, KeyError, TypeError):
        return None


A = TypeVar("A", bound=Arguments)


def parse_arguments(kind: type[A], arguments: object, tool: str) -> A:
    """Return the arguments of a tool as an object of the class `kind`.

    Raises:
        MessageError: The arguments do not fit the tool; nothing was stored.
    """
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        wrong = "; ".join(f"{_path(one['loc'])}: {one['msg']}, not {one['input']!r:.80}" for one in error.errors())
        raise MessageError(f"the arguments of {tool} cannot be used: {wrong}") from error


def _path(parts: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")
