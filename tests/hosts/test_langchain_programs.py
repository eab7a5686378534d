"""What public programs do with a memory besides saving and loading comes to the same on both sides."""

import asyncio
import contextlib
import copy
import json
import pickle
import sqlite3
import warnings
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from pydantic import Field

from memzoo.errors import MessageError, ModelError, ModelReplyError, OptionError
from memzoo.langchain import ChatMessageHistory, ConversationChain, ConversationSummaryMemory
from memzoo.stores import open_store
from tests.hosts.sides import SIDES, NetworkxEntityGraph, answering, made
from tests.hosts.test_langchain_same import told

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_classic.base_memory import BaseMemory as LangChainsMemory


def _said(messages: Any) -> list[tuple[str, Any]]:
    return [(one["type"], one["content"]) for one in messages]


def _buffer(side: str, change: Callable[[Any], Any]) -> Any:
    memory = told(side, "ConversationBufferMemory")
    history = memory.chat_memory
    change(memory)
    in_the_list = [one.content for one in memory.chat_memory.messages]
    memory.save_context({"input": "And you?"}, {"output": "I do not."})
    return memory.load_memory_variables({}), in_the_list, [one.content for one in history.messages]


def _edit_last(memory: Any) -> None:
    memory.chat_memory.messages[-1].content = "In other words."


def _edit_two_and_the_options(memory: Any) -> None:
    said = memory.chat_memory.messages
    said[0].content, said[3].content = "Hi, I am Bo.", "Fine."
    memory.human_prefix = "Friend"


def _edit_after_a_change_of_the_list(memory: Any) -> None:
    said = memory.chat_memory.messages
    said.append(HumanMessage("One more."))
    said[1].content = "Hello Bo!"


def _edit_then_add(memory: Any) -> None:
    history = memory.chat_memory
    history.messages[-1].content = "In other words."
    history.add_user_message("One more.")


def _put_in_front(memory: Any) -> None:
    memory.chat_memory.messages.insert(0, SystemMessage("Be nice."))


def _drop_the_first_of_the_buffer(memory: Any) -> None:
    memory.return_messages = True
    memory.buffer.pop(0)
    memory.buffer_as_messages[-1].content = "In other words."


def _unpickled(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))  # noqa: S301


def _itself(one: Any) -> Any:
    return one


def _keep_the_last(memory: Any) -> None:
    memory.chat_memory.messages = memory.chat_memory.messages[-2:]


def _swap(memory: Any) -> None:
    memory.chat_memory.messages[-1] = AIMessage("Another.")


def _reverse(memory: Any) -> None:
    memory.chat_memory.messages.reverse()


def _sort(memory: Any) -> None:
    memory.chat_memory.messages.sort(key=attrgetter("content"), reverse=True)


def _put_slices(memory: Any) -> None:
    memory.chat_memory.messages[1:3] = [AIMessage("One."), HumanMessage("Two."), AIMessage("Three.")]
    memory.chat_memory.messages[::2] = [HumanMessage(text) for text in "abcd"]
    del memory.chat_memory.messages[2:4]


def _repeat(memory: Any) -> None:
    said = memory.chat_memory.messages
    said *= 2
    said += [HumanMessage("One more.")]
    memory.chat_memory.messages *= 2


def _change_a_list_from_before(memory: Any) -> None:
    before = memory.chat_memory.messages
    memory.save_context({"input": "Meanwhile?"}, {"output": "Yes."})
    before.append(HumanMessage("One more."))
    before[-2].content = "No."
    before.extend([AIMessage("Two more.")])
    assert len(before) == 10


def _edit_what_was_read_before(memory: Any) -> None:
    first = memory.chat_memory.messages[0]
    last = memory.chat_memory.messages[-1]
    first.content = "Once more."
    last.content = "And more."
    first.content += memory.chat_memory.messages[0].content


