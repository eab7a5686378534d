"""LangChain 1.x and deepagents: the middleware, through `create_agent` and `create_deep_agent`."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

langchain: Any = pytest.importorskip(
    "langchain.agents", reason="LangChain 1.x is not installed; `make hosts` does that"
)

from memzoo import MemoryProvider, create_memory  # noqa: E402
from memzoo.errors import OptionError  # noqa: E402
from memzoo.hosts.langchain_agents import MemoryMiddleware, summarizer  # noqa: E402
from memzoo.stores import Message  # noqa: E402
from memzoo.testing import ScriptedModel  # noqa: E402
from tests.hosts.contract import (  # noqa: E402
    FIRST,
    SAID_THEN,
    SECOND,
    SUMMARY,
    Call,
    HostContract,
    Step,
    contents,
    summarizing,
    texts,
    weather,
)
from tests.hosts.langchain_models import ScriptedChat, chat, gone_back, kept_of, messages, thread_shapes  # noqa: E402

checkpoints: Any = pytest.importorskip("langgraph.checkpoint.memory")
middleware: Any = pytest.importorskip("langchain.agents.middleware")


def agent_of(memories: Any, model: ScriptedChat, checkpointer: Any = None, *more: Any) -> Any:
    """An agent with the tool and the middleware."""
    return langchain.create_agent(
        model, [weather], middleware=[*more, MemoryMiddleware(memories)], checkpointer=checkpointer
    )


def given(user: str, text: str, run: str | None) -> tuple[Any, Any]:
    """What `invoke` takes. The id of a run is that of the human's message."""
    return {"messages": [messages.HumanMessage(text, id=run)]}, {"configurable": {"thread_id": user}}


async def akeep_in(thread: Sequence[Any], memories: MemoryProvider) -> None:
    """Let the middleware keep a thread at the end of a run."""
    runnables: Any = pytest.importorskip("langchain_core.runnables")

    async def end(state: Any) -> None:
        await MemoryMiddleware(memories).aafter_agent(state, None)

    await runnables.RunnableLambda(end).ainvoke({"messages": thread}, {"configurable": {"thread_id": "anna"}})


