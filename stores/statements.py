"""The statements of the SQL store that are always the same."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    Select,
    Table,
    Text,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from memzoo.stores.schema import conversations, embeddings, items, messages, states

__all__ = ["CHANGES", "CLEAR", "CONVERSATION", "ENTRIES", "ENTRY_COLUMNS", "STATE", "TURN", "VECTORS", "Statements"]

CONVERSATION, _STRATEGY = bindparam("conversation_id", type_=Text), bindparam("strategy", type_=Text)
ENTRY_COLUMNS = ("seq", "message", "turn_id", "created_at", "fields")
ENTRIES = select(*(messages.c[name] for name in ENTRY_COLUMNS)).where(messages.c.conversation_id == CONVERSATION)
TURN = ENTRIES.where(messages.c.turn_id == bindparam("turn_id")).order_by(messages.c.place)
VECTORS = (
    select(embeddings.c.seq, embeddings.c.vector)
    .where(embeddings.c.conversation_id == CONVERSATION, embeddings.c.strategy == _STRATEGY)
    .where(embeddings.c.seq > bindparam("after"))
    .order_by(embeddings.c.seq)
)


def _state() -> Select[*tuple[Any, ...]]:
    of_strategy = (states.c.conversation_id == conversations.c.id) & (states.c.strategy == _STRATEGY)
    at = func.coalesce(states.c.version, conversations.c.born).label("version")
    watermark = func.coalesce(states.c.watermark, 0).label("watermark")
    state = select(conversations.c.born, at, watermark)
    return state.select_from(conversations.outerjoin(states, of_strategy)).where(conversations.c.id == CONVERSATION)


def _changes() -> Select[*tuple[Any, ...]]:
    # One statement, hence one snapshot, of a state and its items.
    state, since = STATE.subquery(), bindparam("since", type_=BigInteger)
    known = case((since.between(state.c.born, state.c.version), since), else_=0)
    own = (items.c.conversation_id == CONVERSATION) & (items.c.strategy == _STRATEGY)
    rows = state.outerjoin(items, own & (items.c.version > known))
    return select(state, items.c.key, items.c.value).select_from(rows).order_by(items.c.version, items.c.key)


STATE = _state()
CHANGES = _changes()
# The conversation first: its row is the lock.
CLEAR = (
    delete(conversations).where(conversations.c.id == CONVERSATION),
    *(delete(table).where(table.c.conversation_id == CONVERSATION) for table in (messages, states, items, embeddings)),
)


class Statements:
    """Those that databases word differently.

    Attributes:
        revise: Lets no other writer at a conversation, and gives it a new version.
        retire: Remembers that the versions of a conversation were used, if it is to be deleted.
        put_state: Inserts or replaces a row of this table.
        put_item: As `put_state`.
        put_embedding: As `put_state`.
    """

    def __init__(
        self, insert: Callable[[Table], Any], *, next_version: ColumnElement[int], retire: Executable | None = None
    ) -> None:
        """Build them once.

        Args:
            insert: The dialect's own, which knows what to do on a conflict.
            next_version: A version greater than all that the conversation ever had.
            retire: See above; `None` where the database never gives a version twice.
        """
        revised = update(conversations).where(conversations.c.id == CONVERSATION).values(revision=next_version)
        self.revise = revised.returning(conversations.c.revision)
        self.retire = retire
        self.put_state, self.put_item, self.put_embedding = (
            _upsert(insert(table), table) for table in (states, items, embeddings)
        )


def _upsert(statement: Any, table: Table) -> Executable:
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    upsert: Executable = statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=values)
    return upsert