@pytest.mark.parametrize(
    "change",
    [
        _edit_last,
        _edit_what_was_read_before,
        _edit_two_and_the_options,
        _edit_after_a_change_of_the_list,
        _edit_then_add,
        _put_in_front,
        _drop_the_first_of_the_buffer,
        _keep_the_last,
        _swap,
        _reverse,
        _sort,
        _put_slices,
        _repeat,
        _change_a_list_from_before,
    ],
)
def test_messages_are_changed(change: Callable[[Any], Any]) -> None:
    """A program that changes the list of messages, or the words of one in it, changes the conversation."""
    there, here = (_buffer(side, change) for side in SIDES)
    assert here == there


def test_a_change_that_is_refused_leaves_the_list() -> None:
    """What is no message goes neither into the list nor into the conversation."""
    memory = told("memzoo", "ConversationBufferMemory")
    said = memory.chat_memory.messages
    before = list(said)
    for change in (lambda: said.append(7), lambda: said.__setitem__(slice(None), [7]), said.sort):
        with pytest.raises((MessageError, TypeError)):
            change()
        assert said == memory.chat_memory.messages == before


@pytest.mark.parametrize("copied", [_itself, copy.deepcopy, _unpickled])
def test_metadata_stays_with_a_message(copied: Callable[[Any], Any]) -> None:
    """Ids, sources and the like that a program puts into a message are in `chat_memory`, after other edits too."""
    outcomes: list[Any] = []
    for side in SIDES:
        memory = made(side, "ConversationBufferMemory")
        memory.chat_memory.add_message(HumanMessage("hi", additional_kwargs={"at": "noon"}))
        memory.chat_memory.add_message(AIMessage("hello", id="a1", response_metadata={"sources": ["page 1"]}))
        memory.chat_memory.add_message(ChatMessage(role="Bo", content="I am Bo."))
        memory.chat_memory.messages.append(ToolMessage("2", tool_call_id="c", artifact=[1, 2]))
        memory.chat_memory.messages[1].content = "Hello!"
        outcomes.append(list(copied(memory).chat_memory.messages))
    assert outcomes[0] == outcomes[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", ["ConversationBufferMemory", "ConversationTokenBufferMemory", "ConversationSummaryBufferMemory"]
)
def test_a_loaded_list_stays(name: str) -> None:
    """A list that one user holds gets no message of a later save, perhaps of another user."""
    limits = {} if name == "ConversationBufferMemory" else {"llm": answering("They count."), "max_token_limit": 6}
    memory = made("memzoo", name, return_messages=True, **limits)
    memory.save_context({"input": "one"}, {"output": "two"})
    loaded = memory.load_memory_variables({})["history"]
    memory.save_context({"input": "three"}, {"output": "four"})
    assert [one.content for one in loaded] == ["one", "two"]


def _change_the_id(memory: Any) -> None:
    memory.conversation_id = "bo"


def _change_the_history(memory: Any) -> None:
    memory.chat_memory = InMemoryChatMessageHistory()


def _clear(memory: Any) -> None:
    memory.clear()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("switch", [_change_the_id, _change_the_history, _clear])
def test_a_list_gets_no_other_conversation(switch: Callable[[Any], None]) -> None:
    """A list that one user holds stays as it is when the memory is used for another user."""
    memory = made("memzoo", "ConversationBufferMemory", return_messages=True, conversation_id="ann")
    memory.save_context({"input": "I am Ann."}, {"output": "Hello Ann!"})
    loaded = memory.load_memory_variables({})["history"]
    switch(memory)
    memory.save_context({"input": "I am Bo."}, {"output": "Hello Bo!"})
    assert [one.content for one in loaded] == ["I am Ann.", "Hello Ann!"]


@pytest.mark.parametrize("inputs", ["Who am I?", [HumanMessage("Who am I?")], 7, None])
def test_a_chain_loads_with_any_input(inputs: Any) -> None:
    """A chain of Runnables such as `{"history": memory.load_memory_variables} | prompt` passes its input as it is."""
    for side in SIDES:
        summary = made(side, "ConversationSummaryMemory", llm=answering(), memory_key="summary")
        memory = made(side, "CombinedMemory", memories=[made(side, "ConversationBufferMemory"), summary])
        assert RunnableLambda[Any, Any](memory.load_memory_variables).invoke(inputs) == {"history": "", "summary": ""}


