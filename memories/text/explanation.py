"""Explains a view: the searches behind it, the cost of each message, and the messages left out.

Searches `report` their results, which are dropped unless an explanation is under way (`watch`).
"""

import contextlib
import functools
import itertools
import json
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from memzoo.memories.text.framing import in_frame
from memzoo.memories.text.messages import as_sent, text_of
from memzoo.stores import Entry, Message

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory
    from memzoo.memories.text.tokens import TokenCounter
    from memzoo.memories.text.view import View

__all__ = ["Explanation", "Find", "Kind", "LeftOut", "Searches", "ShownText", "explain_view", "report", "watch"]

_LONGEST = 80
_MOST_DIGITS = 6

Kind: TypeAlias = Literal["system", "recalled", "message", "pinned"]


@dataclass(frozen=True, slots=True)
class ShownText:
    """A message in the view.

    Attributes:
        kind: The system message, a text that the strategy derived or found, a message of the log, or a pinned one.
        tokens: Its cost.
        number: Its number in the log; `None` if it is not in the log.
        text: Its text.
        role: Its role, as the model sees it.
    """

    kind: Kind
    tokens: int
    number: int | None
    text: str
    role: str = "system"


@dataclass(frozen=True, slots=True)
class Find:
    """A result of a search.

    Attributes:
        by: The kind of search.
        what: A message by its number in the log, or a text.
        score: Its fit, higher is better; to be compared within one kind of search only.
        shown: The view shows it.
        text: Its text.
    """

    by: str
    what: int | str
    score: float
    shown: bool
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A message of the log that is not shown word for word.

    Attributes:
        number: Its number.
        reason: The reason.
        text: Its text.
    """

    number: int
    reason: Literal["found, but no room", "not found", "learnt from", "older than what is shown", "not shown"]
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explains a view of a memory; `str` gives it as text.

    Attributes:
        strategy: The strategy's name.
        query: The query; `None` if the strategy does not search.
        limit: The most tokens of the view; `None` if it has no limit as a whole.
        shown: The messages of the view, in order.
        finds: The results of searches, each in its order.
        left_out: The messages of the log that are not shown, oldest first.
    """

    strategy: str
    query: str | None
    limit: int | None
    shown: tuple[ShownText, ...]
    finds: tuple[Find, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def tokens(self) -> int:
        """The tokens of the whole view."""
        return sum(one.tokens for one in self.shown)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        values: dict[str, Any] = json.loads(json.dumps({**asdict(self), "tokens": self.tokens}))
        return values

    def __str__(self) -> str:
        """All of it as text: a line for each message that is shown, found or left out, and all that is recalled."""
        told = [
            f"{name}:\n" + "\n".join("  " + "  ".join(row).replace("  \n", "\n") for row in rows)
            for name, rows in self._tables()
        ]
        return "\n".join([self._title(), *told])

    def _title(self) -> str:
        room = "" if self.limit is None else f" of {self.limit}"
        asked = "" if self.query is None else f" for {_short(self.query)!r}"
        messages = f"{len(self.shown)} message{'' if len(self.shown) == 1 else 's'}"
        return f"{self.strategy} shows {messages}, {self.tokens}{room} tokens{asked}"

    def _tables(self) -> list[tuple[str, list[list[str]]]]:
        shown = [[_number(one.number), one.kind, f"{one.tokens} tokens", _write_shown(one)] for one in self.shown]
        left_out = [[_number(one.number), one.reason, _short(one.text)] for one in self.left_out]
        found = (
            [("Found", [["nothing"]])] if self.query is not None and not self.finds else list(_find_tables(self.finds))
        )
        return [(name, rows) for name, rows in [("Shown", shown), *found, ("Left out", left_out)] if rows]


def _find_tables(finds: Iterable[Find]) -> Iterator[tuple[str, list[list[str]]]]:
    """A table for each way of looking, since scores can be compared within one only."""
    for by, some in itertools.groupby(finds, key=lambda one: one.by):
        found = [*some]
        scores = _write_scores([one.score for one in found])
        yield (
            f"Found by {by}, best first",
            [
                [score, "shown" if one.shown else "left out", *_write_find(one)]
                for score, one in zip(scores, found, strict=True)
            ],
        )


def _write_scores(scores: Sequence[float]) -> list[str]:
    """Write scores with as many digits as tell them apart."""
    written: list[str] = []
    for digits in range(2, _MOST_DIGITS + 1):
        written = [f"{score:.{digits}f}" for score in scores]
        if len({*written}) == len({*scores}):
            break
    return written


def _write_find(one: Find) -> list[str]:
    return [str(one.what), _short(one.text)] if isinstance(one.what, int) else [_short(one.text)]


def _write_shown(one: ShownText) -> str:
    """Write a message in a line, and a text that was recalled whole, without the frame around it."""
    if one.kind != "recalled":
        return _short(one.text)
    return "".join(f"\n      {line}" for line in in_frame(one.text).splitlines())


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 4]} ..."


