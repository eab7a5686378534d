"""From a URL to a store."""

from collections.abc import Callable, Sequence
from datetime import datetime

from memzoo.stores.base import Store
from memzoo.stores.clock import utc_now
from memzoo.stores.encryption import unlocked
from memzoo.stores.errors import OptionError
from memzoo.stores.memory import InMemoryStore

__all__ = ["KINDS", "open_store"]

KINDS = {
    "memory://": "a new store in memory, which ends with the process",
    "sqlite:///memories.db": "a file in the current folder",
    "sqlite:////var/lib/chat.db": "a file by its absolute path",
    "sqlite://": "a new SQLite database in memory",
    "postgresql://me:pw@host/db": "a database on a PostgreSQL server, shared by any number of processes",
}
"""The kinds of stores, by an example of their URL."""


def open_store(
    url: str, *, clock: Callable[[], datetime] = utc_now, key: str | bytes | Sequence[str | bytes] | None = None
) -> Store:
    """Open the store that a URL names; create it where it does not exist yet.

    ============================== =========================================================================
    `memory://`                    A new `InMemoryStore`.
    `sqlite:///memories.db`        A file in the current folder.
    `sqlite:////var/lib/chat.db`   A file by its absolute path (`sqlite:///C:/chat.db` on Windows).
    `sqlite://`                    A new SQLite database in memory (`sqlite:///:memory:` is the same).
    `postgresql://me:pw@host/db`   A database on a PostgreSQL server, for any number of processes and machines.
    ============================== =========================================================================

    A file takes the options `?synchronous=full` (the default: what was saved outlives a power failure) or
    `?synchronous=normal` (it outlives only a crash of the process, but saving is many times faster), and
    `?timeout=30`, the seconds to wait while another process writes. In the path, `%` and `?` are
    written as `%25` and `%3F`.

    PostgreSQL needs the extra `postgres`. It takes `?pool_size=10`, the most connections of a process (of each
    event loop in it, and of its threads together), `?timeout=30`, the seconds to wait for a connection or for
    another writer, and what libpq knows, such as `?sslmode=verify-full`. `postgres://` is the same.

    Args:
        url: One of the above.
        clock: Gives the time, with a time zone, that is stamped on each message.
        key: Encrypts all content; see `EncryptedStore`.

    Raises:
        OptionError: The URL, its scheme or an option in it is unknown, or the key is none.
        StoreError: The store cannot be opened.
        WrongKeyError: Its content is encrypted with another key, or is not encrypted.
        MissingExtraError: A package that is needed for that is not installed.

    Example:
        >>> open_store("memory://")  # doctest: +ELLIPSIS
        <memzoo.stores.memory.InMemoryStore object at ...>
        >>> open_store("redis://localhost")
        Traceback (most recent call last):
        ...
        memzoo.stores.errors.OptionError: unknown kind of store 'redis'; known are memory://, sqlite://, postgresql://, postgres://
    """
    scheme, separator, _ = str(url).partition("://")
    if not separator:
        path = str(url).replace("%", "%25").replace("?", "%3F") or "memories.db"
        raise OptionError(f"{str(url)!r} is not the URL of a store; for a file write {'sqlite:///' + path!r}")
    if scheme not in _OPENERS:
        known = ", ".join(f"{name}://" for name in _OPENERS)
        raise OptionError(f"unknown kind of store {scheme!r}; known are {known}")
    store = _OPENERS[scheme](url, clock)
    try:
        return unlocked(store, key)
    except BaseException:
        store.close()
        raise


def _memory(url: str, clock: Callable[[], datetime]) -> Store:
    if url != "memory://":
        raise OptionError(f"{url!r} has more than 'memory://', which takes no name and no options")
    return InMemoryStore(clock=clock)


def _sql(url: str, clock: Callable[[], datetime]) -> Store:
    from memzoo.stores.sql.store import SQLStore  # SQLAlchemy is loaded only where it is needed

    return SQLStore(url, clock=clock)


_OPENERS: dict[str, Callable[[str, Callable[[], datetime]], Store]] = {
    "memory": _memory,
    "sqlite": _sql,
    "postgresql": _sql,
    "postgres": _sql,
}
