"""A memory on the page of `memzoo play`, with its changes from one exchange to the next.

A moment is a number of exchanges: moment 3 is the time after the third exchange.
"""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.play.pieces import (
    Fragment,
    Numbers,
    Splice,
    apply_splices,
    pair_rewritten,
    pieces_of,
    reasons,
    splices,
)
from memzoo.benchmarks.recorded_states import LearntState
from memzoo.errors import MemoryZooError, ModelError
from memzoo.memories import BaseMemory, ConversationKGMemory
from memzoo.memories.text.explanation import ShownText
from memzoo.stores import InMemoryStore, Message, Record, StateUpdate, StoredState
from memzoo.strategy import ModelBackedMemory, text_of
from memzoo.sync import drive
from memzoo.types import Explanation, Spent

Frame: TypeAlias = dict[str, Any]
"""The view of one memory at one moment, as JSON; lines.md lists the members."""

Fact: TypeAlias = tuple[str, str, str, bool, int]
"""A fact of a graph: subject, relation, object, negated or not, and the number of the first message with the fact."""

# Letters for the messages of the log, by the reason for not showing them; "s" is shown, "t" is part of another text.
_LETTERS = {
    "found, but no room": "r",
    "not found": "n",
    "learnt from": "l",
    "older than what is shown": "o",
    "not shown": "x",
}


@dataclass
class Tables:
    """Numbered texts, facts and kinds of search. Because they are numbered, each is sent to the page only once."""

    pieces: Numbers[Fragment] = field(default_factory=Numbers[Fragment])
    facts: Numbers[Fact] = field(default_factory=Numbers[Fact])
    ways: Numbers[str] = field(default_factory=Numbers[str])
    texts: dict[int, str] = field(default_factory=dict[int, str])

    def of(self, pieces: Iterable[Fragment]) -> list[int]:
        """Return the number that stands for each piece of text. A new piece gets the next number."""
        numbers: list[int] = []
        for piece in pieces:
            numbers.append(number := self.pieces.of(piece))
            if piece.head is None or piece.head.kind == "recalled":
                self.texts[number] = piece.text  # a message of the log is never rewritten
        return numbers

    def take_new(self) -> dict[str, Any]:
        """Return as JSON all texts, facts and kinds of search that are new since the last call."""
        told = [[*(piece.head or ()), piece.text] for piece in self.pieces.take_new()]
        return {"pieces": told, "facts": self.facts.take_new(), "ways": self.ways.take_new()}


@dataclass(frozen=True)
class _Moment:
    """The view of a memory at a moment, as pieces, texts and facts."""

    pieces: Sequence[int] = ()
    shown: tuple[ShownText, ...] = ()
    facts: frozenset[int] = frozenset()


