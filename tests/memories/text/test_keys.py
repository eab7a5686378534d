"""Which input and which output of an exchange are saved: LangChain's rules and error texts (reference 2.2)."""

import logging
from types import MappingProxyType
from typing import Any

import pytest

from memzoo.errors import MissingKeyError, OptionError
from memzoo.memories import BaseMemory, ConversationBufferMemory, ConversationEntityMemory, create_memory
from memzoo.testing import ScriptedModel

AMBIGUOUS_OUTPUT = (
    "Got multiple output keys: dict_keys({}), cannot determine which to store in memory. "
    "Please set the 'output_key' explicitly."
)


def contents(memory: BaseMemory) -> list[str]:
    """What was stored."""
    return [message["content"] for message in memory.history()]


class TestInput:
    """The key of the user's message."""

    @pytest.mark.parametrize(
        ("options", "inputs"),
        [
            ({"input_key": "question"}, {"context": "c", "question": "q"}),
            ({"input_key": "stop"}, {"stop": "q", "context": "c"}),
            ({}, {"anything": "q"}),
            ({}, {"history": "h", "question": "q", "stop": ["\n"]}),
            ({"memory_key": "chat"}, {"chat": "h", "history": "q"}),
        ],
    )
    def test_is_the_configured_or_the_only_one(self, options: dict[str, Any], inputs: dict[str, Any]) -> None:
        """The configured key is used as it is, else the only one besides the memory's own variables and "stop"."""
        memory = ConversationBufferMemory(**options)
        memory.save_context(inputs, {"output": "a"})
        assert contents(memory) == ["q", "a"]

    @pytest.mark.parametrize(
        ("options", "inputs", "error", "text"),
        [
            ({}, {}, MissingKeyError, "One input key expected got []"),
            ({}, {"history": "h", "stop": "s"}, MissingKeyError, "One input key expected got []"),
            ({}, {"b": "1", "a": "2", "c": "3"}, MissingKeyError, "One input key expected got ['b', 'a', 'c']"),
            ({"input_key": "q"}, {"input": "1"}, MissingKeyError, "input_key is 'q', but there are only: 'input'"),
            ({"input_key": "q"}, {}, MissingKeyError, "input_key is 'q', but there are only: none"),
        ],
    )
    def test_is_refused_if_it_cannot_be_told(
        self, options: dict[str, Any], inputs: dict[str, Any], error: type[Exception], text: str
    ) -> None:
        """The error text is LangChain's, with the candidates in their order; nothing is stored."""
        memory = ConversationBufferMemory(**options)
        with pytest.raises(error) as caught:
            memory.save_context(inputs, {"output": "a"})
        assert str(caught.value) == text
        assert memory.history() == []

    def test_skips_all_variables_of_the_memory(self) -> None:
        """A memory with two variables takes neither of them for the user's words."""
        memory = ConversationEntityMemory(llm=ScriptedModel("NONE", "NOTHING NEW"))
        memory.save_context({"entities": {}, "history": "h", "input": "q"}, {"output": "a"})
        assert contents(memory) == ["q", "a"]


class TestOutput:
    """The key of the assistant's message."""

    @pytest.mark.parametrize(
        ("options", "outputs"),
        [
            ({"output_key": "answer"}, {"output": "o", "answer": "a"}),
            ({}, {"anything": "a"}),
            ({}, {"history": "a"}),
        ],
    )
    def test_is_the_configured_or_the_only_one(self, options: dict[str, Any], outputs: dict[str, Any]) -> None:
        """The configured key is used as it is, else the only one, whatever its name."""
        memory = ConversationBufferMemory(**options)
        memory.save_context({"input": "q"}, outputs)
        assert contents(memory) == ["q", "a"]

    def test_is_output_by_default_with_a_warning(self, caplog: pytest.LogCaptureFixture) -> None:
        """Of several outputs "output" is taken, and a warning in LangChain's words says so."""
        memory = ConversationBufferMemory()
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            memory.save_context({"input": "q"}, {"sources": "s", "output": "a"})
        assert contents(memory) == ["q", "a"]
        (warning,) = caplog.messages
        assert warning == (
            "'ConversationBufferMemory' got multiple output keys: dict_keys(['sources', 'output']). "
            "The default 'output' key is being used. If this is not desired, please manually set 'output_key'."
        )

    @pytest.mark.parametrize(
        ("options", "outputs", "error", "text"),
        [
            ({}, {}, MissingKeyError, AMBIGUOUS_OUTPUT.format([])),
            ({}, {"b": "1", "a": "2"}, MissingKeyError, AMBIGUOUS_OUTPUT.format(["b", "a"])),
            ({}, MappingProxyType({"b": "1", "a": "2"}), MissingKeyError, AMBIGUOUS_OUTPUT.format(["b", "a"])),
            ({"output_key": "x"}, {"output": "1"}, MissingKeyError, "output_key is 'x', but there are only: 'output'"),
        ],
    )
    def test_is_refused_if_it_cannot_be_told(
        self, options: dict[str, Any], outputs: dict[str, Any], error: type[Exception], text: str
    ) -> None:
        """The error text is LangChain's, and nothing is stored."""
        memory = ConversationBufferMemory(**options)
        with pytest.raises(error) as caught:
            memory.save_context({"input": "q"}, outputs)
        assert str(caught.value) == text
        assert memory.history() == []


@pytest.mark.parametrize("builtin", [KeyError, ValueError])
def test_errors_are_the_builtins_that_langchain_raises(builtin: type[Exception]) -> None:
    """Code that caught LangChain's KeyError or ValueError goes on working, and the text has no extra quotes."""
    assert issubclass(MissingKeyError, builtin)
    assert str(MissingKeyError('it\'s "this"')) == 'it\'s "this"'


class TestLoading:
    """Which strategies need to know the input."""

    @pytest.mark.parametrize("name", ["buffer", "window", "summary", "summary-buffer"])
    def test_without_any_input(self, name: str) -> None:
        """A strategy that does not search loads with empty inputs, with none, and with several."""
        memory = create_memory(name)
        loaded = memory.load_memory_variables()
        assert loaded == memory.load_memory_variables({}) == memory.load_memory_variables({"a": "1", "b": "2"})
        assert loaded == {"history": ""}

    @pytest.mark.parametrize("name", ["entity", "vector-retriever", "knowledge-graph"])
    def test_needs_the_input_to_search(self, name: str) -> None:
        """A strategy that searches resolves its input key by the same rule, before it asks any model."""
        with pytest.raises(MissingKeyError, match=r"One input key expected got \['a', 'b'\]"):
            create_memory(name).load_memory_variables({"a": "1", "b": "2"})
        with pytest.raises(MissingKeyError, match="input_key is 'question'"):
            create_memory(name, input_key="question").load_memory_variables({"input": "1"})


@pytest.mark.parametrize("name", ["buffer", "vector-retriever"])
@pytest.mark.parametrize("query", [{"input": "Where is Anna?"}, ["Where is Anna?"], 3])
def test_a_query_is_the_users_words_alone(name: str, query: Any) -> None:
    """Inputs by name, as `load_memory_variables` takes them, are no query: every strategy says what one is."""
    memory = create_memory(name, token_counter="approximate")
    memory.save_context({"input": "Anna lives in Oslo."}, {"output": "Noted."})
    for ask in (memory.messages, memory.explain):
        with pytest.raises(OptionError, match="query must be the user's next message, as a string, or None; not"):
            ask(query)
