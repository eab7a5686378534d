"""Two turns of one conversation at once."""

import asyncio
import threading
from pathlib import Path

import pytest

from memzoo.errors import TurnError
from memzoo.memories import BaseMemory, ConversationBufferMemory, create_memory
from memzoo.memories.engine.locks import turn_locks
from memzoo.stores import InMemoryStore, open_store
from tests.memories.chat.turns import CALL, RESULT, contents


class TestTwoAtOnce:
    """Two turns of one conversation."""

    @pytest.fixture
    def twins(self) -> tuple[BaseMemory, BaseMemory]:
        """Two memory objects of one conversation in one store."""
        store = InMemoryStore()
        first, second = (create_memory(name, store=store, conversation_id="a") for name in ("buffer", "window"))
        return first, second

    def test_the_second_is_refused(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """With "refuse" it is a typed error at once, from another memory of the conversation too; others are free."""
        first, second = twins
        with first.turn("one") as turn:
            with pytest.raises(TurnError, match="'a' is under way"), second.turn("two", busy="refuse"):
                pass
            with create_memory("buffer", store=first.store, conversation_id="b").turn("b", busy="refuse") as other:
                other.add("b")
            turn.add("1")
        assert contents(first.history()) == ["one", "1"]

    def test_a_turn_inside_itself_is_refused(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Waiting for a turn from inside it would never end, in a thread or in a task: an error says so."""
        first, second = twins
        with first.turn("one") as turn:
            with pytest.raises(TurnError, match="never end"), second.turn("two"):
                pass
            turn.add("1")

        async def nested() -> None:
            async with first.turn("one") as turn:
                with pytest.raises(TurnError, match="never end"):
                    await second.turn("two").__aenter__()
                with turn.waiting(), pytest.raises(TurnError, match="never end"):
                    await asyncio.create_task(second.turn("two").__aenter__())
                turn.add("1")

        asyncio.run(nested())
        assert contents(first.history()) == ["one", "1", "one", "1"]

    def test_a_synchronous_turn_does_not_stop_the_loop_that_it_waits_for(
        self, twins: tuple[BaseMemory, BaseMemory]
    ) -> None:
        """A synchronous call in a loop cannot wait for a task of that loop: an error says so; nothing stands still."""
        first, second = twins

        async def scene() -> None:
            held, go = asyncio.Event(), asyncio.Event()

            async def hold() -> None:
                async with first.turn("one") as turn:
                    held.set()
                    await go.wait()
                    turn.add("1")

            task = asyncio.create_task(hold())
            await held.wait()
            with pytest.raises(TurnError, match="never end"):
                second.turn("two").__enter__()
            go.set()
            await task

        asyncio.run(scene())
        assert contents(first.history()) == ["one", "1"]

    def test_the_second_thread_waits(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """In threads, each turn sees all turns before it whole, and none is lost."""
        seen: list[int] = []

        def talk(memory: BaseMemory) -> None:
            for _ in range(10):
                with memory.turn("tick") as turn:
                    seen.append(len(first.history()))
                    turn.add("tock")

        first, _ = twins
        threads = [threading.Thread(target=talk, args=(memory,)) for memory in (*twins, *twins)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == list(range(0, 80, 2))

    def test_a_thread_waits_for_the_end_of_anothers_turn(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """A turn that a thread begins while another one is open comes after it."""
        first, second = twins
        lock = turn_locks.of(first.store, "a")

        def talk() -> None:
            with second.turn("two") as turn:
                turn.add("2")

        thread = threading.Thread(target=talk)
        with first.turn("one") as turn:
            thread.start()
            while not lock._queue:  # pyright: ignore[reportPrivateUsage]
                thread.join(0.001)
                assert thread.is_alive()
            turn.add("1")
        thread.join()
        assert contents(first.history()) == ["one", "1", "two", "2"]

    def test_the_second_task_waits_and_the_loop_goes_on(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Tasks wait in the order in which they came, while other tasks run; a cancelled one leaves the row."""
        first, second = twins
        order: list[str] = []

        async def talk(memory: BaseMemory, said: str) -> None:
            async with memory.turn(said) as turn:
                order.append(said)
                turn.add("ok")

        async def scene() -> None:
            async with first.turn("zero") as turn:
                tasks = [asyncio.create_task(talk(second, said)) for said in ("one", "two", "three")]
                await asyncio.sleep(0)
                tasks[1].cancel()
                await asyncio.sleep(0)
                turn.add("ok")
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(result) for result in results] == [type(None), asyncio.CancelledError, type(None)]

        asyncio.run(scene())
        assert order == ["one", "three"]
        assert contents(first.history()) == ["zero", "ok", "one", "ok", "three", "ok"]

    def test_a_place_that_is_given_to_a_cancelled_task_goes_to_the_next(
        self, twins: tuple[BaseMemory, BaseMemory]
    ) -> None:
        """A task that is cancelled just when its turn has come passes it on."""
        first, second = twins

        async def wait() -> None:
            async with second.turn("late") as turn:
                turn.add("never")

        async def scene() -> None:
            async with first.turn("one") as turn:
                waiting = asyncio.create_task(wait())
                await asyncio.sleep(0)
                turn.add("1")
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            async with first.turn("two", busy="refuse") as turn:
                turn.add("2")

        asyncio.run(scene())
        assert contents(first.history()) == ["one", "1", "two", "2"]

    def test_a_task_waits_for_a_thread(self, twins: tuple[BaseMemory, BaseMemory]) -> None:
        """Threads and tasks stand in one row."""
        first, second = twins
        begun, go = threading.Event(), threading.Event()

        def in_thread() -> None:
            with first.turn("thread") as turn:
                begun.set()
                go.wait(timeout=30)
                turn.add("ok")

        async def in_task() -> None:
            async with second.turn("task") as turn:
                turn.add("ok")

        async def scene() -> None:
            thread = asyncio.create_task(asyncio.to_thread(in_thread))
            await asyncio.to_thread(begun.wait, 30)
            task = asyncio.create_task(in_task())
            await asyncio.sleep(0)
            go.set()
            await asyncio.gather(thread, task)

        asyncio.run(scene())
        assert contents(first.history()) == ["thread", "ok", "task", "ok"]

    def test_of_two_processes_both_are_stored_whole(self, tmp_path: Path) -> None:
        """Where nobody can wait, because the other is another process, neither vanishes and they do not mix."""
        stores = [open_store(f"sqlite:///{tmp_path}/a.db") for _ in range(2)]
        first, second = (ConversationBufferMemory(store=store, conversation_id="a") for store in stores)
        with first.turn("one") as one, second.turn("two") as two:
            one.add(CALL, RESULT, "1")
            two.add("2")
        assert contents(first.history()) == ["two", "2", "one", None, "done", "1"]
        for store in stores:
            store.close()