def test_an_id_or_metadata_alone_is_changed() -> None:
    """A message that is put in the place of one with the same words is stored."""
    for side in SIDES:
        memory = made(side, "ConversationBufferMemory")
        memory.chat_memory.add_message(AIMessage("hi", id="1", response_metadata={"v": 1}))
        changed = AIMessage("hi", id="2", response_metadata={"v": 2})
        memory.chat_memory.messages = [changed]
        assert copy.deepcopy(memory).chat_memory.messages == [changed]


def test_a_text_alone_is_the_question() -> None:
    """A memory that searches takes a text in the place of the inputs as the question."""
    memory = made("memzoo", "VectorStoreRetrieverMemory", k=1, input_key="asked")
    memory.save_context({"asked": "My cat is Tom."}, {"output": "Nice."})
    memory.save_context({"asked": "I live in Oslo."}, {"output": "Nice."})
    assert "Tom" in memory.load_memory_variables("What is my cat called?")["history"]


@pytest.mark.parametrize(("given", "k"), [("2", 2), (2.0, 2), (2, 2)])
def test_numbers_from_settings_and_widgets(given: Any, k: int) -> None:
    """A number may be a text from the environment, or a float from a widget."""
    for side in SIDES:
        assert made(side, "ConversationBufferWindowMemory", k=given).k == k
    with pytest.raises(OptionError, match="k must be a whole number, not 'two'"):
        made("memzoo", "ConversationBufferWindowMemory", k="two")


class Lengths(LangChainsMemory):
    """A memory that a program has derived from LangChain's base class."""

    lengths: list[int] = []  # noqa: RUF012 - pydantic copies it

    @property
    def memory_variables(self) -> list[str]:
        """One variable."""
        return ["lengths"]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The lengths of the inputs so far."""
        return {"lengths": str(self.lengths)}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Count."""
        self.lengths.append(len(inputs["input"]))

    def clear(self) -> None:
        """Start over."""
        self.lengths.clear()


def test_a_combined_memory_has_a_memory_of_the_program() -> None:
    """A member may be any memory of LangChain, in synchronous and asynchronous code."""
    for side in SIDES:
        own = Lengths()
        buffer = made(side, "ConversationBufferMemory")
        memory = made(side, "CombinedMemory", memories=[own, buffer])
        shared = made(side, "ReadOnlySharedMemory", memory=own)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        asyncio.run(memory.asave_context({"input": "bye"}, {"output": "Bye!"}))
        shown = {"lengths": "[2, 3]", "history": "Human: hi\nAI: hello\nHuman: bye\nAI: Bye!"}
        assert memory.load_memory_variables({}) == asyncio.run(memory.aload_memory_variables({})) == shown
        assert shared.load_memory_variables({}) == {"lengths": "[2, 3]"}
        memory.clear()
        assert memory.load_memory_variables({}) == {"lengths": "[]", "history": ""}


class Rows(Lengths):
    """A memory with a connection that works in its own thread alone."""

    rows: Any = None

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The number of rows."""
        return {"lengths": self.rows.execute("SELECT count(*) FROM said").fetchone()[0]}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Add a row."""
        self.rows.execute("INSERT INTO said VALUES (1)")

    def clear(self) -> None:
        """Delete the rows."""
        self.rows.execute("DELETE FROM said")


