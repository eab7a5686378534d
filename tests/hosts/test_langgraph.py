"""LangGraph: the store, and the recipe of a graph with a memory in front of the model."""

import asyncio
import operator
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

graphs: Any = pytest.importorskip("langgraph.graph", reason="LangGraph is not installed; `make hosts` does that")

from memzoo import HashEmbedder, InMemoryStore, MemoryProvider, open_store  # noqa: E402
from memzoo.errors import OptionError, StoreError  # noqa: E402
from memzoo.hosts.langgraph import MemzooStore, remember, this_turn, view  # noqa: E402
from memzoo.stores import Message  # noqa: E402
from memzoo.sync import drive  # noqa: E402
from tests.hosts.contract import SAID_THEN, Call, HostContract, Step, contents, summarizing, weather  # noqa: E402
from tests.hosts.langchain_models import ScriptedChat, chat, gone_back, kept_of, messages, thread_shapes  # noqa: E402

prebuilt: Any = pytest.importorskip("langgraph.prebuilt")
prompts: Any = pytest.importorskip("langchain_core.prompts")
checkpoints: Any = pytest.importorskip("langgraph.checkpoint.memory")


class Whole(TypedDict):
    """A state with the whole thread."""

    messages: Annotated[list[Any], graphs.add_messages]


class Added(TypedDict):
    """A state that gives messages no ids."""

    messages: Annotated[list[Any], operator.add]


class Turn(TypedDict):
    """A state with the newest turn."""

    messages: Annotated[list[Any], this_turn]


def graph_of(memories: Any, model: ScriptedChat, state: Any, checkpointer: Any) -> Any:
    """The graph of the recipe: a model that calls tools, and a last node that remembers."""
    chain = view(memories) | model
    graph = graphs.StateGraph(state)

    def ask(state: Any) -> Any:
        return {"messages": [chain.invoke(state["messages"])]}

    graph.add_node("ask", ask)
    graph.add_node("tools", prebuilt.ToolNode([weather]))
    graph.add_node("remember", remember(memories))
    graph.add_edge(graphs.START, "ask")
    graph.add_conditional_edges("ask", prebuilt.tools_condition, {"tools": "tools", graphs.END: "remember"})
    graph.add_edge("tools", "ask")
    return graph.compile(checkpointer=checkpointer)


