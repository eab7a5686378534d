"""The tables of the SQL store, their versions, and the statements that are always the same."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Executable,
    Index,
    Insert,
    LargeBinary,
    MetaData,
    Select,
    Table,
    Text,
    bindparam,
    case,
    func,
    inspect,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert

__all__ = [
    "ADD",
    "CHANGES",
    "CONVERSATION",
    "ENTRIES",
    "ENTRY_COLUMNS",
    "GROW",
    "PUT_EMBEDDING",
    "PUT_ITEM",
    "PUT_STATE",
    "STATE",
    "TURN",
    "VECTORS",
    "VERSION",
    "conversations",
    "embeddings",
    "items",
    "messages",
    "meta",
    "states",
    "upgrade",
    "version",
]

_tables = MetaData()


def _text(name: str, *, key: bool = False, null: bool = False) -> Column[str]:
    return Column(name, Text, primary_key=key, nullable=null)


def _number(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, BigInteger, primary_key=key, nullable=False, autoincrement=False)


def _state_key() -> tuple[Column[str], Column[str]]:
    return _text("conversation_id", key=True), _text("strategy", key=True)


# The prefix lets the tables live in a database that has others.
# Row ids stay where rows are long: without them SQLite keeps whole rows in the inner nodes of its trees.
meta = Table("memzoo_meta", _tables, _text("key", key=True), _number("value"))
conversations = Table(
    "memzoo_conversations",
    _tables,
    *(_text("id", key=True), _number("born"), _number("revision"), _number("last_seq")),
    _text("updated_at", null=True),  # the time of its newest message; NULL where all were forgotten
    sqlite_with_rowid=False,
)
messages = Table(
    "memzoo_messages",
    _tables,
    *(_text("conversation_id", key=True), _number("seq", key=True), _text("turn_id")),
    *(_text("message"), _text("fields"), _text("created_at")),
    Column("place", BigInteger, nullable=False, server_default="0"),  # in its turn, from 0
    Index("memzoo_messages_by_place", "conversation_id", "turn_id", "place", unique=True),
)
states = Table(
    "memzoo_states", _tables, *_state_key(), _number("version"), _number("watermark"), sqlite_with_rowid=False
)
items = Table(
    "memzoo_items",
    _tables,
    *(*_state_key(), _text("key", key=True), _text("value", null=True), _number("version")),
    Index("memzoo_items_by_version", "conversation_id", "strategy", "version", "key"),
)
embeddings = Table(
    "memzoo_embeddings", _tables, *_state_key(), _number("seq", key=True), Column("vector", LargeBinary, nullable=False)
)


def _create(connection: Connection) -> None:
    _tables.create_all(connection, checkfirst=False)
    connection.execute(insert(meta), [{"key": "schema", "value": VERSION}, {"key": "floor", "value": 0}])


def _add_places_and_times(connection: Connection) -> None:
    for statement in (
        "ALTER TABLE memzoo_conversations ADD COLUMN updated_at TEXT",
        """UPDATE memzoo_conversations SET updated_at = (
            SELECT created_at FROM memzoo_messages WHERE conversation_id = id ORDER BY seq DESC LIMIT 1)""",
        "ALTER TABLE memzoo_messages ADD COLUMN place BIGINT DEFAULT '0' NOT NULL",
        """UPDATE memzoo_messages SET place = seq - (SELECT min(seq) FROM memzoo_messages AS turn
            WHERE turn.conversation_id = memzoo_messages.conversation_id AND turn.turn_id = memzoo_messages.turn_id)""",
        "DROP INDEX memzoo_messages_by_turn",
        "CREATE UNIQUE INDEX memzoo_messages_by_place ON memzoo_messages (conversation_id, turn_id, place)",
    ):
        connection.exec_driver_sql(statement)


# Step n leads from version n of the schema to n + 1, the first from 1; one that was released is never changed.
_STEPS: Sequence[Callable[[Connection], None]] = (_add_places_and_times,)


VERSION = len(_STEPS) + 1


def version(connection: Connection) -> int:
    """The version of the tables that are there; 0 for none, up to `VERSION` for those that can be used."""
    if not inspect(connection).has_table(meta.name):
        return 0
    found: int = connection.execute(select(meta.c.value).where(meta.c.key == "schema")).scalar_one()
    return found


def upgrade(connection: Connection) -> None:
    """Create the tables, or bring older ones up to `VERSION`, in a transaction that is alone in writing."""
    found = version(connection)
    if not found:
        _create(connection)
    for step in _STEPS[found - 1 :] if found else ():
        step(connection)
    connection.execute(update(meta).where(meta.c.key == "schema").values(value=VERSION))


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
    state = select(conversations.c.born, conversations.c.revision, at, watermark)
    return state.select_from(conversations.outerjoin(states, of_strategy)).where(conversations.c.id == CONVERSATION)


def _changes() -> Select[*tuple[Any, ...]]:
    # One statement, hence one snapshot, of a state and its items.
    state, since = STATE.subquery(), bindparam("since", type_=BigInteger)
    known = case((since.between(state.c.born, state.c.version), since), else_=0)
    own = (items.c.conversation_id == CONVERSATION) & (items.c.strategy == _STRATEGY)
    rows = state.outerjoin(items, own & (items.c.version > known))
    return select(state, items.c.key, items.c.value).select_from(rows).order_by(items.c.version, items.c.key)


def _grow() -> Executable:
    # `floor` is the highest version that a cleared conversation had: who is born later starts above it, so
    # that no version of a conversation is ever used again, although nothing is kept of it.
    born = select(meta.c.value + 1).where(meta.c.key == "floor").scalar_subquery()
    first = {"born": born, "revision": born, "last_seq": bindparam("count"), "updated_at": bindparam("created_at")}
    new = insert(conversations).values(id=CONVERSATION, **first)
    last_seq = conversations.c.last_seq
    grown = {"last_seq": last_seq + new.excluded.last_seq, "updated_at": new.excluded.updated_at}
    return new.on_conflict_do_update(index_elements=["id"], set_=grown).returning(last_seq)


def _upsert(table: Table) -> Insert:
    statement = insert(table)
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=values)


ADD = insert(messages)
STATE = _state()
CHANGES = _changes()
GROW = _grow()
PUT_STATE, PUT_ITEM, PUT_EMBEDDING = _upsert(states), _upsert(items), _upsert(embeddings)