def test_a_member_of_the_program_runs_in_the_callers_thread() -> None:
    """A member that uses SQLite works in a synchronous call, and gets the exchange even if another member fails."""
    for side in SIDES:
        with contextlib.closing(sqlite3.connect(":memory:")) as rows:
            rows.execute("CREATE TABLE said (one)")
            members = [made(side, "ConversationBufferMemory"), Rows(rows=rows)]
            memory = made(side, "CombinedMemory", memories=members)
            memory.save_context({"input": "hi"}, {"output": "hello"})
            assert memory.load_memory_variables({}) == {"history": "Human: hi\nAI: hello", "lengths": 1}
            memory.clear()
            assert memory.load_memory_variables({}) == {"history": "", "lengths": 0}
            if side == "memzoo":
                failing = made(side, "ConversationSummaryMemory", llm=answering(), on_model_error="raise")
                memory.memories.append(failing)
                with pytest.raises(ModelError):
                    memory.save_context({"input": "hi"}, {"output": "hello"})
                assert memory.memories[1].load_memory_variables({}) == {"lengths": 1}
                memory.memories[:] = [Rows(rows=None), Rows(rows=rows)]
                with pytest.raises(AttributeError):
                    memory.save_context({"input": "hi"}, {"output": "hello"})
                assert memory.memories[1].load_memory_variables({}) == {"lengths": 2}


def test_the_chain_has_a_memory_of_the_program() -> None:
    """Our chain takes any memory of LangChain, in synchronous and asynchronous code."""
    chain = ConversationChain(llm=answering("one", "two"), memory=Lengths(), prompt="{lengths} {input}")
    assert (chain.predict(input="hi"), asyncio.run(chain.apredict(input="bye"))) == ("one", "two")
    assert chain.memory.lengths == [2, 3]


def test_the_buffer_of_an_entity_memory_is_cleared() -> None:
    """`buffer.clear()` begins a new chat, and the notes stay."""
    outcomes: list[Any] = []
    for side in SIDES:
        memory = made(side, "ConversationEntityMemory", llm=answering("Bo", "Bo bakes.", "NONE"))
        memory.entity_store.set("Bo", "Bo bakes.")
        memory.chat_memory.add_user_message("I am Bo.")
        memory.buffer.clear()
        outcomes.append((memory.buffer, memory.chat_memory.messages, dict(memory.entity_store.store)))
    assert outcomes[0] == outcomes[1] == ([], [], {"Bo": "Bo bakes."})


@pytest.mark.parametrize(
    ("name", "options"),
    [("ConversationSummaryMemory", {}), ("ConversationSummaryBufferMemory", {"max_token_limit": 2})],
)
def test_messages_are_put_back(name: str, options: dict[str, Any]) -> None:
    """A program that puts earlier messages back one by one asks no model for that; the next save learns from them."""
    for side in SIDES:
        llm = answering(*["They talk."] * 9)
        memory = made(side, name, llm=llm, **options)
        for _ in range(5):
            memory.chat_memory.add_user_message("Who are you?")
            memory.chat_memory.add_ai_message("I am Bo.")
        memory.chat_memory.messages = memory.chat_memory.messages[2:]
        assert llm.asked == []
        memory.save_context({"input": "And who am I?"}, {"output": "Ann."})
        assert len(llm.asked) == 1


def test_the_history_is_cleared_after_a_summary() -> None:
    """`chat_memory.clear()` deletes the messages, and the summary of them stays."""
    for side in SIDES:
        memory = made(side, "ConversationSummaryBufferMemory", llm=answering("Bo bakes."))
        memory.save_context({"input": "I am Bo."}, {"output": "Hello!"})
        memory.moving_summary_buffer = memory.predict_new_summary(memory.chat_memory.messages, "")
        memory.chat_memory.clear()
        assert memory.load_memory_variables({}) == {"history": "System: Bo bakes."}
        memory.clear()
        assert memory.load_memory_variables({}) == {"history": ""}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("summary", ["", "Bo bakes."])
def test_a_stored_summary_is_put_back_into_an_empty_history(summary: str) -> None:
    """A program that stores the summary itself sets it before the first message, and the history gets no message."""
    outcomes: list[Any] = []
    for side in SIDES:
        history = InMemoryChatMessageHistory()
        memory = made(side, "ConversationSummaryBufferMemory", llm=answering(), chat_memory=history)
        memory.moving_summary_buffer = summary
        outcomes.append([memory.load_memory_variables({}), list(history.messages)])
        memory.save_context({"input": "hi"}, {"output": "hello"})
        outcomes[-1] += [memory.load_memory_variables({}), [one.content for one in history.messages]]
    assert outcomes[0] == outcomes[1]


