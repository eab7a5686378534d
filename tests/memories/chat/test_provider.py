"""Whose memory? Live memories, scopes and sessions. Tests that show an issue of others name it."""

import asyncio
import functools
import gc
import threading
import weakref
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, Conversation, MemoryProvider
from memzoo.stores import InMemoryStore, Message, open_store

if TYPE_CHECKING:
    from collections.abc import Callable


def say(memory: BaseMemory, said: str = "hi") -> None:
    """Save an exchange."""
    memory.save_context({"input": said}, {"output": "ok"})


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def provider() -> MemoryProvider:
    """A provider."""
    return MemoryProvider("buffer")


class TestGet:
    """One live memory for each id."""

    def test_is_the_same_for_the_same_id(self, provider: MemoryProvider) -> None:
        """One id, one memory, with the options of the provider; two ids, two memories, nothing shared (I7)."""
        anna, ben = provider.get("anna"), provider.get("ben")
        assert provider.get("anna") is anna
        say(anna)
        assert ben.history() == []
        assert provider.conversations() == ["anna"]

    def test_has_no_race(self) -> None:
        """Threads that ask for the same id at the same time get the same memory (langchain4j#5250)."""
        made: list[BaseMemory] = []
        barrier = threading.Barrier(8)
        provider = MemoryProvider("buffer")

        def ask() -> None:
            barrier.wait(timeout=30)
            made.append(provider.get("anna"))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 8
        assert len(set(map(id, made))) == 1

    @pytest.mark.parametrize("id_", [None, "", "  ", 5, b"anna"])
    def test_needs_an_id(self, id_: Any, provider: MemoryProvider) -> None:
        """Without an id there is an error, not a conversation that all share (quarkus-langchain4j#331)."""
        session = functools.partial(provider.session, at_end="keep")
        uses: list[Callable[[Any], object]] = [provider.get, provider.release, provider.forget, session]
        for use in uses:
            with pytest.raises(OptionError, match="no shared default"):
                use(id_)
        if id_ is not None:
            with pytest.raises(OptionError):
                provider.scope(id_)
        assert len(provider) == 0


@pytest.mark.parametrize("wrong", ["sqlite:///memories.db", 5])
def test_a_provider_takes_a_store_and_no_url(wrong: Any) -> None:
    """With a URL each memory would have a store, and connections, of its own."""
    with pytest.raises(OptionError, match=r"store must be a Store, such as open_store\(.*, not "):
        MemoryProvider("buffer", store=wrong)


class TestAtHand:
    """Memories that are kept at hand, and those that are not any more."""

    def test_are_as_many_as_allowed(self) -> None:
        """The one that was used longest ago goes first; it comes back with all that it knew."""
        provider = MemoryProvider("buffer", max_memories=2)
        for id_ in ("a", "b", "a", "c"):
            say(provider.get(id_))
        assert len(provider) == 2
        assert "a" in provider
        assert "b" not in provider
        assert len(provider.get("b").history()) == 2

    def test_go_when_nobody_asks_for_them(self) -> None:
        """After the idle time, and lose nothing (langchain4j#256, #1889)."""
        clock = Clock()
        provider = MemoryProvider("buffer", idle_seconds=60, clock=clock)
        say(provider.get("a"))
        clock.now = 59
        say(provider.get("b"))
        clock.now = 61
        say(provider.get("c"))
        assert ("a" in provider, "b" in provider) == (False, True)
        assert provider.conversations() == ["a", "b", "c"]
        assert len(provider.get("a").history()) == 2

    def test_are_listed_in_pages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A page of ids is read by itself, and the next one follows its last; nobody else's are looked at."""
        store = InMemoryStore()
        provider = MemoryProvider("buffer", store=store)
        for id_ in ("ann-1", "ann-2", "ann-3", "bob-1"):
            say(provider.get(id_))
        listed = list[str]()

        async def watched(**bounds: Any) -> list[str]:
            found = await InMemoryStore.conversations(store, **bounds)
            listed.extend(found)
            return found

        monkeypatch.setattr(store, "conversations", watched)
        first = provider.conversations(prefix="ann-", limit=2)
        assert (first, listed) == (["ann-1", "ann-2"], ["ann-1", "ann-2"])
        assert provider.conversations(prefix="ann-", limit=2, after=first[-1]) == ["ann-3"]
        assert asyncio.run(provider.aconversations(idle_since=datetime.max.replace(tzinfo=UTC), limit=1)) == ["ann-1"]

    def test_are_never_two_of_one_conversation(self) -> None:
        """A memory that was evicted or released while somebody holds it is the one that comes back."""
        provider = MemoryProvider("buffer", max_memories=1)
        held = provider.get("a")
        provider.get("b")
        assert "a" not in provider
        assert provider.get("a") is held
        provider.release("a")
        assert provider.get("a") is held

    def test_come_back_while_they_learn(self) -> None:
        """A memory that learns in the background when it is evicted is not made a second time."""
        asked, answer = threading.Event(), threading.Event()

        def model(messages: list[Message]) -> str:
            asked.set()
            answer.wait(timeout=30)
            return "Sam came."

        provider = MemoryProvider("summary", llm=model, learn="background", max_memories=1, learn_every=1)
        say(provider.get("a"), "I am Sam")
        learning = id(provider.get("a"))
        assert asked.wait(timeout=30)
        provider.get("b")
        gc.collect()
        again = provider.get("a")
        assert id(again) == learning
        answer.set()
        again.settle()
        assert [message["content"] for message in again.messages()] == ["Sam came."]

    def test_are_dropped_when_nobody_holds_them(self) -> None:
        """An evicted memory is garbage: a program that serves millions keeps as many as it was told to."""
        provider = MemoryProvider("buffer", max_memories=1)
        made = [weakref.ref(provider.get(str(number))) for number in range(50)]
        gc.collect()
        assert sum(memory() is not None for memory in made) == 1


