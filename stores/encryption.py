"""A store that keeps its content encrypted."""

import copy
import hashlib
import hmac
import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from memzoo.stores.base import JSON, Entries, Entry, ManagedStore, Record, StateUpdate, Store, StoredState, managed
from memzoo.stores.driving import Closing, drive
from memzoo.stores.errors import MissingExtraError, OptionError, StoreError, WrongKeyError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

__all__ = ["KEY_VARIABLE", "EncryptedStore", "keys_from_environment", "unlocked"]

KEY_VARIABLE = "MEMZOO_KEY"
"""The environment variable with the key, or several keys separated by commas, the newest first."""

T = TypeVar("T", bound=Store)
_TOKEN = "encrypted"  # noqa: S105 - the name of a field


class EncryptedStore(Closing):
    """Any `Store`, with its content encrypted by Fernet (AES-128-CBC and HMAC-SHA256) on the way in.

    Encrypted are messages with their roles and fields, the items of states with their values and names, and embeddings.
    In clear stay the ids of conversations and turns, the names of strategies, numbers, times, and how long a text is.
    Equal names of items are stored as equal pseudonyms (HMAC-SHA256) within one state of one conversation, not beyond.
    An index beside the store, such as a `ChromaIndex`, is not encrypted; the default index is in memory.

    Example:
        >>> from memzoo.stores import InMemoryStore
        >>> inner = InMemoryStore()
        >>> store = EncryptedStore(inner, EncryptedStore.new_key())
        >>> _ = drive(store.append("user-42", [Record({"role": "user", "content": "hi"})], turn_id="1"))
        >>> drive(store.read("user-42"))[0].message
        {'role': 'user', 'content': 'hi'}
        >>> list(drive(inner.read("user-42"))[0].message)
        ['encrypted']
    """

    def __init__(self, store: Store, keys: str | bytes | Sequence[str | bytes]) -> None:
        """Encrypt what goes into a store from now on.

        Args:
            store: An empty store, or one that was always used with these keys.
            keys: A key, or several: the first one encrypts, each one decrypts. So a key is replaced: put the new one
                first; what is written under an old one stays so until it is written again, or exported and imported.

        Raises:
            MissingExtraError: The package cryptography is not installed.
            OptionError: A key is none; `new_key` makes one.
            WrongKeyError: The store has content under another key, or in clear.
        """
        given = [keys] if isinstance(keys, (str, bytes)) else list(keys)
        self._fernet = _fernet(given)
        self._name_keys = [_hmac(key.encode() if isinstance(key, str) else key, "names of items") for key in given]
        self._store = store
        self._entries(drive(_samples(store)))

    def __repr__(self) -> str:
        return f"<EncryptedStore over {self._store!r}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "EncryptedStore":
        new = object.__new__(EncryptedStore)
        new.__dict__.update(self.__dict__, _store=copy.deepcopy(self._store, memo))
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._store,)

    @staticmethod
    def new_key() -> str:
        """A new key: keep it well, and apart from the store."""
        return str(_cryptography().Fernet.generate_key(), "ascii")

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        sealed = [Record(self._sealed_message(record)) for record in records]
        return self._entries(await self._store.append(conversation_id, sealed, turn_id=turn_id))

    async def read(self, conversation_id: str, **bounds: Any) -> list[Entry]:
        """See `Store.read`."""
        found = await self._store.read(conversation_id, **bounds)
        opened = self._entries(found)
        return Entries(opened, found.epoch) if isinstance(found, Entries) else opened

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        update = await self._store.read_state(conversation_id, strategy, since=since)
        # No token: a pseudonym under an older key; the item now has the one under the newest key.
        opened = dict(self._opened(token) for token in update.changes.values() if token is not None)
        changes = {name: value for name, value in opened.items() if value is not None or not update.reset}
        return replace(update, changes=changes)

    async def commit(
        self,
        conversation_id: str,
        strategy: str,
        *,
        changes: Mapping[str, JSON],
        embeddings: Mapping[int, bytes] | None = None,
        **versions: Any,
    ) -> int:
        """See `Store.commit`."""
        items, vectors = self._sealed_items(conversation_id, strategy, changes), self._sealed_vectors(embeddings or {})
        return await self._store.commit(conversation_id, strategy, changes=items, embeddings=vectors, **versions)

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `Store.embeddings`."""
        found = await managed(self._store, "embeddings").embeddings(conversation_id, strategy, after=after)
        return {seq: self._decrypted(token) for seq, token in found.items()}

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        await self._store.clear(conversation_id, only_empty=only_empty)

    async def conversations(self, **bounds: Any) -> list[str]:
        """See `Store.conversations`."""
        return await managed(self._store, "conversations").conversations(**bounds)

    async def forget(self, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
        """See `Store.forget`."""
        return await managed(self._store, "forget").forget(conversation_id, seqs, derived=derived)

    async def states(self, conversation_id: str) -> list[str]:
        """See `Store.states`."""
        return await managed(self._store, "states").states(conversation_id)

    async def restore(self, conversation_id: str, entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
        """See `Store.restore`."""
        log = [replace(entry, message=self._sealed_message(entry), fields={}) for entry in entries]
        sealed = {
            name: StoredState(
                state.watermark,
                self._sealed_items(conversation_id, name, state.items),
                self._sealed_vectors(state.embeddings),
            )
            for name, state in states.items()
        }
        await managed(self._store, "restore").restore(conversation_id, log, sealed)

    async def scrub(self, *, thorough: bool | None = False) -> bool:
        """See `Store.scrub`."""
        return await managed(self._store, "scrub").scrub(thorough=thorough)

    def close(self) -> None:
        """See `Store.close`."""
        self._store.close()

    def _sealed(self, value: JSON) -> str:
        try:
            text = json.dumps(value, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(f"only JSON can be stored: {error}; nothing was stored") from error
        return self._fernet.encrypt(text.encode()).decode()

    def _sealed_message(self, said: Record | Entry) -> dict[str, str]:
        return {_TOKEN: self._sealed([said.message, dict(said.fields)])}

    def _sealed_items(self, conversation_id: str, strategy: str, changes: Mapping[str, JSON]) -> dict[str, JSON]:
        # A removed item is a token too: a reader has to learn its name.
        place = json.dumps([conversation_id, strategy])
        newest, *older = self._name_keys
        old = {_hmac(key, place, name).hex(): None for key in older for name in changes}
        return old | {_hmac(newest, place, name).hex(): self._sealed([name, value]) for name, value in changes.items()}

    def _sealed_vectors(self, embeddings: Mapping[int, bytes]) -> dict[int, bytes]:
        return {seq: self._fernet.encrypt(vector) for seq, vector in embeddings.items()}

    def _decrypted(self, token: str | bytes) -> bytes:
        try:
            return self._fernet.decrypt(token)
        except _cryptography().InvalidToken as error:
            raise WrongKeyError("the store has content that none of the given keys decrypts") from error

    def _opened(self, token: JSON) -> Any:
        return json.loads(self._decrypted(token))

    def _entry(self, entry: Entry) -> Entry:
        if not _is_encrypted(entry):
            raise WrongKeyError("the store has content that is not encrypted; open it without a key")
        message, fields = self._opened(entry.message[_TOKEN])
        return replace(entry, message=message, fields=fields)

    def _entries(self, entries: Iterable[Entry]) -> list[Entry]:
        return [self._entry(entry) for entry in entries]


def keys_from_environment() -> list[str] | None:
    """The keys in `MEMZOO_KEY`, or `None`."""
    keys = os.environ.get(KEY_VARIABLE)
    return keys.split(",") if keys else None


def _unpickled(store: Store) -> EncryptedStore:
    keys = keys_from_environment()
    if keys is None:
        raise WrongKeyError(f"a pickled store holds no key: set {KEY_VARIABLE} before {store!r} is unpickled")
    return EncryptedStore(store, keys)


def unlocked(store: T, keys: str | bytes | Sequence[str | bytes] | None) -> "T | EncryptedStore":
    """A store as it can be read: with keys an `EncryptedStore`, without them itself.

    Raises:
        WrongKeyError: It is encrypted, and there are no keys, or the wrong ones; or it is not, and there are some.
    """
    if keys is not None:
        return EncryptedStore(store, keys)
    if any(map(_is_encrypted, drive(_samples(store)))):
        raise WrongKeyError("the store is encrypted: a key is needed to open it")
    return store


def _is_encrypted(entry: Entry) -> bool:
    return list(entry.message) == [_TOKEN]


async def _samples(store: Store) -> list[Entry]:
    """The oldest and the newest message of a conversation, if the store has any, and can say so."""
    listed = await store.conversations(limit=1) if isinstance(store, ManagedStore) else []
    return [
        entry for id_ in listed for newest in (False, True) for entry in await store.read(id_, limit=1, newest=newest)
    ]


def _cryptography() -> Any:
    try:
        from cryptography import fernet
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("an encrypted store", "encryption") from error
    return fernet


def _fernet(keys: Sequence[str | bytes]) -> "MultiFernet":
    fernet = _cryptography()
    try:
        return fernet.MultiFernet([fernet.Fernet(key) for key in keys])  # type: ignore[no-any-return]
    except (ValueError, TypeError) as error:
        raise OptionError(
            "an encryption key must be 32 bytes as URL-safe base64, such as EncryptedStore.new_key() makes"
        ) from error


def _hmac(key: bytes, *parts: str) -> bytes:
    return hmac.new(key, json.dumps(parts).encode(), hashlib.sha256).digest()
