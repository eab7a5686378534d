"""A conversation: a model, a memory and tools; the answers come over a real socket through the openai client."""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.memories import Conversation, ConversationBufferMemory, Reply, create_memory, immediate
from memzoo.memories.registry import FURTHER, STRATEGIES
from memzoo.memories.testing import ScriptedModel
from memzoo.stores import Message
from memzoo.stores.errors import AsyncOnlyError, ModelError, OptionError, ToolRoundsError, TurnInProgressError

if TYPE_CHECKING:
    from tests.memories.talking.conftest import Endpoint

Say = Callable[[Conversation, str], str]


def sends(conversation: Conversation, text: str) -> str:
    """Synchronously, in one piece."""
    return conversation.send(text)


def streams(conversation: Conversation, text: str) -> str:
    """Synchronously, in pieces."""
    return "".join(conversation.stream(text))


def asends(conversation: Conversation, text: str) -> str:
    """Asynchronously, in one piece."""
    return asyncio.run(_asend(conversation, text))


def astreams(conversation: Conversation, text: str) -> str:
    """Asynchronously, in pieces."""
    return asyncio.run(_astream(conversation, text))


async def _asend(conversation: Conversation, text: str) -> str:
    return await conversation.asend(text)


async def _astream(conversation: Conversation, text: str) -> str:
    return "".join([piece async for piece in conversation.astream(text)])


WAYS: list[Say] = [sends, streams, asends, astreams]
each_way = pytest.mark.parametrize("say", WAYS, ids=lambda say: say.__name__)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def describe(thing: str) -> dict[str, str]:
    """What something is like."""
    return {thing: "hot"}


def fail() -> None:
    """Fail."""
    raise OSError("no such city")


def quiet() -> str:
    """Say nothing."""
    return ""


def meeting() -> list[Callable[[], str]]:
    """Two tools, each of which returns only when the other is called too."""
    barrier = threading.Barrier(2)

    def first() -> str:
        barrier.wait(timeout=30)
        return "one"

    def second() -> str:
        barrier.wait(timeout=30)
        return "two"

    return [first, second]


def texts(messages: list[Message]) -> list[tuple[str, Any]]:
    """Roles and contents."""
    return [(message["role"], message["content"]) for message in messages]


@each_way
def test_remembers_from_turn_to_turn(say: Say, endpoint: "Endpoint") -> None:
    """Each turn is sent with what was said before, and stored with its answer."""
    conversation = Conversation(endpoint.model, "buffer")
    endpoint.says("Hello Anna")
    assert say(conversation, "I am Anna") == "Hello Anna"
    endpoint.says("You are Anna")
    assert say(conversation, "Who am I?") == "You are Anna"
    said = [("user", "I am Anna"), ("assistant", "Hello Anna"), ("user", "Who am I?")]
    assert texts(endpoint.sent()) == said
    assert texts(conversation.memory.history()) == [*said, ("assistant", "You are Anna")]
    assert (conversation.usage["chat"].calls, conversation.usage["chat"].prompt_tokens) == (2, 20)


def test_the_answer_comes_in_pieces(endpoint: "Endpoint") -> None:
    """A stream gives the answer as the model writes it; the turn is stored when the last piece was taken."""
    conversation = Conversation(endpoint.model)
    endpoint.says("one two three")
    pieces = conversation.stream("Count!")
    assert [next(pieces), next(pieces)] == ["one ", "two "]
    assert conversation.memory.history() == []
    assert list(pieces) == ["three"]
    assert texts(conversation.memory.history()) == [("user", "Count!"), ("assistant", "one two three")]


