"""Deletes messages, and the states learnt from these messages, from SQL databases."""

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, Exists, Table, delete, exists, select, update

from memzoo.stores.common import unescaped
from memzoo.stores.sql.rows import buried_rows
from memzoo.stores.sql.schema import conversations, embeddings, items, messages, states, tombstones
from memzoo.stores.sql.statements import CLEAR, CLEAR_REST, END_LEASES, LOCK, UNBURY, Statements
from memzoo.stores.tombstones import tombstone

# Below every database's limit of parameters per statement.
_BATCH = 500


def clear(connection: Connection, use: Statements, conversation_id: str, *, only_empty: bool) -> None:
    """Clear a conversation as `Store.clear` does, within an open transaction."""
    ids = {"conversation_id": conversation_id}
    if use.retire is not None:
        connection.execute(use.retire, ids)
    emptied = CLEAR.where(conversations.c.updated_at.is_(None)) if only_empty else CLEAR
    if connection.execute(emptied, ids).rowcount or not only_empty:
        for statement in CLEAR_REST:
            connection.execute(statement, ids)
    if not only_empty:
        connection.execute(UNBURY, {"conversation": tombstone(unescaped(conversation_id))})


def forget(
    connection: Connection, use: Statements, conversation_id: str, seqs: Collection[int], *, derived: bool, buries: bool
) -> list[int]:
    """Delete messages as `ManagedStore.forget` does, within an open transaction; with `buries`, leave tombstones.

    This locks the conversation: no other transaction can write to it until the open transaction ends.
    """
    connection.execute(LOCK, {"conversation_id": conversation_id})
    own = messages.c.conversation_id == conversation_id
    present = select(messages.c.seq, messages.c.turn_id).where(own)
    turns = {
        seq: turn_id
        for some in _batches(seqs)
        for seq, turn_id in connection.execute(present.where(messages.c.seq.in_(some)))
    }
    if not turns:
        return []
    found = sorted(turns)
    if buries:
        forgotten = {tombstone(unescaped(turn_id)) for turn_id in turns.values()}
        use.put(connection.execute, {tombstones: buried_rows(conversation_id, forgotten)})
    if derived:
        _start_anew(connection, use, conversation_id, found[0])
    else:
        connection.execute(use.evicted, {"conversation_id": conversation_id})
    known = connection.execute(select(states.c.strategy).where(states.c.conversation_id == conversation_id))
    vectors = (embeddings.c.conversation_id == conversation_id) & embeddings.c.strategy.in_(known.scalars().all())
    for some in _batches(found):
        connection.execute(delete(messages).where(own, messages.c.seq.in_(some)))
        connection.execute(delete(embeddings).where(vectors, embeddings.c.seq.in_(some)))
    newest = select(messages.c.created_at).where(own).order_by(messages.c.seq.desc()).limit(1).scalar_subquery()
    connection.execute(update(conversations).where(conversations.c.id == conversation_id).values(updated_at=newest))
    return found


def _start_anew(connection: Connection, use: Statements, conversation_id: str, first: int) -> None:
    """Clear the states that may have learnt from a message, and make every reader of the conversation start afresh."""
    version = connection.execute(use.renew, {"conversation_id": conversation_id}).scalar_one()
    own = states.c.conversation_id == conversation_id
    learnt = select(states.c.strategy).where(own, states.c.watermark >= first, _has(items) | ~_has(embeddings))
    cleared = connection.execute(learnt).scalars().all()
    for table in (items, embeddings, states):
        connection.execute(
            delete(table).where(table.c.conversation_id == conversation_id, table.c.strategy.in_(cleared))
        )
    connection.execute(update(states).where(own).values(version=version))
    connection.execute(END_LEASES, {"conversation_id": conversation_id})


def _has(table: Table) -> Exists:
    same = (table.c.conversation_id == states.c.conversation_id) & (table.c.strategy == states.c.strategy)
    return exists().where(same)


def _batches(seqs: Collection[int]) -> Iterator[list[int]]:
    ordered = sorted(set(seqs))
    return (ordered[start : start + _BATCH] for start in range(0, len(ordered), _BATCH))
