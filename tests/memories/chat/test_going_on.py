"""Turns that were cut off are gone on with: what tools did and what the user has read stays known."""

import asyncio
import json
import shutil
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import STRATEGIES, Conversation, ConversationBufferMemory, Tool, create_memory
from memzoo.stores import Message, MessageListStore, open_store
from tests.forking import run_program
from tests.memories.chat.turns import CALL, RESULT, Mishap, contents, failed, roles
from tests.memories.chat.ways import Say, each_way

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

LOST = "nobody knows whether this call was carried out"
PAY = ("pay", '{"euros": 10}')

WAYS: dict[str, Callable[[Conversation], str]] = {
    "regenerate": lambda conversation: conversation.regenerate(),
    "aregenerate": lambda conversation: asyncio.run(conversation.aregenerate()),
    "stream": lambda conversation: "".join(conversation.stream(None)),
}


class Till:
    """Counts what was paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    def pay(self, euros: int) -> str:
        """Pay an invoice."""
        self.paid.append(euros)
        return f"paid {euros}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", STRATEGIES)
def test_an_unfinished_turn_is_gone_on_with(name: str, way: str, endpoint: "Endpoint") -> None:
    """After a failure the model is told what its tool did: it is done once, and once on record."""
    till = Till()
    conversation = Conversation(endpoint.model, create_memory(name, llm="offline"), tools=[till.pay])
    endpoint.says("Hello")
    conversation.send("Hi, I am Zoe.")
    endpoint.says(None, PAY)
    with pytest.raises(ModelError):
        conversation.send("Pay the invoice of 10 euros.")
    endpoint.says("Paid.")
    assert WAYS[way](conversation) == "Paid."
    assert roles(endpoint.sent())[-3:] == "uat"
    assert str(endpoint.sent()).count("Pay the invoice of 10 euros.") == 1
    assert till.paid == [10]
    assert roles(conversation.memory.history()) == "uauata"
    assert conversation.memory.unfinished_turn() == []


@pytest.mark.parametrize("way", WAYS)
def test_an_unfinished_turn_from_a_list_is_gone_on_with(way: str, endpoint: "Endpoint") -> None:
    """Results at its end are no answer: a list does not know which messages were a turn."""
    kept: list[Message] = []
    store = MessageListStore(get=lambda _: kept, update=dict[str, list[Message]]().__setitem__, delete=lambda _: None)
    till = Till()
    kept += [{"role": "user", "content": "Pay!"}, CALL, RESULT]
    conversation = Conversation(endpoint.model, ConversationBufferMemory(store=store), tools=[till.pay])
    assert conversation.memory.unfinished_turn() == kept
    endpoint.says("Paid.")
    WAYS[way](conversation)
    assert contents(endpoint.sent()) == ["Pay!", "", "done"]


@each_way
def test_a_new_message_after_a_failure_is_told_too(say: Say, endpoint: "Endpoint") -> None:
    """Who does not have it answered again, but says something new, pays once as well."""
    till = Till()
    conversation = Conversation(endpoint.model, tools=[till.pay])
    endpoint.says(None, PAY)
    with pytest.raises(ModelError):
        say(conversation, "Pay!")
    endpoint.says("Yes.")
    say(conversation, "Did you?")
    question, _, paid, _, last = contents(endpoint.sent())
    assert [question, paid, last] == ["Pay!", "paid 10", "Did you?"]


def test_a_failure_further_on_loses_nothing(endpoint: "Endpoint") -> None:
    """However often it fails, each call is made once, and what was done before stays in each request."""
    till = Till()
    conversation = Conversation(endpoint.model, tools=[till.pay])
    for rounds in range(1, 4):
        endpoint.says(None, ("pay", json.dumps({"euros": rounds})))
        with pytest.raises(ModelError):
            conversation.send("Pay!") if rounds == 1 else conversation.regenerate()
    endpoint.says("Done.")
    conversation.regenerate()
    assert roles(endpoint.sent()) == "u" + 3 * "at"
    assert till.paid == [1, 2, 3]
    assert roles(conversation.memory.history()) == "u" + 3 * "at" + "a"


@pytest.mark.parametrize("way", WAYS)
def test_results_that_were_there_are_kept_when_a_round_is_stopped(way: str, endpoint: "Endpoint") -> None:
    """Of two calls side by side, one was done and one was stopped: nobody knows of the latter, and it is not made."""
    till, ordering = Till(), asyncio.Event()

    async def order() -> None:
        """Order flour."""
        ordering.set()
        await asyncio.Event().wait()

    async def pay(euros: int) -> str:
        """Pay."""
        return till.pay(euros)

    conversation = Conversation(endpoint.model, tools=[pay, order])

    async def talk() -> None:
        endpoint.says(None, PAY, ("order", "{}"))
        task = asyncio.create_task(conversation.asend("Order and pay!"))
        await ordering.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(talk())
    endpoint.says("I do not know.")
    WAYS[way](conversation)
    question, _, paid, lost = contents(endpoint.sent())
    assert (question, paid, till.paid) == ("Order and pay!", "paid 10", [10])
    assert LOST in lost


KILLED = """
import os, signal, sys
from memzoo import ChatModel, Conversation