def test_a_stream_may_be_read_by_many_threads(endpoint: "Endpoint") -> None:
    """As servers do that run synchronous generators in a pool; whoever else speaks meanwhile waits for its end."""
    conversation = Conversation(endpoint.model)
    endpoint.says("one two three")
    endpoint.says("four")
    pieces = conversation.stream("Count!")
    with ThreadPoolExecutor(1) as reading, ThreadPoolExecutor(1) as other:
        read = [reading.submit(copy_context().run, next, pieces).result()]
        waiting = other.submit(conversation.send, "On!")
        read += reading.submit(list[str], pieces).result()
        assert waiting.result() == "four"
    assert read == ["one ", "two ", "three"]
    assert [text for _, text in texts(conversation.memory.history())] == ["Count!", "one two three", "On!", "four"]


def test_speaking_in_the_middle_of_a_stream(endpoint: "Endpoint") -> None:
    """Who reads a stream and says something else in between would wait for themselves: that is an error."""
    conversation = Conversation(endpoint.model)
    endpoint.says("one two three")
    pieces = conversation.stream("Count!")
    next(pieces)
    with pytest.raises(TurnInProgressError, match="close its stream"):
        conversation.send("On!")
    assert list(pieces) == ["two ", "three"]


@each_way
def test_system_is_sent_first_and_never_stored(say: Say, endpoint: "Endpoint") -> None:
    """The instructions stand first in each request, once, and can be changed; the log does not have them."""
    conversation = Conversation(endpoint.model, system="Be brief.")
    for system in ("Be brief.", "Be kind."):
        conversation.system = system
        endpoint.says("Yes")
        say(conversation, "Right?")
        assert [message for message in endpoint.sent() if message["role"] == "system"] == [endpoint.sent()[0]]
        assert endpoint.sent()[0] == {"role": "system", "content": system}
    assert {message["role"] for message in conversation.memory.history()} == {"user", "assistant"}


def test_a_summary_never_stands_in_the_instructions(endpoint: "Endpoint") -> None:
    """A summary is a message of its own, so that other instructions do not lose it (quarkus-langchain4j#1945)."""
    memory = create_memory("summary", llm=ScriptedModel("Anna likes tea.", "Anna likes tea.", "Anna likes tea."))
    conversation = Conversation(endpoint.model, memory, system="Be brief.")
    for _ in range(2):
        endpoint.says("Fine")
        conversation.send("I am Anna. I like tea.")
    conversation.system = "Be kind."
    endpoint.says("Tea")
    conversation.send("What do I like?")
    assert texts(endpoint.sent())[:2] == [("system", "Be kind."), ("system", "Anna likes tea.")]


