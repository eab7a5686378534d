"""memzoo in Google's ADK: `Runner` with a scripted model, and our memory service."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest

from memzoo import MemoryProvider, create_memory
from memzoo.errors import OptionError
from memzoo.hosts.google_adk import MemoryService
from memzoo.stores import Message
from memzoo.testing import ScriptedModel
from tests.hosts.contract import FIRST, SAID_THEN, SECOND, Call, HostContract, Step, contents, texts, told, weather
from tests.hosts.page import host, run_page
from tests.hosts.samples import members, samples

host("google.adk.runners")
LlmAgent: Any = host("google.adk.agents").LlmAgent
BaseMemoryService: Any = host("google.adk.memory.base_memory_service").BaseMemoryService
MemoryEntry: Any = host("google.adk.memory.memory_entry").MemoryEntry
BaseLlm: Any = host("google.adk.models.base_llm").BaseLlm
LlmResponse: Any = host("google.adk.models.llm_response").LlmResponse
Runner: Any = host("google.adk.runners").Runner
InMemorySessionService: Any = host("google.adk.sessions").InMemorySessionService
load_memory: Any = host("google.adk.tools").load_memory
preload_memory: Any = host("google.adk.tools").preload_memory
types: Any = host("google.genai.types")


class Scripted(BaseLlm):  # type: ignore[misc]
    """A model that does what its script says, and keeps what it was sent."""

    model: str = "scripted"
    script: list[Any]
    sent: list[list[Message]] = []  # noqa: RUF012 - pydantic copies it

    async def generate_content_async(self, llm_request: Any, **_: Any) -> AsyncIterator[Any]:
        """Do the next step."""
        self.sent.append([chat for content in llm_request.contents for chat in as_chat(content)])
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        part = called(step) if isinstance(step, Call) else types.Part(text=step)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def called(call: Call) -> Any:
    """A call of `weather`, or of `load_memory` if its id is "recall"."""
    name, argument = ("load_memory", "query") if call.id == "recall" else ("weather", "place")
    return types.Part(function_call=types.FunctionCall(id=call.id, name=name, args={argument: call.place}))


def as_chat(content: Any) -> list[Message]:
    """A content as chat messages; what ADK preloaded from the memory as the messages that it shows."""
    found: list[Message] = []
    for part in content.parts:
        if part.text and "<PAST_CONVERSATIONS>" in part.text:
            lines = (line for line in part.text.splitlines()[3:-1] if not line.startswith("Time: "))
            found += [as_said(*one) for one in told(lines)]
        elif part.text:
            found.append({"role": "user" if content.role == "user" else "assistant", "content": part.text})
        if part.function_call:
            found.append({"role": "assistant", "content": None, "tool_calls": [{"id": part.function_call.id}]})
        if part.function_response:
            result = part.function_response
            found.append({"role": "tool", "tool_call_id": result.id, "content": str(result.response)})
    return found


def as_said(author: str, text: str) -> Message:
    """A memory entry, as ADK's lines tell of it."""
    return {"role": author if author in ("user", "system", "developer") else "assistant", "content": text}


async def remember(callback_context: Any) -> None:
    """Save the session after each run, as ADK's documentation does."""
    await callback_context.add_session_to_memory()


def runner_of(memories: Any, script: Sequence[Step], *more: Any) -> tuple[Any, Scripted]:
    """A runner with the tool `weather`, which preloads the memory and saves the session after each run."""
    model = Scripted(script=list(script), sent=[])
    tools = more or [preload_memory, load_memory, weather]
    agent = LlmAgent(name="clerk", model=model, tools=tools, after_agent_callback=remember)
    service, sessions = MemoryService(memories), InMemorySessionService()
    return Runner(app_name="app", agent=agent, session_service=sessions, memory_service=service), model


async def ask(runner: Any, user: str, text: str, session_id: str) -> list[Any]:
    """Say something in a session."""
    said = types.Content(role="user", parts=[types.Part(text=text)])
    return [event async for event in runner.run_async(user_id=user, session_id=session_id, new_message=said)]


class UsersMemories(MemoryProvider):
    """The contract names users; ADK's memories are those of a user of an app."""

    def __init__(self, plain: MemoryProvider) -> None:
        self.plain = plain

    def get(self, conversation_id: str | None = None) -> Any:
        """The memory of a user."""
        return self.plain.get((conversation_id or "").removeprefix("app/"))


