"""Explains a view: the searches made for it, the tokens of each message, and the messages left out.

Each search calls `report` with its results. The results are kept only inside a `with watch()` block.
"""

import contextlib
import functools
import itertools
import json
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from memzoo.memories.text.framing import in_frame
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Kind
from memzoo.stores import Entry

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory
    from memzoo.memories.text.view import View

_LONGEST = 80
_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True)
class ShownText:
    """A message in the view.

    Attributes:
        kind: "system" for the system message, "recalled" for a text that the memory derived or found, "pinned" for a
            pinned message, "message" for any other message in the log.
        tokens: The number of tokens in the message.
        number: The message's log number; `None` for a message that is not in the log.
        text: The message's text.
        role: The message's role in the request.
    """

    kind: Kind
    tokens: float
    number: int | None
    text: str
    role: str = "system"


@dataclass(frozen=True, slots=True)
class Find:
    """A result of a search.

    Attributes:
        by: The kind of search, such as "words" or "names".
        what: The log number of the message found, or the text found.
        score: The score; higher is better. Scores are comparable within one kind of search only.
        shown: True if the view shows the result.
        text: The text of the result, even if `what` is a log number.
    """

    by: str
    what: int | str
    score: float
    shown: bool
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A message in the log that the view does not show word for word.

    Attributes:
        number: The message's log number.
        reason: The reason for leaving the message out.
        text: The message's text.
    """

    number: int
    reason: Literal["found, but no room", "not found", "learnt from", "older than what is shown", "not shown"]
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation of a memory's view; `str` returns the explanation as text.

    Attributes:
        strategy: The strategy's name.
        query: The text to search for; `None` if the strategy does not search.
        limit: The maximum number of tokens in the view; `None` if no limit applies to the whole view.
        shown: The messages of the view, in order.
        finds: The results of the searches, search by search, best first.
        left_out: The messages in the log that are not shown, oldest first.
        waiting: The number of messages that the strategy has not learnt from yet; 0 if the strategy needs no model.
    """

    strategy: str
    query: str | None
    limit: int | None
    shown: tuple[ShownText, ...]
    finds: tuple[Find, ...]
    left_out: tuple[LeftOut, ...]
    waiting: int = 0

    @property
    def tokens(self) -> int:
        """The number of tokens in the whole view."""
        return round(sum(one.tokens for one in self.shown))

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        values: dict[str, Any] = json.loads(json.dumps({**asdict(self), "tokens": self.tokens}))
        return values

    def __str__(self) -> str:
        """Return the explanation as text: a line for each message shown, found or left out; recalled texts in full."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        room = "" if self.limit is None else f" of {self.limit}"
        asked = "" if self.query is None else f" for {_short(self.query)!r}"
        messages = f"{len(self.shown)} message{'' if len(self.shown) == 1 else 's'}"
        yield f"{self.strategy} shows {messages}, {self.tokens}{room} tokens{asked}"
        if self.shown:
            yield "Shown:"
        for piece in self.shown:
            head = f"  {'-' if piece.number is None else piece.number}  {piece.kind}  {piece.tokens:.0f} tokens"
            if piece.kind == "recalled":
                yield "\n      ".join([head, *in_frame(piece.text).splitlines()])
            else:
                yield f"{head}  {_short(piece.text)}"
        if self.query is not None and not self.finds:
            yield "Found:\n  nothing"
        # Scores are comparable only within one kind of search.
        for by, found in itertools.groupby(self.finds, key=lambda one: one.by):
            yield f"Found by {by}, best first:"
            yield from _write_finds([*found])
        if self.left_out:
            yield "Left out:"
        for one in self.left_out:
            yield f"  {one.number}  {one.reason}  {_short(one.text)}"
        if self.waiting:
            yield f"Messages not learnt from yet: {self.waiting}"


def _write_finds(finds: Sequence[Find]) -> Iterator[str]:
    """Yield a line for each result, with enough digits to tell different scores apart."""
    scores, digits = {one.score for one in finds}, 2
    while digits < _MOST_DIGITS and len({f"{score:.{digits}f}" for score in scores}) < len(scores):
        digits += 1
    for one in finds:
        number = f"{one.what}  " if isinstance(one.what, int) else ""
        yield f"  {one.score:.{digits}f}  {'shown' if one.shown else 'left out'}  {number}{_short(one.text)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 4]} ..."


@dataclass
class Searches:
    """The searches made for a view.

    Attributes:
        found: A pair for each search: the kind of search, and a dict from result to score, best first.
        of_messages: True if the messages in the log were searched.
    """

    found: list[tuple[str, dict[Any, float]]] = field(default_factory=list[tuple[str, dict[Any, float]]])
    of_messages: bool = False


_watching: ContextVar[Searches | None] = ContextVar("memzoo_searches", default=None)


def report(by: str, scores: Iterable[tuple[int | str, float]], *, of_messages: bool = False) -> None:
    """Report the results of a search, for the explanation of a view. Outside a `with watch()` block, this does nothing.

    Args:
        by: The kind of search, such as "words" or "names".
        scores: The results with their scores, best first. A result is the log number of a message, or a text.
        of_messages: True if the messages in the log were searched.
    """
    if told := _watching.get():
        told.found.append((by, dict(scores)))
        told.of_messages |= of_messages


@contextlib.contextmanager
def watch() -> Generator[Searches]:
    """Return a context manager that collects the results of all searches in a `with` block."""
    token = _watching.set(told := Searches())
    try:
        yield told
    finally:
        _watching.reset(token)


async def explain_view(
    memory: "BaseMemory", told: Searches, view: "View", query: str | None, max_tokens: int | None
) -> Explanation:
    """Return the explanation of a view; see `BaseMemory.aexplain`.

    `told` holds the searches made for the view. `query` is `None` if the memory does not search.
    """
    sent = memory.render.show(view, max_tokens)
    # A summary may be shown with the messages without counting towards the messages' limit.
    beside = bool(view.recalled) and not getattr(memory, "count_summary", True)
    learner = next((one for one in memory.learners if one.hooks is memory), None)
    limit = max_tokens or getattr(memory, "max_token_limit", None)
    # In a view with messages, this limit may apply to the derived texts only.
    if not isinstance(limit, int) or (
        not max_tokens and (beside or (learner and view.entries and learner.rules.message_limit is None))
    ):
        limit = None
    entries = await memory.log.cached.read(until=memory.log.until)
    said = {entry.seq: text_of(entry.message) for entry in entries}
    count, seqs = memory.render.counter, [one.entry.seq if one.entry else None for one in sent.pieces]
    shown = tuple(
        ShownText(piece.kind, count(message), seq, text_of(message), message["role"])
        for message, piece, seq in zip(sent, sent.pieces, seqs, strict=True)
    )
    numbers = {one.number for one in shown} | {passage.seq for passage in view.passages}
    finds = tuple(_finds(told.found, numbers, said, shown))
    numbers |= {find.what for find in finds if find.shown and isinstance(find.what, int)}
    learnt = (await learner.refresh()).watermark if learner else 0
    hidden = {find.what for find in finds if not find.shown}
    first = min((one.seq for one in view.entries), default=0)
    reason = functools.partial(_reason, first, hidden, learnt, of_messages=told.of_messages)
    missing = (entry for entry in entries if entry.seq not in numbers)
    left_out = tuple(LeftOut(one.seq, reason(one), said[one.seq]) for one in missing)
    waiting = sum(entry.seq > learnt for entry in entries) if learner and learner.rules.shows_waiting else 0
    return Explanation(memory.name, query, limit, shown, finds, left_out, waiting)


def _finds(
    searches: Sequence[tuple[str, dict[Any, float]]],
    numbers: Container[object],
    said: Mapping[int, str],
    shown: Sequence[ShownText],
) -> Iterable[Find]:
    """Yield the results of searches. A result is marked as shown if its message or its text is in the view."""
    texts = "\n".join(one.text for one in shown)
    for by, scores in searches:
        for what, score in scores.items():
            text = said.get(what, "") if isinstance(what, int) else str(what)
            yield Find(by, what, float(score), what in numbers or _is_told(text, texts), text)


def _is_told(text: str, texts: str) -> bool:
    """Tell whether texts contain a text, either whole or as part of the texts under the same label, such as a name."""
    label, _, said = text.partition(": ")
    return bool(text) and (text in texts or bool(said and said in texts and f"{label}: " in texts))


def _reason(first: int, found: Container[object], learnt: int, entry: Entry, *, of_messages: bool) -> Any:
    """Return the reason why a message is not shown. `first` is the log number of the first message shown."""
    if of_messages:
        return "found, but no room" if entry.seq in found else "not found"
    if entry.seq <= learnt:
        return "learnt from"
    return "older than what is shown" if entry.seq < first else "not shown"
