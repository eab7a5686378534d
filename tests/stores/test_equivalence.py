"""The store in memory does the same as those in SQL and on Redis."""

import contextlib
import itertools
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from memzoo.errors import ConflictError, StoreError
from memzoo.stores import InMemoryStore, ManagedStore, Record, SQLStore, StateUpdate, StoredState
from memzoo.stores.redis.store import RedisStore
from memzoo.sync import drive
from tests.postgres import PostgresServer
from tests.redis_servers import RedisServer

IDS = st.sampled_from(["", "a", "A", "a\0", "\\", "\ud800"])
STRATEGIES = st.sampled_from(["s", "t"])
BOUNDS = st.integers(-2, 12)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
RECORDS = st.lists(
    st.builds(
        Record, st.dictionaries(st.text(max_size=5), VALUES, max_size=3), st.dictionaries(TEXTS, st.none() | TEXTS)
    ),
    max_size=3,
)


def ticking() -> Callable[[], datetime]:
    """A clock on which a second passes each time it is read."""
    seconds = itertools.count()
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(seconds))


class BothStores(RuleBasedStateMachine):
    """Runs every call on both, and compares what comes back; versions may differ, so they are kept in pairs."""

    @initialize()
    def open(self) -> None:
        """Two new stores, which have no version in common but none."""
        self.stores: tuple[ManagedStore, ManagedStore] = (InMemoryStore(clock=ticking()), self.other(ticking()))
        self.versions: dict[str, list[tuple[int, int]]] = {}

    def other(self, clock: Callable[[], datetime]) -> ManagedStore:
        """The other store."""
        return SQLStore("sqlite://", clock=clock)

    def teardown(self) -> None:
        """Close them."""
        for store in getattr(self, "stores", ()):
            store.close()

    def both(self, call: Callable[[ManagedStore], Coroutine[Any, Any, Any]]) -> Any:
        """What the call returns, which is the same from both."""
        one, other = (drive(call(store)) for store in self.stores)
        assert one == other
        return one

    def pair(self, id_: str, index: int) -> tuple[int, int]:
        """One of the latest pairs of versions of a conversation, also of before it was cleared."""
        versions = self.versions.setdefault(id_, [(0, 0)])
        return versions[-1 - index % len(versions)]

    @rule(id_=IDS, records=RECORDS, turn_id=st.sampled_from(["1", "2", "3", "4", "\0"]))
    def append(self, id_: str, records: list[Record], turn_id: str) -> None:
        """The same turn, new or not."""
        self.both(lambda store: store.append(id_, records, turn_id=turn_id))

    @rule(id_=IDS, after=BOUNDS, until=st.none() | BOUNDS, limit=st.none() | BOUNDS, newest=st.booleans())
    def read(self, id_: str, after: int, until: int | None, limit: int | None, *, newest: bool) -> None:
        """The same stretch of the log."""
        self.both(lambda store: store.read(id_, after=after, until=until, limit=limit, newest=newest))

    @rule(id_=IDS, strategy=STRATEGIES, index=st.integers(0, 9))
    def read_state(self, id_: str, strategy: str, index: int) -> None:
        """The same state, since a version that either has seen at the same time."""
        one, other = (
            drive(store.read_state(id_, strategy, since=since))
            for store, since in zip(self.stores, self.pair(id_, index), strict=True)
        )
        self.versions[id_].append((one.version, other.version))
        assert one == StateUpdate(one.version, other.watermark, other.changes, other.reset)

    @rule(
        id_=IDS,
        strategy=STRATEGIES,
        index=st.integers(0, 3),
        update=st.fixed_dictionaries(
            {
                "watermark": st.integers(0, 9),
                "changes": st.dictionaries(st.sampled_from(["a", "b", "\ud800"]), VALUES),
                "embeddings": st.none() | st.dictionaries(st.integers(1, 9), st.binary(max_size=8)),
            }
        ),
    )
    def commit(self, id_: str, strategy: str, index: int, update: dict[str, Any]) -> None:
        """The same commit, which both take or both refuse."""
        results: list[int | None] = []
        for store, expected in zip(self.stores, self.pair(id_, index), strict=True):
            try:
                results.append(drive(store.commit(id_, strategy, expected=expected, **update)))
            except ConflictError:
                results.append(None)
        one, other = results
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            self.versions[id_].append((one, other))

    @rule(id_=IDS)
    def clear(self, id_: str) -> None:
        """The same conversation."""
        self.both(lambda store: store.clear(id_))

    @rule(
        id_=IDS,
        seqs=st.lists(st.integers(-1, 9), max_size=4),
        derived=st.booleans(),
        tombstones=st.booleans(),
    )
    def forget(self, id_: str, seqs: list[int], *, derived: bool, tombstones: bool) -> None:
        """The same messages, with or without what was learnt from them, for good or not."""
        self.both(lambda store: store.forget(id_, seqs, derived=derived, tombstones=tombstones))
        self.both(lambda store: store.tombstones(id_))

    @rule(id_=IDS)
    def clear_if_empty(self, id_: str) -> None:
        """The same conversation, if no message is left."""
        self.both(lambda store: store.clear(id_, only_empty=True))

    @rule(id_=IDS, source=IDS)
    def copy(self, id_: str, source: str) -> None:
        """The same conversation under another id, where there is none."""
        results: list[bool] = []
        for store in self.stores:
            state = drive(store.read_state(source, "s"))
            stored = StoredState(state.watermark, state.changes, drive(store.embeddings(source, "s")))
            try:
                drive(store.restore(id_, drive(store.read(source)), {"s": stored}))
                results.append(True)
            except StoreError:
                results.append(False)
        assert results[0] == results[1]

    @rule(after=st.none() | IDS, limit=st.none() | BOUNDS, second=st.none() | st.integers(0, 60))
    def list(self, after: str | None, limit: int | None, second: int | None) -> None:
        """The same page of conversations."""
        idle_since = second if second is None else datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
        self.both(lambda store: store.conversations(after=after, limit=limit, idle_since=idle_since))

    @rule(id_=IDS, strategy=STRATEGIES, after=BOUNDS)
    def embeddings(self, id_: str, strategy: str, after: int) -> None:
        """The same embeddings."""
        self.both(lambda store: store.embeddings(id_, strategy, after=after))

    @invariant()
    def conversations(self) -> None:
        """There are the same conversations and states at any time."""
        if hasattr(self, "stores"):
            for id_ in self.both(lambda store: store.conversations()):
                self.both(partial(_states, id_))


