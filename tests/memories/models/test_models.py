"""The one door to models: what is sent, what is counted, and a typed error for whatever is no usable reply."""

import asyncio
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import openai
import pytest

from memzoo.errors import ModelError, ModelReplyError
from memzoo.http_library import http
from memzoo.memories import ChatModel, ConversationKGMemory, ConversationSummaryMemory, Model
from memzoo.memories.models.chat import as_model
from memzoo.stores import Message
from memzoo.sync import drive
from memzoo.testing import ScriptedModel

ASKED: list[Message] = [{"role": "user", "content": "hi"}]

NO_CHOICE: dict[str, Any] = {"choices": []}

Answer = Callable[[http.Request], http.Response]


def completion(content: Any = "hello", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """The body of a reply."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def says(body: Any, status: int = 200) -> Answer:
    """An endpoint that gives one and the same reply."""
    return lambda _: http.Response(status, json=body)


def fails(error: Exception) -> Answer:
    """An endpoint that cannot be reached."""

    def respond(request: http.Request) -> http.Response:
        raise error

    return respond


def client(answer: Answer) -> openai.OpenAI:
    """A real client over a prepared transport; it does not retry."""
    sending = http.Client(transport=http.MockTransport(answer))
    return openai.OpenAI(api_key="key", http_client=sending, max_retries=0)


def ask(answer: Answer, **parameters: Any) -> Any:
    """The completion that a model behind a prepared transport gives."""
    return drive(ChatModel("m", client(answer), **parameters).complete(ASKED, "summary"))


class TestCalls:
    """What goes out and what comes back."""

    def test_send_messages_and_parameters(self) -> None:
        """The model's name, the messages and all parameters are sent as they are."""
        bodies: list[Any] = []

        def respond(request: http.Request) -> http.Response:
            bodies.append(json.loads(request.content))
            return http.Response(200, json=completion())

        ask(respond, temperature=0, max_completion_tokens=50)
        assert bodies == [{"model": "m", "messages": ASKED, "temperature": 0, "max_completion_tokens": 50}]

    def test_count_what_the_endpoint_counted(self) -> None:
        """Tokens are those that the endpoint reports; the text has no blanks around it."""
        reply = ask(says(completion(" hello\n")))
        assert (reply.text, reply.spent.calls) == ("hello", 1)
        assert (reply.spent.prompt_tokens, reply.spent.completion_tokens) == (11, 5)
        assert reply.spent.seconds > 0

    def test_count_replies_that_cannot_be_used(self) -> None:
        """Replies that were cut off were paid for, that to half as much, too; one without a count is a call (M3)."""
        cases = [(completion("partly", "length"), 2, 22), (NO_CHOICE, 1, 0)]
        for body, calls, tokens in cases:
            memory = ConversationKGMemory(llm=ChatModel("m", client(says(body))), learn_every=1)
            with pytest.raises(ModelReplyError):
                memory.save_context({"input": "I live in Oslo."}, {"output": "Good."})
            assert (memory.usage.total.calls, memory.usage.total.prompt_tokens) == (calls, tokens)

    @pytest.mark.parametrize("usage", [None, {}, {"total_tokens": 3}])
    def test_do_without_usage(self, usage: Any) -> None:
        """An endpoint that counts nothing, or not everything, is as good as another: what is unknown counts as 0."""
        memory = ConversationSummaryMemory(
            llm=ChatModel("m", client(says(completion() | {"usage": usage}))), learn_every=1
        )
        memory.save_context({"input": "a"}, {"output": "b"})
        assert memory.summary == "hello"
        assert (memory.usage.total.calls, memory.usage.total.prompt_tokens) == (1, 0)

    def test_may_bring_a_megabyte(self) -> None:
        """A long reply is kept whole."""
        assert len(ask(says(completion("x" * 1_000_000))).text) == 1_000_000

    def test_leave_retries_to_the_client(self) -> None:
        """A client that retries hides a fault that passes."""
        answers = iter([http.Response(500, json={}), http.Response(200, json=completion())])
        sending = http.Client(transport=http.MockTransport(lambda _: next(answers)))
        retrying = openai.OpenAI(api_key="key", http_client=sending, max_retries=1)
        assert drive(ChatModel("m", retrying).complete(ASKED, "summary")).text == "hello"


class TestFaults:
    """What is no usable reply."""

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (says({"error": {"message": "broken"}}, 500), "InternalServerError.*broken"),
            (says({"error": {"message": "who are you?"}}, 401), "AuthenticationError.*who are you"),
            (says({"error": {"message": "slow down"}}, 429), "RateLimitError.*slow down"),
            (fails(http.ReadError("connection reset by peer")), "APIConnectionError"),
            (fails(http.ReadTimeout("too slow")), "APITimeoutError"),
        ],
    )
    def test_of_the_call_are_model_errors(self, answer: Answer, reason: str) -> None:
        """Whatever the client raises is a `ModelError` that names the model, the prompt and the reason (F2, I4)."""
        with pytest.raises(ModelError, match=f"model 'm' for prompt 'summary' failed: {reason}") as caught:
            ask(answer)
        assert isinstance(caught.value.__cause__, openai.OpenAIError)

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (completion(""), "empty reply"),
            (completion(" \n"), "empty reply"),
            (completion(None), "empty reply"),
            (completion(None, refusal="I will not"), "refused: 'I will not'"),
            (completion("partly", "length"), "cut off after 6 characters"),
            (completion("partly", "content_filter"), "content filter"),
            (completion() | NO_CHOICE, "did not send a chat completion"),
            (completion() | {"choices": None}, "did not send a chat completion"),
            ({"error": {"message": "upstream is down"}}, "did not send a chat completion"),
        ],
    )
    def test_of_the_reply_are_reply_errors(self, body: Any, reason: str) -> None:
        """A reply that is empty, refused, cut off or no reply is a `ModelReplyError`, and changes nothing (M3, I4)."""
        with pytest.raises(ModelReplyError, match=f"'m', asked for prompt 'summary', .*{reason}.*nothing was changed"):
            ask(says(body))

    @pytest.mark.parametrize(
        "response",
        [
            http.Response(200, text="<html>a login page</html>", headers={"content-type": "text/html"}),
            http.Response(200, text='{"choices": [', headers={"content-type": "application/json"}),
            http.Response(200, content=b'{"id": "\xff\xfe"}', headers={"content-type": "application/json"}),
            http.Response(200, json=[]),
            http.Response(
                200, json=completion() | {"choices": [{"index": 0, "finish_reason": "stop", "message": None}]}
            ),
            http.Response(200, json=completion({"text": "hello"})),
        ],
        ids=["html", "half", "bytes", "list", "no-message", "object"],
    )
    def test_of_an_endpoint_that_is_none_are_model_errors(self, response: http.Response) -> None:
        """A wrong `base_url`, a login page or half a body is a `ModelError` too; the conversation goes on (I4)."""
        memory = ConversationSummaryMemory(
            llm=ChatModel("m", client(lambda _: response)), on_model_error="defer", learn_every=1
        )
        memory.save_context({"input": "a"}, {"output": "b"})
        assert memory.load_memory_variables({}) == {"history": "Human: a\nAI: b"}

    def test_of_any_other_kind_are_model_errors(self) -> None:
        """What the client raises at a shape that it does not know is a `ModelError` that names the prompt (I4)."""
        deep = http.Response(200, text="[" * 100_000, headers={"content-type": "application/json"})
        with pytest.raises(ModelError, match="'m' for prompt 'summary' failed: RecursionError"):
            ask(lambda _: deep)


