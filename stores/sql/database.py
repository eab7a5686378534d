"""What the SQL store needs of a database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Executable

from memzoo.stores.sql.statements import Statements

__all__ = ["Database", "NewTurn", "Row"]

Row = Sequence[Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewTurn:
    """Messages to be appended together, as text that a database takes.

    Attributes:
        conversation_id: Escaped.
        turn_id: Escaped.
        messages: As JSON.
        fields: As JSON, one for each message.
        created_at: In ISO format.
    """

    conversation_id: str
    turn_id: str
    messages: list[str]
    fields: list[str]
    created_at: str

    @property
    def ids(self) -> dict[str, str]:
        """What it is found by."""
        return {"conversation_id": self.conversation_id, "turn_id": self.turn_id}

    def rows(self, last: int) -> list[Row]:
        """With the columns `memzoo.stores.sql.statements.ENTRY_COLUMNS`, if the last message has this number."""
        first = last - len(self.messages) + 1
        return [
            (seq, message, self.turn_id, self.created_at, fields)
            for seq, (message, fields) in enumerate(zip(self.messages, self.fields, strict=True), start=first)
        ]


class Database(Protocol):
    """Runs functions of a connection: within the call, or without blocking the event loop.

    Attributes:
        name: Names the place in errors.
        shown: Its URL without secrets and options.
        url: What opens it again, without secrets; `None` where that would be another database.
        statements: Those of its dialect.
    """

    name: str
    shown: str
    url: str | None
    statements: Statements

    async def scrub(self, *, thorough: bool | None) -> bool:
        """See `Store.scrub`."""
        ...

    @property
    def close(self) -> Callable[[], object]:
        """Gives back files and connections."""
        ...

    async def rows(self, statement: Executable, values: Mapping[str, Any], /) -> Sequence[Row]:
        """The rows that one statement finds."""
        ...

    async def reading(self, work: Callable[[Connection], T], /) -> T:
        """Run it on a connection on which each statement sees one snapshot of its own, and takes no lock."""
        ...

    async def writing(self, work: Callable[[Connection], T], /) -> T:
        """Run it in a transaction; its first statement has to be one that locks the conversation."""
        ...

    async def append(self, turn: NewTurn, /) -> Sequence[Row]:
        """The rows of the turn, which are those that it has already where it is there; it is not empty."""
        ...