class TestWholeState(HostContract):
    """The recipe with LangGraph's own reducer."""

    state: Any = Whole

    def begin_anew(self) -> None:
        """See `HostContract.begin_anew`."""
        self.checkpointer: Any = checkpoints.InMemorySaver()

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say`. The id of a run is that of the human's message."""
        model = ScriptedChat(script=list(script), sent=[])
        given = {"messages": [messages.HumanMessage(text, id=run)]}
        await graph_of(memories, model, self.state, self.checkpointer).ainvoke(given, _thread(user))
        return [chat(sent) for sent in model.sent]

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say_in_sync`."""
        model = ScriptedChat(script=list(script), sent=[])
        given = {"messages": [messages.HumanMessage(text, id=run)]}
        graph_of(memories, model, self.state, self.checkpointer).invoke(given, _thread(user))
        return [chat(sent) for sent in model.sent]

    async def resume(self, memories: MemoryProvider, script: Sequence[Step]) -> list[list[Message]]:
        """See `HostContract.resume`: from the newest checkpoint."""
        model = ScriptedChat(script=list(script), sent=[])
        await graph_of(memories, model, self.state, self.checkpointer).ainvoke(None, _thread("anna"))
        return [chat(sent) for sent in model.sent]

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        return thread_shapes()

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: a model is not shown a result without its call, so the log is looked at."""
        thread = [messages.HumanMessage("Question", id="q"), shape, messages.AIMessage("Answer", id="a")]
        await remember(memories).ainvoke({"messages": thread}, _thread("anna"))
        await view(memories).ainvoke([], _thread("anna"))
        return kept_of(memories.get("anna"), shape.id)

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`."""
        await self.two_exchanges(memories)
        model = ScriptedChat(script=["Anew"], sent=[])
        await gone_back(graph_of(memories, model, self.state, self.checkpointer), _thread("anna"), how)
        return [chat(sent) for sent in model.sent]


class TestGoingBack:
    """What a thread has no more is not shown, and not in the log."""

    def setup_method(self) -> None:
        """A thread with two answered questions, and a memory that has followed it."""
        self.memories = MemoryProvider("buffer")
        self.model = ScriptedChat(script=[f"Answer {turn}" for turn in range(9)], sent=[])
        self.graph = graph_of(self.memories, self.model, Whole, checkpoints.InMemorySaver())
        for turn in range(2):
            self.say(f"Question {turn}", id_=f"q{turn}")

    def say(self, text: str, *, id_: str | None = None, config: Any = None) -> list[str]:
        """Say something in the thread, or from one of its checkpoints on, and tell what the model was sent."""
        self.graph.invoke({"messages": [messages.HumanMessage(text, id=id_)]}, config or _thread("anna"))
        return contents(chat(self.model.sent[-1]))

    def log(self) -> list[str]:
        """What the log has."""
        return contents(self.memories.get("anna").history())

    def after(self, *texts: str) -> Any:
        """The checkpoint at which the thread had these messages, and went on to the end of the turn."""
        states = self.graph.get_state_history(_thread("anna"))
        return next(s.config for s in states if not s.next and contents(chat(s.values["messages"])) == [*texts])

    def test_a_fork_leaves_the_branch(self) -> None:
        """Who resumes an older checkpoint and says something else is shown nothing of the branch; it can come back."""
        first, second = ("Question 0", "Answer 0"), ("Question 1", "Answer 1")
        old, new = self.after(*first), self.after(*first, *second)
        assert self.say("Instead", config=old) == [*first, "Instead"]
        assert self.log() == [*first, "Instead", "Answer 2"]
        assert self.say("And then?", config=new) == [*first, *second, "And then?"]
        assert self.log() == [*first, *second, "And then?", "Answer 3"]

    @pytest.mark.parametrize("turn", [0, 1])
    def test_a_removed_message_is_gone(self, turn: int) -> None:
        """`RemoveMessage` removes it from what the model is sent, and from the log."""
        self.graph.update_state(_thread("anna"), {"messages": [messages.RemoveMessage(id=f"q{turn}")]})
        left = ["Question 0", "Answer 0", "Question 1", "Answer 1"]
        left.remove(f"Question {turn}")
        # What the model is sent is in turns that begin with a user.
        assert "\n\n".join(self.say("Next")).endswith("\n\n".join([*left, "Next"]))
        assert self.log() == [*left, "Next", "Answer 2"]

    def test_an_edit_replaces(self) -> None:
        """A message that has other words under its id has them in the log too."""
        self.graph.update_state(_thread("anna"), {"messages": [messages.HumanMessage("****", id="q0")]})
        expected = ["****", "Answer 0", "Question 1", "Answer 1", "Next"]
        assert self.say("Next") == expected
        assert self.log() == [*expected, "Answer 2"]

    def test_what_was_forgotten_stays_forgotten(self) -> None:
        """The thread still has it, and hands it over with each turn: neither log nor model get it."""
        self.memories.get("anna").forget([1, 2, 3, 4])
        assert self.say("Next") == ["Next"]
        assert self.log() == ["Next", "Answer 2"]

    def test_old_messages_may_be_dropped_from_the_state(self) -> None:
        """A state that is kept small by removing whole old exchanges takes nothing away from the log."""
        state = self.graph.get_state(_thread("anna")).values["messages"]
        self.graph.update_state(_thread("anna"), {"messages": [messages.RemoveMessage(id=one.id) for one in state[:2]]})
        assert self.say("Next") == ["Question 0", "Answer 0", "Question 1", "Answer 1", "Next"]


def test_joined_messages_keep_speakers_and_pictures() -> None:
    """Neighbours of one role are one message: who spoke stands before the words, and all parts are objects."""
    memories = MemoryProvider("buffer")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    asked = messages.HumanMessage([{"type": "text", "text": "Do I like tea?"}, picture], id="a", name="Ann")
    thread = [messages.HumanMessage("I owe Ann nothing.", id="b", name="Bob"), asked]
    [shown] = view(memories).invoke(thread, _thread("anna"))
    bob, ann, last = shown.content
    assert (bob["text"], ann["text"], last) == ("Bob: I owe Ann nothing.", "Ann: Do I like tea?", picture)
    assert shown.name is None


def test_the_model_is_sent_nothing_that_is_redacted() -> None:
    """Neither the newest message nor what tools gave stands in a request as it was; the state keeps its own."""
    memories = MemoryProvider("buffer", redact={"place": "Oslo|Rome"})
    model = ScriptedChat(script=[Call("Oslo", "call_1"), "Sunny in Oslo."], sent=[])
    graph = graph_of(memories, model, Whole, checkpoints.InMemorySaver())
    graph.invoke({"messages": [messages.HumanMessage("Is it warm in Oslo?")]}, _thread("anna"))
    sent = str([chat(one) for one in model.sent])
    assert "Oslo" not in sent + str(memories.get("anna").entries())
    assert "Is it warm in [place]?" in sent
    assert graph.get_state(_thread("anna")).values["messages"][0].text == "Is it warm in Oslo?"
    model.script.append("Yes.")
    graph.invoke({"messages": [messages.HumanMessage("Sure?")]}, _thread("anna"))
    assert contents(memories.get("anna").history()) == [
        *("Is it warm in [place]?", "Sunny in [place].", "Sure?", "Yes."),
    ]


@pytest.mark.parametrize("state", [Whole, Turn])
def test_the_system_text_of_a_node_is_sent_as_it_is_now(state: Any) -> None:
    """A node may put a system message before the thread: each call is sent its own, and the log keeps none."""
    memories, turns = MemoryProvider("buffer"), iter("012")
    model = ScriptedChat(script=[f"Answer {turn}" for turn in range(3)], sent=[])
    prompt = prompts.ChatPromptTemplate.from_messages([("system", "Turn {turn}."), ("placeholder", "{messages}")])
    chain = prompt | view(memories) | model

    def ask(state: Any) -> dict[str, Any]:
        return {"messages": [chain.invoke({**state, "turn": next(turns)})]}

    graph = graphs.StateGraph(state)
    graph.add_node("ask", ask)
    graph.add_node("remember", remember(memories))
    graph.add_edge(graphs.START, "ask")
    graph.add_edge("ask", "remember")
    agent = graph.compile(checkpointer=checkpoints.InMemorySaver())
    for turn in range(3):
        agent.invoke({"messages": f"Question {turn}"}, _thread("anna"))
    talk = ["Question 0", "Answer 0", "Question 1", "Answer 1", "Question 2"]
    sent = [[one.text for one in each] for each in model.sent]
    assert sent == [[f"Turn {n}.", *talk[: 2 * n + 1]] for n in range(3)]
    assert contents(memories.get("anna").history()) == [*talk, "Answer 2"]


def test_the_system_text_of_a_node_stands_before_a_summary() -> None:
    """Both are one message, and the summary has its frame."""
    memories = summarizing()
    for turn in range(4):
        memories.get("anna").save_context({"input": f"Question {turn}"}, {"output": f"Answer {turn}"})
    shown = view(memories).invoke([messages.SystemMessage("Be kind."), messages.HumanMessage("Next")], _thread("anna"))
    assert shown[0].text.startswith("Be kind.\n\n")
    assert [one.type for one in shown].count("system") == 1
    assert shown[-1].text == "Next"


def test_system_texts_of_nodes_are_one_message_and_redacted() -> None:
    """Parts keep their fields, a text that comes twice is sent once, and roles are not joined."""
    rules = [{"type": "text", "text": "Eat in Oslo.", "cache_control": {"type": "ephemeral"}}]
    sent = [messages.SystemMessage(rules, additional_kwargs={"__openai_role__": "developer"})]
    sent += [messages.SystemMessage("Be kind."), messages.SystemMessage("Be kind."), messages.HumanMessage("Next")]
    shown = view(MemoryProvider("buffer", redact={"place": "Oslo"})).invoke(sent, _thread("anna"))
    assert shown[0].content == [{**rules[0], "text": "Eat in [place]."}, {"type": "text", "text": "Be kind."}]
    assert shown[0].additional_kwargs == {"__openai_role__": "developer"}
    assert [one.type for one in shown] == ["system", "human"]


def test_results_of_calls_with_one_id_are_both_kept() -> None:
    """Some models give two calls of an answer the same id; a state that only adds messages gives the results none."""
    memories, thread = MemoryProvider("buffer"), _thread("anna")
    calls = [{"name": "weather", "args": {"place": place}, "id": "call_1"} for place in ("Oslo", "Rome")]
    said = [messages.HumanMessage("Where?"), messages.AIMessage("", tool_calls=calls, id="answer")]
    said += [messages.ToolMessage(text, tool_call_id="call_1") for text in ("Sunny.", "Warm.")]
    for _ in range(2):
        view(memories).invoke(said, thread)
    assert [one["content"] for one in memories.get("anna").history()] == ["Where?", None, "Sunny.", "Warm."]


def test_results_without_ids_are_kept_once() -> None:
    """A state that only adds messages gives none an id: a result is known by its call."""
    memories = MemoryProvider("buffer")
    steps = [Call("Oslo", "call_1"), "Sunny.", Call("Rome", "call_1"), "Warm."]
    graph = graph_of(memories, ScriptedChat(script=steps, sent=[]), Added, checkpoints.InMemorySaver())
    for text in ("And Oslo?", "And Rome?"):
        graph.invoke({"messages": [messages.HumanMessage(text)]}, _thread("anna"))
    roles = [one["role"] for one in memories.get("anna").history()]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2


class TestSmallState(TestWholeState):
    """The recipe with our reducer: checkpoints have one turn."""

    state: Any = Turn

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: what is behind this turn the state cannot tell, so the memory is told."""
        if how in ("regenerate", "edit"):
            return await super().go_back(memories, how)
        await self.two_exchanges(memories)
        await memories.get("anna").arewind(2)
        return await self.say(memories, "anna", SAID_THEN[how], ["Anew"])

    def test_the_state_does_not_grow(self) -> None:
        """After five turns the state has the newest one, and the log has all."""
        self.talk(memories := summarizing())
        graph = graph_of(memories, ScriptedChat(script=[]), Turn, self.checkpointer)
        state = graph.get_state(_thread("anna")).values["messages"]
        assert [message.text for message in state] == ["Question 4", "Answer 4"]
        assert len(memories.get("anna").history()) == 10


def _thread(user: str) -> Any:
    return {"configurable": {"thread_id": user}}


put: Any = pytest.importorskip("langgraph.store.base").PutOp
FOODS = ("users", "anna", "foods")


def filled(store: MemzooStore) -> MemzooStore:
    """A store with three items."""
    for key, text in (("a", "pizza with olives"), ("b", "the weather in Oslo"), ("c", "a bicycle")):
        store.put(FOODS, key, {"text": text})
    return store


class TestStore:
    """LangGraph's `BaseStore`."""

    def test_items_outlive_the_process(self, tmp_path: Path) -> None:
        """After a restart items, times and namespaces are as they were."""
        url = f"sqlite:///{tmp_path / 'items.db'}"
        with open_store(url) as opened:
            before = filled(MemzooStore(opened)).get(FOODS, "a")
        with open_store(url) as opened:
            store = MemzooStore(opened)
            assert store.get(FOODS, "a") == before
            assert [item.key for item in store.search(FOODS)] == ["a", "b", "c"]
            assert store.list_namespaces() == [FOODS]

    def test_an_update_keeps_when_it_was_made(self) -> None:
        """The time at which an item was first put stays; LangGraph's in-memory store forgets it."""
        store = filled(MemzooStore(InMemoryStore()))
        made = store.get(FOODS, "a").created_at
        store.put(FOODS, "a", {"text": "soup"})
        assert store.get(FOODS, "a").created_at == made <= store.get(FOODS, "a").updated_at

    def test_a_deleted_item_is_gone_everywhere(self) -> None:
        """Another process sees the deletion, and no empty namespace is left."""
        shared = InMemoryStore()
        one, other = filled(MemzooStore(shared)), MemzooStore(shared)
        assert other.get(FOODS, "a")
        for key in "abc":
            one.delete(FOODS, key)
        assert other.get(FOODS, "a") is None
        assert one.list_namespaces() == other.list_namespaces() == []

    def test_embeddings_are_computed_once(self, tmp_path: Path) -> None:
        """The item nearest in meaning comes first, after a restart too, and without embedding anything anew."""
        embedder = Counting()
        url = f"sqlite:///{tmp_path / 'items.db'}"
        with open_store(url) as opened:
            filled(MemzooStore(opened, embedder=embedder))
        assert embedder.texts == 3
        with open_store(url) as opened:
            found = MemzooStore(opened, embedder=embedder).search(FOODS, query="What is the weather like?", limit=1)
        assert [item.key for item in found] == ["b"]
        assert embedder.texts == 4

    def test_writers_lose_nothing(self, tmp_path: Path) -> None:
        """Eight writers at once, each with a store of its own: every item is there."""
        with open_store(f"sqlite:///{tmp_path / 'items.db'}") as opened:
            stores = [MemzooStore(opened) for _ in range(8)]

            def write(number: int) -> None:
                for key in range(5):
                    stores[number].put(("all",), f"{number}-{key}", {"n": key})

            with ThreadPoolExecutor(8) as pool:
                list(pool.map(write, range(8)))
            assert len(MemzooStore(opened).search(("all",), limit=100)) == 40

    def test_async_writers_lose_nothing(self) -> None:
        """Twenty tasks on one store at once: every item is there, for another store too."""
        shared = InMemoryStore()
        store = MemzooStore(shared)

        async def write() -> None:
            await asyncio.gather(*(store.aput(("all",), str(key), {"n": key}) for key in range(20)))

        asyncio.run(write())
        assert len(store.search(("all",), limit=100)) == len(MemzooStore(shared).search(("all",), limit=100)) == 20

    def test_no_reader_sees_an_item_go_back(self, tmp_path: Path) -> None:
        """While others write, four readers in threads see one value after the other, and never an earlier one again."""
        with open_store(f"sqlite:///{tmp_path / 'items.db'}") as opened:
            store, written = MemzooStore(opened), 60

            def write(key: str) -> None:
                for number in range(written):
                    store.put(("all",), key, {"n": number})

            def read() -> list[int]:
                seen = [-1]
                while seen[-1] < written - 1:
                    seen += [item.value["n"] for item in [store.get(("all",), "a")] if item]
                return seen

            with ThreadPoolExecutor(7) as pool:
                readers = [pool.submit(read) for _ in range(4)]
                list(pool.map(write, "abc"))
                assert [reader.result() == sorted(reader.result()) for reader in readers] == [True] * 4

    def test_what_is_read_is_the_callers(self) -> None:
        """Changing what was put, or found, changes nothing in the store."""
        store, given = MemzooStore(InMemoryStore()), {"list": [1]}
        store.put(FOODS, "a", given)
        given["list"].append(2)
        store.get(FOODS, "a").value["list"].append(3)
        store.search(FOODS)[0].value["list"].append(4)
        assert store.get(FOODS, "a").value == store.search(FOODS)[0].value == {"list": [1]}

    def test_values_are_json_at_once(self) -> None:
        """This process reads what others will: names of items are texts, and tuples are lists."""
        shared = InMemoryStore()
        store = MemzooStore(shared)
        store.put(FOODS, "a", {1: 2, "pair": (1, 2)})
        expected = {"1": 2, "pair": [1, 2]}
        assert store.get(FOODS, "a").value == MemzooStore(shared).get(FOODS, "a").value == expected
        with pytest.raises(OptionError, match="key 'b'"):
            store.batch([put(FOODS, "c", {"ok": 1}), put(FOODS, "b", {"set": {1}})])
        assert [item.key for item in store.search(FOODS)] == ["a"]

    def test_a_failed_write_is_not_shown(self) -> None:
        """What the store could not keep is not held either."""
        store = MemzooStore(failing := Failing())
        filled(store)
        failing.fails = True
        with pytest.raises(StoreError, match="disk"):
            store.put(FOODS, "a", {"text": "soup"})
        failing.fails = False
        assert store.get(FOODS, "a").value == {"text": "pizza with olives"}

    def test_what_was_cleared_meanwhile_is_not_seen_in_part(self) -> None:
        """A reader that was overtaken by a writer, and both by a clear that others have seen, finds nothing."""
        store, other = MemzooStore(shared := Overtaken()), MemzooStore(shared)
        filled(store)
        other.put(FOODS, "d", {"text": "a boat"})

        def clear() -> None:
            drive(shared.clear("langgraph"))
            assert store.get(FOODS, "a") is None

        shared.after_read = lambda: store.put(FOODS, "e", {"text": "a book"})
        shared.after_commit = clear
        assert store.search(FOODS) == store.search(FOODS) == []
        assert shared.after_read is shared.after_commit is None

    def test_it_lives_and_goes_with_its_name(self) -> None:
        """Items are kept with a conversation of that name: clearing it deletes them, and no other conversation."""
        shared = InMemoryStore()
        store = filled(MemzooStore(shared, name="items"))
        memories = MemoryProvider("buffer", store=shared)
        memories.get("anna").save_context({"input": "hi"}, {"output": "hello"})
        assert memories.conversations() == ["anna", "items"]
        memories.forget("items")
        assert store.get(FOODS, "a") is None
        assert contents(memories.get("anna").history()) == ["hi", "hello"]

    def test_in_a_graph(self) -> None:
        """A node that is given the store reads and writes it."""
        graph = graphs.StateGraph(Whole)

        def note(state: Any, *, store: Any) -> Any:
            store.put(FOODS, "last", {"text": state["messages"][-1].text})
            return {}

        note.__annotations__["store"] = pytest.importorskip("langgraph.store.base").BaseStore
        graph.add_node("note", note)
        graph.add_edge(graphs.START, "note")
        store = MemzooStore(InMemoryStore())
        graph.compile(store=store).invoke({"messages": "I like soup."})
        assert store.get(FOODS, "last").value == {"text": "I like soup."}


class Counting(HashEmbedder):
    """Counts what it embeds."""

    texts = 0

    async def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        self.texts += len(texts)
        return await super().embed(texts)


class Overtaken(InMemoryStore):
    """Lets something happen between a read or commit of a state and what its caller makes of it: once."""

    after_read: Callable[[], None] | None = None
    after_commit: Callable[[], None] | None = None

    async def read_state(self, *args: Any, **kwargs: Any) -> Any:
        """See `Store.read_state`."""
        update = await super().read_state(*args, **kwargs)
        then, self.after_read = self.after_read, None
        if then:
            then()
        return update

    async def commit(self, *args: Any, **kwargs: Any) -> int:
        """See `Store.commit`."""
        version = await super().commit(*args, **kwargs)
        then, self.after_commit = self.after_commit, None
        if then:
            then()
        return version


class Failing(InMemoryStore):
    """Fails to commit while it is told to."""

    fails = False

    async def commit(self, *args: Any, **kwargs: Any) -> int:
        """See `Store.commit`."""
        if self.fails:
            raise StoreError("the disk is full")
        return await super().commit(*args, **kwargs)