class TestTools:
    """Tools."""

    @each_way
    def test_are_called_and_their_results_sent_back(self, say: Say, endpoint: "Endpoint") -> None:
        """The model gets the results of its calls, in their order, and answers; the memory keeps all of it in order."""
        conversation = Conversation(endpoint.model, tools=[add, describe])
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), ("describe", '{"thing": "tea"}'))
        endpoint.says("3 and hot")
        assert say(conversation, "1 + 2? And tea?") == "3 and hot"
        first, second = endpoint.asked
        assert [tool["function"]["name"] for tool in first["tools"]] == ["add", "describe"]
        assert first["tools"][0]["function"]["description"] == "Add two numbers."
        assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool", "tool"]
        assert texts(second["messages"])[2:] == [("tool", "3"), ("tool", '{"tea":"hot"}')]
        assert conversation.memory.history() == [*second["messages"], {"role": "assistant", "content": "3 and hot"}]

    @each_way
    def test_of_one_round_run_together(self, say: Say, endpoint: "Endpoint") -> None:
        """Calls of one round run side by side: each of these two waits for the other."""
        conversation = Conversation(endpoint.model, tools=meeting())
        endpoint.says(None, ("first", ""), ("second", "{}"))
        endpoint.says("done")
        say(conversation, "Meet!")
        assert texts(endpoint.sent())[2:] == [("tool", "one"), ("tool", "two")]

    @pytest.mark.parametrize(
        ("call", "told"),
        [
            (("add", '{"a": 1}'), "Error: wrong arguments: b: Missing required argument"),
            (("add", '{"a": 1, "b": "x"}'), "Error: wrong arguments: b: Input should be a valid integer"),
            (("add", '{"a": 1, '), "Error: wrong arguments: Invalid JSON"),
            (("subtract", "{}"), "Error: there is no tool 'subtract'; there are: add, fail"),
            (("fail", "{}"), "Error: OSError: no such city"),
        ],
    )
    @each_way
    def test_errors_go_back_to_the_model(
        self, say: Say, call: tuple[str, str], told: str, endpoint: "Endpoint"
    ) -> None:
        """An unknown tool, wrong arguments or an exception become the result, and the model goes on."""
        conversation = Conversation(endpoint.model, tools=[add, fail])
        endpoint.says(None, call, ("add", '{"a": 1, "b": 1}'))
        endpoint.says("Sorry")
        assert say(conversation, "Try!") == "Sorry"
        wrong, right = endpoint.sent()[2:]
        assert wrong["content"].startswith(told)
        assert right["content"] == "2"

    @each_way
    def test_rounds_are_limited(self, say: Say, endpoint: "Endpoint") -> None:
        """A model that asks for tools again and again is stopped by a typed error; the next turn can be sent."""
        conversation = Conversation(endpoint.model, tools=[add], max_rounds=2)
        for _ in range(3):
            endpoint.says(None, ("add", '{"a": 1, "b": 2}'))
        with pytest.raises(ToolRoundsError, match="after 2 rounds"):
            say(conversation, "Loop!")
        assert len(conversation.memory.unfinished_turn()) == 5
        endpoint.says("Better now")
        assert say(conversation, "Again?") == "Better now"
        assert endpoint.refused == []
        assert conversation.memory.unfinished_turn() == []

    def test_no_rounds_at_all(self, endpoint: "Endpoint") -> None:
        """With `max_rounds=0` the first call of a tool is one too many, and is not made."""
        endpoint.says(None, ("fail", "{}"))
        with pytest.raises(ToolRoundsError, match="after 0 rounds"):
            Conversation(endpoint.model, tools=[fail], max_rounds=0).send("Try!")

    def test_that_wait_need_an_asynchronous_caller(self, endpoint: "Endpoint") -> None:
        """A tool that needs an event loop is an error in a synchronous call, not a result for the model."""

        async def nap() -> str:
            await asyncio.sleep(0)
            return "rested"

        conversation = Conversation(endpoint.model, tools=[nap], on_failure="rollback")
        endpoint.says(None, ("nap", "{}"))
        with pytest.raises(AsyncOnlyError):
            conversation.send("Sleep!")
        assert conversation.memory.history() == []
        endpoint.says(None, ("nap", "{}"))
        endpoint.says("rested")
        assert asends(conversation, "Sleep!") == "rested"

    def test_cannot_speak_in_their_own_conversation(self, endpoint: "Endpoint") -> None:
        """A tool that begins a turn of the conversation it is called in is refused instead of waiting for itself."""

        def interrupt() -> str:
            return conversation.send("Let me in!")

        conversation = Conversation(endpoint.model, tools=[interrupt])
        endpoint.says(None, ("interrupt", "{}"), ("interrupt", "{}"))
        endpoint.says("No")
        assert conversation.send("Call yourself!") == "No"
        assert all("TurnInProgressError" in message["content"] for message in endpoint.sent()[2:])

    def test_need_a_model_that_can_call_them(self) -> None:
        """A function gives text only: with tools it is refused at once."""
        with pytest.raises(OptionError, match="gives text only"):
            Conversation(lambda _: "hi", tools=[add])


