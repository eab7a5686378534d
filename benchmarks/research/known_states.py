"""What memories know of a talk: states learnt by the offline rules, or read from a large model's replies."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from memzoo.benchmarks.measure.evidence import squeeze
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, KnowledgeGraph, create_memory
from memzoo.memories.graph.provenance import find_sources
from memzoo.memories.models import replies
from memzoo.memories.strategies.entity_notes import EntityNotes
from memzoo.stores import JSON, Entry, InMemoryStore
from memzoo.sync import drive

__all__ = ["Told", "learn_by_rules", "log_talk", "read_replies"]

_BEGINNING = 80


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


class _Step(NamedTuple):
    """A prompt of learning, with what it was about."""

    prompt: str
    reply: str
    new_lines: str
    entries: Sequence[Entry]


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


def read_replies(transcript: Transcript, strategy: str, file: Path, *, erased: bool = False) -> Told:
    """What replies to the prompts of learning say of a talk.

    Args:
        transcript: The talk.
        strategy: "entity" or "knowledge-graph".
        file: A list of `{"name", "prompt", "reply"}` in JSON; those whose names begin with "derive" count, in order.
        erased: What a prompt cut out of a known note is gone, as it was then. Today it stays.

    Raises:
        OptionError: Their prompts are not about the talk.
    """
    entries = log_talk(transcript)
    steps = _steps(entries, file)
    items = _notes(steps, erased=erased) if strategy == "entity" else _facts(steps)
    return Told(transcript, strategy, entries, items)


def _facts(steps: Iterator[_Step]) -> Mapping[str, JSON]:
    graph = KnowledgeGraph()
    for step in steps:
        graph.apply(graph.changes_from(find_sources(replies.statements(step.reply), step.entries)), reset=False)
    return {fact.key: fact.as_json() for fact in graph.facts(history=True)}


def _notes(steps: Iterator[_Step], *, erased: bool) -> Mapping[str, JSON]:
    """Notes as they are kept today: what of a long note was cut out of its prompt stays, for nobody left it out."""
    items: dict[str, JSON] = {}
    for step in steps:
        if not step.prompt.startswith("Task: entity_update"):
            continue
        known = step.prompt.partition("<known>\n")[2].partition("\n</known>")[0]
        shown = [line.partition(":")[0] for line in known.splitlines() if ":" in line]
        notes = EntityNotes(items)
        keys = () if erased else map(notes.key, shown)
        hidden = {key: [one for one in notes.statements(key) if one.text not in known] for key in keys}
        found = replies.notes(step.reply, shown, step.new_lines)
        same = replies.aliases(step.reply, shown, step.new_lines)
        items |= notes.changes(found, same, shown, step.entries, hidden)
    return items


def _steps(entries: Sequence[Entry], file: Path) -> Iterator[_Step]:
    """The prompts of learning with their replies, each with the messages that it was to read."""
    left, about = list(entries), list[Entry]()
    for asked in json.loads(file.read_text(encoding="utf-8")):
        if not asked["name"].startswith("derive"):
            continue
        lines = asked["prompt"].partition("<new_lines>\n")[2].partition("\n</new_lines>")[0]
        text, new = squeeze(lines), list[Entry]()
        while left and squeeze(str(left[0].message["content"]))[:_BEGINNING] in text:
            new.append(left.pop(0))
        # Several prompts may be about the same messages.
        about = new or about
        if not about:
            raise OptionError(f"{file}, {asked['name']}: its new lines are not those of this talk")
        yield _Step(asked["prompt"], asked["reply"], lines, tuple(about))
