"""Keeps the word index of a conversation in the store, and reads its messages as they are searched and shown."""

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memzoo.errors import ConflictError
from memzoo.forks import new_lock
from memzoo.memories.engine.log import Log
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.grouping import INSTRUCTIONS, is_answer
from memzoo.memories.text.messages import Labels, quote_turns, text_of
from memzoo.memories.text.view import Passage
from memzoo.stores import JSON, Entry, Store

if TYPE_CHECKING:
    from memzoo.memories.search.word_index import WordIndex

__all__ = ["Documents", "PersistedIndex"]

# Another number and all is analysed anew: for any change of what the items hold.
_VERSION = 6
_ANALYSER = "analyser"

_FEWEST_KEPT = 64
# Reading some messages more costs less than another question to the store.
_READ_ALONG = 16
_MOST_HELD = 16_384


@dataclass(frozen=True)
class Documents:
    """Turns saved exchanges into passages to search, and into documents with a line for each input and output.

    Attributes:
        labels: Name the speakers.
        hidden: Names of inputs that are left out.
    """

    labels: Labels
    hidden: AbstractSet[str]

    def passages(self, entries: Iterable[Entry]) -> Iterator[Passage]:
        """Write messages as they are searched, and see where exchanges begin, however they were saved."""
        before: Entry | None = None
        for entry in entries:
            if entry.message["role"] not in INSTRUCTIONS:
                speaker, text = self.labels.speaker(entry.message), self._searchable_text(entry)
                yield Passage(entry.seq, speaker, text, entry.said_at, begins=_begins_exchange(entry, before))
            before = entry

    def text(self, entries: Sequence[Entry]) -> str:
        """Write an exchange as a document; messages that were saved without keys become a transcript."""
        labels = self.labels.names.union(*(entry.fields for entry in entries))
        return "\n".join(line for entry in entries for line in self._lines(entry, labels))

    def _lines(self, entry: Entry, labels: AbstractSet[str]) -> Iterator[str]:
        if all(map(_is_hosts, entry.fields)):
            yield self.labels.line(entry.message)
        for key, value in self._visible_fields(entry).items():
            yield f"{key}: {quote_turns(text_of(entry.message) if value is None else value, labels)}"

    def _searchable_text(self, entry: Entry) -> str:
        beside = [f"{key}: {value}" for key, value in self._visible_fields(entry).items() if value]
        return quote_turns("\n".join([text_of(entry.message), *beside]), self.labels.names)

    def _visible_fields(self, entry: Entry) -> dict[str, str | None]:
        hidden = self.hidden if entry.message["role"] == "user" else ()
        return {key: value for key, value in entry.fields.items() if key not in hidden and not _is_hosts(key)}


