"""A conversation: a model and a memory; the answers come over a real socket through the openai client."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import AsyncOnlyError, ModelError, TurnError
from memzoo.memories import STRATEGIES, Conversation, ConversationBufferMemory, Tool, create_memory
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.order import find_fault
from memzoo.stores import Message
from memzoo.testing import ScriptedModel

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

from tests.memories.chat.ways import WAYS, Say, add, astreams, describe, each_strategy, each_way, sends, streams, texts


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


def test_the_log_keeps_who_answered_and_what_it_cost(endpoint: "Endpoint", tmp_path: Path) -> None:
    """After a restart too; what is sent and what `history()` gives has nothing of it, unless it is asked for."""
    store = f"sqlite:///{tmp_path}/chat.db"
    with Conversation(endpoint.model, "buffer", store=store, conversation_id="anna") as conversation:
        for answer in ("one", "two"):
            endpoint.says(answer)
            conversation.send("Count!")
    assert {key for message in endpoint.sent() for key in message} == {"role", "content"}
    with Conversation(endpoint.model, "buffer", store=store, conversation_id="anna") as conversation:
        memory = conversation.memory
        asked, answered, *_ = memory.history(usage=True)
        assert asked == {"role": "user", "content": "Count!"} == memory.history()[0]
        assert answered.pop("usage").keys() == {"calls", "prompt_tokens", "completion_tokens", "seconds"}
        assert answered == {"role": "assistant", "content": "one", "model": "scripted"}
        assert memory.history()[1] == {"role": "assistant", "content": "one"}
        assert [entry.model for entry in memory.entries()] == [None, "scripted"] * 2


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
    with pytest.raises(TurnError, match="close its stream"):
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


def test_instructions_that_are_in_the_log_are_sent_once(endpoint: "Endpoint") -> None:
    """A system message of the memory is sent behind the conversation's own; an equal one is not sent twice."""
    memory = ConversationBufferMemory()
    memory.add_messages([{"role": "system", "content": text} for text in ("Be brief.", "Be kind.")])
    endpoint.says("Yes")
    Conversation(endpoint.model, memory, system="Be brief.").send("Right?")
    assert texts(endpoint.sent()) == [("system", "Be brief.\n\nBe kind."), ("user", "Right?")]


def test_a_summary_never_stands_in_the_instructions(endpoint: "Endpoint") -> None:
    """A summary is no part of the instructions, so other instructions do not lose it (quarkus-langchain4j#1945)."""
    memory = create_memory(
        "summary", llm=ScriptedModel("Anna likes tea.", "Anna likes tea.", "Anna likes tea."), learn_every=1
    )
    conversation = Conversation(endpoint.model, memory, system="Be brief.")
    for _ in range(2):
        endpoint.says("Fine")
        conversation.send("I am Anna. I like tea.")
    conversation.system = "Be kind."
    endpoint.says("Tea")
    conversation.send("What do I like?")
    assert text_of(endpoint.sent()[0]) == "Be kind.\n\n" + frame_text("Anna likes tea.")


@each_strategy
def test_every_strategy_can_sit_in_it(name: str, say: Say, endpoint: "Endpoint") -> None:
    """Tools, immediate tools, failures and long turns: an endpoint that is strict about order refuses nothing (I6)."""
    options: dict[str, Any] = {"combined": {"memories": ["summary", "window"]}}.get(name, {})
    memory = create_memory(name, token_counter="approximate", **options)
    conversation = Conversation(endpoint.model, memory, tools=[add, Tool(describe, immediate=True)], system="Be brief.")
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
    assert all(request["messages"][0]["content"].startswith("Be brief.") for request in endpoint.asked)
    assert [find_fault(request["messages"]) for request in endpoint.asked if find_fault(request["messages"])] == []


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


def test_a_question_without_words_asks_for_more() -> None:
    """The model is asked as if the conversation went on, also at its beginning."""
    conversation = Conversation(lambda messages: find_fault(messages) or "Fine.", "buffer")
    assert [conversation.send(question) for question in (" ", "Hi!", "\n")] == ["Fine."] * 3


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
