"""The tables of the SQL store, and their versions."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import InvalidRequestError

_tables = sa.MetaData()
# Always sorted in Unicode's order, for any language of the database.
_TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def _text(name: str, *, key: bool = False, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, _TEXT, primary_key=key, nullable=null)


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, primary_key=key, nullable=False, autoincrement=False)


def _state_key() -> tuple[sa.Column[str], sa.Column[str]]:
    return _text("conversation_id", key=True), _text("strategy", key=True)


# The prefix lets the tables share a database with other tables.
# Tables with long rows keep row ids: without row ids, SQLite stores whole rows in the inner nodes of its trees.
meta = sa.Table("memzoo_meta", _tables, _text("key", key=True), _number("value"))
conversations = sa.Table(
    "memzoo_conversations",
    _tables,
    *(_text("id", key=True), _number("born"), _number("revision"), _number("last_seq")),
    _text("updated_at", null=True),  # the time of the newest message; NULL if all messages were forgotten
    sqlite_with_rowid=False,
)
messages = sa.Table(
    "memzoo_messages",
    _tables,
    *(_text("conversation_id", key=True), _number("seq", key=True), _text("turn_id")),
    *(_text("message"), _text("fields"), _text("created_at")),
    sa.Column("place", sa.BigInteger, nullable=False, server_default="0"),  # in the turn, from 0
    sa.Index(
        "memzoo_messages_by_place", "conversation_id", "turn_id", "place", unique=True
    ),  # a turn cannot be stored twice
)
states = sa.Table(
    "memzoo_states", _tables, *_state_key(), _number("version"), _number("watermark"), sqlite_with_rowid=False
)
items = sa.Table(
    "memzoo_items",
    _tables,
    *(*_state_key(), _text("key", key=True), _text("value", null=True), _number("version")),
    sa.Index("memzoo_items_by_version", "conversation_id", "strategy", "version", "key"),
)
embeddings = sa.Table(
    "memzoo_embeddings",
    _tables,
    *_state_key(),
    _number("seq", key=True),
    sa.Column("vector", sa.LargeBinary, nullable=False),
)


# The number of deletions in a conversation that left its states alone; no row means 0.
epochs = sa.Table(
    "memzoo_epochs", _tables, _text("conversation_id", key=True), _number("epoch"), sqlite_with_rowid=False
)

# Turns with forgotten messages: the ids of conversation and turn, both hashed by `tombstone`.
tombstones = sa.Table(
    "memzoo_tombstones",
    _tables,
    *(_text("conversation", key=True), _text("turn", key=True)),
    sqlite_with_rowid=False,
)

# The owner of each state's lease, and the end of the lease in milliseconds since 1970. An ended lease keeps its row,
# for the token.
leases = sa.Table(
    "memzoo_leases",
    _tables,
    *(*_state_key(), _text("owner"), _number("token"), _number("ends")),
    sqlite_with_rowid=False,
)

# Versions in databases with sequences: no version is used twice, and no writer waits for a version.
versions = sa.Sequence("memzoo_versions", metadata=_tables, data_type=sa.BigInteger)


def _create(connection: sa.Connection) -> None:
    _tables.create_all(connection, checkfirst=False)
    connection.execute(sa.insert(meta), [{"key": "schema", "value": VERSION}, {"key": "floor", "value": 0}])


STEPS: Sequence[Callable[[sa.Connection], None]] = ()
"""Step n upgrades the schema from version n to n + 1, starting at 1; a released step is never changed."""

VERSION = len(STEPS) + 1
"""The version of the tables."""

_UPGRADING = 0x6D656D7A6F6F  # "memzoo"


def version(connection: sa.Connection) -> int:
    """Return the version of the tables in the database; 0 if there are no tables.

    A newer memzoo may have written a version above `VERSION`.

    Raises:
        InvalidRequestError: The version, or another number in the table `memzoo_meta`, is missing or wrong.
    """
    if not sa.inspect(connection).has_table(meta.name):
        return 0
    found = {str(key): value for key, value in connection.execute(sa.select(meta.c.key, meta.c.value))}
    for key, least, right in (
        ("schema", 1, f"{VERSION}, if this memzoo wrote it"),
        ("floor", 0, "the highest revision in memzoo_conversations, or more"),
    ):
        if not isinstance(value := found.get(key), int) or value < least:
            raise InvalidRequestError(  # the store turns this error into a StoreError that names the database
                f"the table {meta.name} is damaged: the value of {key!r} is {value!r}; restore a backup, or set it to "
                f"what it was ({right})"
            )
    return int(found["schema"])


def upgrade(connection: sa.Connection) -> None:
    """Create the tables, or bring older tables to `VERSION`. Other processes wait meanwhile."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_UPGRADING)))
    found = version(connection)
    if not found:
        _create(connection)
    for step in STEPS[found - 1 :] if found else ():
        step(connection)
    connection.execute(sa.update(meta).where(meta.c.key == "schema").values(value=VERSION))
