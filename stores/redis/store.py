"""The store on Redis."""

import functools
import secrets
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memzoo.errors import ConflictError, UnsupportedError
from memzoo.stores.base import JSON, Entries, Entry, Lease, Record, StateUpdate, StoredState, read_clock, utc_now
from memzoo.stores.common import HIGHEST, check_numbers, escaped, make_conflict_error, make_damaged_error, unescaped
from memzoo.stores.encoding import DAMAGE, as_time, from_json, to_json
from memzoo.stores.redis.connections import Connections, Script
from memzoo.stores.tombstones import tombstone
from memzoo.sync import Closing

_APPEND, _READ, _READ_STATE, _COMMIT, _EMBEDDINGS, _FORGET, _CLEAR, _RESTORE, _LEASE, _RELEASE = map(
    Script,
    ("append", "read", "read_state", "commit", "embeddings", "forget", "clear", "restore", "lease", "release"),
)
_BEGIN, _LOG = "memzoo:{id=", "}:log"
_GLOB = str.maketrans({one: f"\\{one}" for one in "*?[\\"})
_PAGE = 500


class RedisStore(Closing):
    """A `Store` on a Redis or Valkey server or cluster, shared by any number of processes.

    In a cluster, all keys of a conversation are on the same server. Each call is one script, which runs completely or
    not at all. Listing ids scans the names of all keys. Whether data survives a restart of the server depends on the
    server's settings; `docs/stores.md` lists the settings that were tried.

    Example::

        with open_store("redis://localhost:6379/0?ttl=86400") as store:
            memory = create_memory("window", store=store, conversation_id="user-42")
    """

    is_lasting = True
    """The data outlives the process."""

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Make a store for a URL; connections are opened by the first call.

        Args:
            url: See `open_store`.
            clock: Returns the time, with a time zone, to stamp on each message.

        Raises:
            OptionError: The URL cannot be understood.
            MissingExtraError: The client is not installed.
        """
        self.clock = clock
        self._url = url
        self._redis = Connections(url)

    def __repr__(self) -> str:
        return f"<RedisStore {self._redis.name}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "RedisStore":
        return RedisStore(self._url, clock=self.clock)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._redis.has_secret:
            raise UnsupportedError("a store with a password cannot be pickled: open it in the other process")
        return functools.partial(RedisStore, clock=self.clock), (self._url,)

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        now = read_clock(self.clock)
        taken = list(records)
        texts = [_text(turn_id, now, one.message, one.fields) for one in taken]
        key = _key(conversation_id)
        first, known = await self._redis.run(_APPEND, key, tombstone(turn_id), *texts, writes=True)
        if not first:
            return _entries(conversation_id, known)
        return [Entry(seq, one.message, turn_id, now, one.fields) for seq, one in enumerate(taken, start=first)]

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> Entries:
        """See `Store.read`."""
        bounds = f"({after}", "+inf" if until is None else until
        count = -1 if limit is None else min(max(limit, 0), HIGHEST)
        key = _key(conversation_id)
        epoch, revision, found = await self._redis.run(_READ, key, *bounds, count, int(newest))
        return Entries(_entries(conversation_id, found[::-1] if newest else found), int(epoch), int(revision))

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        key = _key(conversation_id)
        version, watermark, reset, keys, values = await self._redis.run(_READ_STATE, key, escaped(strategy), since)
        try:
            changes = {unescaped(key.decode()): _value(text) for key, text in zip(keys, values, strict=True)}
        except DAMAGE as error:
            raise make_damaged_error(f"the state {strategy!r}", conversation_id, error) from error
        return StateUpdate(int(version), int(watermark), changes, bool(reset))

    async def commit(
        self,
        conversation_id: str,
        strategy: str,
        *,
        expected: int,
        watermark: int,
        changes: Mapping[str, JSON],
        embeddings: Mapping[int, bytes] | None = None,
    ) -> int:
        """See `Store.commit`."""
        key, call = _key(conversation_id), secrets.token_hex(6)
        new = escaped(strategy), expected, call, watermark, *_state(changes, embeddings or {})
        version = await self._redis.run(_COMMIT, key, *new, writes=True)
        if version is None:
            raise ConflictError(f"state {strategy!r} of {conversation_id!r} is at another version than {expected}")
        return int(version)

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """See `LeasingStore.lease`."""
        asked = escaped(strategy), owner, round(1000 * seconds)
        found = await self._redis.run(_LEASE, _key(conversation_id), *asked)
        return Lease(found[0].decode(), int(found[1])) if found else None

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """See `LeasingStore.release`."""
        await self._redis.run(_RELEASE, _key(conversation_id), escaped(strategy), owner)

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `ManagedStore.embeddings`."""
        found = await self._redis.run(_EMBEDDINGS, _key(conversation_id), escaped(strategy), after)
        return {int(seq): vector for seq, vector in zip(*found, strict=True)}

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        await self._redis.run(_CLEAR, _key(conversation_id), int(only_empty), writes=True)

    async def conversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
        behind: str | None = None,
    ) -> list[str]:
        """See `ManagedStore.conversations`; this store scans the names of all keys."""
        ids = {_id(key) for key in await self._redis.keys(_pattern(prefix))}
        known = sorted((id_ for id_ in ids if after is None or escaped(id_) > escaped(after)), key=escaped)
        most = len(known) if limit is None else max(limit, 0)
        found: list[str] = []
        for first in range(0, len(known), _PAGE):
            page = known[first : first + _PAGE]
            if idle_since is not None:
                page = await self._idle(page, idle_since)
            if behind is not None:
                page = await self._behind(page, escaped(behind))
            found += page
            if len(found) >= most:
                break
        return found[:most]

    async def _idle(self, ids: Sequence[str], since: datetime) -> list[str]:
        """Return the ids of the conversations whose newest message is older than a time."""
        newest = await self._redis.together([("ZRANGE", _key(id_, "log"), -1, -1) for id_ in ids])
        # A conversation without a message has just been deleted.
        return [id_ for id_, one in zip(ids, newest, strict=True) if one and _entries(id_, one)[0].created_at < since]

    async def _behind(self, ids: Sequence[str], state: str) -> list[str]:
        """Return the ids of the conversations with a message that a state does not cover yet."""
        known = await self._redis.together([("HGET", _key(id_, "states"), state) for id_ in ids])
        learnt = [(one or b"0 0").split()[1].decode() for one in known]  # version and watermark
        counts = [("ZCOUNT", _key(id_, "log"), f"({to}", "+inf") for id_, to in zip(ids, learnt, strict=True)]
        return [id_ for id_, count in zip(ids, await self._redis.together(counts), strict=True) if count]

    async def sample(self, limit: int) -> list[str]:
        """Return some ids of conversations, in any order.

        This is cheap even with many keys, but may return no id even if there are conversations.
        """
        return [_id(key) for key in await self._redis.some_keys(_pattern(""))][:limit]

    async def count(self, conversation_id: str) -> int:
        """See `ManagedStore.count`."""
        return int(await self._redis.ask_server("ZCARD", _key(conversation_id, "log")))

    async def states(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.states`."""
        found = await self._redis.ask_server("HKEYS", _key(conversation_id, "states"))
        return sorted(unescaped(name.decode()) for name in found)

    async def tombstones(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.tombstones`."""
        found = await self._redis.ask_server("SMEMBERS", _key(conversation_id, "tombstones"))
        return sorted(one.decode() for one in found)

    async def forget(
        self, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
    ) -> list[int]:
        """See `ManagedStore.forget`."""
        how = int(derived), int(tombstones), uuid.uuid4().hex
        removed = await self._redis.run(_FORGET, _key(conversation_id), *how, *sorted(set(seqs)), writes=True)
        return [int(seq) for seq in removed]

    async def restore(
        self,
        conversation_id: str,
        entries: Sequence[Entry],
        states: Mapping[str, StoredState],
        *,
        tombstones: Collection[str] = (),
    ) -> None:
        """See `ManagedStore.restore`."""
        check_numbers(entries)
        new: list[Any] = [len(entries), len(tombstones), len(states), uuid.uuid4().hex]
        for one in entries:
            new += [one.seq, tombstone(one.turn_id), _text(one.turn_id, one.created_at, one.message, one.fields)]
        new += tombstones
        for name, state in states.items():
            items = {key: value for key, value in state.items.items() if value is not None}
            new += [escaped(name), state.watermark, *_state(items, state.embeddings)]
        if not await self._redis.run(_RESTORE, _key(conversation_id), *new, writes=True):
            raise make_conflict_error(conversation_id)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """With `thorough`, make the primary servers rewrite their files; see `ManagedStore.scrub`.

        Return true if all primary servers have rewritten their files. Replicas do not rewrite theirs. Without
        `thorough`, do nothing and return false.
        """
        return thorough and await self._redis.rewrite_files()

    def close(self) -> None:
        """See `Store.close`."""
        self._redis.close()


def _key(conversation_id: str, part: str = "meta") -> str:
    return f"{_BEGIN}{_tag(conversation_id)}}}:{part}"


def _tag(text: str) -> str:
    """Return the text with its braces escaped, since a brace would end the hash tag."""
    return escaped(text).replace("{", "\\007b").replace("}", "\\007d")


def _id(key: bytes) -> str:
    return unescaped(key.decode().removeprefix(_BEGIN).removesuffix(_LOG))


def _pattern(prefix: str) -> str:
    return f"{_BEGIN}{_tag(prefix).translate(_GLOB)}*{_LOG}"


def _text(turn_id: str, at: datetime, message: JSON, fields: Mapping[str, str | None]) -> str:
    return to_json([turn_id, as_time(at), message, dict(fields)])


def _entries(conversation_id: str, found: Iterable[bytes]) -> list[Entry]:
    """Return the entries in rows of the log; a row has a number, a hash of the turn's id, and a text."""
    entries: list[Entry] = []
    for one in found:
        seq, _, text = one.partition(b":")
        try:
            turn_id, at, message, fields = from_json(text.partition(b":")[2].decode())
            said_at = datetime.fromisoformat(at)
            if not (isinstance(message, dict) and isinstance(fields, dict)) or said_at.tzinfo is None:
                raise ValueError("it is not a message, or has no time")
            entries.append(Entry(int(seq), message, turn_id, said_at, fields))
        except DAMAGE as error:
            raise make_damaged_error(f"message {seq.decode(errors='replace')}", conversation_id, error) from error
    return entries


def _value(text: bytes | None) -> JSON:
    return None if text is None else from_json(text.decode())


def _state(items: Mapping[str, JSON], embeddings: Mapping[int, bytes]) -> list[Any]:
    """Return items and embeddings as arguments of a script; a removed item has an empty text."""
    new: list[Any] = [len(items)]
    for key, value in items.items():
        new += [escaped(key), "" if value is None else to_json(value)]
    new.append(len(embeddings))
    for seq, vector in embeddings.items():
        new += [seq, vector]
    return new
