"""The OpenAI Agents SDK: sessions and the input filter, through `Runner`."""

import asyncio
import re
from collections.abc import Collection, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

agents: Any = pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed; `make hosts` does that")

from memzoo import InMemoryStore, MemoryProvider, create_memory  # noqa: E402
from memzoo.errors import OptionError, StoreError  # noqa: E402
from memzoo.hosts.messages import host_text  # noqa: E402
from memzoo.hosts.openai_agents import MemorySession  # noqa: E402
from memzoo.stores import Message  # noqa: E402
from tests.hosts.contract import (  # noqa: E402
    SAID_THEN,
    SUMMARY,
    Call,
    HostContract,
    Step,
    contents,
    summarizing,
    texts,
    weather,
)
from tests.hosts.samples import members, odd, samples  # noqa: E402

testing: Any = pytest.importorskip("agents.testing")
agents.set_trace_processors([])


def scripted(script: Sequence[Step]) -> Any:
    """A model of the SDK that does what the script says."""
    return testing.ScriptedModel([_output(step) for step in script])


def _output(step: Step) -> Any:
    if isinstance(step, Exception):
        return step
    if isinstance(step, Call):
        return [testing.function_call("weather", {"place": step.place}, call_id=step.id)]
    return [testing.assistant_message(step)]


def sent_to(model: Any) -> list[list[Message]]:
    """What the model was sent, as chat messages."""
    return [[_chat(item) for item in call.input] for call in model.calls]


def _chat(item: Any) -> Message:
    if item.get("type") == "function_call":
        return {"role": "assistant", "content": None, "tool_calls": [{"id": item["call_id"]}]}
    if item.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
    content = item["content"]
    return {"role": item["role"], "content": content if isinstance(content, str) else content[0]["text"]}


