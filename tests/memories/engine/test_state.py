"""The state that a memory knows: in step with the store, whoever writes, whoever reads late."""

import asyncio
import gc
import weakref
from collections.abc import Mapping
from typing import Any

import pytest

from memzoo.errors import ConflictError
from memzoo.memories.engine.locks import FairLock, StateLock
from memzoo.memories.engine.state import CachedState
from memzoo.stores import JSON, InMemoryStore, Record, StateUpdate
from memzoo.strategy import Changes
from memzoo.sync import drive


class Listener:
    """Follows a state as a graph or an index does."""

    def __init__(self) -> None:
        self.items: dict[str, JSON] = {}
        self.told = 0

    async def __call__(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Take in what changed."""
        self.told += 1
        if reset:
            self.items.clear()
        self.items.update(changes)


class SlowStore(InMemoryStore):
    """A store of which a reader can be held up after it has read."""

    def __init__(self) -> None:
        super().__init__()
        self.held: asyncio.Event | None = None

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        update = await super().read_state(conversation_id, strategy, since=since)
        held, self.held = self.held, None
        if held:
            await held.wait()
        return update


def cached_state(store: InMemoryStore, listener: Listener | None = None) -> CachedState:
    """A cached state."""
    return CachedState(store, "a", "test", listener or Listener())


def store_with(**items: Any) -> SlowStore:
    """A store with a message and a state."""
    store = SlowStore()
    drive(store.append("a", [Record({"role": "user", "content": "x"})], turn_id="t"))
    drive(cached_state(store).commit(drive(cached_state(store).refresh()), Changes(items), 1))
    return store


class TestKeeper:
    """`CachedState`."""

    def test_reads_and_commits(self) -> None:
        """What one reader committed another one reads, with the watermark; `None` removes an item."""
        store = store_with(a=1, b=2)
        one, two = cached_state(store), cached_state(store)
        state = drive(one.refresh())
        assert (state.items, state.watermark) == ({"a": 1, "b": 2}, 1)
        drive(two.refresh())
        drive(one.commit(state, Changes({"a": None, "c": 3}), 2))
        assert drive(two.refresh()).items == drive(one.refresh()).items == {"b": 2, "c": 3}
        assert drive(two.refresh()).watermark == 2

    def test_commits_only_what_was_derived_from_the_newest(self) -> None:
        """Of two commits from one state the second is refused, and changes nothing (I3)."""
        store = store_with(a=1)
        one, two = cached_state(store), cached_state(store)
        first, second = drive(one.refresh()), drive(two.refresh())
        drive(one.commit(first, Changes({"a": 2}), 2))
        with pytest.raises(ConflictError):
            drive(two.commit(second, Changes({"a": 3}), 2))
        assert drive(two.refresh()).items == {"a": 2}

    def test_gives_states_that_stay_as_they_are(self) -> None:
        """A state that somebody holds does not change under their hands."""
        store = store_with(a=1)
        one = cached_state(store)
        state = drive(one.refresh())
        drive(one.commit(state, Changes({"a": 2}), 2))
        assert state.items == {"a": 1}

    def test_tells_nobody_of_a_commit_without_items(self) -> None:
        """Who follows the items has nothing to do for embeddings alone, whoever committed them."""
        store, listener = store_with(a=1), Listener()
        one, two = cached_state(store, listener), cached_state(store, listener)
        state = drive(one.refresh())
        drive(two.refresh())
        told = listener.told
        state = drive(one.commit(state, Changes(embeddings={1: bytes(4)}), 1))
        assert drive(two.refresh()).version == state.version
        assert listener.told == told
        drive(one.commit(state, Changes({"a": 2}), 2))
        drive(two.refresh())
        assert (listener.told, listener.items) == (told + 2, {"a": 2})

    def test_notices_a_clear(self) -> None:
        """After a clear the state is empty, counts a new epoch, and readers forget (I3)."""
        store, listener = store_with(a=1), Listener()
        one = cached_state(store, listener)
        before = drive(one.refresh())
        drive(store.clear("a"))
        after = drive(one.refresh())
        assert (after.items, after.watermark, listener.items) == ({}, 0, {})
        assert after.epoch > before.epoch
        assert drive(one.refresh()).epoch == after.epoch

    def test_notices_a_clear_that_was_followed_by_more(self) -> None:
        """A conversation that was cleared and began anew is another one, though its numbers are the same."""
        store, listener = store_with(a=1), Listener()
        one = cached_state(store, listener)
        drive(one.refresh())
        drive(store.clear("a"))
        drive(store.append("a", [Record({"role": "user", "content": "y"})], turn_id="u"))
        two = cached_state(store)
        drive(two.commit(drive(two.refresh()), Changes({"b": 2}), 1))
        assert drive(one.refresh()).items == listener.items == {"b": 2}

    def test_is_not_thrown_back_by_a_slow_reader(self) -> None:
        """A reader that was held up with old news does not undo what was committed meanwhile (I3, F4)."""
        store, listener = store_with(a=1), Listener()
        one = cached_state(store, listener)

        async def race() -> None:
            held = store.held = asyncio.Event()
            slow = asyncio.create_task(one.refresh())
            await asyncio.sleep(0)
            state = await one.refresh()
            state = await one.commit(state, Changes({"b": 2}), 2)
            held.set()
            await slow
            await one.commit(state, Changes({"c": 3}), 3)

        asyncio.run(race())
        assert drive(one.refresh()).items == listener.items == {"a": 1, "b": 2, "c": 3}
        assert drive(one.refresh()).watermark == 3


class TestStateLock:
    """`StateLock`."""

    def test_lets_one_task_in_at_a_time(self) -> None:
        """Of several tasks one is inside, and it is seen from outside that somebody is (F4)."""
        lock, inside, most = StateLock(), 0, 0

        async def enter() -> None:
            nonlocal inside, most
            async with lock.hold():
                inside += 1
                most = max(most, inside)
                assert lock.is_taken
                await asyncio.sleep(0)
                inside -= 1

        async def enter_all() -> None:
            await asyncio.gather(*(enter() for _ in range(5)))

        asyncio.run(enter_all())
        asyncio.run(enter_all())
        assert most == 1
        assert not lock.is_taken

    def test_is_left_after_an_error(self) -> None:
        """Who fails inside does not keep others out, in sync calls and in tasks."""
        lock = StateLock()

        async def fail() -> None:
            async with lock.hold():
                raise LookupError

        for run in (drive, asyncio.run):
            with pytest.raises(LookupError):
                run(fail())
            assert not lock.is_taken

    def test_is_left_by_a_sync_call_that_cannot_go_on(self) -> None:
        """A sync call that reaches something asynchronous ends with an error, and leaves nobody locked out (I5)."""
        lock = StateLock()

        async def wait() -> None:
            async with lock.hold():
                await asyncio.sleep(0)

        with pytest.raises(RuntimeError, match="asynchronous"):
            drive(wait())
        assert not lock.is_taken

    def test_is_left_by_a_cancelled_task(self) -> None:
        """A task that is cancelled inside lets the next one in."""

        async def cancel() -> bool:
            lock = StateLock()

            async def stay() -> None:
                async with lock.hold():
                    await asyncio.Event().wait()

            task = asyncio.create_task(stay())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return lock.is_taken

        assert asyncio.run(cancel()) is False


def test_a_lock_that_was_given_back_leaves_nothing_behind() -> None:
    """A thread that saves for years keeps none of the owners that its locks have had."""
    lock = FairLock()
    owner = drive(lock.take())
    assert owner
    lock.give_back(owner)
    known = weakref.ref(owner)
    del owner
    gc.collect()
    assert known() is None
