"""The log of one conversation, read from the store once and followed from then on."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from memzoo.forks import new_lock
from memzoo.memories.options import whole_number
from memzoo.memories.text.grouping import INSTRUCTIONS, find_unanswered, is_answer
from memzoo.memories.text.messages import text_of
from memzoo.stores import Entry, Message, Store
from memzoo.stores.common import make_damaged_error
from memzoo.text import copy_json

if TYPE_CHECKING:
    from memzoo.memories.text.clearing import Clearing

__all__ = ["CachedLog", "Log", "messages_of", "own_copies", "talk"]

# As many as most views show; a longer one asks for more.
_FIRST_READ = 64
# Numbers that an exchange has in the log, as a rule.
_OF_AN_EXCHANGE = 2

_seq = attrgetter("seq")


class CachedLog:
    """Holds the newest entries of a log, and asks the store only for newer ones (DESIGN I12).

    Entries never change, so they are held without copies, together with results computed from them. All of it
    goes when the log's epoch changes: something was deleted, by this process or another.

    Attributes:
        store: Where the log is kept.
        conversation_id: The conversation.
        lines: Rendered lines by log number.
        tokens: Token counts by log number.
        finds: Results in view for this question and earlier ones; see `Finds`.
        epoch: Changes when something was deleted; see `Entries.epoch`.
        revision: Changes when somebody else committed a state; see `Entries.revision`. As the last `refresh` found it.
        clearing: Replaces old results of tools where the log is shown; `None` to show them.
    """

    def __init__(self, store: Store, conversation_id: str) -> None:
        self.store = store
        self.conversation_id = conversation_id
        self.lines: dict[int, str] = {}
        self.tokens: dict[int, int] = {}
        self.finds: Sequence[Sequence[Any]] = ()
        # Entries, oldest first, and the number from which on none is missing. One object: threads see both or neither.
        self._held: tuple[list[Entry], int] = ([], 1)
        self.epoch: Hashable = None
        self.revision: Hashable = None
        self._newest_revision: Hashable = None
        self.clearing: Clearing | None = None
        self._reach = _FIRST_READ
        self._lock = new_lock()

    @property
    def entries(self) -> list[Entry]:
        """The entries held, oldest first, up to the newest one that is known."""
        return self._held[0]

    @property
    def last(self) -> int:
        """The number of the newest entry that is known; 0 if there is none."""
        held = self._held[0]
        return held[-1].seq if held else 0

    async def read(self, **bounds: Any) -> list[Entry]:
        """A part of the log from the store, with the bounds of `Store.read`.

        Raises:
            StoreError: A message there has no role: its row is damaged.
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
                        self._extend(new)
                    return
                self.epoch = None
        newest = await self.read(limit=_FIRST_READ, newest=True)
        with self._lock:
            self._start(newest, getattr(newest, "epoch", None))
            self._revise(newest)

    def note_commit(self, version: int) -> None:
        """Note the version that a memory itself committed: without a commit in between, no other state changed."""
        with self._lock:
            if isinstance(self._newest_revision, int) and version == self._newest_revision + 1:
                self._newest_revision = version

    def _revise(self, entries: Sequence[Entry]) -> None:
        newest = getattr(entries, "revision", None)
        if newest is None or newest != self._newest_revision:
            self.revision = self._newest_revision = newest

    def add(self, entries: Sequence[Entry]) -> bool:
        """Take in entries that were just appended, without reading.

        Returns:
            True if the log is held up to the last of them; otherwise, and for none, `refresh` brings it there.
        """
        if not entries:
            return False
        with self._lock:
            held, last, first = self._held[0], self.last, entries[0].seq
            # What somebody else appended in between has to be read, and with the first message the epoch changes.
            if self.epoch is None or first > last + 1 or not held:
                return False
            if first <= last:
                # They are held already, or the log was cleared and begun again with the same numbers.
                place = bisect_left(held, first, key=_seq)
                return held[place : place + len(entries)] == list(entries)
            self._extend(entries)
            return True

    async def reach(self, first: int = 1, *, count: int | None = None) -> list[Entry]:
        """Hold all entries numbered `first` and above, or at least `count` of the newest.

        Returns:
            All that is held then, oldest first; there may be older ones too.
        """
        while True:
            entries, start = self._held
            wanted = count if count is not None else (entries[-1].seq - first + 1 if entries else 0)
            self._reach = max(self._reach, min(wanted, len(entries)))
            if start <= first or (count is not None and len(entries) >= count):
                return entries
            # Twice as many each time, so that a long way back takes few reads.
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
            self._extend(entries)  # Another thread was faster.
            return
        self._held = list(entries), 1 if len(entries) < _FIRST_READ else entries[0].seq
        self.lines.clear()
        self.tokens.clear()
        self.finds = ()
        self.epoch = epoch

    def _extend(self, entries: Sequence[Entry]) -> None:
        held = self._held[0]
        held.extend(entries[bisect_right(entries, self.last, key=_seq) :])
        if len(held) > 4 * self._reach:
            self._let_go_of_oldest()

    def _let_go_of_oldest(self) -> None:
        """Hold no more than views look at, however long the conversation grows."""
        kept = self.entries[-2 * self._reach :]
        first = kept[0].seq
        self._held = kept, first
        for known in (self.lines, self.tokens):
            for seq in [seq for seq in known if seq < first]:
                del known[seq]


