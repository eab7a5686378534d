"""Pydantic AI: the capability, through `Agent.run` and its kin."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

pydantic_ai: Any = pytest.importorskip("pydantic_ai", reason="Pydantic AI is not installed; `make hosts` does that")

from memzoo import MemoryProvider, create_memory  # noqa: E402
from memzoo.errors import OptionError  # noqa: E402
from memzoo.hosts.pydantic_ai import MemoryCapability  # noqa: E402
from memzoo.stores import Message  # noqa: E402
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
from tests.hosts.samples import members, samples  # noqa: E402

functions: Any = pytest.importorskip("pydantic_ai.models.function")
messages: Any = pydantic_ai.messages


class Scripted:
    """A scripted model, and what it was sent."""

    def __init__(self, script: Sequence[Step]) -> None:
        self.script = list(script)
        self.sent: list[list[Any]] = []
        self.model = functions.FunctionModel(self._answer, stream_function=self._stream)

    def _answer(self, sent: list[Any], _: Any) -> Any:
        self.sent.append(sent)
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return messages.ModelResponse(parts=[_part(step)])

    async def _stream(self, sent: list[Any], _: Any) -> Any:
        self.sent.append(sent)
        yield self.script.pop(0)


def _part(step: str | Call) -> Any:
    if isinstance(step, str):
        return messages.TextPart(step)
    return messages.ToolCallPart("weather", {"place": step.place}, tool_call_id=step.id)


def chat(sent: Sequence[Any]) -> list[Message]:
    """What the model was sent, as chat messages."""
    return [one for message in sent for part in message.parts for one in _chat(part)]


def _chat(part: Any) -> Iterator[Message]:
    match part.part_kind:
        case "tool-call":
            yield {"role": "assistant", "content": None, "tool_calls": [{"id": part.tool_call_id}]}
        case "tool-return":
            yield {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.content}
        case "text" | "user-prompt" | "system-prompt" as kind:
            role = {"text": "assistant", "user-prompt": "user"}.get(kind, "system")
            yield {"role": role, "content": part.content}
        case _:
            pass


def answering(responses: list[Any]) -> Any:
    """A model that answers with these, one after the other."""

    def answer(_sent: list[Any], _info: Any) -> Any:
        return responses.pop(0)

    return functions.FunctionModel(answer)


def agent_of(memories: Any, model: Scripted, **options: Any) -> Any:
    """An agent with the tool and the capability."""
    return pydantic_ai.Agent(model.model, tools=[weather], capabilities=[MemoryCapability(memories)], **options)


def parts_of(kind: Any, said_by: dict[str, Any]) -> list[Any]:
    """Samples of a kind of part; of speech by this speaker, of summaries without a provider."""
    if kind is messages.SpeechPart:
        return [kind(transcript=words, **said_by) for words in ("Words", None)]
    return [kind("Words")] if kind is messages.CompactionPart else samples(kind)


class TestCapability(HostContract):
    """Runs without a `message_history`: what was said before stands in the memory."""

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say`."""
        model = Scripted(script)
        await agent_of(memories, model).run(text, conversation_id=user, run_id=run)
        return [chat(sent) for sent in model.sent]

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say_in_sync`."""
        model = Scripted(script)
        agent_of(memories, model).run_sync(text, conversation_id=user, run_id=run)
        return [chat(sent) for sent in model.sent]

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        user = {"speaker": "user"}
        for kind in members(messages.ModelRequestPart):
            yield from (messages.ModelRequest(parts=[part]) for part in parts_of(kind, user))
        for kind in members(messages.ModelResponsePart):
            yield from (messages.ModelResponse(parts=[part]) for part in parts_of(kind, {"speaker": "assistant"}))
        for kind in members(messages.UserContent):
            yield from (messages.ModelRequest(parts=[messages.UserPromptPart([one])]) for one in samples(kind))
        odd = messages.ToolReturnPart("weather", {"place": {1, 2}}, "c1", metadata=object())
        yield messages.ModelRequest(parts=[odd])
        yield messages.ModelResponse(parts=[messages.ToolCallPart("weather", "{", tool_call_id="c1")])

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: the run's own history, and a later run without it, which asks the memory."""
        said = [messages.ModelRequest(parts=[messages.UserPromptPart("Question")])]
        # Of two requests, or two responses, that follow each other Pydantic AI makes one.
        results = [part for part in shape.parts if part.part_kind in ("tool-return", "retry-prompt") and part.tool_name]
        calls = [messages.ToolCallPart(part.tool_name, {}, tool_call_id=part.tool_call_id) for part in results]
        said.append(messages.ModelResponse(parts=[messages.TextPart("Go on."), *calls]))
        between = [messages.ModelRequest(parts=[messages.UserPromptPart("Well?")])] * (shape.kind == "response")
        said += [*between, shape, *between]
        said.append(messages.ModelResponse(parts=[messages.TextPart("Answer")]))
        run = agent_of(memories, Scripted(["Bye."]))
        result = await run.run("Thanks.", conversation_id="anna", message_history=said)
        await agent_of(memories, Scripted(["Hello."])).run("More.", conversation_id="anna")
        return next((one for one in result.all_messages()[2:] if one == shape), result.all_messages())

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: the application hands over the messages that stay."""
        agent, history = agent_of(memories, model := Scripted([FIRST[1], SECOND[1], "Anew"])), list[Any]()
        for question in (FIRST[0], SECOND[0]):
            said = await agent.run(question, conversation_id="anna", message_history=history)
            history = said.all_messages()
        # A run without a prompt answers the one that the history ends with.
        stays, prompt = (history[:3], None) if how == "regenerate" else (history[:2], SAID_THEN[how])
        await agent.run(prompt, conversation_id="anna", message_history=stays)
        return [chat(model.sent[2])]


def test_the_runs_history_stays_whole() -> None:
    """With a `message_history` the model is still sent the view, nothing is stored twice, and the history is whole."""
    memories, history = summarizing(), list[Any]()
    model = Scripted([])
    for turn in range(5):
        model = Scripted([f"Answer {turn}"])
        agent = agent_of(memories, model)
        result = agent.run_sync(f"Question {turn}", conversation_id="anna", message_history=history)
        history = result.all_messages()
    assert len(history) == len(memories.get("anna").history()) == 10
    assert SUMMARY in texts(chat(model.sent[0]))
    assert contents(chat(model.sent[0]))[-2:] == ["Answer 3", "Question 4"]


def test_a_history_that_is_handed_over_is_followed_back() -> None:
    """Who drops the last exchange from it and asks again has taken it back."""
    memories, history = MemoryProvider("buffer"), list[Any]()
    for text in ("One", "Two", "Three"):
        agent = agent_of(memories, Scripted([f"{text}."]))
        history = agent.run_sync(text, conversation_id="anna", message_history=history).all_messages()
    agent_of(memories, Scripted(["Drei."])).run_sync("Three", conversation_id="anna", message_history=history[:4])
    assert contents(memories.get("anna").history()) == ["One", "One.", "Two", "Two.", "Three", "Drei."]


def test_what_was_forgotten_stays_so_with_a_history() -> None:
    """The application still has it, and hands it over: it is not stored again."""
    memories = MemoryProvider("buffer")
    said = agent_of(memories, Scripted(["I see."])).run_sync("My PIN is 1234.", conversation_id="anna")
    memory = memories.get("anna")
    memory.forget([entry.seq for entry in memory.entries()])
    history = said.all_messages()
    for text in ("Hello?", "Bye."):
        agent = agent_of(memories, Scripted([f"{text}!"]))
        history = agent.run_sync(text, conversation_id="anna", message_history=history).all_messages()
    assert contents(memory.history()) == ["Hello?", "Hello?!", "Bye.", "Bye.!"]


def test_a_retry_after_a_tool_keeps_both_attempts() -> None:
    """A retry whose first attempt got as far as a tool asks the question once, and its new calls are in the log."""
    memories = MemoryProvider("buffer")
    model = Scripted([Call("Oslo", "c1"), RuntimeError("overloaded")])
    with pytest.raises(RuntimeError, match="overloaded"):
        agent_of(memories, model).run_sync("Weather?", conversation_id="anna", run_id="run-1")
    model = Scripted([Call("Oslo", "c2"), "Sunny."])
    agent_of(memories, model).run_sync("Weather?", conversation_id="anna", run_id="run-1")
    said = memories.get("anna").history()
    assert [message["role"] for message in said] == ["user", *["assistant", "tool"] * 2, "assistant"]
    assert contents(chat(model.sent[0])) == ["Weather?"]


def test_the_same_words_twice_are_two_turns() -> None:
    """Who says yes twice said it twice."""
    memories = MemoryProvider("buffer")
    for answer in ("First.", "Second."):
        agent_of(memories, Scripted([answer])).run_sync("Yes", conversation_id="anna")
    assert contents(memories.get("anna").history()) == ["Yes", "First.", "Yes", "Second."]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("Hi", {"role": "user", "content": "Hi"}),
        (
            ["See", messages.ImageUrl("https://example.org/a.png"), messages.CachePoint()],
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "See"},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                ],
            },
        ),
        (
            [messages.BinaryContent(b"x", media_type="image/png"), messages.TextContent("Hm")],
            {"role": "user", "content": [{"type": "binary"}, {"type": "text", "text": "Hm"}]},
        ),
    ],
)
def test_what_is_learnt_from_a_prompt(part: Any, said: Message) -> None:
    """Its words, its addresses, and the kind of all else."""
    memory = create_memory("buffer", conversation_id="anna")
    agent_of(memory, Scripted(["Hm."])).run_sync(part)
    assert memory.history()[0] == said


def test_what_is_learnt_from_an_answer() -> None:
    """Its texts, with an empty line between them, its calls, and the kind of files; thoughts are not said."""
    memory = create_memory("buffer", conversation_id="anna")
    file = messages.FilePart(messages.BinaryContent(b"x", media_type="image/png"))
    parts = [messages.ThinkingPart("Hm."), messages.TextPart("One."), file, messages.TextPart("Two.")]
    agent = pydantic_ai.Agent(answering([messages.ModelResponse(parts=parts)]), capabilities=[MemoryCapability(memory)])
    agent.run_sync("Well?")
    assert memory.history()[1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "One.\n\nTwo."}, {"type": "file"}],
    }


def test_a_conversation_from_elsewhere_is_shown_with_its_tools() -> None:
    """What was not said through Pydantic AI has no form of its own: calls and results are built, with their names."""
    memory = create_memory("buffer", conversation_id="anna")
    call = {"id": "x", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Oslo"}'}}
    memory.add_messages(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "x", "content": "Sun"},
            {"role": "assistant", "content": "Sunny."},
        ]
    )
    agent_of(memory, model := Scripted(["Yes."])).run_sync("Sure?")
    parts = [(part.part_kind, getattr(part, "tool_name", None)) for message in model.sent[0] for part in message.parts]
    assert parts == [
        ("system-prompt", None),
        ("user-prompt", None),
        ("tool-call", "weather"),
        ("tool-return", "weather"),
        ("text", None),
        ("user-prompt", None),
    ]
    assert model.sent[0][1].parts[0].args_as_dict() == {"place": "Oslo"}


def test_messages_come_back_as_they_were() -> None:
    """Thinking, usage and ids of an earlier run come back, and other providers are sent none of it."""
    memory = create_memory("buffer", conversation_id="anna")
    thought = messages.ModelResponse(
        parts=[messages.ThinkingPart("Hm.", signature="s1"), messages.TextPart("Hi.")], model_name="m-1"
    )
    first = pydantic_ai.Agent(answering([thought]), capabilities=[MemoryCapability(memory)])
    said = first.run_sync("Hello?").all_messages()
    agent_of(memory, model := Scripted(["Bye."])).run_sync("Thanks.")
    assert model.sent[0][1] == said[1]
    assert memory.history()[1] == {"role": "assistant", "content": "Hi."}


def test_system_prompts_are_the_agents() -> None:
    """The agent's system prompt and instructions are sent once with each request, and are not kept."""
    memory = create_memory("buffer", conversation_id="anna")
    model = Scripted([])
    for turn in range(2):
        model = Scripted([f"Answer {turn}"])
        agent = agent_of(memory, model, system_prompt="Be brief.", instructions="Be kind.")
        agent.run_sync(f"Question {turn}")
    assert texts(chat(model.sent[0])).count("Be brief.") == 1
    assert "Be kind." in str(model.sent[0][-1].instructions)
    assert [message["role"] for message in memory.history()] == ["user", "assistant"] * 2


def test_results_of_one_response_go_back_together() -> None:
    """Calls made at once have their results in one request, as providers want it."""
    memory = create_memory("buffer", conversation_id="anna")
    calls = messages.ModelResponse(parts=[_part(Call("Oslo", "c1")), _part(Call("Rome", "c2"))])
    replies = [calls, messages.ModelResponse(parts=[messages.TextPart("Sunny.")])]
    model = answering(replies)
    capability = MemoryCapability(memory)
    pydantic_ai.Agent(model, tools=[weather], capabilities=[capability]).run_sync("Weather?")
    agent_of(memory, later := Scripted(["Bye."])).run_sync("Thanks.")
    assert [part.tool_call_id for part in later.sent[0][2].parts] == ["c1", "c2"]


def test_a_stream_is_kept() -> None:
    """A streamed answer is sent the view, and is in the log when the stream has ended."""
    memories = summarizing()
    TestCapability().talk(memories)
    model = Scripted(["Streamed."])

    async def streamed() -> None:
        async with agent_of(memories, model).run_stream("Last?", conversation_id="anna") as stream:
            assert await stream.get_output() == "Streamed."

    asyncio.run(streamed())
    assert SUMMARY in texts(chat(model.sent[0]))
    assert contents(memories.get("anna").history())[-2:] == ["Last?", "Streamed."]


def test_one_memory_serves_one_conversation() -> None:
    """A memory given alone serves runs that name no conversation; one that names another is refused."""
    memory = create_memory("buffer", conversation_id="anna")
    agent_of(memory, Scripted(["Hi."])).run_sync("Hello?")
    assert contents(memory.history()) == ["Hello?", "Hi."]
    with pytest.raises(OptionError, match="MemoryProvider"):
        agent_of(memory, Scripted(["Hi."])).run_sync("Hello?", conversation_id="ben")
