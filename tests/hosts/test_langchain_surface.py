"""What a program that was written for LangChain does with a memory, beyond saving and loading."""

import asyncio
import copy
import pickle
import re
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage, ChatMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.vectorstores import InMemoryVectorStore

from memzoo import langchain as drop_in
from memzoo import open_store
from memzoo.errors import MessageError, ModelError, OptionError
from memzoo.langchain import (
    CombinedMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    KnowledgeTriple,
    VectorStoreRetrieverMemory,
)
from memzoo.testing import ScriptedModel
from tests.hosts.sides import (
    FileChatMessageHistory,
    NetworkxEntityGraph,
    SQLChatMessageHistory,
    TheirTriple,
    answering,
    chatting,
    made,
    scripted,
    theirs,
)

HI = ({"input": "hi"}, {"output": "hello"})


MODELS: list[Any] = [
    chatting("They greet."),
    answering("They greet."),
    RunnableLambda[Any, Any](lambda _: AIMessage("They greet.")),
    RunnableLambda[Any, Any](lambda _: [{"type": "text", "text": "They greet."}]),
    scripted("They greet.", "They greet."),
]


def told(memory: Any) -> Any:
    """The memory, after one exchange."""
    memory.save_context(*HI)
    return memory


class TestNames:
    """What is imported from `memzoo.langchain`."""

    @pytest.mark.parametrize("name", sorted({*theirs.__all__, "BaseChatMemory", "BaseMemory"} - {*drop_in.__all__}))
    def test_of_langchain_that_are_not_here(self, name: str) -> None:
        """Each says what to use instead."""
        with pytest.raises(ImportError, match=rf"memzoo\.langchain has no '{name}'.* (Use|It stays LangChain's:) ."):
            exec(f"from memzoo.langchain import {name}")  # noqa: S102
        with pytest.raises(AttributeError, match=rf"has no '{name}'"):
            getattr(drop_in, name)

    def test_that_nobody_has(self) -> None:
        """The nearest name is given, and the page that has them all."""
        with pytest.raises(ImportError, match=r"Did you mean 'ConversationTokenBufferMemory'.*docs/langchain\.md"):
            from memzoo.langchain import ConversationTokenBufferMemory2  # type: ignore[attr-defined] # noqa: F401
        assert not hasattr(drop_in, "ConversationTokenBufferMemory2")


