"""Matches requests with recordings, and shows how a request differs from the most similar recording."""

import difflib
import hashlib
import json
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from memzoo.cassettes.conversation import SPOKEN, is_asking, list_spoken, newest, readable
from memzoo.cassettes.errors import Difference, ReplayError
from memzoo.cassettes.files import shorten_path
from memzoo.cassettes.http import TOOL, HttpRequest, is_array, is_object, tool_name
from memzoo.cassettes.ignoring import NOTHING_IGNORED, Ignored, offer_rule
from memzoo.cassettes.secrets import PLACEHOLDER, can_be_secret
from memzoo.text import visible

# The part of a URL before these paths belongs to the base_url: "/v1", "/api/v1", "/v1beta/openai", a deployment name.
_ENDPOINT = re.compile(
    r"/(chat/completions|completions|embeddings|responses|messages|messages/count_tokens|models/[^/:]+:[A-Za-z]+)(/.*)?$"
)

# Lines of memzoo's prompts with the day when the following messages were stored, which varies from run to run.
_DAY_LINE = (
    r"\[(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{1,2} (?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December) \d{4}\]"
)
_DAY = re.compile(rf"\\n{_DAY_LINE}(?=\\n)")
_DAY_IN_TEXT = re.compile(rf"^{_DAY_LINE}$".encode(), re.MULTILINE)

# Failures fit into 80 columns.
_WIDTH = 72
_LONGEST_PREVIEW = 48
_MOST_LINES = 14
# A program that leaves out a tool goes on with its conversation. A request that begins like the model's next one for a
# smaller share of the shorter of the two is a step more (`tests.cassettes.strange_calls` measures the share).
_SAME_START = 0.5
_RESULT_IDS = ("tool_call_id", "call_id", "tool_use_id")
_TOOL_STEP, _MODEL_STEP = "tool", "model"

STEP_MORE, STEP_LESS, OTHER_ORDER = "one step more", "one step less", "another order"
"""Differences between whole runs, in the number or the order of their steps."""

_MOST_PLACES = 2
_MOST_UNPLAYED = 20


class RequestKey(NamedTuple):
    """The parts of a request that are compared with a recording. Two requests with equal keys match.

    Attributes:
        method: The method in capitals, such as POST.
        path: The path after the client's `base_url`.
        query: The names and values of the query, sorted.
        body: The body. JSON has a normal form, in which keys are sorted and `1.0` becomes `1`.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: str

    @property
    def kind(self) -> tuple[str, str]:
        """The kind of the request (to a tool, a model or another service), and the tool's name or the path."""
        if self.method == TOOL:
            return _TOOL_STEP, tool_name(self.path)
        return (_MODEL_STEP if is_asking(self.body) else "request"), self.path

    def __str__(self) -> str:
        if self.method == TOOL:
            return f"tool {tool_name(self.path)} {_cut(self.body)}"
        query = _query_text(self.query)
        return f"{self.method} {self.path}{'?' if query else ''}{query} {_preview(self.body)}".rstrip()


def request_key(request: HttpRequest, ignored: Ignored = NOTHING_IGNORED) -> RequestKey:
    """Return the parts of a request to compare, without the parts that may differ from run to run."""
    url = urlsplit(request.uri)
    endpoint = _ENDPOINT.search(url.path) if request.method != TOOL else None
    query = sorted((name, ignored.text(value)) for name, value in parse_qsl(url.query, keep_blank_values=True))
    path = ignored.text(endpoint[0] if endpoint else url.path or "/")
    return RequestKey(request.method.upper(), path, tuple(query), _normal(request.body or b"", ignored))


def name_text(text: bytes) -> str:
    """Return the name under which a cassette keeps the token count of a text."""
    return hashlib.sha256(_DAY_IN_TEXT.sub(b"", text)).hexdigest()[:8]


def stands_for(recorded: RequestKey, asked: RequestKey, *, is_any: bool = False) -> bool:
    """Return whether a request equals a recorded request in which secrets are hidden.

    In place of a hidden secret, the request may have any text that looks like a secret; with `is_any`, any text at all.
    """
    if recorded.method != asked.method or PLACEHOLDER not in "".join(map(str, recorded)):
        return False
    ours, theirs = ((key.path, urlencode(key.query), key.body) for key in (recorded, asked))
    may_fill = bool if is_any else _could_be_hidden
    return all(_fills(one.split(PLACEHOLDER), other, may_fill) for one, other in zip(ours, theirs, strict=True))


