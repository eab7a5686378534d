"""The same request gets the same bytes, in every process."""

import os
import subprocess
import sys

PROGRAM = """
import asyncio, json, sys
from memzoo.memories.models.offline.endpoint import application
from memzoo.prompts import PromptSet
import io

lines = "\\n".join(
    f"{who}: On day {day} I met {name} and {other} at pier {day} in Oslo. She likes {name}'s boat, not {other}'s car."
    for day in range(1, 41)
    for who, name, other in [("Human", "Anna", "Tom"), ("AI", "Priya Raman", "Crumb & Candle")]
)
values = {"summary": lines, "history": lines, "new_lines": lines, "input": lines, "known": ""}
values |= {"dated_history": lines, "dated_new_lines": lines, "names": ["Anna"], "relations": []}
values |= {"target": 600, "length": 9}
prompts = PromptSet()
requests = [
    ("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": text}], "stream": stream})
    for text in [*(prompts.render(name, **values) for name in prompts_of), lines + " What did I like?"]
    for stream in (False, True)
]
requests.append(("/v1/embeddings", {"model": "m", "input": lines.split("\\n"), "encoding_format": "base64"}))
for path, request in requests:
    body = json.dumps(request).encode()
    sent = {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    environ = {"PATH_INFO": path, "REQUEST_METHOD": "POST", **sent}
    sys.stdout.buffer.write(b"".join(application(environ, lambda status, headers: None)))
"""


def output(seed: str) -> bytes:
    """What the program writes in a process with its own seed of Python's hash."""
    program = PROGRAM.replace("prompts_of", repr(tuple(sorted(TASKS))))
    environ = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, check=True)
    return done.stdout


TASKS = {"summary", "entity_notes", "triple_extraction", "current_entities"}


def test_two_processes_agree() -> None:
    """Python's own hashing, which differs from process to process, shows nowhere."""
    first, second = output("1"), output("4242")
    assert first == second
    assert first.count(b"memzoo-offline-extractive") > 12
    assert b"memzoo-offline-hashing" in first