def pay(euros: int) -> str:
    "Pay an invoice."
    os.kill(os.getpid(), signal.SIGKILL)

url, store = sys.argv[1:]
model = ChatModel("scripted", base_url=url, api_key="none")
Conversation(model, "buffer", store=store, conversation_id="zoe", tools=[pay]).send("Pay!")
"""


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one process dies for all tests that look at what it leaves."""
    return tmp_path_factory.mktemp("died")


@pytest.mark.parametrize(
    ("way", "may_repeat"), [("regenerate", False), ("aregenerate", True), ("stream", False), ("send", True)]
)
def test_a_process_that_dies_in_a_tool(
    way: str,
    may_repeat: bool,  # noqa: FBT001 - a case
    endpoint: "Endpoint",
    died: Path,
    tmp_path: Path,
) -> None:
    """The call is on record and its result says that nobody knows; only a repeatable tool, asked again, runs again."""
    if not any(died.iterdir()):
        endpoint.says(None, PAY)
        assert run_program(KILLED, endpoint.url, f"sqlite:///{died}/chat.db") < 0
    shutil.copytree(died, tmp_path, dirs_exist_ok=True)
    url = f"sqlite:///{tmp_path}/chat.db"
    till = Till()
    tool = Tool(till.pay, repeatable=may_repeat)
    with Conversation(endpoint.model, "buffer", store=url, conversation_id="zoe", tools=[tool]) as conversation:
        endpoint.says("I see.")
        WAYS[way](conversation) if way in WAYS else conversation.send("Well?")
        asked, _, result, *more = contents(endpoint.sent())
        assert [asked, *more[1:]] == (["Pay!"] if way in WAYS else ["Pay!", "Well?"])
        runs = may_repeat and way in WAYS
        assert till.paid == [10] * runs
        assert (result == "paid 10") if runs else (LOST in result)
        assert roles(conversation.memory.history()) == "uata" if way in WAYS else "uatua"


def test_a_process_that_was_only_slow_has_its_result(endpoint: "Endpoint", tmp_path: Path) -> None:
    """Another process that took the call for lost did not know better: in the end the true result stands there."""
    url = f"sqlite:///{tmp_path}/chat.db"
    with open_store(url) as here, open_store(url) as there:

        def pay() -> str:
            """Pay."""
            other = Conversation(endpoint.model, create_memory("buffer", store=there, conversation_id="zoe"))
            assert other.send("Well?") == "Patience."
            return "paid"

        memory = create_memory("buffer", store=here, conversation_id="zoe")
        conversation = Conversation(endpoint.model, memory, tools=[pay])
        endpoint.says(None, ("pay", "{}"))
        endpoint.says("Patience.")
        endpoint.says("Paid.")
        conversation.send("Pay!")
        assert LOST in endpoint.sent(1)[2]["content"]
        assert "paid" in contents(endpoint.sent())
        assert LOST not in str(conversation.memory.history())
        assert contents(conversation.memory.messages()).count("paid") == 1


