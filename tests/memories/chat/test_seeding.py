"""Example exchanges at the beginning of a conversation."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memzoo.errors import MessageError
from memzoo.memories import ConversationBufferMemory
from memzoo.stores import InMemoryStore, Message, Store, open_store
from tests.memories.chat.turns import CALL, RESULT, contents, roles


class TestSeeding:
    """Example exchanges at the beginning of a conversation."""

    @pytest.fixture(params=["memory", "sqlite"])
    def store(self, request: pytest.FixtureRequest, tmp_path: Path) -> Any:
        """A store."""
        opened = InMemoryStore() if request.param == "memory" else open_store(f"sqlite:///{tmp_path}/a.db")
        yield opened
        opened.close()

    def test_only_an_empty_conversation_is_seeded(self, store: Store) -> None:
        """Once, and not after something was said."""
        memory = ConversationBufferMemory(store=store, conversation_id="a")
        assert memory.seed([("2 + 2", "4")])
        assert not memory.seed([("2 + 2", "5")])
        assert contents(memory.messages()) == ["2 + 2", "4"]
        other = ConversationBufferMemory(store=store, conversation_id="b")
        other.save_context({"input": "hi"}, {"output": "hello"})
        assert not other.seed([("2 + 2", "4")])
        assert contents(other.history()) == ["hi", "hello"]

    def test_a_system_message_alone_counts_as_empty(self, store: Store) -> None:
        """The examples stand behind it."""
        memory = ConversationBufferMemory(store=store)
        memory.add_messages([{"role": "system", "content": "Calculate."}])
        assert memory.seed([("2 + 2", "4"), ("3 + 4", "7")])
        assert roles(memory.messages()) == "suaua"

    def test_what_was_forgotten_can_be_seeded_again(self, store: Store) -> None:
        """Examples are the application's: where all was forgotten, they stand at the beginning again."""
        memory = ConversationBufferMemory(store=store, conversation_id="a")
        for _ in range(3):
            assert memory.seed([("2 + 2", "4")])
            assert contents(memory.history()) == ["2 + 2", "4"]
            memory.forget(None)
        assert memory.history() == []

    @pytest.mark.parametrize("examples", [[("2 + 2",)], [("2 + 2", "4", "5")], "2 + 2"])
    def test_what_is_no_pair_is_refused(self, examples: Any) -> None:
        """The text says what an example is; nothing is stored."""
        memory = ConversationBufferMemory()
        with pytest.raises(MessageError, match=r"an example must be a pair|examples must be a list"):
            memory.seed(examples)
        assert memory.history() == []

    def test_two_processes_seed_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also if both found the conversation empty before either wrote (I2)."""
        stores = [open_store(f"sqlite:///{tmp_path}/a.db") for _ in range(2)]
        first, second = (ConversationBufferMemory(store=store, conversation_id="a") for store in stores)
        found: Any = asyncio.run(second.store.read("a"))

        async def stale(*args: object, **options: object) -> Any:
            return found

        assert first.seed([("2 + 2", "4")])
        with monkeypatch.context() as patch:
            patch.setattr(second.store, "read", stale)
            assert second.seed([("2 + 2", "4")])
        assert contents(second.history()) == ["2 + 2", "4"]
        for store in stores:
            store.close()

    @pytest.mark.parametrize(
        "examples",
        [
            [],
            [{"role": "user", "content": "2 + 2"}],
            [{"role": "assistant", "content": "4"}],
            [{"role": "user", "content": "f"}, CALL],
            [{"role": "user", "content": "f"}, CALL, RESULT],
            [{"role": "user", "content": "f"}, CALL, {"role": "assistant", "content": "4"}],
            [{"role": "system", "content": "Calculate."}, {"role": "user", "content": "a"}, CALL, RESULT],
        ],
    )
    def test_examples_are_whole_exchanges(self, examples: list[Message]) -> None:
        """Anything else is refused, and nothing is stored."""
        memory = ConversationBufferMemory()
        with pytest.raises(MessageError, match="whole exchanges"):
            memory.seed(examples)
        assert memory.history() == []

    def test_examples_may_use_tools(self) -> None:
        """As in real exchanges, calls with their results."""
        memory = ConversationBufferMemory()
        assert memory.seed([{"role": "user", "content": "f"}, CALL, RESULT, {"role": "assistant", "content": "4"}])
        assert roles(memory.messages()) == "uata"
