"""A conversation with its store in one line: what it opens it closes, and what it shows of itself."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memzoo import ChatModel, Conversation, MemoryProvider, create_memory, open_store
from memzoo.errors import OptionError, StoreError


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file for a store."""
    return f"sqlite:///{tmp_path}/chat.db"


def test_it_goes_on_after_a_restart(url: str):
    """The same line opens the same conversation, with the options of the memory."""
    for number in (1, 2):
        with Conversation("offline", "window", store=url, conversation_id="anna", k=3) as conversation:
            conversation.send("My cat is called Pixel.")
            assert len(conversation.memory.history()) == 2 * number
            assert conversation.memory.conversation_id == "anna"
            assert vars(conversation.memory)["k"] == 3


def test_it_closes_what_it_opened(url: str):
    """A store opened by its URL is closed at the end of the block; one that was given stays open."""

    async def talk() -> Conversation:
        async with Conversation("offline", "summary", store=url, learn="background") as conversation:
            await conversation.asend("My cat is called Pixel.")
        return conversation

    with pytest.raises(StoreError, match="closed"):
        asyncio.run(talk()).memory.history()
    with open_store(url) as store:
        with Conversation("offline", store=store, conversation_id="anna") as conversation:
            conversation.send("My cat is called Pixel.")
        assert len(conversation.memory.history()) == 2


def test_nothing_stays_open_after_an_error(url: str):
    """A wrong name makes no file, and wrong options are named."""
    with pytest.raises(OptionError):
        Conversation("offline", "windwo", store=url)
    assert not Path(url.removeprefix("sqlite:///")).exists()
    with pytest.raises(OptionError, match="no option 'sise'"):
        Conversation("offline", "window", store=url, sise=3)


def test_reprs_are_short(url: str):
    """A conversation shows model, memory, store and id; a provider its strategy, its store and how many it holds."""
    with Conversation(ChatModel("gpt-4o-mini"), "window", store=url, conversation_id="anna") as conversation:
        kept = f"<SQLStore {url}>"
        memory = f"<ConversationBufferWindowMemory 'anna' in {kept}>"
        assert repr(conversation) == f"<Conversation of 'gpt-4o-mini' with {memory}>"
    provider = MemoryProvider("window")
    provider.get("anna")
    assert repr(provider) == "<MemoryProvider of 'window' in <InMemoryStore>, 1 at hand>"


@pytest.mark.parametrize("model", ["offline", ChatModel("offline")])
@pytest.mark.parametrize("memory", ["window", "ConversationBufferWindowMemory", create_memory("window")])
def test_the_wrong_way_round(model: Any, memory: Any) -> None:
    """The model comes first; who takes it for the memory is told."""
    with pytest.raises(OptionError, match=r"the model comes first, then the memory: Conversation\(.*offline.*indow"):
        Conversation(memory, model)
