"""A large export beside `json.load`: `python -m tests.hosts.exports.large 200` writes and reads files of that many MB.

Each reading is a process of its own. A row has the peak of memory above that of the modules, the CPU time, and for
memzoo the time to the first conversation and the part of the file that was read until then; each is the least of
three readings.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memzoo.hosts.exports.files import find_in_text
from memzoo.hosts.exports.forms import known_forms
from memzoo.hosts.exports.reading import read_conversations
from tests.hosts.exports.applications import chatgpt, grok

MIB = 2**20


def _talks(size: int, mark: str) -> Iterator[str]:
    """ChatGPT's conversations of 40 messages, as JSON."""
    while size > 0:
        said = [(str(n), str(n - 1), ("assistant", "user")[n % 2], f"{mark} word " * 130, n) for n in range(1, 41)]
        nodes = {one[0]: chatgpt(*one) for one in said}
        nodes["0"] = {"id": "0", "parent": None, "message": None}
        talk = json.dumps({"title": str(size), "conversation_id": str(size), "current_node": "40", "mapping": nodes})
        size -= len(talk) + 1
        yield talk


def _answers(size: int) -> Iterator[str]:
    """Grok's conversations, as JSON."""
    while size > 0:
        said = [grok(str(n), None, ("ASSISTANT", "human")[n % 2], "word " * 160, n) for n in range(1, 41)]
        for one in said[1:]:
            one["response"]["parent_response_id"] = str(int(one["response"]["_id"]) - 1)
        talk = json.dumps({"conversation": {"id": str(size), "title": str(size)}, "responses": said})
        size -= len(talk) + 1
        yield talk


def _write(path: Path, head: str, talks: Iterator[str], tail: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(head + next(talks))
        file.writelines(f",{talk}" for talk in talks)
        file.write(tail)


def _read(path: Path, how: str) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        # The modules, and the tables of forms, are there before the file is read.
        next(iter(find_in_text(file, "x.json", known_forms())), None) if how == "first" else known_forms()
        if how == "first":
            return {"part": file.buffer.raw.tell() / path.stat().st_size}  # type: ignore[attr-defined]
    before, began, first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time(), 0.0
    if how == "json":
        with path.open(encoding="utf-8") as file:
            json.load(file)
    else:
        for _ in read_conversations([path]):
            first = first or time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"MiB": (peak - before) * 1024 / MIB, "CPU": time.process_time() - began, "first": first}


def main(size: int) -> None:
    """Write the table."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.json" for name in ("ChatGPT", "ChatGPT, escaped", "Grok")}
        _write(files["ChatGPT"], "[", _talks(size * 1_000_000, ""), "]")
        _write(files["ChatGPT, escaped"], "[", _talks(size * 1_000_000, "\U0001f600"), "]")
        _write(files["Grok"], '{"conversations":[', _answers(size * 1_000_000), "]}")
        for name, path in files.items():
            for how in ("json", "memzoo", "first"):
                command = [sys.executable, "-m", __spec__.name, str(path), how]
                done = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(3)]
                least = {key: min(json.loads(one)[key] for one in done) for key in json.loads(done[0])}
                sys.stdout.write(f"{name}, {size} MB, {how}: {json.dumps(least)}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        main(int(sys.argv[1]))
    else:
        sys.stdout.write(f"{json.dumps(_read(Path(sys.argv[1]), sys.argv[2]))}\n")