class TestWithoutCheckpointer(HostContract):
    """The state lasts for one run: what was said before stands in the memory alone."""

    checkpointer: Any = None

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say`."""
        model = ScriptedChat(script=list(script), sent=[])
        await agent_of(memories, model, self.checkpointer).ainvoke(*given(user, text, run))
        return [chat(sent) for sent in model.sent]

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say_in_sync`."""
        model = ScriptedChat(script=list(script), sent=[])
        agent_of(memories, model, self.checkpointer).invoke(*given(user, text, run))
        return [chat(sent) for sent in model.sent]

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        return thread_shapes()

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: a model is not shown a result without its call, so the log is looked at."""
        thread = [messages.HumanMessage("Question", id="q"), shape, messages.AIMessage("Answer", id="a")]
        await akeep_in(thread, memories)
        await agent_of(memories, ScriptedChat(script=["Bye."], sent=[])).ainvoke(*given("anna", "Thanks.", None))
        return kept_of(memories.get("anna"), shape.id)

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: the application hands over the whole thread each time."""
        model, thread = ScriptedChat(script=[FIRST[1], SECOND[1], "Anew"], sent=[]), list[Any]()
        agent, config = agent_of(memories, model), {"configurable": {"thread_id": "anna"}}
        for question in (FIRST[0], SECOND[0]):
            asked = [*thread, messages.HumanMessage(question)]
            thread = (await agent.ainvoke({"messages": asked}, config))["messages"]
        anew = thread[2] if how == "regenerate" else messages.HumanMessage(SAID_THEN[how])
        if how == "edit":
            anew.id = thread[2].id
        await agent.ainvoke({"messages": [*thread[:2], anew]}, config)
        return [chat(model.sent[2])]


class TestWithCheckpointer(TestWithoutCheckpointer):
    """The state has the whole thread; the model is still sent the view."""

    def begin_anew(self) -> None:
        """See `HostContract.begin_anew`."""
        self.checkpointer = checkpoints.InMemorySaver()

    async def resume(self, memories: MemoryProvider, script: Sequence[Step]) -> list[list[Message]]:
        """See `HostContract.resume`: from the newest checkpoint."""
        model = ScriptedChat(script=list(script), sent=[])
        config = {"configurable": {"thread_id": "anna"}}
        await agent_of(memories, model, self.checkpointer).ainvoke(None, config)
        return [chat(sent) for sent in model.sent]

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`."""
        await self.two_exchanges(memories)
        model = ScriptedChat(script=["Anew"], sent=[])
        config = {"configurable": {"thread_id": "anna"}}
        await gone_back(agent_of(memories, model, self.checkpointer), config, how)
        return [chat(sent) for sent in model.sent]

    def test_the_state_stays_whole(self) -> None:
        """What the model is not sent is still in the thread's state: nothing removes messages from it."""
        self.talk(memories := summarizing())
        agent = agent_of(memories, ScriptedChat(script=[]), self.checkpointer)
        state = agent.get_state({"configurable": {"thread_id": "anna"}}).values["messages"]
        expected = [text for turn in range(5) for text in (f"Question {turn}", f"Answer {turn}")]
        assert [message.text for message in state] == expected

    def test_the_host_may_summarize_too(self) -> None:
        """Where another middleware replaces messages by a summary, the log is complete and in order all the same."""
        memories = summarizing()
        for turn in range(5):
            model = ScriptedChat(script=[f"Answer {turn}"], sent=[])
            theirs = middleware.SummarizationMiddleware(
                ScriptedChat(script=["Theirs."] * 9), trigger=("messages", 4), keep=("messages", 2)
            )
            agent_of(memories, model, self.checkpointer, theirs).invoke(*given("anna", f"Question {turn}", None))
        expected = [text for turn in range(5) for text in (f"Question {turn}", f"Answer {turn}")]
        assert contents(memories.get("anna").history()) == expected


def test_messages_come_back_as_they_were() -> None:
    """What an earlier process said comes back with ids, usage and names, and providers are sent none of it."""
    memory = create_memory("buffer", conversation_id="anna")
    model = ScriptedChat(script=[Call("Oslo", "c1"), "Sunny.", "Bye."], sent=[])
    first = agent_of(memory, model).invoke({"messages": [messages.HumanMessage("Weather?", name="Anna", id="h1")]})
    agent_of(memory, model).invoke({"messages": "Thanks."})
    assert model.sent[-1][:-1] == first["messages"]
    assert model.sent[-1][3].usage_metadata["total_tokens"] == 2
    assert "total_tokens" not in str(memory.messages())


