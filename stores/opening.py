"""Opens a store by its URL."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from memzoo.errors import OptionError, WrongKeyError
from memzoo.plugins import load_plugin, make_plugin_error, plugins_by_name
from memzoo.stores.base import ManagedStore, methods_lacking, utc_now
from memzoo.stores.encryption import EncryptedStore, is_encrypted, sample
from memzoo.stores.memory import InMemoryStore
from memzoo.sync import iterated
from memzoo.text import did_you_mean, redact_url

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KINDS = {
    "memory://": "a new store in memory, which ends with the process",
    "sqlite:///memories.db": "a file in the current folder",
    "sqlite:////var/lib/chat.db": "a file by its absolute path",
    "sqlite://": "a new SQLite database in memory",
    "postgresql://me:pw@host/db": "a database on a PostgreSQL server, shared by any number of processes",
    "redis://me:pw@host/0": "a Redis or Valkey server; rediss:// with TLS, redis+cluster:// for a cluster",
}
"""The kinds of stores: descriptions by example URL."""


@runtime_checkable
class OpenStore(ManagedStore, Protocol):
    """A store that is closed at the end of a `with` block."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


def open_store(
    url: str, *, clock: Callable[[], datetime] = utc_now, key: str | bytes | Sequence[str | bytes] | None = None
) -> OpenStore:
    """Open the store at a URL, and create it if it is missing. Use the store in a `with` block, which closes it.

    ============================== =========================================================================
    `memory://`                    A new `InMemoryStore`.
    `sqlite:///memories.db`        A file in the current folder.
    `sqlite:////var/lib/chat.db`   A file by its absolute path (`sqlite:///C:/chat.db` on Windows).
    `sqlite://`                    A new SQLite database in memory (`sqlite:///:memory:` is the same).
    `postgresql://me:pw@host/db`   A database on a PostgreSQL server, for any number of processes and machines.
    `redis://me:pw@host:6379/0`    A Redis or Valkey server, for any number of processes and machines.
    `redis+cluster://me:pw@host`   A Redis or Valkey cluster, reached through one of its servers.
    ============================== =========================================================================

    A file has two options. With `?synchronous=full`, the default, saved data survives a power failure. With
    `?synchronous=normal`, saving is many times faster, and saved data survives a crash of the process, but perhaps not
    a power failure. `?timeout=30` waits at most 30 seconds (the default) for other writers. In the path, write `%` and
    `?` as `%25` and `%3F`.

    PostgreSQL needs the extra `postgres`; the URL may also begin with `postgres://`. `?pool_size=10` allows 10
    connections for each event loop, and 10 for all threads together. `?timeout=30` waits at most 30 seconds for a
    connection or for another writer. `?prepare_threshold=5` prepares a statement after 5 runs; do not use this option
    with a pooler. libpq's own options, such as `?sslmode=verify-full`, can be given too.

    Redis needs the extra `redis`; `rediss://` and `rediss+cluster://` use TLS. With `?ttl=86400`, a conversation
    expires 86,400 seconds after its last save; if `renew=never` is given too, after its first save. By default,
    conversations never expire. With `?wait=1`, a save returns once one replica has the data; for a cluster, this option
    is an error. `?timeout=30` waits at most 30 seconds for an answer. redis-py's own options can be given too.

    An installed package can add other kinds of stores with an entry point in the group `memzoo.stores`, named after the
    URL's scheme. The entry point is a function that takes the URL and the keyword `clock`, and returns an object with
    at least the methods of a `Store`.

    Args:
        url: A URL as listed above.
        clock: Returns the time, with a time zone, to stamp on each message.
        key: One or more keys, to encrypt all content; see `EncryptedStore`.

    Raises:
        OptionError: The URL is invalid, its scheme or one of its options is unknown, or the key is invalid.
        StoreError: The store cannot be opened.
        WrongKeyError: The store's content is encrypted, and `key` is missing or wrong; or there is a `key`, but the
            content is not encrypted.
        MissingExtraError: A required package is not installed.
        PluginError: The package that adds this kind of store cannot be loaded, or does not return a store.

    Example:
        >>> open_store("memory://")
        <InMemoryStore>
        >>> open_store("chat.db")
        Traceback (most recent call last):
        ...
        memzoo.errors.OptionError: 'chat.db' is not the URL of a store; for a file write 'sqlite:///chat.db'
    """
    store = _open_url(str(url), clock)
    try:
        if key is not None:
            return EncryptedStore(store, key)
        # Judge by messages that can be read: a damaged message proves nothing.
        first = next(iterated(sample(store)), None)
    except BaseException:
        store.close()
        raise
    if first and is_encrypted(first):
        store.close()
        raise WrongKeyError("the store is encrypted: a key is needed to open it")
    return store


