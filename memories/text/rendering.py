"""Writes views as a transcript, as chat messages, or as a sendable request."""

import sys
from collections.abc import Callable, Collection, Iterable, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from memzoo.errors import OverBudgetError
from memzoo.memories.options import whole_number
from memzoo.memories.text.days import UNKNOWN_DAY, WEEKDAYS, in_words
from memzoo.memories.text.grouping import is_answer, is_instruction
from memzoo.memories.text.messages import Labels, as_sent, sendable
from memzoo.memories.text.view import Cleared, Shortened, Shown, View
from memzoo.stores import Entry, Message
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.text.tokens import TokenCounter

__all__ = ["RecalledPlace", "RecalledRole", "Renderer", "system_message"]

RecalledRole: TypeAlias = Literal["system", "developer", "user"]
"""The role of recalled texts. With "user", the texts are framed, to mark them as records."""

RecalledPlace: TypeAlias = Literal["before", "after"]
"""The place of recalled texts: before all messages, or between the answered and the unanswered messages."""


class Renderer:
    """Turns views into text, chat messages or requests; each message of the log is rendered and counted once.

    Args:
        labels: The labels of speakers in transcripts.
        counter: Returns the token counter; called for each count.
        lines: A cache of rendered lines, by log number.
        tokens: A cache of token counts, by log number.
        role: The role of recalled texts; by default "system" for derived texts, and "user" for found texts.
        place: The place of recalled texts: before all messages, or after the answered messages.
    """

    def __init__(
        self,
        labels: Labels,
        counter: "Callable[[], TokenCounter]",
        lines: MutableMapping[int, str],
        tokens: MutableMapping[int, int],
        *,
        role: RecalledRole | None = None,
        place: RecalledPlace = "before",
    ) -> None:
        self.labels = labels
        self._role: RecalledRole | None = role
        self._is_first = place == "before"
        self._counter = counter
        self._lines = lines
        self._tokens = tokens
        self._counted_by = ""
        self._frame: tuple[str | None, int] = None, 0
        self._newest: tuple[Sequence[Entry], str] = ((), "")
        self._counted: tuple[str, Sequence[Entry], int] = "", (), 0

    def text(self, view: View) -> str:
        """Return a view as text: the system message, the recalled texts and the transcript, in the configured order."""
        recalled: Sequence[str] = [*view.recalled, *view.quotes]
        if view.summary_as_turn:
            recalled = [self.labels.line(system_message(text)) for text in view.texts]
        system = [self.line(view.system)] if view.system else []
        if self._is_first:
            parts = [*system, *recalled, self.transcript(view.entries)]
        else:
            start = self._open(view.messages)
            parts = [*system, self.lines(view.entries[:start]), *recalled, self.lines(view.entries[start:])]
        return "\n".join(filter(None, parts))

    def messages(self, view: View) -> list[Message]:
        """Return a view as chat messages: the system message, a message for each recalled text, sendable messages."""
        return self._place(self._say(view), self._recall(view.recalled, view.quotes))

    def show(self, view: View, max_tokens: int | None = None) -> Shown:
        """Return a view as messages that a provider accepts: system messages first, tool calls with their results.

        The messages are copies; the list also has the messages' log entries.

        Args:
            view: The view to send.
            max_tokens: The most tokens of all messages. The newest messages that fit are kept, by the rules of
                `text.eviction`.

        Raises:
            OptionError: The limit is not a whole number of at least 1.
            OverBudgetError: The messages that must stay exceed the limit.
        """
        entries, system = view.entries, view.system
        view = replace(view, entries=list(map(_as_sent, entries)), system=system and _as_sent(system))
        pairs = zip([*view.entries, view.system], [*entries, system], strict=True)
        of_log = {id(sent.message): one for sent, one in pairs if sent and one and one.seq > 0}
        request, recalled = self._request(view, max_tokens)
        made = set(map(id, recalled))
        places = {place for place, message in enumerate(request) if id(message) in made}
        shown = [of_log.get(id(message)) for message in request]
        # With a limit, each turn leaves out other messages of the request.
        room = view.find_room() if max_tokens is None else -1
        stable = _stable(view, request, places, room, texts_first=self._is_first)
        spare = 0 if room == -1 else room
        return Shown(copy_json(request), shown, view.pinned, recalled=places, stable_upto=stable, room=spare)

    def _request(self, view: View, max_tokens: int | None) -> tuple[list[Message], list[Message]]:
        """Return the whole request, and the recalled messages of the request."""
        said, recalled = self._say(view), self._recall(view.derived, view.quoted)
        if max_tokens is not None:
            said = self._fit(said, recalled, view, max_tokens)
        return self._place(said, recalled), recalled

    def _say(self, view: View) -> list[Message]:
        system = [view.system.message] if view.system else []
        return [*system, *(view.messages if view.final else sendable(view.messages))]

    def _recall(self, derived: Iterable[str], quoted: Iterable[str]) -> list[Message]:
        return [
            *(self._make_recalled(text, self._voice(quoted=False)) for text in derived),
            *(self._make_recalled(text, self._voice(quoted=True)) for text in quoted),
        ]

    def _voice(self, *, quoted: bool) -> RecalledRole:
        return self._role or ("user" if quoted else "system")

    def _make_recalled(self, text: str, role: RecalledRole) -> Message:
        if role == "user":
            from memzoo.memories.text.framing import frame_text

            text = frame_text(text)
        return {"role": role, "content": text}

    def _place(self, said: list[Message], recalled: list[Message]) -> list[Message]:
        if not recalled:
            return said
        place = _talk_begins(said) if self._is_first else self._open(said)
        return [*said[:place], *recalled, *said[place:]]

    def _open(self, messages: Sequence[Message]) -> int:
        """Return the position of the first unanswered message: the position after the newest answer."""
        answers = (place for place, message in enumerate(messages, 1) if is_answer(message))
        return max(answers, default=_talk_begins(messages))

    def _fit(self, said: Sequence[Message], recalled: Sequence[Message], view: View, max_tokens: int) -> list[Message]:
        from memzoo.memories.text.eviction import Weighed, fit_messages

        whole_number("max_tokens", max_tokens, at_least=1)
        known = {id(entry.message): self.tokens(entry) for entry in (*view.entries, *filter(None, [view.system]))}
        weighed = (
            Weighed(place, message, known[id(message)] if id(message) in known else self.count(message))
            for place, message in enumerate(said)
        )
        pinned = {id(entry.message) for entry in view.entries if entry.seq in view.pinned}
        places = {place for place, message in enumerate(said) if id(message) in pinned}
        besides = sum(map(self.count, recalled))
        left = fit_messages(weighed, max_tokens - besides, pinned=places)
        if left.size + besides > max_tokens:
            what = ", the pinned messages" if places else ""
            what = f"the system messages{what} and the newest user message"
            raise OverBudgetError.of(what, left.size + besides, max_tokens)
        return [one.message for one in left.kept]

    def transcript(self, entries: Sequence[Entry]) -> str:
        """Return entries as a transcript, oldest first."""
        known, text = self._newest
        # A memory that shows everything repeats the previous transcript at each load, with a few new lines.
        if known and entries[: len(known)] == known:
            text = "\n".join([text, *map(self.line, entries[len(known) :])])
        else:
            text = self.lines(entries)
        self._newest = entries, text
        return text

    def line(self, entry: Entry) -> str:
        """Return an entry as a turn of a transcript."""
        line = self._lines.get(key := _key(entry))
        if line is None:
            line = self.labels.line(entry.message)
            if key:
                self._lines[key] = line
        return line

    def tokens(self, entry: Entry) -> int:
        """Count the tokens of an entry's message."""
        if self._counted_by != (counted_by := self.counted_by):
            self._tokens.clear()
            self._counted_by = counted_by
        tokens = self._tokens.get(key := _key(entry))
        if tokens is None:
            tokens = self._counter()(entry.message)
            if key:
                self._tokens[key] = tokens
        return tokens

    def total(self, entries: Sequence[Entry]) -> int:
        """Count the tokens of entries' messages; the last total is reused for entries counted before."""
        counted_by, known, tokens = self._counted
        if counted_by != self.counted_by or entries[: len(known)] != known:
            known, tokens = (), 0
        tokens += sum(map(self.tokens, entries[len(known) :]))
        self._counted = self.counted_by, entries, tokens
        return tokens

    def count(self, message: Message) -> int:
        """Count the tokens of a message that need not be in the log."""
        return self._counter()(message)

    def text_tokens(self, text: str) -> int:
        """Count the tokens of a text in a message."""
        return self._counter().of_text(text)

    def count_recalled(self, text: str, *, quoted: bool) -> int:
        """Count the tokens of a derived or found text as shown, including the frame if the text is framed."""
        return self.count(self._make_recalled(text, self._voice(quoted=quoted)))

    def count_found(self, text: str) -> int:
        """Count the tokens of a found text, escaped for the frame, without the frame."""
        if self._voice(quoted=True) == "user":
            from memzoo.memories.text.framing import disarm

            text = disarm(text)
        return self.text_tokens(text)

    @property
    def counted_by(self) -> str:
        """The name of the current token counter; counts by another counter are invalid."""
        return self._counter().name

    @property
    def frame_tokens(self) -> int:
        """The tokens around found texts: of their frame, and around their message."""
        if self._frame[0] != (counted_by := self.counted_by):
            self._frame = counted_by, self.count_recalled("-", quoted=True) - self.text_tokens("-")
        return self._frame[1]

    def lines(self, entries: Iterable[Entry]) -> str:
        """Return entries as a transcript, oldest first. Entries passed to `derive` are written unchanged."""
        return "\n".join(map(self.line, entries))

    def dated_lines(self, entries: Iterable[Entry]) -> str:
        """Return entries as a transcript, with a heading such as "[Friday, 8 May 2026]" before each day's messages.

        Messages of an unknown day have no heading at the beginning, and "[Day unknown]" after messages of a known day.
        """
        lines, before = list[str](), None
        for entry in entries:
            day = entry.said_at.date() if entry.said_at else None
            if day != before:
                lines.append(f"[{WEEKDAYS[day.weekday()]}, {in_words(day)}]" if day else f"[{UNKNOWN_DAY}]")
                before = day
            lines.append(self.line(entry))
        return "\n".join(lines)

    def lines_of(self, messages: Iterable[Message]) -> str:
        """Return messages as a transcript, oldest first; the messages need not be in the log."""
        return "\n".join(map(self.labels.line, messages))


