"""Writes views as a transcript, as chat messages, or as a sendable request."""

import itertools
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from memzoo.errors import OverBudgetError
from memzoo.forks import cached_property
from memzoo.memories.options import whole_number
from memzoo.memories.text.days import UNKNOWN_DAY, WEEKDAYS, in_words
from memzoo.memories.text.eviction import fit_pieces, make_fitting
from memzoo.memories.text.families import ANY, Family, family_of
from memzoo.memories.text.framing import disarm
from memzoo.memories.text.grouping import is_answer, is_instruction, kind_of
from memzoo.memories.text.messages import Labels, find_sendable, is_empty
from memzoo.memories.text.order import lead_with, make_request, tell_calls_apart
from memzoo.memories.text.thoughts import as_counted
from memzoo.memories.text.view import Cleared, Piece, Shown, View
from memzoo.stores import Entry, Message
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.text.tokens import TokenCounter

_seq = attrgetter("seq")

RecalledRole: TypeAlias = Literal["system", "developer", "user"]
"""The role of recalled texts. With "user", the texts are framed, to mark them as records."""

RecalledPlace: TypeAlias = Literal["before", "after"]
"""The place of recalled texts: before all messages, or between the answered and the unanswered messages."""


@dataclass(eq=False, repr=False)
class Renderer:
    """Turns views into text, chat messages or requests. Each message of the log is rendered and counted once.

    Attributes:
        labels: The labels of speakers in transcripts.
        make_counter: Makes the token counter; called once, at the first count.
        known_lines: The cache for rendered lines, a dict from log number to line.
        known_tokens: The cache for token counts, a dict from log number to count.
        role: The role of recalled texts; by default "system" for derived texts, and "user" for found texts.
        place: The position of recalled texts: before all messages, or after the last answer.
        model: Returns the name of the model that gets the requests; "" if unknown.
    """

    labels: Labels
    make_counter: "Callable[[], TokenCounter]"
    known_lines: MutableMapping[int, str]
    known_tokens: MutableMapping[int, float]
    role: RecalledRole | None = field(default=None, kw_only=True)
    place: RecalledPlace = field(default="before", kw_only=True)
    model: Callable[[], str] = field(default=str, kw_only=True)

    def __post_init__(self) -> None:
        self._is_first = self.place == "before"
        self._counted_by = ""
        self._frame: tuple[str | None, int] = None, 0
        self._newest: tuple[Sequence[Entry], str] = ((), "")
        self._counted: tuple[str, Sequence[Entry], float] = "", (), 0

    @cached_property
    def counter(self) -> "TokenCounter":
        """The token counter for messages."""
        return self.make_counter()

    def text(self, view: View) -> str:
        """Return a view as text: the system message, the recalled texts and the transcript."""
        recalled: Sequence[str] = [*view.recalled, *view.quotes]
        if view.summary_as_turn:
            recalled = [self.labels.line({"role": "system", "content": text}) for text in view.texts]
        system = [self.line(view.system)] if view.system else []
        if self._is_first:
            parts = [*system, *recalled, self.transcript(view.entries)]
        else:
            start = self._open(view.messages)
            parts = [*system, self.lines(view.entries[:start]), *recalled, self.lines(view.entries[start:])]
        return "\n".join(filter(None, parts))

    def messages(self, view: View) -> list[Message]:
        """Return a view as chat messages: the system message, the recalled texts, and the messages."""
        return [one.sent for one in self._place(self._say(view), self._recall(view.recalled, view.quotes))]

    def show(self, view: View, max_tokens: int | None = None, *, only_pieces: bool = False) -> Shown:
        """Return a view as messages: system messages first, tool calls with their results.

        The messages are copies.

        Args:
            view: The view to send.
            max_tokens: The maximum number of tokens. The newest messages that fit are kept, by the rules of
                `text.eviction`.
            only_pieces: True to return no messages, but only their pieces (`Shown.pieces`), as `request` needs them.

        Raises:
            OptionError: The limit is not a whole number of at least 1.
            OverBudgetError: The messages that must stay exceed the limit.
        """
        facts = ["\n".join(view.derived)] if view.derived else []
        pieces = self._place(self._say(view), self._recall(facts, view.quoted))
        if max_tokens is not None:
            whole_number("max_tokens", max_tokens, at_least=1)
            fitting, size = fit_pieces(pieces, max_tokens, lambda piece: self._weigh(piece, ANY))
            if size > max_tokens:
                raise self._over_budget(pieces, size, max_tokens)
            pieces = fitting
        # With a limit, each turn leaves out other messages of the request.
        room = view.find_room() if max_tokens is None else -1
        stable = _stable(view, pieces, room, texts_first=self._is_first)
        if only_pieces and self._is_first and not (view.texts_stay or view.texts):
            first = self._make_recalled("", is_quoted=view.notes is not None)
            # In a request, the first text may join the system message.
            stable -= is_instruction(first.message)
        messages = () if only_pieces else copy_json([one.sent for one in pieces])
        return Shown(messages, pieces, stable_upto=stable, room=0 if room == -1 else room)

    def family(self, given: Family | str | None) -> Family:
        """Return the given family of endpoints, or else the family of the model."""
        return family_of(self.model(), given=given)

    def request(
        self, shown: Shown, ends: Sequence[Piece], system: str, family: Family, max_tokens: int | None
    ) -> Shown:
        """Return the whole request for a view.

        Args:
            shown: The result of `show`.
            ends: The pieces to send after the view: the question, or the turn so far.
            system: The application's system text; "" for none.
            family: The family of the endpoint.
            max_tokens: The maximum number of tokens in the request.

        Raises:
            OptionError: The limit is not a whole number of at least 1, or the system text is not a string.
            OverBudgetError: The messages that must stay exceed the limit.
        """
        pieces = lead_with(system, [*shown.pieces, *ends])
        stable = shown.stable_upto + len(pieces) - len(shown.pieces) - len(ends)
        if max_tokens is None:
            return make_request(pieces, family, stable=stable, room=shown.room)
        whole_number("max_tokens", max_tokens, at_least=1)

        def make(bound: float) -> tuple[Shown, float]:
            left, _ = fit_pieces(pieces, bound, lambda piece: self._weigh(piece, family))
            request = make_request(left, family, stable=int(bool(system)))
            return request, sum(map(self.counter, map(as_counted, request)))

        request = make_fitting(make, max_tokens)
        if request is None:
            raise self._over_budget(pieces, make(0)[1], max_tokens)
        return request

    def _say(self, view: View) -> list[Piece]:
        if view.final:
            entries = [one for one in view.entries if not is_empty(one.message)]
        else:
            entries = [view.entries[place] for place in find_sendable(view.messages)]
        messages = tell_calls_apart([one.message for one in entries])
        pieces = [
            Piece(message, "pinned" if one.seq in view.pinned else "message", one if one.seq > 0 else None)
            for one, message in zip(entries, messages, strict=True)
        ]
        return [Piece(view.system.message, "system", view.system), *pieces] if view.system else pieces

    def _recall(self, derived: Iterable[str], quoted: Iterable[str]) -> list[Piece]:
        voices = [*((text, False) for text in derived), *((text, True) for text in quoted)]
        return [self._make_recalled(text, is_quoted=is_quoted) for text, is_quoted in voices]

    def _make_recalled(self, text: str, *, is_quoted: bool) -> Piece:
        role = self.role or ("user" if is_quoted else "system")
        return Piece({"role": role, "content": text}, "recalled", is_late=not self._is_first)

    def _place(self, said: list[Piece], recalled: list[Piece]) -> list[Piece]:
        messages = [one.message for one in said]
        place = _talk_begins(messages) if self._is_first else self._open(messages)
        return [*said[:place], *recalled, *said[place:]]

    def _open(self, messages: Sequence[Message]) -> int:
        """Return the position of the first unanswered message: the position after the newest answer."""
        answers = (place for place, message in enumerate(messages, 1) if is_answer(message))
        return max(answers, default=_talk_begins(messages))

    def _weigh(self, piece: Piece, family: Family) -> float:
        if piece.entry and not family.returns:
            return self.tokens(piece.entry)
        return self.counter(as_counted(piece.sent_to(family)))

    @staticmethod
    def _over_budget(pieces: Iterable[Piece], size: float, max_tokens: int) -> OverBudgetError:
        what = ", the pinned messages" if any(one.kind == "pinned" for one in pieces) else ""
        return OverBudgetError.of(f"the system messages{what} and the newest user message", size, max_tokens)

    def transcript(self, entries: Sequence[Entry]) -> str:
        """Return the same text as `lines`, but faster if most of the lines were in the previous transcript."""
        known, text = self._newest
        if known == entries:
            return text
        # Most transcripts repeat the one before, without some of its first lines and with a few new lines.
        gone = bisect_left(known, entries[0].seq, key=_seq) if entries else len(known)
        if (kept := known[gone:] if gone else known) and entries[: len(kept)] == kept:
            start = len(self.lines(known[:gone])) + 1 if gone else 0
            text = "\n".join([text[start:], *map(self.line, entries[len(kept) :])])
        else:
            text = self.lines(entries)
        self._newest = entries, text
        return text

    def line(self, entry: Entry) -> str:
        """Return an entry as a line of a transcript."""
        line = self.known_lines.get(key := _key(entry))
        if line is None:
            line = self.labels.line(entry.message)
            if key:
                self.known_lines[key] = line
        return line

    def tokens(self, entry: Entry) -> float:
        """Count the tokens of an entry's message."""
        if self._counted_by != (counted_by := self.counter.name):
            self.known_tokens.clear()
            self._counted_by = counted_by
        tokens = self.known_tokens.get(key := _key(entry))
        if tokens is None:
            tokens = self.counter(entry.message)
            if key:
                self.known_tokens[key] = tokens
        return tokens

    def total(self, entries: Sequence[Entry]) -> float:
        """Count the tokens of several entries' messages.

        If the entries begin with those of the previous call, the previous total is reused, and only the others are
        counted.
        """
        counted_by, known, tokens = self._counted
        if counted_by != self.counter.name or entries[: len(known)] != known:
            known, tokens = (), 0
        tokens += sum(map(self.tokens, entries[len(known) :]))
        self._counted = self.counter.name, entries, tokens
        return tokens

    def count_recalled(self, text: str, *, quoted: bool) -> int:
        """Count the tokens of a recalled text and its frame, if any. `quoted` is true for a found text."""
        return round(self.counter(self._make_recalled(text, is_quoted=quoted).sent))

    def count_found(self, text: str) -> int:
        """Count the tokens of a found text, escaped for the frame, but without the frame."""
        return self.counter.of_text(disarm(text) if self.role in (None, "user") else text)

    @property
    def frame_tokens(self) -> int:
        """The number of tokens that the frame and the message around it add to found texts."""
        if self._frame[0] != (counted_by := self.counter.name):
            self._frame = counted_by, self.count_recalled("-", quoted=True) - self.counter.of_text("-")
        return self._frame[1]

    def lines(self, entries: Iterable[Entry]) -> str:
        """Return entries as a transcript, oldest first."""
        return "\n".join(map(self.line, entries))

    def dated_lines(self, entries: Iterable[Entry]) -> str:
        """Return entries as a transcript, with a heading such as "[Friday, 8 May 2026]" before each day's messages.

        Messages of an unknown day get the heading "[Day unknown]", unless they come first.
        """
        lines, before = list[str](), None
        for entry in entries:
            day = entry.said_at.date() if entry.said_at else None
            if day != before:
                lines.append(f"[{WEEKDAYS[day.weekday()]}, {in_words(day)}]" if day else f"[{UNKNOWN_DAY}]")
                before = day
            lines.append(self.line(entry))
        return "\n".join(lines)