class TestModels:
    """`llm` is any model that LangChain has, or a function."""

    @pytest.mark.parametrize("llm", MODELS)
    def test_answer(self, llm: Any) -> None:
        """The summary is what the model says, in both worlds."""
        memory = told(ConversationSummaryMemory(llm=llm))
        assert memory.buffer == "They greet."
        asyncio.run(memory.asave_context(*HI))
        assert memory.plain.usage["summary"].calls == 2
        assert memory.llm is llm

    def test_spend_what_they_say(self) -> None:
        """The tokens that a chat model reports are counted, and how many of them its provider had in its cache."""
        details = {"cache_read": 6, "cache_creation": 1}
        spent = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11, "input_token_details": details}
        memory = told(
            ConversationSummaryMemory(llm=RunnableLambda[Any, Any](lambda _: AIMessage("Hi.", usage_metadata=spent)))
        )
        usage = memory.plain.usage["summary"]
        assert (usage.prompt_tokens, usage.cached_tokens, usage.cache_write_tokens) == (9, 6, 1)

    def test_fail_after_what_was_said_is_stored(self) -> None:
        """An exchange survives a failing model, and is not doubled when it is told again (F2)."""
        replies = iter(["", "They greet."])
        memory = ConversationSummaryMemory(llm=RunnableLambda[Any, Any](lambda _: next(replies)))
        told(memory)
        assert memory.load_memory_variables({}) == {"history": "Human: hi\nAI: hello"}
        memory.plain.settle()
        assert memory.load_memory_variables({}) == {"history": "They greet."}
        broken = ConversationSummaryMemory(llm=RunnableLambda[Any, Any](lambda _: 1 / 0), on_model_error="raise")
        with pytest.raises(ModelError, match="ZeroDivisionError"):
            told(broken)

    def test_that_failed_leave_notes_and_facts_as_they_are(self) -> None:
        """What is kept of a failure is no note and no fact."""

        def failing(_: Any) -> str:
            raise ModelError("away")

        entities, facts = ConversationEntityMemory(llm=failing), ConversationKGMemory(llm=failing)
        told(entities)
        told(facts)
        assert (dict(entities.entity_store.store), entities.entity_store.get("Sam")) == ({}, None)
        entities.entity_store.set("Sam", "Tall.")
        assert dict(entities.entity_store.store) == {"Sam": "Tall."}
        entities.entity_store.clear()
        assert dict(entities.entity_store.store) == {}
        assert (facts.kg.get_triples(), facts.kg.has_node("Sam")) == ([], False)
        facts.kg = [("Sam", "is", "tall")]
        assert facts.kg.get_triples() == [("Sam", "tall", "is")]

    def test_are_asked_about_a_text_after_the_last_exchanges(self) -> None:
        """Nothing is stored or learnt; a failing model, or a text that no prompt has room for, is an error."""
        model = ScriptedModel("Sam | is | a friend", "Sam", "sam | has a favorite color | red", ModelError("down"))
        facts = ConversationKGMemory(llm=model, max_prompt_tokens=2_000)
        facts.save_context({"input": "Sam is a friend"}, {"output": "okay"})
        assert facts.get_current_entities("What's her favorite color?") == ["Sam"]
        assert facts.get_knowledge_triplets("Her favorite color is red") == [("sam", "has a favorite color", "red")]
        earlier = "<history>\nHuman: Sam is a friend\nAI: okay\n</history>"
        assert [earlier in prompt for _, prompt in model.asked[1:]] == [True, True]
        with pytest.raises(ModelError, match="down"):
            facts.get_current_entities("x")
        with pytest.raises(ModelError, match="'triple_extraction' would have about"):
            facts.get_knowledge_triplets("red " * 4_000)
        assert (len(facts.chat_memory.messages), len(facts.kg.get_triples())) == (2, 1)

    def test_that_answer_in_prose_stop_no_program(self) -> None:
        """Where LangChain goes on with a poor note or no fact, so do we; what is known is not lost."""
        prose = "Sure! I would be happy to help you with that."
        entities = ConversationEntityMemory(llm=scripted("Sam", prose), entity_store={"Sam": "Tall."})
        entities.load_memory_variables({"input": "Sam?"})
        entities.save_context({"input": "Sam is my brother."}, {"output": "Nice."})
        assert entities.entity_store.get("Sam") == f"Tall. {prose}"
        facts = ConversationKGMemory(llm=scripted(prose, prose, "The words speak of Sam, who is tall and kind."))
        facts.save_context({"input": "Sam is my brother."}, {"output": "Nice."})
        assert (facts.kg.get_triples(), facts.get_knowledge_triplets("Sam is tall.")) == ([], [])
        assert facts.get_current_entities("Sam?") == ["The words speak of Sam", "who is tall and kind."]
        summary = ConversationSummaryMemory(llm=scripted("I'm sorry, I cannot.", "I'm sorry, I cannot."), buffer="Old.")
        told(summary)
        assert summary.buffer == "Old."
        assert summary.predict_new_summary([HumanMessage("hi")], "") == "I'm sorry, I cannot."

    def test_count_tokens(self) -> None:
        """What a model with a tokenizer of its own counts, counts; another model's tokens are estimated."""
        counter = ConversationSummaryBufferMemory(llm=answering()).plain.render.counter
        assert counter({"role": "user", "content": "a b c"}) == 4
        assert ConversationSummaryBufferMemory(llm=chatting()).plain.render.counter.name == "approximate"


