"""Several strategies behind one load and one save."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.errors import MissingKeyError, ModelError, OptionError
from memzoo.memories import (
    BaseMemory,
    CombinedMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationSummaryMemory,
    create_memory,
)
from memzoo.memories.models.chat import ChatFunction, as_model
from memzoo.stores import InMemoryStore, Message
from memzoo.testing import MemoryContract, ScriptedModel
from memzoo.testing.scripted import FlakyModel

SAID = [("Sam lives in Oslo", "ok"), ("Sam likes tea", "fine"), ("Eve likes milk", "good")]


def characters(message: Message) -> int:
    """A token counter."""
    return len(str(message["content"]))


def vectors(texts: list[str]) -> list[list[float]]:
    """An embedder."""
    return [[1.0]] * len(texts)


def sam(messages: list[Message]) -> str:
    """A model that knows one name."""
    return "Sam"


def told(*members: Any, **options: Any) -> CombinedMemory:
    """A combined memory that was told three exchanges."""
    memory = CombinedMemory(memories=members, **options, learn_every=1)
    for said, answer in SAID:
        memory.save_context({"input": said}, {"output": answer})
    return memory


def contents(memory: BaseMemory, query: str | None = None) -> list[str]:
    """What `messages` shows."""
    return [message["content"] for message in memory.messages(query)]


class TestCombinedContract(MemoryContract):
    """The contract of all strategies, for a memory of three."""

    strategy = CombinedMemory

    def options(self) -> dict[str, Any]:
        """A model-backed strategy, one that searches and one that only looks."""
        return {"memories": ["window", "summary", "vector-retriever"], "token_counter": "approximate"}

    def flaky(self, **options: Any) -> tuple[BaseMemory, FlakyModel]:
        """A combined memory one of whose members has a model that can be made to fail."""
        model = FlakyModel(as_model("offline"))
        return self.make(memories=[("window", {"k": 1}), ("summary", {"llm": model})], **options), model


class TestMembers:
    """What a combined memory may consist of."""

    def test_are_made_from_names_and_options(self) -> None:
        """A name, or a name and options, makes a member on the one log, with the options that all share."""
        memory = CombinedMemory(memories=["buffer", ("ConversationBufferWindowMemory", {"k": 1})], human_prefix="Ann")
        assert [type(one) for one in memory.members] == [ConversationBufferMemory, ConversationBufferWindowMemory]
        assert {(one.store, one.conversation_id) for one in memory.members} == {(memory.store, memory.conversation_id)}
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert memory.load_memory_variables({}) == dict.fromkeys(["buffer", "window"], "Ann: hi\nAI: hello")

    def test_wait_in_their_share_of_the_limit_or_in_their_own_default(self) -> None:
        """Whichever is smaller."""
        rooms = list[int]()
        for limit in (2_000, 40_000):
            memory = create_memory(
                "combined", memories=[("summary", {"llm": sam}), "window"], max_token_limit=limit, learn_every=1
            )
            rooms.append(memory.members[0].learners[0].rules.pending_limit)
        assert rooms == [1_000, 4_000]

    def test_may_be_made_before(self) -> None:
        """Members that share a store and an id give both to the combined memory."""
        store = InMemoryStore()
        members = [
            ConversationBufferMemory(store=store, conversation_id="a", input_key="question"),
            ConversationBufferWindowMemory(store=store, conversation_id="a", memory_key="recent"),
        ]
        memory = CombinedMemory(memories=members, learn_every=1)
        assert (memory.store, memory.conversation_id, memory.input_key) == (store, "a", "question")
        memory.save_context({"question": "hi", "other": "x"}, {"output": "hello"})
        assert memory.load_memory_variables() == dict.fromkeys(["history", "recent"], "Human: hi\nAI: hello")

    @pytest.mark.parametrize("shared", [{}, {"conversation_id": "a"}, {"store": InMemoryStore()}])
    def test_of_other_conversations_are_refused(self, shared: dict[str, Any]) -> None:
        """All share one store and one id; the error names the member that does not."""
        first = ConversationBufferMemory(**shared)
        second = ConversationBufferWindowMemory(memory_key="recent", **shared)
        with pytest.raises(OptionError, match="'window' has another store or conversation_id"):
            CombinedMemory(memories=[first, second])

    def test_with_one_variable_are_refused(self) -> None:
        """A repeated variable is an error when the memory is made (reference 2.9)."""
        members = [("buffer", {"memory_key": "history"}), ("window", {"memory_key": "history"})]
        expected = "several members return 'history'; give each its own memory_key"
        with pytest.raises(OptionError, match=expected):
            CombinedMemory(memories=members, learn_every=1)

    @pytest.mark.parametrize("own", [{"redact": {"pin": r"\d{4}"}}, {"keep_history": False}])
    def test_do_not_redact_or_delete_by_themselves(self, own: dict[str, Any]) -> None:
        """They share one log, so these options of one member alone would do nothing, without a word."""
        (name,) = own
        error = rf"memories: {name}=.* of 'summary' must be given to the combined memory"
        shared: dict[str, Any] = {"store": InMemoryStore(), "conversation_id": "a"}
        other: dict[str, Any] = {"redact": str} if "redact" in own else {}
        for member in (("summary", own), create_memory("summary", memory_key="s", **own, **shared)):
            with pytest.raises(OptionError, match=error):
                CombinedMemory(memories=["window", member], **shared, **other)
        memory = CombinedMemory(memories=["window", ("summary", own)], **own)
        assert getattr(memory.members[1], name) == own[name]

    def test_may_be_combined_themselves(self) -> None:
        """A combined memory can be a member of another."""
        model = ScriptedModel("One.", "Two.", "Three.")
        memory = told(("combined", {"memories": [("summary", {"llm": model})]}), ("window", {"k": 1}))
        assert contents(memory) == ["Three.", "Eve likes milk", "good"]


class TestSaving:
    """One save for all."""

    def test_stores_once(self) -> None:
        """However many members there are, the log has each message once."""
        assert len(told("buffer", "window", "vector-retriever").history()) == 6

    def test_goes_on_where_a_member_fails(self) -> None:
        """A member that fails stops no other, and catches up with the next save: nothing is lost or doubled (F3)."""
        failing, sound = ScriptedModel(ModelError("down"), "All."), ScriptedModel("Sam | lives in | Oslo", "NONE")
        memory = CombinedMemory(
            memories=[("summary", {"llm": failing}), ("knowledge-graph", {"llm": sound})], learn_every=1
        )
        with pytest.raises(ModelError, match="down"):
            memory.save_context({"input": SAID[0][0]}, {"output": SAID[0][1]})
        assert [purpose for purpose, _ in sound.asked] == ["triple_extraction"]
        memory.save_context({"input": SAID[1][0]}, {"output": SAID[1][1]})
        assert failing.asked[-1][1].count("Sam lives in Oslo") == 1
        assert "Sam lives in Oslo" not in sound.asked[-1][1].partition("<new_lines>")[2]
        assert len(memory.history()) == 4

    def test_raises_the_first_error_with_the_others_as_notes(self) -> None:
        """If several members fail, the first error is raised and tells of the others."""
        members = [(name, {"llm": ScriptedModel(ModelError(name))}) for name in ("summary", "knowledge-graph")]
        with pytest.raises(ModelError, match="summary") as caught:
            CombinedMemory(memories=members, learn_every=1).save_context({"input": "a"}, {"output": "b"})
        assert caught.value.__notes__ == ["At the same time: ModelError: knowledge-graph"]

    def test_defers_errors_of_members_made_before(self) -> None:
        """With `on_model_error="defer"` no member's error is raised, whatever the member was told."""
        summary = ConversationSummaryMemory(llm=ScriptedModel(*[ModelError("down")] * 2), learn_every=1)
        memory = CombinedMemory(memories=[summary], on_model_error="defer", learn_every=1)
        memory.save_context({"input": "a"}, {"output": "b"})
        assert contents(memory) == ["a", "b"]

    def test_keeps_further_inputs_for_members_that_use_them(self) -> None:
        """All inputs are stored if one member shows them, and not otherwise."""
        for members, kept in ((["buffer"], False), (["buffer", "vector-retriever"], True)):
            memory = CombinedMemory(memories=members, input_key="input")
            memory.save_context({"input": "hi", "place": "Rome"}, {"output": "hello"})
            assert ("Rome" in str(memory.load_memory_variables({"input": "hi"}))) is kept

    def test_counts_what_all_members_spent(self) -> None:
        """Usage is the sum over the members, by purpose."""
        clerk = ScriptedModel(*["Sam"] * 3)
        memory = told(("summary", {"llm": clerk}), ("vector-retriever", {"embedder": vectors}))
        assert memory.usage["summary"].calls == 3
        assert memory.usage.total.calls == sum(member.usage.total.calls for member in memory.members) == 6
        assert list(memory.usage) == ["embedding", "summary"]