def nearest(asked: RequestKey, recorded: Sequence[RequestKey]) -> int | None:
    """Return the index of the recorded request most similar to the given request; `None` without recordings."""

    def likeness(place: int) -> tuple[bool, float]:
        key = recorded[place]
        compared = difflib.SequenceMatcher(None, asked.body, key.body, autojunk=False)
        # The exact ratio takes seconds for long prompts, and the quick ratio selects the same request.
        return key[:3] == asked[:3], compared.quick_ratio()

    return max(range(len(recorded)), key=likeness, default=None)


def count_common(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def differences(asked: RequestKey, recorded: RequestKey) -> list[str]:
    """Return a diff in lines, from the recorded request (-) to the given request (+)."""
    lines: list[str] = []
    for name in ("method", "path", "query"):
        ours, theirs = (getattr(key, name) for key in (asked, recorded))
        if ours != theirs:
            shown = (_query_text(one) if name == "query" else one for one in (theirs, ours))
            lines += [f"{name} differs:", *(f"  {sign} {one}" for sign, one in zip("-+", shown, strict=True))]
    if asked.body != recorded.body:
        body = _compare(asked.body, recorded.body, _MOST_LINES - len(lines))
        lines += [*_title(asked.body, recorded.body), *(f"  {line}" for line in body)]
    return lines


def report_unmatched(
    asked: RequestKey,
    recorded: Sequence[RequestKey],
    unplayed: Collection[int],
    path: Path,
    hint: str,
    *,
    ignored: Ignored = NOTHING_IGNORED,
    order: Sequence[int] = (),
) -> ReplayError:
    """Return the error for a request that has no recording. The error names the first step that differs.

    `unplayed` has the indexes of the unplayed requests in `recorded`. `order` has a number for each
    recorded step; steps with the same number may come in any order. `hint` is the last line of the message.
    """
    difference = _find_first(asked, recorded, unplayed, order=order)
    last = difference.step - 1
    lines = [f"Steps 1 to {last} are as recorded." if last > 1 else "Step 1 is as recorded."] if last else []
    times = recorded.count(asked)
    if times and difference.how == STEP_MORE:
        lines.append(f"Its recordings ({times}) have all been played.")
        lines.append(f"First difference at step {difference.step} of {difference.steps}: {difference.how}.")
        if ignored.shown:
            lines.append(f"Requests that differ only in ignore={list(ignored.shown)} count as the same.")
    else:
        lines += _unknown(asked, recorded, difference)
    said = [f"No recording is left for this request:\n  {asked}", *lines, _where(path, recorded), hint]
    error = ReplayError(visible("\n".join(said)))
    error.difference = difference
    return error


def report_unplayed(recorded: Sequence[RequestKey], left: Collection[int], path: Path, hint: str) -> ReplayError:
    """Return the error about recorded requests that were not sent.

    `left` has their indexes in `recorded`. The first one becomes the error's `difference`.
    """
    lines = [f"  {place + 1}. {recorded[place]}" for place in sorted(left)]
    if len(lines) > _MOST_UNPLAYED:
        lines = [*lines[:_MOST_UNPLAYED], f"  ... and {len(lines) - _MOST_UNPLAYED} more"]
    title = f"{len(left)} of {len(recorded)} recorded requests were not sent:"
    first = min(left)
    error = ReplayError(visible("\n".join([title, *lines, _where(path, recorded), hint])))
    error.difference = Difference(first + 1, len(recorded), STEP_LESS, str(recorded[first]))
    return error


def _find_first(
    asked: RequestKey, recorded: Sequence[RequestKey], unplayed: Collection[int], *, order: Sequence[int]
) -> Difference:
    """Return the first step that differs, for a request without a recording; see `report_unmatched`."""
    left = sorted(unplayed)
    if not left:
        return Difference(len(recorded) + 1, len(recorded), STEP_MORE, asked=str(asked))
    first, kind = left[0], recorded[left[0]].kind[0]
    told = str(recorded[first]), str(asked)
    if asked in recorded:
        is_due = order and asked in [recorded[place] for place in left]
        # A model that is told a tool's result is asked after the tool, so the tool is left out, not late.
        how = STEP_LESS if (kind, asked.kind[0]) == (_TOOL_STEP, _MODEL_STEP) else OTHER_ORDER
        return Difference(first + 1, len(recorded), how if is_due else STEP_MORE, *told)
    # Only steps that may be next: the first one left, and those that may run beside it.
    end = next((place for place in range(first, len(recorded)) if recorded[place].kind[0] != kind), len(recorded))
    due = [place for place in left if place < end and (not order or order[place] == order[first])]
    alike = [place for place in due if recorded[place].kind == asked.kind] or due[:1]
    place = alike[nearest(asked, [recorded[one] for one in alike]) or 0]
    if not order and any(one not in unplayed for one in range(end, len(recorded))):
        # The run went on without the first one left, unless it is asked for now, later than it was recorded.
        place = left[nearest(asked, [recorded[one] for one in left]) or 0]
        if place != first:
            return Difference(first + 1, len(recorded), STEP_LESS, *told)
    how, places = _compare_steps(asked, recorded[place])
    if how == STEP_LESS:
        later = next((key for key in recorded[place:] if key.kind == asked.kind), None)
        if later is None or _same_start(asked, later) < _SAME_START:
            how = STEP_MORE
    return Difference(place + 1, len(recorded), how, str(recorded[place]), str(asked), places)


def _same_start(asked: RequestKey, later: RequestKey) -> float:
    keys = asked, later
    said = [json.dumps(list_spoken(json.loads(key.body))) if is_asking(key.body) else key.body for key in keys]
    return count_common(*said) / max(1, min(map(len, said)))


@lru_cache(maxsize=256)
def _normal(body: bytes, ignored: Ignored) -> str:
    try:
        value = _sort_results(json.loads(body, parse_float=_number), {})
    except (ValueError, RecursionError):
        return ignored.text(body.decode(errors="backslashreplace"))
    return _DAY.sub("", json.dumps(ignored.json(value), sort_keys=True))


def _sort_results(value: Any, seen: dict[str, int]) -> Any:
    """Return a body with neighbouring tool results in the order of the calls: a program adds each when it is ready."""
    if isinstance(value, str):
        seen.setdefault(value, len(seen))
    elif is_object(value):
        return {key: _sort_results(child, seen) for key, child in sorted(value.items())}
    elif is_array(value):
        runs = (list(run) for _, run in groupby(value, lambda one: not _call_of(one)))
        # The first place of an id is its call.
        ordered = (one for run in runs for one in sorted(run, key=lambda one: seen.get(_call_of(one), len(seen))))
        return [_sort_results(one, seen) for one in ordered]
    return value


def _call_of(result: Any) -> str:
    """Return the id of the call that a result of a tool answers, for Gemini also its name; "" for anything else."""
    if not is_object(result):
        return ""
    gemini = result.get("functionResponse") or result.get("function_response")
    ids = [gemini.get("id"), gemini.get("name")] if is_object(gemini) else map(result.get, _RESULT_IDS)
    is_result = gemini or result.get("role") == "tool" or str(result.get("type")).endswith(("_output", "tool_result"))
    return next((one for one in ids if isinstance(one, str)), "") if is_result else ""


def _query_text(query: Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{name}={value}" for name, value in query)


def _preview(body: str) -> str:
    """Return the parts of a body that identify it: the model and the newest message."""
    value = json.loads(body) if is_asking(body) else {}
    said = newest(value)
    text = f"{value.get('model', '')}: {said!r}".removeprefix(": ") if said else " ".join(body.split())
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_PREVIEW else f"{text[:_LONGEST_PREVIEW]}..."


def _compare_steps(asked: RequestKey, recorded: RequestKey) -> tuple[str, tuple[str, ...]]:
    (kind, name), (other_kind, other_name) = asked.kind, recorded.kind
    if kind != other_kind:
        return STEP_LESS if other_kind == _TOOL_STEP else STEP_MORE, ()
    if kind == _TOOL_STEP and name != other_name:
        return "another tool", ()
    places = tuple(path for path, *_ in _list_places(asked.body, recorded.body))
    if kind == _TOOL_STEP:
        return "another argument", places
    if kind != _MODEL_STEP:
        return "another request", places
    if not {name for place in places for name in re.split(r"[.\[]", place)[1:2]} & {*SPOKEN}:
        return "another option", places
    return "another prompt", places


def _list_places(asked: str, recorded: str) -> list[tuple[str, Any, Any]]:
    with suppress(ValueError, RecursionError):
        return list(_places(json.loads(recorded), json.loads(asked)))
    return []


def _fills(parts: list[str], text: str, may_fill: Callable[[str], bool]) -> bool:
    """Return whether a text consists of these parts, with possible secrets between the parts."""
    if len(parts) == 1:
        return parts[0] == text
    start, end = len(parts[0]), len(text) - len(parts[-1])
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    for part in parts[1:-1]:
        place = text.find(part, start + 1, end)
        if place < 0 or not may_fill(text[start:place]):
            return False
        start = place + len(part)
    return may_fill(text[start:end])


def _could_be_hidden(value: str) -> bool:
    return value == PLACEHOLDER or (can_be_secret(value) and not re.search(r"[\s\"]", value))


def _number(digits: str) -> float:
    value = float(digits)
    return int(value) if value.is_integer() else value


def _title(asked: str, recorded: str) -> list[str]:
    """Return a diff's heading: the places where two bodies differ, and a rule that would ignore the differences."""
    places = _list_places(asked, recorded)
    shown = ", ".join(path for path, *_ in places[:_MOST_PLACES])
    more = f" and {len(places) - _MOST_PLACES} more places" if len(places) > _MOST_PLACES else ""
    rules = list(dict.fromkeys(offer_rule(*place) for place in places if _can_vary(place)))
    # If much differs, it is a different request, and a rule would not help.
    offer = [f"  If that may vary: ignore={rules}"] if 0 < len(rules) <= _MOST_PLACES else []
    return [f"body differs at {shown}{more}:" if shown else "body differs:", *offer]


def _can_vary(place: tuple[str, Any, Any]) -> bool:
    path, *values = place
    return path != "$" and not any(is_object(value) or is_array(value) for value in values)


def _places(recorded: Any, asked: Any, path: str = "$") -> Iterator[tuple[str, Any, Any]]:
    if is_object(recorded) and is_object(asked):
        for key in dict.fromkeys([*recorded, *asked]):
            name = f".{key}" if key.replace("_", "").replace("-", "").isalnum() else f"['{key}']"
            yield from _places(recorded.get(key), asked.get(key), path + name)
    elif is_array(recorded) and is_array(asked) and len(recorded) == len(asked):
        for place, (one, other) in enumerate(zip(recorded, asked, strict=True)):
            yield from _places(one, other, f"{path}[{place}]")
    elif recorded != asked or type(recorded) is not type(asked):
        yield path, recorded, asked


def _compare(asked: str, recorded: str, most: int) -> list[str]:
    lines = _difference(_lines(recorded, roles=True), _lines(asked, roles=True))
    lines = lines or _difference(_lines(recorded), _lines(asked)) or ["only in white space"]
    left_out = len(lines) - most
    return lines[:most] + ([f"... and {left_out} more lines"] if left_out > 0 else [])


def _difference(recorded: list[str], asked: list[str]) -> list[str]:
    # The first two lines are the diff's headings.
    _, _, *compared = [*difflib.unified_diff(recorded, asked, n=1, lineterm="")] or ("", "")
    return [f"{line[0]} {line[1:]}" for line in compared if not line.startswith("@@")]


def _lines(body: str, *, roles: bool = False) -> list[str]:
    from memzoo.cassettes.yaml_text import dump  # needs PyYAML, but the package must import without PyYAML

    try:
        value = json.loads(body)
    except ValueError:
        return list(_wrap(body))
    parts = readable(value) if roles else [value]
    return [line for part in parts for line in _wrap(dump(part))]


def _wrap(text: str) -> Iterator[str]:
    # A prompt is often one long line; the split text shows only the part that differs.
    wrapper = textwrap.TextWrapper(_WIDTH, break_on_hyphens=False, subsequent_indent="    ")
    for line in text.splitlines():
        seen = line.rstrip(" ")
        yield from wrapper.wrap(seen + "·" * (len(line) - len(seen))) or [""]


def _unknown(asked: RequestKey, recorded: Sequence[RequestKey], difference: Difference) -> list[str]:
    if difference.step > len(recorded):
        return ["The recording ends here."]
    place = difference.step - 1
    where = f"step {difference.step} of {len(recorded)}"
    lines = [f"First difference at {where}: {difference.how} (- recorded, + requested):"]
    if asked.kind[0] != recorded[place].kind[0] or difference.how in {STEP_LESS, OTHER_ORDER}:
        return [*lines, f"  - {difference.recorded}", f"  + {difference.asked}"]
    lines += [f"  {line}" for line in differences(asked, recorded[place])]
    if stands_for(recorded[place], asked, is_any=True):
        lines.append(f"  {PLACEHOLDER} was a secret when this was recorded, but is not one here: see cassette_secrets.")
    return lines


def _where(path: Path, recorded: Sequence[RequestKey]) -> str:
    return f"Cassette: {shorten_path(path)} ({len(recorded)} recorded)"
