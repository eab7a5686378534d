"""Conversations that end with a request or a session. Tests that show an issue of others name it."""

import contextlib
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from memzoo import delete_old, open_store
from memzoo.memories import BaseMemory, Conversation, MemoryProvider
from memzoo.stores.base import utc_now
from tests.forking import run_program

KILLED = """
import os, signal, sys
from memzoo import MemoryProvider, open_store

provider = MemoryProvider("buffer", store=open_store(sys.argv[1]))
provider.get("anna").save_context({"input": "hi"}, {"output": "hello"})
with provider.scope() as memory:
    memory.save_context({"input": "hi"}, {"output": "hello"})
    os.kill(os.getpid(), signal.SIGKILL)
"""


def say(memory: BaseMemory, said: str = "hi") -> None:
    """Save an exchange."""
    memory.save_context({"input": said}, {"output": "ok"})


@pytest.fixture
def provider() -> MemoryProvider:
    """A provider."""
    return MemoryProvider("buffer")


class TestScope:
    """A conversation for the time of a request."""

    def test_is_deleted_at_the_end(self, provider: MemoryProvider) -> None:
        """Its conversation leaves nothing behind, in the store or at hand."""
        with provider.scope() as memory:
            say(memory)
            assert provider.get(memory.conversation_id) is memory
        assert provider.conversations() == []
        assert len(provider) == 0

    def test_is_deleted_on_an_error_too(self, provider: MemoryProvider) -> None:
        """Also if the request fails, and if its stream was not read to its end."""
        held: list[object] = []

        def request() -> None:
            with provider.scope() as memory:
                say(memory)
                pieces = Conversation("offline", memory).stream("hi")
                next(pieces)
                held.append(pieces)
                raise OSError

        with pytest.raises(OSError):  # noqa: PT011
            request()
        held.clear()
        assert provider.conversations() == []

    def test_of_a_killed_process_is_deleted_by_age(self, tmp_path: Path) -> None:
        """What a process left that was killed inside a scope is known by its id, and deleted by age; the rest stays."""
        url = f"sqlite:///{tmp_path}/chats.db"
        assert run_program(KILLED, url) == -signal.SIGKILL
        with contextlib.closing(open_store(url)) as store:
            provider = MemoryProvider("buffer", store=store)
            (left,) = set(provider.conversations()) - {"anna"}
            later = utc_now() + timedelta(days=2)
            removed = delete_old(store, idle_for=timedelta(days=1), prefix="memzoo-scope-", now=later).removed
            assert removed == {left: [1, 2]}
            assert provider.conversations() == ["anna"]

    def test_deletes_only_its_own(self, provider: MemoryProvider) -> None:
        """Whatever else was used inside it stays (quarkus-langchain4j#1232)."""
        say(provider.get("a"))
        with provider.scope() as memory, provider.scope() as other:
            say(memory)
            say(other)
            say(provider.get("a"))
        assert provider.conversations() == ["a"]
        assert len(provider.get("a").history()) == 4

    def test_never_wipes_an_id_of_the_caller(self, provider: MemoryProvider) -> None:
        """A conversation that has an owner outlives each scope that touches it (quarkus-langchain4j#1761, #2829)."""
        with provider.scope("user-42") as memory:
            say(memory)
        with pytest.raises(OSError), provider.scope("user-42"):  # noqa: PT011
            raise OSError
        assert len(provider.get("user-42").history()) == 2

    def test_ids_cannot_be_guessed(self, provider: MemoryProvider) -> None:
        """At least 128 bits of chance, never the same twice, also when one scope is entered twice at once."""
        scopes = [provider.scope() for _ in range(100)]
        ids = {scope.__enter__().conversation_id for scope in scopes}
        assert len(ids) == 100
        assert min(map(len, ids)) >= 22

    def test_leaks_nothing_over_many_requests(self, provider: MemoryProvider) -> None:
        """A thousand requests later, store and provider are as empty as before (quarkus-langchain4j#107)."""
        for _ in range(1000):
            with provider.scope() as memory:
                say(memory)
        assert provider.conversations() == []
        assert len(provider) == 0


class TestSession:
    """A conversation for the time of a connection or a login."""

    def test_is_one_conversation_while_it_lives(self, provider: MemoryProvider) -> None:
        """Blocks with the same key share it, other keys do not; its id has nothing of the key."""
        with provider.session("login-7", at_end="delete") as first, provider.session("login-7", at_end="delete") as tab:
            assert tab is first
            assert "login-7" not in first.conversation_id
            with provider.session("login-8", at_end="delete") as other:
                assert other.conversation_id != first.conversation_id
            say(first)
        with provider.session("login-7", at_end="delete") as later:
            assert later.conversation_id != first.conversation_id
            assert later.history() == []

    def test_ends_with_its_last_block(self, provider: MemoryProvider) -> None:
        """The first block that ends takes nothing from the second, whichever began first."""
        one, two = (provider.session("login-7", at_end="delete") for _ in range(2))
        say(one.__enter__())
        memory = two.__enter__()
        one.__exit__(None, None, None)
        assert len(memory.history()) == 2
        two.__exit__(None, None, None)
        assert provider.conversations() == []

    @pytest.mark.parametrize(("ends", "kept"), [("dd", False), ("dk", True), ("kd", True), ("kk", True)])
    def test_is_kept_if_one_block_says_so(self, ends: str, kept: bool, provider: MemoryProvider) -> None:  # noqa: FBT001
        """What is kept is found again by its id, after an error too."""
        first, second = (provider.session("x", at_end="delete" if end == "d" else "keep") for end in ends)
        memory = first.__enter__()
        say(memory)
        with pytest.raises(OSError), second:  # noqa: PT011
            raise OSError
        first.__exit__(None, None, None)
        assert provider.conversations() == ([memory.conversation_id] if kept else [])

    def test_a_caller_s_conversation_of_the_same_name_is_another(self, provider: MemoryProvider) -> None:
        """The end of a session never deletes what somebody keeps under an id that equals the key."""
        say(provider.get("user-42"))
        with provider.session("user-42", at_end="delete") as memory:
            assert memory.history() == []
        assert provider.conversations() == ["user-42"]