@pytest.mark.filterwarnings("ignore")
def test_a_summary_of_a_history_keeps_the_history() -> None:
    """The history given to `from_messages` gets the memory's new messages."""
    for side in SIDES:
        history = InMemoryChatMessageHistory(messages=[HumanMessage("hi"), AIMessage("hello")])
        cls = SIDES[side].ConversationSummaryMemory
        memory = cls.from_messages(answering("one", "two"), history)
        memory.save_context({"input": "bye"}, {"output": "Bye!"})
        assert (memory.buffer, [one.content for one in history.messages]) == ("two", ["hi", "hello", "bye", "Bye!"])
        assert memory.chat_memory is history


def test_a_summary_of_anothers_history_leaves_its_summary() -> None:
    """Both memories have a summary of their own."""
    for side in SIDES:
        other = made(side, "ConversationSummaryMemory", llm=answering("They greet."))
        other.save_context({"input": "hi"}, {"output": "hello"})
        memory = SIDES[side].ConversationSummaryMemory.from_messages(answering("They meet."), other.chat_memory)
        assert (other.buffer, memory.buffer) == ("They greet.", "They meet.")


def test_a_refused_summary_is_learnt_with_the_next_save(caplog: pytest.LogCaptureFixture) -> None:
    """The memory is made, with a warning and the summary given; `on_model_error="raise"` raises the error."""
    refusing = "I'm sorry, but I can't help with that."
    said = [HumanMessage("hi"), AIMessage("hello")]
    for given in (said, InMemoryChatMessageHistory(messages=list(said))):
        llm = answering(refusing, "They greet.")
        memory = ConversationSummaryMemory.from_messages(llm, given, buffer="Before.")
        assert memory.buffer == "Before."
        assert "summary of 2 messages waits for the next save" in caplog.text
        memory.save_context({"input": "bye"}, {"output": "Bye!"})
        assert (memory.buffer, all(word in llm.asked[1] for word in ("Before.", "hello", "Bye!"))) == (
            "They greet.",
            True,
        )
    with pytest.raises(ModelReplyError):
        ConversationSummaryMemory.from_messages(answering(refusing), said, on_model_error="raise")


def test_a_stored_summary_stays_if_the_model_refuses(tmp_path: Path) -> None:
    """What is in the store already is not lost."""
    with open_store(f"sqlite:///{tmp_path}/chat.db") as store:
        where: Any = {"store": store, "conversation_id": "c"}
        ConversationSummaryMemory(llm=answering("Bo bakes."), **where).save_context({"input": "a"}, {"output": "b"})
        refusing = answering("I'm sorry, but I can't help with that.")
        memory = ConversationSummaryMemory.from_messages(refusing, [HumanMessage("hi")], **where)
        assert memory.buffer == "Bo bakes."


def test_a_summary_of_a_list_has_no_secrets() -> None:
    """What `redact` takes out is neither stored nor sent."""
    llm = answering("They talk.")
    memory = ConversationSummaryMemory.from_messages(
        llm, [HumanMessage("Call 555-1234.")], redact={"phone": r"555-\d+"}
    )
    assert [one.content for one in memory.chat_memory.messages] == ["Call [phone]."]
    assert "555" not in llm.asked[0]


