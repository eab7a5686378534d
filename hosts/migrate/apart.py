"""Migrates code in a separate process, because some files crash the parser or make it run for ever."""

import importlib.util
import multiprocessing
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memzoo.errors import MemoryZooError, MissingExtraError, TransferError
from memzoo.hosts.migrate.code import Migrated, contents, leave_unchanged, migrate_code
from memzoo.hosts.migrate.code_names import mentions_langchain_memory

_CONTEXT = multiprocessing.get_context("spawn")


class Apart:
    """Runs `migrate_code` in a separate process, and restarts the process after a crash.

    Args:
        seconds: The time limit for each file; the parser needs about a second for a thousand lines.
        without_langchain: True to rewrite `ConversationChain` too.
    """

    def __init__(self, seconds: float, *, without_langchain: bool = False) -> None:
        self._seconds, self._without_langchain = seconds, without_langchain
        self._process: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def migrate_file(self, path: Path) -> Migrated:
        """Return the migration of a file.

        Raises:
            MissingExtraError: libcst is not installed.
            TransferError: The file cannot be read, is not Python, takes too long, or crashes the process.
        """
        if not mentions_langchain_memory(contents(path)):
            return leave_unchanged(path)
        pipe = self._start()
        pipe.send(path)
        try:
            if not pipe.poll(self._seconds):
                self._end()
                raise TransferError(f"{path} was skipped: it takes more than {self._seconds:g} seconds")
            done: Migrated | MemoryZooError = pipe.recv()
        except (EOFError, OSError) as error:
            self._end()
            raise TransferError(f"{path} cannot be read: the parser crashes on it") from error
        if isinstance(done, MemoryZooError):
            raise done
        return done

    def _start(self) -> Connection:
        if self._pipe is None:
            if importlib.util.find_spec("libcst") is None:
                raise MissingExtraError.of("memzoo migrate", "migrate")
            self._pipe, there = _CONTEXT.Pipe()
            self._process = _CONTEXT.Process(target=_serve, args=(there, self._without_langchain), daemon=True)
            self._process.start()
            there.close()
            # Wait until the process has started, so that the time limit of a file does not include the start.
            self._pipe.recv()
        return self._pipe

    def _end(self) -> None:
        if self._pipe is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._pipe.close()
            self._pipe = None


def _serve(pipe: Connection, without_langchain: bool) -> None:  # noqa: FBT001 - a process is given it by place
    # Ctrl-C ends the user's process, and this process ends with the user's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send("ready")
    while True:
        try:
            path = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(migrate_code(path, without_langchain=without_langchain))
        except MemoryZooError as error:
            pipe.send(error)