class TestMessages:
    """Message objects go in and come out."""

    def test_as_values(self) -> None:
        """An input or output may be a message."""
        memory = ConversationBufferMemory(return_messages=True)
        memory.save_context({"input": HumanMessage("hi")}, {"output": AIMessage("hello")})
        assert memory.load_memory_variables({})["history"] == [HumanMessage("hi"), AIMessage("hello")]

    def test_with_tools(self) -> None:
        """Calls of tools and their results are kept and shown (T1)."""
        call = {"name": "add", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
        said = [
            HumanMessage("1+1?"),
            AIMessage("", tool_calls=[call]),
            ToolMessage("2", tool_call_id="c1"),
            AIMessage("2"),
        ]
        memory = ConversationBufferMemory(return_messages=True)
        memory.chat_memory.add_messages(said)
        shown = memory.load_memory_variables({})["history"]
        assert [(one.type, one.content) for one in shown] == [(one.type, one.content) for one in said]
        assert shown[1].tool_calls == [call]

    def test_with_functions(self) -> None:
        """Calls and results in LangChain's oldest form are kept and shown."""
        call = {"name": "add", "arguments": '{"a": 1}'}
        said = [AIMessage("", additional_kwargs={"function_call": call}), FunctionMessage(name="add", content="2")]
        memory = ConversationBufferMemory(return_messages=True)
        memory.chat_memory.add_messages([HumanMessage("1+1?"), *said])
        shown = memory.load_memory_variables({})["history"]
        assert shown[1].additional_kwargs == {"function_call": call}
        assert (shown[2].type, shown[2].name, shown[2].content) == ("function", "add", "2")

    @pytest.mark.parametrize(
        ("role", "line"),
        [("Human", "Human: x"), ("AI", "AI: x"), ("system", "System: x"), ("moderator", "Human: moderator: x")],
    )
    def test_with_a_role_of_their_own(self, role: str, line: str) -> None:
        """A usual name is a role; another one stands in front of the words."""
        memory = ConversationBufferMemory()
        memory.chat_memory.add_message(ChatMessage(role=role, content="x"))
        memory.save_context({"input": "y"}, {"output": "z"})
        assert memory.buffer == f"{line}\nHuman: y\nAI: z"

    @pytest.mark.parametrize(
        "file",
        [
            {"type": "file", "base64": "QUJD", "mime_type": "application/pdf"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,QUJD"}},
        ],
    )
    def test_with_a_file_without_a_name(self, file: dict[str, Any]) -> None:
        """The file is named by its kind; langchain-core, which would warn at every turn, has nothing to warn of."""
        memory = ConversationBufferMemory()
        memory.chat_memory.add_message(HumanMessage([{"type": "text", "text": "Read this."}, file]))
        assert "[file: application/pdf]" in memory.buffer

    @pytest.mark.parametrize("installed", [True, False])
    @pytest.mark.parametrize(
        "short",
        [
            ("user", "x"),
            "x",
            {"role": "human", "content": "x"},
            {"type": "human", "content": "x"},
            {"role": "user", "content": "x"},
        ],
    )
    def test_in_short_forms(self, short: Any, installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
        """What LangChain takes for a message is one here, too, with LangChain and without."""
        monkeypatch.setattr("memzoo.hosts.langchain.messages.has_langchain", lambda: installed)
        memory = ConversationBufferMemory()
        memory.chat_memory.add_messages([short, {"role": "ai", "content": "y"}])
        assert memory.buffer == "Human: x\nAI: y"

    def test_are_refused_when_they_are_none(self) -> None:
        """What is no message is refused, and nothing is stored."""
        memory = ConversationBufferMemory()
        with pytest.raises(MessageError):
            memory.chat_memory.add_message(7)
        assert memory.buffer == ""

    def test_are_dicts_without_langchain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where langchain-core is not installed, messages are plain dicts."""
        monkeypatch.setattr("memzoo.hosts.langchain.messages.has_langchain", lambda: False)
        memory = told(ConversationBufferMemory(return_messages=True))
        assert memory.buffer == [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
        with pytest.raises(MessageError, match="must be a dict"):
            memory.chat_memory.add_message(HumanMessage("hi"))


class TestHistories:
    """`chat_memory`: ours, or one of LangChain's."""

    def test_a_list_that_lives(self) -> None:
        """Changes of the list of messages are changes of the conversation."""
        memory = told(ConversationBufferMemory())
        memory.chat_memory.messages.append(HumanMessage("bye"))
        memory.chat_memory.messages += [AIMessage("bye!")]
        assert memory.buffer == "Human: hi\nAI: hello\nHuman: bye\nAI: bye!"
        memory.chat_memory.messages.pop()
        del memory.chat_memory.messages[0]
        memory.chat_memory.messages[0] = AIMessage("good day")
        assert memory.buffer == "AI: good day\nHuman: bye"
        memory.chat_memory.messages = memory.chat_memory.messages[-1:]
        assert memory.chat_memory.messages == [HumanMessage("bye")]
        memory.chat_memory.messages.clear()
        assert memory.buffer == ""

    def test_what_was_learnt_stays(self) -> None:
        """Cutting the history does not ask the model, nor lose the summary."""
        llm = answering("They greet.", "wrong")
        memory = told(ConversationSummaryMemory(llm=llm))
        memory.chat_memory.messages = []
        assert memory.load_memory_variables({}) == {"history": "They greet."}
        assert llm.i == 1

    def test_both_worlds(self) -> None:
        """Each method has an asynchronous twin."""

        async def talk() -> list[Any]:
            history = ConversationBufferMemory().chat_memory
            await history.aadd_messages([HumanMessage("hi"), AIMessage("hello")])
            said = await history.aget_messages()
            await history.aclear()
            return [said, await history.aget_messages()]

        assert asyncio.run(talk()) == [[HumanMessage("hi"), AIMessage("hello")], []]

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("kind", ["memory", "file"])
    def test_of_langchain(self, kind: str, tmp_path: Path) -> None:
        """It keeps the messages; what others add is seen, and the limit of a summary buffer acts (P1)."""
        history: Any = InMemoryChatMessageHistory()
        if kind == "file":
            history = FileChatMessageHistory(str(tmp_path / "chat.json"))
        llm = answering("They greet.", "They greet and say bye.")
        memory = ConversationSummaryBufferMemory(llm=llm, chat_memory=history, max_token_limit=5)
        assert memory.chat_memory is history
        told(memory)
        history.add_messages([HumanMessage("bye"), AIMessage("bye bye")])
        assert memory.buffer == "System: They greet.\nHuman: bye\nAI: bye bye"
        assert memory.buffer == "System: They greet.\nHuman: bye\nAI: bye bye"
        assert (llm.i, len(history.messages)) == (1, 4)
        memory.clear()
        assert (history.messages, memory.buffer) == ([], "")

    @pytest.mark.filterwarnings("ignore")
    def test_that_is_shared(self) -> None:
        """Two memories on one history show one conversation, ours or LangChain's."""
        first = told(ConversationBufferMemory())
        for history in (first.chat_memory, InMemoryChatMessageHistory(messages=first.chat_memory.messages)):
            second = ConversationBufferWindowMemory(chat_memory=history, k=1)
            assert second.buffer == "Human: hi\nAI: hello"

    def test_that_is_none(self) -> None:
        """What is no history is refused."""
        with pytest.raises(OptionError, match="chat_memory must be a chat history"):
            ConversationBufferMemory(chat_memory=["hi"])

    def test_with_a_runnable(self) -> None:
        """`RunnableWithMessageHistory` is shown the memory's view, and saves to it; also across turns and loops."""
        memory = ConversationBufferWindowMemory(k=1)
        seen: list[list[str]] = []

        def answer(prompt: Any) -> AIMessage:
            seen.append([str(message.content) for message in prompt.to_messages()])
            return AIMessage(f"answer {len(seen)}")

        prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{input}")])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chain = RunnableWithMessageHistory(
                prompt | RunnableLambda(answer),
                memory.as_message_history,
                input_messages_key="input",
                history_messages_key="history",
            )
        config: Any = {"configurable": {"session_id": "a"}}
        chain.invoke({"input": "one"}, config)
        asyncio.run(chain.ainvoke({"input": "two"}, config))
        chain.invoke({"input": "three"}, config)
        assert seen == [["one"], ["one", "answer 1", "two"], ["two", "answer 2", "three"]]
        assert len(memory.chat_memory.messages) == 6

    def test_of_a_memory_that_searches(self) -> None:
        """A history is not told the question, so a search would be for the one before: it is refused."""
        with pytest.raises(OptionError, match="load_memory_variables"):
            ConversationEntityMemory(llm="offline").as_message_history()


class TestBroughtIn:
    """What another program learnt is gone on with."""

    def test_a_summary(self) -> None:
        """It is shown and extended, not written anew."""
        llm = scripted("Old and new.")
        memory = ConversationSummaryMemory(llm=llm, buffer="Sam has a dog.")
        assert memory.load_memory_variables({}) == {"history": "Sam has a dog."}
        told(memory)
        assert "Sam has a dog." in llm.asked[0]
        memory.buffer = "Set by hand."
        assert memory.buffer == memory.load_memory_variables({})["history"] == "Set by hand."

    @pytest.mark.filterwarnings("ignore")
    def test_a_summary_with_its_history(self) -> None:
        """The summary of a summary memory stands for the history; that of a summary buffer for what was before it."""
        history = InMemoryChatMessageHistory(messages=[HumanMessage("hi"), AIMessage("hello")])
        memory = ConversationSummaryMemory(llm=answering(), buffer="They greet.", chat_memory=history)
        assert memory.load_memory_variables({}) == {"history": "They greet."}
        other = ConversationSummaryBufferMemory(llm=answering(), moving_summary_buffer="Before.", chat_memory=history)
        assert other.load_memory_variables({}) == {"history": "System: Before.\nHuman: hi\nAI: hello"}

    @pytest.mark.filterwarnings("ignore")
    def test_notes(self, tmp_path: Path) -> None:
        """An entity store of LangChain, or any mapping, is taken over, and no model is asked for it."""
        theirs_in_memory = theirs.InMemoryEntityStore()
        theirs_in_file = theirs.SQLiteEntityStore(db_file=str(tmp_path / "entities.db"))
        for store in (theirs_in_memory, theirs_in_file):
            store.set("Sam", "Sam has a dog.")
        for given in (theirs_in_memory, theirs_in_file, {"Sam": "Sam has a dog."}):
            memory = ConversationEntityMemory(llm=answering("Sam"), entity_store=given)
            loaded = memory.load_memory_variables({"input": "Who is SAM?"})
            assert loaded == {"history": "", "entities": {"Sam": "Sam has a dog."}}
        with warnings.catch_warnings(), open_store(f"sqlite:///{tmp_path}/chat.db") as kept:
            warnings.simplefilter("error")
            told(ConversationEntityMemory(llm=answering("NONE"), entity_store=theirs_in_memory))
            told(
                ConversationEntityMemory(
                    llm=answering("NONE"), entity_store=theirs_in_file, store=kept, conversation_id="a"
                )
            )
        with pytest.warns(UserWarning, match="new ones are not written to it"):
            ConversationEntityMemory(llm=answering(), entity_store=theirs_in_file)
        theirs_in_file.conn.close()
        store = memory.entity_store
        store.set("Rex", "A dog.")
        assert (store.exists("rex"), store.get("Rex"), store.get("Tom", "?")) == (True, "A dog.", "?")
        store.delete("rex")
        assert dict(store.store) == {"Sam": "Sam has a dog."}
        store.clear()
        assert dict(store.store) == {}
        with pytest.raises(OptionError, match="entity_store must be"):
            memory.entity_store = 7

    def test_facts(self) -> None:
        """A graph of LangChain or networkx, or triples, are taken over; the graph can be changed."""
        graph = NetworkxEntityGraph()
        graph.add_triple(TheirTriple("Sam", "owns", "Rex"))
        kinds: list[Any] = [graph, graph._graph, [("Sam", "owns", "Rex")]]  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
        memory = ConversationKGMemory(llm=answering())
        for given in kinds:
            memory.kg = given
            assert memory.load_memory_variables({"input": "Who is Sam?"}) == {"history": "On Sam: Sam owns Rex."}
        memory.kg.add_triple(KnowledgeTriple("Rex", "likes", "snow"))
        assert memory.kg.get_entity_knowledge("Sam", depth=2) == ["Sam owns Rex", "Rex likes snow"]
        assert (memory.kg.get_number_of_nodes(), memory.kg.has_node("SNOW")) == (3, True)
        assert sorted(memory.kg.get_neighbors("Rex")) == ["Sam", "snow"]
        memory.kg.delete_triple(KnowledgeTriple("Sam", "owns", "Rex"))
        assert memory.kg.get_triples() == [("Rex", "snow", "likes")]
        memory.kg.clear()
        assert memory.kg.get_triples() == []
        with pytest.raises(OptionError, match="kg must be"):
            memory.kg = 7

    @pytest.mark.filterwarnings("ignore")
    def test_into_an_empty_history_of_langchain(self) -> None:
        """The state is kept, and the history stays empty."""
        memory = ConversationSummaryMemory(llm=answering(), buffer="x", chat_memory=InMemoryChatMessageHistory())
        assert (memory.buffer, memory.chat_memory.messages) == ("x", [])


def unpickled(memory: Any) -> Any:
    """What comes out of a pickle."""
    return pickle.loads(pickle.dumps(memory))  # noqa: S301


class UsersMemory(ConversationBufferMemory):
    """A memory with an owner."""

    memory_key = "chat"

    def __init__(self, user: str) -> None:
        """Make the memory of a user."""
        super().__init__()
        self.user = user


class LockedMemory(ConversationBufferMemory):
    """A memory with a lock."""

    def __init__(self, **options: Any) -> None:
        """Make a memory with a lock."""
        super().__init__(**options)
        self.lock = threading.Lock()
        self.calls = 0


class ReopeningMemory(LockedMemory):
    """A memory that pickles its attributes itself."""

    def __init__(self) -> None:
        """Make a memory with a key."""
        super().__init__(memory_key="chat")

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock."""
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A new lock."""
        vars(self).update(state, lock=threading.Lock())


class TestCopies:
    """LangChain's memories are pickled into session states."""

    @pytest.mark.parametrize("copied", [copy.deepcopy, unpickled])
    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("ConversationBufferMemory", {"memory_key": "history"}),
            ("ConversationBufferWindowMemory", {"k": 2}),
            ("ConversationSummaryMemory", {"llm": answering("They greet.", "More.")}),
            ("ConversationSummaryBufferMemory", {"llm": chatting("They greet."), "moving_summary_buffer": "Before."}),
            ("VectorStoreRetrieverMemory", {"k": 1}),
            ("ConversationKGMemory", {"llm": answering("(Sam, is, here)"), "kg": [("Rex", "is", "a dog")]}),
        ],
    )
    def test_go_on_by_themselves(self, name: str, options: dict[str, Any], copied: Any) -> None:
        """A copy has what was said and learnt; what it is told after that the original does not hear of."""
        memory = told(getattr(drop_in, name)(**options))
        other = copied(memory)
        shown = memory.load_memory_variables({"input": "Rex"})
        assert type(other) is type(memory)
        assert other.load_memory_variables({"input": "Rex"}) == shown
        other.chat_memory.add_user_message("bye")
        assert len(other.chat_memory.messages) == 3
        assert len(memory.chat_memory.messages) == 2

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, unpickled])
    def test_of_a_programs_subclass(self, copied: Any) -> None:
        """A copy has the attributes of the subclass, whose `__init__` may have other arguments."""
        copy_of = copied(told(UsersMemory("sam")))
        assert type(copy_of) is UsersMemory
        assert (copy_of.user, copy_of.load_memory_variables({})) == ("sam", {"chat": "Human: hi\nAI: hello"})

    @pytest.mark.parametrize("copied", [copy.deepcopy, unpickled])
    @pytest.mark.parametrize("cls", [LockedMemory, ReopeningMemory])
    def test_of_what_cannot_be_pickled(self, cls: Any, copied: Any) -> None:
        """`__init__`, or a `__setstate__`, makes it again; other attributes are as they were."""
        memory = told(cls())
        memory.calls, memory.friend = 7, [memory]
        copy_of = copied(memory)
        assert (copy_of.buffer, copy_of.calls, copy_of.lock.locked()) == ("Human: hi\nAI: hello", 7, False)
        assert (copy_of.lock is memory.lock, copy_of.friend[0] is copy_of) == (False, True)

    def test_of_an_earlier_version(self) -> None:
        """A pickle without the attributes of a subclass gets them from `__init__`."""
        remake, (cls, options, content, _), _ = told(LockedMemory()).__reduce_ex__(4)
        memory = remake(cls, options, content)
        assert (memory.buffer, memory.calls) == ("Human: hi\nAI: hello", 0)

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, unpickled])
    def test_of_memories_of_memories(self, copied: Any) -> None:
        """A copy of a combined memory has its members, and a read-only one the memory that it shows."""
        memory = drop_in.SimpleMemory(memories={"place": "Oslo"})
        combined = CombinedMemory(memories=[memory, drop_in.ReadOnlySharedMemory(memory=told(UsersMemory("sam")))])
        copy_of = copied(combined)
        assert type(copy_of) is CombinedMemory
        assert copy_of.load_memory_variables({}) == {"place": "Oslo", "chat": "Human: hi\nAI: hello"}

    @pytest.mark.filterwarnings("ignore")
    def test_of_other_histories_and_stores(self, tmp_path: Path) -> None:
        """A history of LangChain travels with the memory; a database is opened again."""
        history = InMemoryChatMessageHistory(messages=[HumanMessage("hi")])
        other = copy.deepcopy(ConversationBufferMemory(chat_memory=history))
        assert (other.buffer, other.chat_memory is history) == ("Human: hi", False)
        with open_store(f"sqlite:///{tmp_path}/chat.db") as store:
            memory = told(ConversationBufferMemory(store=store))
            again = unpickled(memory)
            assert again.buffer == memory.buffer
            again.plain.close()

    def test_a_shallow_one_shares(self) -> None:
        """As in LangChain, both hear what one is told."""
        memory = told(ConversationBufferMemory())
        other = copy.copy(memory)
        told(other)
        assert memory.buffer == other.buffer == "Human: hi\nAI: hello\nHuman: hi\nAI: hello"

    def test_an_empty_one_keeps_its_summary(self) -> None:
        """What was brought in travels before anything was said."""
        memory = copy.deepcopy(ConversationSummaryMemory(llm=answering(), buffer="Sam has a dog."))
        assert memory.buffer == "Sam has a dog."


