"""Replays changed and unchanged runs of agents, by this kit and by four others.

`python -m tests.cassettes.changed_agents` prints how many of 1,000 changed runs are noticed, how often the first step
that differs is named right, how often a tool ran in a replay, and how many of 1,000 unchanged runs (with other ids and
times, and other orders of parallel calls) fail. `--kit` names another kit, which must be installed, with its defaults.
The model is a small scripted server on loopback.
"""

import argparse
import contextvars
import copy
import hashlib
import itertools
import json
import random
import tempfile
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

WORDS = "amber birch cedar delta ember fjord grove harbour island jasper kelp lantern meadow north orchard".split()
CHANGES = ("prompt", "argument", "result", "order", "more", "less")
Plan = dict[str, Any]
Call = tuple[str, dict[str, Any]]


def describe_call(call: Call) -> str:
    """The name and the arguments of a tool's call."""
    return json.dumps(call)


def answer(body: dict[str, Any]) -> str:
    """What the model says: words that depend on the newest message alone."""
    digest = hashlib.sha256(body["messages"][-1]["content"].encode()).digest()
    return " ".join(WORDS[byte % len(WORDS)] for byte in digest[:5])


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": answer(body)}
        reply = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
        }
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Keep quiet."""


class Agent:
    """An agent that follows a plan: in each turn a question, tools, the answer, and a summary by a memory.

    Attributes:
        ran: How often each tool ran.
        trace: The steps as they are meant, those that run at once in one group.
    """

    def __init__(self, ask: Callable[[list[dict[str, str]]], str], declare: Callable[[Any], Any]) -> None:
        self.ran = Counter[str]()
        self.trace: list[list[str]] = []
        self._ask_model = ask
        lock = threading.Lock()

        def look_up(key: str, limit: int) -> dict[str, Any]:
            with lock:
                self.ran["look_up"] += 1
            return {"key": key, "found": limit}

        def convert(value: str, to: str) -> str:
            with lock:
                self.ran["convert"] += 1
            return f"{value} in {to}"

        self._tools = {"look_up": declare(look_up), "convert": declare(convert)}

    def run(self, plan: Plan, order: random.Random) -> str:
        """Run a plan; `order` shuffles parallel calls."""
        messages = [{"role": "system", "content": plan["system"]}]
        summary = ""
        for turn in plan["turns"]:
            messages.append({"role": "user", "content": turn["question"]})
            said = self._ask(messages)
            results = self._call(turn["calls"], order if plan["parallel"] else None)
            told = " / ".join(
                [*(str(results[place]) for place in turn["shown"] if place < len(results)), turn["local"]]
            )
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": f"Results: {told}"}]
            for _ in range(turn["answers"]):
                said = self._ask(messages)
            messages.append({"role": "assistant", "content": said})
            if turn["summary"]:
                summary = self._ask(
                    [{"role": "user", "content": f"Task: summary.\n{turn['question']} {said} {summary}"}]
                )
        return summary

    def _ask(self, messages: list[dict[str, str]]) -> str:
        self.trace.append([json.dumps(messages)])
        return self._ask_model(messages)

    def _call(self, calls: list[Call], order: random.Random | None) -> list[Any]:
        steps = list(map(describe_call, calls))
        self.trace += [steps] if order else [[step] for step in steps]
        if order is None:
            return [self._tools[name](**arguments) for name, arguments in calls]
        places = order.sample(range(len(calls)), len(calls))
        with ThreadPoolExecutor(2) as pool:
            # As frameworks do, a thread gets the context of its task.
            jobs = {
                place: pool.submit(contextvars.copy_context().run, self._tools[calls[place][0]], **calls[place][1])
                for place in places
            }
            return [jobs[place].result() for place in range(len(calls))]


def make_plan(chance: random.Random, *, parallel: bool) -> Plan:
    """A plan of three turns."""

    def words(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    turns = [
        {
            "question": f"{number}: {words(8)}?",
            "calls": [
                ("look_up", {"key": words(1), "limit": chance.randrange(100)}),
                ("convert", {"value": words(1), "to": words(1)}),
            ],
            "shown": [0, 1],
            "local": words(4),
            "answers": 1,
            "summary": True,
        }
        for number in range(3)
    ]
    return {"system": f"You are {words(12)}.", "turns": turns, "parallel": parallel}


def change(plan: Plan, kind: str, chance: random.Random) -> Plan:
    """The plan with one change."""
    fresh = copy.deepcopy(plan)
    turn = chance.choice(fresh["turns"])
    if kind == "prompt":
        place, name = chance.choice([(fresh, "system"), (turn, "question")])
        place[name] = replace_word(place[name], chance)
    elif kind == "argument":
        arguments = chance.choice(turn["calls"])[1]
        name = chance.choice(list(arguments))
        arguments[name] = (
            arguments[name] + 1 if isinstance(arguments[name], int) else replace_word(arguments[name], chance)
        )
    elif kind == "result":
        turn["local"] = replace_word(turn["local"], chance)
    elif kind == "order" and not plan["parallel"] and chance.random() < 0.5:
        turn["calls"].reverse()
        turn["shown"].reverse()  # no request shows it
    elif kind == "order":
        turn["shown"].reverse()
    elif kind == "more":
        if chance.random() < 0.5:
            turn["answers"] = 2
        else:
            turn["calls"].append(copy.deepcopy(chance.choice(turn["calls"])))
    elif chance.random() < 0.5:
        turn["summary"] = False
    else:
        del turn["calls"][chance.randrange(2)]
    return fresh


def replace_word(text: str, chance: random.Random) -> str:
    """The text with another word in one place."""
    words = text.split(" ")
    words[chance.randrange(len(words))] = "changed"
    return " ".join(words)


class Memzoo:
    """This kit."""

    def __init__(self) -> None:
        self._kit = import_module("memzoo.cassettes")
        self.declare = self._kit.recorded_tool

    @contextmanager
    def use(self, path: Path, client: Any, *, record: bool) -> Generator[Any]:
        """Record or replay what the client asks."""
        varies = ["$.metadata.trace_id", r"re:\d{4}-\d\d-\d\dT[\d:.+]+"]
        with self._kit.use_cassette(path.with_suffix(".yaml"), record="once" if record else "none", ignore=varies):
            yield client

    def step_of(self, error: BaseException) -> int | None:
        """The number of the step that an error names."""
        found: Any = next(filter(None, (getattr(one, "difference", None) for one in causes(error))), None)
        return found.step if found else None

    def list_calls(self, path: Path) -> list[str]:
        """The recorded steps, in their order; only those of tools are described."""
        steps = import_module("memzoo.cassettes.steps").list_steps(
            import_module("memzoo.cassettes.format").read_cassette(path.with_suffix(".yaml")).recordings
        )
        return [describe_call((step.name, json.loads(step.said[0]))) if step.kind == "tool" else "" for step in steps]


class Requests:
    """A kit that records requests and has no tools; its cassettes match what it compares by default."""

    def __init__(self, kit: str) -> None:
        self._kit = getattr(import_module("memzoo.benchmarks.research.kits.contenders"), kit)()

    def declare(self, tool: Any) -> Any:
        """It has no tools."""
        return tool

    @contextmanager
    def use(self, path: Path, client: Any, *, record: bool) -> Generator[Any]:
        """Record or replay what the client asks."""
        with self._kit.open(path.with_suffix(".yaml"), record=record):
            yield client

    def step_of(self, _: BaseException) -> int | None:
        """It names no step."""
        return None

    def list_calls(self, _: Path) -> list[str]:
        """Not compared, as no step is named."""
        return [""] * 99


class Agenttape:
    """agenttape, with its frozen clock and ids."""

    def __init__(self) -> None:
        self._kit = import_module("agenttape")
        self.declare = self._kit.tool

    @contextmanager
    def use(self, path: Path, client: Any, *, record: bool) -> Generator[Any]:
        """Record or replay what the client asks."""
        with self._kit.use_cassette(path.name, mode="record" if record else "none", cassette_dir=path.parent):
            yield client

    def step_of(self, _: BaseException) -> int | None:
        """It names no step."""
        return None

    def list_calls(self, _: Path) -> list[str]:
        """Not compared, as no step is named."""
        return [""] * 99


class Agentreplay:
    """pytest-agentreplay, with a wrapped client."""

    def __init__(self) -> None:
        self._kit = import_module("agentreplay")
        self.declare = self._kit.tool

    @contextmanager
    def use(self, path: Path, client: Any, *, record: bool) -> Generator[Any]:
        """Record or replay what the client asks."""
        with self._kit.session(
            mode="record" if record else "replay", cassette_path=path.with_suffix(".jsonl")
        ) as session:
            yield session.wrap_openai(client)

    def step_of(self, _: BaseException) -> int | None:
        """Its positions count events, of which a step has several."""
        return None

    def list_calls(self, _: Path) -> list[str]:
        """Not compared, as no step is named."""
        return [""] * 99


KITS: dict[str, Callable[[], Any]] = {
    "memzoo": Memzoo,
    "pytest-recording": partial(Requests, "Vcrpy"),
    "cassetter": partial(Requests, "Cassetter"),
    "agenttape": Agenttape,
    "agentreplay": Agentreplay,
}


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def first_differences(old: list[list[str]], new: list[list[str]], recorded: list[str]) -> set[int]:
    """The numbers of the first step in which two traces differ: several if a call more runs beside others.

    `recorded` are the steps in the order of the recording, which is by chance for calls that run at once.
    """
    start = 1
    for one, other in itertools.zip_longest(old, new, fillvalue=list[str]()):
        gone, come = Counter(one) - Counter(other), Counter(other) - Counter(one)
        places = range(start, start + len(one))
        if gone and len(one) > 1:
            return {place for place in places if recorded[place - 1] in gone}
        if gone or come:
            return {*places, start + len(one)} if len(one) > 1 else {start}
        start += len(one)
    return set()


def count_replays(kit: Any, runs: int, seed: int = 41) -> Counter[str]:
    """Record a plan for every 50 runs, and replay each of them changed, and unchanged."""
    from openai import OpenAI

    found, chance = Counter[str](), random.Random(seed)  # noqa: S311 - no secret
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    client = OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)

    def run(plan: Plan, path: Path, *, record: bool = False) -> Agent:
        agent: Agent
        with kit.use(path, client, record=record) as asked:

            def ask(messages: list[dict[str, str]]) -> str:
                dated = [{"role": "developer", "content": f"Now: {datetime.now(UTC).isoformat()}"}, *messages]
                more = {"metadata": {"trace_id": str(uuid.uuid4())}}
                reply = asked.chat.completions.create(model="m", messages=dated, extra_body=more)
                return str(reply.choices[0].message.content)

            agent = Agent(ask, kit.declare)
            try:
                agent.run(plan, chance)
            finally:
                found["tools run again"] += 0 if record else agent.ran.total()
        return agent

    def trace_of(plan: Plan) -> list[list[str]]:
        agent = Agent(lambda messages: answer({"messages": messages}), lambda tool: tool)
        agent.run(plan, random.Random(0))  # noqa: S311 - no secret
        return agent.trace

    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(1, runs // 50)):
            plan, path = make_plan(chance, parallel=bool(number % 2)), Path(folder) / f"run-{number}"
            run(plan, path, record=True)
            for _ in range(min(50, runs)):
                kind = chance.choice(CHANGES)
                fresh = change(plan, kind, chance)
                expected = first_differences(trace_of(plan), trace_of(fresh), kit.list_calls(path))
                found["changed"] += 1
                try:
                    run(fresh, path)
                except Exception as error:  # noqa: BLE001 - of any kit
                    found["noticed"] += 1
                    step = kit.step_of(error)
                    found["named right"] += step in expected
                    found[f"named wrong: {kind}"] += step is not None and step not in expected
                else:
                    found[f"not noticed: {kind}"] += 1
                found["unchanged"] += 1
                try:
                    run(plan, path)
                except Exception:  # noqa: BLE001 - of any kit
                    found["false alarms"] += 1
    server.shutdown()
    server.server_close()
    client.close()
    return +found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--kit", choices=sorted(KITS), default="memzoo")
    given = parser.parse_args()
    for name, figure in sorted(count_replays(KITS[given.kit](), given.runs).items()):
        print(f"{name}: {figure}")  # noqa: T201 - what the command is for