class TestEnds:
    """Release, forget, close."""

    def test_release_deletes_nothing(self, provider: MemoryProvider) -> None:
        """The next `get` goes on with the conversation."""
        say(provider.get("a"))
        provider.release("a")
        provider.release("never seen")
        assert "a" not in provider
        assert len(provider.get("a").history()) == 2

    def test_forget_deletes(self, provider: MemoryProvider) -> None:
        """The conversation is gone, from the store and for whoever still holds its memory; others are not."""
        held = provider.get("a")
        say(held)
        say(provider.get("b"))
        provider.forget("a")
        provider.forget("never seen")
        assert held.history() == provider.get("a").history() == []
        assert provider.conversations() == ["b"]

    def test_forget_reaches_what_was_never_opened_here(self) -> None:
        """A conversation that is only in the store is deleted as well."""
        store = InMemoryStore()
        say(MemoryProvider("buffer", store=store).get("a"))
        MemoryProvider("summary", store=store).forget("a")
        assert asyncio.run(store.conversations()) == []

    def test_forget_ends_a_turn_under_way(self, provider: MemoryProvider) -> None:
        """What a turn that is under way would still add is not stored behind the deletion."""
        memory = provider.get("a")
        with memory.turn("hi") as turn:
            provider.forget("a")
            turn.add("hello")
        assert provider.conversations() == []
        with memory.turn("hi again") as turn:
            turn.add("hello")
        assert len(memory.history()) == 2

    def test_closing_deletes_nothing(self, tmp_path: Path) -> None:
        """A persistent store is never wiped by a shutdown (quarkus-langchain4j#1761, #1809, #2829, #2833)."""
        url = f"sqlite:///{tmp_path}/a.db"
        for expected in (0, 2, 4):
            store = open_store(url)
            with MemoryProvider("buffer", store=store) as provider:
                assert len(provider.get("a").history()) == expected
                say(provider.get("a"))
            assert len(provider) == 0
            store.close()

    def test_asynchronous_twins(self) -> None:
        """All of it can be awaited."""

        async def serve() -> None:
            async with MemoryProvider("buffer") as provider:
                async with provider.scope() as memory:
                    await memory.asave_context({"input": "hi"}, {"output": "ok"})
                    assert await provider.aconversations() == [memory.conversation_id]
                assert await provider.aconversations() == []
                async with provider.session("login", at_end="keep") as memory:
                    await memory.asave_context({"input": "hi"}, {"output": "ok"})
                await provider.aforget(memory.conversation_id)
                assert await provider.aconversations() == []

        asyncio.run(serve())


class TestDefaultId:
    """A conversation that is named by a function where a call names none."""

    def test_each_session_has_its_own(self) -> None:
        """Whoever calls is given the memory of the running session, and what it forgets is that one's alone."""
        session: ContextVar[str] = ContextVar("session")
        provider = MemoryProvider("buffer", default_id=session.get)

        async def serve(name: str) -> str:
            session.set(name)
            for _ in range(2):
                await asyncio.sleep(0)
                await provider.get().asave_context({"input": name}, {"output": "ok"})
            return provider.get().conversation_id

        async def both() -> list[str]:
            return list(await asyncio.gather(serve("anna"), serve("ben")))

        assert asyncio.run(both()) == provider.conversations() == ["anna", "ben"]
        assert {message["content"] for message in provider.get("anna").history()} == {"anna", "ok"}
        session.set("ben")
        provider.release()
        assert "ben" not in provider
        provider.forget()
        assert provider.conversations() == ["anna"]
        assert provider.get("anna").conversation_id == "anna"

    @pytest.mark.parametrize("wrong", [None, "", " ", 42])
    def test_no_id_is_refused(self, wrong: Any) -> None:
        """A function that returns no id is named, and nothing is shared instead."""
        provider = MemoryProvider("buffer", default_id=lambda: wrong)
        for call in (provider.get, provider.release, provider.forget):
            with pytest.raises(OptionError, match="default_id must return a non-empty string"):
                call()
        with pytest.raises(OptionError, match="default_id must return"):
            Conversation("offline", default_id=lambda: wrong)

    def test_what_is_no_function_is_refused(self) -> None:
        """At once, by whoever is given it; and beside a memory that has its id."""
        wrong: Any = "anna"
        for make in (
            lambda: MemoryProvider("buffer", default_id=wrong),
            lambda: Conversation("offline", default_id=wrong),
        ):
            with pytest.raises(OptionError, match="default_id must be a function that returns a conversation's id"):
                make()
        with pytest.raises(OptionError, match="default_id can only be given with the name of a strategy"):
            Conversation("offline", MemoryProvider("buffer").get("a"), default_id=lambda: "b")

    def test_a_conversation_asks_it_once(self) -> None:
        """When it is made, unless it is told its id."""
        ids = iter(["first", "second"])
        made = [Conversation("offline", default_id=lambda: next(ids)) for _ in range(2)]
        assert [one.memory.conversation_id for one in made] == ["first", "second"]
        assert Conversation("offline", conversation_id="x", default_id=lambda: next(ids)).memory.conversation_id == "x"
