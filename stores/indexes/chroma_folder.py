"""The folder of a Chroma index. One index at a time can open it; its files are reused only after a proper close."""

import contextlib
import json
import shutil
import sqlite3
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from memzoo.errors import StoreError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_NOTES = "memzoo.db"
_INDEX = "index-"


class ChromaFolder:
    """A folder for Chroma's files. An index that starts empty gets a new subfolder.

    About one in a hundred killed processes leaves Chroma's files broken, and opening broken files may crash the next
    process. So `close` records the size and the modification time of each file. If the record is missing at the next
    opening, or does not match the files, the files are deleted, and the index starts empty.

    Args:
        path: The folder, created if missing.

    Attributes:
        index: The subfolder for Chroma's files.
        sound: True to use the files again at the next opening; false to start empty then.

    Raises:
        StoreError: The folder cannot be used, or another index has it open.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).absolute()
        self.sound = True
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            self._notes = self._lock()
            try:
                self.index = self._trust() or self._new()
            except BaseException:
                self._notes.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"Chroma ({path}): {getattr(error, 'strerror', None) or error}") from error

    def client(self) -> "ClientAPI":
        """Return a new client for the index."""
        import chromadb  # loaded only where it is needed

        try:
            return chromadb.PersistentClient(self.index)
        except BaseException:
            self.sound = False
            self.close()
            raise

    def close(self) -> None:
        """Unlock the folder. If `sound` is true, its files are used again at the next opening."""
        with contextlib.closing(self._notes), contextlib.suppress(OSError, sqlite3.Error):
            if self.sound:
                files = json.dumps(_files(self.index))
                self._notes.execute("INSERT INTO closed VALUES (?, ?)", (self.index.name, files))

    def _lock(self) -> sqlite3.Connection:
        """Open and lock the database of records; the lock ends with the process, even if the process is killed."""
        file = self._path / _NOTES
        notes = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            notes.execute("PRAGMA locking_mode = EXCLUSIVE")
            notes.execute("BEGIN EXCLUSIVE")
            notes.execute("CREATE TABLE IF NOT EXISTS closed (name, files)")
            notes.execute("COMMIT")
        except sqlite3.Error as error:
            notes.close()
            if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                file.unlink()
                return self._lock()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise StoreError(
                    f"Chroma ({self._path}): another index has this folder open, in this process or in another; "
                    "share one ChromaIndex, or let several processes use a server (host=...)"
                ) from error
            raise
        return notes

    def _trust(self) -> Path | None:
        """Return the subfolder if it was closed properly and has not changed since, else `None`; delete all records."""
        closed: list[tuple[str, str]] = self._notes.execute("DELETE FROM closed RETURNING name, files").fetchall()
        for name, files in closed:
            if json.loads(files) == _files(self._path / name):
                return self._path / name
        return None

    def _new(self) -> Path:
        for old in self._path.glob(f"{_INDEX}*"):
            shutil.rmtree(old)
        return self._path / f"{_INDEX}{uuid.uuid4().hex}"


def _files(folder: Path) -> dict[str, list[int]]:
    """Return the size and the time of each file, by relative path."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    states = {file: file.stat() for file in files}
    return {str(file.relative_to(folder)): [state.st_size, state.st_mtime_ns] for file, state in states.items()}