class PersistedIndex:
    """The word index of one conversation, and the messages read lately.

    The index is a state of its own in the store, beside that of the strategy: an item for some dozens of messages. Each
    message is therefore analysed once, except for the newest few after a restart; and the state is forgotten,
    encrypted, exported and restored like any other. It can be computed again: if another process was faster, its commit
    counts. After a deletion from the log, the index begins anew.

    State: `analyser`: the version of the items; and, under the number of the first message of each, the items
    that `WordIndex.pack` makes.

    Args:
        store: Keeps log and state.
        conversation_id: The conversation.
        documents: Reads messages as passages.
        weights: See `WordIndex`.
    """

    def __init__(self, store: Store, conversation_id: str, documents: Documents, weights: Weights) -> None:
        self._store = store
        self._documents = documents
        self._key = (conversation_id, f"words/{_digest(documents)}")
        self._weights = weights
        self._lock = new_lock()
        self._index: WordIndex | None = None
        self._epoch: Hashable = None
        self._held: dict[int, Passage] = {}
        self._version = self._watermark = self._last = 0
        self._outdated: dict[str, JSON] = {}

    async def follow(self, log: Log) -> "WordIndex":
        """Return the index of the log up to its end."""
        index = await self._open(log)
        # With the last one that is known, whose exchange may go on.
        entries = await log.after(max(self._last - 1, 0))
        if entries and entries[-1].seq > self._last:
            new = list(self._documents.passages(entries))
            self._held |= {passage.seq: passage for passage in new}
            index.add(new)
            self._last = max(self._last, entries[-1].seq)
        return index

    def worth_keeping(self, newest: int) -> bool:
        """True if enough messages are known since the last commit, up to the number `newest`."""
        return newest - self._watermark >= _FEWEST_KEPT

    async def keep(self, log: Log, newest: int) -> None:
        """Commit the index, if it has grown enough; a message with the number `newest` was stored."""
        index = await self._open(log)
        if not self.worth_keeping(newest):
            return
        # After the version was read: what was deleted before is known to be gone, and afterwards the commit is refused.
        await log.refreshed()
        if log.cached.epoch != self._epoch:
            return
        await self.follow(log)
        items = {_ANALYSER: _VERSION, **self._outdated, **index.pack(self._watermark)}
        try:
            self._version = await self._store.commit(
                *self._key, expected=self._version, watermark=self._last, changes=items
            )
            self._watermark, self._outdated = self._last, {}
        except ConflictError:
            # Not only a faster writer: a state that was opened before the first message begins with another version.
            update = await self._store.read_state(*self._key, since=self._version)
            items = {} if update.changes.get(_ANALYSER, _VERSION) == _VERSION else dict.fromkeys(update.changes)
            self._version, self._watermark, self._outdated = update.version, 0 if items else update.watermark, items

    async def passages(self, log: Log, seqs: Sequence[int]) -> list[Passage]:
        """Return the messages with these numbers, in this order, if the log still has them."""
        if len(self._held) > _MOST_HELD:
            self._held = {}
        held = self._held
        # Not `set(seqs) - held.keys()`, which goes through all that is held.
        for first, last in _ranges(sorted(seq for seq in seqs if seq not in held)):
            held |= {passage.seq: passage for passage in self._documents.passages(await log.between(first, last))}
        return [held[seq] for seq in seqs if seq in held]

    async def _open(self, log: Log) -> "WordIndex":
        """The index as it is known; read from the store at first, and once more if the log is another by now."""
        epoch, known = log.cached.epoch, self._index
        if known is not None and epoch is not None and epoch == self._epoch:
            return known
        from memzoo.memories.search.word_index import WordIndex  # numpy is loaded only where it is needed

        update = await self._store.read_state(*self._key)
        items = dict(update.changes)
        is_known = items.pop(_ANALYSER, None) == _VERSION
        index = WordIndex(self._weights)
        index.unpack(items if is_known else {})
        with self._lock:
            if self._index is known:
                self._epoch, self._held = epoch, {}
                self._version, self._last = update.version, update.watermark if is_known else 0
                self._watermark = self._last
                self._outdated = {} if is_known else dict.fromkeys(items)
                self._index = index
            return self._index or index


def _begins_exchange(entry: Entry, before: Entry | None) -> bool:
    """True for a user message, and for an assistant's addition in another turn after its answer."""
    role = entry.message["role"]
    is_added = before is not None and before.turn_id != entry.turn_id and is_answer(before.message)
    return role == "user" or (role == "assistant" and is_added)


def _is_hosts(field: str) -> bool:
    return field.startswith("@")


def _digest(documents: Documents) -> str:
    """Name everything that changes the searched texts: other options mean another state."""
    options = json.dumps([documents.labels.human, documents.labels.ai, sorted(documents.hidden)])
    return hashlib.blake2b(options.encode(errors="replace"), digest_size=8).hexdigest()


def _ranges(seqs: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join numbers that are near each other into ranges, each given by its first and last."""
    first = last = 0
    for seq in seqs:
        if first and seq - last > _READ_ALONG:
            yield first, last
            first = 0
        first, last = first or seq, seq
    if first:
        yield first, last