class TestOptions:
    """Options are LangChain's, and can be changed."""

    def test_the_name_of_the_exchanges(self) -> None:
        """The memory of entities names the exchanges by `chat_history_key`, now and after a change (reference 2.4)."""
        memory = ConversationEntityMemory(llm=answering("NONE"), chat_history_key="chat", memory_key="unused")
        assert (memory.memory_variables, memory.chat_history_key) == (["entities", "chat"], "chat")
        memory.chat_history_key = "said"
        assert memory.memory_variables == ["entities", "said"]

    def test_change(self) -> None:
        """A new value holds from the next call on, for all that was said."""
        memory = told(told(ConversationBufferWindowMemory()))
        memory.k, memory.human_prefix, memory.memory_key = 1, "Friend", "chat"
        assert memory.load_memory_variables({}) == {"chat": "Friend: hi\nAI: hello"}
        memory.return_messages = True
        assert memory.buffer == [HumanMessage("hi"), AIMessage("hello")]
        with pytest.raises(OptionError, match="k must be a whole number"):
            memory.k = "many"
        assert memory.k == 1

    def test_that_there_are_not(self) -> None:
        """LangChain is silent about them; a warning names them and those that there are."""
        with pytest.warns(UserWarning, match="ConversationBufferMemory has no option 'k', which is ignored"):
            ConversationBufferMemory(k=3)
        with pytest.raises(AttributeError, match=r"additions are at \.plain"):
            ConversationBufferMemory().nothing_of_the_kind  # noqa: B018

    @pytest.mark.parametrize(
        "template",
        [
            "Shorten {summary} and {new_lines}; {{literally}}",
            PromptTemplate.from_template("Shorten {summary} and {new_lines}; {{literally}}"),
            PromptTemplate.from_template(
                "Shorten {{ summary }} and {{ new_lines }}; {literally}", template_format="jinja2"
            ),
            PromptTemplate.from_template("{how} {summary} and {new_lines}; {{literally}}").partial(how="Shorten"),
        ],
    )
    def test_prompts(self, template: Any) -> None:
        """A template of LangChain is taken over, whatever its form."""
        llm = scripted("They greet.")
        told(ConversationSummaryMemory(llm=llm, prompt=template))
        assert llm.asked == ["Shorten  and Human: hi\nAI: hello; {literally}"]

    def test_prompts_for_entities(self) -> None:
        """One call still serves all names, whatever the template says of one."""
        llm = scripted("Sam, Rex", "Sam: A man.\nRex: A dog.")
        memory = ConversationEntityMemory(
            llm=llm,
            entity_extraction_prompt="Names in {input}, after {history}?",
            entity_summarization_prompt="On {entity}, known: {summary}. {history} {input}",
        )
        memory.save_context({"input": "Sam has Rex."}, {"output": "Good."})
        assert llm.asked[0] == "Names in Human: Sam has Rex.\nAI: Good., after ?"
        assert llm.asked[1].startswith("On Sam, known: .")
        assert "The names: Sam, Rex" in llm.asked[1]
        assert dict(memory.entity_store.store) == {"Rex": "A dog.", "Sam": "A man."}

    @pytest.mark.parametrize("template", ["{summary} {lines}", 7, PromptTemplate.from_template("{a}")])
    def test_prompts_with_other_variables(self, template: Any) -> None:
        """They are refused when the memory is made, with the names that there are."""
        with pytest.raises(OptionError, match="prompt"):
            ConversationSummaryMemory(llm=answering(), prompt=template)

    def test_the_class_of_the_summary(self) -> None:
        """`summary_message_cls` chooses how it is shown; a system message that was said stays one."""
        memory = ConversationSummaryBufferMemory(
            llm=answering(), return_messages=True, moving_summary_buffer="Before.", summary_message_cls=HumanMessage
        )
        memory.chat_memory.add_message(SystemMessage("Be brief."))
        shown = memory.load_memory_variables({})["history"]
        assert sorted(shown, key=repr) == [HumanMessage("Before."), SystemMessage("Be brief.")]

    def test_documents(self) -> None:
        """`return_docs` gives LangChain's documents."""
        memory = told(VectorStoreRetrieverMemory(return_docs=True))
        assert memory.load_memory_variables({"input": "hi"}) == {
            "history": [Document(page_content="input: hi\noutput: hello")]
        }

    def test_documents_of_several_inputs(self) -> None:
        """All inputs and outputs are in the document, also where memzoo searches."""
        memory = VectorStoreRetrieverMemory(exclude_input_keys=["secret"])
        memory.save_context({"input": "hi", "place": "Oslo", "secret": 7}, {"output": "hello", "source": None})
        expected = "input: hi\nplace: Oslo\noutput: hello\nsource: None"
        assert memory.load_memory_variables({"input": "Oslo?"}) == {"history": expected}


