"""Reads a stored conversation for a page, without writing to the store."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from memzoo.benchmarks.transcripts import Transcript
from memzoo.benchmarks.transcripts.conversations import TranscriptMessage, exchanges_of
from memzoo.stores import Entry, ManagedStore, StoredState
from memzoo.stores.base import managed
from memzoo.sync import drive

Kept: TypeAlias = tuple[Sequence[Entry], Mapping[str, StoredState]]
"""The log of a conversation, and its states by name."""


def read_talk(store: ManagedStore, id_: str) -> tuple[Transcript, Kept]:
    """Return the transcript of a stored conversation, and a pair: its log and its states.

    Raises:
        UnsupportedError: The store cannot list the states of a conversation.
    """
    entries = drive(store.read(id_))
    states: dict[str, StoredState] = {}
    for name in drive(managed(store, "states").states(id_)):
        state = drive(store.read_state(id_, name))
        states[name] = StoredState(state.watermark, state.changes, drive(store.embeddings(id_, name)))
    said = (TranscriptMessage(entry.message, date=entry.said_at) for entry in entries)
    return Transcript(id_, exchanges_of(said)), (entries, states)
