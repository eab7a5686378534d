"""Messages whose conversation's row is gone, although nobody cleared it: an earlier memzoo did that through a pooler.

A pooler in transaction mode shares the connections of the server, and with them the names of prepared statements. A
client that prepares statements can so carry out another's, such as the one that deletes the row of a conversation.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from sqlalchemy import Connection, select, update

from memzoo.stores.common import unescaped
from memzoo.stores.sql.schema import conversations, messages, states
from memzoo.stores.sql.statements import Statements

__all__ = ["bring_back", "find_orphans", "repair_orphans"]


class _Database(Protocol):
    """What both kinds of databases can do."""

    statements: Statements

    async def run_read(self, work: Callable[[Connection], Any]) -> Any: ...

    async def run_write(self, work: Callable[[Connection], Any]) -> Any: ...


def find_orphans(connection: Connection) -> list[str]:
    """Return the escaped ids of conversations that have messages, and no row."""
    known = select(conversations.c.id).where(conversations.c.id == messages.c.conversation_id)
    found = select(messages.c.conversation_id).where(~known.exists()).distinct()
    return sorted(connection.execute(found).scalars())


async def repair_orphans(database: _Database) -> list[str]:
    """Bring all of them back, and return their ids."""
    found = await database.run_read(find_orphans)
    for id_ in found:
        await database.run_write(partial(bring_back, use=database.statements, conversation_id=id_))
    return [unescaped(id_) for id_ in found]


def bring_back(connection: Connection, use: Statements, conversation_id: str) -> None:
    """Give the messages of a conversation their row again, as it was; nothing is changed where all is well."""
    own = messages.c.conversation_id == conversation_id
    newest = select(messages.c.seq, messages.c.created_at).where(own).order_by(messages.c.seq.desc()).limit(1)
    found = connection.execute(newest).one_or_none()
    if found is None:
        return
    new = {"conversation_id": conversation_id, "count": found.seq, "created_at": found.created_at}
    born: int | None = connection.execute(use.found, new).scalar_one_or_none()
    if born is None:  # begun anew since, with numbers that the old messages have
        behind = (conversations.c.id == conversation_id) & (conversations.c.last_seq < found.seq)
        connection.execute(update(conversations).where(behind).values(last_seq=found.seq))
        return
    connection.execute(update(states).where(states.c.conversation_id == conversation_id).values(version=born))