def test_a_summary_of_a_list_is_stored(tmp_path: Path) -> None:
    """The store given to `from_messages` gets the messages and the summary."""
    with open_store(f"sqlite:///{tmp_path}/chat.db") as store:
        where: Any = {"store": store, "conversation_id": "c"}
        memory = ConversationSummaryMemory.from_messages(
            answering("one", "two"), [HumanMessage("hi"), AIMessage("hello")], **where
        )
        memory.save_context({"input": "bye"}, {"output": "Bye!"})
        again = ConversationSummaryMemory(llm=answering("three"), **where)
        assert again.buffer == "two"
        assert [one.content for one in again.chat_memory.messages] == ["hi", "hello", "bye", "Bye!"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ConversationSummaryMemory", ["prompt"]),
        ("ConversationSummaryBufferMemory", ["prompt"]),
        ("ConversationEntityMemory", ["entity_extraction_prompt", "entity_summarization_prompt"]),
        ("ConversationKGMemory", ["entity_extraction_prompt", "knowledge_extraction_prompt"]),
    ],
)
def test_the_default_prompt_is_printed(name: str, options: list[str]) -> None:
    """`memory.prompt.template` is a text; memzoo refuses a change of it, which would have no effect."""
    for side in SIDES:
        memory = made(side, name, llm=answering())
        assert all(getattr(memory, option).template.strip() for option in options)
        if side == "memzoo":
            with pytest.raises(AttributeError):
                getattr(memory, options[0]).template = "Be brief."


def test_the_default_prompt_is_passed_on() -> None:
    """A default prompt of one memory is the default prompt of another, at its making and later."""
    options = ["entity_extraction_prompt", "entity_summarization_prompt"]
    for side in SIDES:
        old = made(side, "ConversationEntityMemory", llm=answering())
        given = {option: getattr(old, option) for option in options}
        new = made(side, "ConversationEntityMemory", llm=answering("Bo", "Bo: Bo bakes."), **given)
        new.entity_extraction_prompt = old.entity_extraction_prompt
        assert all(getattr(new, option) == given[option] for option in options)
        if side == "memzoo":
            assert not new.plain.has_langchains_prompt


def test_a_subclass_has_a_history_for_each_memory() -> None:
    """A history that is a class attribute, or made by a `Field`, is the memory's own; copies keep its messages."""
    for side in SIDES:
        base: Any = SIDES[side].ConversationBufferMemory
        own: Any = ChatMessageHistory() if side == "memzoo" else InMemoryChatMessageHistory()

        class Mine(base):  # type: ignore[misc]
            chat_memory: BaseChatMessageHistory = InMemoryChatMessageHistory()

        class Ours(base):  # type: ignore[misc]
            chat_memory: BaseChatMessageHistory = own

        class Fields(base):  # type: ignore[misc]
            chat_memory: BaseChatMessageHistory = Field(default_factory=InMemoryChatMessageHistory)
            memory_key: str = Field(default="chat")

        for cls in (Mine, Ours, Fields):
            memory, other = cls(), cls()
            memory.save_context({"input": "I am Ann."}, {"output": "Hello!"})
            copies = [copy.copy(memory), copy.deepcopy(memory)]
            assert [one.buffer for one in (memory, *copies)] == ["Human: I am Ann.\nAI: Hello!"] * 3
            assert (other.buffer, cls().buffer) == ("", "")
        assert Fields().memory_variables == ["chat"]


def test_a_copy_keeps_its_summary_beside_a_default() -> None:
    """A class attribute with a summary is the first summary, and copies have the current one."""

    class Seeded(ConversationSummaryMemory):
        buffer: str = "Before."  # pyright: ignore[reportIncompatibleMethodOverride]

    memory = Seeded(llm=answering("They greet."))
    before = memory.buffer
    memory.save_context({"input": "hi"}, {"output": "hello"})
    assert (before, memory.buffer, copy.deepcopy(memory).buffer) == ("Before.", "They greet.", "They greet.")


def test_a_subclass_has_methods_and_properties() -> None:
    """Methods and properties with the name of an option are no defaults."""
    for side in SIDES:
        base: Any = SIDES[side].ConversationTokenBufferMemory

        class Mine(base):  # type: ignore[misc]
            def token_counter(self, text: str) -> int:
                """Count characters."""
                return len(text)

            @cached_property
            def conversation_id(self) -> str:
                """Of the user."""
                return "ann"

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = Mine(llm=answering(), max_token_limit=99)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert (memory.buffer, memory.token_counter("four")) == ("Human: hi\nAI: hello", 4)


