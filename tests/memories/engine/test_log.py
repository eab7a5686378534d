"""The log as a memory follows it: read once, in step with whoever writes, never past a chosen number."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.memories.engine.log import CachedLog
from memzoo.stores import Entries, Entry, InMemoryStore, Record
from memzoo.strategy import Log
from memzoo.sync import drive


class Counting(InMemoryStore):
    """Counts reads, and the entries that they give."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[int] = []

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        entries = await super().read(conversation_id, **bounds)
        self.reads.append(len(entries))
        return entries


class WithoutEpochs(InMemoryStore):
    """A store that tells no epoch, as somebody else's may not."""

    async def read(self, conversation_id: str, **bounds: Any) -> Any:
        """See `Store.read`."""
        return list(await super().read(conversation_id, **bounds))


def say(store: InMemoryStore, first: int, last: int) -> list[Entry]:
    """Append messages, each a turn of its own; even numbers are the assistant's."""
    said: list[Entry] = []
    for number in range(first, last + 1):
        record = Record({"role": "assistant" if number % 2 == 0 else "user", "content": f"{number}"})
        said += drive(store.append("a", [record], turn_id=f"{number}"))
    return said


def seqs(entries: list[Entry]) -> list[int]:
    """The numbers of entries."""
    return [entry.seq for entry in entries]


def follow(store: InMemoryStore) -> tuple[CachedLog, Log]:
    """A cached log that has looked once, and the log."""
    cached = CachedLog(store, "a")
    drive(cached.refresh())
    return cached, Log(cached)


class TestFollowing:
    """What is read, and when."""

    def test_each_message_is_read_once(self) -> None:
        """After the first look, a look reads what is new and nothing else (I12)."""
        store = Counting()
        say(store, 1, 10)
        cached, log = follow(store)
        say(store, 11, 13)
        drive(cached.refresh())
        drive(cached.refresh())
        assert seqs(drive(log.after(0))) == list(range(1, 14))
        assert store.reads == [10, 3, 0]

    def test_what_was_just_appended_is_not_read(self) -> None:
        """The entries that an append returns are taken in as they are."""
        store = Counting()
        say(store, 1, 2)
        cached, log = follow(store)
        assert cached.add(say(store, 3, 4))
        assert seqs(drive(log.tail(3))) == [2, 3, 4]
        assert store.reads == [2]

    def test_what_somebody_else_appended_in_between_is_noticed(self) -> None:
        """A gap before what was just appended means that the log has to be read."""
        store = Counting()
        say(store, 1, 2)
        cached, log = follow(store)
        say(store, 3, 3)
        assert not cached.add(say(store, 4, 4))
        drive(cached.refresh())
        assert seqs(drive(log.after(0))) == [1, 2, 3, 4]

    def test_only_the_end_is_read_at_first(self) -> None:
        """Of a long log as much is read as is looked at, in a few reads."""
        store = Counting()
        say(store, 1, 1000)
        _, log = follow(store)
        assert seqs(drive(log.tail(10))) == list(range(991, 1001))
        assert sum(store.reads) <= 100
        assert seqs(drive(log.tail(500))) == list(range(501, 1001))
        assert seqs(drive(log.after(0))) == list(range(1, 1001))
        assert len(store.reads) <= 5
        assert sum(store.reads) == 1000

    def test_gaps_are_no_reason_to_read_again(self) -> None:
        """Numbers that were forgotten are looked for once."""
        store = Counting()
        say(store, 1, 200)
        drive(store.forget("a", range(1, 101)))
        _, log = follow(store)
        for _ in range(3):
            assert seqs(drive(log.after(50))) == list(range(101, 201))
        assert sum(store.reads) == 100

    def test_what_nobody_looks_at_is_let_go_of(self) -> None:
        """However long a conversation grows, a short view holds a bounded part of it."""
        store = InMemoryStore()
        cached, log = follow(store)
        drive(cached.refresh())
        for number in range(1, 2001):
            if not cached.add(say(store, number, number)):
                drive(cached.refresh())
            drive(log.tail(4))
            cached.lines[number] = "line"
        assert len(cached.entries) <= 300
        assert min(cached.lines) >= cached.entries[0].seq
        assert seqs(drive(log.tail(4))) == [1997, 1998, 1999, 2000]
        assert seqs(drive(log.after(0))) == list(range(1, 2001))


DELETIONS: list[Callable[[InMemoryStore], Any]] = [
    lambda store: drive(store.forget("a", [2, 3])),
    lambda store: drive(store.forget("a", [2, 3], derived=False)),
    lambda store: [drive(store.clear("a")), say(store, 1, 1)],
]


@pytest.mark.parametrize("delete", DELETIONS, ids=["forget", "evict", "clear"])
@pytest.mark.parametrize("store", [InMemoryStore, WithoutEpochs])
def test_a_deletion_by_others_is_seen(delete: Callable[[InMemoryStore], Any], store: type[InMemoryStore]) -> None:
    """What somebody else deleted is gone at the next look, and so is what was computed from it (I12)."""
    kept = store()
    say(kept, 1, 6)
    cached, log = follow(kept)
    assert len(drive(log.after(0))) == 6
    cached.lines[2] = "2"
    delete(kept)
    drive(cached.refresh())
    assert seqs(drive(log.after(0))) == seqs(drive(kept.read("a")))
    assert 2 not in cached.lines


