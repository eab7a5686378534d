"""A PostgreSQL database whose tables were cut into partitions, as `docs/partitions.sql` does it."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memzoo.stores import SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import records
from tests.postgres import connected

FILE = Path(__file__).parents[2] / "docs/partitions.sql"


@pytest.fixture
def partitioned(postgres_url: str) -> str:
    """The tables in four partitions each instead of 256."""
    SQLStore(postgres_url).close()
    statement = FILE.read_text(encoding="utf-8")
    with connected(postgres_url) as connection:
        connection.execute(statement.replace("255", "3").replace("256", "4").encode())
    return postgres_url


def test_keeps_conversations_as_before(partitioned: str) -> None:
    """Logs and states of conversations in different partitions are read back, and listed in order."""
    store = SQLStore(partitioned)
    for number in range(10):
        drive(store.append(f"c{number}", records("a", "b"), turn_id="1"))
        version = drive(store.read_state(f"c{number}", "s")).version
        new = store.commit(
            f"c{number}", "s", expected=version, watermark=2, changes={"n": number}, embeddings={1: b"1234"}
        )
        assert drive(new) > version
    assert drive(store.conversations()) == [f"c{number}" for number in range(10)]
    for number in range(10):
        assert [entry.seq for entry in drive(store.read(f"c{number}"))] == [1, 2]
        assert drive(store.read_state(f"c{number}", "s")).changes == {"n": number}
        assert drive(store.embeddings(f"c{number}", "s")) == {1: b"1234"}
    store.close()


def test_reads_one_partition(partitioned: str) -> None:
    """A conversation is looked for in its own partition alone."""
    query = "EXPLAIN SELECT * FROM memzoo_messages WHERE conversation_id = 'c1' ORDER BY seq DESC LIMIT 20"
    with connected(partitioned) as connection:
        plan = "\n".join(line for (line,) in connection.execute(query.encode()))
    assert len(set(re.findall(r"memzoo_messages_\d", plan))) == 1


def test_stores_a_turn_once_though_four_save_it(partitioned: str) -> None:
    """Whoever comes second is told what the first stored, as without partitions (I2)."""
    stores = [SQLStore(partitioned) for _ in range(4)]

    def save(number: int) -> list[int]:
        saved = drive(stores[number % 4].append("c", records("a", "b"), turn_id=f"{number // 4}"))
        return [entry.seq for entry in saved]

    with ThreadPoolExecutor(4) as pool:
        saved = list(pool.map(save, range(200)))
    assert saved == [numbers for numbers in saved[::4] for _ in range(4)]
    assert sorted(seq for numbers in saved[::4] for seq in numbers) == list(range(1, 101))
    for store in stores:
        store.close()
