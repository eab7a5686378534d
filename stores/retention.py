"""Retention: deletes old messages and conversations, for cron jobs."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memzoo.errors import OptionError
from memzoo.stores.base import Store, managed, utc_now
from memzoo.stores.forgetting import REMAINS, forget_messages
from memzoo.stores.indexes.index import VectorIndex
from memzoo.sync import blocking_function

_PAGE = 500


@dataclass(frozen=True, slots=True)
class DeletionReport:
    """The result of a run of `delete_old`.

    Attributes:
        removed: A dict from conversation id to the log numbers of the messages deleted from that conversation.
        erased: True if no copies of deleted messages are left in the store's files; `None` if no message was deleted.
        last: The id of the last conversation examined, to pass as `after` to the next run; `None` if the run examined
            no conversation.
    """

    removed: dict[str, list[int]]
    erased: bool | None
    last: str | None

    @property
    def remains(self) -> str:
        """A warning, with the remedy, that the store's files may still hold deleted messages; "" if not."""
        return REMAINS if self.erased is False else ""


async def adelete_old(
    store: Store,
    *,
    older_than: timedelta | None = None,
    idle_for: timedelta | None = None,
    now: datetime | None = None,
    index: VectorIndex | None = None,
    after: str | None = None,
    limit: int | None = None,
    prefix: str = "",
    thorough: bool = False,
) -> DeletionReport:
    """Delete old messages, and conversations that have been idle for a long time.

    States learnt from the deleted messages are deleted too, and derived anew when a memory opens the conversation. If
    the call is interrupted, repeat it. Messages saved during the call are kept. `delete_old` is for synchronous code,
    `adelete_old` for coroutines.

    Args:
        store: The store with the conversations.
        older_than: Delete messages older than this, wherever they stand in the log; this reads all messages. A
            conversation that loses all its messages can still be continued.
        idle_for: Delete conversations whose newest message is older than this; only their tombstones stay.
        now: The time from which ages are counted; by default, the current time.
        index: An index used with the store, such as a `ChromaIndex` in a folder. If messages of a
            conversation are deleted, the index drops all embeddings of this conversation. A memory later takes the
            embeddings of the remaining messages from the store again.
        after: Examine only conversations whose ids follow this id.
        limit: The maximum number of conversations to examine.
        prefix: Examine only conversations whose ids begin with this text. The conversations of `MemoryProvider.scope`
            have the prefix `memzoo-scope-`.
        thorough: As in `BaseMemory.aforget`, but the files are rewritten only once, at the end.

    Raises:
        OptionError: Neither `older_than` nor `idle_for` is given, one of the two is negative, or an argument has the
            wrong type; nothing was removed.
        StoreError: The store failed. Messages removed before the failure stay removed.

    Example:
        >>> from memzoo.memories import create_memory
        >>> memory = create_memory("buffer", conversation_id="user-42")
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> delete_old(memory.store, idle_for=timedelta(hours=1), now=utc_now() + timedelta(days=1)).removed
        {'user-42': [1, 2]}
    """
    _check(
        now, limit, index, {"older_than": older_than, "idle_for": idle_for}, {"prefix": prefix, "after": after or ""}
    )
    now = now or utc_now()
    old, idle = (_before(now, span) if span is not None else None for span in (older_than, idle_for))
    removed: dict[str, list[int]] = {}
    last: str | None = None
    async for id_ in _list_ids(store, after, limit, idle_since=None if old else idle, prefix=prefix):
        last = id_
        newest = await store.read(id_, limit=1, newest=True)
        is_over = bool(newest and idle and newest[0].created_at < idle)
        if not newest or not (is_over or old):
            continue
        if outdated := await _find_outdated(store, id_, newest[0].seq, None if is_over else old):
            spaces = await managed(store, "states").states(id_) if index else []
            if gone := await forget_messages(store, id_, outdated):
                removed[id_] = gone
            for space in spaces:
                if index:
                    await index.remove(id_, space)
        if is_over:
            await store.clear(id_, only_empty=True)
    erased = await managed(store, "scrub").scrub(thorough=thorough) if removed else None
    return DeletionReport(removed, erased, last)


delete_old = blocking_function(adelete_old)


def _check(now: object, limit: object, index: object, spans: Mapping[str, object], texts: Mapping[str, object]) -> None:
    for name, span in spans.items():
        if not (span is None or (isinstance(span, timedelta) and span >= timedelta(0))):
            raise OptionError(f"{name} must be a timedelta of at least 0, such as timedelta(days=30), not {span!r}")
    if not any(isinstance(span, timedelta) for span in spans.values()):
        raise OptionError(f"{' or '.join(spans)} is needed, such as timedelta(days=30)")
    if now is not None and getattr(now, "tzinfo", None) is None:
        raise OptionError(f"now must be a datetime with a time zone, such as datetime.now(UTC), not {now!r}")
    if limit is not None and not (type(limit) is int and limit >= 0):
        raise OptionError(f"limit must be a whole number of at least 0, not {limit!r}")
    if not (index is None or isinstance(index, VectorIndex)):
        raise OptionError(f"index must be a vector index, such as a ChromaIndex, not {index!r}")
    for name, text in texts.items():
        if not isinstance(text, str):
            raise OptionError(f"{name} must be a string, not {text!r}")


def _before(now: datetime, span: timedelta) -> datetime:
    """Return `now` minus a span; the earliest possible time if the result is out of range."""
    try:
        return (now - span).astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


async def _list_ids(
    store: Store, after: str | None, limit: int | None, *, idle_since: datetime | None, prefix: str
) -> AsyncIterator[str]:
    left = _PAGE if limit is None else limit
    while page := await managed(store, "conversations").conversations(
        after=after, limit=min(_PAGE, left), idle_since=idle_since, prefix=prefix
    ):
        for id_ in page:
            yield id_
        after, left = page[-1], left - (0 if limit is None else len(page))


async def _find_outdated(store: Store, conversation_id: str, until: int, old: datetime | None) -> list[int]:
    """Return the log numbers, up to `until`, of the messages stored before `old`; without `old`, of all messages."""
    found: list[int] = []
    after = 0
    # To the end, since times need not ascend: a clock may have been wrong, or older messages imported later.
    while page := await store.read(conversation_id, after=after, until=until, limit=_PAGE):
        found += [entry.seq for entry in page if not old or entry.created_at < old]
        after = page[-1].seq
    return found
