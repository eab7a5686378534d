"""Files with one member added, renamed or gone: `python -m tests.hosts.exports.mutated 200` tries that many a form.

Words, roles, order and times are those of the whole file, or a note or an error says what is missing. The outcome
"silent" is left for members that a form may lack: a mark such as "is_unsent", an instruction, a choice among answers.
"""

import copy
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from memzoo.hosts.exports import ChatLog
from memzoo.hosts.exports.reading import read_conversations
from tests.hosts.exports import applications, test_people

__all__ = ["samples", "try_mutations"]


def samples() -> dict[str, dict[str, Any]]:
    """The files of each form, by their paths: values for JSON, tuples of values for JSON Lines, texts for others."""
    of_people = {name: sample.files for name, sample in test_people.SAMPLES.items()}
    return {name: {one.file: one.document} for name, one in applications.SAMPLES.items()} | of_people


def members(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """All members of all objects in a value, each with its object."""
    match value:
        case dict():
            known = cast("dict[str, Any]", value)
            yield from ((known, key) for key in known)
            inside: list[Any] = list(known.values())
        case list() | tuple():
            inside = list(cast("list[Any]", value))
        case _:
            inside = []
    for one in inside:
        yield from members(one)


def read(files: dict[str, Any]) -> tuple[list[Any], set[str], list[str]]:
    """What was said in the conversations of files, the notes, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {
            name: "".join(f"{json.dumps(line)}\n" for line in cast("tuple[Any, ...]", one))
            if isinstance(one, tuple)
            else json.dumps(one)
            for name, one in files.items()
            if isinstance(one, dict | tuple) and not name.endswith(".zip")
        }
        test_people.write(files | texts, Path(folder))
        found = list(read_conversations([Path(folder) / next(iter(files)) if len(files) == 1 else Path(folder)]))
    logs = [one for one in found if isinstance(one, ChatLog)]
    said = [
        [
            (message["role"], json.dumps(message["content"]), date)
            for message, date in zip(log.messages, log.dates, strict=True)
            if message["role"] != "tool" and message["content"]
        ]
        for log in logs
    ]
    errors = [str(one) for one in found if not isinstance(one, ChatLog)]
    return said, {note for log in logs for note in log.notes}, errors


def try_mutations(name: str, number: int) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each mutation of a form's files, and the mutation."""
    files = samples()[name]
    whole, notes, _ = read(files)
    chance = random.Random(name)  # noqa: S311 - no secret
    places = [place for place, _ in enumerate(members(list(files.values())))]
    for place in chance.sample(places, min(number, len(places))):
        for change in ("renamed", "gone", "added"):
            changed = copy.deepcopy(files)
            item, key = list(members(list(changed.values())))[place]
            value = item[key] if change == "added" else item.pop(key)
            if change != "gone":
                item[f"{key}X"] = value
            said, told, errors = read(changed)
            outcome = "error" if errors else "same" if said == whole else "told" if told - notes else "silent"
            yield f"{change}: {outcome}", f"{key!r} of {json.dumps(item, default=str)}"


def main(number: int) -> None:
    """Write the outcomes of each form, and the mutations that were read wrongly without a word."""
    sums = Counter[str]()
    for name in samples():
        outcomes = Counter[str]()
        for outcome, mutation in try_mutations(name, number // 3):
            outcomes[outcome] += 1
            if outcome.endswith("silent"):
                sys.stdout.write(f"  {outcome}: {mutation:.200}\n")
        sys.stdout.write(f"{name} {dict(sorted(outcomes.items()))}\n")
        sums += outcomes
    sys.stdout.write(f"{dict(sorted(sums.items()))}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
