"""What tests of the store in SQLite share."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo.stores import SQLStore


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Where a file is to be."""
    return f"sqlite:///{tmp_path}/chat.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The same place as a path."""
    return tmp_path / "chat.db"


@pytest.fixture
def store(url: str) -> Iterator[SQLStore]:
    """A new store in that file."""
    with contextlib.closing(SQLStore(url)) as store:
        yield store