class Log:
    """Reads the log of a conversation, never past a chosen number. Entries belong to the log: do not change them.

    Args:
        cached: Holds the entries.
        until: The last number to be seen; `None` for all. Derivations from the log up to a number are the same at
            any time.
        without: Ranges of numbers that are passed over, each by its first and last.
        form: The form of old tool results: for views, for learning, or as in the log.
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

    async def refreshed(self) -> "Log":
        """Return the log as it is now, with the newest entries."""
        await self.cached.refresh()
        return self

    async def after(self, seq: int, *, limit: int | None = None) -> list[Entry]:
        """The entries numbered above `seq`, at most `limit` of them, oldest first."""
        entries = await self.cached.reach(seq + 1)
        end = len(entries) if self.until is None else self._end(entries)
        first = bisect_right(entries, seq, hi=end, key=_seq)
        if self._without:
            return self._clear_results(self._skip(entries[first:end])[:limit])
        return self._clear_results(entries[first : end if limit is None else min(first + limit, end)])

    async def between(self, first: int, last: int) -> list[Entry]:
        """The entries numbered `first` to `last`, both included, oldest first."""
        held, last = self.cached.entries, self._cap(last)
        if not held or first < held[0].seq:
            # One that is long past does not make the log be held from there on.
            return self._clear_results(self._skip(await self.cached.read(after=first - 1, until=last)))
        start = bisect_left(held, first, key=_seq)
        return self._clear_results(self._skip(held[start : bisect_right(held, last, lo=start, key=_seq)]))

    async def tail(self, count: int, *, after: int = 0) -> list[Entry]:
        """The newest `count` messages numbered above `after`, oldest first."""
        if self._without:
            return self._clear_results((await self._tail_without(count, after))[-count:])
        beyond = 0
        if self.until is not None:
            # As far back as the log ends here; what is wanted stands before that.
            held = await self.cached.reach(self.until + 1)
            beyond = len(held) - self._end(held)
        entries = await self.cached.reach(count=count + beyond)
        end = self._end(entries)
        found = entries[max(end - count, 0) : end]
        return self._clear_results(found[bisect_right(found, after, key=_seq) :] if after else found)

    async def page(
        self, limit: int | None = None, *, before: int | None = None, after: int = 0, newest_first: bool = False
    ) -> list[Entry]:
        """The entries numbered above `after` and below `before`, at most `limit`, from the one end or the other.

        They are copies, for the caller to keep.

        Raises:
            OptionError: A bound is no whole number.
        """
        for name, value in {"limit": limit, "before": before, "after": after}.items():
            if value is not None:
                whole_number(name, value, at_least=0)
        until = self.until if before is None else self._cap(before - 1)
        found = await self.cached.read(after=after, until=until, limit=limit, newest=newest_first)
        return own_copies(found[::-1] if newest_first else found)

    def until_number(self, seq: int) -> "Log":
        """The log as it was when it ended with a number."""
        return Log(self.cached, seq, self._without, self._form)

    def passing_over(self, ranges: Sequence[tuple[int, int]]) -> "Log":
        """The log without some messages, given by the first and last numbers of ranges."""
        return Log(self.cached, self.until, ranges, self._form) if ranges else self

    def whole(self) -> "Log":
        """The log with all results of tools as they were."""
        return Log(self.cached, self.until, self._without, "whole") if self.cached.clearing else self

    async def counter(self) -> Callable[[int], int]:
        """Return the message count at a log number, as a function, for a window that moves in steps.

        The numbers themselves are the count. If a restart changes them, it counts the messages still in the log, so
        that the window begins with the same message then.
        """
        from memzoo.stores.message_list import is_over_lists

        if not is_over_lists(self.cached.store):
            return int
        said = [entry.seq for entry in talk(await self.cached.reach())]
        return lambda seq: bisect_left(said, seq) + 1

    async def exchanges(self, k: int, step: int = 0) -> list[Entry]:
        """The newest `k` exchanges, oldest first, without system messages; none for `k` below 1.

        An exchange begins with a user message and reaches to the next one. An unanswered one at the end comes on
        top. Reads no more than needed.

        Args:
            k: The number of exchanges.
            step: The number of further exchanges allowed, so that most turns begin with the same message (see
                `eviction.Steps`).
        """
        return (await self.exchanges_with_room(k, step))[0]

    async def exchanges_with_room(self, k: int, step: int = 0) -> tuple[list[Entry], int]:
        """As `exchanges`, and how many may be added while these stay; -1 if they need not stay."""
        size = 2 * (k + step)
        while k > 0:
            entries = await self.tail(size)
            said = talk(entries)
            starts = [place for place, entry in enumerate(said) if entry.message["role"] == "user"]
            # One that goes on with a call after its answer counts as before: the others must not come back for it.
            waits = bool(starts) and not any(is_answer(entry.message) for entry in said[starts[-1] :])
            whole = starts[:-1] if waits else starts
            if not step and len(whole) >= k:
                return said[whole[-k] :], -1
            if len(whole) > k + step or len(entries) < size:
                if not step:  # All of them, and there is room for the others.
                    # With the last of them, what stands before the first goes.
                    room = k - len(whole) - bool(waits) - (starts[:1] != [0])
                    return said, room if room > 0 else -1
                from memzoo.memories.text.eviction import Steps

                steps, ones = Steps.above(k, step, _OF_AN_EXCHANGE), [1] * len(whole)
                count = await self.counter()
                numbers = [count(said[place].seq) for place in whole]
                first = steps.first(numbers, ones)
                # An exchange may have any number of messages: it must not come to begin at one that is added.
                newest = count(said[-1].seq + 1) - 1 if said else 0
                room = min(steps.room(numbers, ones, newest, begins=first), k - 1) - bool(waits)
                return said[whole[first] :] if first else said, room if room > 0 else -1
            size *= 2
        return [], -1

    async def start_of_exchanges(self, k: int, step: int = 0) -> int:
        """The number with which the newest `k` exchanges begin; that after the newest message for `k` below 1."""
        if entries := await self.exchanges(k, step):
            return entries[0].seq
        newest = await self.tail(1)
        return newest[0].seq + 1 if newest else 1

    async def unanswered(self) -> list[Entry]:
        """The newest user message and everything after it, if it is unanswered; else nothing."""
        newest = await self.exchanges(1)
        return [newest[place] for place in find_unanswered(messages_of(newest))]

    async def last_question(self) -> str:
        """The user's last words; "" if there are none."""
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
        return clearing.replace_old(entries) if self._form == "shown" else list(clearing.replace_all(entries))

    def _cap(self, last: int) -> int:
        return last if self.until is None else min(last, self.until)

    def _end(self, entries: Sequence[Entry]) -> int:
        """The place after the last entry to be seen."""
        if self.until is None or not entries or entries[-1].seq <= self.until:
            return len(entries)
        return bisect_right(entries, self.until, key=_seq)


def own_copies(entries: Iterable[Entry]) -> list[Entry]:
    """Copies of entries, for a caller to change: the log's own never change."""
    return [replace(one, message=copy_json(one.message), fields=dict(one.fields)) for one in entries]


def messages_of(entries: Sequence[Entry], *, usage: bool = False) -> list[Message]:
    """Return the messages of entries, in order; with `usage`, answers also have their model and their cost."""
    return [{**entry.message, **entry.answered} if usage else entry.message for entry in entries]


def talk(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that are no system messages."""
    return [entry for entry in entries if entry.message["role"] not in INSTRUCTIONS]
