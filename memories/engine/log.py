"""The log of one conversation: read from the store once, then kept up to date with new entries only."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from memzoo.forks import new_lock
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import INSTRUCTIONS, find_unanswered, is_answer
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Message, Store
from memzoo.stores.common import make_damaged_error
from memzoo.stores.message_list import is_over_lists, looking_once
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.engine.pins import Pins
    from memzoo.memories.engine.system_message import SystemMessage
    from memzoo.memories.text.clearing import Clearing
    from memzoo.memories.text.estimating import Estimate

# The number of entries that most views show; a longer view reads more.
_FIRST_READ = 64
# The usual number of messages in an exchange.
_OF_AN_EXCHANGE = 2

_seq = attrgetter("seq")
_nothing_looked_at = nullcontext(set[tuple[int, str]]())


class CachedLog:
    """Holds the newest entries of a log, and reads only newer entries from the store.

    Entries never change, so they are held without copying, together with values computed from them. The log's epoch
    changes when any process deletes something; everything held is then dropped.

    Attributes:
        store: The store that keeps the log.
        conversation_id: The conversation.
        looking_once: A function that returns a context manager for one load or save. In the block, a
            `MessageListStore` reads the list of messages only once.
        lines: A dict from log number to rendered line.
        tokens: A dict from log number to token count.
        finds: Search results for the newest question and for earlier questions, as views show them; see `Finds`.
        epoch: The log's epoch, which changes when something is deleted; see `Entries.epoch`.
        revision: The log's revision at the last `refresh`; see `Entries.revision`.
        clearing: The rule that replaces old tool results in views; `None` to show all tool results.
        pins: The pinned messages.
        system: The system message in force.
    """

    pins: "Pins"
    system: "SystemMessage"

    def __init__(self, store: Store, conversation_id: str) -> None:
        self.store = store
        self.conversation_id = conversation_id
        self.looking_once = looking_once if is_over_lists(store) else lambda: _nothing_looked_at
        self.lines: dict[int, str] = {}
        self.tokens: dict[int, float] = {}
        self.finds: Sequence[Sequence[Any]] = ()
        # Entries, oldest first, and the log number from which on no entry is missing. One tuple, so that threads never
        # see an old list with a new number.
        self._held: tuple[list[Entry], int] = ([], 1)
        self.epoch: Hashable = None
        self.revision: Hashable = None
        self._newest_revision: Hashable = None
        self.clearing: Clearing | None = None
        self._estimate: Estimate | None = None
        self._reach = _FIRST_READ
        self._lock = new_lock()

    @property
    def entries(self) -> list[Entry]:
        """The entries held in memory: the newest entries read so far, oldest first, with none missing between them."""
        return self._held[0]

    @property
    def last(self) -> int:
        """The log number of the newest entry held; 0 if there is none."""
        held = self._held[0]
        return held[-1].seq if held else 0

    async def read(self, **bounds: Any) -> list[Entry]:
        """Read a part of the log from the store. The arguments are those of `Store.read`.

        Raises:
            StoreError: A message has no role: its row in the store is damaged.
        """
        found = await self.store.read(self.conversation_id, **bounds)
        for entry in found:
            if not isinstance(entry.message.get("role"), str):
                raise make_damaged_error(f"message {entry.seq}", self.conversation_id, ValueError("it has no role"))
        return found

    async def refresh(self) -> None:
        """Take in new entries, in one read; start anew if something was deleted."""
        while self.epoch is not None:
            new = await self.read(after=self.last)
            with self._lock:
                if getattr(new, "epoch", None) == self.epoch:
                    self._revise(new)
                    if new:
                        self._extend(new[bisect_right(new, self.last, key=_seq) :])
                    return
                self.epoch = None
        newest = await self.read(limit=_FIRST_READ, newest=True)
        with self._lock:
            self._start(newest, getattr(newest, "epoch", None))
            self._revise(newest)

    def note_commit(self, version: int) -> None:
        """Record this memory's own commit, so that `revision` changes only after commits of other writers."""
        with self._lock:
            if isinstance(self._newest_revision, int) and version == self._newest_revision + 1:
                self._newest_revision = version

    def _revise(self, entries: Sequence[Entry]) -> None:
        newest = getattr(entries, "revision", None)
        if newest is None or newest != self._newest_revision:
            self.revision = self._newest_revision = newest

    def add(self, entries: Sequence[Entry]) -> bool:
        """Take in entries that were just appended, without reading the store.

        Returns:
            False if nothing was taken in: there are no entries, or the log must be refreshed first.
        """
        if not entries:
            return False
        with self._lock:
            held, first = self._held[0], entries[0].seq
            # Entries that another writer appended in between must be read, and the first message changes the epoch.
            if self.epoch is None or not held or first > held[-1].seq + 1:
                return False
            if first <= held[-1].seq:
                # The entries are held already, or the log was cleared and its numbers began again.
                place = bisect_left(held, first, key=_seq)
                return held[place : place + len(entries)] == list(entries)
            self._extend(entries)
            return True

    def set_estimate(self, estimate: "Estimate | None") -> None:
        """Set the token estimate (`None` for none), and correct it by the factors stored with the log's answers."""
        with self._lock:
            self._estimate = estimate
            if estimate:
                estimate.follow(reversed(self.entries))

    async def reach(self, first: int = 1, *, count: int | None = None) -> list[Entry]:
        """Read the log far enough back to hold all entries from `first` on, or at least the `count` newest entries.

        Returns:
            All held entries, oldest first. They may begin earlier than requested.
        """
        while True:
            entries, start = self._held
            wanted = count if count is not None else (entries[-1].seq - first + 1 if entries else 0)
            self._reach = max(self._reach, min(wanted, len(entries)))
            if start <= first or (count is not None and len(entries) >= count):
                return entries
            # The number held doubles each time, so that even old entries take few reads.
            await self._read_older(first, None if count is None else max(count, len(entries)))

    async def _read_older(self, first: int, limit: int | None) -> None:
        start, epoch = self._held[1], self.epoch
        older = await self.read(after=first - 1, until=start - 1, limit=limit, newest=limit is not None)
        if getattr(older, "epoch", None) != epoch:
            self.epoch = None
            await self.refresh()
            return
        with self._lock:
            if self._held[1] == start and self.epoch == epoch:
                is_all = limit is None or len(older) < limit
                self._held = [*older, *self.entries], first if is_all else older[0].seq
                self._reach = max(self._reach, len(self.entries))

    def _start(self, entries: Sequence[Entry], epoch: Hashable) -> None:
        if epoch is not None and epoch == self.epoch:
            self._extend(entries[bisect_right(entries, self.last, key=_seq) :])  # Another thread was faster.
            return
        self._held = list(entries), 1 if len(entries) < _FIRST_READ else entries[0].seq
        self.lines.clear()
        self.tokens.clear()
        self.finds = ()
        self.epoch = epoch
        if self._estimate and not self._estimate.follow(reversed(self.entries)):
            self._estimate.begin()

    def _extend(self, entries: Sequence[Entry]) -> None:
        held = self._held[0]
        held.extend(entries)
        if self._estimate:
            self._estimate.follow(reversed(entries))
        if len(held) > 4 * self._reach:
            self._let_go_of_oldest()

    def _let_go_of_oldest(self) -> None:
        """Drop the oldest entries, and keep twice as many as views have reached back to."""
        kept = self.entries[-2 * self._reach :]
        first = kept[0].seq
        self._held = kept, first
        for known in (self.lines, self.tokens):
            for seq in [seq for seq in known if seq < first]:
                del known[seq]


