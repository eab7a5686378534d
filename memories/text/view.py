"""The view: the texts and messages that a strategy shows the model."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from memzoo.memories.text.days import in_words
from memzoo.memories.text.grouping import last_exchange
from memzoo.stores import Entry, Message
from memzoo.text import copy_json

__all__ = ["Cleared", "Passage", "Shortened", "Shown", "View", "as_room"]


class Shown(list[Any]):  # of messages; as `Any` the clients take them under strict types, too
    """The chat messages of `BaseMemory.messages`: a list that also knows their log entries.

    Attributes:
        stable_upto: The number of messages from the beginning that the next call repeats, byte for byte, if there is
            room for the exchange added by then. A mark for a provider's cache belongs there. It holds unless something
            is deleted, or an option or the system message changes.
        room: The amount that may be added by then, in the unit of the memory's limit (exchanges, messages or tokens);
            `None` for any amount.

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
        entries: Sequence[Entry | None] = (),
        pinned: frozenset[int] = frozenset(),
        *,
        recalled: Collection[int] = (),
        stable_upto: int = 0,
        room: int | None = 0,
    ) -> None:
        """Make a list of messages.

        Args:
            messages: The messages.
            entries: The entry of each.
            pinned: The numbers of pinned messages.
            recalled: The places of messages that the memory made.
            stable_upto: See the attribute.
            room: See the attribute.
        """
        super().__init__(messages)
        self.stable_upto = stable_upto
        self.room = room
        self._entries = entries
        self._pinned = pinned
        self._recalled = recalled

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Describe it to web frameworks, as the result of an endpoint: a list of messages."""
        return handler(list[Message])

    @property
    def entries(self) -> list[Entry | None]:
        """Each message's log entry, with number, time and fields; `None` for messages that the memory made."""
        return [entry and replace(entry, message=copy_json(entry.message)) for entry in self._entries]

    @property
    def pinned(self) -> list[Message]:
        """The pinned messages, which a shortened list must keep."""
        pairs = zip(self, self._entries, strict=False)
        return [message for message, entry in pairs if entry and entry.seq in self._pinned]

    @property
    def recalled(self) -> list[bool]:
        """For each message, whether the memory made it (a summary, a find)."""
        return [place in self._recalled for place in range(len(self))]

    def without(self, seqs: Collection[int]) -> "Shown":
        """Return the list without the messages of these log numbers."""
        gone = {place for place, entry in enumerate(self._entries) if entry and entry.seq in seqs}
        kept = [place for place in range(len(self)) if place not in gone]
        return Shown(
            [self[place] for place in kept],
            [self._entries[place] for place in kept],
            self._pinned,
            recalled={new for new, place in enumerate(kept) if place in self._recalled},
            stable_upto=min(self.stable_upto, min(gone, default=len(self))),
            room=self.room,
        )


@dataclass(slots=True)
class Cleared(Entry):
    """An entry whose message is shown as a line, and counts as a different message than that of its number."""


@dataclass(slots=True)
class Shortened(Entry):
    """An entry whose message was cut for a prompt, and counts as a different message, too."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A message of the log, as found by a search and shown in a view.

    Attributes:
        seq: Its number in the log.
        speaker: The speaker's label.
        text: The message's text.
        said_at: The time when it was said; `None` if unknown.
        begins: An exchange begins with it.
    """

    seq: int
    speaker: str
    text: str
    said_at: datetime | None
    begins: bool

    @property
    def date(self) -> str:
        """The day on which it was said, in words; "" if unknown."""
        return in_words(self.said_at.date()) if self.said_at else ""


@dataclass(frozen=True, slots=True)
class View:
    """The texts and messages to show the model.

    Attributes:
        recalled: Texts that the strategy derived, the most useful first. They speak as the system.
        quotes: Texts that it found, in which others speak: users, documents, tools. They do not speak as the system.
        entries: Messages of the log word for word, oldest first. Entries with a number below 1 are not in the log.
        notes: Notes by name ("" for a name without a note), in the words of the conversation; `None` for a strategy
            without notes. They are shown as messages unless there are `quotes`.
        passages: The messages of the log that `quotes` shows word for word, the most useful first; empty if `quotes`
            shows anything else. They let views be combined without showing anything twice.
        system: The current system message, shown before everything else. The base class sets it.
        final: The entries can be sent as they are, without additions, omissions or reordering.
        pinned: The numbers of pinned entries, which must not be left out. The base class sets them.
        summary_as_turn: In a transcript, `recalled` is a turn of the system instead of a text before the turns.
        room: The amount that may be added while the next view still begins with these entries, in the unit of the
            strategy's limit; `None` for any amount, -1 if it need not begin with them; or a function that returns this.
        texts_stay: So long, its texts stay as they are, too; and where it has none, it gets none.
        shows_newest: All of the newest exchange is among the entries. Where it is not, it comes back, before what is
            added, with a call of tools that follows its answer.
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

    @classmethod
    def of(cls, entries: Sequence[Entry], recalled: Sequence[str] = (), notes: Mapping[str, str] | None = None) -> Self:
        """Make a view of entries, oldest first, after derived texts."""
        return cls(tuple(recalled), entries, notes)

    def ending_with(self, newest: Sequence[Entry], *, is_open: bool) -> Self:
        """Return the view with the newest exchange at its end if that is unanswered, unless it is there already.

        Args:
            newest: The exchange, including calls that wait for results.
            is_open: The exchange is unanswered.
        """
        new = {entry.seq: entry for entry in newest}
        if new.keys() <= {entry.seq for entry in self.entries}:
            return self
        if not is_open:
            return replace(self, shows_newest=False)
        # They are the newest. The entries before them keep their order.
        before = [entry for entry in self.entries if entry.seq not in new]
        return replace(self, entries=[*before, *(new[seq] for seq in sorted(new))], room=-1)

    def find_room(self) -> int | None:
        """Return the room, calling the function if there is one."""
        return self.room() if callable(self.room) else self.room

    @property
    def messages(self) -> list[Message]:
        """The messages of the entries."""
        return [entry.message for entry in self.entries]

    @property
    def derived(self) -> list[str]:
        """The derived texts, without empty ones."""
        return [text for text in self.recalled if text]

    @property
    def quoted(self) -> list[str]:
        """The found texts, or if there are none, the notes as a text; without empty ones."""
        known = "\n".join(f"{name}: {note}" for name, note in (self.notes or {}).items() if note)
        return [text for text in self.quotes or (known,) if text]

    @property
    def texts(self) -> list[str]:
        """All texts, derived and quoted."""
        return [*self.derived, *self.quoted]


def as_room(spare: int, entries: Sequence[Entry], weight: Callable[[Entry], int]) -> int:
    """Return the room of a view: `spare`, or -1 if the newest exchange takes more, because the view will move."""
    newest = entries[last_exchange(entries) :]
    return spare if spare > 0 and spare >= sum(map(weight, newest)) else -1