def test_a_subclass_changes_the_defaults() -> None:
    """A class attribute with the name of an option is the option's default, and can be given and changed."""
    for side in SIDES:
        base: Any = SIDES[side].ConversationBufferWindowMemory

        class Mine(base):  # type: ignore[misc]
            k: int = 1
            memory_key: str = "chat"

        class Yours(Mine):
            human_prefix: str = "Friend"

        memory = Yours()
        for word in ("one", "two"):
            memory.save_context({"input": word}, {"output": word})
        assert memory.load_memory_variables({}) == {"chat": "Friend: two\nAI: two"}
        memory.k = 2
        assert (memory.k, len(memory.buffer.splitlines()), Mine(k=3).k, Mine().human_prefix) == (2, 4, 3, "Human")


def test_the_history_is_dumped() -> None:
    """`chat_memory.dict()`, `json()`, `model_dump()` and `model_dump_json()` have the messages under their name."""
    there, here = (told(side, "ConversationBufferMemory").chat_memory for side in SIDES)
    assert here.model_dump() == there.model_dump()
    assert json.loads(here.model_dump_json()) == json.loads(there.model_dump_json())
    assert (
        _said(here.dict()["messages"])
        == _said(json.loads(here.json())["messages"])
        == _said(here.model_dump()["messages"])
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, _unpickled])
def test_the_history_is_copied(copied: Callable[[Any], Any]) -> None:
    """A deep copy or a pickle of `chat_memory` is a history by itself."""
    for side in SIDES:
        memory = told(side, "ConversationBufferMemory")
        other = copied(memory.chat_memory)
        other.add_user_message("Only here.")
        assert [len(one.messages) for one in (other, memory.chat_memory)] == [7, 6]


def test_notes_are_written_as_json_and_replaced() -> None:
    """`entity_store.store` is a dictionary: it can be written with `json.dump`, replaced and changed."""
    outcomes: list[Any] = []
    for side in SIDES:
        memory = made(side, "ConversationEntityMemory", llm=answering("one"))
        memory.entity_store.store = {"Sam": "A friend."}
        memory.entity_store.store["Bo"] = "A dog."
        kept: Any = memory.entity_store.store
        written = [json.loads(json.dumps(kept, indent=indent)) for indent in (None, 4)]
        outcomes.append([written, kept, isinstance(kept, dict), memory.entity_store.get("Sam"), _unpickled(kept)])
    assert outcomes[0] == outcomes[1]


def test_the_graph_is_a_file(tmp_path: Path) -> None:
    """`kg.write_to_gml` writes what `NetworkxEntityGraph.from_gml` reads, and a memory takes that in."""
    for side in SIDES:
        memory = made(side, "ConversationKGMemory", llm=answering("(Rex, is, a dog)<|>(Rex, likes, snow)"))
        memory.save_context({"input": "My dog Rex likes snow."}, {"output": "A fine name."})
        memory.kg.write_to_gml(str(tmp_path / side))
        graph = NetworkxEntityGraph.from_gml(str(tmp_path / side))
        other = made(side, "ConversationKGMemory", llm=answering("Rex"), kg=graph)
        assert other.load_memory_variables({"input": "Rex?"}) == {"history": "On Rex: Rex is a dog. Rex likes snow."}


def test_edges_and_nodes_are_removed() -> None:
    """By LangChain's methods of a graph."""
    for side in SIDES:
        memory = made(
            side, "ConversationKGMemory", llm=answering("(Rex, is, a dog)<|>(Rex, likes, snow)<|>(Sam, owns, Rex)")
        )
        memory.save_context({"input": "Sam's dog Rex likes snow."}, {"output": "A fine name."})
        assert [memory.kg.has_edge("Rex", "snow"), memory.kg.has_edge("snow", "Rex")] == [True, False]
        memory.kg.remove_edge("Rex", "snow")
        assert sorted(memory.kg.get_triples()) == [("Rex", "a dog", "is"), ("Sam", "Rex", "owns")]
        memory.kg.remove_node("Sam")
        assert memory.kg.get_triples() == [("Rex", "a dog", "is")]
        memory.kg.clear_edges()
        assert memory.kg.get_triples() == []