def test_a_loop_of_ones_own_keeps_calls_before_they_run() -> None:
    """`turn.keep` puts them on record at once, as unfinished, and the end of the turn completes it."""
    memory = ConversationBufferMemory()
    with memory.turn("Call f!") as turn:
        turn.add(CALL)
        turn.keep()
        assert roles(memory.history()) == roles(memory.unfinished_turn()) == "ua"
        assert [call["id"] for call in turn.open_calls] == ["c"]
        turn.add(RESULT, "Done")
        assert roles(turn.messages()) == "uata"
    assert roles(memory.history()) == "uata"
    assert memory.unfinished_turn() == []


def test_a_loop_of_ones_own_may_give_the_result(endpoint: "Endpoint") -> None:
    """An open call of a turn that is gone on with is told, so that who knows its result can add it."""
    memory = ConversationBufferMemory()
    failed(memory.turn("Call f!"), Mishap, CALL)
    with memory.turn(None) as turn:
        assert [call["id"] for call in turn.open_calls] == ["c"]
        turn.add(RESULT)
        assert contents(turn.messages()) == ["Call f!", "", "done"]
        turn.add("Done")
    assert contents(memory.history()) == ["Call f!", None, "done", "Done"]


def test_a_call_that_a_host_left_open_stays_open() -> None:
    """It may wait for somebody's consent: only turns that were cut off are completed."""
    memory = ConversationBufferMemory()
    memory.add_messages([{"role": "user", "content": "Call f!"}, CALL])
    with memory.turn("Well?") as turn:
        assert contents(turn.messages()) == ["Call f!\n\nWell?"]
        turn.add("Wait")
    memory.add_messages([RESULT])
    assert roles(memory.messages()) == "uatua"


def stopped_sync(conversation: Conversation) -> None:
    """Close the stream."""
    pieces = conversation.stream("How?")
    assert next(pieces) + next(pieces) == "First melt "
    pieces.close()


def stopped_async(conversation: Conversation) -> None:
    """Close the asynchronous stream."""

    async def talk() -> None:
        async with aclosing(conversation.astream("How?")) as pieces:
            assert await anext(pieces) + await anext(pieces) == "First melt "

    asyncio.run(talk())


def cancelled(conversation: Conversation) -> None:
    """Cancel the task that reads."""

    async def read(read: asyncio.Event) -> None:
        async for piece in conversation.astream("How?"):
            if piece == "melt ":
                read.set()
                await asyncio.Event().wait()

    async def talk() -> None:
        event = asyncio.Event()
        task = asyncio.create_task(read(event))
        await event.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(talk())


def timed_out(conversation: Conversation) -> None:
    """Let the time of a block that reads run out."""

    async def talk() -> None:
        async with asyncio.timeout(None) as limit, aclosing(conversation.astream("How?")) as pieces:
            async for piece in pieces:
                if piece == "melt ":
                    limit.reschedule(0)
                    await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(talk())


STOPS = [stopped_sync, stopped_async, cancelled, timed_out]


