"""Leases: while one process learns a state, other processes with the same store leave the state alone."""

import asyncio
import contextlib
import functools
import hashlib
import logging
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from memzoo.errors import StoreError
from memzoo.forks import cached_property
from memzoo.stores import LeasingStore, Store
from memzoo.stores.base import find_lacking
from memzoo.sync import is_blocking, pause

logger = logging.getLogger("memzoo")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0

# Owners in this process that have finished, but may still hold a lease, because releasing it failed or was cut short.
_gone: set[str] = set()


class Leaseholder:
    """Holds the lease of a state while deriving, and releases the lease at the end of an `async with`.

    A lease only avoids duplicate model calls. Commits are safe without leases, because each commit checks that nobody
    else has committed.

    Attributes:
        is_shared: True if the store supports leases, and other processes may learn the same state.
        is_new: True if the last `hold` acquired the lease anew, so another process may have learnt in the meantime.

    Args:
        store: The store of the state and its lease.
        conversation_id: The conversation of the state.
        state: The name of the state.
        seconds: The duration of the lease if it is not renewed; 0 for no lease.
    """

    def __init__(self, store: Store, conversation_id: str, state: str, seconds: float) -> None:
        self.is_shared = seconds > 0 and not find_lacking(store, "lease")
        self._store = cast("LeasingStore", store)
        self._key, self._seconds = (conversation_id, state), seconds
        self._token, self.is_new = 0, False

    @cached_property
    def owner(self) -> str:
        """The owner's name in lease requests; it begins with the name of the process."""
        return f"{_this_process(os.getpid())}/{secrets.token_hex(6)}"

    async def hold(self, *, wait: bool = False) -> bool:
        """Take or renew the lease.

        If the holder was a process on this machine and has ended, its lease is taken over at once.

        Args:
            wait: True to wait while another process holds the lease. If this process holds it, the call does not wait.

        Returns:
            True if the caller may learn now.
        """
        seconds, self.is_new = _FIRST_PAUSE, False
        while self.is_shared:
            try:
                lease = await self._store.lease(*self._key, owner=self.owner, seconds=self._seconds)
            except BaseException:
                _gone.add(self.owner)  # the store may have granted the lease all the same
                raise
            if lease is None:
                return False
            if lease.owner == self.owner:
                self._token, self.is_new = lease.token, lease.token != self._token
                break
            if has_ended(lease.owner):
                await self._store.release(*self._key, lease.owner)
                _gone.discard(lease.owner)
            elif not wait or _process_of(lease.owner) == _process_of(self.owner):
                return wait
            else:
                await pause(seconds)
                seconds = min(2 * seconds, _LONGEST_PAUSE)
        return True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._token:
            return
        # Marked as ended until the lease is released: a closed coroutine (`GeneratorExit`) cannot await the release.
        _gone.add(self.owner)
        if kind is not GeneratorExit:
            released = self._release()
            await (released if is_blocking() else asyncio.shield(asyncio.ensure_future(released)))

    async def _release(self) -> None:
        """Release the lease; after a failure this process can take it over, and for other processes it expires."""
        try:
            await self._store.release(*self._key, self.owner)
        except StoreError as error:
            told = "%r: the lease of %r was not released; other processes wait for up to %d s: %s"
            logger.warning(told, *self._key, self._seconds, error)
        else:
            _gone.discard(self.owner)


def has_ended(owner: str) -> bool:
    """Return whether a lease's owner gave the lease up, or was a process on this machine that has ended."""
    if owner in _gone:
        return True
    process = _process_of(owner)
    machine, _, rest = process.partition("/")
    pid = rest.partition("/")[0]
    return bool(machine) and machine == _machine() and pid.isdecimal() and _process(machine, int(pid)) != process


def _process_of(owner: str) -> str:
    return owner.rpartition("/")[0]


@functools.lru_cache(maxsize=1)  # a fork has another pid
def _this_process(pid: int) -> str:
    return _process(_machine(), pid)


def _process(machine: str, pid: int) -> str:
    """Return a process's name: machine, pid and start time, since the system reuses pids."""
    began = ""
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        state, *fields = told.rpartition(")")[2].split()
        began = "" if state in "ZX" else fields[18]  # a zombie has ended
    return f"{machine}/{pid}/{began}"


@functools.cache
def _machine() -> str:
    """Return an id of this boot of the machine and of this process's PID namespace; "" if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8")
        return hashlib.sha256(f"{boot}{os.readlink('/proc/self/ns/pid')}".encode()).hexdigest()[:16]  # noqa: PTH115
    except OSError:
        return ""