def _talk_begins(messages: Iterable[Message]) -> int:
    return sum(1 for _ in itertools.takewhile(is_instruction, messages))


def _stable(view: View, pieces: Sequence[Piece], room: int | None, *, texts_first: bool) -> int:
    """Return the number of pieces at the beginning that the next request repeats, if new messages fit the room."""
    stays = room is None or room >= 0
    sent = {one.entry.seq for one in pieces if one.entry}
    # A call without results is left out now. Once its results come, the call is shown, and later messages move.
    waiting = (one.seq for one in view.entries if one.seq not in sent and kind_of(one.message) == "calls")
    end = min(waiting, default=sys.maxsize)
    # New texts before the messages move the messages; new messages move the texts after the messages.
    still = stays and (view.texts_stay or not texts_first)
    for place, piece in enumerate(pieces):
        if piece.kind == "recalled":
            holds = still and texts_first
        elif not is_instruction(piece.message):
            holds = still and view.shows_newest and (piece.entry.seq if piece.entry else 0) < end
        else:
            holds = True  # The system message.
        if not holds:
            return place
    return len(pieces)


def _key(entry: Entry) -> int:
    """Return the cache key for an entry's line and tokens; a cleared tool result has a key of its own.

    Entries with key 0 are not cached: shortened entries, and entries outside the log, whose numbers (below 1) may be
    used again for other messages.
    """
    if type(entry) is Entry and entry.seq > 0:
        return entry.seq
    return -max(entry.seq, 0) if type(entry) is Cleared else 0
