"""Tools in a conversation."""

import asyncio
from typing import TYPE_CHECKING

import pytest

from memzoo.errors import AsyncOnlyError, ModelReplyError
from memzoo.memories import Conversation, Reply, Tool

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

from tests.memories.chat.ways import Say, add, asends, describe, each_way, fail, meeting, quiet, texts


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
        asked, calls, *results = second["messages"]
        answer = {"role": "assistant", "content": "3 and hot"}
        assert conversation.memory.history() == [asked, calls | {"content": None}, *results, answer]

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
        with pytest.raises(ModelReplyError, match="after 2 rounds"):
            say(conversation, "Loop!")
        assert len(conversation.memory.unfinished_turn()) == 5
        endpoint.says("Better now")
        assert say(conversation, "Again?") == "Better now"
        assert endpoint.refused == []
        assert conversation.memory.unfinished_turn() == []

    def test_no_rounds_at_all(self, endpoint: "Endpoint") -> None:
        """With `max_rounds=0` the first call of a tool is one too many, and is not made."""
        endpoint.says(None, ("fail", "{}"))
        with pytest.raises(ModelReplyError, match="after 0 rounds"):
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
        assert all("TurnError" in message["content"] for message in endpoint.sent()[2:])


class TestImmediate:
    """Tools whose result is the reply (LangChain4j's IMMEDIATE)."""

    @each_way
    def test_is_the_reply_without_another_call(self, say: Say, endpoint: "Endpoint") -> None:
        """If all calls of a round are immediate, the model is not asked again; the memory keeps calls and results."""
        conversation = Conversation(endpoint.model, tools=[Tool(add, immediate=True), Tool(describe, immediate=True)])
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), ("describe", '{"thing": "tea"}'))
        assert say(conversation, "1 + 2? Tea?") == '3\n{"tea":"hot"}'
        assert len(endpoint.asked) == 1
        assert [message["role"] for message in conversation.memory.history()] == ["user", "assistant", "tool", "tool"]
        assert conversation.memory.unfinished_turn() == []
        endpoint.says("Bye")
        say(conversation, "Thanks")
        roles = [message["role"] for message in endpoint.sent()]
        assert roles == ["user", "assistant", "tool", "tool", "assistant", "user"]

    def test_values_are_there_too(self, endpoint: "Endpoint") -> None:
        """The reply knows the calls: what was asked for, and what the tools returned, as Python values."""
        conversation = Conversation(endpoint.model, tools=[Tool(describe, immediate=True)])
        endpoint.says(None, ("describe", '{"thing": "tea"}'))
        reply = conversation.send("Tea?")
        assert isinstance(reply, Reply)
        assert (reply.immediate, reply.finish_reason) == (True, "tool_calls")
        assert (reply.spent.calls, reply.spent.prompt_tokens) == (1, 10)
        assert [(call.name, call.value, call.failed) for call in reply.calls] == [("describe", {"tea": "hot"}, False)]

    @pytest.mark.parametrize("other", [("describe", '{"thing": "tea"}'), ("add", '{"a": 1}')], ids=["plain", "failed"])
    def test_counts_only_if_all_are_immediate(self, other: tuple[str, str], endpoint: "Endpoint") -> None:
        """With one call of another tool, or one that failed, the model gets all results and answers."""
        conversation = Conversation(endpoint.model, tools=[Tool(add, immediate=True), describe])
        endpoint.says(None, ("add", '{"a": 1, "b": 2}'), other)
        endpoint.says("Done")
        reply = conversation.send("Both!")
        assert (reply, reply.immediate, len(reply.calls)) == ("Done", False, 2)

    def test_may_say_nothing(self, endpoint: "Endpoint") -> None:
        """An empty result is a reply as well."""
        endpoint.says(None, ("quiet", ""))
        assert Conversation(endpoint.model, tools=[Tool(quiet, immediate=True)]).send("Hush!") == ""
