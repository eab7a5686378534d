"""memzoo in Strands Agents: `Agent` with a scripted model, and our conversation manager."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from memzoo import MemoryProvider, create_memory
from memzoo.errors import ModelError
from memzoo.hosts.strands import MemoryConversationManager
from memzoo.stores import Message
from memzoo.testing import ScriptedModel
from tests.hosts.contract import (
    FIRST,
    SAID_THEN,
    SECOND,
    Call,
    HostContract,
    Step,
    contents,
    pairs,
    results,
    summarizing,
    weather,
)
from tests.hosts.page import host, run_page
from tests.hosts.samples import odd, samples

strands, models = host("strands"), host("strands.models")
exceptions, sessions = host("strands.types.exceptions"), host("strands.session.file_session_manager")


class Scripted(models.Model):  # type: ignore[misc]
    """A model that does what its script says, and keeps what it was sent."""

    def __init__(self, script: Sequence[Step]) -> None:
        self.script, self.sent = list(script), list[list[Message]]()

    def update_config(self, **_: Any) -> None:
        """It has no settings."""

    def get_config(self) -> dict[str, Any]:
        """It has no settings."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        """It cannot."""
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **_: Any
    ) -> AsyncIterator[Any]:
        """Do the next step."""
        system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        self.sent.append([*system, *(chat for message in messages for chat in as_chat(message))])
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        block: Any = {"start": {}}
        delta: Any = {"text": step}
        if isinstance(step, Call):
            block = {"start": {"toolUse": {"name": "weather", "toolUseId": step.id}}}
            delta = {"toolUse": {"input": json.dumps({"place": step.place})}}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": block}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if isinstance(step, Call) else "end_turn"}}


def as_chat(message: Any) -> list[Message]:
    """A message of Strands as chat messages."""
    found: list[Message] = []
    for block in message["content"]:
        if "text" in block:
            found.append({"role": message["role"], "content": block["text"]})
        if "toolUse" in block:
            use = block["toolUse"]
            calls = [{"id": use.get("toolUseId"), "name": use.get("name"), "input": use.get("input")}]
            found.append({"role": "assistant", "content": None, "tool_calls": calls})
        if "toolResult" in block:
            result = block["toolResult"]
            text = str(result.get("content"))
            found.append({"role": "tool", "tool_call_id": result.get("toolUseId"), "content": text})
    return found


def sound(call: Any) -> bool:
    """Whether Strands takes it for a call."""
    return all(isinstance(call.get(name), str) for name in ("name", "toolUseId"))


def agent_of(memory: Any, script: Sequence[Step], **options: Any) -> Any:
    """A fresh agent with the tool `weather`."""
    manager, tools = MemoryConversationManager(memory), [strands.tool(weather)]
    return strands.Agent(
        model=Scripted(script), conversation_manager=manager, tools=tools, callback_handler=None, **options
    )


class TestStrands(HostContract):
    """The contract, with a fresh agent for each prompt."""

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One invocation."""
        agent = agent_of(memories.get(user), script)
        await agent.invoke_async(text)
        return agent.model.sent

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """One invocation without an event loop of the caller's."""
        agent = agent_of(memories.get(user), script)
        agent(text)
        return agent.model.sent

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        content = host("strands.types.content")
        for name, kind in get_type_hints(content.ContentBlock).items():
            for value in samples(kind):
                block: dict[str, Any] = {name: value}
                for role in ("user", "assistant"):
                    yield {"role": role, "content": [block]}
                    if hasattr(value, "items"):
                        # Strands itself refuses calls without a name or an id.
                        odds = [one for one in odd(value) if name != "toolUse" or sound(one)]
                        yield from ({"role": role, "content": [{name: one}]} for one in odds)
        oddities: list[list[dict[str, Any]]] = [[], [{}], [{"unheardOf": 1}], [{"text": None}]]
        for blocks in oddities:
            yield {"role": "assistant", "content": blocks}

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`: what another agent is shown, besides the ids that Strands gives."""
        said = [{"role": "user", "content": [{"text": "Question"}]}, {**shape}]
        said.append({"role": "assistant", "content": [{"text": "Answer"}]})
        await agent_of(memories.get("anna"), ["Hm."], messages=said).invoke_async("So?")
        kept = memories.get("anna").entries()
        own = [json.loads(one.fields["@strands"] or "null") for one in kept]
        (found,) = [one for one in own[1:] if one][:1]
        decoded = host("strands.types.session").decode_bytes_values(found)
        return {key: decoded[key] for key in ("role", "content")}

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: the list of the agent is changed, or a snapshot of it is loaded."""
        agent = agent_of(memories.get("anna"), [FIRST[1], SECOND[1], "Anew"])
        await agent.invoke_async(FIRST[0])
        snapshot = agent.take_snapshot(preset="session")
        await agent.invoke_async(SECOND[0])
        if how in ("regenerate", "edit"):
            del agent.messages[-1]
            agent.messages[-1]["content"] = [{"text": SAID_THEN[how]}]
            await agent.invoke_async()
            return agent.model.sent[2:]
        if how == "fork":
            agent = agent_of(memories.get("anna"), ["Anew"])
        agent.load_snapshot(snapshot)
        await agent.invoke_async(SAID_THEN[how])
        return agent.model.sent[-1:]


def test_an_answer_is_given_anew_as_often_as_one_likes() -> None:
    """Each time the newest answer is the only one, and the next prompt follows it."""
    memory = create_memory("vector-retriever", k=1)
    agent = agent_of(memory, ["One.", "Two.", "Three.", "Bye."])
    agent("My cat is called Pixel.")
    for _ in range(2):
        del agent.messages[-1]
        agent()
    assert contents(agent.model.sent[2]) == ["My cat is called Pixel."]
    agent("Thanks.")
    assert contents(memory.history()) == ["My cat is called Pixel.", "Three.", "Thanks.", "Bye."]


def test_an_agent_takes_back_what_is_its_own() -> None:
    """Two agents that live at once on one memory leave each other's turns alone."""
    memory = create_memory("buffer")
    one, other = agent_of(memory, ["Hi.", "Yes."]), agent_of(memory, ["Hello."])
    one("I am here.")
    other("So am I.")
    one("Really?")
    assert contents(memory.history()) == ["I am here.", "Hi.", "So am I.", "Hello.", "Really?", "Yes."]


def test_what_was_forgotten_is_not_sent_again() -> None:
    """The agent's list still has it; the model is not sent it with the next prompt, nor is it saved."""
    memory = create_memory("buffer")
    agent = agent_of(memory, ["I see.", "Hi.", "Bye."])
    agent("My PIN is 1234.")
    memory.forget([1, 2])
    for prompt in ("Hello?", "Thanks."):
        agent(prompt)
    assert contents(agent.model.sent[1]) == ["Hello?"]
    assert contents(memory.history()) == ["Hello?", "Hi.", "Thanks.", "Bye."]


def test_an_emptied_list_takes_nothing_back() -> None:
    """Who clears the agent's messages to keep them few loses nothing of the log, and goes on."""
    memory = create_memory("buffer")
    agent = agent_of(memory, ["Hi.", "Yes."])
    agent("I am here.")
    agent.messages.clear()
    agent("Really?")
    assert contents(agent.model.sent[1]) == ["I am here.", "Hi.", "Really?"]


def test_one_agent_that_goes_on_shows_each_turn_once() -> None:
    """The agent's own list keeps the newest turn alone, and what its memory shows is not sent twice."""
    agent = agent_of(summarizing().get("anna"), [f"Answer {turn}" for turn in range(5)])
    for turn in range(5):
        agent(f"Question {turn}")
    assert contents(agent.model.sent[2]) == ["Question 0", "Answer 0", "Question 1", "Answer 1", "Question 2"]
    assert contents(agent.model.sent[4])[-3:] == ["Question 3", "Answer 3", "Question 4"]
    assert len(agent.messages) == 2
    assert agent.conversation_manager.removed_message_count == 8


def test_what_was_derived_follows_the_system_prompt() -> None:
    """The agent's own instructions stay first, as a text or as blocks with cache points."""
    memory = create_memory("summary", llm=ScriptedModel("Anna has a cat.", "NOTHING NEW", "NOTHING NEW"), learn_every=1)
    memory.save_context({"input": "I have a cat."}, {"output": "Nice."})
    for prompt in ("Be brief.", [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}]):
        agent = agent_of(memory, ["Yes."], system_prompt=prompt)
        agent("Do I?")
        system = agent.model.sent[0][0]["content"]
        assert system.startswith("Be brief.")
        assert "\nAnna has a cat.\n" in system


def test_a_failed_prompt_given_again_to_the_same_agent_is_asked_once() -> None:
    """Strands keeps the failed prompt in its list; the model is sent one of the two, and the log has one."""
    memory = create_memory("buffer")
    agent = agent_of(memory, [RuntimeError("overloaded"), "Hi."])
    with pytest.raises(Exception, match="overloaded"):
        agent("Hello?")
    agent("Hello?")
    assert contents(agent.model.sent[1]) == ["Hello?"]
    assert contents(memory.history()) == ["Hello?", "Hi."]


def test_an_overflow_halves_what_is_shown_until_the_turn_alone_is_left() -> None:
    """A model without room is asked again with less of the past; nothing of the log is lost."""
    memory = create_memory("buffer")
    for turn in range(4):
        memory.save_context({"input": f"Question {turn}"}, {"output": f"Answer {turn}"})
    overflow = exceptions.ContextWindowOverflowException
    agent = agent_of(memory, [overflow("1"), overflow("2"), "Fine.", "Again."])
    agent("And now?")
    assert [len(contents(sent)) for sent in agent.model.sent] == [9, 5, 3]
    agent("Once more?")
    assert len(contents(agent.model.sent[3])) == 11, "the next turn is sent everything again"
    assert len(memory.history()) == 12


def test_nothing_is_left_out_before_the_model_has_no_room() -> None:
    """Strands may ask for that when it is nearly full: the memory's own limit says how much is shown."""
    memory = create_memory("buffer")
    memory.save_context({"input": "Question 0"}, {"output": "Answer 0"})
    agent = agent_of(memory, ["Answer 1", "Answer 2"])
    agent("Question 1")
    agent.conversation_manager.reduce_context(agent)
    agent("Question 2")
    assert contents(agent.model.sent[1]) == ["Question 0", "Answer 0", "Question 1", "Answer 1", "Question 2"]


def test_an_overflow_of_the_turn_alone_is_told() -> None:
    """When nothing is left to leave out, the model's error is raised."""
    with pytest.raises(exceptions.ContextWindowOverflowException):
        agent_of(create_memory("buffer"), [exceptions.ContextWindowOverflowException("too long")])("Hello?")


def test_a_session_manager_of_strands_and_the_memory_agree_after_a_restart(tmp_path: Path) -> None:
    """Messages that Strands restores are known by their tracking ids: sent once, saved once."""
    memory = create_memory("buffer")
    for text, answer in (("One?", "First."), ("Two?", "Second."), ("Three?", "Third.")):
        manager = sessions.FileSessionManager(session_id="s", storage_dir=str(tmp_path))
        agent = agent_of(memory, [answer], session_manager=manager)
        agent(text)
    assert contents(agent.model.sent[0]) == ["One?", "First.", "Two?", "Second.", "Three?"]
    assert contents(memory.history()) == ["One?", "First.", "Two?", "Second.", "Three?", "Third."]


def test_messages_come_back_as_they_were() -> None:
    """Reasoning, pictures, several results in one message, ids and usage are kept, and given back to Strands."""
    memory = create_memory("buffer")
    said: list[dict[str, Any]] = [
        {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}, {"text": "Both?"}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Two calls.", "signature": "s"}}},
                {"toolUse": {"toolUseId": "a", "name": "weather", "input": {"place": "Oslo"}}},
                {"toolUse": {"toolUseId": "b", "name": "weather", "input": {"place": "Rome"}}},
            ],
            "metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}},
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "a", "status": "success", "content": [{"text": "Sun"}]}},
                {"toolResult": {"toolUseId": "b", "status": "error", "content": [{"json": {"code": 5}}]}},
            ],
        },
    ]
    shown: list[Any] = []

    class Keeping(Scripted):
        async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            shown.append(messages)
            async for event in super().stream(messages, *args, **kwargs):
                yield event

    first = strands.Agent(
        model=Keeping(["Sun, and an error."]),
        conversation_manager=MemoryConversationManager(memory),
        callback_handler=None,
        messages=[*said],
    )
    first("So?")
    second = strands.Agent(
        model=Keeping(["As before."]), conversation_manager=MemoryConversationManager(memory), callback_handler=None
    )
    second("Again?")
    # The prompt behind the results is of the same role, so it is in their message.
    said[-1]["content"].append({"text": "So?"})
    assert [[message["role"], message["content"]] for message in shown[1]][:3] == [
        [message["role"], message["content"]] for message in said
    ]
    kept = json.loads(str(memory.entries()[1].fields["@strands"]))
    assert kept["metadata"]["usage"]["totalTokens"] == 7


@pytest.mark.parametrize(
    ("role", "block", "said"),
    [
        (
            "assistant",
            {"citationsContent": {"content": [{"text": "Cited."}]}},
            {"role": "assistant", "content": "Cited."},
        ),
        ("user", {"guardContent": {"text": {"text": "Guarded."}}}, {"role": "user", "content": "Guarded."}),
        ("user", {"document": {"name": "a"}}, {"role": "user", "content": [{"type": "document"}]}),
        (
            "user",
            {"toolResult": {"toolUseId": "a", "content": [{"text": "Sun"}, {"json": {"code": 5}}]}},
            {"role": "tool", "tool_call_id": "a", "content": 'Sun\n{"json": {"code": 5}}'},
        ),
    ],
)
def test_what_is_learnt_from_a_block(role: str, block: dict[str, Any], said: Message) -> None:
    """Its words, or its kind."""
    memory = create_memory("buffer")
    begun: list[Any] = [{"role": "user", "content": [{"text": "Begin"}]}, {"role": role, "content": [block]}]
    agent_of(memory, ["Hm."], messages=begun)("So?")
    assert memory.history()[1] == said


def test_a_conversation_from_elsewhere_is_shown_with_its_tools() -> None:
    """What was not said through Strands has no form of its own: calls and results are built."""
    memory = create_memory("buffer")
    call = {"id": "x", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Oslo"}'}}
    memory.add_messages(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "x", "content": "Sun"},
            {"role": "assistant", "content": "Sunny."},
        ]
    )
    agent = agent_of(memory, ["Yes."])
    agent("Sure?")
    assert [message["role"] for message in agent.model.sent[0]] == ["user", "assistant", "tool", "assistant", "user"]
    assert pairs(agent.model.sent[0]) == results(agent.model.sent[0]) == ["x"]
    assert agent.model.sent[0][1]["tool_calls"] == [{"id": "x", "name": "weather", "input": {"place": "Oslo"}}]
    assert "'text': 'Sun'" in agent.model.sent[0][2]["content"]


def test_neighbours_of_one_role_are_one_message() -> None:
    """A question without an answer and the next prompt are one user message, since models want turns."""
    memory = create_memory("buffer")
    memory.add_messages([{"role": "user", "content": "Are you there?"}])
    shown: list[Any] = []

    class Keeping(Scripted):
        async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            shown.extend(messages)
            async for event in super().stream(messages, *args, **kwargs):
                yield event

    agent = strands.Agent(
        model=Keeping(["Yes."]), conversation_manager=MemoryConversationManager(memory), callback_handler=None
    )
    agent("Hello?")
    assert [one["content"] for one in shown] == [[{"text": "Are you there?"}, {"text": "Hello?"}]]


def test_a_system_message_from_elsewhere_is_no_turn() -> None:
    """What the log has of the system is never sent as the user's words."""
    memory = create_memory("buffer")
    memory.add_messages(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello?"},
            {"role": "assistant", "content": "Hi."},
        ]
    )
    agent = agent_of(memory, ["Yes."])
    agent("Sure?")
    turns = [message["content"] for message in agent.model.sent[0] if message["role"] != "system"]
    assert turns == ["Hello?", "Hi.", "Sure?"]


@pytest.mark.parametrize(
    ("arguments", "given"), [("", {}), ("{", {"arguments": "{"}), ('{"place": "Oslo"}', {"place": "Oslo"})]
)
def test_calls_from_elsewhere_are_shown_whatever_they_say(arguments: str, given: dict[str, str]) -> None:
    """With the words beside them; arguments that are no JSON stand under a name."""
    memory = create_memory("buffer")
    call = {"id": "x", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    memory.add_messages(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "x", "content": "Sun"},
        ]
    )
    agent = agent_of(memory, ["Yes."])
    agent("Sure?")
    said, called = agent.model.sent[0][1:3]
    assert (said["content"], called["tool_calls"][0]["input"]) == ("Let me see.", given)


def test_learning_that_fails_loses_no_turn() -> None:
    """The turn is in the log before the memory's model is asked."""
    memory = create_memory("summary", llm=ScriptedModel(ModelError("down")), on_model_error="defer", learn_every=1)
    agent = agent_of(memory, ["Hi."])
    asyncio.run(agent.invoke_async("Hello?"))
    assert contents(memory.history()) == ["Hello?", "Hi."]


def test_the_page() -> None:
    """The program of docs/hosts/strands.md runs as it stands, and prints what is written there."""
    run_page("strands", model=Scripted(["Hello Anna.", "Pixel."]))
