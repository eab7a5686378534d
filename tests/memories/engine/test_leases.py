"""One process at a time learns a state, of all that share a store; the others show what waits."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory, ChatModel, create_memory
from memzoo.memories.engine.leaseholder import Leaseholder, has_ended
from memzoo.memories.models.chat import ChatFunction
from memzoo.memories.models.embedders import HashEmbedder
from memzoo.stores import EncryptedStore, InMemoryStore, Lease, Message, SQLStore
from memzoo.sync import drive

Make = Callable[..., BaseMemory]

QUESTION = {"input": "Who is Sam?"}
ELSEWHERE = "another machine/1/1/1"
DAY = 86_400.0

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells of processes")


class Shared(SQLStore):
    """A store that several processes can share."""

    def __init__(self) -> None:
        super().__init__("sqlite://")


def tell(memory: BaseMemory, text: str = "Sam lives in Oslo") -> None:
    """Save an exchange."""
    memory.save_context({"input": text}, {"output": "I see"})


def wait_with(memory: BaseMemory, *texts: str) -> None:
    """Save exchanges from which a later call learns."""
    for text in (*texts, "Eve likes milk"):  # what was said last, a summary buffer shows as it is
        memory.add_messages([{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}], learn=False)


def owner_now(memory: BaseMemory, owner: str = ELSEWHERE) -> str:
    """Who has the lease of the memory's state, after this owner asked for it."""
    lease = drive(memory.store.lease("a", memory.learners[0].name, owner=owner, seconds=DAY))  # type: ignore[attr-defined]
    assert isinstance(lease, Lease)
    return lease.owner


def calls(memory: BaseMemory) -> int:
    """What it asked a model."""
    return memory.usage.total.calls


class Counted:
    """An embedder that counts its calls."""

    name, weight, calls = "counted", 8.0, 0

    async def embed(self, texts: Any) -> Any:
        """See `Embedder.embed`."""
        self.calls += 1
        return await HashEmbedder().embed(texts)


