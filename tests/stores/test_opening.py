"""From a URL to a store, and what importing costs."""

import contextlib
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memzoo.stores
from memzoo.errors import OptionError, StoreError
from memzoo.stores import InMemoryStore, Record, SQLStore, open_store
from memzoo.sync import drive

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_memory():
    """memory:// is a new store each time."""
    first, second = open_store("memory://"), open_store("memory://")
    assert isinstance(first, InMemoryStore)
    drive(first.append("c", [Record({"role": "user"})], turn_id="1"))
    assert drive(second.conversations()) == []


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite://?synchronous=normal"])
def test_sqlite_in_memory(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """SQLite without a path is a new database each time, and leaves no file."""
    monkeypatch.chdir(tmp_path)
    with contextlib.closing(open_store(url)) as first, contextlib.closing(open_store(url)) as second:
        assert isinstance(first, SQLStore)
        drive(first.append("c", [Record({"role": "user"})], turn_id="1"))
        assert drive(second.conversations()) == []
    assert list(tmp_path.iterdir()) == []


def test_sqlite_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A relative path is meant from the folder at the time of opening; an absolute one has a fourth slash."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with contextlib.closing(open_store("sqlite:///chat 100%25.db")) as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        drive(store.append("c", [Record({"role": "user"})], turn_id="1"))
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/chat 100%25.db")) as store:
        assert drive(store.conversations()) == ["c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chat 100%.db", "elsewhere"]


@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
def test_the_clock_is_handed_on(url: str):
    """Messages carry the time of the clock that was given."""
    with contextlib.closing(open_store(url, clock=lambda: NOON)) as store:
        assert drive(store.append("c", [Record({"role": "user"})], turn_id="1"))[0].created_at == NOON


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("mysql://user:secret@host/db", r"'mysql'.*memory://, sqlite://, postgresql://"),
        ("chat.db", "'sqlite:///chat.db'"),
        ("/var/100%?.db", "'sqlite:////var/100%25%3F.db'"),
        ("", "'sqlite:///memories.db'"),
        ("://", "kind of store ''"),
        ("memory://name", "must be 'memory://' alone"),
        ("memory://?synchronous=normal", "without a name or options"),
        ("sqlite:///", "sqlite:///relative.db"),
        ("sqlite://chat.db", "sqlite:///relative.db"),
        ("sqlite://:99999999/chat.db", "sqlite:///relative.db"),
        ("sqlite:///chat.db?mode=ro", "'mode'.*synchronous, timeout"),
        ("sqlite:///chat.db?synchronous=off", "synchronous=off.*synchronous=full"),
        ("sqlite:///chat.db?synchronous=full&synchronous=normal", "synchronous=full"),
        ("sqlite:///chat.db?timeout=soon", "timeout=soon"),
        ("sqlite:///chat.db?timeout=-1", "timeout=-1"),
        ("sqlite:///chat.db?timeout=nan", "timeout=nan"),
        ("sqlite:///chat%00.db", "a NUL character"),
    ],
)
def test_mistakes_are_explained(url: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An URL that cannot work is refused with the way to write it; passwords stay out of the message."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=hint) as caught:
        open_store(url)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", [5, [5], "short"])
def test_a_key_that_is_none_is_refused(key: Any):
    """The error says how a key is made."""
    with pytest.raises(OptionError, match=r"an encryption key must be 32 bytes.*EncryptedStore\.new_key\(\)"):
        open_store("memory://", key=key)


def test_a_missing_folder_is_named(tmp_path: Path):
    """A file cannot be created in a folder that is not there."""
    with pytest.raises(StoreError, match=f"{tmp_path}/no/such.db: the folder {tmp_path}/no does not exist"):
        open_store(f"sqlite:///{tmp_path}/no/such.db")


def test_everything_public_can_be_imported():
    """All names in `__all__` are there, also those that are loaded late, and no others."""
    assert all(hasattr(memzoo.stores, name) for name in memzoo.stores.__all__)
    assert not hasattr(memzoo.stores, "RedisStore")


def test_importing_loads_nothing_heavy():
    """Who uses only the store in memory does not wait for NumPy, SQLAlchemy or Chroma."""
    code = (
        "import sys, memzoo.stores; memzoo.stores.open_store('memory://');"
        "from memzoo.stores.indexes.index import ExactIndex; ExactIndex();"
        "print(sorted({'numpy', 'sqlalchemy', 'chromadb', 'pytest'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("sqlite:/x", "write 'sqlite:////x'"),
        ("sqlite:x.db?timeout=5", "write 'sqlite:///x.db?timeout=5'"),
        ("redis:host", "it must begin with 'redis://'"),
        ("chat.db", "for a file write 'sqlite:///chat.db'"),
        ("C:/50%.db", "for a file write 'sqlite:///C:/50%25.db'"),
    ],
)
def test_a_url_without_its_slashes_is_put_right(url: str, advice: str):
    """Who leaves out slashes or the scheme is told how the same place is written."""
    with pytest.raises(OptionError, match=f"is not the URL of a store; {re.escape(advice)}$"):
        open_store(url)
