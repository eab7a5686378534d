"""Code written for LangChain's memory classes gives the same results (reference 2), without their defects."""

import copy
from typing import Any

import pytest

from memzoo.memories import (
    BaseMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    VectorStoreRetrieverMemory,
)
from memzoo.stores import InMemoryStore
from memzoo.testing import ScriptedModel

HI: list[dict[str, Any]] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "what's up"}]
SYSTEM: dict[str, Any] = {"role": "system", "content": "They greet."}
STRING, SUMMARY, DOCUMENT = "Human: hi\nAI: what's up", "They greet.", "input: hi\noutput: what's up"


def words(message: dict[str, Any]) -> int:
    """A token counter."""
    return len(message["content"].split())


def embed(texts: list[str]) -> list[list[float]]:
    """An embedder."""
    return [[1.0]] * len(texts)


CASES: list[tuple[type[BaseMemory], dict[str, Any], list[str], str, list[dict[str, Any]]]] = [
    (ConversationBufferMemory, {}, [], STRING, HI),
    (ConversationBufferWindowMemory, {"k": 1}, [], STRING, HI),
    (ConversationSummaryMemory, {"learn_every": 1}, [SUMMARY], SUMMARY, [SYSTEM]),
    (ConversationSummaryBufferMemory, {"max_token_limit": 10, "token_counter": words}, [], STRING, HI),
    (
        ConversationSummaryBufferMemory,
        {"max_token_limit": 2, "prune_to": 2, "token_counter": words},
        [SUMMARY],
        "System: They greet.\nAI: what's up",
        [SYSTEM, HI[1]],
    ),
    (ConversationEntityMemory, {}, ["NONE", "NONE"], STRING, HI),
    (
        VectorStoreRetrieverMemory,
        {"embedder": embed, "k": 4, "recalled_role": "system"},
        *([], DOCUMENT, [{"role": "system", "content": DOCUMENT}]),
    ),
]


@pytest.mark.parametrize(("strategy", "options", "replies", "text", "messages"), CASES)
class TestResults:
    """The table of section 2.4."""

    def test_as_text(
        self,
        strategy: type[BaseMemory],
        options: dict[str, Any],
        replies: list[str],
        text: str,
        messages: list[dict[str, Any]],
    ) -> None:
        """By default a text is loaded under "history"."""
        memory = strategy(**options, llm=ScriptedModel(*replies))
        memory.save_context({"input": "hi"}, {"output": "what's up"})
        assert memory.load_memory_variables({"input": "hi"})["history"] == text

    def test_as_messages(
        self,
        strategy: type[BaseMemory],
        options: dict[str, Any],
        replies: list[str],
        text: str,
        messages: list[dict[str, Any]],
    ) -> None:
        """With `return_messages` chat messages are loaded, and changing them changes nothing inside (X2, I9)."""
        memory = strategy(return_messages=True, **options, llm=ScriptedModel(*replies, *replies[-1:]))
        memory.save_context({"input": "hi"}, {"output": "what's up"})
        loaded = memory.load_memory_variables({"input": "hi"})["history"]
        assert loaded == messages
        expected = copy.deepcopy(loaded)
        loaded[0]["content"] = "changed"
        loaded.clear()
        assert memory.load_memory_variables({"input": "hi"})["history"] == expected


def test_facts_are_a_text_or_a_system_message() -> None:
    """The graph's row of the table: nothing is learnt from a greeting, so something is said here."""
    options: dict[str, Any] = {"ask_at_load": True, "store": InMemoryStore(), "conversation_id": "sam"}
    memory = ConversationKGMemory(llm=ScriptedModel("Sam | is | a friend", "Sam", "Sam"), **options, learn_every=1)
    memory.save_context({"input": "Sam is a friend"}, {"output": "okay"})
    assert memory.load_memory_variables({"input": "who?"}) == {"history": "Sam is a friend."}
    facts = [{"role": "system", "content": "Sam is a friend."}]
    memory = memory.clone(return_messages=True)
    assert memory.load_memory_variables({"input": "who?"}) == {"history": facts}


def test_memory_key_names_the_variable() -> None:
    """`memory_key` and the prefixes are the user's choice, as in LangChain's examples."""
    memory = ConversationBufferMemory(memory_key="chat_history", human_prefix="User", ai_prefix="Assistant")
    memory.save_context({"question": "hi"}, {"answer": "hello"})
    assert memory.memory_variables == ["chat_history"]
    assert memory.load_memory_variables({}) == {"chat_history": "User: hi\nAssistant: hello"}


def test_non_text_values_are_refused_where_langchain_crashed_later() -> None:
    """A list of parts is a message; other values are refused before anything is stored (#17867, reference 2.2)."""
    memory = ConversationBufferMemory()
    memory.save_context({"input": [{"type": "text", "text": "hi"}]}, {"output": "what's up"})
    assert memory.load_memory_variables({}) == {"history": STRING}
    for value in ({"text": "x"}, 7, None):
        with pytest.raises(ValueError, match="must be a string or a list of parts"):
            memory.save_context({"input": "hi"}, {"output": value})
    assert len(memory.history()) == 2


def test_sources_beside_the_answer_are_no_error() -> None:
    """The outputs of a retrieval chain can be saved with `output_key` (#9394, #5630, #2303)."""
    memory = ConversationBufferMemory(output_key="answer")
    memory.save_context({"input": "hi"}, {"answer": "what's up", "source_documents": [object()]})
    assert memory.load_memory_variables({}) == {"history": STRING}