@pytest.mark.parametrize("name", ["summary", "entity"])
class TestElsewhere:
    """Another process has the lease."""

    def test_what_another_one_learns_is_shown_word_for_word(self, name: str, make: Make) -> None:
        """Saves and loads ask no model and do not wait; all that was said is shown."""
        memory = make(name, Shared())
        tell(memory)
        before = calls(memory)
        assert owner_now(memory) == ELSEWHERE
        tell(memory, "Sam likes tea")
        tell(memory, "Sam likes milk")
        shown = str(memory.load_memory_variables(QUESTION))
        assert calls(memory) == before
        assert "Sam likes tea" in shown
        assert "Sam likes milk" in shown

    def test_when_it_is_given_back_the_next_call_learns(self, name: str, make: Make) -> None:
        """What waited is learnt from once, by a load too."""
        memory = make(name, Shared())
        tell(memory)
        owner_now(memory)
        tell(memory, "Sam likes tea")
        drive(memory.store.release("a", memory.learners[0].name, ELSEWHERE))  # type: ignore[attr-defined]
        memory.load_memory_variables(QUESTION)
        again = make(name, memory.store)
        again.load_memory_variables(QUESTION)
        assert calls(memory) > 0
        assert calls(again) == 0

    def test_what_it_has_learnt_meanwhile_is_not_asked_again(self, name: str, make: Make) -> None:
        """Who gets the lease looks first what is left to do."""

        class Late(Shared):
            """A store in which another process learns, and gives the lease back just before this one gets it."""

            late: Any = None

            async def lease(self, *key: str, **asked: Any) -> Lease | None:
                """See `LeasingStore.lease`."""
                other, self.late = self.late, None
                if other:
                    other.settle()
                return await super().lease(*key, **asked)

        store = Late()
        memory, other = make(name, store), make(name, store, llm=make(name).llm)
        wait_with(memory, "Sam likes tea")
        other.learners[0].lock = type(other.learners[0].lock)()  # as in another process
        store.late = other
        memory.settle()
        assert calls(other) > 0
        assert calls(memory) == 0

    def test_settle_waits_for_it(self, name: str, make: Make) -> None:
        """`settle` and `relearn` return when all is learnt, so they wait until the lease is given back."""

        class Busy(Shared):
            """A store whose lease is given back when it was asked for a second time."""

            asked = 0

            async def lease(self, *key: str, **asked: Any) -> Lease | None:
                """See `LeasingStore.lease`."""
                self.asked += 1
                if self.asked == 2:
                    await self.release("a", key[1], ELSEWHERE)
                return await super().lease(*key, **asked)

        store = Busy()
        memory = make(name, store)
        for work in (memory.settle, memory.relearn):
            wait_with(memory, "Sam likes tea")
            drive(Shared.lease(store, "a", memory.learners[0].name, owner=ELSEWHERE, seconds=DAY))
            store.asked, before = 0, calls(memory)
            work()
            assert store.asked > 1
            assert calls(memory) > before

    def test_it_is_given_back_when_a_model_fails(self, name: str, make: Make) -> None:
        """After a failure another process may try at once."""

        def fails(_: list[Message]) -> str:
            raise RuntimeError("no")

        memory = make(name, Shared(), llm=fails).clone(on_model_error="defer")
        tell(memory)
        tell(memory)
        assert drive(memory.learners[0].refresh()).attempts.failures > 0
        assert owner_now(memory) == ELSEWHERE

    def test_it_is_given_back_when_a_call_is_cancelled(self, name: str, make: Make) -> None:
        """So it is if whoever waits for a save goes away."""

        async def leave() -> BaseMemory:
            asked = asyncio.Event()

            async def slow(_: list[Message]) -> str:
                asked.set()
                await asyncio.Event().wait()
                return ""

            memory = make(name, Shared(), llm=slow)
            wait_with(memory, "Sam likes tea")
            task = asyncio.create_task(memory.asave_context({"input": "Sam likes tea"}, {"output": "ok"}))
            await asked.wait()
            assert (await memory.store.lease("a", memory.learners[0].name, owner="x", seconds=1)).owner != "x"  # type: ignore[attr-defined]
            task.cancel()
            await asyncio.wait([task])
            return memory

        assert owner_now(asyncio.run(leave())) == ELSEWHERE

    def test_after_a_clear_by_another_one_the_next_save_learns(self, name: str, make: Make) -> None:
        """A conversation that another process began anew has small numbers again, and is learnt from all the same."""
        memory = make(name, Shared())
        for _ in range(4):
            tell(memory)
        create_memory("buffer", store=memory.store, conversation_id="a").clear()
        before = calls(memory)
        tell(memory)
        assert calls(memory) > before

    def test_a_lost_lease_harms_no_state(self, name: str, make: Make, clerk: ChatFunction) -> None:
        """If it ends during a call and another process learns the same, what that one committed counts."""
        store = Shared()
        other = make(name, store)

        def slow(messages: list[Message]) -> Any:
            held = drive(store.lease("a", memory.learners[0].name, owner="x", seconds=DAY))
            assert held
            drive(store.release("a", memory.learners[0].name, held.owner))
            other.learners[0].lock = type(other.learners[0].lock)()
            other.settle()
            return clerk(messages)

        memory = make(name, store, llm=slow)
        tell(memory)
        memory.settle()
        alone = make(name)
        tell(alone)
        for one in (memory, other):
            assert one.load_memory_variables(QUESTION) == alone.load_memory_variables(QUESTION)

    @on_linux
    def test_that_of_a_killed_process_is_taken_over(self, name: str, make: Make) -> None:
        """Where the holder was a process of this machine that is gone, nobody waits until its lease ends."""
        memory = make(name, Shared())
        wait_with(memory, "Sam likes tea")
        assert owner_now(memory, owner_that_has_ended()) == owner_that_has_ended()
        memory.load_memory_variables(QUESTION)
        assert calls(memory) > 0

    def test_one_that_could_not_be_given_back_is_taken_over(self, name: str, make: Make) -> None:
        """When a disk that was full has room again, nobody waits for a lease that nobody has."""

        class Full(Shared):
            """A store on a disk that is full for a while."""

            is_full = True

            async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
                """See `LeasingStore.release`."""
                if self.is_full:
                    raise StoreError("the disk is full")
                await super().release(conversation_id, strategy, owner)

        store = Full()
        memory = make(name, store)
        wait_with(memory, "Sam likes tea")
        memory.settle()
        before = calls(memory)
        assert owner_now(memory) != ELSEWHERE
        store.is_full = False
        wait_with(memory, "Sam lives in Oslo")
        memory.load_memory_variables(QUESTION)
        assert calls(memory) > before
        assert owner_now(memory) == ELSEWHERE

    def test_one_whose_answer_was_lost_is_taken_over(self, name: str, make: Make) -> None:
        """A connection may break after the store gave the lease, and before the caller hears of it."""

        class Cut(Shared):
            """A store whose connection breaks while it answers for the first time."""

            is_cut = True

            async def lease(self, *key: str, **asked: Any) -> Lease | None:
                """See `LeasingStore.lease`."""
                lease = await super().lease(*key, **asked)
                if self.is_cut:
                    self.is_cut = False
                    raise StoreError("the connection was cut")
                return lease

        memory = make(name, Cut())
        wait_with(memory, "Sam likes tea")
        with pytest.raises(StoreError, match="was cut"):
            memory.settle()
        assert owner_now(memory) != ELSEWHERE
        memory.load_memory_variables(QUESTION)
        assert calls(memory) > 0
        assert owner_now(memory) == ELSEWHERE

    def test_that_of_a_call_that_was_thrown_away_is_taken_over(self, name: str, make: Make) -> None:
        """It could not wait until the lease was given back."""

        async def leave(memory: BaseMemory) -> None:
            call = memory.asettle()
            call.send(None)
            assert owner_now(memory) != ELSEWHERE
            call.close()

        async def slow(_: list[Message]) -> str:
            await asyncio.Event().wait()
            return ""

        store = Shared()
        left, memory = make(name, store, llm=slow), make(name, store)
        wait_with(left, "Sam likes tea")
        asyncio.run(leave(left))
        memory.load_memory_variables(QUESTION)
        assert calls(memory) > 0


