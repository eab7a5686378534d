"""Runs of several steps: a failure names the first step that differs, and a run is shown and compared by its steps."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false
# Many tools here are lambdas, whose parameters have no types.

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner, Result

from memzoo import ChatModel, create_memory
from memzoo.cassettes import ReplayError, recorded_tool, use_cassette
from memzoo.cassettes.format import write_cassette
from memzoo.cassettes.http import JSON, TOOL, HttpRequest, Recorded
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.cli.commands import app
from memzoo.errors import OptionError

if TYPE_CHECKING:
    from tests.cassettes.conftest import ModelServer, Pipeline, Project

temperature = recorded_tool(lambda city, unit="C": {"Oslo": -17}.get(city, unit), name="temperature")
units = recorded_tool(lambda: ["C", "F"], name="units")


class Run:
    """A run of a model, two tools and a model again, of which a test changes a part."""

    def __init__(self, pipeline: "Pipeline", at: str) -> None:
        self._ask, self._at = pipeline.ask, at

    def model(self, text: str, **options: Any) -> Callable[[], Any]:
        """A step that asks the model."""
        return lambda: self._ask(text, self._at, **options)

    def steps(self) -> list[Callable[[], Any]]:
        """The recorded steps."""
        return [self.model("How cold is it?"), units, lambda: temperature("Oslo"), self.model("It is -17. Answer.")]


@pytest.fixture
def command() -> Callable[..., Result]:
    """Run `memzoo cassettes`."""
    return lambda *arguments: CliRunner().invoke(app, ["cassettes", *map(str, arguments)])


@pytest.fixture
def run(server: "ModelServer", pipeline: "Pipeline", path: Path) -> Run:
    """A recorded run, without its server."""
    made = Run(pipeline, server.url)
    with use_cassette(path, record="once"):
        for step in made.steps():
            step()
    server.stop()
    return made


def replay(path: Path, steps: list[Callable[[], Any]]) -> ReplayError:
    """The error of a replay that differs."""

    @use_cassette(path)
    def run() -> None:
        for step in steps:
            step()

    with pytest.raises(ReplayError) as raised:
        run()
    assert all(len(line) <= 80 for line in str(raised.value).splitlines() if not line.startswith("Cassette: "))
    return raised.value


CHANGES: dict[str, tuple[int, str, Callable[[Run, list[Any]], Any]]] = {
    "prompt": (1, "another prompt", lambda run, steps: [run.model("How warm is it?"), *steps[1:]]),
    "option": (4, "another option", lambda run, steps: [*steps[:3], run.model("It is -17. Answer.", temperature=0)]),
    "argument": (3, "another argument", lambda _, steps: [*steps[:2], lambda: temperature("Bergen"), steps[3]]),
    "default": (3, "another argument", lambda _, steps: [*steps[:2], lambda: temperature("Oslo", "F"), steps[3]]),
    "result": (4, "another prompt", lambda run, steps: [*steps[:3], run.model("It is -18. Answer.")]),
    "tool": (2, "another tool", lambda _, steps: [steps[0], lambda: temperature("Bergen"), *steps[2:]]),
    "more": (4, "one step more", lambda _, steps: [*steps[:3], lambda: temperature("Rome"), steps[3]]),
    "more-at-the-end": (5, "one step more", lambda _, steps: [*steps, units]),
    "less": (3, "one step less", lambda run, steps: [*steps[:2], run.model("It is unknown. Answer.")]),
    "less-in-the-middle": (2, "another order", lambda _, steps: [steps[0], *steps[2:]]),
    "less-at-the-end": (4, "one step less", lambda _, steps: steps[:3]),
    "tool-left-out": (3, "one step less", lambda _, steps: [*steps[:2], steps[3]]),
    "a-model-more": (2, "one step more", lambda run, steps: [steps[0], run.model("Is it safe to answer?"), *steps[1:]]),
    "order": (2, "another order", lambda _, steps: [steps[0], steps[2], steps[1], steps[3]]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_first_step_that_differs(change: str, run: Run, path: Path) -> None:
    """A changed run fails with the number of its first changed step, and how it differs."""
    number, how, changed = CHANGES[change]
    error = replay(path, changed(run, run.steps()))
    assert error.difference is not None
    assert (error.difference.step, error.difference.steps, error.difference.how) == (number, 4, how)


def test_steps_before_are_folded(run: Run, path: Path) -> None:
    """A failure shows the steps before the difference in one line, and the difference itself."""
    error = replay(path, [*run.steps()[:2], lambda: temperature("Bergen")])
    assert str(error).splitlines()[:-2] == [
        "No recording is left for this request:",
        '  tool temperature {"city": "Bergen", "unit": "C"}',
        "Steps 1 to 2 are as recorded.",
        "First difference at step 3 of 4: another argument (- recorded, + requested):",
        "  body differs at $.city:",
        "    If that may vary: ignore=['$.city']",
        "    - city: Oslo",
        "    + city: Bergen",
        "      unit: C",
    ]


def test_calls_of_one_answer(server: "ModelServer", pipeline: "Pipeline", path: Path) -> None:
    """Calls that one answer asks for may change places; a call before the answer may not."""
    function = {"name": "temperature", "arguments": "{}"}
    call = {"id": "1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call, call | {"id": "2"}]}
    server.send("application/json", json.dumps({"choices": [{"index": 0, "message": message}]}))
    run = Run(pipeline, server.url)
    model, *tools = run.model("hi"), lambda: temperature("Oslo"), lambda: temperature("Rome")
    with use_cassette(path, record="once"):
        for step in (model, *tools):
            step()
    with use_cassette(path):
        for step in (model, *reversed(tools)):
            step()
    replay(path, [*tools, model])


def test_steps_at_once(path: Path) -> None:
    """Where the recorded run had several threads or tasks at once, they may come in any order."""

    def in_threads(*cities: str) -> None:
        with ThreadPoolExecutor(1) as pool:
            list(pool.map(temperature, cities[:1]))
        temperature(cities[1])

    with use_cassette(path, record="once"):
        in_threads("Oslo", "Rome")
    assert "in_order" not in path.read_text()
    with use_cassette(path):
        in_threads("Rome", "Oslo")


def test_tasks_one_after_the_other(path: Path) -> None:
    """Tasks that follow each other are a run in order, also one event loop after the other."""

    async def run(city: str) -> None:
        temperature(city)

    with use_cassette(path, record="once"):
        asyncio.run(run("Oslo"))
        asyncio.run(run("Rome"))
    assert "in_order: true" in path.read_text()


def test_report(project: "Project") -> None:
    """The reports of pytest have the difference as JSON, in their user properties."""
    test = """
    from memzoo.cassettes import recorded_tool

    @recorded_tool
    def look(key):
        return key

    @pytest.mark.cassette
    def test_it():
        look("a")
        look("b")
    """
    project.test(test)
    project.record().assert_outcomes(passed=1)
    project.test(test.replace('"b"', '"c"'))
    project.replay("--junitxml=report.xml").assert_outcomes(failed=1)
    report = (project.root / "report.xml").read_text()
    assert '<property name="cassette" value="' in report
    assert "&quot;step&quot;: 2, &quot;steps&quot;: 2, &quot;how&quot;: &quot;another argument&quot;" in report
    project.test(test.replace('        look("b")\n', ""))
    project.replay("--junitxml=report.xml").assert_outcomes(passed=1, errors=1)
    assert "one step less" in (project.root / "report.xml").read_text()


@pytest.mark.parametrize("live_from", [3, "temperature"])
def test_live_from(
    live_from: int | str, server: "ModelServer", pipeline: "Pipeline", path: Path, command: Callable[..., Result]
) -> None:
    """Steps before a number or name are replayed, later ones are asked and recorded anew, into another file.

    `diff` shows the later ones, and not the model's name, which may vary.
    """
    ran: list[str] = []
    tools = [recorded_tool(lambda one=one: ran.append(one), name=one) for one in ("units", "temperature")]

    def talk(model: str, *, ends: bool = True) -> str | None:
        pipeline.ask("hi", server.url, extra_body={"model": model})
        for tool in tools:
            tool()
        return pipeline.ask("end", server.url, extra_body={"model": model}) if ends else None

    other = path.with_name("other.yaml")
    with use_cassette(path, record="once"):
        talk("small")
    before, server.answer = path.read_bytes(), lambda body: [f"{body['model']} ends"]
    with use_cassette(path, live_from=live_from, into=other, ignore=["$.model"]) as cassette:
        assert cassette.recording
        assert talk("large") == "large ends"
    assert ran == ["units", "temperature", "temperature"]
    assert [body["model"] for body in server.seen] == ["small", "small", "large"]
    server.stop()
    with use_cassette(other):
        assert talk("large") == "large ends"
    assert path.read_bytes() == before
    found = command("diff", path, other)
    assert found.output.splitlines()[:4] == [
        "= steps 1 to 3",
        "~ step 4, now 4: model small, now large",
        "    - -> You said: end",
        "    + -> large ends",
    ]
    with pytest.raises(ReplayError), use_cassette(path, live_from=3, into=other):
        pass
    with pytest.raises(ReplayError, match="First difference at step 1 of 2"):
        use_cassette(path, live_from=3, into=other)(talk)("large")


@pytest.mark.parametrize("live_from", [1, 2])
def test_the_order_of_a_run_that_went_on_live_counts(live_from: int, path: Path) -> None:
    """Also of one that was recorded anew from its first step on."""

    @recorded_tool
    def double(number: int) -> int:
        return 2 * number

    def run(*numbers: int) -> None:
        for number in numbers:
            double(number)

    with use_cassette(path, record="once"):
        run(1, 2, 3)
    other = path.with_name("other.yaml")
    with use_cassette(path, live_from=live_from, into=other):
        run(1, 2, 3)
    with pytest.raises(ReplayError), use_cassette(other):
        run(2, 1, 3)


def test_live_from_where(run: Run, path: Path) -> None:
    """A step that there is not, and a missing file for the new run, are refused by name."""
    assert run
    with pytest.raises(OptionError, match=r"live_from='x' .* it has 1 'm', 2 'units', 3 'temperature', 4 'm'"):
        use_cassette(path, live_from="x", into="y.yaml").__enter__()
    with pytest.raises(OptionError, match="live_from=2 and into=None must be given together"):
        use_cassette(path, live_from=2)
    with pytest.raises(OptionError, match="is the cassette itself"):
        use_cassette(path, live_from=2, into=path).__enter__()


def test_show(run: Run, path: Path, command: Callable[..., Result]) -> None:
    """A run is shown step by step: the new part of each request, the answer or result, and tokens; also as JSON."""
    assert run
    assert command("show", path).output.splitlines()[1:] == [
        "1. model m (7 + 5 tokens)",
        "   user: How cold is it?",
        "   -> You said: How cold is it?",
        "2. tool units",
        "   {}",
        '   -> ["C", "F"]',
        "3. tool temperature",
        '   {"city": "Oslo", "unit": "C"}',
        "   -> -17",
        "4. model m (7 + 5 tokens)",
        "   user: It is -17. Answer.",
        "   -> You said: It is -17. Answer.",
        "4 steps, 14 + 10 tokens",
    ]
    shown = [json.loads(line) for line in command("show", "--json", path).output.splitlines()]
    assert [(step["number"], step["kind"], step["name"]) for step in shown[1:3]] == [
        (2, "tool", "units"),
        (3, "tool", "temperature"),
    ]


def test_show_after_a_handoff(path: Path, command: Callable[..., Result]) -> None:
    """Another system prompt, or a window that drops messages, repeats none of the history; new messages are shown."""
    first = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "b"}]
    more = [*first, {"role": "user", "content": "hi"}, {"role": "user", "content": "hi"}]
    made, answer = list[Recorded](), _answer({"choices": [{"message": {"content": "b"}}]})
    for who, said in [("clerk", first[:1]), ("pilot", more), ("pilot", more[2:])]:
        body = json.dumps({"model": "m", "messages": [{"role": "system", "content": who}, *said]})
        made.append(Recorded(HttpRequest("POST", f"{ORIGIN}/v1/chat/completions", body.encode(), JSON), answer))
    write_cassette(path, made, {"version": 1, "recorder": "memzoo.cassettes", "recorded": "2026-11-28"})
    assert command("show", path).output.splitlines()[1:-1] == [
        *("1. model m", "   system: clerk", "   user: hi", "   -> b"),
        *("2. model m", "   system: pilot", "   assistant: b", "   user: hi", "   user: hi", "   -> b"),
        *("3. model m", "   user: hi", "   -> b"),
    ]


def test_show_a_streamed_response(path: Path, command: Callable[..., Result]) -> None:
    """A call that a stream of the Responses API tells several times is shown once, with its arguments."""
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "look", "arguments": ""}
    whole = item | {"arguments": '{"key": "x"}'}
    events: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.done", "item_id": "f1", "arguments": '{"key": "x"}'},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": {"id": "r1", "object": "response", "output": [whole]}},
    ]
    body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
    answer = _answer(None) | {"headers": {"content-type": ["text/event-stream"]}, "body": {"string": body}}
    asked = json.dumps({"model": "m", "input": "hi", "stream": True}).encode()
    made = Recorded(HttpRequest("POST", f"{ORIGIN}/v1/responses", asked, JSON), answer)
    write_cassette(path, [made], {"version": 1, "recorder": "memzoo.cassettes", "recorded": "2026-11-28"})
    assert command("show", path).output.splitlines()[3] == '   -> calls look {"key": "x"}'


def test_show_purposes_and_failures(path: Path, command: Callable[..., Result]) -> None:
    """A memory's own calls are named by their prompts; exceptions of tools and calls of tools are told."""
    with use_cassette(path, record="once") as cassette:
        memory = create_memory("summary", llm=cassette.model(ChatModel("offline")), learn_every=1)
        memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Nice."})
        with pytest.raises(KeyError):
            recorded_tool(lambda key: {}[key], name="look")("x")
    shown = command("show", path).output
    assert "\n1. memory summary\n" in shown
    assert '\n2. tool look\n   {"key": "x"}\n   -> raises KeyError: x\n' in shown