class TestGoogleADK(HostContract):
    """The contract, with a fresh session for each prompt: what the model knows of others comes from the memory."""

    tells_late = "a failed run is in ADK's session, and in the memory when the session is saved again"

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One run in a session of its own."""
        runner, model = runner_of(UsersMemories(memories), script)
        session = await runner.session_service.create_session(app_name="app", user_id=user)
        await ask(runner, user, text, session.id)
        return model.sent

    async def stop(self, memories: MemoryProvider, text: str) -> None:
        """See `HostContract.stop`: ADK's callback does not come, so the program itself adds the session."""
        runner, _ = runner_of(UsersMemories(memories), [RuntimeError("stopped")])
        sessions, whose = runner.session_service, {"app_name": "app", "user_id": "anna"}
        session = await sessions.create_session(**whose)
        with pytest.raises(RuntimeError, match="stopped"):
            await ask(runner, "anna", text, session.id)
        stopped = await sessions.get_session(**whose, session_id=session.id)
        await runner.memory_service.add_session_to_memory(stopped)

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One run of the synchronous runner."""
        runner, model = runner_of(UsersMemories(memories), script)
        session = runner.session_service.create_session_sync(app_name="app", user_id=user)
        said = types.Content(role="user", parts=[types.Part(text=text)])
        list(runner.run(user_id=user, session_id=session.id, new_message=said))
        return model.sent

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        for name, field in types.Part.model_fields.items():
            kind = next(one for one in members(field.annotation) if one is not type(None))
            for value in samples(kind):
                for role in ("user", "model", None):
                    yield event("shape", role, types.Part(**{name: value}))
        yield event("shape", "model", types.Part(inline_data=types.Blob(data=b"x")))
        yield event("shape", "model", types.Part(function_call=types.FunctionCall(args={"x": 1})))
        yield event("shape", "user", types.Part(function_response=types.FunctionResponse(response={"x": {1, 2}})))
        yield host("google.adk.events").Event(id="shape", author="user", timestamp=1.5e9)

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: ADK's tools are given text alone, so the log is looked at."""
        service = MemoryService(UsersMemories(memories))
        said = [event("q", "user", types.Part(text="Question")), shape]
        said.append(event("a", "model", types.Part(text="Answer"), author="clerk"))
        await service.add_events_to_memory(app_name="app", user_id="anna", events=said)
        await service.search_memory(app_name="app", user_id="anna", query="Question")
        kept = next((one for one in memories.get("anna").entries() if one.turn_id.startswith("shape")), None)
        if kept is None:
            return shape if not (shape.content and shape.content.parts) else None
        own = types.Content.model_validate(json.loads(kept.fields["@google-adk"] or "null")["content"])
        return shape if own.model_dump(mode="json") == shape.content.model_dump(mode="json") else own

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`, within one session: what was said before is sent by ADK itself."""
        runner, model = runner_of(UsersMemories(memories), [FIRST[1], SECOND[1], "Anew"], weather)
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        for question in (FIRST[0], SECOND[0]):
            events = await ask(runner, "anna", question, "s")
        newest = events[0].invocation_id
        await runner.rewind_async(user_id="anna", session_id="s", rewind_before_invocation_id=newest)
        await ask(runner, "anna", SAID_THEN[how], "s")
        return model.sent[2:]

    def test_a_fork_leaves_the_branch(self) -> None:
        """ADK has no fork: a session can be made, read, listed, deleted and gone on with, and nothing else."""
        service = host("google.adk.sessions").BaseSessionService
        methods = {name for name in dir(service) if not name.startswith("_")}
        about_sessions = {"create_session", "get_session", "list_sessions", "delete_session"}
        assert methods == about_sessions | {"append_event", "flush", "get_user_state"}
        pytest.skip("ADK has no fork")


def test_a_session_of_copied_events_doubles_nothing() -> None:
    """Who begins a session with events of another one, as a fork would, has them in the user's memory once."""
    memory = create_memory("buffer", conversation_id="app/anna")

    async def talk() -> None:
        runner, _ = runner_of(memory, ["Answer 0", "Answer 1", "Anew"])
        sessions = runner.session_service
        for name in ("s", "fork"):
            await sessions.create_session(app_name="app", user_id="anna", session_id=name)
        for question in ("Question 0", "Question 1"):
            await ask(runner, "anna", question, "s")
        events = (await sessions.get_session(app_name="app", user_id="anna", session_id="s")).events
        fork = await sessions.get_session(app_name="app", user_id="anna", session_id="fork")
        for one in events[:2]:
            await sessions.append_event(fork, one)
        await ask(runner, "anna", "Instead", "fork")

    asyncio.run(talk())
    assert contents(memory.history()) == [*FIRST, *SECOND, "Instead", "Anew"]


def test_a_session_that_is_added_after_each_run_is_learnt_from_once() -> None:
    """ADK's callback adds the whole session again and again: only what is new is saved and learnt from."""
    asked = ScriptedModel("One.", "Two.", "Three.")
    memory = create_memory("summary", llm=asked, conversation_id="app/anna", learn_every=1)

    async def talk() -> None:
        runner, _ = runner_of(memory, ["Answer 0", "Answer 1", "Answer 2"])
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        for turn in range(3):
            await ask(runner, "anna", f"Question {turn}", "s")

    asyncio.run(talk())
    assert contents(memory.history()) == [text for n in range(3) for text in (f"Question {n}", f"Answer {n}")]
    assert len(asked.asked) == 3


def test_what_adk_rewinds_is_taken_back() -> None:
    """After `rewind_async`, the next run takes what was rewound out of the log, also where that is all."""
    memory = create_memory("buffer", conversation_id="app/anna")

    async def talk() -> None:
        runner, _ = runner_of(memory, [f"Answer {turn}" for turn in range(4)])
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        first = await ask(runner, "anna", "Question 0", "s")
        second = await ask(runner, "anna", "Question 1", "s")
        for events, kept in ((second, ["Question 0", "Answer 0", "Question 2", "Answer 2"]), (first, ["Question 3"])):
            before = {"rewind_before_invocation_id": events[0].invocation_id}
            await runner.rewind_async(user_id="anna", session_id="s", **before)
            turn = kept[-2 if len(kept) > 1 else 0]
            await ask(runner, "anna", turn, "s")
            assert contents(memory.history())[: len(kept)] == kept

    asyncio.run(talk())
    assert contents(memory.history()) == ["Question 3", "Answer 3"]


def test_what_was_deleted_stays_away() -> None:
    """The session still has the event, and is added after each run: it is not stored again."""
    memory = create_memory("buffer", conversation_id="app/anna")

    async def talk() -> None:
        runner, _ = runner_of(memory, ["I see.", "Hi."])
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        await ask(runner, "anna", "My PIN is 1234.", "s")
        for id_ in {entry.turn_id for entry in memory.entries()}:
            await MemoryService(memory).delete_memory(app_name="app", user_id="anna", memory_id=id_)
        await ask(runner, "anna", "Hello?", "s")

    asyncio.run(talk())
    assert contents(memory.history()) == ["Hello?", "Hi."]


def test_the_log_has_what_the_session_has() -> None:
    """A session keeps the question of a failed run, and the same words asked again are another event: both are kept."""
    memory = create_memory("buffer", conversation_id="app/anna")

    async def talk() -> None:
        runner, _ = runner_of(memory, [RuntimeError("overloaded"), "Hi."])
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        with pytest.raises(RuntimeError, match="overloaded"):
            await ask(runner, "anna", "Hello?", "s")
        await ask(runner, "anna", "Hello?", "s")

    asyncio.run(talk())
    assert contents(memory.history()) == ["Hello?", "Hello?", "Hi."]


def test_the_model_can_ask_the_memory_itself() -> None:
    """`load_memory` searches for what the model wants to know, not for what the user said."""
    memory = create_memory("vector-retriever", k=1, conversation_id="app/anna")
    for fact in ("My cat is called Pixel.", "My sister lives in Oslo."):
        memory.save_context({"input": fact}, {"output": "I see."})

    async def talk() -> list[list[Message]]:
        runner, model = runner_of(memory, [Call("sister Oslo", "recall"), "In Oslo."])
        await runner.session_service.create_session(app_name="app", user_id="anna", session_id="s")
        await ask(runner, "anna", "Tell me about my cat called Pixel.", "s")
        return model.sent

    asked, answered = asyncio.run(talk())
    assert "Oslo" not in texts(asked)
    assert "Oslo" in texts(answered)


def event(id_: str, role: str | None, *parts: Any, author: str = "user", **more: Any) -> Any:
    """An event of a session."""
    content = types.Content(role=role, parts=list(parts))
    return host("google.adk.events").Event(
        id=id_, author=author, invocation_id="i", content=content, timestamp=1.5e9, **more
    )


def test_pieces_of_a_stream_thoughts_and_empty_events_are_not_said() -> None:
    """What is partial comes again whole; a thought is kept with its event, and not learnt from."""
    memory = create_memory("buffer", conversation_id="app/anna")
    service = MemoryService(memory)
    said = [
        event("1", "user", types.Part(text="Hello?")),
        event("2", "model", types.Part(text="H"), author="clerk", partial=True),
        event("3", "model", types.Part(text="A greeting.", thought=True), types.Part(text="Hi."), author="clerk"),
        event("4", "model", author="clerk"),
    ]
    asyncio.run(service.add_events_to_memory(app_name="app", user_id="anna", events=said))
    assert contents(memory.history()) == ["Hello?", "Hi."]


def test_entries_have_their_authors_times_and_ids() -> None:
    """A picture and a thought come back as they were; an entry can be forgotten by its id."""
    memory = create_memory("buffer", conversation_id="app/anna")
    service = MemoryService(memory)
    picture = types.Part(inline_data=types.Blob(data=b"\x89PNG", mime_type="image/png"))
    said = [
        event("1", "user", picture, types.Part(text="What is it?")),
        event("2", "model", types.Part(text="A cat."), author="clerk"),
    ]

    async def scene() -> None:
        await service.add_events_to_memory(app_name="app", user_id="anna", events=said)
        found = (await service.search_memory(app_name="app", user_id="anna", query="cat")).memories
        assert [entry.content for entry in found] == [one.content for one in said]
        assert [(entry.id, entry.author) for entry in found] == [("1", "user"), ("2", "clerk")]
        assert found[0].timestamp == "2017-07-14T02:40:00+00:00"
        await service.delete_memory(app_name="app", user_id="anna", memory_id="1")
        found = (await service.search_memory(app_name="app", user_id="anna", query="cat")).memories
        assert [entry.id for entry in found] == ["2"]

    asyncio.run(scene())


def test_what_is_learnt_from_an_event() -> None:
    """Words, calls and results, which have the tool's name if ADK gave them no id; files by their kind."""
    memory = create_memory("buffer", conversation_id="app/anna")
    given = types.FunctionResponse(name="weather", response={"result": "Sun"})
    whole = types.FunctionResponse(id="c2", name="weather", response={"result": "Rain", "at": 5})
    said = [
        event(
            "1",
            "user",
            types.Part(text="Both?"),
            types.Part(file_data=types.FileData(file_uri="gs://x", mime_type="image/png")),
        ),
        event("2", "model", types.Part(function_call=types.FunctionCall(name="weather", args={"place": "Oslo"}))),
        event("3", "user", types.Part(function_response=given), types.Part(function_response=whole)),
        event("4", None, types.Part(text="Well?")),
    ]
    asyncio.run(MemoryService(memory).add_events_to_memory(app_name="app", user_id="anna", events=said))
    asked, called_, *rest = memory.history()
    assert asked == {"role": "user", "content": [{"type": "text", "text": "Both?"}, {"type": "image/png"}]}
    assert (called_["tool_calls"][0]["id"], called_["content"]) == ("weather", None)
    assert rest == [
        {"role": "tool", "tool_call_id": "weather", "content": "Sun"},
        {"role": "tool", "tool_call_id": "c2", "content": "{'result': 'Rain', 'at': 5}"},
        {"role": "user", "content": "Well?"},
    ]


def test_what_was_said_elsewhere_is_an_entry_too() -> None:
    """With its role as the author; what has no words, and what tools gave, is not shown by ADK's tools."""
    memory = create_memory("buffer", conversation_id="app/anna")
    memory.save_context({"input": "I like tea."}, {"output": "I see."})
    memory.add_messages([{"role": "tool", "tool_call_id": "c", "content": "1"}, {"role": "assistant", "content": ""}])
    asked = MemoryService(memory).search_memory(app_name="app", user_id="anna", query="tea")
    found = asyncio.run(asked).memories
    said = [(one.author, one.content.role, one.content.parts[0].text, one.timestamp) for one in found]
    assert said == [("user", "user", "I like tea.", None), ("assistant", "model", "I see.", None)]


def test_an_explicit_memory_is_added() -> None:
    """`add_memory` takes entries that no session has."""
    memory = create_memory("buffer", conversation_id="app/anna")
    entry = MemoryEntry(content=types.Content(role="user", parts=[types.Part(text="I like tea.")]))
    asyncio.run(MemoryService(memory).add_memory(app_name="app", user_id="anna", memories=[entry]))
    assert contents(memory.history()) == ["I like tea."]


def test_one_memory_serves_one_user() -> None:
    """A memory is not everybody's: another user is refused, before anything is stored."""
    memory = create_memory("buffer", conversation_id="app/anna")
    with pytest.raises(OptionError, match="app/ben"):
        asyncio.run(MemoryService(memory).search_memory(app_name="app", user_id="ben", query="?"))


def test_it_is_a_memory_service_of_adk() -> None:
    """It passes for `BaseMemoryService`, and has no method less."""
    assert isinstance(MemoryService(MemoryProvider("buffer")), BaseMemoryService)
    own = [name for name in dir(BaseMemoryService) if not name.startswith("_")]
    assert [name for name in own if not hasattr(MemoryService, name)] == []


def test_the_page() -> None:
    """The program of docs/hosts/google_adk.md runs as it stands, and prints what is written there."""
    run_page("google_adk", model=Scripted(script=["Hello Anna.", "Pixel."], sent=[]))
