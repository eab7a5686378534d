"""Chooses the messages that fit a limit: memzoo's and LangChain4j's rules, and windows that move in steps."""

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Literal, TypeAlias, TypeVar

from memzoo.memories.text.grouping import group_messages, is_answer, is_instruction, kind_of
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Piece
from memzoo.stores import Message

T = TypeVar("T")

Evict: TypeAlias = Literal["message", "exchange"]
"""The unit of eviction: one message (a tool call with its results), or all messages up to the next user message."""

# In tokens; few messages of a chat are shorter. For longer messages, closer numbers are tried: with messages of 14, 28
# or 56 tokens, a window moves by nearly the whole step at once.
_SHORT_MESSAGE = 14
_FAR = 2**40  # more than any log has


@dataclass(frozen=True, slots=True)
class Weighed:
    """A message with its weight towards a limit.

    Attributes:
        number: The message's log number.
        message: The chat message.
        weight: The message's tokens, or 1 if the limit counts messages.
    """

    number: int
    message: Message
    weight: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages kept from a list.

    Attributes:
        kept: The kept messages, in the order for sending.
        size: The weight of the kept messages.
        settled: True if adding older messages to the list would not change the result.
        oldest_needed: The log number of the oldest message that may still be shown.
        room: The weight that can be added without evicting a kept message; below 0 if even the smallest addition may
            evict one.
    """

    kept: list[Weighed]
    size: float
    settled: bool
    oldest_needed: int
    room: int


def fit_messages(
    items: Iterable[Weighed],
    limit: float,
    *,
    evict: Evict = "message",
    steps: "Steps | None" = None,
    pinned: Container[int] = (),
    newest: int = 0,
    count: Callable[[int], int] = int,
) -> Fitted:
    """Return the newest messages that fit a limit.

    The oldest messages are evicted first; a tool call and its results are evicted together. Some messages are never
    evicted: system messages, pinned messages and the newest user message. While that user message has no answer, all
    messages after it stay too. If these messages alone exceed the limit, no others are kept. Without a user message,
    the newest message stays. Calls with a missing result, and results without a call, are always left out and do not
    count.

    Args:
        items: The messages, oldest first.
        limit: The maximum weight of the messages.
        evict: `"exchange"` if the kept messages must begin with a user message (apart from pinned messages);
            `"message"` if they may begin with any message.
        steps: Chooses a first message that seldom changes; by default, as many messages as fit are kept.
        pinned: The log numbers of pinned messages.
        newest: The newest log number; needed only if the last item is older.
        count: Converts a log number to the position of its message, for `steps` (see `Log.counter`).
    """
    given = list(items)
    together = group_messages([one.message for one in given])
    groups = [[given[place] for place in places] for places in together]
    heads = [group[0].message for group in groups]
    weights = [sum(one.weight for one in group) for group in groups]
    stays = {place for place, group in enumerate(groups) if any(one.number in pinned for one in group)}
    safe = _safe(heads) | stays
    kept, full, fitting, before = set(safe), False, list[int](), set[int]()
    room = limit - sum(weights[place] for place in kept)
    for place in [place for place in reversed(range(len(groups))) if place not in kept]:
        room -= weights[place]
        fitting.append(place)
        if full := room < 0:
            break
        kept.add(place)
    users = [place for place in sorted(kept) if heads[place]["role"] == "user"]
    if steps:
        # The kept messages begin at the newest user message at the latest; without a user message, at the last message.
        said = {place for place in kept - stays if not is_instruction(heads[place])}
        last = users[-1] if users else max(said, default=0)
        places = {place for place in said.union(fitting) if place <= last}
        by_user = evict == "exchange" and bool(users)
        units = _units(sorted(places, reverse=True), heads, by_user=by_user)
        numbers = [count(groups[unit[0]][0].number) for unit in units]
        sizes = [sum(weights[place] for place in unit) for unit in units]
        besides = sum(weights[place] for place in kept.union(fitting) - places)
        begins_at = steps.first(numbers, sizes, besides)
        before = {place for unit in units[:begins_at] for place in unit}
        kept -= before - safe
        # With the next user message, the window may also begin after the newest user message.
        later = sorted(place for place in said if place > last)
        behind = [weights[place] for place in later]
        numbers += [count(groups[place][0].number) for place in later]
        newest = count(max([newest, *(one.number for one in given[-1:])]) + 1) - 1
        room = steps.room(numbers, sizes + behind, newest, begins=begins_at, besides=besides - sum(behind))
    first = _first(heads, kept - stays)
    # Older pinned messages do not count as the beginning: the kept exchange begins after them.
    begins = next((place for place in users if place >= first), None)
    if evict == "exchange" and begins is not None:
        kept = {place for place in kept if place >= begins or place in stays or is_instruction(heads[place])}
    order = sorted(kept, key=lambda place: (not is_instruction(heads[place]), place))
    left = [one for place in order for one in groups[place]]
    first = _first(heads, kept - stays)
    gone = [groups[place][0].number for place in range(first) if place not in kept]
    # Messages that must stay may precede evicted messages or the window, or have no user message: the next turn may
    # evict them.
    unbegun = not users and (steps is not None or evict == "exchange")
    torn = unbegun or bool(before & kept) or any(place not in kept for place in range(first, len(groups)))
    shown = [one.number for one in left if not is_instruction(one.message)]
    oldest = max(gone, default=given[0].number - 1 if given else 0) + 1
    torn = torn or _is_entered(given, set(chain.from_iterable(together)), range(oldest, max(shown, default=oldest)))
    waiting = sum(one.weight for one in given) - sum(weights)
    room = -1 if torn or (gone and not steps) else room - waiting
    return Fitted(
        left, sum(weights[place] for place in kept), full and bool(users), max(gone, default=0) + 1, math.floor(room)
    )


def _first(heads: Sequence[Message], places: Iterable[int]) -> int:
    """Return the first position whose message is no system message; 0 if there is none."""
    return min((place for place in places if not is_instruction(heads[place])), default=0)


def _is_entered(given: Sequence[Weighed], known: Collection[int], between: Container[int]) -> bool:
    """Return whether a tool call between two log numbers lacks a result, and would be kept once it has the result."""
    waiting = (one for place, one in enumerate(given) if place not in known and kind_of(one.message) == "calls")
    return any(one.number in between for one in waiting)


def _safe(heads: Sequence[Message]) -> set[int]:
    """Return the positions of the groups that must stay.

    Args:
        heads: The first message of each group.
    """
    rules = {place for place, head in enumerate(heads) if is_instruction(head)}
    said = [place for place in range(len(heads)) if place not in rules]
    newest = next((place for place in reversed(said) if heads[place]["role"] == "user"), None)
    if newest is None:
        return rules.union(said[-1:])
    if is_answer(heads[said[-1]]):
        return rules | {newest}
    return rules.union(place for place in said if place >= newest)


def _units(places: Iterable[int], heads: Sequence[Message], *, by_user: bool) -> list[list[int]]:
    """Return the units of eviction, oldest first: single groups, or all groups up to the next user message.

    Args:
        places: The positions of groups, newest first.
        heads: The first message of each group.
        by_user: True for units that begin with a user message; groups before the first user message are left out.
    """
    units, unit = list[list[int]](), list[int]()
    for place in places:
        unit.append(place)
        if not by_user or heads[place]["role"] == "user":
            units.append(unit[::-1])
            unit = []
    return units[::-1]


def fit_pieces(pieces: Sequence[Piece], limit: float, size: Callable[[Piece], float]) -> tuple[list[Piece], float]:
    """Return a pair: the pieces of a request that fit a limit, and the total size of these pieces.

    The rules are those of `fit_messages`. Recalled texts and pinned messages stay. If the pieces that must stay exceed
    the limit, no others are kept.
    """
    weighed = [Weighed(place, one.message, size(one)) for place, one in enumerate(pieces)]
    recalled = {place for place, one in enumerate(pieces) if one.kind == "recalled"}
    besides = sum(weighed[place].weight for place in recalled)
    said = (one for one in weighed if one.number not in recalled)
    pinned = {place for place, one in enumerate(pieces) if one.kind == "pinned"}
    left = fit_messages(said, limit - besides, pinned=pinned)
    kept = {one.number for one in left.kept} | recalled
    return [one for place, one in enumerate(pieces) if place in kept], left.size + besides


def make_fitting(make: Callable[[float], tuple[T, float]], limit: float) -> T | None:
    """Make the largest result that fits a limit, and return it; `None` if none fits.

    Args:
        make: Takes a bound on the size. Returns a pair: a result, and the result's size, which may exceed the bound.
            `make` is called with several bounds.
        limit: The maximum size.
    """
    found, fewest, most, bound = None, 0.0, limit, limit
    while found is None or most - fewest > max(1, limit // 100):
        made, size = make(bound)
        if size <= limit:
            found, fewest = made, bound
        elif bound:
            most = bound
        else:
            break
        is_close = most - fewest <= max(1, limit // 100)
        bound = 0 if is_close else (fewest + most) // 2
    return found


@dataclass(frozen=True, slots=True)
class Steps:
    """A window of messages that moves in steps, so that a provider's prompt cache stays valid most of the time.

    The window begins after a log number that is a multiple of `every`: the greatest multiple that still leaves `least`
    to show. If the window would then exceed `most`, `every` is halved until it does not. The first message depends on
    the log alone, so the window is the same after a restart and in other processes.

    Attributes:
        least: The minimum to show, in messages or tokens, if the log has enough.
        most: The maximum to show, in messages or tokens.
        every: The window begins after a multiple of this number, if possible.
    """

    least: int
    most: int
    every: int

    @classmethod
    def above(cls, limit: int, step: int, numbers: int = 1) -> "Steps":
        """Return a window that shows at least `limit` items, and up to `step` more.

        Args:
            limit: The minimum number of items to show.
            step: The maximum number of items to show beyond `limit`.
            numbers: The usual number of log entries in an item: 1 for messages, 2 for exchanges.
        """
        return cls(limit, limit + step, numbers * (step + 1))

    @classmethod
    def below(cls, limit: int, step: int) -> "Steps":
        """Return a window of at most `limit` tokens.

        It has at least `limit - step` tokens if the log has enough tokens and no message has more than `step`.
        """
        return cls(max(limit - step, 0), limit, max(step // _SHORT_MESSAGE, 1))

    def first(self, numbers: Sequence[int], weights: Sequence[float], besides: float = 0) -> int:
        """Return the position of the first item shown; if none is shown, the number of items.

        Args:
            numbers: The log number of each item's first message, ascending.
            weights: The weight of each item.
            besides: The total weight of messages that are always shown.

        Example:
            >>> steps = Steps.above(2, 2)  # at least 2 items, at most 4
            >>> [steps.first(range(1, last + 1), [1] * last) for last in (4, 5, 6)]  # shows items 1-4, 4-5, then 4-6
            [0, 3, 3]
        """
        shown = [besides + weight for weight in accumulate(reversed(weights))][::-1]
        enough = sum(weight >= self.least for weight in shown) - 1
        if enough < 0:
            return sum(weight > self.most for weight in shown)
        every = self.every
        while every:
            begins = (numbers[enough] - 1) // every * every + 1
            place = bisect_left(numbers, begins)
            if shown[place] <= self.most:
                return place
            every //= 2
        return enough + 1

    def room(
        self, numbers: Sequence[int], weights: Sequence[float], newest: int, *, begins: int, besides: float = 0
    ) -> int:
        """Return the weight that can be added without moving the window; 0 if even the smallest addition moves it.

        Args:
            numbers: The log number of each item's first message, ascending.
            weights: The weight of each item.
            newest: The newest log number. Added messages are numbered from the next one on.
            begins: The position in `numbers` at which the window begins now.
            besides: The weight of messages that are always shown.
        """
        spare = self.most - besides - sum(weights[begins:])

        def moves(more: int) -> bool:
            # The lighter the new messages, the later the last beginning with the minimum after it.
            early = min(max(math.floor(besides) + more - self.least, 0), more - 1)
            added = [newest + 1, newest + 1 + early]
            return self.first([*numbers, *added], [*weights, early, more - early], besides) != begins

        # The more is added, the later the window begins.
        return bisect_left(range(1, int(min(spare, _FAR)) + 1), 1, key=moves)


def add_as_langchain4j(held: Iterable[Weighed], new: Weighed, limit: int) -> list[Weighed]:
    """Return the messages that LangChain4j's memory, faults included, would hold after a message is added.

    A new system message goes to the end, and the old system message is removed. If the two are equal, nothing changes.
    An empty system message is not added; it only removes the old system message.

    Args:
        held: The messages before the addition, oldest first.
        new: The new message.
        limit: The maximum weight of all messages together.
    """
    messages = list(held)
    if is_instruction(new.message):
        known = next((place for place, one in enumerate(messages) if is_instruction(one.message)), None)
        if known is not None:
            if messages[known].message == new.message:
                return messages
            del messages[known]
        if not text_of(new.message):
            return messages
    return evict_as_langchain4j([*messages, new], limit)


def evict_as_langchain4j(held: Iterable[Weighed], limit: float) -> list[Weighed]:
    """Evict the oldest messages until the rest fits a limit, as LangChain4j does; return the rest.

    A system message at the beginning stays. If a tool call is evicted, all results directly after it are evicted too,
    even those of other calls. The result may be empty.
    """
    messages = list(held)
    size = sum(one.weight for one in messages)
    while size > limit and messages:
        victim = 1 if is_instruction(messages[0].message) else 0
        if victim == len(messages):
            break
        calls = bool(messages[victim].message.get("tool_calls"))
        size -= messages.pop(victim).weight
        while calls and victim < len(messages) and messages[victim].message["role"] == "tool":
            size -= messages.pop(victim).weight
    return messages