def _states(id_: str, store: ManagedStore) -> Coroutine[Any, Any, list[str]]:
    return store.states(id_)


TestBothStores = BothStores.TestCase
TestBothStores.settings = settings(max_examples=10, stateful_step_count=40, deadline=None)


def test_postgresql_does_the_same(postgres_server: PostgresServer):
    """So does the store in PostgreSQL."""

    class WithPostgres(BothStores):
        def other(self, clock: Callable[[], datetime]) -> ManagedStore:
            return SQLStore(postgres_server.new_url(), clock=clock)

    run_state_machine_as_test(  # pyright: ignore[reportUnknownVariableType]
        WithPostgres, settings=settings(max_examples=6, stateful_step_count=40, deadline=None)
    )


def test_redis_does_the_same(redis_server: RedisServer):
    """So does the store on Redis."""

    class WithRedis(BothStores):
        def other(self, clock: Callable[[], datetime]) -> ManagedStore:
            with contextlib.closing(redis_server.client()) as client:
                client.flushall()
            return RedisStore(f"redis://127.0.0.1:{redis_server.port}", clock=clock)

    run_state_machine_as_test(  # pyright: ignore[reportUnknownVariableType]
        WithRedis, settings=settings(max_examples=6, stateful_step_count=40, deadline=None)
    )
