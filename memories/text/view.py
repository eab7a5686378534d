"""The view: the texts and messages that a strategy shows the model."""

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar

from memzoo.memories.text.days import in_words
from memzoo.memories.text.families import ANY, Family
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.grouping import last_exchange
from memzoo.memories.text.messages import as_sent
from memzoo.stores import Entry, Message
from memzoo.text import copy_json

T = TypeVar("T", bound=Hashable)

# If a smaller share of the items shown is found again, the conversation has changed its subject.
_LEAST_FOUND_AGAIN = 0.1


Kind: TypeAlias = Literal["system", "recalled", "message", "pinned"]
"""The origin of a piece: a system text, a derived or found text, a message, a pinned message."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a request. Adjacent pieces of the same role are later joined into one message.

    Attributes:
        message: The message as the log has it; for a recalled text, without its frame.
        kind: "system" for a system text, "recalled" for a text that the memory derived or found, "pinned" for a pinned
            message, "message" for any other message.
        entry: The log entry of the message; `None` for a message outside the log.
        is_late: True for a recalled text that stands after the last answer.
    """

    message: Message
    kind: Kind = "message"
    entry: Entry | None = None
    is_late: bool = False

    @property
    def sent(self) -> Message:
        """The message as every provider accepts it; see `sent_to`."""
        return self.sent_to(ANY)

    def sent_to(self, family: Family) -> Message:
        """Return the message as a family of endpoints accepts it.

        If a recalled text is sent as a user message, the frame is put around it.
        """
        if self.kind != "recalled" or self.message["role"] != "user":
            return as_sent(self.message, family)
        return {**self.message, "content": frame_text(self.message["content"])}


class Shown(list[Any]):  # of messages; clients accept `Any` under strict type checks, too
    """The list of chat messages that `BaseMemory.messages` and `BaseMemory.request` return, with their origins.

    In a request, one message may consist of several pieces. `entries`, `pinned` and `recalled` describe the pieces.

    Attributes:
        pieces: The parts of which the messages are made.
        stable_upto: The number of messages at the beginning that the next call will return unchanged if the
            conversation grows by at most `room`. The last of these is the message to mark for a prompt cache.
        room: The amount by which the conversation can grow before the first `stable_upto` messages may change: a number
            of exchanges, messages or tokens, in the unit of the memory's limit; `None` for any amount.

    Example:
        >>> from memzoo import create_memory
        >>> memory = create_memory("buffer")
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> [(entry.seq, entry.message["content"]) for entry in memory.messages().entries if entry]
        [(1, 'hi'), (2, 'hello')]
    """

    def __init__(
        self,
        messages: Iterable[Message] = (),
        pieces: Sequence[Piece] = (),
        *,
        stable_upto: int = 0,
        room: int | None = 0,
    ) -> None:
        """Make a list of messages; see the class for the arguments."""
        super().__init__(messages)
        self.pieces = pieces
        self.stable_upto = stable_upto
        self.room = room

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Return the schema for web frameworks that return the list from an endpoint: a list of messages."""
        return handler(list[Message])

    @property
    def entries(self) -> list[Entry | None]:
        """The log entry of each of the `pieces`; `None` for a piece outside the log."""
        return [one.entry and replace(one.entry, message=copy_json(one.entry.message)) for one in self.pieces]

    @property
    def pinned(self) -> list[Message]:
        """The pinned messages, which must stay if you shorten the list."""
        return [copy_json(one.message) for one in self.pieces if one.kind == "pinned"]

    @property
    def recalled(self) -> list[bool]:
        """For each of the `pieces`, true for a recalled text, such as a summary or a search result."""
        return [one.kind == "recalled" for one in self.pieces]

    def without(self, seqs: Collection[int]) -> "Shown":
        """Return this list without the messages that have these log numbers."""
        gone = {place for place, one in enumerate(self.pieces) if one.entry and one.entry.seq in seqs}
        kept = [place for place in range(len(self)) if place not in gone]
        return Shown(
            [self[place] for place in kept],
            [self.pieces[place] for place in kept],
            stable_upto=min(self.stable_upto, min(gone, default=len(self))),
            room=self.room,
        )


@dataclass(slots=True)
class Cleared(Entry):
    """A log entry whose tool result is shortened to a line that names the tool. The log keeps the full result."""


@dataclass(slots=True)
class Shortened(Entry):
    """A message shortened for a prompt. The log keeps the whole message."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A message in the log that a search found for a view.

    Attributes:
        seq: The message's log number.
        speaker: The speaker's label.
        text: The message's text.
        said_at: The message's time; `None` if unknown.
        begins: True if the message begins an exchange.
    """

    seq: int
    speaker: str
    text: str
    said_at: datetime | None
    begins: bool

    @property
    def date(self) -> str:
        """The message's day, in words; "" if unknown."""
        return in_words(self.said_at.date()) if self.said_at else ""