def test_a_deletion_while_the_beginning_is_read_is_seen() -> None:
    """What is held is of one epoch: a deletion between two reads of one view starts anew."""
    store = InMemoryStore()
    say(store, 1, 200)
    _, log = follow(store)
    drive(store.forget("a", [1, 200]))
    assert seqs(drive(log.after(0))) == list(range(2, 200))


def test_the_log_ends_where_it_is_told_to() -> None:
    """What is derived from the log up to a number is the same, whatever was said since."""
    store = InMemoryStore()
    say(store, 1, 300)
    _, log = follow(store)
    bounded = log.until_number(150)
    assert seqs(drive(bounded.tail(2))) == [149, 150]
    assert seqs(drive(bounded.after(147))) == [148, 149, 150]
    assert seqs(drive(bounded.exchanges(1))) == [149, 150]
    assert drive(bounded.start_of_exchanges(0)) == 151
    assert seqs(drive(log.between(3, 4))) == [3, 4]
    assert seqs(drive(log.between(298, 400))) == [298, 299, 300]
    assert seqs(drive(bounded.page(2, newest_first=True))) == [150, 149]
    assert seqs(drive(bounded.page(2, before=200, newest_first=True))) == [150, 149]
    assert seqs(drive(bounded.page(before=4))) == [1, 2, 3]
    assert drive(bounded.page(before=300, after=150)) == []


def test_tasks_that_look_at_the_same_time_see_everything_once() -> None:
    """Tasks and threads that follow one log hold each entry once, in order (I3)."""

    class Slow(InMemoryStore):
        async def read(self, conversation_id: str, **bounds: Any) -> Entries:
            entries = await super().read(conversation_id, **bounds)
            await asyncio.sleep(0)
            return entries

    async def look() -> list[int]:
        store = Slow()
        cached = CachedLog(store, "a")
        for number in range(1, 40):
            await store.append("a", [Record({"role": "user", "content": "x"})], turn_id=f"{number}")
            await asyncio.gather(*(cached.refresh() for _ in range(4)))
        return seqs(cached.entries)

    assert asyncio.run(look()) == list(range(1, 40))


class HeldUp(InMemoryStore):
    """A store of which readers can be held up after they have read."""

    def __init__(self) -> None:
        super().__init__()
        self.held: asyncio.Event | None = None

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        entries = await super().read(conversation_id, **bounds)
        if held := self.held:
            await held.wait()
        return entries


def test_tasks_that_look_far_back_at_the_same_time_see_everything_once() -> None:
    """Two that read the same old entries hold them once, in order (I3)."""

    async def look() -> list[list[int]]:
        store = HeldUp()
        say(store, 1, 200)
        cached = CachedLog(store, "a")
        await cached.refresh()
        held = store.held = asyncio.Event()
        looks = [asyncio.create_task(Log(cached).after(0)) for _ in range(2)]
        await asyncio.sleep(0)
        held.set()
        return [seqs(entries) for entries in await asyncio.gather(*looks)]

    assert asyncio.run(look()) == [list(range(1, 201))] * 2


def test_what_was_deleted_while_a_slow_reader_read_is_not_seen() -> None:
    """Old entries that were read before a deletion are not put beside newer ones that were read after it (I12)."""

    async def look() -> list[int]:
        store = HeldUp()
        say(store, 1, 200)
        cached = CachedLog(store, "a")
        await cached.refresh()
        held = store.held = asyncio.Event()
        slow = asyncio.create_task(Log(cached).after(0))
        await asyncio.sleep(0)
        store.held = None
        await store.forget("a", [3])
        await cached.refresh()
        held.set()
        return seqs(await slow)

    assert asyncio.run(look()) == [1, 2, *range(4, 201)]


@given(
    until=st.integers(0, 14),
    ranges=st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=3),
    held=st.booleans(),
)
def test_nothing_beyond_the_end_and_nothing_left_out_is_seen(
    *, until: int, ranges: list[tuple[int, int]], held: bool
) -> None:
    """Every way to read a log keeps to its end, and passes over what it is to be without, like a plain list."""
    store = InMemoryStore()
    say(store, 1, 12)
    cached, _ = follow(store)
    if not held:
        cached._held = cached.entries[8:], 9  # pyright: ignore[reportPrivateUsage]
    log = Log(cached, until).passing_over([(min(one), max(one)) for one in ranges])
    seen = [n for n in range(1, 13) if n <= until and not any(min(one) <= n <= max(one) for one in ranges)]
    for number in (0, 3, 12):
        assert seqs(drive(log.after(number))) == [n for n in seen if n > number]
        assert seqs(drive(log.after(number, limit=2))) == [n for n in seen if n > number][:2]
        assert seqs(drive(log.tail(number))) == seen[max(len(seen) - number, 0) :]
        assert seqs(drive(log.tail(3, after=number))) == [n for n in seen[-3:] if n > number]
        assert seqs(drive(log.between(number, 11))) == [n for n in seen if number <= n <= 11]
    newest = seqs(drive(log.exchanges(2)))
    assert newest == seen[len(seen) - len(newest) :]
    shorter = log.until_number(min(until, 5))
    assert seqs(drive(shorter.after(0))) == [n for n in seen if n <= 5]
