"""What the store asks of PostgreSQL."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Pool, event

from memzoo.stores import Record, SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import fill, vector
from tests.postgres import connected

Trips = Callable[[Callable[[], object]], int]


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A new store in PostgreSQL that is in use."""
    with contextlib.closing(SQLStore(postgres_url)) as store:
        fill(store, "c", *map(str, range(10)))
        yield store


@pytest.fixture
def trips(store: SQLStore, tmp_path: Path) -> Iterator[Trips]:
    """Counts the round trips of a call: how often the server says that it is ready for the next query."""
    seen: list[Any] = []

    def see(connection: Any, *rest: Any) -> None:
        seen.append(connection)

    def count(call: Callable[[], object]) -> int:
        call()  # which shows the connection that the next call will use
        with (tmp_path / "trace").open("w+") as trace:
            seen[-1].pgconn.trace(trace.fileno())
            call()
            seen[-1].pgconn.untrace()
            return len(re.findall("ReadyForQuery", (tmp_path / "trace").read_text()))

    event.listen(Pool, "checkout", see)
    yield count
    event.remove(Pool, "checkout", see)


def test_a_turn_is_one_round_trip(store: SQLStore, trips: Trips):
    """To append, and to read, is one message to the server and one answer, also the first time in a conversation."""
    new = map(str, range(100, 200))
    assert trips(lambda: drive(store.append("c", [Record({"role": "user"})] * 2, turn_id=next(new)))) == 1
    assert trips(lambda: drive(store.append(f"c-{next(new)}", [Record({"role": "user"})], turn_id="1"))) == 1
    assert trips(lambda: drive(store.read("c", limit=20, newest=True))) == 1
    assert trips(lambda: drive(store.read_state("c", "s"))) == 1


def test_only_a_turn_that_is_there_is_read(store: SQLStore, trips: Trips):
    """To save the same turn again takes a second round trip, which reads it."""
    assert trips(lambda: drive(store.append("c", [Record({"role": "user"})], turn_id="turn of 1"))) == 2


@pytest.fixture
def statements() -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed, with their parameters."""
    seen: list[tuple[str, Any]] = []

    def see(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        parameters, _, many = rest
        seen.append((statement, parameters[0] if many else parameters))

    event.listen(Engine, "before_cursor_execute", see)
    yield seen
    event.remove(Engine, "before_cursor_execute", see)


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All steps of a plan."""
    yield plan
    for inner in plan.get("Plans", ()):
        yield from steps(inner)


def test_nothing_reads_more_than_it_needs(store: SQLStore, postgres_url: str, statements: list[tuple[str, Any]]):
    """In a long conversation among others, no statement touches more rows than it returns."""
    drive(store.append("c", [Record({"role": "user"})] * 3000, turn_id="long"))
    drive(store.append("d", [Record({"role": "user"})] * 3000, turn_id="long"))
    with connected(postgres_url) as other:
        other.execute("ANALYZE")
        version = drive(store.read_state("c", "s")).version
        statements.clear()
        drive(store.append("c", [Record({"role": "user"})], turn_id="next"))
        drive(store.append("c", [Record({"role": "user"})], turn_id="turn of 1"))
        drive(store.read("c", limit=20, newest=True))
        drive(store.read("c", after=5, until=9))
        drive(store.commit("c", "s", expected=version, watermark=1, changes={"a": 1}, embeddings={1: vector(1)}))
        drive(store.read_state("c", "s", since=version))
        drive(store.embeddings("c", "s", after=1))
        assert len(statements) >= 9
        for statement, parameters in statements:
            ran = other.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode(), parameters).fetchall()
            plan = list(steps(ran[0][0][0]["Plan"]))
            touched = [step["Actual Rows"] + step.get("Rows Removed by Filter", 0) for step in plan]
            assert max(touched) <= 20, (statement, plan)
            scans = [step["Node Type"] for step in plan if step.get("Relation Name") == "memzoo_messages"]
            assert "Seq Scan" not in scans, (statement, plan)
