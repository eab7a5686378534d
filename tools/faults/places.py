"""Makes stores for fault tests: SQLite files, folders for Chroma, and databases on a PostgreSQL server."""

import itertools
from collections.abc import Callable
from pathlib import Path

from tools.faults.scenarios import Scenario

__all__ = ["STORES", "Places"]

STORES = ["sqlite", "postgresql", "sqlite + chroma"]


class Places:
    """Makes scenarios on new, empty stores.

    Args:
        folder: The folder for all files.
        postgres_url: A function that returns the URL of an empty PostgreSQL store.
    """

    def __init__(self, folder: Path, postgres_url: Callable[[], str]) -> None:
        self._folder = folder
        self._postgres_url = postgres_url
        self._numbers = itertools.count()

    def folder(self) -> Path:
        """Return the path of a folder that does not exist yet."""
        return self._folder / str(next(self._numbers))

    def url(self, store: str) -> str:
        """Return the URL of a new store of a kind."""
        if store == "postgresql":
            return self._postgres_url()
        return f"sqlite:///{self.folder()}.db"

    def scenario(self, strategy: str, store: str) -> Scenario:
        """Return a scenario: a strategy on a new store of a kind."""
        index = str(self.folder()) if store.endswith("chroma") else None
        return Scenario(strategy, self.url(store), index)