class PlayedMemory:
    """A memory that saves a conversation exchange by exchange, on the page of `memzoo play`.

    Attributes:
        memory: The memory, after all exchanges saved so far.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[InMemoryStore], BaseMemory],
        store: InMemoryStore,
        numbers: Mapping[int, int] | None = None,
        learnt: LearntState | None = None,
    ) -> None:
        """Make the memory.

        Args:
            name: The memory's name on the page.
            make: A function that makes the memory with a store.
            store: The store for the conversation. The conversation may already be in it.
            numbers: A mapping from the memory's log numbers to the log numbers on the page, if these differ.
            learnt: A recorded state: a list of steps, each applied when the last message that it covers is saved.
        """
        self.name, self._make, self._store, self._numbers = name, make, store, numbers or {}
        self.memory = make(store)
        self._before, self._now = _Moment(), _Moment()
        self._learning: Spent | Sum = Spent()
        self._failure, self._learnt = "", learnt
        self._told: list[tuple[list[Splice], frozenset[int]]] = []
        self._versions: dict[str, int] = {}
        self._changes: list[tuple[int, str, StateUpdate]] = []

    @property
    def asks(self) -> bool:
        """True if the memory asks the model of the page."""
        return isinstance(self.memory, ModelBackedMemory) and self._learnt is None

    def save(self, messages: Sequence[Record], turn_id: str) -> None:
        """Save an exchange. If the model fails, the error is kept for the next `frame`."""
        before = self.memory.usage.total
        try:
            self.memory.add_messages(messages, turn_id=turn_id)
            self._failure = ""
        except ModelError as error:
            self._failure = str(error)
        self._learning = self.memory.usage.total - before
        if self._learnt:
            self._take_step(self._learnt)

    def _take_step(self, learnt: LearntState) -> None:
        """Apply the steps of a recorded state that end at or before the newest message."""
        id_ = self.memory.conversation_id
        begun = drive(self._store.read_state(id_, learnt.name))
        now = drive(self._store.read(id_))[-1].seq
        for step in learnt.steps:
            if begun.watermark < step.watermark <= now:
                told: dict[str, Any] = {"watermark": step.watermark, "changes": step.changes}
                drive(self._store.commit(id_, learnt.name, expected=begun.version, **told))
                self._learning = step.spent
                begun = drive(self._store.read_state(id_, learnt.name))

    def frame(self, query: str | None, tables: Tables, said: Mapping[int, str], *, anew: bool = False) -> Frame:
        """Return the memory's view after the newest exchange, as its differences from the view one exchange earlier.

        Args:
            query: The user's next message; `None` if unknown.
            tables: The page's numbered texts and facts; new ones are added.
            said: A dict from log number to a message's text.
            anew: True if only `query` has changed since the last call; False after a new exchange.
        """
        if not anew:
            self._keep_state(len(self._told))
            self._before = self._now
            self._told.append(([], frozenset()))
        told, self._now = self._compare(self.memory, self._before, query, tables, said)
        self._told[-1] = told["splices"], self._now.facts
        return {**told, "learning": _counts(self._learning), "error": told["error"] or self._failure}

    def ask(
        self, moment: int, query: str, tables: Tables, said: Mapping[int, str]
    ) -> tuple[Frame, tuple[ShownText, ...], list[Message]]:
        """Return the view for a question that is asked after `moment` exchanges.

        Returns:
            Three values: the differences from the page's view at `moment`; the new view as texts; the same as messages.
        """
        moment = min(moment, len(self._told) - 1)
        memory = self.memory if moment == len(self._told) - 1 else self._at(moment)
        parts = [differences for differences, _ in self._told[: moment + 1]]
        pieces: Sequence[int] = functools.reduce(apply_splices, parts, [])
        told, now = self._compare(memory, _Moment(pieces, (), self._told[moment][1]), query, tables, said)
        return told, now.shown, memory.messages(query) if not told["error"] else []

    def _compare(
        self, memory: BaseMemory, before: _Moment, query: str | None, tables: Tables, said: Mapping[int, str]
    ) -> tuple[Frame, _Moment]:
        spent = memory.usage.total
        try:
            why = _renumber(memory.explain(query), self._numbers)
        except MemoryZooError as error:
            return {"splices": [], "tokens": sum(one.tokens for one in before.shown), "error": str(error)}, before
        pieces = pieces_of(why.shown)
        now = _Moment(tables.of(pieces), why.shown, self._facts_of(memory, tables))
        differences = splices(before.pieces, now.pieces)
        gone = [number for one in differences for number in before.pieces[one.at : one.at + one.removed]]
        come = [number for one in differences for number in one.added]
        frame: Frame = {
            "tokens": why.tokens,
            "limit": why.limit,
            "kept": _count_kept(before.shown, now.shown, memory),
            "splices": differences,
            "rewritten": pair_rewritten(gone, come, tables.texts),
            "why": [
                (place, tables.ways.of(way), round(score, 2)) for place, way, score in reasons(pieces, why.finds, said)
            ],
            "log": _states(why, list(said)),
            "facts": [sorted(now.facts - before.facts), sorted(before.facts - now.facts)],
            "loading": _counts(memory.usage.total - spent),
            "error": "",
        }
        return frame, now

    def _facts_of(self, memory: BaseMemory, tables: Tables) -> frozenset[int]:
        if not isinstance(memory, ConversationKGMemory):
            return frozenset()
        firsts = ((one, min(one.said_in, default=0)) for one in memory.kg.facts())
        told = [
            (one.subject, one.relation, one.object, one.negated, self._numbers.get(first, first))
            for one, first in firsts
        ]
        return frozenset(map(tables.facts.of, told))

    def _keep_state(self, moment: int) -> None:
        """Record the changes of the memory's states, so that questions can be asked at this moment later."""
        id_ = self.memory.conversation_id
        for name in drive(self._store.states(id_)):
            known = self._versions.get(name, 0)
            update = drive(self._store.read_state(id_, name, since=known))
            if update.version != known:
                self._versions[name] = update.version
                self._changes.append((moment, name, update))

    def _at(self, moment: int) -> BaseMemory:
        """Return a copy of the memory as of an earlier moment."""
        id_, store = self.memory.conversation_id, InMemoryStore()
        turns = itertools.groupby(drive(self._store.read(id_)), key=lambda entry: entry.turn_id)
        entries = [entry for _, turn in itertools.islice(turns, moment) for entry in turn]
        states: dict[str, StoredState] = {}
        for then, name, update in self._changes:
            if then <= moment:
                items = {} if update.reset or name not in states else states[name].items
                items = {key: item for key, item in {**items, **update.changes}.items() if item is not None}
                states[name] = StoredState(update.watermark, items)
        for name, state in states.items():
            vectors = drive(self._store.embeddings(id_, name))
            kept = {number: vector for number, vector in vectors.items() if number <= state.watermark}
            states[name] = StoredState(state.watermark, state.items, kept)
        if entries:
            drive(store.restore(id_, entries, states))
        return self._make(store)