def system_message(text: str) -> Message:
    """Return a text as a system message."""
    return {"role": "system", "content": text}


def _talk_begins(messages: Sequence[Message]) -> int:
    return next((place for place, message in enumerate(messages) if not is_instruction(message)), len(messages))


def _stable(
    view: View, request: Sequence[Message], recalled: Collection[int], room: int | None, *, texts_first: bool
) -> int:
    """Return the number of messages at the beginning that the next request repeats, if new messages fit the room."""
    stays = room is None or room >= 0
    said = {id(entry.message): entry.seq for entry in view.entries}
    sent = set(map(id, request))
    # A call without results is left out now. Once its results come, the call is shown, and later messages move.
    waiting = (one.seq for one in view.entries if id(one.message) not in sent and one.message["role"] == "assistant")
    end = min(waiting, default=sys.maxsize)
    # New texts before the messages move the messages; new messages move the texts after the messages.
    still = stays and (view.texts_stay or not texts_first)
    for place, message in enumerate(request):
        if place in recalled:
            holds = still and texts_first
        elif id(message) in said and not is_instruction(message):
            holds = still and view.shows_newest and said[id(message)] < end
        else:
            holds = True  # The system message.
        if not holds:
            return place
    return len(request)


def _as_sent(entry: Entry) -> Entry:
    message = as_sent(entry.message)
    return entry if message is entry.message else replace(entry, message=message)


def _key(entry: Entry) -> int:
    """Return the cache key for an entry's line and tokens; a cleared tool result has a key of its own.

    Entries with key 0 are not cached: shortened entries, and entries outside the log, whose numbers (below 1) may be
    used again for other messages.
    """
    if entry.seq < 1 or type(entry) is Shortened:
        return 0
    return -entry.seq if type(entry) is Cleared else entry.seq
