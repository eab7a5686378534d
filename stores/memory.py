"""The store in memory, which lasts as long as the process."""

import itertools
import pickle
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

from memzoo.errors import ConflictError, UnsupportedError
from memzoo.forks import new_rlock
from memzoo.stores.base import JSON, Entries, Entry, Record, StateUpdate, StoredState, read_clock, utc_now
from memzoo.stores.common import IN_MEMORY, check_numbers, escaped, make_conflict_error
from memzoo.stores.tombstones import tombstone
from memzoo.sync import Closing

_seq = attrgetter("seq")


@dataclass
class _State:
    version: int
    watermark: int = 0
    # Pickled, which is faster than a copy of every part; `None` for a removed item.
    items: dict[str, tuple[int, bytes | None]] = field(default_factory=dict[str, tuple[int, bytes | None]])
    embeddings: dict[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass
class _Conversation:
    # The version from which states are valid: a reader with an older version has to start afresh.
    born: int
    epoch: int
    # The version of the last committed state.
    revision: int = 0
    last: int = 0
    log: list[Entry] = field(default_factory=list[Entry])
    turns: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])
    states: dict[str, _State] = field(default_factory=dict[str, _State])


class InMemoryStore(Closing):
    r"""A `Store` in memory: the default, for tests and for conversations that need not outlive the process.

    Example:
        >>> from memzoo.memories import create_memory
        >>> store = InMemoryStore()
        >>> memory = create_memory("buffer", store=store, conversation_id="user-42")
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> create_memory("window", store=store, conversation_id="user-42").load_memory_variables({})
        {'history': 'Human: hi\nAI: hello'}
    """

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Make an empty store.

        Args:
            clock: Returns the time, with a time zone, to stamp on each message.
        """
        self.clock = clock
        self._lock = new_rlock()
        self._conversations: dict[str, _Conversation] = {}
        self._tombstones: dict[str, set[str]] = {}
        # One sequence for the whole store: a conversation begun again after a clear never reuses an old version.
        self._versions = itertools.count(1)

    def __reduce__(self) -> tuple[Any, ...]:
        raise UnsupportedError(IN_MEMORY)

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        now = read_clock(self.clock)
        with self._lock:
            conversation = self._conversations.get(conversation_id) or self._begin()
            if (turn := conversation.turns.get(turn_id)) is not None:
                return [*turn]
            if (buried := self._tombstones.get(conversation_id)) and tombstone(turn_id) in buried:
                return []
            numbered = enumerate(records, start=conversation.last + 1)
            turn = [Entry(seq, one.message, turn_id, now, one.fields) for seq, one in numbered]
            if turn:
                conversation.last = turn[-1].seq
                conversation.log += turn
                conversation.turns[turn_id] = turn
                self._conversations[conversation_id] = conversation
            return [*turn]

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
        with self._lock:
            conversation = self._find(conversation_id)
            log = conversation.log
            # Most readers are up to date.
            first = bisect_right(log, after, key=_seq) if after < conversation.last else len(log)
            last = len(log) if until is None else max(bisect_right(log, until, key=_seq), first)
            if limit is not None:
                count = max(limit, 0)
                first, last = (max(first, last - count), last) if newest else (first, min(last, first + count))
            return Entries(log[first:last], conversation.epoch, conversation.revision)

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        with self._lock:
            conversation = self._find(conversation_id)
            state = _state(conversation, strategy)
            # Most readers are up to date, and need no scan of all items.
            if since == state.version:
                return StateUpdate(state.version, state.watermark, {}, reset=False)
            reset = not conversation.born <= since <= state.version
            items = state.items.items()
            # A reader that starts afresh has nothing to remove.
            changes = {key: value for key, (at, value) in items if (value is not None if reset else at > since)}
            read = {key: value and pickle.loads(value) for key, value in changes.items()}  # noqa: S301 - own pickles
            return StateUpdate(state.version, state.watermark, read, reset)

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
        with self._lock:
            conversation = self._find(conversation_id)
            state = _state(conversation, strategy)
            if state.version != expected or not conversation.born:
                raise ConflictError(f"state {strategy!r} of {conversation_id!r} is at another version than {expected}")
            version = next(self._versions)
            state.items.update({key: (version, _frozen(value)) for key, value in changes.items()})
            state.embeddings.update(embeddings or {})
            state.version, state.watermark = version, watermark
            conversation.revision = version
            conversation.states[strategy] = state
            return version

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `ManagedStore.embeddings`."""
        with self._lock:
            found = _state(self._find(conversation_id), strategy).embeddings
            return {seq: found[seq] for seq in sorted(found) if seq > after}

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        with self._lock:
            conversation = self._conversations.get(conversation_id)
            if conversation and not (only_empty and conversation.log):
                del self._conversations[conversation_id]
            if not only_empty:
                self._tombstones.pop(conversation_id, None)

    async def conversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
        behind: str | None = None,
    ) -> list[str]:
        """See `ManagedStore.conversations`."""
        with self._lock:
            newest = {
                id_: one.log[-1].created_at
                for id_, one in self._conversations.items()
                if one.log and (behind is None or _state(one, behind).watermark < one.log[-1].seq)
            }
        own = {id_: at for id_, at in newest.items() if id_.startswith(prefix)}
        idle = [id_ for id_, at in own.items() if idle_since is None or at < idle_since]
        found = sorted((id_ for id_ in idle if after is None or escaped(id_) > escaped(after)), key=escaped)
        return found if limit is None else found[: max(limit, 0)]

    async def count(self, conversation_id: str) -> int:
        """See `ManagedStore.count`."""
        with self._lock:
            return len(self._find(conversation_id).log)

    async def forget(
        self, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
    ) -> list[int]:
        """See `ManagedStore.forget`."""
        gone = set(seqs)
        with self._lock:
            conversation = self._find(conversation_id)
            found = [entry for entry in conversation.log if entry.seq in gone]
            removed = [entry.seq for entry in found]
            if removed:
                if tombstones:
                    self._bury(conversation_id, {tombstone(entry.turn_id) for entry in found})
                conversation.epoch = next(self._versions)
                conversation.log = _without(conversation.log, gone)
                turns = {id_: _without(turn, gone) for id_, turn in conversation.turns.items()}
                conversation.turns = {id_: turn for id_, turn in turns.items() if turn}
                if derived:
                    self._start_anew(conversation, removed[0])
                for state in conversation.states.values():
                    state.embeddings = {seq: vector for seq, vector in state.embeddings.items() if seq not in gone}
            return removed

    async def states(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.states`."""
        with self._lock:
            return sorted(self._find(conversation_id).states)

    async def tombstones(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.tombstones`."""
        with self._lock:
            return sorted(self._tombstones.get(conversation_id, ()))

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
        log = list(entries)
        with self._lock:
            if conversation_id in self._conversations:
                raise make_conflict_error(conversation_id)
            new = self._begin()
            new.last, new.log = log[-1].seq, log
            for entry in log:
                new.turns.setdefault(entry.turn_id, []).append(entry)
            for name, state in states.items():
                items = {key: (new.born, _frozen(value)) for key, value in state.items.items() if value is not None}
                new.states[name] = _State(new.born, state.watermark, items, dict(state.embeddings))
            self._conversations[conversation_id] = new
            self._bury(conversation_id, tombstones)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """See `ManagedStore.scrub`; this store has no files."""
        return True

    def _find(self, conversation_id: str) -> _Conversation:
        """Return a conversation; if unknown, an empty conversation with epoch and versions 0."""
        return self._conversations.get(conversation_id) or _Conversation(0, 0)

    def _bury(self, conversation_id: str, tombstones: Collection[str]) -> None:
        if tombstones:
            self._tombstones.setdefault(conversation_id, set()).update(tombstones)

    def _begin(self) -> _Conversation:
        version = next(self._versions)
        return _Conversation(born=version, epoch=version)

    def _start_anew(self, conversation: _Conversation, first: int) -> None:
        """Clear the states that may have learnt from a message, and make all readers start afresh."""
        conversation.born = next(self._versions)
        kept = {
            name: state
            for name, state in conversation.states.items()
            if state.watermark < first or (state.embeddings and not state.items)
        }
        for state in kept.values():
            state.version = conversation.born
        conversation.states = kept


def _state(conversation: _Conversation, strategy: str) -> _State:
    return conversation.states.get(strategy) or _State(conversation.born)


def _frozen(value: JSON) -> bytes | None:
    return None if value is None else pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _without(log: Sequence[Entry], gone: Collection[int]) -> list[Entry]:
    return [entry for entry in log if entry.seq not in gone]