def test_reasoning_is_kept_beside() -> None:
    """Reasoning goes back to the framework, and is not in the chat message that other providers are sent."""
    memory = create_memory("buffer", conversation_id="anna")
    thought = messages.AIMessage([{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Hi."}], id="a1")
    said = [messages.HumanMessage("Hello?", id="h1"), thought]
    model = ScriptedChat(script=["Bye."], sent=[])
    agent_of(memory, model).invoke({"messages": [*said, messages.HumanMessage("Thanks.", id="h2")]})
    assert model.sent[-1][1] == thought
    assert memory.history()[1] == {"role": "assistant", "content": "Hi."}


def test_one_memory_serves_one_thread() -> None:
    """A memory given alone is never shown to another thread; the error says what serves many."""
    agent = agent_of(create_memory("buffer", conversation_id="anna"), ScriptedChat(script=["Hi."]))
    with pytest.raises(OptionError, match="MemoryProvider"):
        agent.invoke(*given("ben", "Hello?", None))


def test_a_provider_needs_the_thread() -> None:
    """Without a thread's id nobody's memory is chosen."""
    agent = agent_of(MemoryProvider("buffer"), ScriptedChat(script=["Hi."]))
    with pytest.raises(OptionError):
        agent.invoke({"messages": "Hello?"})


@pytest.mark.parametrize("waiting", [True, False])
def test_our_summaries_in_their_middleware(*, waiting: bool) -> None:
    """`SummarizationMiddleware` asks the memory's model with the memory's prompt, and hands it the earlier summary."""
    model = ScriptedModel("Anna greets.", "Anna greets twice.")
    memory = create_memory("summary", llm=model)
    theirs = middleware.SummarizationMiddleware(
        ScriptedChat(script=[]), trigger=("messages", 3), keep=("messages", 1), summarizer=summarizer(memory)
    )
    script = [f"Answer {turn}" for turn in range(3)]
    agent = langchain.create_agent(
        chat_model := ScriptedChat(script=script, sent=[]),
        middleware=[theirs],
        checkpointer=checkpoints.InMemorySaver(),
    )
    for turn in range(3):
        ask = given("anna", f"Question {turn}", None)
        asyncio.run(agent.ainvoke(*ask)) if waiting else agent.invoke(*ask)
    assert "Anna greets twice." in texts(chat(chat_model.sent[-1]))
    assert "Anna greets." in model.asked[1][1]
    assert "Here is a summary" not in model.asked[1][1]
    assert memory.history() == []


def test_agents_two_graphs_deep() -> None:
    """Two agents answer one question there: both answers stay; asked again, each takes back its own."""
    graphs: Any = pytest.importorskip("langgraph.graph")
    memories, model = MemoryProvider("buffer"), ScriptedChat(script=["One", "Two", "One anew", "Two anew"])
    agent = agent_of(memories, model)

    def asked(state: Any) -> None:
        agent.invoke({"messages": state["messages"]})

    team = graphs.StateGraph(dict).add_sequence([("first", asked), ("second", asked)])
    team = team.add_edge(graphs.START, "first").compile()
    graph = graphs.StateGraph(dict).add_node("team", team).add_edge(graphs.START, "team").compile()
    for answers in (["One", "Two"], ["One anew", "Two anew"]):
        graph.invoke(*given("anna", "Question", "q"))
        assert contents(memories.get("anna").history()) == ["Question", *answers]


def test_a_deep_agent() -> None:
    """In deepagents, with all that it brings along, the model is sent the view and the log is complete."""
    deepagents: Any = pytest.importorskip("deepagents")
    memories = summarizing()
    model = ScriptedChat(script=[f"Answer {turn}" for turn in range(5)], sent=[])
    agent = deepagents.create_deep_agent(model, middleware=[MemoryMiddleware(memories)])
    for turn in range(5):
        agent.invoke(*given("anna", f"Question {turn}", None))
    assert SUMMARY in texts(chat(model.sent[-1]))
    assert contents(chat(model.sent[-1]))[-2:] == ["Answer 3", "Question 4"]
    assert len(memories.get("anna").history()) == 10


def test_invalid_calls_are_answered() -> None:
    """LangChain's models send a call that could not be parsed; it has a result, or is hidden, like any other."""
    memories = MemoryProvider("buffer")
    broken = {"type": "invalid_tool_call", "id": "c1", "name": "weather", "args": '{"city": "Os', "error": "cut"}
    said = [messages.HumanMessage("Weather?", id="h1"), messages.AIMessage("", invalid_tool_calls=[broken], id="a1")]
    model = ScriptedChat(script=["Sorry."], sent=[])
    run = {"configurable": {"thread_id": "anna"}}
    agent_of(memories, model).invoke({"messages": [*said, messages.HumanMessage("And now?", id="h2")]}, run)
    calls = [call["id"] for message in model.sent[-1] for call in getattr(message, "invalid_tool_calls", [])]
    assert calls == [message.tool_call_id for message in model.sent[-1] if message.type == "tool"]
    [call] = memories.get("anna").history()[1]["tool_calls"]
    assert call["function"]["arguments"] == broken["args"]
