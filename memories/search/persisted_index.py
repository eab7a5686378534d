"""Keeps the word index of a conversation in the store."""

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

# Raise this number after any change in the items' content: all conversations are then analysed anew.
_VERSION = 12
_ANALYSER = "analyser"

_FEWEST_KEPT = 64
# Reading a few more messages costs less than another read of the store.
_READ_ALONG = 16
_MOST_HELD = 16_384


@dataclass(frozen=True)
class Documents:
    """Turns saved exchanges into passages to search, and into documents with a line for each input and output.

    Attributes:
        labels: The speakers' labels.
        hidden: The names of inputs to leave out.
    """

    labels: Labels
    hidden: AbstractSet[str]

    def passages(self, entries: Iterable[Entry]) -> Iterator[Passage]:
        """Yield messages as passages to search, without system messages.

        The first passage of each exchange has `begins` set.
        """
        before: Entry | None = None
        for entry in entries:
            if entry.message["role"] not in INSTRUCTIONS:
                speaker, text = self.labels.speaker(entry.message), self._searchable_text(entry)
                yield Passage(entry.seq, speaker, text, entry.said_at, begins=_begins_exchange(entry, before))
            before = entry

    def text(self, entries: Sequence[Entry]) -> str:
        """Return an exchange as a document: a line "key: text" for each input and output of `save_context`.

        Messages saved in other ways become lines of a transcript.
        """
        labels = self.labels.names.union(*(entry.fields for entry in entries))
        return "\n".join(line for entry in entries for line in self._lines(entry, labels))

    def _lines(self, entry: Entry, labels: AbstractSet[str]) -> Iterator[str]:
        if all(key.startswith("@") for key in entry.fields):
            yield self.labels.line(entry.message)
        for key, value in self._visible_fields(entry).items():
            yield f"{key}: {quote_turns(text_of(entry.message) if value is None else value, labels)}"

    def _searchable_text(self, entry: Entry) -> str:
        beside = [f"{key}: {value}" for key, value in self._visible_fields(entry).items() if value]
        return quote_turns("\n".join([text_of(entry.message), *beside]), self.labels.names)

    def _visible_fields(self, entry: Entry) -> dict[str, str | None]:
        hidden = self.hidden if entry.message["role"] == "user" else ()
        return {key: value for key, value in entry.fields.items() if key not in hidden and not key.startswith("@")}


class PersistedIndex:
    """The word index of one conversation, with a cache of its messages.

    The store keeps the index as a separate state, which is updated after every 64 messages. After a restart, only the
    messages since the last update are analysed again. After a deletion from the log, the index is built anew.

    State: the items of `WordIndex.pack`, with log numbers as keys, and an item `analyser` with the analyser's version.

    Args:
        store: The store with the log and the state.
        conversation_id: The conversation.
        documents: Turns messages into passages.
        weights: The weights of the search.
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
        """Bring the index up to the end of the log, and return the index."""
        index = await self._open(log)
        # Read from the last known message on, whose exchange may go on.
        entries = await log.after(max(self._last - 1, 0))
        if entries and entries[-1].seq > self._last:
            new = list(self._documents.passages(entries))
            self._held |= {passage.seq: passage for passage in new}
            index.add(new)
            self._last = max(self._last, entries[-1].seq)
        return index

    def worth_keeping(self, newest: int) -> bool:
        """Return whether to update the stored index: it lacks at least 64 messages up to log number `newest`."""
        return newest - self._watermark >= _FEWEST_KEPT

    async def keep(self, log: Log, newest: int) -> None:
        """Store the index up to the log's end, if `worth_keeping`; `newest` is the log number of the newest message."""
        index = await self._open(log)
        if not self.worth_keeping(newest):
            return
        # The log is read after the state's version: it lacks earlier deletions, and a later deletion makes the commit
        # fail.
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
            # Either another writer was faster, or the state was opened before the first message, at another version.
            update = await self._store.read_state(*self._key, since=self._version)
            items = {} if update.changes.get(_ANALYSER, _VERSION) == _VERSION else dict.fromkeys(update.changes)
            self._version, self._watermark, self._outdated = update.version, 0 if items else update.watermark, items

    async def passages(self, log: Log, seqs: Sequence[int]) -> list[Passage]:
        """Return the passages of the messages with these log numbers, in the given order.

        Numbers without a message are skipped.
        """
        if len(self._held) > _MOST_HELD:
            self._held = {}
        held = self._held
        # Not `set(seqs) - held.keys()`, which would iterate over all held passages.
        for first, last in _ranges(sorted(seq for seq in seqs if seq not in held)):
            held |= {passage.seq: passage for passage in self._documents.passages(await log.between(first, last))}
        return [held[seq] for seq in seqs if seq in held]

    async def _open(self, log: Log) -> "WordIndex":
        """Return the index; read the index from the store at the first call, and after a change of the log's epoch."""
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
    """Tell if an entry begins an exchange: a user message, or a further message of the assistant in a later turn."""
    role = entry.message["role"]
    is_added = before is not None and before.turn_id != entry.turn_id and is_answer(before.message)
    return role == "user" or (role == "assistant" and is_added)


def _digest(documents: Documents) -> str:
    """Return a hash of the options that change the searched texts: each combination has a separate state."""
    options = json.dumps([documents.labels.human, documents.labels.ai, sorted(documents.hidden)])
    return hashlib.blake2b(options.encode(errors="replace"), digest_size=8).hexdigest()


def _ranges(seqs: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join numbers near each other into ranges, and yield the first and last number of each range."""
    first = last = 0
    for seq in seqs:
        if first and seq - last > _READ_ALONG:
            yield first, last
            first = 0
        first, last = first or seq, seq
    if first:
        yield first, last