def _number(number: int | None) -> str:
    return "-" if number is None else str(number)


@dataclass
class Searches:
    """The searches made for a view.

    Attributes:
        found: By kind of search, the results with their scores, best first.
        of_messages: Messages of the log were searched.
    """

    found: list[tuple[str, dict[Any, float]]] = field(default_factory=list[tuple[str, dict[Any, float]]])
    of_messages: bool = False


_watching: ContextVar[Searches | None] = ContextVar("memzoo_searches", default=None)


def report(by: str, scores: Iterable[tuple[int | str, float]], *, of_messages: bool = False) -> None:
    """Report the results of a search to the explanation under way, if any; otherwise the scores are not read.

    Args:
        by: The kind of search.
        scores: The results with their scores, best first: messages by number, or texts.
        of_messages: Messages of the log were searched.
    """
    if told := _watching.get():
        told.found.append((by, dict(scores)))
        told.of_messages |= of_messages


@contextlib.contextmanager
def watch() -> Generator[Searches]:
    """Hear of all searches in this block."""
    token = _watching.set(told := Searches())
    try:
        yield told
    finally:
        _watching.reset(token)


async def explain_view(
    memory: "BaseMemory", told: Searches, view: "View", query: str | None, max_tokens: int | None
) -> Explanation:
    """As `BaseMemory.aexplain`.

    Args:
        memory: The memory.
        told: Its searches while it made the view.
        view: The view.
        query: Its query; `None` if it does not search.
        max_tokens: See there.
    """
    sent = memory.render.show(view, max_tokens)
    # A summary may stand beside the messages without counting towards their limit.
    beside = bool(view.recalled) and not getattr(memory, "count_summary", True)
    limit = max_tokens or (None if beside else memory.message_limit)
    # Beside messages, the limit would be only for what was derived.
    if limit is None and not beside and not view.entries:
        limit = getattr(memory, "max_token_limit", None)
    entries = await memory.log.page()
    shown = tuple(_list_shown(sent, view, memory.counter))
    numbers = {one.number for one in shown} | {passage.seq for passage in view.passages}
    finds = tuple(_finds(told.found, numbers, {entry.seq: text_of(entry.message) for entry in entries}, shown))
    numbers |= {find.what for find in finds if find.shown and isinstance(find.what, int)}
    learnt = (await memory.known_state()).watermark
    hidden = {find.what for find in finds if not find.shown}
    reason = functools.partial(_reason, view, hidden, learnt, of_messages=told.of_messages)
    missing = (entry for entry in entries if entry.seq not in numbers)
    left_out = tuple(LeftOut(one.seq, reason(one), text_of(one.message)) for one in missing)
    return Explanation(memory.name, query, limit, shown, finds, left_out)


def _list_shown(sent: Sequence[Message], view: "View", counter: "TokenCounter") -> list[ShownText]:
    """List the messages sent, each with its origin; of equal messages, the newest are the ones that were kept."""
    numbers: dict[str, list[int]] = {}
    for entry in (*([view.system] if view.system else []), *view.entries):
        numbers.setdefault(_key(entry.message), []).append(entry.seq)
    system = view.system.seq if view.system else None
    shown: list[ShownText] = []
    for message in reversed(sent):
        known = numbers.get(_key(message))
        number = known.pop() if known else None
        kind: Kind = "recalled" if number is None else "system" if number == system else "message"
        if number in view.pinned:
            kind = "pinned"
        shown.append(ShownText(kind, counter(message), number, text_of(message), message["role"]))
    return shown[::-1]


def _finds(
    searches: Sequence[tuple[str, dict[Any, float]]],
    numbers: Container[object],
    said: Mapping[int, str],
    shown: Sequence[ShownText],
) -> Iterable[Find]:
    """Yield the results of searches, each marked as shown if it is a message of the view or within a text."""
    texts = "\n".join(one.text for one in shown)
    for by, scores in searches:
        for what, score in scores.items():
            text = said.get(what, "") if isinstance(what, int) else str(what)
            yield Find(by, what, float(score), what in numbers or _is_told(text, texts), text)


def _is_told(text: str, texts: str) -> bool:
    """Tell if texts contain a text, as it is or with others under the same label, such as a name."""
    label, _, said = text.partition(": ")
    return bool(text) and (text in texts or bool(said and said in texts and f"{label}: " in texts))


def _reason(view: "View", found: Container[object], learnt: int, entry: Entry, *, of_messages: bool) -> Any:
    """Return the reason why a message is not shown."""
    if of_messages:
        return "found, but no room" if entry.seq in found else "not found"
    if entry.seq <= learnt:
        return "learnt from"
    first = min((one.seq for one in view.entries), default=0)
    return "older than what is shown" if entry.seq < first else "not shown"


def _key(message: Message) -> str:
    # The log also keeps fields that are not sent.
    return json.dumps(as_sent(message), sort_keys=True)
