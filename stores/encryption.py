"""A store that encrypts its content, and the functions that make and find its keys."""

import contextlib
import copy
import hashlib
import hmac
import json
import os
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from memzoo.errors import MissingExtraError, OptionError, StoreError, UnsupportedError, WrongKeyError
from memzoo.stores.base import (
    JSON,
    Entries,
    Entry,
    Lease,
    LeasingStore,
    ManagedStore,
    Record,
    StateUpdate,
    Store,
    StoredState,
    is_lasting,
    managed,
)
from memzoo.stores.encoding import to_json
from memzoo.stores.message_list import is_over_lists
from memzoo.stores.tombstones import tombstones_of
from memzoo.sync import Closing, drive

_KEY_VARIABLE = "MEMZOO_KEY"
_TOKEN = "encrypted"  # noqa: S105 - the name of the only member of an encrypted message
_SAMPLED = 50  # conversations


class EncryptedStore(Closing):
    """Wraps any `Store` except a `MessageListStore`, and encrypts content before storing it.

    The cipher is Fernet (AES-128-CBC and HMAC-SHA256). The store encrypts messages (with roles and fields), the names
    and values of items in states, and embeddings. These stay readable: the ids of conversations and turns, the names of
    strategies, numbers, times, and the lengths of texts. Reading content that was moved to another place in the store
    raises a `StoreError`; docs/data.md lists the changes that are not noticed. An index beside the store
    (`ChromaIndex`, `PgVectorIndex`) is not encrypted.

    Example:
        >>> from memzoo.stores import InMemoryStore
        >>> store = EncryptedStore(InMemoryStore(), EncryptedStore.new_key())
        >>> _ = drive(store.append("user-42", [Record({"role": "user", "content": "hi"})], turn_id="1"))
        >>> drive(store.read("user-42"))[0].message
        {'role': 'user', 'content': 'hi'}
    """

    def __init__(self, store: Store, keys: str | bytes | Sequence[str | bytes]) -> None:
        """From now on, encrypt everything written to a store.

        Args:
            store: An empty store, or a store that was always used with these keys.
            keys: One or more keys: the first key encrypts, every key decrypts. To replace a key, put the new key first;
                older content stays encrypted with its old key until it is written again, or exported and imported.

        Raises:
            MissingExtraError: The package cryptography is not installed.
            OptionError: A key is invalid; `new_key` makes a valid key.
            UnsupportedError: The store is a `MessageListStore`.
            WrongKeyError: The store has content encrypted with another key, or unencrypted content.
        """
        if is_over_lists(store):
            # Messages are bound to their turn's id, and each process makes up other ids.
            raise UnsupportedError("a MessageListStore, which keeps no ids of turns, cannot be encrypted")
        package = _cryptography()
        try:
            given = [keys] if isinstance(keys, (str, bytes)) else list(keys)
            self._fernet = package.MultiFernet([package.Fernet(key) for key in given])
        except (ValueError, TypeError) as error:
            raise OptionError(
                "an encryption key must be 32 bytes as URL-safe base64, such as EncryptedStore.new_key() makes"
            ) from error
        self._name_keys = [_pseudonym(key.encode() if isinstance(key, str) else key, "names of items") for key in given]
        self.within = store
        self._fits = False  # True after the first decryption; from then on, undecryptable content is damaged
        drive(self._try_keys())

    @property
    def is_lasting(self) -> bool:
        """True if the data outlives the process."""
        return is_lasting(self.within)

    def __repr__(self) -> str:
        return f"<EncryptedStore over {self.within!r}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "EncryptedStore":
        new = object.__new__(EncryptedStore)
        new.__dict__.update(self.__dict__, within=copy.deepcopy(self.within, memo))
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen_encrypted, (self.within,)

    @staticmethod
    def new_key() -> str:
        """Return a new key. Keep it safe, and apart from the store."""
        return str(_cryptography().Fernet.generate_key(), "ascii")

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        # The messages have no numbers yet, so bind each to its place in the turn.
        ids = conversation_id, turn_id
        sealed = [Record(self._seal_message(one, *ids, place, None)) for place, one in enumerate(records)]
        return self._entries(conversation_id, await self.within.append(conversation_id, sealed, turn_id=turn_id))

    async def read(self, conversation_id: str, **bounds: Any) -> list[Entry]:
        """See `Store.read`."""
        opened = self._entries(conversation_id, found := await self.within.read(conversation_id, **bounds))
        return Entries(opened, found.epoch, found.revision) if isinstance(found, Entries) else opened

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        update = await self.within.read_state(conversation_id, strategy, since=since)
        # A pseudonym without a token was made with an older key; the item's current pseudonym is from the newest key.
        tokens = {key: token for key, token in update.changes.items() if token is not None}
        opened = dict(self._item(conversation_id, strategy, *pair) for pair in tokens.items())
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
        items = self._seal_items(conversation_id, strategy, changes)
        vectors = self._seal_vectors(conversation_id, strategy, embeddings or {})
        return await self.within.commit(conversation_id, strategy, changes=items, embeddings=vectors, **versions)

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `ManagedStore.embeddings`."""
        found = await managed(self.within, "embeddings").embeddings(conversation_id, strategy, after=after)
        return {seq: self._vector(token, conversation_id, strategy, seq) for seq, token in found.items()}

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """See `LeasingStore.lease`."""
        within = cast("LeasingStore", managed(self.within, "lease"))
        return await within.lease(conversation_id, strategy, owner=owner, seconds=seconds)

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """See `LeasingStore.release`."""
        await cast("LeasingStore", managed(self.within, "release")).release(conversation_id, strategy, owner)

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        await self.within.clear(conversation_id, only_empty=only_empty)

    async def conversations(self, **bounds: Any) -> list[str]:
        """See `ManagedStore.conversations`."""
        return await managed(self.within, "conversations").conversations(**bounds)

    async def count(self, conversation_id: str) -> int:
        """See `ManagedStore.count`."""
        return await managed(self.within, "count").count(conversation_id)

    async def forget(self, conversation_id: str, seqs: Collection[int], **how: bool) -> list[int]:
        """See `ManagedStore.forget`."""
        return await managed(self.within, "forget").forget(conversation_id, seqs, **how)

    async def tombstones(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.tombstones`; empty if the wrapped store keeps no tombstones."""
        return await tombstones_of(self.within, conversation_id)

    async def states(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.states`."""
        return await managed(self.within, "states").states(conversation_id)

    async def restore(
        self,
        conversation_id: str,
        entries: Sequence[Entry],
        states: Mapping[str, StoredState],
        *,
        tombstones: Collection[str] = (),
    ) -> None:
        """See `ManagedStore.restore`."""
        log = [
            replace(one, message=self._seal_message(one, conversation_id, one.turn_id, None, one.seq), fields={})
            for one in entries
        ]
        sealed = {
            name: StoredState(
                state.watermark,
                self._seal_items(conversation_id, name, state.items),
                self._seal_vectors(conversation_id, name, state.embeddings),
            )
            for name, state in states.items()
        }
        await managed(self.within, "restore").restore(conversation_id, log, sealed, tombstones=tombstones)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """See `ManagedStore.scrub`."""
        return await managed(self.within, "scrub").scrub(thorough=thorough)

    async def check(self) -> list[str]:
        """Return the faults that the wrapped store's own check finds; an empty list if that store has no check."""
        own: Any = getattr(self.within, "check", None)
        return await own() if own else []

    def close(self) -> None:
        """See `Store.close`."""
        self.within.close()

    def _seal(self, value: JSON) -> str:
        return str(self._fernet.encrypt(to_json(value).encode()), "ascii")

    def _seal_message(self, said: Record | Entry, *place: JSON) -> dict[str, str]:
        return {_TOKEN: self._seal([said.message, dict(said.fields), place])}

    def _seal_items(self, conversation_id: str, strategy: str, changes: Mapping[str, JSON]) -> dict[str, JSON]:
        # A removed item also gets a token, because readers need the item's name.
        place = [conversation_id, strategy]
        pseudonyms = {name: self._pseudonyms(place, name) for name in changes}
        old = {one: None for _, *older in pseudonyms.values() for one in older}
        return old | {pseudonyms[name][0]: self._seal([name, value, place]) for name, value in changes.items()}

    def _pseudonyms(self, place: Sequence[str], name: str) -> list[str]:
        """Return an item's pseudonyms: with the newest key, then with each older key."""
        return [_pseudonym(key, json.dumps(place), name).hex() for key in self._name_keys]

    def _seal_vectors(self, conversation_id: str, strategy: str, embeddings: Mapping[int, bytes]) -> dict[int, bytes]:
        place = conversation_id, strategy
        return {seq: self._fernet.encrypt(_mark(*place, seq) + vector) for seq, vector in embeddings.items()}

    async def _try_keys(self) -> None:
        """Check that the keys decrypt the store's content; a few damaged rows do not matter.

        Raises:
            WrongKeyError: Sampled messages can be read, but every decryption fails.
        """
        wrong: WrongKeyError | None = None
        async for entry in sample(self.within):
            try:
                self._decrypt(self._token(entry, "a message"), "a message")
            except WrongKeyError as error:
                wrong = wrong or error
            else:
                return
        if wrong:
            raise wrong

    def _token(self, entry: Entry, what: str) -> JSON:
        if is_encrypted(entry):
            return entry.message[_TOKEN]
        if self._fits:
            raise StoreError(f"{what} is not encrypted, unlike everything else: it is damaged, or was replaced")
        raise WrongKeyError("the store has content that is not encrypted; open it without a key")

    def _decrypt(self, token: Any, what: str) -> bytes:
        try:
            plain: bytes = self._fernet.decrypt(token)
        except (_cryptography().InvalidToken, TypeError, ValueError) as error:
            if self._fits:
                raise StoreError(
                    f"{what} is damaged, or encrypted under a key that is not given: none of the given keys decrypts it"
                ) from error
            raise WrongKeyError("the store has content that none of the given keys decrypts") from error
        self._fits = True
        return plain

    def _unseal(self, token: JSON, what: str) -> tuple[Any, Any, list[Any]]:
        """Decrypt a token; return the two encrypted values, and the place to which they are bound."""
        plain = self._decrypt(token, what)
        try:
            one, other, place = json.loads(plain)
        except ValueError as error:  # the token holds an embedding instead of JSON
            raise _make_tampered_error(what) from error
        return one, other, place

    def _item(self, conversation_id: str, strategy: str, pseudonym: str, token: JSON) -> tuple[str, JSON]:
        what = f"an item of the state {strategy!r} of {conversation_id!r}"
        name, value, bound = self._unseal(token, what)
        place = [conversation_id, strategy]
        if not isinstance(name, str) or pseudonym not in self._pseudonyms(place, name) or bound != place:
            raise _make_tampered_error(what)
        return name, value

    def _vector(self, token: bytes, *place: JSON) -> bytes:
        what = f"the embedding {place[-1]} of the state {place[1]!r} of {place[0]!r}"
        plain, prefix = self._decrypt(token, what), _mark(*place)
        if not plain.startswith(prefix):
            raise _make_tampered_error(what)
        return plain.removeprefix(prefix)

    def _entries(self, conversation_id: str, entries: Iterable[Entry]) -> list[Entry]:
        # When a turn is encrypted, its first number is not known yet, but its messages are consecutive.
        begins: dict[str, int] = {}
        opened: list[Entry] = []
        for entry in entries:
            what = f"message {entry.seq} of {conversation_id!r}"
            message, fields, bound = self._unseal(self._token(entry, what), what)
            if not isinstance(message, dict):  # the token holds an item's name instead of a message
                raise _make_tampered_error(what)
            # A message is bound to its position in its turn, or to its log number.
            id_, turn_id, place, seq = bound
            first = entry.seq - (place or 0)
            is_there = seq == entry.seq if place is None else begins.setdefault(turn_id, first) == first
            if (id_, turn_id) != (conversation_id, entry.turn_id) or not is_there:
                raise _make_tampered_error(what)
            opened.append(replace(entry, message=message, fields=fields))
        return opened


def _reopen_encrypted(store: Store) -> EncryptedStore:
    keys = keys_from_environment()
    if keys is None:
        raise WrongKeyError(f"a pickled store holds no key: set {_KEY_VARIABLE} before {store!r} is unpickled")
    return EncryptedStore(store, keys)


def keys_from_environment() -> list[str] | None:
    """Return the keys in the environment variable `MEMZOO_KEY`, the newest first; `None` if it is empty or not set."""
    keys = os.environ.get(_KEY_VARIABLE)
    return keys.split(",") if keys else None


def is_encrypted(entry: Entry) -> bool:
    """Tell whether a message comes from an encrypted store."""
    return list(entry.message) == [_TOKEN]


async def sample(store: Store) -> AsyncGenerator[Entry]:
    """Yield the oldest and the newest message of some conversations. Messages that cannot be read are skipped.

    The store's own `sample` chooses the conversations; by default, the first in order are taken. Nothing is yielded if
    the store cannot list its conversations.
    """
    ids: list[str] = []
    if own := getattr(store, "sample", None):
        ids = await own(_SAMPLED)
    elif isinstance(store, ManagedStore):
        ids = await store.conversations(limit=_SAMPLED)
    for id_ in ids:
        for newest in (False, True):
            found: list[Entry] = []
            with contextlib.suppress(StoreError):
                found = await store.read(id_, limit=1, newest=newest)
            for entry in found:
                yield entry


def _cryptography() -> Any:
    """Return the module `fernet` of the package cryptography, loaded only when needed."""
    try:
        from cryptography import fernet
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("an encrypted store", "encryption") from error
    return fernet


def _pseudonym(key: bytes, *parts: str) -> bytes:
    """Return a pseudonym (HMAC-SHA256) of texts. Without the key, the pseudonym cannot be computed."""
    return hmac.new(key, json.dumps(parts).encode(), hashlib.sha256).digest()


def _mark(*place: JSON) -> bytes:
    """Return a prefix that ties an embedding to its place in the store; prefix and embedding are encrypted together."""
    return hashlib.sha256(json.dumps(place).encode()).digest()


def _make_tampered_error(what: str) -> StoreError:
    """Return the error for encrypted content that was moved to another row of the store."""
    return StoreError(f"{what} was written for another place: somebody has moved or exchanged rows of the store")