class TestImmediate:
    """Tools whose result is the reply (LangChain4j's IMMEDIATE)."""

    @each_way
    def test_is_the_reply_without_another_call(self, say: Say, endpoint: "Endpoint") -> None:
        """If all calls of a round are immediate, the model is not asked again; the memory keeps calls and results."""
        conversation = Conversation(endpoint.model, tools=[immediate(add), immediate(describe)])
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), ("describe", '{"thing": "tea"}'))
        assert say(conversation, "1 + 2? Tea?") == '3\n{"tea":"hot"}'
        assert len(endpoint.asked) == 1
        assert [message["role"] for message in conversation.memory.history()] == ["user", "assistant", "tool", "tool"]
        assert conversation.memory.unfinished_turn() == []
        endpoint.says("Bye")
        say(conversation, "Thanks")
        assert [message["role"] for message in endpoint.sent()] == ["user", "assistant", "tool", "tool", "user"]

    def test_values_are_there_too(self, endpoint: "Endpoint") -> None:
        """The reply knows the calls: what was asked for, and what the tools returned, as Python values."""
        conversation = Conversation(endpoint.model, tools=[immediate(describe)])
        endpoint.says(None, ("describe", '{"thing": "tea"}'))
        reply = conversation.send("Tea?")
        assert isinstance(reply, Reply)
        assert (reply.immediate, reply.finish_reason) == (True, "tool_calls")
        assert [(call.name, call.value, call.failed) for call in reply.calls] == [("describe", {"tea": "hot"}, False)]

    @pytest.mark.parametrize("other", [("describe", '{"thing": "tea"}'), ("add", '{"a": 1}')], ids=["plain", "failed"])
    def test_counts_only_if_all_are_immediate(self, other: tuple[str, str], endpoint: "Endpoint") -> None:
        """With one call of another tool, or one that failed, the model gets all results and answers."""
        conversation = Conversation(endpoint.model, tools=[immediate(add), describe])
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), other)
        endpoint.says("Done")
        reply = conversation.send("Both!")
        assert (reply, reply.immediate, len(reply.calls)) == ("Done", False, 2)

    def test_may_say_nothing(self, endpoint: "Endpoint") -> None:
        """An empty result is a reply as well."""
        endpoint.says(None, ("quiet", ""))
        assert Conversation(endpoint.model, tools=[immediate(quiet)]).send("Hush!") == ""


