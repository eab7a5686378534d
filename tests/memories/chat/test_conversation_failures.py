"""Conversations whose turns fail."""

import asyncio
import json
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import ModelError
from memzoo.memories import Conversation, ConversationBufferMemory, create_memory
from memzoo.testing import ScriptedModel

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

from tests.memories.chat.ways import Say, add, astreams, each_way, streams, texts


def event(delta: Any) -> str:
    """An event of a stream with this addition to the answer."""
    choices = [{"index": 0, "delta": delta, "finish_reason": None}]
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices}
    return f"data: {json.dumps(chunk)}\n\n"


class TestFailures:
    """What becomes of a turn that fails."""

    @pytest.mark.parametrize("on_failure", ["keep", "rollback"])
    @each_way
    def test_in_mid_answer(self, say: Say, on_failure: Any, endpoint: "Endpoint") -> None:
        """An answer that breaks off is a `ModelError`; what was said and read is kept and marked, or nothing is."""
        conversation = Conversation(endpoint.model, on_failure=on_failure)
        endpoint.breaks_off("I was about to")
        with pytest.raises(ModelError, match=r"in the middle|not send a chat completion"):
            say(conversation, "Tell me")
        read = [("assistant", "I was about to")] if say in (streams, astreams) else []
        kept = [("user", "Tell me"), *read] if on_failure == "keep" else []
        assert texts(conversation.memory.history()) == texts(conversation.memory.unfinished_turn()) == kept
        endpoint.says("Here")
        say(conversation, "Again")
        again = [*kept, ("user", "Again")] if read or not kept else [("user", "Tell me\n\nAgain")]
        assert texts(endpoint.sent()) == again
        assert conversation.memory.unfinished_turn() == []

    def test_with_its_connection(self, endpoint: "Endpoint") -> None:
        """A connection that is lost in mid-stream is a `ModelError` too, not an error of the HTTP library."""
        conversation = Conversation(endpoint.model)
        endpoint.breaks_off("I was about to", **{"Content-Length": "100000"})
        with pytest.raises(ModelError, match=r"failed: (APIConnectionError|RemoteProtocolError)"):
            streams(conversation, "Tell me")
        endpoint.breaks_off("I was about to", **{"Content-Length": "100000"})
        with pytest.raises(ModelError, match=r"failed: (APIConnectionError|RemoteProtocolError)"):
            astreams(conversation, "Tell me")
        assert texts(conversation.memory.history()) == 2 * [("user", "Tell me"), ("assistant", "I was about to")]

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
        assert roles == (["user", "assistant", "tool", "assistant", "user"] if on_failure == "keep" else ["user"])

    @pytest.mark.parametrize("on_failure", ["keep", "rollback"])
    def test_a_stream_that_is_left_early(self, on_failure: Any, endpoint: "Endpoint") -> None:
        """Who stops reading ends the turn; it counts as failed, and the conversation is free again."""
        conversation = Conversation(endpoint.model, on_failure=on_failure)
        kept = [("user", "Count!"), ("assistant", "one")] if on_failure == "keep" else []

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
        assert [message["role"] for message in endpoint.sent()] == ["user", "assistant", "tool", "assistant", "user"]

    @each_way
    def test_a_memory_that_cannot_learn_keeps_no_answer_back(
        self, say: Say, endpoint: "Endpoint", caplog: pytest.LogCaptureFixture
    ) -> None:
        """The answer is there and stored although the memory's own model fails; that is logged (I2)."""
        model = ScriptedModel(ModelError("down"), "Anna says hi.")
        conversation = Conversation(endpoint.model, create_memory("summary", llm=model, learn_every=1))
        endpoint.says("Hello")
        with caplog.at_level(logging.WARNING, "memzoo"):
            assert say(conversation, "I am Anna") == "Hello"
        assert "not all of it learnt from yet" in caplog.text
        assert len(conversation.memory.history()) == 2
        conversation.memory.settle()
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

    @pytest.mark.parametrize(
        ("events", "error"),
        [
            ([": keep-alive\n\n", ": keep-alive\n\n"], "sent an incomplete reply"),
            ([": keep-alive\n\n", "data: [DONE]\n\n"], "sent an incomplete reply"),
            (
                [event({"tool_calls": [{"index": 1_000_003, "id": "a", "function": {"name": "f"}}]})],
                "in the middle of it",
            ),
            ([event(None)], "in the middle of it"),
            ([event({"content": 5})], "chat completion|failed"),
            (["data: [1]\n\n"], "failed"),
            ([f"data: {'[' * 100_000}\n\n"], "RecursionError"),
        ],
        ids=["keep-alives", "and the end", "odd index", "no delta", "a number", "a list", "brackets"],
    )
    @pytest.mark.parametrize("say", [streams, astreams])
    @pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
    def test_a_stream_of_an_odd_shape(self, say: Say, events: list[str], error: str, endpoint: "Endpoint") -> None:
        """A stream without an answer, or whose events are none, is a `ModelError`; the next turn works."""
        conversation = Conversation(endpoint.model)
        endpoint.answers.append({"events": events})
        with pytest.raises(ModelError, match=error):
            say(conversation, "Hi")
        assert texts(conversation.memory.history()) == [("user", "Hi")]
        endpoint.says("Hello")
        assert say(conversation, "Are you there?") == "Hello"

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
