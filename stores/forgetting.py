"""Deletes messages, and updates the pins and the system message of the conversation."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from memzoo.errors import ConflictError
from memzoo.stores.base import JSON, Entry, Store, managed

PINS = "pins"
"""The name of the state for pinned messages; see `memzoo.memories.engine.pins`."""
SYSTEM = "system-message"
"""The name of the state for the system message in force; see `memzoo.memories.engine.system_message`."""

_HOLDS = "holds"
_NEVER = datetime(1, 1, 1, tzinfo=UTC)

REMAINS = (
    "Copies of deleted data may be left in the store's files: `memzoo forget --thorough`, or "
    "store.scrub(thorough=True), rewrites them, while others wait."
)
"""The hint for a store whose files were not rewritten after a deletion."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of forgetting messages.

    Attributes:
        removed: The log numbers of the deleted messages, in order.
        rederived: The names of the states that had learnt from these messages and were derived anew.
        outstanding: The names of the states that are not derived anew yet (a memory that uses such a state derives it
            when next called), then a description of each failure.
        calls: The number of calls to models and embedders that forgetting took.
        erased: True if no copies of the messages are left in the store's files. Otherwise see `remains`.
    """

    removed: tuple[int, ...]
    rederived: tuple[str, ...] = ()
    outstanding: tuple[str, ...] = ()
    calls: int = 0
    erased: bool = True

    @property
    def remains(self) -> str:
        """A warning, with the remedy, that the store's files may still hold copies of the messages; "" if `erased`."""
        return "" if self.erased else REMAINS


async def forget_messages(
    store: Store, conversation_id: str, seqs: Collection[int], *, for_good: bool = True
) -> list[int]:
    """Delete messages as `ManagedStore.forget` does, and unpin the deleted messages.

    The system message in force, which views show first, stays in force unless it is itself deleted. With `for_good`
    false, the deleted turns can be saved again.

    Returns:
        The log numbers of the deleted messages, in order.
    """
    before = await store.read_state(conversation_id, SYSTEM)
    removed = await managed(store, "forget").forget(conversation_id, seqs, tombstones=for_good)
    while True:
        pins = await store.read_state(conversation_id, PINS)
        gone = {str(seq): None for seq in removed if pins.changes.get(str(seq)) is not None}
        if not gone or not await store.read(conversation_id, limit=1):
            break
        with suppress(ConflictError):
            # The watermark stays 0: forgetting any message must never clear the state with the other pins.
            await store.commit(conversation_id, PINS, expected=pins.version, watermark=0, changes=gone)
            break
    now, holds = await store.read_state(conversation_id, SYSTEM), unpack_system(before.changes)
    if not before.watermark or now.watermark or (holds and holds.seq in removed):
        return removed
    # Read after the state's version: if another process forgets the system message meanwhile, the commit fails.
    last = await store.read(conversation_id, limit=1, newest=True)
    there = holds is None or await store.read(conversation_id, after=holds.seq - 1, until=holds.seq)
    if last and there:
        watermark, key = min(before.watermark, last[-1].seq), (conversation_id, SYSTEM)
        with suppress(ConflictError):
            await store.commit(*key, expected=now.version, watermark=watermark, changes=pack_system(holds))
    return removed


def pack_system(entry: Entry | None) -> dict[str, JSON]:
    """Return the state items that record `entry` as the system message in force; `entry` is `None` if there is none."""
    return {_HOLDS: [entry.seq, entry.message] if entry else None}


def unpack_system(items: Mapping[str, JSON]) -> Entry | None:
    """Read the entry of the current system message from the items made by `pack_system`; `None` if there is none."""
    number, message = items.get(_HOLDS) or (0, {})
    return Entry(number, message, "", _NEVER) if number else None