def kinds() -> dict[str, str]:
    """Return the kinds of stores, including those of installed packages: a dict from example URL to description."""
    return KINDS | {f"{name}://": f"of an installed package: {plugin.value}" for name, plugin in _find_added().items()}


def _find_added() -> "Mapping[str, EntryPoint]":
    return plugins_by_name("memzoo.stores", frozenset(_OPENERS))


def _open_url(url: str, clock: Callable[[], datetime]) -> OpenStore:
    scheme, separator, _ = url.partition("://")
    if not separator or not re.fullmatch("([a-zA-Z][a-zA-Z0-9+.-]*)?", scheme):
        shown, kind = redact_url(url), url.partition(":")[0]
        rest = shown[len(kind) + 1 :]
        if kind == "sqlite" and rest:
            advice = f"write {f'sqlite:///{rest}'!r}"
        elif kind in _OPENERS and ":" in url:
            advice = f"it must begin with {kind + '://'!r}"
        else:
            path = shown.replace("%", "%25").replace("?", "%3F") or "memories.db"
            advice = f"for a file write {'sqlite:///' + path!r}"
        raise OptionError(f"{shown!r} is not the URL of a store; {advice}")
    if scheme in _OPENERS:
        return _OPENERS[scheme](url, clock=clock)
    added = _find_added()
    if scheme in added:
        return _open_plugin(added[scheme], url, clock)
    names = [*_OPENERS, *sorted(added)]
    known = ", ".join(f"{name}://" for name in names)
    raise OptionError(f"unknown kind of store {scheme!r}; known are {known}{did_you_mean(scheme, names)}")


def _open_plugin(plugin: "EntryPoint", url: str, clock: Callable[[], datetime]) -> OpenStore:
    opener = load_plugin(plugin)
    try:
        inspect.signature(opener).bind(url, clock=clock)
    except TypeError as error:
        what = f"must be a function of a URL and the keyword clock, not {opener!r}: {error}"
        raise make_plugin_error(plugin, what) from error
    store: OpenStore = opener(url, clock=clock)
    if lacks := methods_lacking(store):
        raise make_plugin_error(plugin, f"opens {store!r}: a store has the methods {', '.join(lacks)} too")
    return store


def _memory(url: str, *, clock: Callable[[], datetime]) -> OpenStore:
    if url != "memory://":
        raise OptionError(f"{redact_url(url)!r} must be 'memory://' alone, without a name or options")
    return InMemoryStore(clock=clock)


def _sql(url: str, *, clock: Callable[[], datetime]) -> OpenStore:
    from memzoo.stores.sql.store import SQLStore  # SQLAlchemy is loaded only where it is needed

    return SQLStore(url, clock=clock)


def _redis(url: str, *, clock: Callable[[], datetime]) -> OpenStore:
    from memzoo.stores.redis.store import RedisStore  # an extra

    return RedisStore(url, clock=clock)


_OPENERS: dict[str, Callable[..., OpenStore]] = {
    "memory": _memory,
    "sqlite": _sql,
    "postgresql": _sql,
    "postgres": _sql,
    "redis": _redis,
    "rediss": _redis,
    "redis+cluster": _redis,
    "rediss+cluster": _redis,
}