class TestRetriever:
    """`retriever=`: LangChain's vector store keeps the documents."""

    def test_finds_what_is_there_and_what_is_new(self) -> None:
        """Documents of before are found, new ones are added, and clearing deletes those of this conversation (P4)."""
        vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        vectors.add_texts(["from before"])
        memory = VectorStoreRetrieverMemory(retriever=vectors.as_retriever(search_kwargs={"k": 5}))
        told(memory)
        asyncio.run(memory.asave_context({"input": "bye", "stop": "x"}, {"output": "bye bye"}))
        loaded = memory.load_memory_variables({"input": "hi"})["history"]
        assert {"from before", "hello", "bye"} <= set(loaded.replace(": ", "\n").splitlines())
        assert asyncio.run(memory.aload_memory_variables({"input": "hi"}))["history"] == loaded
        memory.return_docs = True
        assert all(isinstance(one, Document) for one in memory.load_memory_variables({"input": "hi"})["history"])
        memory.clear()
        assert [one.page_content for one in vectors.similarity_search("hi", k=9)] == ["from before"]

    @pytest.mark.parametrize(
        ("inputs", "outputs", "options"),
        [
            ({"input": "hi", "place": "Oslo"}, {"output": "hello"}, {}),
            ({"place": "Oslo", "input": "hi"}, {"output": "hello", "source": "none"}, {"input_key": "input"}),
            ({"input": "hi", "history": "old", "secret": 7}, {"output": "hello"}, {"exclude_input_keys": ["secret"]}),
            ({"a": "hi", "b": ["x", 1]}, {"c": 7}, {"input_key": "input"}),
            ({"history": "old", "b": None}, {}, {}),
            ({"history": "old"}, {"output": "hello"}, {}),
        ],
    )
    def test_several_inputs(self, inputs: Any, outputs: Any, options: Any) -> None:
        """A document has all inputs and outputs, as in LangChain, and `input_key` says what is looked for."""
        there, here = (
            InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
            InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
        )
        made("langchain", "VectorStoreRetrieverMemory", retriever=there.as_retriever(), **options).save_context(
            inputs, outputs
        )
        memory = VectorStoreRetrieverMemory(retriever=here.as_retriever(), **options)
        CombinedMemory(memories=[memory]).save_context(inputs, outputs)
        asyncio.run(memory.asave_context(inputs, outputs))
        [expected] = [one.page_content for one in there.similarity_search("hi")]
        assert [one.page_content for one in here.similarity_search("hi")] == [expected] * 2
        asked = {"input": "hi", "stop": "x"}
        assert memory.load_memory_variables(asked)["history"] == f"{expected}\n{expected}"

    def test_that_failed_is_given_the_document_later(self) -> None:
        """A vector store that is away for a while misses nothing, and gets nothing twice."""
        vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        memory = VectorStoreRetrieverMemory(retriever=vectors.as_retriever())
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(InMemoryVectorStore, "add_documents")
            with pytest.raises(NotImplementedError):
                told(memory)
        told(memory)
        found = vectors.similarity_search("hi", k=9)
        assert [one.page_content for one in found] == ["input: hi\noutput: hello"] * 2

    def test_forgets(self) -> None:
        """The document of what is forgotten goes, and the others stay."""
        vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        memory = told(VectorStoreRetrieverMemory(retriever=vectors.as_retriever()))
        memory.save_context({"input": "secret"}, {"output": "no"})
        memory.plain.forget([3, 4])
        assert [one.page_content for one in vectors.similarity_search("hi", k=9)] == ["input: hi\noutput: hello"]

    def test_that_is_none(self) -> None:
        """What cannot keep documents is refused."""
        with pytest.raises(OptionError, match="retriever must be a VectorStoreRetriever"):
            VectorStoreRetrieverMemory(retriever=object())