class _Sessions(HostContract):
    raw, fork = False, "fork"

    def run(self, memories: MemoryProvider, user: str) -> tuple[MemorySession, Any]:
        session = MemorySession(memories, user, raw=self.raw)
        return session, agents.RunConfig(call_model_input_filter=session.filter_input if self.raw else None)

    async def say(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say`. The SDK has no id of a run that a retry would have in common with it."""
        session, config = self.run(memories, user)
        model = scripted(script)
        agent = agents.Agent(name="assistant", model=model, tools=[agents.function_tool(weather)])
        await agents.Runner.run(agent, text, session=session, run_config=config)
        return sent_to(model)

    def say_in_sync(
        self, memories: MemoryProvider, user: str, text: str, script: Sequence[Step], *, run: str | None = None
    ) -> list[list[Message]]:
        """See `HostContract.say_in_sync`."""
        session, config = self.run(memories, user)
        model = scripted(script)
        agents.Runner.run_sync(agents.Agent(name="assistant", model=model), text, session=session, run_config=config)
        return sent_to(model)

    def shapes(self) -> Iterator[Any]:
        """See `HostContract.shapes`."""
        for kind in members(agents.TResponseInputItem):
            for item in samples(kind):
                yield from (item, *(odd(item) if self.raw else ()))

    async def kept(self, memories: MemoryProvider, shape: Any) -> Any:
        """See `HostContract.kept`."""
        session = MemorySession(memories, "anna", raw=self.raw)
        question, answer = {"role": "user", "content": "Question"}, {"role": "assistant", "content": "Answer"}
        await session.add_items([question, shape, answer])
        items = await MemorySession(memories, "anna", raw=True).get_items()
        assert (items[0], items[-1]) == (question, answer)
        return items[1:-1][0]

    async def go_back(self, memories: MemoryProvider, how: str) -> list[list[Message]]:
        """See `HostContract.go_back`: a session is popped; a fork is another one."""
        await self.two_exchanges(memories)
        if how == "fork":
            items = await MemorySession(memories, "anna", raw=True).get_items()
            await MemorySession(memories, "fork").add_items(items[:2])
            return await self.say(memories, "fork", SAID_THEN[how], ["Anew"])
        session = MemorySession(memories, "anna", raw=self.raw)
        while (popped := await session.pop_item()) and popped["content"] != "Question 1":
            pass
        return await self.say(memories, "anna", SAID_THEN[how], ["Anew"])


@pytest.mark.parametrize("raw", [True, False])
def test_a_retry_knows_what_tools_did(*, raw: bool) -> None:
    """A run that failed after a tool was called is run again: the model is sent the call and its result."""
    host, memories = TestRawSessionWithFilter() if raw else TestProjectingSession(), MemoryProvider("buffer")
    with pytest.raises(Exception, match="overloaded"):
        asyncio.run(host.say(memories, "anna", "Weather?", [Call("Oslo", "call_1"), RuntimeError("overloaded")]))
    (sent,) = asyncio.run(host.say(memories, "anna", "Weather?", ["Sunny."]))
    assert [message["role"] for message in sent if message["role"] != "user"] == ["assistant", "tool"]
    assert [message["role"] for message in memories.get("anna").history()] == ["user", "assistant", "tool", "assistant"]


class TestProjectingSession(_Sessions):
    """A session that gives the view."""

    hook = "call_model_input_filter"


class TestRawSessionWithFilter(_Sessions):
    """A session that gives all items, and a filter that sends the view."""

    raw = True


def session_of(name: str, *, raw: bool = False, **options: Any) -> MemorySession:
    """A session over a new memory."""
    return MemorySession(create_memory(name, conversation_id="anna", **options, learn_every=1), raw=raw)


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Ask the tool."}]}
CALLS: list[dict[str, Any]] = [
    REASONING,
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": '{"place": "Oslo"}'},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "weather", "arguments": '{"place": "Rome"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "Sunny."},
    {"type": "function_call_output", "call_id": "c2", "output": "Rain."},
]
TURN: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
    *CALLS,
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Mixed.", "annotations": []}],
    },
]


@pytest.mark.parametrize("raw", [True, False])
def test_items_come_back_as_they_were(*, raw: bool) -> None:
    """Ids, reasoning and status come back, in the old order; as chat messages they are not sent to providers."""
    session = session_of("buffer", raw=raw)
    asyncio.run(session.add_items(TURN))
    assert asyncio.run(session.get_items()) == TURN
    memory = session.memory
    assert [message["role"] for message in memory.messages()] == ["user", "assistant", "tool", "tool", "assistant"]
    assert not re.search("rs_1|fc_1|msg_1|status", str(memory.messages()))


def learnt(*items: dict[str, Any]) -> list[Message]:
    """The chat messages that a memory learns from."""
    session = session_of("buffer")
    asyncio.run(session.add_items(items))
    return session.memory.history()


def test_what_items_say() -> None:
    """Pictures are those of chat messages, results are texts, and calls of every kind have a name and arguments."""
    url = "data:image/png;base64,R0lG"
    parts = [{"type": "input_text", "text": "See"}, {"type": "input_image", "image_url": url}]
    odd = [{"type": "input_file", "file_id": "f", "image_url": "x"}, {"type": "input_image", "file_id": "f"}]
    (said,) = learnt({"role": "user", "content": [*parts, *odd]})
    assert said["content"] == [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": url}},
        *odd,
    ]
    calls = [
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "shell_call", "call_id": "2", "action": {"commands": ["ls"]}},
        {"type": "custom_tool_call", "call_id": "3", "name": "g", "input": "words"},
        {"type": "apply_patch_call", "call_id": "4"},
    ]
    (called,) = learnt(*calls)
    functions = [call["function"] for call in called["tool_calls"]]
    assert [(one["name"], one["arguments"]) for one in functions] == [
        ("f", '{"a": 1}'),
        ("shell_call", '{"commands": ["ls"]}'),
        ("g", "words"),
        ("apply_patch_call", "{}"),
    ]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"output": "Sunny."}, "Sunny."),
        ({"output": [{"type": "input_text", "text": "a"}, {"type": "input_image"}, {"text": "b"}]}, "a\nb"),
        (
            {"output": [{"stdout": "out\n", "stderr": "err"}, {"stdout": "more"}, {"stderr": "bad"}]},
            "out\nerr\nmore\nbad",
        ),
        ({"result": "R0lG"}, "R0lG"),
        ({"output": None, "status": "completed"}, "completed"),
        ({"output": "", "status": "failed"}, "failed"),
        ({}, ""),
    ],
)
def test_what_a_tool_gave_back(given: dict[str, Any], text: str) -> None:
    """Its words, what a shell wrote, or its status if there are none."""
    assert learnt(CALLS[1], {"type": "x_output", "call_id": "c1", **given})[1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": text,
    }


@pytest.mark.parametrize("odd", [{"type": "message", "role": "critic"}, {"type": "rating", "role": "user"}])
def test_what_is_no_message_is_kept_beside(odd: dict[str, Any]) -> None:
    """A speaker or a kind of item that nobody knows says nothing to a model, and stays with what follows."""
    session, odd = session_of("buffer", raw=True), {**odd, "content": "Bad."}
    asyncio.run(session.add_items([TURN[0], odd, TURN[-1]]))
    assert [message["role"] for message in session.memory.history()] == ["user", "assistant"]
    assert asyncio.run(session.get_items()) == [TURN[0], odd, TURN[-1]]


def test_what_nothing_follows_stays_with_what_was_before() -> None:
    """Reasoning at the end of a batch, or alone in one, is kept and popped like any item."""
    session = session_of("buffer", raw=True)
    asyncio.run(session.add_items([REASONING]))
    asyncio.run(session.add_items([TURN[0], REASONING]))
    assert asyncio.run(session.get_items()) == [REASONING, TURN[0], REASONING]
    assert asyncio.run(session.pop_item()) == REASONING
    assert asyncio.run(session.get_items()) == [REASONING, TURN[0]]


@pytest.mark.parametrize("raw", [True, False])
def test_a_limit_of_nothing_gives_nothing(*, raw: bool) -> None:
    """As in the SDK's own sessions."""
    session = session_of("buffer", raw=raw)
    asyncio.run(session.add_items(TURN))
    assert [asyncio.run(session.get_items(limit)) for limit in (0, -1)] == [[], []]
    assert asyncio.run(session.get_items(1)) == TURN[-1:]


def test_reasoning_goes_with_its_call() -> None:
    """Where the window leaves out a call, it leaves out the reasoning before it."""
    session = session_of("window", k=1)
    asyncio.run(session.add_items(TURN))
    asyncio.run(session.add_items([{"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "Bye."}]))
    assert [item["content"] for item in asyncio.run(session.get_items())] == ["Thanks.", "Bye."]


@pytest.mark.parametrize("name", ["message-window", "token-window", "buffer"])
@pytest.mark.parametrize("raw", [True, False])
def test_calls_of_one_response_stay_together(*, name: str, raw: bool) -> None:
    """Whatever the limit, reasoning, what was said, all calls and their results are shown as a whole or not at all."""
    note = {"id": "msg_0", "type": "message", "role": "assistant", "content": "I shall look."}
    turn = [TURN[0], CALLS[0], note, *CALLS[1:], TURN[-1]]
    options: dict[str, Any] = {"oversized": "keep", "token_counter": lambda _: 1}  # type: ignore[misc]
    for limit in range(1, 10):
        limits = {"message-window": {"max_messages": limit}, "token-window": {"max_token_limit": limit}}
        session = session_of(name, raw=raw, **(limits[name] | options if name in limits else {}))
        asyncio.run(session.add_items([*turn, {"role": "user", "content": "And tomorrow?"}]))
        for most in (None, *range(9)):
            shown = asyncio.run(session.get_items(most))
            assert len(shown) <= (9 if most is None else most)
            unit = [item for item in shown if item in turn[1:-1]]
            assert unit in ([], turn[1:-1])


def test_messages_saved_another_way_are_items() -> None:
    """What a program saved without the SDK is shown to its agents."""
    session = session_of("buffer")
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    session.memory.add_messages(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "Sunny."},
        ]
    )
    assert asyncio.run(session.get_items()) == [
        {"role": "user", "content": "Weather?"},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "Sunny."},
    ]


def test_pop_takes_from_the_log_and_learns_nothing_anew() -> None:
    """An unanswered question is taken back, however long the talk before it, and no model is asked."""
    asked: list[object] = []
    memories = summarizing(llm=lambda messages: asked.append(messages) or SUMMARY)  # type: ignore[func-returns-value]
    memory, session = memories.get("anna"), MemorySession(memories, "anna")
    for turn in range(20):
        memory.save_context({"input": f"Question {turn}"}, {"output": f"Answer {turn}"})
    before, view = len(asked), memory.messages()
    asyncio.run(session.add_items([{"role": "user", "content": "Oh"}, CALLS[1]]))
    assert [asyncio.run(session.pop_item()) for _ in range(2)] == [CALLS[1], {"role": "user", "content": "Oh"}]
    assert asyncio.run(session.get_items())[-1]["content"] == "Answer 19"
    assert (memory.messages(), len(asked)) == (view, before)


def test_pop_takes_one_item_at_a_time() -> None:
    """Items that share a message are popped one by one, newest first, until nothing is left."""
    session = session_of("buffer", raw=True)
    asyncio.run(session.add_items(TURN))
    assert [asyncio.run(session.pop_item()) for _ in range(len(TURN) + 1)] == [*reversed(TURN), None]


def test_the_same_words_twice_are_two() -> None:
    """Who says yes twice before anybody answers said it twice, in one piece or in two, with what stood beside it."""
    session = session_of("buffer", raw=True)
    yes = {"role": "user", "content": "Yes"}
    asyncio.run(session.add_items([yes, yes]))
    asyncio.run(session.add_items([yes]))
    asyncio.run(session.get_items())
    asyncio.run(session.add_items([REASONING, yes]))
    assert asyncio.run(session.get_items()) == [yes, yes, yes, REASONING, yes]


def test_an_empty_answer_is_popped() -> None:
    """What another program saved without words is taken back like anything else, and so is what is in front of it."""
    session = session_of("buffer")
    session.memory.save_context({"input": "Hi"}, {"output": ""})
    popped = [asyncio.run(session.pop_item()) for _ in range(3)]
    assert popped == [{"role": "assistant", "content": ""}, {"role": "user", "content": "Hi"}, None]


def test_a_pop_that_is_cancelled_loses_nothing_else() -> None:
    """Wherever a pop is cut off, the item is popped or it is there, and what stood with it is there, once."""

    async def scene(steps: int) -> list[Any]:
        session = session_of("buffer", raw=True)
        await session.add_items([TURN[0], *CALLS[:2]])
        pop = asyncio.create_task(session.pop_item())
        for _ in range(steps):
            await asyncio.sleep(0)
        pop.cancel()
        await asyncio.gather(pop, return_exceptions=True)
        return await session.get_items()

    for steps in range(8):
        assert asyncio.run(scene(steps)) in ([TURN[0], *CALLS[:2]], [TURN[0], REASONING]), steps


def test_a_pop_whose_process_ended_is_ended_by_the_next_one() -> None:
    """What stood with the item was saved, and the message was not deleted yet: it is shown no more, and popped once."""
    store = Keeping()
    memory = create_memory("buffer", store=store)
    session = MemorySession(memory, raw=True)
    asyncio.run(session.add_items([TURN[0], *CALLS[:2]]))
    store.keeps = True
    with pytest.raises(StoreError, match="killed"):
        asyncio.run(session.pop_item())
    store.keeps, session = False, MemorySession(memory, raw=True)
    assert asyncio.run(session.get_items()) == [TURN[0], REASONING]
    assert [asyncio.run(session.pop_item()) for _ in range(3)] == [REASONING, TURN[0], None]


class Keeping(InMemoryStore):
    """Deletes nothing while it is told to keep everything, as if its process had ended."""

    keeps = False

    async def forget(self, conversation_id: str, seqs: Collection[int], **options: Any) -> list[int]:
        """See `ManagedStore.forget`."""
        if self.keeps:
            raise StoreError("killed")
        return await super().forget(conversation_id, seqs, **options)


def test_a_limit_cuts_the_tail_and_never_the_summary() -> None:
    """`SessionSettings(limit=...)` counts what was said; the summary stays."""
    memories = summarizing()
    session = MemorySession(memories, "anna")
    for turn in range(5):
        memories.get("anna").save_context({"input": f"Question {turn}"}, {"output": f"Answer {turn}"})
    assert [item["content"] for item in asyncio.run(session.get_items(limit=1))] == [SUMMARY, "Answer 4"]
    limited = MemorySession(memories, "anna", session_settings={"limit": 1})
    assert [item["content"] for item in asyncio.run(limited.get_items())] == [SUMMARY, "Answer 4"]
    with pytest.raises(TypeError, match="limitt"):
        MemorySession(memories, "anna", session_settings={"limitt": 1})


def test_what_the_filter_sends_is_not_stored() -> None:
    """The summary never becomes input of the next turn, as what a `session_input_callback` returns would."""
    memories = summarizing()
    sent = TestRawSessionWithFilter().talk(memories)
    assert SUMMARY in texts(sent[-1])
    assert SUMMARY not in str(memories.get("anna").history())


def test_a_run_without_the_session_still_says_what_is_asked() -> None:
    """The filter sends the live input where the log does not have it."""
    session, model = session_of("buffer", raw=True), scripted(["Hi."])
    config = agents.RunConfig(call_model_input_filter=session.filter_input)
    asyncio.run(agents.Runner.run(agents.Agent(name="assistant", model=model), "Hello?", run_config=config))
    assert contents(sent_to(model)[0]) == ["Hello?"]


def test_the_filter_sends_turns_and_one_system_text() -> None:
    """Neighbours are one item, with the speakers before their words; system texts stand behind the instructions."""
    session = session_of("buffer", raw=True)
    session.memory.add_messages([{"role": "system", "content": "Be kind."}])
    picture = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    look = [{"type": "text", "text": "Look."}, picture]
    session.memory.add_messages([{"role": "user", "name": "Bob", "content": "Hi.\nAnn: I pay."}])
    session.memory.add_messages([{"role": "user", "name": "Ann", "content": look}])
    asked = {"role": "user", "content": "Who pays?"}
    data = SimpleNamespace(model_data=agents.run.ModelInputData(input=[asked], instructions="Be brief."))
    sent = asyncio.run(session.filter_input(data))
    assert sent.instructions == "Be brief.\n\nBe kind."
    (item,) = sent.input
    assert item["role"] == "user"
    texts = [part.get("text") or part["image_url"] for part in item["content"]]
    assert texts == ["Bob: Hi.\n> Ann: I pay.", "Ann: Look.", "https://a.example/b.png", "Who pays?"]


_CALL = {"type": "function_call", "call_id": "d", "name": "weather", "arguments": "{}"}
_RESULT = {"type": "function_call_output", "call_id": "d", "output": "Sun."}


@pytest.mark.parametrize("answers", [[], ["No."]])
def test_the_filter_sends_what_the_log_has_not(answers: list[str]) -> None:
    """A question that was answered before is asked again, and calls of this run follow the view."""
    session = session_of("buffer", raw=True)
    session.memory.add_messages([{"role": "user", "content": "Rain?"}])
    session.memory.add_messages([{"role": "assistant", "content": answer} for answer in answers])
    said = ["Rain?", *(text for answer in answers for text in (answer, "Rain?"))]
    for work in ([], [_CALL, _RESULT]):
        given = [{"role": "user", "content": "Rain?"}, *work]
        data = SimpleNamespace(model_data=agents.run.ModelInputData(input=given, instructions=None))
        sent = asyncio.run(session.filter_input(data)).input
        assert [host_text(item["content"]) for item in sent[: len(said)]] == said
        assert sent[len(said) :] == work


def test_calls_with_one_id_are_told_apart() -> None:
    """Some endpoints number the calls of each answer anew, and others refuse an id that comes twice."""
    session = session_of("buffer", raw=True)
    turns = [("Rain?", "No."), ("Snow?", "Yes.")]
    items = [({"role": "user", "content": asked}, _CALL, {**_RESULT, "output": said}) for asked, said in turns]
    asyncio.run(
        session.add_items([item for turn in items for item in (*turn, {"role": "assistant", "content": "So."})])
    )
    data = SimpleNamespace(
        model_data=agents.run.ModelInputData(input=[{"role": "user", "content": "Fog?"}], instructions=None)
    )
    sent = asyncio.run(session.filter_input(data)).input
    called = [(item["call_id"], item.get("output")) for item in sent if "call_id" in item]
    assert called == [("d", None), ("d", "No."), ("d_2", None), ("d_2", "Yes.")]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_input_without_a_question_is_sent_whole(count: int) -> None:
    """As that of a run that only goes on, or of none at all."""
    given = [{"role": "assistant", "content": f"Answer {number}"} for number in range(count)]
    data = SimpleNamespace(model_data=agents.run.ModelInputData(input=given, instructions=None))
    assert asyncio.run(session_of("buffer", raw=True).filter_input(data)).input == given


def test_a_memory_of_another_conversation_is_refused() -> None:
    """One memory never serves two sessions; the error says what does."""
    with pytest.raises(OptionError, match="MemoryProvider"):
        MemorySession(create_memory("buffer", conversation_id="anna"), "ben")


def test_a_session_for_a_memory_that_searches_is_refused() -> None:
    """The SDK does not tell a session the question; the error names the hook that knows it."""
    with pytest.raises(OptionError, match="call_model_input_filter"):
        session_of("vector-retriever")