class TestFailures:
    """What becomes of a turn that fails."""

    @pytest.mark.parametrize("on_failure", ["keep", "rollback"])
    @each_way
    def test_in_mid_answer(self, say: Say, on_failure: Any, endpoint: "Endpoint") -> None:
        """An answer that breaks off is a `ModelError`; the user's message is kept and marked, or nothing is."""
        conversation = Conversation(endpoint.model, on_failure=on_failure)
        endpoint.breaks_off("I was about to")
        with pytest.raises(ModelError, match=r"in the middle|no chat completion"):
            say(conversation, "Tell me")
        kept = [("user", "Tell me")] if on_failure == "keep" else []
        assert texts(conversation.memory.history()) == texts(conversation.memory.unfinished_turn()) == kept
        endpoint.says("Here")
        say(conversation, "Again")
        assert texts(endpoint.sent()) == [*kept, ("user", "Again")]
        assert conversation.memory.unfinished_turn() == []

    @pytest.mark.parametrize("on_failure", ["keep", "rollback"])
    def test_after_tools_have_run(self, on_failure: Any, endpoint: "Endpoint") -> None:
        """What tools did before a failure is known in the next turn, unless it is rolled back."""
        conversation = Conversation(endpoint.model, tools=[add], on_failure=on_failure)
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'))
        with pytest.raises(ModelError, match="no answer left"):
            conversation.send("1 + 2?")
        endpoint.says("3")
        conversation.send("Well?")
        roles = [message["role"] for message in endpoint.sent()]
        assert roles == (["user", "assistant", "tool", "user"] if on_failure == "keep" else ["user"])

    @pytest.mark.parametrize("on_failure", ["keep", "rollback"])
    def test_a_stream_that_is_left_early(self, on_failure: Any, endpoint: "Endpoint") -> None:
        """Who stops reading ends the turn; it counts as failed, and the conversation is free again."""
        conversation = Conversation(endpoint.model, on_failure=on_failure)
        kept = [("user", "Count!")] if on_failure == "keep" else []

        async def listen() -> None:
            async with aclosing(conversation.astream("Count!")) as pieces:
                assert await anext(pieces) == "one "

        for leave in (lambda: conversation.stream("Count!").__next__(), lambda: asyncio.run(listen())):
            conversation.memory.clear()
            endpoint.says("one two three")
            leave()
            assert texts(conversation.memory.unfinished_turn()) == kept
            endpoint.says("ok")
            assert conversation.send("Stop") == "ok"

    def test_a_task_that_is_cancelled(self, endpoint: "Endpoint") -> None:
        """A cancelled turn is kept as unfinished, the calls that were made included; the next one can be sent."""
        memory = ConversationBufferMemory()

        async def talk() -> None:
            started = asyncio.Event()

            async def wait() -> None:
                started.set()
                await asyncio.Event().wait()

            conversation = Conversation(endpoint.model, memory, tools=[wait])
            endpoint.says(None, ("wait", "{}"))
            task = asyncio.create_task(conversation.asend("Wait!"))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert [message["role"] for message in await memory.aunfinished_turn()] == ["user", "assistant"]
            endpoint.says("Fine")
            assert await conversation.asend("Never mind") == "Fine"

        asyncio.run(talk())
        assert [message["role"] for message in endpoint.sent()] == ["user", "user"]

    @each_way
    def test_a_memory_that_cannot_learn_keeps_no_answer_back(
        self, say: Say, endpoint: "Endpoint", caplog: pytest.LogCaptureFixture
    ) -> None:
        """The answer is there and stored although the memory's own model fails; that is logged (I2)."""
        model = ScriptedModel(ModelError("down"), "Anna says hi.")
        conversation = Conversation(endpoint.model, create_memory("summary", llm=model))
        endpoint.says("Hello")
        with caplog.at_level(logging.WARNING, "memzoo"):
            assert say(conversation, "I am Anna") == "Hello"
        assert "not all of it learnt from yet" in caplog.text
        assert len(conversation.memory.history()) == 2
        assert conversation.memory.messages() == [{"role": "system", "content": "Anna says hi."}]

    @pytest.mark.parametrize(
        ("message", "reason", "error"),
        [("", None, "an empty reply"), ("I will", "content_filter", "stopped by a content filter")],
    )
    @each_way
    def test_unusable_replies(
        self, say: Say, message: str, reason: str | None, error: str, endpoint: "Endpoint"
    ) -> None:
        """A reply without anything in it, or one that was withheld, is a `ModelError`."""
        endpoint.says(message, reason=reason)
        conversation = Conversation(endpoint.model)
        with pytest.raises(ModelError, match=error):
            say(conversation, "Hi")
        assert conversation.usage["chat"].prompt_tokens == 10

    @each_way
    def test_a_refusal_is_an_answer(self, say: Say, endpoint: "Endpoint") -> None:
        """What the model says when it refuses is said to the user, and kept as a refusal."""
        conversation = Conversation(endpoint.model)
        endpoint.says(None, refusal="I cannot do that.")
        assert say(conversation, "Do it") == "I cannot do that."
        assert conversation.memory.history()[1]["refusal"] == "I cannot do that."

    def test_a_reply_that_was_cut_off_says_so(self, endpoint: "Endpoint") -> None:
        """The words that came are the reply, with the reason why there are no more."""
        endpoint.says("Once upon", reason="length")
        reply = Conversation(endpoint.model).send("A story!")
        assert (reply, reply.finish_reason) == ("Once upon", "length")

    def test_an_endpoint_that_gives_calls_no_ids(self, endpoint: "Endpoint") -> None:
        """Calls without ids, or with one id for two, get ids of their own, so that each result finds its call."""
        conversation = Conversation(endpoint.model, tools=[add])
        endpoint.says(None, ("add", '{"a": 1, "b": 1}'), ("add", '{"a": 2, "b": 2}'))
        for call in endpoint.answers[0]["message"]["tool_calls"]:
            call["id"] = ""
        endpoint.says("Done")
        conversation.send("Add!")
        assert texts(endpoint.sent())[2:] == [("tool", "2"), ("tool", "4")]