class Log:
    """Reads the log of a conversation, up to a chosen log number. Its entries are shared: do not change them.

    Args:
        cached: The log's cached entries.
        until: The last log number to read; `None` for all.
        without: Ranges of log numbers to leave out, each a pair of the first and last number.
        form: The tool results to replace with one line each. "shown": the old results, as in views; "learnt": all
            results except short and excluded ones, as in prompts for learning; "whole": none.
    """

    def __init__(
        self,
        cached: CachedLog,
        until: int | None = None,
        without: Sequence[tuple[int, int]] = (),
        form: Literal["shown", "learnt", "whole"] = "shown",
    ) -> None:
        self.cached = cached
        self._form = form
        self.until = until
        self._without = without

    @property
    def pins(self) -> "Pins":
        """The pinned messages."""
        return self.cached.pins

    @property
    def system(self) -> "SystemMessage":
        """The system message in force."""
        return self.cached.system

    async def refreshed(self) -> "Log":
        """Take in the newest entries, and return this log."""
        await self.cached.refresh()
        return self

    async def after(self, seq: int, *, limit: int | None = None) -> list[Entry]:
        """Return the entries numbered above `seq`, oldest first, at most the first `limit` entries."""
        entries = await self.cached.reach(seq + 1)
        end = len(entries) if self.until is None else self._end(entries)
        first = bisect_right(entries, seq, hi=end, key=_seq)
        if self._without:
            return self._clear_results(self._skip(entries[first:end])[:limit])
        return self._clear_results(entries[first : end if limit is None else min(first + limit, end)])

    async def between(self, first: int, last: int) -> list[Entry]:
        """Return the entries numbered `first` to `last`, both included, oldest first."""
        held, last = self.cached.entries, self._cap(last)
        if not held or first < held[0].seq:
            # Old entries are read without being held, so that the cache does not grow back to them.
            return self._clear_results(self._skip(await self.cached.read(after=first - 1, until=last)))
        start = bisect_left(held, first, key=_seq)
        return self._clear_results(self._skip(held[start : bisect_right(held, last, lo=start, key=_seq)]))

    async def tail(self, count: int, *, after: int = 0) -> list[Entry]:
        """Return the newest `count` entries numbered above `after`, oldest first."""
        if self._without:
            return self._clear_results((await self._tail_without(count, after))[-count:])
        beyond = 0
        if self.until is not None:
            # Entries after `until` are held too, but do not count.
            held = await self.cached.reach(self.until + 1)
            beyond = len(held) - self._end(held)
        entries = await self.cached.reach(count=count + beyond)
        end = self._end(entries)
        found = entries[max(end - count, 0) : end]
        return self._clear_results(found[bisect_right(found, after, key=_seq) :] if after else found)

    async def page(
        self, limit: int | None = None, *, before: int | None = None, after: int = 0, newest_first: bool = False
    ) -> list[Entry]:
        """Return copies of the entries numbered above `after` and below `before`, at most `limit`.

        By default, `limit` keeps the oldest entries, and the oldest comes first. With `newest_first`, `limit` keeps the
        newest entries, and the newest comes first.

        Raises:
            OptionError: A bound is not a whole number, or is below 0.
        """
        for name, value in {"limit": limit, "before": before, "after": after}.items():
            if value is not None:
                whole_number(name, value, at_least=0)
        until = self.until if before is None else self._cap(before - 1)
        found = await self.cached.read(after=after, until=until, limit=limit, newest=newest_first)
        return own_copies(found[::-1] if newest_first else found)

    def until_number(self, seq: int) -> "Log":
        """Return this log limited to the entries up to a log number."""
        return Log(self.cached, seq, self._without, self._form)

    def passing_over(self, ranges: Sequence[tuple[int, int]]) -> "Log":
        """Return this log without some ranges of messages. A range is a pair of the first and last log number."""
        return Log(self.cached, self.until, ranges, self._form) if ranges else self

    def whole(self) -> "Log":
        """Return this log with all tool results in full."""
        return Log(self.cached, self.until, self._without, "whole") if self.cached.clearing else self

    async def counter(self) -> Callable[[int], int]:
        """Return a function from a log number to the position of its message in the log, counted from 1.

        In most stores, the position is the log number itself. In a `MessageListStore`, log numbers may change at a
        restart, so the messages are counted.
        """
        if not is_over_lists(self.cached.store):
            return int
        said = [entry.seq for entry in talk(await self.cached.reach())]
        return lambda seq: bisect_left(said, seq) + 1

    async def exchanges(self, k: int, step: int = 0) -> list[Entry]:
        """Return the newest `k` exchanges, oldest first, without system messages; an empty list for `k` below 1.

        An exchange begins with a user message and ends before the next user message. An unanswered exchange at the end
        is returned too, but does not count towards `k`. Only the needed part of the log is read.

        Args:
            k: The number of exchanges.
            step: The maximum number of exchanges returned beyond `k`. With a step, old exchanges are dropped several
                at a time, so that most views begin with the same messages as the previous view.
        """
        return (await self.exchanges_with_room(k, step))[0]

    async def exchanges_with_room(self, k: int, step: int = 0) -> tuple[list[Entry], int]:
        """Return the newest `k` exchanges, and the number of new exchanges that fit before an old one is dropped.

        This number is -1 if no new exchange can be added. See `exchanges` for the arguments.
        """
        size = 2 * (k + step)
        while k > 0:
            entries = await self.tail(size)
            said = talk(entries)
            starts = [place for place, entry in enumerate(said) if entry.message["role"] == "user"]
            # An answered exchange that goes on with a tool call still counts, or an older exchange would come back.
            waits = bool(starts) and not any(is_answer(entry.message) for entry in said[: starts[-1] : -1])
            whole = starts[:-1] if waits else starts
            if not step and len(whole) >= k:
                return said[whole[-k] :], -1
            if len(whole) > k + step or len(entries) < size:
                if not step:  # All exchanges are shown, and there is room for more.
                    # Messages before the first exchange are shown only while fewer than `k` exchanges exist.
                    room = k - len(whole) - bool(waits) - (starts[:1] != [0])
                    return said, room if room > 0 else -1
                from memzoo.memories.text.eviction import Steps

                steps, ones = Steps.above(k, step, _OF_AN_EXCHANGE), [1] * len(whole)
                count = await self.counter()
                numbers = [count(said[place].seq) for place in whole]
                first = steps.first(numbers, ones)
                # An added exchange may have any number of messages: the view must not come to begin with its messages.
                newest = count(said[-1].seq + 1) - 1 if said else 0
                room = min(steps.room(numbers, ones, newest, begins=first), k - 1) - bool(waits)
                return said[whole[first] :] if first else said, room if room > 0 else -1
            size *= 2
        return [], -1

    async def start_of_exchanges(self, k: int, step: int = 0) -> int:
        """Return the log number at which the newest `k` exchanges begin.

        For `k` below 1, return the number after the newest message.
        """
        if entries := await self.exchanges(k, step):
            return entries[0].seq
        newest = await self.tail(1)
        return newest[0].seq + 1 if newest else 1

    async def unanswered(self) -> list[Entry]:
        """If the newest user message has no answer, return it and all later messages; otherwise, an empty list."""
        newest = await self.exchanges(1)
        return [newest[place] for place in find_unanswered(messages_of(newest))]

    async def last_question(self) -> str:
        """Return the text of the newest user message; "" if there is none."""
        said = reversed(await self.exchanges(1))
        return next((text_of(entry.message) for entry in said if entry.message["role"] == "user"), "")

    async def _tail_without(self, count: int, after: int) -> list[Entry]:
        whole, size = Log(self.cached, self.until, form="whole"), count
        while True:
            entries = await whole.tail(size, after=after)
            seen = self._skip(entries)
            if len(seen) >= count or len(entries) < size:
                return seen
            size *= 2

    def _skip(self, entries: list[Entry]) -> list[Entry]:
        if not self._without:
            return entries
        return [entry for entry in entries if not any(first <= entry.seq <= last for first, last in self._without)]

    def _clear_results(self, entries: list[Entry]) -> list[Entry]:
        clearing = self.cached.clearing
        if clearing is None or self._form == "whole":
            return entries
        return clearing.replace_old(entries) if self._form == "shown" else clearing.replace_all(entries)

    def _cap(self, last: int) -> int:
        return last if self.until is None else min(last, self.until)

    def _end(self, entries: Sequence[Entry]) -> int:
        """Return the position after the last entry whose number is not above the log's last number."""
        if self.until is None or not entries or entries[-1].seq <= self.until:
            return len(entries)
        return bisect_right(entries, self.until, key=_seq)


def own_copies(entries: Iterable[Entry]) -> list[Entry]:
    """Return copies of entries, for the caller to change; the log's own entries never change."""
    return [replace(one, message=copy_json(one.message), fields=dict(one.fields)) for one in entries]


def messages_of(entries: Sequence[Entry], *, usage: bool = False) -> list[Message]:
    """Return the messages of entries, in order; with `usage`, answers include their model and usage."""
    return [{**entry.message, **entry.answered} if usage else entry.message for entry in entries]


def talk(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries without system messages."""
    return [entry for entry in entries if entry.message["role"] not in INSTRUCTIONS]