@dataclass(frozen=True, slots=True)
class Finds(Generic[T]):
    """The results of a search. A view shows these after the results for earlier questions.

    The earlier results stay in a provider's prompt cache, so only new results are paid for in full (see
    docs/caching.md). The memory object keeps the earlier results; a new memory object has none at first.

    Attributes:
        items: The search results, the best first.
        write: Writes blocks of items as texts. A block is a list of the items found for one question.
        most: The maximum number of tokens in the texts.
        holds: Tells whether items that were shown earlier are all still valid.
        quoted: True if the texts contain words of users, documents or tools, like `View.quotes`.
    """

    items: Sequence[T]
    write: Callable[[Sequence[Sequence[T]]], tuple[str, ...]]
    most: int
    holds: Callable[[Collection[T]], bool] = lambda _: True
    quoted: bool = True

    def behind(
        self, earlier: Sequence[Sequence[T]], tokens: Callable[[str], int]
    ) -> tuple[Sequence[Sequence[T]], tuple[str, ...]]:
        """Return the blocks of items to show, and the texts of the blocks.

        Usually, these are the `earlier` blocks, followed by a block of new items. But if their texts would exceed
        `most` tokens, if an earlier item is no longer valid, or if this search found hardly any of the earlier items,
        all `items` form the only block.
        """
        shown = frozenset(itertools.chain.from_iterable(earlier))
        new = [one for one in self.items if one not in shown]
        if shown and len(self.items) - len(new) >= _LEAST_FOUND_AGAIN * len(shown) and self.holds(shown):
            blocks = [*earlier, new] if new else earlier
            texts = self.write(blocks)
            if tokens("\n".join(texts)) <= self.most:
                return blocks, texts
        blocks = [self.items] if self.items else []
        return blocks, self.write(blocks)


# Not frozen: freezing would take a tenth of a load.
@dataclass(slots=True)
class View:
    """The texts and messages to show the model; never changed after creation.

    Attributes:
        recalled: Texts that the strategy derived, the most useful first. By default, they are sent as system messages.
        quotes: Texts that the strategy found, in the words of users, documents or tools. By default, they are not sent
            as system messages.
        entries: Messages from the log, word for word, oldest first. Entries with a number below 1 are not in the log.
        notes: A dict from name to note, in the words of the conversation. A name without a note has ""; a strategy
            without notes has `None`. The notes are shown if there are no `quotes`.
        passages: The messages in `quotes`, the most useful first; empty if `quotes` has texts other than messages.
        system: The current system message, shown first. Set by the base class.
        final: True if the entries can be sent without additions, omissions or reordering.
        pinned: The log numbers of pinned entries, which must not be left out. Set by the base class.
        summary_as_turn: True if a transcript shows each text of `recalled` as a line of the speaker "System".
        room: The amount by which the log can grow before the view's first entry may change: a number of exchanges,
            messages or tokens, in the unit of the strategy's limit; or a function that returns this number. -1 means
            that any growth may change the first entry; `None` means that no growth does.
        texts_stay: True if growth by at most `room` does not change the texts (recalled, quotes and notes) either.
        finds: The results of a search, if earlier results are shown, too. The base class turns them into texts.
        shows_newest: True if the entries include the whole newest exchange.
    """

    recalled: tuple[str, ...] = ()
    entries: Sequence[Entry] = ()
    notes: Mapping[str, str] | None = None
    passages: tuple[Passage, ...] = ()
    system: Entry | None = None
    final: bool = False
    pinned: frozenset[int] = frozenset()
    summary_as_turn: bool = False
    quotes: tuple[str, ...] = ()
    room: int | Callable[[], int] | None = -1
    texts_stay: bool = False
    shows_newest: bool = True
    finds: Finds[Any] | None = None

    @classmethod
    def of(cls, entries: Sequence[Entry], recalled: Sequence[str] = (), notes: Mapping[str, str] | None = None) -> Self:
        """Return a view made of derived texts, notes and entries. Entries come oldest first."""
        return cls(tuple(recalled), entries, notes)

    def ending_with(self, newest: Sequence[Entry], *, is_open: bool) -> Self:
        """Return the view, with the newest exchange added at its end if that exchange is unanswered.

        Args:
            newest: The newest exchange, including calls that wait for results.
            is_open: True if the exchange is unanswered.
        """
        new = {entry.seq: entry for entry in newest}
        if new.keys() <= {entry.seq for entry in self.entries}:
            return self
        if not is_open:
            return replace(self, shows_newest=False)
        # The new entries are the newest. The entries before them keep their order.
        before = [entry for entry in self.entries if entry.seq not in new]
        return replace(self, entries=[*before, *(new[seq] for seq in sorted(new))], room=-1)

    def find_room(self) -> int | None:
        """Return the value of `room`; if `room` is a function, its result."""
        return self.room() if callable(self.room) else self.room

    @property
    def messages(self) -> list[Message]:
        """The chat messages of the entries."""
        return [entry.message for entry in self.entries]

    @property
    def derived(self) -> list[str]:
        """The derived texts, without empty texts."""
        return [text for text in self.recalled if text]

    @property
    def quoted(self) -> list[str]:
        """The texts to show as quotations: `quotes`, or if there are none, the notes as one text."""
        known = "\n".join(f"{name}: {note}" for name, note in (self.notes or {}).items() if note)
        return [text for text in self.quotes or (known,) if text]

    @property
    def texts(self) -> list[str]:
        """The texts of `derived` and `quoted`, in this order."""
        return [*self.derived, *self.quoted]


def as_room(spare: float, entries: Sequence[Entry], weight: Callable[[Entry], float]) -> int:
    """Return a value for `View.room`: `spare` rounded down, or -1 if `spare` is less than the newest exchange's weight.

    Args:
        spare: The weight that can be added before the view reaches its limit.
        entries: The entries of the view.
        weight: Returns the weight of an entry.
    """
    newest = entries[last_exchange(entries) :]
    return int(spare) if spare > 0 and spare >= sum(map(weight, newest)) else -1