class TestSideBySide:
    """Calls of members go out together (I11)."""

    def test_in_threads(self) -> None:
        """In a synchronous save each member's call is out before the first is answered."""
        both = threading.Barrier(2, timeout=30)

        def answer(_: list[Message]) -> str:
            both.wait()
            return "NONE"

        memory = CombinedMemory(
            memories=[("summary", {"llm": answer}), ("knowledge-graph", {"llm": answer})], learn_every=1
        )
        memory.save_context({"input": "a"}, {"output": "b"})
        assert memory.usage.total.calls == 2

    def test_in_tasks(self) -> None:
        """In an asynchronous save too, and without a thread."""

        async def save() -> int:
            both, threads = asyncio.Barrier(2), set[int]()

            async def answer(_: list[Message]) -> str:
                threads.add(threading.get_ident())
                async with asyncio.timeout(30):
                    await both.wait()
                return "NONE"

            memory = CombinedMemory(
                memories=[("summary", {"llm": answer}), ("knowledge-graph", {"llm": answer})], learn_every=1
            )
            await memory.asave_context({"input": "a"}, {"output": "b"})
            assert threads == {threading.get_ident()}
            return memory.usage.total.calls

        assert asyncio.run(save()) == 2


class TestLoading:
    """The variables of all members."""

    def test_returns_them_all(self, clerk: ChatFunction) -> None:
        """Each member's variables are there, under their own names."""
        memory = told("buffer", ("entity", {"llm": clerk, "memory_key": "recent"}))
        assert memory.memory_variables == ["buffer", "entities", "recent"]
        loaded = memory.load_memory_variables({"input": "Sam?"})
        assert list(loaded) == ["buffer", "recent", "entities"]
        assert next(iter(loaded["entities"])) == "Sam"

    def test_ignores_variables_of_other_members_in_the_inputs(self) -> None:
        """The inputs may hold what was loaded before; only one key is left for the user's words (X3)."""
        memory = told("buffer", "vector-retriever")
        loaded = memory.load_memory_variables({"input": "Sam?"})
        assert memory.load_memory_variables({"input": "Sam?", **loaded}) == loaded
        memory.save_context({"input": "hi", **loaded}, {"output": "hello"})
        with pytest.raises(MissingKeyError):
            memory.save_context({"input": "hi", "other": "x"}, {"output": "hello"})

    def test_needs_no_input_if_no_member_does(self) -> None:
        """Members that do not search need no query, and neither does their combination."""
        assert told("buffer", "window").load_memory_variables().keys() == {"buffer", "window"}