class TestAsynchronous:
    """What LangChain's own classes leave undone (A1, A2)."""

    def test_saving_learns_and_clearing_clears(self) -> None:
        """Summary, notes and facts follow an asynchronous save, and go with an asynchronous clear."""

        async def talk() -> list[Any]:
            summary = ConversationSummaryMemory(llm=answering("They greet."))
            graph = ConversationKGMemory(llm=answering("(Sam, is, away)"))
            notes = ConversationEntityMemory(llm=answering("Sam: A man."))
            for memory in (summary, graph, notes):
                await memory.asave_context({"input": "Sam is away"}, {"output": "Good."})
            learnt = [summary.buffer, graph.kg.get_triples(), notes.entity_store.get("Sam")]
            for memory in (summary, graph, notes):
                await memory.aclear()
            return [learnt, [summary.buffer, graph.kg.get_triples(), notes.entity_store.get("Sam")]]

        learnt = ["They greet.", [("Sam", "away", "is")], "A man."]
        assert asyncio.run(talk()) == [learnt, ["", [], None]]

    def test_pruning(self) -> None:
        """`prune` brings within a limit that was lowered."""
        memory = told(ConversationSummaryBufferMemory(llm=answering("They greet."), max_token_limit=100))
        memory.max_token_limit = 0
        asyncio.run(memory.aprune())
        assert (memory.buffer, memory.moving_summary_buffer) == ("System: They greet.", "They greet.")

    def test_predicting_a_summary(self) -> None:
        """Nothing is stored by it."""
        memory = ConversationSummaryMemory(llm=answering("They greet."))
        assert memory.predict_new_summary([HumanMessage("hi")], "") == "They greet."
        assert memory.buffer == ""


def test_the_page(tmp_path: Path) -> None:
    """The blocks of docs/langchain.md run as they stand, and what was stored elsewhere can be taken along."""
    page = (Path(__file__).parents[2] / "docs" / "langchain.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(compile(block, "langchain.md", "exec"), names)  # noqa: S102
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = SQLChatMessageHistory("anna", connection=f"sqlite:///{tmp_path}/old.db")
        old.add_messages([HumanMessage("hi"), AIMessage("hello")])
    url = f"sqlite:///{tmp_path}/new.db"
    names["take_along"](old, "anna", url)
    old.engine.dispose()
    with open_store(url) as store:
        memory = ConversationBufferMemory(store=store, conversation_id="anna", return_messages=True)
        assert memory.buffer == [HumanMessage("hi"), AIMessage("hello")]
