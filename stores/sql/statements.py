"""The constant statements of the SQL store."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import sqlalchemy as sa

from memzoo.stores.sql.schema import conversations, embeddings, epochs, items, leases, messages, states, tombstones

Run: TypeAlias = Callable[[sa.Executable, Mapping[str, Any] | Sequence[Mapping[str, Any]]], Any]
"""A function that executes a statement in a transaction, once for each set of values (one set, or a sequence)."""

CONVERSATION, _STRATEGY = sa.bindparam("conversation_id", type_=sa.Text), sa.bindparam("strategy", type_=sa.Text)
# In the table's order: the columns between the conversation's id and the place in the turn.
ENTRY_COLUMNS = ("seq", "turn_id", "message", "fields", "created_at")
_ENTRIES = sa.select(*(messages.c[name] for name in ENTRY_COLUMNS)).where(messages.c.conversation_id == CONVERSATION)
TURN = _ENTRIES.where(messages.c.turn_id == sa.bindparam("turn_id")).order_by(messages.c.place)
VECTORS = (
    sa.select(embeddings.c.seq, embeddings.c.vector)
    .where(embeddings.c.conversation_id == CONVERSATION, embeddings.c.strategy == _STRATEGY)
    .where(embeddings.c.seq > sa.bindparam("after"))
    .order_by(embeddings.c.seq)
)

COUNT = sa.select(sa.func.count()).select_from(messages).where(messages.c.conversation_id == CONVERSATION)
STATES = sa.select(states.c.strategy).where(states.c.conversation_id == CONVERSATION)


_ID, _UPDATED_AT = conversations.c.id, conversations.c.updated_at
_OF_STATE = (states.c.conversation_id == _ID) & (states.c.strategy == sa.bindparam("behind", type_=sa.Text))
_WATERMARK = sa.select(states.c.watermark).where(_OF_STATE).correlate(conversations).scalar_subquery()
_LEARNT_TO = sa.func.coalesce(_WATERMARK, 0)
_NOT_LEARNT = sa.exists().where(messages.c.conversation_id == _ID, messages.c.seq > _LEARNT_TO).correlate(conversations)
_BOUNDS: dict[str, sa.ColumnElement[bool]] = {
    "after": sa.bindparam("after", type_=sa.Text) < _ID,
    "first": sa.bindparam("first", type_=sa.Text) <= _ID,
    "beyond": sa.bindparam("beyond", type_=sa.Text) > _ID,
    "idle": sa.bindparam("idle", type_=sa.Text) > _UPDATED_AT,
    "behind": (conversations.c.last_seq > _LEARNT_TO) & _NOT_LEARNT,  # `last_seq` may be a forgotten message's number
}


@functools.cache
def select_ids(*bounds: str) -> sa.Select[*tuple[str]]:
    """Return an SQL statement that selects the ids of conversations with messages, in order.

    Args:
        bounds: The names of the conditions to apply. Each condition compares with the parameter of the same name.
            "after": the id is above the parameter. "first": it is at least the parameter. "beyond": it is below the
            parameter. "idle": the newest message is older than the parameter. "behind": the state named by the
            parameter has not learnt from all messages. "limit": the parameter is the maximum number of ids.
    """
    own = [_BOUNDS[name] for name in bounds if name != "limit"]
    found = sa.select(_ID).where(_UPDATED_AT.is_not(None), *own).order_by(_ID)
    return found.limit(sa.bindparam("limit", type_=sa.BigInteger)) if "limit" in bounds else found


def _state() -> sa.Select[*tuple[Any, ...]]:
    of_strategy = (states.c.conversation_id == conversations.c.id) & (states.c.strategy == _STRATEGY)
    at = sa.func.coalesce(states.c.version, conversations.c.born).label("version")
    watermark = sa.func.coalesce(states.c.watermark, 0).label("watermark")
    state = sa.select(conversations.c.born, at, watermark)
    return state.select_from(conversations.outerjoin(states, of_strategy)).where(conversations.c.id == CONVERSATION)


def _changes() -> sa.Select[*tuple[Any, ...]]:
    # One statement, hence one snapshot, of a state and its items.
    state, since = STATE.subquery(), sa.bindparam("since", type_=sa.BigInteger)
    known = sa.case((since.between(state.c.born, state.c.version), since), else_=0)
    own = (items.c.conversation_id == CONVERSATION) & (items.c.strategy == _STRATEGY)
    rows = state.outerjoin(items, own & (items.c.version > known))
    return sa.select(state, items.c.key, items.c.value).select_from(rows).order_by(items.c.version, items.c.key)


STATE = _state()
CHANGES = _changes()
# Lock the conversation first: its row is the lock.
LOCK = sa.select(conversations.c.id).where(conversations.c.id == CONVERSATION).with_for_update()
CLEAR = sa.delete(conversations).where(conversations.c.id == CONVERSATION)
# Delete dependent rows even if the conversation's row is missing. A writer that starts the conversation again
# meanwhile loses nothing: one snapshot has the new row together with its dependent rows, or neither.
CLEAR_REST = tuple(
    sa.delete(table).where(
        table.c.conversation_id == CONVERSATION, ~sa.exists().where(conversations.c.id == CONVERSATION)
    )
    for table in (messages, states, items, embeddings, epochs, leases)
)
_OWNER: sa.BindParameter[str] = sa.bindparam("owner", type_=sa.Text)
_OWN_LEASE = (leases.c.conversation_id == CONVERSATION) & (leases.c.strategy == _STRATEGY)
LEASE = sa.select(leases.c.owner, leases.c.token).where(_OWN_LEASE)
# Written as text, because SQLAlchemy does not allow the name of a column for a parameter of an update.
END_LEASES = sa.text("UPDATE memzoo_leases SET ends = 0 WHERE conversation_id = :conversation_id")
RELEASE = sa.text(f"{END_LEASES} AND strategy = :strategy AND owner = :owner RETURNING token")
ADD = sa.insert(messages)
_BURIED_IN = tombstones.c.conversation == sa.bindparam("conversation", type_=sa.Text)
TOMBSTONES = sa.select(tombstones.c.turn).where(_BURIED_IN).order_by(tombstones.c.turn)
UNBURY = sa.delete(tombstones).where(_BURIED_IN)
_NEWEST = sa.select(messages.c.created_at).where(messages.c.conversation_id == conversations.c.id)
_NEWEST_TIME = sa.func.coalesce(_NEWEST.order_by(messages.c.seq.desc()).limit(1).scalar_subquery(), "")
# Conversations whose row does not have the time of the newest message.
LOST = sa.select(conversations.c.id).where(conversations.c.updated_at != _NEWEST_TIME)
_ROW = sa.select(conversations.c.id).where(conversations.c.id == messages.c.conversation_id)
ROWLESS = sa.select(messages.c.conversation_id).where(~_ROW.exists()).distinct().order_by(messages.c.conversation_id)


@functools.cache
def _read(*, until: bool, limit: bool, newest: bool, page_first: bool) -> sa.Select[*tuple[Any, ...]]:
    """Return the statement that reads part of a log, with revision and epoch in each row; an empty part is one row."""
    seq, last = messages.c.seq, sa.bindparam("until", type_=sa.BigInteger)
    wanted = (seq > sa.bindparam("after", type_=sa.BigInteger)) & (seq <= last if until else sa.true())
    head = conversations.outerjoin(epochs, epochs.c.conversation_id == conversations.c.id)
    most: sa.BindParameter[int] = sa.bindparam("limit", type_=sa.BigInteger)
    page: sa.FromClause = messages
    if limit and page_first:
        page = _ENTRIES.where(wanted).order_by(seq.desc() if newest else seq).limit(most).subquery()
        joined = head.outerjoin(page, sa.true())
    else:
        joined = head.outerjoin(messages, (messages.c.conversation_id == CONVERSATION) & wanted)
    versions = conversations.c.revision, conversations.c.born, epochs.c.epoch
    columns = (*(page.c[name] for name in ENTRY_COLUMNS), *versions)
    found = sa.select(*columns).select_from(joined).where(conversations.c.id == CONVERSATION)
    found = found.order_by(page.c.seq.desc() if newest else page.c.seq)
    return found.limit(most) if limit and not page_first else found


class Statements:
    """The SQL statements that differ between databases.

    Attributes:
        read: Returns the statement for `Store.read` with the given bounds.
        found: Creates a conversation that does not exist yet; returns its first version.
        revise: Locks a conversation against other writers, and gives it a new version number.
        renew: Like `revise`; readers that know an earlier version must then read everything again.
        lease: Takes a lease that is free, or renews the owner's own lease; returns the lease's owner and token.
        evicted: Gives the log a new epoch after messages were evicted; the states keep their versions.
        retire: Records a conversation's last version number before its deletion, so that the number is not used again.
    """

    def __init__(
        self,
        insert_: Callable[[sa.Table], Any],
        *,
        first_version: sa.ColumnElement[int],
        next_version: sa.ColumnElement[int],
        now: sa.ColumnElement[int],
        retire: sa.Executable | None = None,
        page_first: bool = False,
    ) -> None:
        """Build the statements.

        Args:
            insert_: The dialect's `insert`, which supports `ON CONFLICT`.
            first_version: A version greater than all versions of cleared conversations.
            next_version: A version greater than all earlier versions of the conversation.
            now: The time in milliseconds since 1970.
            retire: The statement for `Statements.retire`; `None` if the database never reuses a version.
            page_first: True to select a page of the log before the join with the table of conversations. Some databases
                would otherwise sort the whole log.
        """
        count, time = sa.bindparam("count", type_=sa.BigInteger), sa.bindparam("created_at", type_=sa.Text)
        first = {"born": first_version, "revision": first_version, "last_seq": count, "updated_at": time}
        new = insert_(conversations).values(id=CONVERSATION, **first)
        own = sa.update(conversations).where(conversations.c.id == CONVERSATION)
        self.found: sa.Executable = new.on_conflict_do_nothing().returning(conversations.c.born)
        self.revise = own.values(revision=next_version).returning(conversations.c.revision)
        self.renew = own.values(born=next_version, revision=next_version).returning(conversations.c.born)
        evicted = insert_(epochs).values(conversation_id=CONVERSATION, epoch=1)
        self.evicted: sa.Executable = evicted.on_conflict_do_update(
            index_elements=["conversation_id"], set_={"epoch": epochs.c.epoch + 1}
        )
        self.lease = _lease(insert_(leases), now)
        self.retire = retire
        self.read = functools.partial(_read, page_first=page_first)
        self._puts = {table: _upsert(insert_(table), table) for table in (states, items, embeddings, tombstones)}

    def put(self, run: Run, rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]]) -> None:
        """Insert or replace rows, given as a dict from table to rows."""
        for table, new in rows.items():
            if new:
                run(self._puts[table], new)


def _lease(statement: Any, now: sa.ColumnElement[int]) -> sa.Executable:
    end = (now + sa.bindparam("milliseconds", type_=sa.BigInteger)).label("ends")
    first = sa.literal_column("1", sa.BigInteger)
    new = sa.select(CONVERSATION, _STRATEGY, _OWNER, first, end)
    taken = statement.from_select(leases.c.keys(), new.where(sa.exists().where(conversations.c.id == CONVERSATION)))
    is_own = leases.c.owner == taken.excluded.owner
    token = sa.case((is_own, leases.c.token), else_=leases.c.token + 1)
    put = {"owner": taken.excluded.owner, "token": token, "ends": taken.excluded.ends}
    upsert: Any = taken.on_conflict_do_update(
        index_elements=list(leases.primary_key.columns), set_=put, where=is_own | (leases.c.ends <= now)
    )
    returning: sa.Executable = upsert.returning(leases.c.owner, leases.c.token)
    return returning


def _upsert(statement: Any, table: sa.Table) -> sa.Executable:
    key = list(table.primary_key.columns)
    values = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    if not values:
        done: sa.Executable = statement.on_conflict_do_nothing(index_elements=key)
        return done
    upsert: sa.Executable = statement.on_conflict_do_update(index_elements=key, set_=values)
    return upsert