def three(message: Message) -> int:
    """A token counter: three for each message."""
    return 3


class TestMessages:
    """The views put together."""

    def test_shows_each_message_once(self) -> None:
        """A message that several members show stands once, in the order of the log."""
        assert contents(told("buffer", ("window", {"k": 1}))) == [text for pair in SAID for text in pair]

    def test_keeps_equal_messages_apart(self) -> None:
        """Two messages with the same words are two messages."""
        memory = CombinedMemory(memories=["buffer", "window"])
        for _ in range(2):
            memory.save_context({"input": "yes"}, {"output": "ok"})
        assert contents(memory) == ["yes", "ok"] * 2

    @pytest.mark.parametrize("limit", [None, 400])
    def test_shows_a_correction_with_what_it_corrects(self, limit: int | None) -> None:
        """What a search finds that was corrected later stands with its correction, in order, variables too (I15)."""
        said = ["The project budget is $50,000.", "Make that $150,000."]
        memory = CombinedMemory(
            memories=[("window", {"k": 1}), "vector-retriever"],
            max_token_limit=limit,
            token_counter="approximate",
            learn_every=1,
        )
        for text in said:
            memory.save_context({"input": text}, {"output": "Noted."})
            for number in range(60):
                memory.save_context({"input": f"The project has a phase {number}."}, {"output": "The weather is dull."})
        question = "What's the project budget?"
        for shown in (
            "\n".join(contents(memory, question)),
            memory.load_memory_variables({"input": question})["vector_retriever"],
        ):
            assert -1 < shown.find(said[0]) < shown.find(said[1])

    def test_shows_texts_before_messages(self) -> None:
        """What was derived comes first, as system messages, each text once."""
        model = ScriptedModel(*["They talk."] * 3)
        memory = told(("window", {"k": 1}), ("summary", {"llm": model}))
        assert [message["role"] for message in memory.messages()] == ["system", "user", "assistant"]
        assert contents(memory) == ["They talk.", "Eve likes milk", "good"]


