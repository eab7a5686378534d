"""Helpers for the contracts of stores and indexes; import them from `memzoo.testing`."""

import struct
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from memzoo.stores.base import JSON, Entries, Entry, Message, Record, Store
from memzoo.sync import drive

HOSTILE_IDS = (
    *("", " ", "a", "A", "a ", "a:b", "a-1", "a%", "a_", "a*", "a\0", "a\0b", "a\n", "\\", "\\\\", "\\005c"),
    *("' OR 1=1 --", '"a"', '["a"]', "../a", "{{ a }}", "é", "e\u0301", "\ud800", "\udc00", "\U0001f600", "a" * 2000),
)
"""Ids that a careless implementation confuses with each other, or cannot store."""

MESSAGES: tuple[Message, ...] = (
    {"role": "system", "content": ""},
    {"role": "user", "name": "Zoë", "content": [{"type": "text", "text": "line\nline\0\u2028"}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"arguments": '{"a": "\\u00e9"}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "{{ 7 * 7 }} ' \" \\ \ud800 \U0001f600 </s>"},
    {"role": "user", "content": "n", "x": {"deep": [[1, -2.5, 1e-9, 2**70], {"": {}}, [], True, None], "z": 1, "a": 2}},
)
"""Messages that a careless implementation changes when storing or reading them."""


def records(*contents: str) -> list[Record]:
    """Return user messages, one for each text."""
    return [Record({"role": "user", "content": content}) for content in contents]


def fill(store: Store, conversation_id: str, *contents: str) -> list[Entry]:
    """Append each text as a user message in its own turn, and return the entries."""
    return [
        entry
        for content in contents
        for entry in drive(store.append(conversation_id, records(content), turn_id=f"turn of {content}"))
    ]


def commit(
    store: Store,
    conversation_id: str,
    changes: Mapping[str, JSON],
    *,
    strategy: str = "s",
    embeddings: Mapping[int, bytes] | None = None,
    watermark: int = 1,
) -> int:
    """Commit changes to a state at its current version, and return the new version."""
    expected = drive(store.read_state(conversation_id, strategy)).version
    return drive(
        store.commit(
            conversation_id, strategy, expected=expected, watermark=watermark, changes=changes, embeddings=embeddings
        )
    )


def epoch_of(store: Store, conversation_id: str, **part: Any) -> Hashable:
    """Return the epoch of a conversation, as a read with the given bounds reports it."""
    found = drive(store.read(conversation_id, **part))
    assert isinstance(found, Entries)
    return found.epoch


def revision_of(store: Store, conversation_id: str, **part: Any) -> Hashable:
    """Return the revision of a conversation, as a read reports it; `None` if the store has no revisions."""
    return getattr(drive(store.read(conversation_id, **part)), "revision", None)


def numbers(entries: Iterable[Entry]) -> list[int]:
    """Return the log numbers of entries."""
    return [entry.seq for entry in entries]


def vector(*numbers: float) -> bytes:
    """Return numbers as an embedding in bytes: float32, little-endian.

    Example:
        >>> list(vector(1.0, 0.0))
        [0, 0, 128, 63, 0, 0, 0, 0]
    """
    return struct.pack(f"<{len(numbers)}f", *numbers)
