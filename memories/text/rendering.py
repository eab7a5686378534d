"""Writes views: as a transcript, as chat messages, as a request that can be sent."""

import re
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memzoo.errors import OverBudgetError
from memzoo.memories.options import whole_number
from memzoo.memories.text.messages import Labels, as_sent, sendable
from memzoo.memories.text.view import Cleared, Shown, View, in_words
from memzoo.stores import Entry, Message
from memzoo.stores.common import copied

if TYPE_CHECKING:
    from memzoo.memories.text.tokens import TokenCounter

__all__ = ["Renderer", "system_message"]

_DAY = re.compile(r"^(?=\[\w{2,20}, \d{1,2} \w{2,20} \d{4}\])", re.MULTILINE)


class Renderer:
    """Turns views into text, chat messages or requests; each message of the log is rendered and counted once.

    Args:
        labels: Names the speakers of transcripts.
        counter: Gives the counter of tokens, which is asked for when something is to be counted.
        lines: Keeps rendered lines by log number.
        tokens: Keeps token counts by log number.
    """

    def __init__(
        self,
        labels: Labels,
        counter: "Callable[[], TokenCounter]",
        lines: MutableMapping[int, str],
        tokens: MutableMapping[int, int],
    ) -> None:
        self.labels = labels
        self._counter = counter
        self._lines = lines
        self._tokens = tokens
        self._newest: tuple[Sequence[Entry], str] = ((), "")

    def text(self, view: View) -> str:
        """Write a view as text: the system message, what is recalled, then the transcript."""
        recalled: Sequence[str] = view.recalled
        if view.summary_as_turn:
            recalled = [self.labels.line(system_message(text)) for text in view.texts]
        system = [self.line(view.system)] if view.system else []
        return "\n".join([part for part in (*system, *recalled, self.transcript(view.entries)) if part])

    def messages(self, view: View) -> list[Message]:
        """Write a view as chat messages: the system message, one for each recalled text, then what can be sent."""
        return self._whole(view, view.recalled)

    def request(self, view: View, max_tokens: int | None = None) -> list[Message]:
        """Write a view as chat messages that a provider accepts: system messages first, tool calls with their results.

        Args:
            view: What is to be sent.
            max_tokens: Tokens that all of it may have: the newest messages that fit, by the rules of `text.eviction`.

        Raises:
            OptionError: The limit is no whole number of at least 1.
            OverBudgetError: What must not go is over the limit.
        """
        whole = self._whole(view, view.texts)
        return whole if max_tokens is None else self._fitting(whole, view, max_tokens)

    def shown(self, view: View, max_tokens: int | None = None) -> Shown:
        """As `request`, for the caller to keep, with the entry of the log that each message is."""
        entries, system = view.entries, view.system
        view = replace(view, entries=list(map(_as_sent, entries)), system=system and _as_sent(system))
        pairs = zip([*view.entries, view.system], [*entries, system], strict=True)
        of_log = {id(sent.message): one for sent, one in pairs if sent and one and one.seq > 0}
        request = self.request(view, max_tokens)
        return Shown(copied(request), [of_log.get(id(message)) for message in request], view.pinned)

    def _whole(self, view: View, texts: Iterable[str]) -> list[Message]:
        system = [view.system.message] if view.system else []
        said = view.messages if view.final else sendable(view.messages)
        return [*system, *map(system_message, texts), *said]

    def _fitting(self, request: Sequence[Message], view: View, max_tokens: int) -> list[Message]:
        from memzoo.memories.text.eviction import Weighed, fitted

        whole_number("max_tokens", max_tokens, at_least=1)
        known = {id(entry.message): self.tokens(entry) for entry in (*view.entries, *filter(None, [view.system]))}
        weighed = (
            Weighed(place, message, known[id(message)] if id(message) in known else self.count(message))
            for place, message in enumerate(request)
        )
        pinned = {id(entry.message) for entry in view.entries if entry.seq in view.pinned}
        places = {place for place, message in enumerate(request) if id(message) in pinned}
        left = fitted(weighed, max_tokens, pinned=places)
        if left.size > max_tokens:
            what = ", the pinned messages" if places else ""
            raise OverBudgetError.of(f"the system messages{what} and the newest user message", left.size, max_tokens)
        return [one.message for one in left.kept]

    def transcript(self, entries: Sequence[Entry]) -> str:
        """Write entries as a transcript, oldest first."""
        known, text = self._newest
        # Whoever shows everything shows at each load what was shown before, and a little more.
        if known and entries[: len(known)] == known:
            text = "\n".join([text, *map(self.line, entries[len(known) :])])
        else:
            text = self.lines(entries)
        self._newest = entries, text
        return text

    def line(self, entry: Entry) -> str:
        """Write an entry as a turn of a transcript."""
        line = self._lines.get(_key(entry))
        if line is None:
            line = self.labels.line(entry.message)
            _keep(self._lines, entry, line)
        return line

    def tokens(self, entry: Entry) -> int:
        """Count the tokens of an entry's message."""
        tokens = self._tokens.get(_key(entry))
        if tokens is None:
            tokens = self._counter()(entry.message)
            _keep(self._tokens, entry, tokens)
        return tokens

    def count(self, message: Message) -> int:
        """Count the tokens of a message that need not be in the log."""
        return self._counter()(message)

    def text_tokens(self, text: str) -> int:
        """Count the tokens of a text that is shown as a system message."""
        return self.count(system_message(text))

    def lines(self, entries: Iterable[Entry]) -> str:
        """Write entries as a transcript, oldest first; as they are in the log, not shortened for a prompt."""
        return "\n".join(map(self.line, entries))

    def dated_lines(self, entries: Iterable[Entry]) -> str:
        """Write entries as a transcript with a line before the messages of each day, "[Friday, 8 May 2026]"."""
        lines, before = list[str](), None
        for entry in entries:
            if (day := entry.created_at.date()) != before:
                lines.append(f"[{day:%A}, {in_words(day)}]")
                before = day
            # Nobody can make up a day: what looks like one in a message is quoted.
            lines.append(_DAY.sub("> ", self.labels.line(entry.message)))
        return "\n".join(lines)

    def lines_of(self, messages: Iterable[Message]) -> str:
        """Write messages that need not be in the log as a transcript, oldest first."""
        return "\n".join(map(self.labels.line, messages))


def system_message(text: str) -> Message:
    """Make a system message of a text."""
    return {"role": "system", "content": text}


def _as_sent(entry: Entry) -> Entry:
    message = as_sent(entry.message)
    return entry if message is entry.message else replace(entry, message=message)


def _keep(known: MutableMapping[int, Any], entry: Entry, value: object) -> None:
    # Numbers below 1 are not those of the log: they may come to mean another message.
    if entry.seq > 0:
        known[_key(entry)] = value


def _key(entry: Entry) -> int:
    """Under what the line and the tokens of an entry are kept: a result that is shown as a line has others."""
    return -entry.seq if type(entry) is Cleared else entry.seq