class TestBudget:
    """A limit that the members share."""

    def limited(self, limit: int, **options: Any) -> CombinedMemory:
        """A summary of ten characters, and all messages."""
        members = [("summary", {"llm": ScriptedModel(*["They talk."] * 3)}), "buffer"]
        return told(*members, token_counter=characters, max_token_limit=limit, **options)

    def test_is_shared_equally(self) -> None:
        """By default each gets the same, and what one leaves the other takes."""
        assert contents(self.limited(28)) == ["They talk.", "Eve likes milk", "good"]

    def test_is_shared_as_told(self) -> None:
        """A member with a share of 0 gets only what the others leave."""
        assert contents(self.limited(28, shares=[1, 0])) == ["They talk.", "Eve likes milk", "good"]
        assert contents(self.limited(18, shares=[0, 1])) == ["Eve likes milk", "good"]

    def test_cuts_a_text_that_is_too_long(self) -> None:
        """A text that does not fit is cut at the end of a sentence or a word, not left out."""
        assert contents(self.limited(7, shares=[1, 0])) == ["They"]

    def test_does_not_count_for_variables(self) -> None:
        """Loaded variables are what each member shows by itself."""
        assert self.limited(1).load_memory_variables({})["buffer"].count("\n") == 5

    def test_keeps_a_tool_call_with_its_results(self) -> None:
        """A call and its results are shown together or not at all (I6)."""
        call = {"id": "c1", "function": {"name": "weather", "arguments": "Oslo"}}
        for limit, shown in ((9, 1), (15, 4)):
            memory = CombinedMemory(memories=["buffer"], token_counter=three, max_token_limit=limit)
            memory.add_messages(
                [
                    {"role": "user", "content": "And today?"},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
                    {"role": "assistant", "content": "Fine weather."},
                ]
            )
            assert len(memory.messages()) in (shown, 3)
            assert memory.messages()[0]["role"] != "tool"


def test_survives_a_restart(make: Callable[..., BaseMemory], clerk: ChatFunction) -> None:
    """Opened again, all members are where they were, without another call."""
    first = told(("summary", {"llm": clerk}), ("knowledge-graph", {"llm": clerk}), conversation_id="a")
    again = CombinedMemory(
        memories=[("summary", {"llm": ScriptedModel()}), ("knowledge-graph", {"llm": sam})],
        store=first.store,
        conversation_id="a",
        learn_every=1,
    )
    shown = again.load_memory_variables({"input": "Sam"})
    assert "Human: Sam lives in Oslo / AI: ok / Human: Sam likes tea" in shown["summary"]
    assert shown["knowledge_graph"].startswith("Sam lives in Oslo. Sam likes tea.")


def test_members_learn_nothing_in_a_load_that_learns_nothing() -> None:
    """`catch_up=False` asks the model of no member; the next load without it does."""
    log, model = ConversationBufferMemory(conversation_id="a"), ScriptedModel("Sam.")
    log.save_context({"input": "I am Sam"}, {"output": "Hello!"})
    memory = CombinedMemory(
        memories=[("summary", {"llm": model}), "window"], store=log.store, conversation_id="a", learn_every=1
    )
    assert memory.messages(catch_up=False)
    assert not model.asked
    assert memory.messages()
    assert len(model.asked) == 1


def test_can_be_made_by_name() -> None:
    """Both names make it, though it is not one of the seven."""
    for name in ("combined", "CombinedMemory"):
        assert isinstance(create_memory(name, memories=["buffer"]), CombinedMemory)


def test_shows_facts_and_then_messages_that_say_more() -> None:
    """A graph and a search: the facts come first, then the messages found that say what no fact does; none twice."""
    replies = {"Sam likes green tea.": "Sam | likes | green tea", "He rides a red bicycle to Ghent.": "NONE"}

    def extractor(messages: list[Message]) -> str:
        lines = str(messages[0]["content"]).partition("<new_lines>")[2]
        return next(reply for said, reply in replies.items() if said in lines)

    memory = CombinedMemory(memories=[("vector-retriever", {}), ("knowledge-graph", {"llm": extractor})], learn_every=1)
    for said in replies:
        memory.save_context({"input": said}, {"output": "Hm!"})
    memory.save_context({"input": "Hello!"}, {"output": "Hello!"})
    shown = contents(memory, "What does Sam like, and where does he ride?")
    assert shown[0] == "Sam likes green tea."
    (found,) = shown[1:]
    assert "He rides a red bicycle to Ghent." in found
    assert "green tea" not in found
