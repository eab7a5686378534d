"""Requests to a model where a tool's call was recorded: has the program left out the tool, or asked something more?

`python -m tests.cassettes.strange_calls FOLDER...` takes recorded cassettes of agents. In place of each tool's call it
asks for the model's next request, with the last message left out, empty, or an error (a tool that was left out), and
for other requests, such as a guard's, a title's and a summary's (a step more). It prints, for each share of a request
that has to begin like the recorded one, how many of both are named wrong. Without folders it records the scripted
agents of `tests.cassettes.changed_agents`; also as prompts of one message, with a tool's result at its end.
"""

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from memzoo.cassettes import matching, recorded_tool, use_cassette
from memzoo.cassettes.conversation import is_asking, list_spoken
from memzoo.cassettes.errors import Difference
from memzoo.cassettes.format import read_cassette
from memzoo.cassettes.http import TOOL, HttpRequest
from memzoo.cassettes.library import paths_in
from memzoo.cassettes.matching import STEP_LESS, STEP_MORE, RequestKey, report_unmatched, request_key
from tests.cassettes.changed_agents import Agent, answer, make_plan

SHARES = [tenths / 10 for tenths in range(1, 10)]
SYSTEMS = (
    "Is this text safe? Answer yes or no.",
    "You write titles of at most five words.",
    "You are a guardrail. Check whether the user asks for orders, refunds or flights. Answer with JSON.",
)
TASKS = (
    "Task: summary.\nSummarise what was said so far in one sentence. {}",
    "Translate into English: {}",
    "You are a critic. Is the answer below right? Answer in three sentences, with a mark from 1 to 5. {}",
)
Case = tuple[list[RequestKey], int, RequestKey, str]


def key_of(body: Any, like: HttpRequest) -> RequestKey:
    """The key of a request with another body."""
    return request_key(HttpRequest(like.method, like.uri, json.dumps(body).encode(), like.headers))


def without_result(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A conversation whose newest message is left out, empty, or an error."""
    name = next(one for one in ("messages", "contents", "input") if one in body)
    yield body | {name: body[name][:-1]}
    for put in ("", "Error: no such tool."):
        yield body | {name: [*body[name][:-1], _fill(body[name][-1], put)]}


def _fill(value: Any, put: str) -> Any:
    if isinstance(value, list):
        return [_fill(one, put) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    texts = ("content", "text", "output", "result")
    is_text = {name: name in texts and not isinstance(one, list | dict) for name, one in members.items()}
    return {name: put if is_text[name] else _fill(one, put) for name, one in members.items()}


def strange(body: dict[str, Any], question: str) -> Iterator[dict[str, Any]]:
    """Requests that no tool's result belongs to, in the form of a recorded one."""
    for system, said in (*((one, question) for one in SYSTEMS), *(("", one.format(question)) for one in TASKS)):
        if "contents" in body:
            head: dict[str, Any] = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
            yield head | {"contents": [{"role": "user", "parts": [{"text": said}]}]}
        elif "input" in body:
            yield ({"instructions": system} if system else {}) | {"input": [{"role": "user", "content": said}]}
        else:
            first = [{"role": "system", "content": system}] if system else []
            yield {"model": body["model"], "messages": [*first, {"role": "user", "content": said}]}


def list_cases(path: Path, *, joined: bool) -> Iterator[Case]:
    """The recorded keys, the place of a tool's call, another request there, and the difference that it is."""
    requests = [one.request for one in read_cassette(path).recordings]
    keys = [request_key(one) for one in requests]
    for place, (one, other) in enumerate(pairwise(requests)):
        if one.method != TOOL or not is_asking(request_key(other).body):
            continue
        body = json.loads(other.body)
        spoken = list_spoken(body)
        question = next(" ".join(map(str, parts)) for who, parts in spoken if who == "user")
        less = list(without_result(body))
        if joined:
            body, *less = (_join(each) for each in (body, *less))
        known = [*keys[: place + 1], key_of(body, other)]
        cases = [(each, STEP_LESS) for each in less] + [(each, STEP_MORE) for each in strange(body, question)]
        yield from ((known, place, key_of(each, other), how) for each, how in cases)


def _join(body: dict[str, Any]) -> dict[str, Any]:
    said = "\n".join(" ".join(map(str, parts)) for _, parts in list_spoken(body))
    return {"model": "m", "messages": [{"role": "user", "content": f"{said}\nAnswer."}]}


def count_wrong(cases: Sequence[Case]) -> Iterator[str]:
    """For each share: how many tools that were left out are called a step more, and how many steps more are not."""
    for share in SHARES:
        matching._SAME_START = share  # pyright: ignore[reportPrivateUsage]
        wrong = {STEP_LESS: [0, 0], STEP_MORE: [0, 0]}
        for known, place, asked, how in cases:
            found = report_unmatched(asked, known, range(place, len(known)), Path(), "").difference
            assert isinstance(found, Difference)
            wrong[how][0] += found.how != how
            wrong[how][1] += 1
        yield f"{share}  " + ", ".join(f"{how}: {bad} of {count} wrong" for how, (bad, count) in wrong.items())


def record_scripted(folder: Path) -> None:
    """Record the scripted agents of `changed_agents`."""
    chance = random.Random(41)  # noqa: S311 - no secret

    def ask(messages: Any) -> Any:
        return answer({"messages": messages})

    for number in range(20):
        with use_cassette(folder / f"run-{number}.yaml", record="once") as cassette:
            Agent(cassette.model(ask), recorded_tool).run(make_plan(chance, parallel=False), chance)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        if not sys.argv[1:]:
            record_scripted(Path(place))
        files = [path for folder in sys.argv[1:] or [place] for path in paths_in(Path(folder))]
        for joined in (False, True):
            print("joined to one message:" if joined else "as recorded:")  # noqa: T201 - what the command is for
            for line in count_wrong([case for path in files for case in list_cases(path, joined=joined)]):
                print(f"  {line}")  # noqa: T201
