"""A table by form of what is read: `python -m tests.hosts.exports.table [PYTHON]`.

The files are those beside the project with their truth, and the samples of the tests. `load_transcripts` reads each, in
this environment, and in that of PYTHON, an interpreter with another version of memzoo. Words and roles are compared
with the truth: right; right but without dates; wrong, with no error and no warning; in part, with a warning; refused.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.hosts.exports import applications, test_people
from tests.hosts.exports.mutated import samples, write
from tests.hosts.exports.test_applications import SHARED

READ = """
import json, sys, warnings
from memzoo.benchmarks import load_transcripts
for path in sys.stdin.read().split("\\n"):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        talks, error = [], ""
        try:
            for one in load_transcripts(path):
                turns = one.exchanges
                said = [(m["role"], m["content"]) for turn in turns for m in turn.messages]
                talks.append((said, any(turn.date for turn in turns)))
        except Exception as refusal:
            error = f"{type(refusal).__name__}: {refusal}"
    print(json.dumps([talks, [str(one.message) for one in told], error]))
"""


def files(folder: Path) -> Iterator[tuple[str, Path, list[list[tuple[str, str]]], bool]]:
    """Yield the name of each file, its path, the words that are true of it, and if they have times."""
    for path in sorted(SHARED.glob("*.truth.json")) if SHARED.exists() else ():
        (file,) = (one for one in SHARED.iterdir() if one.stem == path.name.removesuffix(".truth.json"))
        truth = json.loads(path.read_text(encoding="utf-8"))
        said = [[(one["role"], one["text"]) for one in talk["messages"]] for talk in truth]
        yield file.name, file, said, any("at" in one for talk in truth for one in talk["messages"])
    for number, (name, content) in enumerate(samples().items()):
        place = folder / str(number)
        place.mkdir()
        if name in applications.SAMPLES:
            talks = applications.SAMPLES[name].talks
            said, dated = [[one[:2] for one in talk] for talk in talks], any(one[2] for talk in talks for one in talk)
        else:
            talk = test_people.SAMPLES[name].said
            said, dated = [[(role, words) for role, _, _, words in talk]], any(minute for _, _, minute, _ in talk)
        yield name, write(content, place), said, dated


def read(python: str, paths: list[Path]) -> list[Any]:
    """Read files in the environment of an interpreter."""
    text = "\n".join(map(str, paths))
    # Not in this folder, whose modules would hide those of the interpreter.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", READ], input=text, capture_output=True, text=True, check=True, cwd=folder)
    return [json.loads(line) for line in done.stdout.splitlines()]


def judge(found: Any, truth: list[list[tuple[str, str]]], *, dated: bool) -> str:
    """Return the verdict about a file."""
    talks, told, error = found
    if error:
        return "refused"
    said = [
        [(role, " ".join(str(words).split())) for role, words in talk if role not in ("tool", "system") and words]
        for talk, _ in talks
    ]
    wanted = [[(role, " ".join(words.split())) for role, words in talk if role != "system"] for talk in truth]
    if said == wanted:
        return "without dates" if dated and not any(has_date for _, has_date in talks) else "right"
    return "in part" if told else "wrong"


def main(*others: str) -> None:
    """Write the table, and the sum of each column."""
    with tempfile.TemporaryDirectory() as folder:
        listed = list(files(Path(folder)))
        columns = [read(python, [path for _, path, *_ in listed]) for python in (*others, sys.executable)]
        verdicts = [
            [judge(found, truth, dated=dated) for found, (_, _, truth, dated) in zip(column, listed, strict=True)]
            for column in columns
        ]
    for (name, *_), *row in zip(listed, *verdicts, strict=True):
        sys.stdout.write(f"| {name} | {' | '.join(row)} |\n")
    for column in verdicts:
        sys.stdout.write(f"{dict(Counter(column))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
