"""A memory whose store outlives the process: by a URL, and with an id by which it is found again."""

import copy
import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memzoo import Conversation, ConversationBufferMemory, EncryptedStore, create_memory, open_store
from memzoo.errors import OptionError
from memzoo.langchain import ConversationBufferMemory as LangChainBufferMemory
from memzoo.stores import MessageListStore


def in_conversation(**given: Any) -> Any:
    """The memory that a conversation makes for itself."""
    return Conversation("offline", "buffer", **given).memory


MAKERS: dict[str, Callable[..., Any]] = {
    "create_memory": functools.partial(create_memory, "buffer"),
    "Conversation": in_conversation,
    "class": ConversationBufferMemory,
    "langchain": LangChainBufferMemory,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_made_up_id_is_named(make: Callable[..., Any], tmp_path: Path):
    """Without an id there is one warning, at the line of the caller, with the id that finds the conversation again."""
    with open_store(f"sqlite:///{tmp_path}/chat.db") as store:
        with pytest.warns(UserWarning, match="the store outlives this process") as caught:
            memory = make(store=store)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert f"conversation_id={memory.conversation_id!r}" in str(caught[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert make(store=store, conversation_id="mine").conversation_id == "mine"
            copy.copy(memory)


def test_it_depends_on_the_store(tmp_path: Path):
    """Lists of one's own and encrypted files outlive the process; what is in memory ends with it, without a warning."""
    lists = MessageListStore(get=lambda _: [], update=lambda _, __: None, delete=lambda _: None)
    with EncryptedStore(open_store(f"sqlite:///{tmp_path}/chat.db"), EncryptedStore.new_key()) as encrypted:
        for store in (lists, encrypted):
            with pytest.warns(UserWarning, match="a random one"):
                create_memory("buffer", store=store)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create_memory("buffer")
        for url in ("memory://", "sqlite://"):
            create_memory("buffer", store=url).store.close()


def test_a_url_is_a_store(tmp_path: Path):
    """`create_memory` opens a URL as a `Conversation` does; it makes no file for a name or an option that is wrong."""
    where: dict[str, Any] = {"store": f"sqlite:///{tmp_path}/chat.db", "conversation_id": "c"}
    with pytest.raises(OptionError):
        create_memory("bufer", **where)
    unknown: dict[str, Any] = {**where, "kk": 5}
    with pytest.raises(OptionError):
        create_memory("buffer", **unknown)
    assert list(tmp_path.iterdir()) == []
    memory = create_memory("buffer", **where)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    memory.store.close()
    with Conversation("offline", "window", **where) as chat:
        assert len(chat.memory.history()) == 2
    with pytest.raises(OptionError, match="not the URL of a store"):
        create_memory("buffer", store="chat.db", conversation_id="c")
