"""Shows the steps of cassettes, removes secrets, and compares new recordings with old recordings."""

import difflib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memzoo.cassettes.conversation import contents
from memzoo.cassettes.errors import replay_extra
from memzoo.cassettes.http import Recorded, is_array, is_object
from memzoo.cassettes.ignoring import Ignored
from memzoo.cassettes.matching import RequestKey, count_common, request_key
from memzoo.cassettes.player import Player
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.secrets import secrets_in_environment
from memzoo.cassettes.settings import CassetteSettings
from memzoo.cassettes.steps import Step, compare_steps, list_steps

with replay_extra():
    from memzoo.cassettes.format import CassetteFile, write_cassette

_ENDINGS = (".yaml", ".yml", ".yaml.gz", ".json")
_LINE_WIDTH = 160
_WORDS_BEFORE = 30
_FINE = 200


def paths_in(folder: Path) -> list[Path]:
    """Return the paths of all cassettes in a folder and below it; for a single cassette, its path."""
    if folder.is_file():
        return [folder]
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(_ENDINGS))


def show_steps(steps: Sequence[Step]) -> Iterator[str]:
    """Yield lines that show a run step by step: the new part of each request, and the answer."""
    for step in steps:
        tokens = f" ({step.tokens})" if step.tokens else ""
        yield f"{step.number}. {step.title}{tokens}"
        yield from (f"   {_shorten(said)}" for said in step.said)
        yield f"   -> {_shown_answer(step)}"


def show_changes(old: Sequence[Step], new: Sequence[Step]) -> Iterator[str]:
    """Yield lines that compare two runs.

    Equal steps in a row share one line. If a step has changed, only the changed parts are shown.
    """
    equal = list[Step]()
    for mark, one, other in [*compare_steps(old, new), ("", None, None)]:
        if mark == "=" and one:
            equal.append(one)
            continue
        if equal:
            last = f" to {equal[-1].number}" if len(equal) > 1 else ""
            yield f"= {'steps' if last else 'step'} {equal[0].number}{last}"
            equal.clear()
        if mark == "~" and one and other:
            now = f", now {other.name}" if other.name != one.name else ""
            yield f"~ step {one.number}, now {other.number}: {one.kind} {one.name}{now}{_tokens_of_both(one, other)}"
            yield from _changes_of("", one.said, other.said)
            yield from _changes_of("-> ", (_shown_answer(one),), (_shown_answer(other),))
        elif step := one or other:
            yield f"{mark} step {step.number}: {step.kind} {step.name} {_shorten(' '.join(step.said))}".rstrip()


def _changes_of(begin: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for tag, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = ([" ".join(text.split()) for text in side] for side in (old[start:end], new[first:last]))
        if tag == "replace" and len(gone) == len(come) == 1:
            # A prompt is often one long text; show the part where the two texts part.
            left_out = max(0, count_common(gone[0], come[0]) - _WORDS_BEFORE)
            gone, come = (["..." * (left_out > 0) + side[0][left_out:]] for side in (gone, come))
        if tag != "equal":
            yield from (f"    - {begin}{_shorten(text)}" for text in gone)
            yield from (f"    + {begin}{_shorten(text)}" for text in come)


def _tokens_of_both(one: Step, other: Step) -> str:
    return "" if one.tokens == other.tokens else f" ({one.tokens or 'no tokens'}, now {other.tokens or 'no tokens'})"


def _shown_answer(step: Step) -> str:
    status = "" if step.status in {0, _FINE} else f"{step.status} "
    return status + _shorten(step.answer)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_WIDTH else f"{line[:_LINE_WIDTH]}..."


def clean(file: CassetteFile, target: Path | None = None) -> bool:
    """Return whether a cassette has secrets. If `target` is given, write a copy without secrets to it.

    The copy has the current format.
    """
    scrubber = Scrubber(secrets_in_environment())
    # A new player reads all requests first, and then hides every secret in any of them.
    fresh = Player(file.recordings, scrubber=scrubber, path=file.path, settings=CassetteSettings()).list_recordings()
    if target is not None:
        write_cassette(target, fresh, file.head)
    return any(_key_of(new) != _key_of(old) for new, old in zip(fresh, file.recordings, strict=True))


def steps_of_both(old: CassetteFile, new: CassetteFile) -> tuple[list[Step], list[Step]]:
    """Return the steps of two runs, without the parts that may differ from run to run.

    If the steps of the new run have no fixed order, as in several threads, they are sorted like those of the old run.
    """
    # Functions named in a header may exist only in a test, so only the other rules apply here.
    rules = (rule for file in (old, new) for rule in file.head.get("ignored", ()) if rule.startswith(("$", "re:")))
    ignored = Ignored(dict.fromkeys(rules))
    recordings, places, last = new.recordings, list[int](), -1
    if not new.head.get("in_order"):
        known = defaultdict[RequestKey, list[int]](list)
        for place, one in enumerate(old.recordings):
            known[request_key(one.request, ignored)].append(place)
        for one in recordings:
            left = known[request_key(one.request, ignored)]
            last = left.pop(0) if left else last
            places.append(last)
        recordings = [recordings[place] for place in sorted(range(len(places)), key=places.__getitem__)]
    return list_steps(old.recordings, ignored), list_steps(recordings, ignored)


def drift(old: CassetteFile, new: CassetteFile) -> Iterator[str]:
    """Yield lines that compare a new recording with an old one: steps, fields of answers, models and tokens."""
    before, after = steps_of_both(old, new)
    if any(mark != "=" for mark, *_ in compare_steps(before, after)):
        yield from show_changes(before, after)
    types, fresh = _types(old), _types(new)
    for path in sorted(types.keys() | fresh.keys()):
        if path not in fresh:
            yield f"removed: {path}"
        elif path not in types:
            yield f"new field: {path}"
        elif types[path] != fresh[path]:
            yield f"type changed: {path}: {types[path]} -> {fresh[path]}"
    for name in ("models", "input_tokens", "output_tokens"):
        left, right = getattr(old.statistics, name), getattr(new.statistics, name)
        if left != right:
            yield f"{name.replace('_', ' ')}: {_format(left)} -> {_format(right)}"


def _key_of(one: Recorded) -> tuple[Any, ...]:
    return urlsplit(one.request.uri)._replace(scheme="", netloc=""), one.request.body or None, one.response["body"]


def _types(file: CassetteFile) -> dict[str, str]:
    """Return the types of all fields of the answers by path; all items of a list share a path."""
    found: dict[str, set[str]] = {}
    for value in (value for one in file.recordings for value in contents(one.response)):
        for path, kind in _walk(value, "$"):
            found.setdefault(path, set()).add(kind)
    return {path: " or ".join(sorted(kinds)) for path, kinds in found.items()}


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, type(value).__name__
    if is_object(value):
        for key, child in value.items():
            yield from _walk(child, f"{path}.{key}")
    elif is_array(value):
        for child in value:
            yield from _walk(child, f"{path}[*]")


def _format(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else f"{value:,}"
