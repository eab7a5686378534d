"""Divides the run in a cassette into steps, and compares two runs step by step."""

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from memzoo.cassettes.conversation import answer_text, calls_in, list_spoken, statistics_of
from memzoo.cassettes.http import TOOL, Recorded, tool_name
from memzoo.cassettes.ignoring import NOTHING_IGNORED, Ignored
from memzoo.errors import OptionError

_PURPOSE = re.compile(r"\ATask: (\w+)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run: a model call, a tool call, or another request.

    Attributes:
        kind: The kind: `"model"`, `"memory"` (a memory's own model call), `"tool"` or `"request"`.
        name: The name of the model or the tool, the prompt of the memory, or the method and path.
        said: The new part of the request: the messages that no earlier step had, a tool's arguments, or the body.
        answer: The answer: text, called tools, a tool's result, or its exception.
        status: The status of an HTTP answer; 0 for a tool.
        input_tokens: The tokens of the prompt, as counted by the server.
        output_tokens: The tokens of the answer, as counted by the server.
        title: The kind and name, used to pair the steps of two runs.
    """

    number: int
    kind: str
    name: str
    said: tuple[str, ...]
    answer: str
    status: int
    input_tokens: int
    output_tokens: int
    title: str

    @property
    def tokens(self) -> str:
        """The input and output tokens as readable text; "" without tokens."""
        read, written = self.input_tokens, self.output_tokens
        return f"{read:,} + {written:,} tokens" if read or written else ""


def list_steps(recordings: Sequence[Recorded], ignored: Ignored = NOTHING_IGNORED) -> list[Step]:
    """Return the steps of a run, without the parts of requests that may differ from run to run."""
    steps, before = list[Step](), list[Counter[str]]()
    for number, one in enumerate(recordings, 1):
        whole = _parse(one.request.body)
        body = ignored.json(whole)
        spoken = [f"{who}: {_join(parts)}" for who, parts in list_spoken(body)]
        path = urlsplit(one.request.uri).path
        said: tuple[str, ...]
        if one.request.method == TOOL:
            kind, name, said = "tool", tool_name(path), (_dump(body),)
        elif spoken:
            purpose = next((found[1] for _, parts in list_spoken(body) if (found := _PURPOSE.match(_join(parts)))), "")
            kind, name = ("memory", purpose) if purpose else ("model", str(whole.get("model") or path))
            counted, new = Counter(spoken), list[str]()
            # A handoff changes the first message, and a window drops some; the rest of the history is known.
            known = max((counted & other for other in before), key=Counter.total, default=Counter[str]())
            for message in spoken:
                known[message] -= 1
                new += [message] if known[message] < 0 else []
            said = tuple(new or spoken[-1:])
            before.append(counted)
        else:
            kind, name, said = "request", f"{one.request.method} {path}", (_dump(body),) if body else ()
        spent = statistics_of([one.response])
        status = 0 if kind == "tool" else one.response["status"]["code"]
        tokens = spent.input_tokens, spent.output_tokens
        title = f"{kind} {(body.get('model') or name) if kind == 'model' else name}"
        steps.append(Step(number, kind, name, said, _answer(one, kind), status, *tokens, title))
    return steps


def find_step(recordings: Sequence[Recorded], wanted: int | str) -> int:
    """Return the number of a step, given its number or its name.

    If several steps have the name, the first one is used.

    Raises:
        OptionError: There is no such step.
    """
    steps = list_steps(recordings)
    found = next((step.number for step in steps if wanted in (step.number, step.name)), None)
    if found is None:
        known = ", ".join(f"{step.number} {step.name!r}" for step in steps)
        raise OptionError(f"live_from={wanted!r} is not a step of the cassette; it has {known or 'none'}")
    return found


def compare_steps(old: Sequence[Step], new: Sequence[Step]) -> Iterator[tuple[str, Step | None, Step | None]]:
    """Yield the steps of two runs side by side.

    Steps with equal `title`, `said`, `answer` and `status` are paired first. In each gap between these pairs, steps
    with equal titles are then paired.

    Yields:
        A mark and the two steps. The mark is `"="`, `"~"` (changed), `"-"` (only in the old run) or `"+"` (only in the
        new run).
    """
    for tag, (start, end), (first, last) in _align([_content(one) for one in old], [_content(one) for one in new]):
        if tag == "equal":
            yield from (("=", *pair) for pair in zip(old[start:end], new[first:last], strict=True))
            continue
        before, after = old[start:end], new[first:last]
        for kind, (left, right), (top, bottom) in _align([one.title for one in before], [one.title for one in after]):
            if kind == "equal":
                yield from (("~", *pair) for pair in zip(before[left:right], after[top:bottom], strict=True))
            else:
                yield from (("-", one, None) for one in before[left:right])
                yield from (("+", None, one) for one in after[top:bottom])


def _align(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    for tag, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield tag, (start, end), (first, last)


def _content(step: Step) -> tuple[Any, ...]:
    return step.title, step.said, step.answer, step.status


def _answer(one: Recorded, kind: str) -> str:
    if kind != "tool":
        return ", ".join(f"calls {call}" for call in calls_in(one.response)) or answer_text(one.response)
    outcome = json.loads(one.response["body"]["string"])
    if "raised" in outcome:
        error = outcome["raised"]
        with suppress(LookupError, TypeError, AttributeError):
            error = (
                f"{error['$class'].rpartition(':')[2]}: {', '.join(map(_dump, error['state']['$tuple'][0]['$tuple']))}"
            )
        return f"raises {_dump(error)}"
    return _dump(outcome.get("returned", outcome.get("yielded")))


def _parse(body: Any) -> Any:
    try:
        return json.loads(body or b"null")
    except (ValueError, RecursionError):
        return body.decode(errors="replace") if isinstance(body, bytes) else body


def _join(parts: Sequence[Any]) -> str:
    return " ".join(part if isinstance(part, str) else _dump(part) for part in parts)


def _dump(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