@pytest.mark.parametrize("name", list(STRATEGIES | FURTHER))
@each_way
def test_every_strategy_can_sit_in_it(name: str, say: Say, endpoint: "Endpoint") -> None:
    """Tools, immediate tools, failures and long turns: an endpoint that is strict about order refuses nothing (I6)."""
    options: dict[str, Any] = {"combined": {"memories": ["summary", "window"]}}.get(name, {})
    memory = create_memory(name, token_counter="approximate", **options)
    conversation = Conversation(endpoint.model, memory, tools=[add, immediate(describe)], system="Be brief.")
    for number in range(2):
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), ("describe", '{"thing": "tea"}'))
        endpoint.says("Anna lives in Oslo")
        assert say(conversation, f"Where does Anna live, {number}?") == "Anna lives in Oslo"
        endpoint.says(None, ("describe", '{"thing": "tea"}'))
        assert say(conversation, "And tea?") == '{"tea":"hot"}'
        endpoint.breaks_off("Hm")
        with pytest.raises(ModelError):
            say(conversation, "Tell me more")
    assert endpoint.refused == []
    assert all(request["messages"][0] == {"role": "system", "content": "Be brief."} for request in endpoint.asked)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_offline_model_talks_with_every_memory(name: str) -> None:
    """Both kinds of call and both kinds of answer give the same words, with every strategy by its name."""
    pixel = "My cat Pixel lives in Oslo."
    answers: list[str] = []
    for say in WAYS:
        memory = create_memory(name, token_counter="approximate")
        conversation = Conversation("offline", memory)
        say(conversation, pixel)
        answers.append(say(conversation, "Where does Pixel live?"))
    assert set(answers) == {answers[0]}
    assert "Oslo" in answers[0]


def test_any_function_can_be_the_model() -> None:
    """A function from chat messages to text talks as well, asynchronous ones in asynchronous code."""

    async def count(messages: list[Message]) -> str:
        await asyncio.sleep(0)
        return f"{len(messages)} so far"

    assert astreams(Conversation(count), "hi") == "1 so far"
    assert streams(Conversation(lambda messages: f"{len(messages)} so far", system="x"), "hi") == "2 so far"
    with pytest.raises(AsyncOnlyError):
        sends(Conversation(count), "hi")


def test_pictures_are_sent_as_they_are(endpoint: "Endpoint") -> None:
    """A user message with parts is sent and kept whole."""
    parts: list[Any] = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
    ]
    endpoint.says("A cat")
    conversation = Conversation(endpoint.model)
    conversation.send({"role": "user", "content": parts})
    assert endpoint.sent() == conversation.memory.history()[:1] == [{"role": "user", "content": parts}]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"memory": "nope"}, "no strategy 'nope'"),
        ({"memory": None}, "memory must be a memory or the name of a strategy, not None"),
        ({"max_rounds": -1}, "max_rounds must be a whole number"),
        ({"on_failure": "ignore"}, "on_failure must be 'keep' or 'rollback', not 'ignore'"),
        ({"busy": "skip"}, "busy must be 'wait' or 'refuse', not 'skip'"),
        ({"tools": ["add"]}, "a tool must be a function, not 'add'"),
        ({"tools": [add, add]}, "two tools have the same name"),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, Any], error: str) -> None:
    """A wrong option is an error that says what is right, when the conversation is made."""
    with pytest.raises(OptionError, match=error):
        Conversation("offline", **options)
