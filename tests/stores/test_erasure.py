"""What was deleted is not left in the files."""

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo.stores import Record, SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import commit, fill


@pytest.fixture
def store(url: str) -> Iterator[SQLStore]:
    """A new store that is quick to fill."""
    with contextlib.closing(SQLStore(f"{url}?synchronous=normal")) as store:
        yield store


def remains(file: Path, secrets: list[str]) -> list[str]:
    """Those of some texts that stand anywhere in the file, its write-ahead log or its shared memory."""
    content = b"".join(path.read_bytes() for path in file.parent.iterdir())
    return [secret for secret in secrets if secret.encode() in content]


def quoted_everywhere(store: SQLStore, chance: random.Random) -> dict[str, tuple[str, int]]:
    """Many messages of many lengths in many conversations, quoted by states; where each is, by a text that it has."""
    said: dict[str, tuple[str, int]] = {}
    for number in range(300):
        id_, secret = f"c{chance.randrange(10)}", f"<secret {number}>"
        text = secret * chance.choice([1, 1, 2, 10, 60, 400])
        record = Record({"role": "user", "content": text}, {"mood": secret})
        (entry,) = drive(store.append(id_, [record], turn_id=secret))
        said[secret] = (id_, entry.seq)
        if number % 3 == 0:
            commit(store, id_, {"summary": text[:3000], f"{chance.random()} {secret}": [secret]}, watermark=entry.seq)
    return said


@pytest.mark.parametrize("seed", range(2))
def test_what_was_forgotten_is_in_no_file(store: SQLStore, file: Path, seed: int):
    """Of forgotten messages, and of states that quoted them, a few copies are left by default, and none by rewriting.

    The others are there.
    """
    chance = random.Random(seed)  # noqa: S311
    said = quoted_everywhere(store, chance)
    gone = [secret for secret in said if chance.random() < 0.5]
    assert remains(file, gone) == gone
    for secret in gone:
        id_, seq = said[secret]
        drive(store.forget(id_, [seq]))
    assert not drive(store.scrub())
    assert len(remains(file, gone)) < len(gone) / 10
    assert drive(store.scrub(thorough=True))
    assert remains(file, gone) == []
    kept = [secret for secret in said if secret not in gone]
    assert remains(file, kept) == kept


def test_what_was_cleared_is_in_no_file(store: SQLStore, file: Path):
    """Of a cleared conversation nothing is left, not even its id."""
    said = quoted_everywhere(store, random.Random(7))  # noqa: S311
    fill(store, "a secret name", "hello")
    drive(store.clear("a secret name"))
    drive(store.clear("c5"))
    gone = [secret for secret, (id_, _) in said.items() if id_ == "c5"]
    assert drive(store.scrub(thorough=True))
    assert remains(file, [*gone, "a secret name"]) == []


def test_emptying_the_log_is_enough_for_the_log(store: SQLStore, file: Path):
    """By default the file is not rewritten: the write-ahead log is emptied, and freed pages are zeros."""
    secret = "<secret> " * 1000
    drive(store.append("c", [Record({"role": "user", "content": secret})], turn_id="1"))
    drive(store.clear("c"))
    assert remains(file, ["<secret>"]) == ["<secret>"]
    assert not drive(store.scrub())
    assert remains(file, ["<secret>"]) == []
    assert Path(f"{file}-wal").stat().st_size == 0
    size = file.stat().st_size
    assert drive(store.scrub(thorough=True))
    assert file.stat().st_size < size


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("holding", ["SELECT * FROM memzoo_messages", "DELETE FROM memzoo_messages"])
def test_a_held_up_scrub_says_so(
    url: str, file: Path, holding: str, caplog: pytest.LogCaptureFixture, *, thorough: bool
):
    """While another process reads old pages or writes, the log cannot be emptied; afterwards it can."""
    with (
        contextlib.closing(SQLStore(f"{url}?timeout=0")) as store,
        contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        fill(store, "c", "hello")
        other.execute("BEGIN")
        other.execute(holding).fetchall()
        with contextlib.suppress(RuntimeError):
            drive(store.forget("c", [1]))
        assert not drive(store.scrub(thorough=thorough))
        assert "deleted data remains in the files" in caplog.text
        assert Path(f"{file}-wal").stat().st_size > 0
        other.execute("ROLLBACK")
        assert drive(store.scrub(thorough=thorough)) is thorough
        assert Path(f"{file}-wal").stat().st_size == 0
