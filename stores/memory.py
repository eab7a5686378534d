"""The store that lives as long as the process."""

import copy
import itertools
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memzoo.stores.base import JSON, Entry, Record, StateUpdate
from memzoo.stores.clock import utc_now
from memzoo.stores.errors import ConflictError

__all__ = ["InMemoryStore"]


@dataclass
class _State:
    born: int
    version: int
    watermark: int = 0
    items: dict[str, tuple[int, JSON]] = field(default_factory=dict[str, tuple[int, JSON]])
    embeddings: dict[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass
class _Conversation:
    born: int
    log: list[Entry] = field(default_factory=list[Entry])
    turns: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])
    states: dict[str, _State] = field(default_factory=dict[str, _State])


class InMemoryStore:
    r"""A `Store` in dictionaries: the default, for tests and for conversations that need not outlive the process.

    Example:
        >>> from memzoo.memories import create_memory
        >>> store = InMemoryStore()
        >>> memory = create_memory("buffer", store=store, conversation_id="user-42")
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> create_memory("window", store=store, conversation_id="user-42").load_memory_variables({})
        {'history': 'Human: hi\nAI: hello'}
    """

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        """A new, empty store.

        Args:
            clock: Gives the time, with a time zone, that is stamped on each message.
        """
        self.clock = clock
        self._lock = threading.RLock()
        self._conversations: dict[str, _Conversation] = {}
        # One sequence for the whole store: a conversation that was cleared never meets an old version again.
        self._versions = itertools.count(1)

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        now = self.clock().astimezone(UTC)
        with self._lock:
            conversation = self._conversations.get(conversation_id) or _Conversation(next(self._versions))
            entries = conversation.turns.get(turn_id)
            if entries is None:
                entries = _entries(records, turn_id, len(conversation.log) + 1, now)
                if entries:
                    conversation.log.extend(entries)
                    conversation.turns[turn_id] = entries
                    self._conversations[conversation_id] = conversation
            return copy.deepcopy(entries)

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Entry]:
        """See `Store.read`."""
        with self._lock:
            log = self._conversations[conversation_id].log if conversation_id in self._conversations else []
            first, last = max(after, 0), len(log) if until is None else min(max(until, 0), len(log))
            if limit is not None:
                count = max(limit, 0)
                first, last = (max(first, last - count), last) if newest else (first, min(last, first + count))
            return copy.deepcopy(log[first:last])

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        with self._lock:
            state = self._state(conversation_id, strategy)
            reset = not state.born <= since <= state.version
            changes = {key: value for key, (at, value) in state.items.items() if reset or at > since}
            if reset:
                changes = {key: value for key, value in changes.items() if value is not None}
            return StateUpdate(state.version, state.watermark, copy.deepcopy(changes), reset)

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
            state = self._state(conversation_id, strategy)
            if state.version != expected or conversation_id not in self._conversations:
                raise ConflictError(f"state {strategy!r} of {conversation_id!r} is at another version than {expected}")
            items = copy.deepcopy(dict(changes))
            state.version, state.watermark = next(self._versions), watermark
            state.items.update({key: (state.version, value) for key, value in items.items()})
            state.embeddings.update(embeddings or {})
            self._conversations[conversation_id].states[strategy] = state
            return state.version

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `Store.embeddings`."""
        with self._lock:
            found = self._state(conversation_id, strategy).embeddings
            keys = sorted(found)
            return {key: found[key] for key in keys[bisect_right(keys, after) :]}

    async def clear(self, conversation_id: str) -> None:
        """See `Store.clear`."""
        with self._lock:
            self._conversations.pop(conversation_id, None)

    async def conversations(self) -> list[str]:
        """See `Store.conversations`."""
        with self._lock:
            return sorted(id_ for id_, conversation in self._conversations.items() if conversation.log)

    def close(self) -> None:
        """Does nothing: there is nothing to give back."""

    def _state(self, conversation_id: str, strategy: str) -> _State:
        conversation = self._conversations.get(conversation_id)
        if conversation is None:
            return _State(0, 0)
        return conversation.states.get(strategy) or _State(conversation.born, conversation.born)


def _entries(records: Sequence[Record], turn_id: str, first: int, now: datetime) -> list[Entry]:
    return [
        Entry(seq, copy.deepcopy(record.message), turn_id, now, dict(record.fields))
        for seq, record in enumerate(records, start=first)
    ]