class TestFunctions:
    """A function as a model."""

    def test_get_the_messages_as_their_own(self) -> None:
        """A function gets chat messages, which it may change, and its text is the reply."""

        def answer(messages: list[Message]) -> str:
            messages[0]["content"] = " yes "
            return str(messages.pop()["content"])

        asked = [dict(message) for message in ASKED]
        reply = drive(as_model(answer).complete(asked, "summary"))
        assert reply.text == "yes"
        assert asked == ASKED

    @pytest.mark.parametrize("reply", ["", "  \n", None, 7, b"bytes", ["text"]])
    def test_give_a_text_or_an_error(self, reply: Any) -> None:
        """What is no text is a `ModelReplyError` that names the function and the prompt (M3)."""
        with pytest.raises(ModelReplyError, match=r"lambda.*prompt 'summary'; it must return a string"):
            drive(as_model(lambda _: reply).complete(ASKED, "summary"))

    def test_that_fail_raise_a_model_error(self) -> None:
        """Whatever a function raises is a `ModelError` with its cause (F2)."""

        def broken(messages: list[Message]) -> str:
            raise KeyError("x")

        with pytest.raises(ModelError, match="llm 'broken' failed for prompt 'summary': KeyError: 'x'"):
            drive(as_model(broken).complete(ASKED, "summary"))

    @pytest.mark.parametrize("run", [drive, asyncio.run])
    def test_that_are_asynchronous_and_fail_raise_a_model_error(self, run: Any) -> None:
        """What an async function raises is a `ModelError` too, in sync calls and in async ones (F2, I5)."""

        async def broken(messages: list[Message]) -> str:
            raise RuntimeError("out of tea")

        with pytest.raises(ModelError, match="RuntimeError: out of tea"):
            run(as_model(broken).complete(ASKED, "summary"))

    def test_may_be_asynchronous(self) -> None:
        """An async function serves the async methods (I5)."""

        async def answer(messages: list[Message]) -> str:
            await asyncio.sleep(0)
            return "yes"

        async def talk() -> str:
            memory = ConversationSummaryMemory(llm=answer, learn_every=1)
            await memory.asave_context({"input": "a"}, {"output": "b"})
            shown: str = (await memory.aload_memory_variables({}))["history"]
            return shown

        assert asyncio.run(talk()) == "yes"

    @pytest.mark.parametrize("seconds", [0, 0.001])
    def test_that_are_asynchronous_cannot_serve_sync_calls(self, seconds: float) -> None:
        """A sync call says that the async twin is to be called, and leaves the memory usable (I5)."""
        blocked = True

        async def answer(messages: list[Message]) -> str:
            if blocked:
                await asyncio.sleep(seconds)
            return "yes"

        memory = ConversationSummaryMemory(llm=answer, learn_every=1)
        with pytest.raises(RuntimeError, match="asynchronous"):
            memory.save_context({"input": "a"}, {"output": "b"})
        blocked = False
        assert memory.load_memory_variables({}) == {"history": "yes"}