@pytest.mark.parametrize("stop", STOPS)
def test_what_was_read_of_a_stopped_answer_is_kept(stop: Callable[[Conversation], None], endpoint: "Endpoint") -> None:
    """It is marked as unfinished, and the next turn shows it, so that roles alternate."""
    conversation = Conversation(endpoint.model, "window")
    endpoint.says("First melt the butter.")
    stop(conversation)
    assert contents(conversation.memory.unfinished_turn()) == ["How?", "First melt"]
    assert conversation.memory.entries()[-1].unfinished
    assert conversation.memory.history(usage=True)[-1]["unfinished"] is True
    endpoint.says("Then add flour.")
    conversation.send("Go on from there.")
    assert contents(endpoint.sent()) == ["How?", "First melt", "Go on from there."]
    assert [entry.unfinished for entry in conversation.memory.entries()] == [False, True, False, False]


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_memory_shows_what_was_read(name: str, endpoint: "Endpoint") -> None:
    """Also one that searches, and finds nothing of it for the next question."""
    conversation = Conversation(endpoint.model, create_memory(name, llm="offline"))
    endpoint.says("First melt the butter.")
    stopped_sync(conversation)
    endpoint.says("Then add flour.")
    conversation.send("Go on from there.")
    assert contents(endpoint.sent())[-3:] == ["How?", "First melt", "Go on from there."]


@pytest.mark.parametrize("way", WAYS)
def test_a_stopped_answer_gives_way_to_the_next(way: str, endpoint: "Endpoint") -> None:
    """Answered again, the question is sent alone, and the new answer takes the place of the half one."""
    conversation = Conversation(endpoint.model)
    endpoint.says("First melt the butter.")
    stopped_sync(conversation)
    endpoint.says("Take butter.")
    WAYS[way](conversation)
    assert contents(endpoint.sent()) == ["How?"]
    assert contents(conversation.memory.history()) == ["How?", "Take butter."]


def test_of_several_stopped_answers_the_newest_stays(endpoint: "Endpoint") -> None:
    """A whole answer that was to be replaced stays until there is another whole one."""
    conversation = Conversation(endpoint.model)
    endpoint.breaks_off("One")
    endpoint.breaks_off("Two")
    for user in ("How?", None):
        with pytest.raises(ModelError):
            list(conversation.stream(user))
    assert contents(conversation.memory.history()) == ["How?", "Two"]
    endpoint.says("Whole.")
    conversation.regenerate()
    for half in ("Three", "Four"):
        endpoint.breaks_off(half)
        with pytest.raises(ModelError):
            list(conversation.stream(None))
        assert contents(conversation.memory.history()) == ["How?", "Whole."]
        assert conversation.memory.unfinished_turn() == []
    endpoint.says("Again.")
    conversation.regenerate()
    assert contents(conversation.memory.history()) == ["How?", "Again."]


def test_what_tools_did_for_a_stopped_answer_is_kept_without_it(endpoint: "Endpoint") -> None:
    """A question is answered anew: the tool has acted, so that stays; the whole answer stays, half of one does not."""
    till = Till()
    conversation = Conversation(endpoint.model, tools=[till.pay])
    endpoint.says("Shall I pay?")
    conversation.send("Pay!")
    endpoint.says(None, PAY)
    endpoint.breaks_off("I have p")
    with pytest.raises(ModelError):
        list(conversation.stream(None))
    assert contents(conversation.memory.history()) == ["Pay!", "Shall I pay?", None, "paid 10"]
    endpoint.says("Paid.")
    conversation.regenerate()
    assert contents(endpoint.sent()) == ["Pay!", "", "paid 10"]
    assert contents(conversation.memory.history()) == ["Pay!", None, "paid 10", "Paid."]


def test_thoughts_and_half_characters_are_not_kept(endpoint: "Endpoint") -> None:
    """Only what can be said again stays of a stopped answer: nothing of one that had only thought."""
    conversation = Conversation(endpoint.model)
    for text, kept in [("<think>butter? ", None), ("<think>butter?</think> Melt ", "Melt"), ("Melt \ud83d", "Melt")]:
        conversation.memory.clear()
        delta: Any = {"content": text}
        choices: list[Message] = [{"index": 0, "delta": delta, "finish_reason": None}]
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}
        endpoint.answers.append({"events": [f"data: {json.dumps(chunk)}\n\n"]})
        with pytest.raises(ModelError):
            list(conversation.stream("How?"))
        assert contents(conversation.memory.history()) == ["How?", *([kept] if kept else [])]