OWN_NAME = """
from memzoo.memories.engine.leaseholder import Leaseholder
from memzoo.stores import InMemoryStore
print(Leaseholder(InMemoryStore(), "a", "s", 1).owner)
"""


def owner_that_has_ended(_: list[str] = []) -> str:  # noqa: B006 - asked once
    """The name of an owner in a process of this machine that ran a moment ago."""
    if not _:
        _.append(subprocess.run([sys.executable, "-c", OWN_NAME], capture_output=True, check=True, text=True).stdout)
    return _[0].strip()


@on_linux
def test_living_processes_are_told_from_ended_ones() -> None:
    """A process is known by its machine, its number and when it began; of other machines nothing is known."""
    own, gone = Leaseholder(InMemoryStore(), "a", "s", 1).owner, owner_that_has_ended()
    assert not has_ended(own)
    assert has_ended(gone)
    machine, _, rest = gone.partition("/")
    assert not has_ended(f"{machine[::-1]}/{rest}")
    assert has_ended(f"{own.rsplit('/', 2)[0]}/1/x")  # this number, but of a process that began at another time
    assert not any(map(has_ended, ("", "x", "x/y", "//", f"{machine}/x/1/1", f"{machine}/-1/1/1")))
    assert Path("/proc/self").exists()


@on_linux
def test_a_process_that_its_parent_has_not_buried_yet_has_ended() -> None:
    """A server that never asks for the exit codes of its workers keeps no lease of theirs."""
    with subprocess.Popen([sys.executable, "-c", OWN_NAME], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        owner = worker.stdout.read().strip()
        os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{worker.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
        assert has_ended(owner)


def test_who_waits_for_a_lease_asks_at_least_once_a_second(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses grow, but not beyond that, however long another process learns."""
    store, pauses = Shared(), list[float]()
    wait_with(make("summary", store))
    drive(store.lease("a", "summary", owner=ELSEWHERE, seconds=DAY))

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 12:
            await store.release("a", "summary", ELSEWHERE)

    monkeypatch.setattr("memzoo.memories.engine.leaseholder.pause", pause)
    assert drive(Leaseholder(store, "a", "summary", DAY).hold(wait=True))
    assert pauses == sorted(pauses)
    assert pauses[0] < 0.1
    assert pauses[-4:] == [1.0] * 4


def test_nobody_waits_for_a_lease_of_the_same_process(make: Make) -> None:
    """A synchronous `settle` in an event loop that has a save under way would wait for ever."""

    async def talk() -> int:
        asked, go = asyncio.Event(), asyncio.Event()

        async def slow(_: list[Message]) -> str:
            asked.set()
            await go.wait()
            return "A summary."

        memory = make("summary", Shared(), llm=slow)
        task = asyncio.create_task(memory.asave_context({"input": "Sam likes tea"}, {"output": "ok"}))
        await asked.wait()
        other = make("summary", memory.store)
        other.settle()
        go.set()
        await task
        return calls(other)

    assert asyncio.run(talk()) == 1


def test_what_asks_no_model_takes_no_lease() -> None:
    """A window has nothing to learn, and words are indexed without anybody's help; embeddings are paid for."""

    class NoLease(Shared):
        """A store whose leases count."""

        leases = 0

        async def lease(self, *key: str, **asked: Any) -> Lease | None:
            """See `LeasingStore.lease`."""
            self.leases += 1
            return await super().lease(*key, **asked)

    store = NoLease()
    for name in ("buffer", "window", "vector-retriever"):
        memory = create_memory(name, store=store, conversation_id=name)
        for number in range(70):
            tell(memory, f"Sam likes tea {number}")
        memory.load_memory_variables(QUESTION)
    assert store.leases == 0
    tell(create_memory("vector-retriever", store=store, conversation_id="a", embedder=Counted()))
    assert store.leases == 1


def test_a_retriever_embeds_nothing_that_another_one_embeds() -> None:
    """With an embedder a retriever takes the lease; messages are found by their words meanwhile."""
    embedder = Counted()
    memory = create_memory("vector-retriever", store=Shared(), conversation_id="a", embedder=embedder)
    memory.add_messages([{"role": "user", "content": "Sam likes tea"}], learn=False)
    owner_now(memory)
    tell(memory)
    assert embedder.calls == 0
    assert "Sam likes tea" in str(memory.load_memory_variables({"input": "tea"}))
    assert embedder.calls == 1  # of the question


@pytest.mark.parametrize("plain", [True, False])
def test_through_a_store_that_encrypts(plain: bool, make: Make) -> None:  # noqa: FBT001 - of pytest
    """An encrypted store has the leases of the store within; where that has none, all goes on without."""
    within: Any = Shared()
    if plain:
        whole, six = InMemoryStore(), ("append", "read", "read_state", "commit", "clear", "close")
        within = SimpleNamespace(**{name: getattr(whole, name) for name in six})
    memory = make("summary", EncryptedStore(within, EncryptedStore.new_key()))
    tell(memory)
    if not plain:
        owner_now(memory)
    tell(memory, "Sam likes tea")
    assert calls(memory) == 1 + plain


def test_a_lease_lasts_as_long_as_a_call_may_take() -> None:
    """Two minutes, or the model's time-out if that was chosen and is longer."""
    import openai

    def seconds(model: ChatModel) -> float:
        learner = create_memory("summary", llm=model).learners[0]
        assert learner
        return learner.lease_seconds

    client = openai.OpenAI(api_key="k", timeout=openai.Timeout(900.0, connect=5.0))
    assert seconds(ChatModel("m", api_key="k")) == 120
    assert seconds(ChatModel("m", api_key="k", timeout=5)) == 120
    assert seconds(ChatModel("m", api_key="k", timeout=300)) == 300
    assert seconds(ChatModel("m", client=client)) == 900
    assert seconds(ChatModel("m", client=openai.OpenAI(api_key="k"))) == 120


@pytest.mark.parametrize(
    ("name", "reply"),
    [("summary", "In short."), ("summary-buffer", "In short."), ("entity", "NOTHING NEW"), ("knowledge-graph", "NONE")],
)
def test_a_call_takes_only_a_few_steps(name: str, reply: str, make: Make) -> None:
    """The first load of an old log learns a part and shows the newest of the rest; `settle` learns all of it."""

    def model(_: list[Message]) -> str:
        return reply

    memory = make(name, llm=model)
    for number in range(250):
        wait_with(memory, f"Sam{number} lives in Oslo. {'Well, ' * 300}")
    shown = str(memory.load_memory_variables(QUESTION))
    few = calls(memory)
    state = drive(memory.store.read_state("a", memory.learners[0].name))
    assert few == 4
    assert 0 < state.watermark < 500
    assert "Sam0 lives" not in shown
    if name != "summary-buffer":  # there the limit of this test leaves nothing but the newest exchange
        assert "earlier messages are not shown here, and were not learnt from yet" in shown
        assert "Sam249 lives" in shown
        assert len(shown) // 4 < memory.learners[0].rules.pending_limit
    memory.load_memory_variables(QUESTION)
    assert calls(memory) == 2 * few
    memory.settle()
    assert calls(memory) > 4 * few
    assert "not learnt from yet" not in str(memory.load_memory_variables(QUESTION))
