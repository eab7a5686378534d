"""Copied and pickled memories: the same conversation, and no secret in the pickle."""

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from memzoo import BaseMemory, ChatModel, create_memory, open_store
from memzoo.errors import OptionError
from memzoo.stores import Message, Store

KEY = "sk-abcdefghijklmnop"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A durable store."""
    with open_store(f"sqlite:///{tmp_path}/chat.db") as store:
        yield store


def pickled_copy(memory: BaseMemory) -> Any:
    """What comes out of a pickle."""
    return pickle.loads(pickle.dumps(memory))  # noqa: S301


@pytest.mark.parametrize("copied", [pickled_copy, copy.deepcopy, copy.copy])
@pytest.mark.parametrize("name", ["window", "summary", "vector-retriever"])
def test_a_copy_goes_on_with_the_conversation(name: str, copied: Any, store: Store):
    """What the copy is told the original knows, and the other way round; options are the same."""
    options: dict[str, Any] = {"llm": "offline"} if name == "summary" else {}
    memory = create_memory(name, store=store, memory_key="chat", **options, learn_every=1)
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
    other = copied(memory)
    other.save_context({"input": "Anna plays chess."}, {"output": "Fine."})
    shown = memory.load_memory_variables({"input": "Anna"})
    assert shown == other.load_memory_variables({"input": "Anna"})
    assert "chess" in shown["chat"]
    if other.store is not store:
        other.close()


@pytest.mark.parametrize("copied", [pickled_copy, copy.deepcopy, copy.copy])
def test_members_of_a_copy_share_one_store(copied: Any, store: Store):
    """A combined memory of memories that were made before goes on as one: its members still have one log."""
    made = create_memory("buffer", store=store, conversation_id="a", memory_key="all")
    memory = create_memory("combined", memories=[made, ("window", {"k": 1})], learn_every=1)
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
    other = copied(memory)
    other.save_context({"input": "Anna plays chess."}, {"output": "Fine."})
    assert other.load_memory_variables({}) == memory.load_memory_variables({})
    if other.store is not store:
        other.close()


def test_a_pickle_holds_no_key(store: Store):
    """The key of a model stays behind; a copy in this process keeps it, with its connections."""
    model = ChatModel("gpt-4o-mini", api_key=KEY, base_url="http://127.0.0.1:9/v1", temperature=0)
    memory = create_memory("summary", llm=model, store=store, learn_every=1)
    assert KEY.encode() not in pickle.dumps(memory)
    with pickled_copy(memory).store:
        pass
    remade = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert (remade.name, remade.parameters) == ("gpt-4o-mini", {"temperature": 0})
    assert copy.deepcopy(model) is copy.copy(model) is model


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"client": openai.OpenAI(api_key=KEY)}, "client"),
        ({"extra_headers": {"Authorization": KEY}}, "extra_headers"),
        ({"base_url": f"http://me:{KEY}@127.0.0.1/v1"}, "base_url"),
    ],
)
def test_what_may_hold_a_key_is_refused_by_name(options: dict[str, Any], culprit: str, store: Store):
    """A client, headers, or a password in a URL cannot be pickled: the error names option and argument, not the key."""
    memory = create_memory("summary", llm=ChatModel("gpt-4o-mini", **options), store=store, learn_every=1)
    with pytest.raises(OptionError, match=rf"option llm=.* cannot be pickled with {culprit}=") as caught:
        pickle.dumps(memory)
    assert KEY not in str(caught.value)


def test_a_function_that_cannot_be_pickled_is_named(store: Store):
    """The error names the option `llm`; copies in this process work."""
    answer: Callable[[list[Message]], str] = lambda _: "A summary."  # noqa: E731
    memory = create_memory("summary", llm=answer, store=store, learn_every=1)
    with pytest.raises(OptionError, match="because its option llm="):
        pickle.dumps(memory)
    assert copy.deepcopy(memory).store is not store
