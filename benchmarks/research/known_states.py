"""What memories know of a talk: states learnt by the offline rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories import BaseMemory, create_memory
from memzoo.stores import JSON, Entry, InMemoryStore
from memzoo.sync import drive

__all__ = ["Told", "learn_by_rules", "log_talk"]


@dataclass(frozen=True)
class Told:
    """A talk in a store, and what a memory knows of it.

    Attributes:
        transcript: The talk.
        strategy: "entity" or "knowledge-graph".
        entries: The talk as the log has it.
        items: The state.
    """

    transcript: Transcript
    strategy: str
    entries: Sequence[Entry]
    items: Mapping[str, JSON]

    def memory(self, kind: Callable[..., BaseMemory], **options: Any) -> BaseMemory:
        """Open a memory that knows it."""
        store, transcript = InMemoryStore(), self.transcript
        names = {"human_prefix": transcript.user, "ai_prefix": transcript.assistant}
        memory = kind(store=store, conversation_id="research", llm="offline", **names, **options)
        memory.add_messages([entry.message for entry in self.entries], learn=False)
        state = ("research", memory.state_name)
        begun = drive(store.read_state(*state)).version
        drive(store.commit(*state, expected=begun, watermark=len(self.entries), changes=self.items))
        return memory


def log_talk(transcript: Transcript) -> Sequence[Entry]:
    """The entries of a talk in a log."""
    now = [exchange.said_at for exchange in transcript.exchanges][:1]
    memory = create_memory("buffer", store=InMemoryStore(clock=lambda: now[0]))
    for exchange in transcript.exchanges:
        now[0] = exchange.said_at
        memory.add_messages(exchange.records)
    return memory.entries()


def learn_by_rules(transcript: Transcript, strategy: str) -> Told:
    """What the offline rules make of a talk."""
    now = [exchange.said_at for exchange in transcript.exchanges][:1]
    memory = create_memory(
        strategy,
        llm="offline",
        store=InMemoryStore(clock=lambda: now[0]),
        human_prefix=transcript.user,
        ai_prefix=transcript.assistant,
    )
    for exchange in transcript.exchanges:
        now[0] = exchange.said_at
        memory.add_messages(exchange.records, learn=False)
    memory.settle()
    state = drive(memory.store.read_state(memory.conversation_id, memory.state_name))
    return Told(transcript, strategy, memory.entries(), {key: item for key, item in state.changes.items() if item})