def test_diff(run: Run, path: Path, command: Callable[..., Result]) -> None:
    """A step more in the middle is one line; a changed one shows its words and tokens; equal ones are folded."""
    assert run
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    long = "word " * 100
    for name, extra in (("old.yaml", ""), ("new.yaml", "other ")):
        head = {"version": 1, "recorder": "memzoo.cassettes", "recorded": "2026-11-28"}
        write_cassette(path.with_name(name), list(_talk(messages, long + extra + "end", bool(extra))), head)
    old, new = path.with_name("old.yaml"), path.with_name("new.yaml")
    found = command("diff", old, new)
    assert found.exit_code == 1
    assert found.output.splitlines() == [
        "= step 1",
        "+ step 2: tool units {}",
        "~ step 2, now 3: model m (7 + 5 tokens, now 8 + 5 tokens)",
        "    - ..." + ("word " * 6 + "end"),
        "    + ..." + ("word " * 6 + "other end"),
        "= step 3",
        f"{old}: 3 steps, 21 + 15 tokens",
        f"{new}: 4 steps, 22 + 15 tokens",
    ]
    refused = command("diff", old.parent, new)
    assert isinstance(refused.exception, OptionError)
    assert str(refused.exception) == f"{str(old.parent)!r} is a folder; give a cassette"
    assert command("diff", path, path).exit_code == 0
    assert command("diff", path, path).output.startswith("= steps 1 to 4\n")


def _talk(before: list[dict[str, str]], text: str, longer: bool) -> Iterator[Recorded]:  # noqa: FBT001 - one of two
    """A talk of three questions, each with all messages so far; the longer one has a call of a tool."""
    messages = [*before[:1]]
    for number, said in enumerate(["", text, "Go on."]):
        messages += [before[1], {"role": "user", "content": said}] if said else []
        if longer and number == 1:
            yield Recorded(HttpRequest(TOOL, f"{ORIGIN}/tools/units", b"{}", JSON), _answer({"returned": []}))
        usage = {"prompt_tokens": 7 + (longer and number == 1), "completion_tokens": 5}
        body = json.dumps({"model": "m", "messages": messages}).encode()
        reply = {"choices": [{"message": {"content": "b"}}], "usage": usage}
        yield Recorded(HttpRequest("POST", f"{ORIGIN}/v1/chat/completions", body, JSON), _answer(reply))


def _answer(value: Any) -> dict[str, Any]:
    return {"status": {"code": 200, "message": "OK"}, "headers": JSON, "body": {"string": json.dumps(value).encode()}}
