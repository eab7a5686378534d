"""What the SQL store asks of PostgreSQL: `python -m tests.stores.statements` writes it to docs/postgresql.sql."""

import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from memzoo.stores import Entry, SQLStore, StoredState
from memzoo.sync import drive
from memzoo.testing.store_tools import records, vector
from tests.postgres import PostgresServer

PAGE = Path(__file__).parents[2] / "docs" / "postgresql.sql"
NOW = datetime(2026, 1, 1, tzinfo=UTC)

HEAD = """\
-- Every statement of memzoo's SQL store, as PostgreSQL is sent it: first the tables, then the rest.
-- SQLAlchemy's own look into pg_catalog, at the start, is left out. Written by `python -m tests.stores.statements`.
"""


def statements(url: str) -> str:
    """All statements, each once, those that make the tables first."""
    seen = list[str]()
    with _watching(seen):
        store = SQLStore(url)
        _work(store)
        store.close()
    known = sorted({_plain(one) for one in seen if "pg_catalog.pg_class" not in one and "select pg_" not in one})
    made = sorted((one for one in known if one.startswith(("CREATE", "ALTER"))), key=_place)
    return "\n".join([HEAD, *(f"{one};\n" for one in [*made, *(one for one in known if one not in made)])])


def _work(store: SQLStore) -> None:
    """Do everything that a store can do."""
    for _ in range(2):
        drive(store.append("c", records("a", "b"), turn_id="1"))
    bounds: list[dict[str, Any]] = [{}, {"limit": 1}, {"limit": 1, "newest": True}, {"until": 1}, {"newest": True}]
    more: list[dict[str, Any]] = [{"until": 1, "limit": 1}, {"until": 1, "newest": True}]
    for bound in bounds + more:
        drive(store.read("c", **bound))
    for since in (0, 1):
        drive(store.read_state("c", "s", since=since))
    version = drive(store.read_state("c", "s")).version
    changes = {"kept": 1, "gone": None}
    drive(store.commit("c", "s", expected=version, watermark=2, changes=changes, embeddings={1: vector(1)}))
    drive(store.embeddings("c", "s"))
    drive(store.lease("c", "s", owner="one", seconds=1))
    drive(store.release("c", "s", "one"))
    for listed in ({}, {"after": "a", "limit": 1}, {"idle_since": NOW}, {"prefix": "c"}, {"behind": "s"}):
        drive(store.conversations(**listed))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    drive(store.forget("c", [1]))
    drive(store.append("c", records("d"), turn_id="2"))
    drive(store.forget("c", [3], derived=False))
    for told in (store.tombstones, store.count, store.states):
        drive(told("c"))
    drive(
        store.restore("r", [Entry(1, {"role": "user", "content": "a"}, "1", NOW)], {"s": StoredState(1, {"a": 1}, {})})
    )
    drive(store.scrub(thorough=True))
    drive(store.check())
    drive(store.clear("r", only_empty=True))
    drive(store.clear("r"))


@contextmanager
def _watching(seen: list[str]) -> Generator[None]:
    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _plain(statement: str) -> str:
    """On one line, with `?` for values: how many rows are sent at once is not told."""
    one = re.sub(r"%\(\w+\)s(::[\w ]+?(?=[,) ]|$))?", "?", " ".join(statement.split()))
    return re.sub(r"(VALUES \([^()]*\))(, \([^()]*\))+", r"\1", one)


def _place(statement: str) -> tuple[bool, str]:
    return not statement.startswith(("CREATE TABLE", "CREATE SEQUENCE")), statement


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = PostgresServer(Path(folder) / "data")
        PAGE.write_text(statements(server.new_url()), encoding="utf-8")
        server.cleanup()


if __name__ == "__main__":
    main()
