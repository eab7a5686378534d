"""Chooses the messages that fit a limit: rules of eviction, including LangChain4j's, and windows that move in steps."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Literal, TypeAlias

from memzoo.memories.text.grouping import group_messages, is_answer, is_instruction
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message

__all__ = ["Evict", "Fitted", "Steps", "Weighed", "add_as_langchain4j", "evict_as_langchain4j", "fit_messages"]

Evict: TypeAlias = Literal["message", "exchange"]
"""The unit of eviction: one message (a tool call with its results), or everything up to the next user message."""

# Messages of a chat are rarely shorter, in tokens. Where they are longer, closer numbers are tried: with 14, 28 or 56
# tokens each it moves by nearly all of the step at once.
_SHORT_MESSAGE = 14
_FAR = 2**40  # more than any log has


@dataclass(frozen=True, slots=True)
class Weighed:
    """A message with its weight towards a limit.

    Attributes:
        number: Its number in the log.
        message: The chat message.
        weight: Its tokens, or 1 where messages are counted.
    """

    number: int
    message: Message
    weight: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages kept from a list.

    Attributes:
        kept: The messages, in the order for sending.
        size: Their weight.
        settled: True if any messages before the list would not be kept either.
        oldest_needed: The number of the first message that is kept, or may be once a call has all its results.
        room: The weight that may be added before one of them goes; below 0 if one goes with the next in any case.
    """

    kept: list[Weighed]
    size: int
    settled: bool
    oldest_needed: int
    room: int


def fit_messages(
    items: Iterable[Weighed],
    limit: int,
    *,
    evict: Evict = "message",
    system_first: bool = True,
    steps: "Steps | None" = None,
    pinned: Container[int] = (),
    newest: int = 0,
    count: Callable[[int], int] = int,
) -> Fitted:
    """Keep the newest messages that fit a limit: the oldest go first, a tool call together with its results.

    System and pinned messages never go, nor does the newest user message, nor, until it is answered, the messages after
    it. If these alone exceed the limit, only they are kept. Without a user message, the last message stays. Calls
    without all their results, and results without their call, are left out first and do not count.

    Args:
        items: Oldest first.
        limit: The most that the messages may weigh.
        evict: With `"exchange"`, the kept messages begin with a user message, if there is one, apart from pinned ones.
        system_first: Put system messages first; otherwise they stay in their places.
        steps: The places where the kept messages may begin, with the same limit. By default, anywhere.
        pinned: The numbers of pinned messages.
        newest: The newest number of the log, if the next message does not follow the last message's number.
        count: Counts messages for steps: a function of a number (see `Log.counter`).
    """
    given = list(items)
    together = group_messages([one.message for one in given])
    groups = [[given[place] for place in places] for places in together]
    heads = [group[0].message for group in groups]
    weights = [sum(one.weight for one in group) for group in groups]
    stays = {place for place, group in enumerate(groups) if any(one.number in pinned for one in group)}
    safe = _safe(heads) | stays
    kept, full, fitting = set(safe), False, list[int]()
    room = limit - sum(weights[place] for place in kept)
    for place in [place for place in reversed(range(len(groups))) if place not in kept]:
        room -= weights[place]
        fitting.append(place)
        if full := room < 0:
            break
        kept.add(place)
    users = [place for place in sorted(kept) if heads[place]["role"] == "user"]
    if steps:
        # The last place to begin is the newest user message, or the message that stays without one.
        said = {place for place in kept - stays if not is_instruction(heads[place])}
        last = users[-1] if users else max(said, default=0)
        places = {place for place in said.union(fitting) if place <= last}
        by_user = evict == "exchange" and bool(users)
        units = _units(sorted(places, reverse=True), heads, by_user=by_user)
        numbers = [count(groups[unit[0]][0].number) for unit in units]
        sizes = [sum(weights[place] for place in unit) for unit in units]
        besides = sum(weights[place] for place in kept.union(fitting) - places)
        begins_at = steps.first(numbers, sizes, besides)
        kept -= {place for unit in units[:begins_at] for place in unit} - safe
        # With the next user message, it may also begin after the newest one.
        later = sorted(place for place in said if place > last)
        behind = [weights[place] for place in later]
        numbers += [count(groups[place][0].number) for place in later]
        newest = count(max([newest, *(one.number for one in given[-1:])]) + 1) - 1
        room = steps.room(numbers, sizes + behind, newest, begins=begins_at, besides=besides - sum(behind))
        users = [place for place in users if place in kept]
    first = _first(heads, kept - stays)
    # Older pinned messages stand alone: the kept exchange begins after them.
    begins = next((place for place in users if place >= first), None)
    if evict == "exchange" and begins is not None:
        kept = {place for place in kept if place >= begins or place in stays or is_instruction(heads[place])}
    order = sorted(kept, key=lambda place: (system_first and not is_instruction(heads[place]), place))
    left = [one for place in order for one in groups[place]]
    first = _first(heads, kept - stays)
    gone = [groups[place][0].number for place in range(first) if place not in kept]
    # A message that must stay may precede evicted ones: it goes as soon as it may, as do messages that no user began.
    unbegun = not users and (steps is not None or evict == "exchange")
    torn = unbegun or any(place not in kept for place in range(first, len(groups)))
    shown = [one.number for one in left if not (system_first and is_instruction(one.message))]
    oldest = max(gone, default=given[0].number - 1 if given else 0) + 1
    torn = torn or _is_entered(given, set(chain.from_iterable(together)), range(oldest, max(shown, default=oldest)))
    waiting = sum(one.weight for one in given) - sum(weights)
    room = -1 if torn or (gone and not steps) else room - waiting
    return Fitted(left, sum(weights[place] for place in kept), full and bool(users), max(gone, default=0) + 1, room)


