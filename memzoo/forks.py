"""Prevents forked processes from using the locks and connections of their parent."""

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

L = TypeVar("L")
T = TypeVar("T")

# Guarded work takes much less time, unless the thread with the lock is waiting.
_PATIENCE = 0.1


class Forked(Protocol):
    """An object that is notified before and after each fork of the process (`os.fork`)."""

    def before_fork(self) -> None:
        """Prepare for the fork."""

    def after_fork(self) -> None:
        """Resume after the fork, in the parent and in the child."""


_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_watchers: weakref.WeakSet[Forked] = weakref.WeakSet()
_registering = threading.Lock()
_taken: list[Any] = []
_told: list[Forked] = []


def new_lock() -> threading.Lock:
    """Return a `threading.Lock` that is free in a forked process."""
    return _register(threading.Lock())


def new_rlock() -> "threading.RLock":
    """Return a `threading.RLock` that is free in a forked process."""
    return _register(threading.RLock())


class cached_property(functools.cached_property[T]):  # noqa: N801 - called like what it stands for
    """A `functools.cached_property` that is safe in a forked process.

    In Python 3.11, `functools.cached_property` has a lock, which a forked process may inherit locked.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        if hasattr(self, "lock"):
            self.lock = new_rlock()


def watch(watcher: Forked) -> None:
    """Call an object's `before_fork` and `after_fork` at each fork, as long as the object exists."""
    with _registering:
        _watchers.add(watcher)


def _register(lock: L) -> L:
    with _registering:
        _locks.add(lock)
    return lock


def _before() -> None:
    with _registering:
        _told.extend(_watchers)
    for watcher in _told:
        watcher.before_fork()
    # Take the locks before the fork: no guarded object may be copied in the middle of a change.
    _taken.extend(lock for lock in [_registering, *_locks] if lock.acquire(timeout=_PATIENCE))


def _after_in_parent() -> None:
    while _taken:
        _taken.pop().release()
    while _told:
        _told.pop().after_fork()


def _after_in_child() -> None:
    taken = set(map(id, _taken))
    every: list[Any] = [_registering, *_locks]
    for lock in every:
        if id(lock) not in taken:
            lock._at_fork_reinit()  # noqa: SLF001 - as the standard library does with its own
    # A server that forks in C (uWSGI) calls only this function, after the fork.
    _told[:] = _watchers
    _after_in_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