def about(memory: BaseMemory) -> str:
    """Return the first line of the docstring of a memory's class."""
    return (inspect.getdoc(type(memory)) or "").partition("\n")[0]


def _count_kept(before: Sequence[ShownText], now: Sequence[ShownText], memory: BaseMemory) -> int:
    """Return the number of tokens in the common beginning of two views, which a prompt cache may keep."""
    kept = 0.0
    for old, new in zip(before, now, strict=False):
        if (old.role, old.text) == (new.role, new.text):
            kept += new.tokens
            continue
        if old.role == new.role:
            same = sum(1 for _ in itertools.takewhile(bool, map(str.__eq__, old.text, new.text)))
            kept += memory.render.counter({"role": new.role, "content": new.text[:same]}) if same else 0
        break
    return round(min(kept, sum(one.tokens for one in now)))


def _renumber(why: Explanation, numbers: Mapping[int, int]) -> Explanation:
    if all(number == told for number, told in numbers.items()):
        return why
    finds = [
        replace(one, what=numbers.get(one.what, one.what)) if isinstance(one.what, int) else one for one in why.finds
    ]
    return replace(
        why,
        shown=tuple(replace(one, number=one.number and numbers.get(one.number)) for one in why.shown),
        finds=tuple(finds),
        left_out=tuple(replace(one, number=numbers.get(one.number, one.number)) for one in why.left_out),
    )


def _states(why: Explanation, numbers: Sequence[int]) -> str:
    """Return a letter for each message of the log (shown or why not), as letters with run lengths, such as "o196s8"."""
    letters = dict.fromkeys(numbers, "t")
    letters |= {one.number: "s" for one in why.shown if one.number in letters and one.number is not None}
    letters |= {one.number: _LETTERS[one.reason] for one in why.left_out}
    return "".join(f"{letter}{len(list(run))}" for letter, run in itertools.groupby(letters.values()))


def _counts(spent: Spent | Sum) -> list[int]:
    """Return [calls, tokens sent, tokens received]."""
    return [spent.calls, spent.prompt_tokens, spent.completion_tokens]


def list_said(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """Return the role and the text of each message."""
    return [(message["role"], text_of(message)) for message in messages]