def _first(heads: Sequence[Message], places: Iterable[int]) -> int:
    """Return the first place that is not a system message's; 0 if there is none."""
    return min((place for place in places if not is_instruction(heads[place])), default=0)


def _is_entered(given: Sequence[Weighed], known: Collection[int], between: Container[int]) -> bool:
    """Tell whether a waiting call would return, with its results, to the kept messages, at such a number."""
    waiting = (one for place, one in enumerate(given) if place not in known and one.message["role"] == "assistant")
    return any(one.number in between for one in waiting)


def _safe(heads: Sequence[Message]) -> set[int]:
    """Return the groups that must stay, by the first message of each."""
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
        places: The places of groups, newest first.
        heads: The first message of each group.
        by_user: Evict everything up to the next user message at once; leaves out groups before the first one.
    """
    units, unit = list[list[int]](), list[int]()
    for place in places:
        unit.append(place)
        if not by_user or heads[place]["role"] == "user":
            units.append(unit[::-1])
            unit = []
    return units[::-1]


@dataclass(frozen=True, slots=True)
class Steps:
    """A window's minimum, maximum and possible beginnings, which are fixed numbers of the log.

    A window that drops the oldest message with each new one changes its beginning at each turn, so a provider's prompt
    cache is useless. One that moves in steps keeps its beginning until it has grown by the step.

    It begins at a multiple of `every`: the newest from which it shows at least the minimum. If that exceeds the
    maximum, because messages are long, numbers half as far apart are tried, down to single messages. The beginning
    depends only on the messages shown, not on earlier messages or windows: other processes, and the same one after a
    restart, begin at the same message.

    Attributes:
        least: The least to show, if there is as much.
        most: The most to show.
        every: The window begins at a multiple of this number, if possible.
    """

    least: int
    most: int
    every: int

    @classmethod
    def above(cls, limit: int, step: int, numbers: int = 1) -> "Steps":
        """Make a window that shows `limit` items, and up to `step` more.

        Args:
            limit: The least number of items to show.
            step: The number of further items that it may show.
            numbers: The usual number of log entries per item.
        """
        return cls(limit, limit + step, numbers * (step + 1))

    @classmethod
    def below(cls, limit: int, step: int) -> "Steps":
        """Make a window that shows at most `limit` tokens, and usually at most `step` fewer."""
        return cls(max(limit - step, 0), limit, max(step // _SHORT_MESSAGE, 1))

    def first(self, numbers: Sequence[int], weights: Sequence[int], besides: int = 0) -> int:
        """Return the place of the first item shown; the number of items if none is.

        Args:
            numbers: The numbers of the log at which the window could begin, ascending.
            weights: The weight that each of these adds.
            besides: The weight shown in any case.

        Example:
            >>> steps = Steps.above(2, 2)
            >>> [list(range(1, last + 1))[steps.first(range(1, last + 1), [1] * last) :] for last in (4, 5, 6)]
            [[1, 2, 3, 4], [4, 5], [4, 5, 6]]
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
        self, numbers: Sequence[int], weights: Sequence[int], newest: int, *, begins: int, besides: int = 0
    ) -> int:
        """Return the weight that can be added before the window moves; below 0 if it shows too much already.

        Args:
            numbers: The numbers at which it could begin when something is added, ascending.
            weights: The weight that each of these adds.
            newest: The newest number of the log. Additions come after it, and the window may then begin at them.
            begins: The place of its current beginning.
            besides: The weight shown in any case.
        """
        spare = self.most - besides - sum(weights[begins:])

        def moves(more: int) -> bool:
            # The lighter the new messages, the later the last beginning that shows the minimum.
            early = min(max(besides + more - self.least, 0), more - 1)
            added = [newest + 1, newest + 1 + early]
            return self.first([*numbers, *added], [*weights, early, more - early], besides) != begins

        # The more is added, the later the window begins.
        return bisect_left(range(1, min(spare, _FAR) + 1), 1, key=moves)


def add_as_langchain4j(held: Iterable[Weighed], new: Weighed, limit: int, *, system_first: bool) -> list[Weighed]:
    """Return the messages in LangChain4j's memory after adding one, including its faulty corner cases.

    Ignores a system message that is there already; a different one replaces it and goes to the end, or to the beginning
    with `system_first`; an empty one removes it.

    Args:
        held: The messages before, oldest first.
        new: The new message.
        limit: The most that all messages may weigh.
        system_first: LangChain4j's `alwaysKeepSystemMessageFirst`.
    """
    messages = list(held)
    if not is_instruction(new.message):
        return evict_as_langchain4j([*messages, new], limit)
    known = next((place for place, one in enumerate(messages) if is_instruction(one.message)), None)
    if known is not None:
        if messages[known].message == new.message:
            return messages
        del messages[known]
    if not text_of(new.message):
        return messages
    return evict_as_langchain4j([new, *messages] if system_first else [*messages, new], limit)


def evict_as_langchain4j(held: Iterable[Weighed], limit: int) -> list[Weighed]:
    """Remove the oldest messages as LangChain4j does, until the rest fits, and return the rest.

    A system message at the beginning stays. A message that calls tools takes the results directly after it along,
    whichever call they answer. A single message over the limit is removed too, so the result may be empty.
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