class TestOptions:
    """What an `llm` may be."""

    def test_may_be_a_name(self) -> None:
        """A text is the name of a model behind the endpoint of the environment; no client is made before it is used."""
        model = as_model("gpt-4o-mini")
        assert isinstance(model, ChatModel)
        assert (model.name, repr(model)) == ("gpt-4o-mini", "ChatModel('gpt-4o-mini')")

    @pytest.mark.parametrize("model", [ChatModel("m"), ScriptedModel()])
    def test_may_be_a_model(self, model: Model) -> None:
        """Whatever has the methods of a model is taken as it is."""
        assert as_model(model) is model

    def test_take_clients_of_both_kinds(self) -> None:
        """The constructor takes a sync and an async client of the openai library (X6)."""
        assert {"client", "async_client", "base_url", "api_key"} <= set(inspect.signature(ChatModel).parameters)


def test_leaving_the_model_out_warns_once() -> None:
    """A memory made without `llm` says once per process, at the caller's line, that rules will answer."""
    probe = (
        "from memzoo.memories import *\n"
        "create_memory('summary', llm='offline'), create_memory('entity', llm=str.upper)\n"
        "for _ in 'ab': create_memory('summary'), create_memory('entity')"
    )
    done = subprocess.run([sys.executable, "-W", "always", "-c", probe], capture_output=True, text=True, check=True)
    assert done.stderr.count("<string>:3: MemoryZooWarning: no llm was given") == 1
    assert done.stderr.count('llm="offline"') == 1


def test_counting_tokens_for_a_model_does_not_warn() -> None:
    """The token buffer never asks its `llm`, so nobody needs to choose one."""
    probe = "from memzoo.memories import create_memory; create_memory('token-buffer', token_counter='approximate')"
    assert subprocess.run([sys.executable, "-W", "error", "-c", probe], check=False).returncode == 0
