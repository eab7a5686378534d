"""Agents that others published, recorded, replayed, changed in one word and continued with another model.

`python -m tests.cassettes.published_agents FOLDER` does so with the checkouts in FOLDER (`git clone` of each):
`swarm` (github.com/openai/swarm at 6af0b4ca), `openai-agents-python` (github.com/openai/openai-agents-python at
7f7a44f8) and `pydantic-ai` (github.com/pydantic/pydantic-ai at 4fda3898), with openai-agents and
pydantic-ai-slim[openai] installed. Each agent runs as it is, but for a decorator above each of its tools. The model is
a small scripted server on loopback, which asks for the tools that it is told.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple


class Published(NamedTuple):
    """An agent that others published.

    Attributes:
        checkout: Its repository's folder.
        main: Its program.
        tools: The file of its tools.
        declared: The decorator that stands above each line of that file, by the line's beginning.
        prompt: A file with a prompt, a part of that, and the part changed by a word.
        folders: The folders from which its program imports.
        changed: The first step that has this prompt.
        questions: The lines that a user types.
    """

    checkout: str
    main: str
    tools: str
    declared: dict[str, str]
    prompt: tuple[str, str, str]
    folders: tuple[str, ...]
    changed: int
    questions: tuple[str, ...] = ()


DEAD_URL = "http://127.0.0.1:9/v1"
AIRLINE = "examples/airline"
AGENTS = (
    Published(
        "swarm",
        f"{AIRLINE}/main.py",
        f"{AIRLINE}/configs/tools.py",
        {"def ": "recorded_tool"},
        (f"{AIRLINE}/data/routines/prompts.py", "empathetic", "patient"),
        (".", AIRLINE),
        2,
        ("I lost my bag.", "Now cancel my flight.", "That is all."),
    ),
    Published(
        "openai-agents-python",
        "examples/customer_service/main.py",
        "examples/customer_service/main.py",
        {"async def faq": "recorded_tool", "async def update": "recorded_tool(ignore=['context'])"},
        ("examples/customer_service/main.py", "Identify the last", "Find the last"),
        (".",),
        2,
        ("How many bags?", "Seat 3A, please, code 77.", "Thanks."),
    ),
    Published(
        "pydantic-ai",
        "examples/pydantic_ai_examples/bank_support.py",
        "examples/pydantic_ai_examples/bank_support.py",
        {"async def customer_balance(ctx": "recorded_tool(ignore=['ctx'])"},
        ("examples/pydantic_ai_examples/bank_support.py", "judge the risk", "tell the risk"),
        (".",),
        1,
    ),
)
# The calls for each question of a user; words follow.
SCRIPT: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "I lost my bag.": [("transfer_to_lost_baggage", {}), ("initiate_baggage_search", {})],
    "Now cancel my flight.": [
        ("transfer_to_triage", {}),
        ("transfer_to_flight_modification", {}),
        ("transfer_to_flight_cancel", {}),
        ("initiate_refund", {}),
    ],
    "That is all.": [("case_resolved", {})],
    "How many bags?": [("transfer_to_faq_agent", {}), ("faq_lookup_tool", {"question": "bags"})],
    "Seat 3A, please, code 77.": [
        ("transfer_to_triage_agent", {}),
        ("transfer_to_seat_booking_agent", {}),
        ("update_seat", {"confirmation_number": "77", "new_seat": "3A"}),
    ],
    "What is my balance?": [
        ("customer_balance", {}),
        ("final_result", {"support_advice": "It is there.", "block_card": False, "risk": 1}),
    ],
    "I just lost my card!": [
        ("final_result", {"support_advice": "It is blocked.", "block_card": True, "risk": 8}),
    ],
}
RUN = """
import io, json, runpy, sys
from contextlib import suppress
import builtins
from memzoo.cassettes import recorded_tool, use_cassette
builtins.recorded_tool = recorded_tool
main, path, options, questions = sys.argv[1:]
sys.stdin = io.StringIO(questions)
with use_cassette(path, max_bytes=10**7, **json.loads(options)), suppress(EOFError):
    runpy.run_path(main, run_name="__main__")
"""


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions and the Responses API by the script."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = body.get("messages") or body["input"]
        said = [{"role": "user", "content": said}] if isinstance(said, str) else said
        place = max(number for number, one in enumerate(said) if one.get("role") == "user")
        results = sum(one.get("role") == "tool" or one.get("type") == "function_call_output" for one in said[place:])
        calls = SCRIPT.get(said[place]["content"], [])[results : results + 1]
        usage: dict[str, Any] = {
            "input_tokens": 7,
            "output_tokens": 5,
            "prompt_tokens": 7,
            "completion_tokens": 5,
            "total_tokens": 12,
        }
        if "messages" in body:
            message: dict[str, Any] = {"role": "assistant", "content": None if calls else f"Done ({results})."}
            if calls:
                message["tool_calls"] = [
                    {"id": f"c{len(said)}", "type": "function", "function": _function(*call)} for call in calls
                ]
            choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
            answer: dict[str, Any] = {"object": "chat.completion", "choices": [choice], "created": 1}
        else:
            text: dict[str, Any] = {"type": "output_text", "text": f"Done ({results}).", "annotations": []}
            words: dict[str, Any] = {
                "type": "message",
                "id": "m",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
            asked = [
                {"type": "function_call", "id": f"f{len(said)}", "call_id": f"c{len(said)}", **_function(*call)}
                for call in calls
            ]
            details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
            usage |= details
            rest: dict[str, Any] = {
                "parallel_tool_calls": True,
                "tool_choice": "auto",
                "tools": [],
                "status": "completed",
            }
            answer = {"object": "response", "output": asked or [words], "created_at": 1, **rest}
        content = json.dumps({"id": "r1", "model": body["model"], "usage": usage, **answer}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Keep quiet."""


def _function(name: str, arguments: dict[str, Any]) -> dict[str, str]:
    return {"name": name, "arguments": json.dumps(arguments)}


def run(agent: Published, folder: Path, url: str, path: Path, **options: Any) -> str:
    """Run an agent with a cassette, and return its output, with its error."""
    paths = os.pathsep.join(str(folder / one) for one in agent.folders)
    environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_AGENTS_DISABLE_TRACING": "1", "PYTHONPATH": paths}
    environment["OPENAI_API_KEY"] = "none"
    questions = "".join(f"{one}\n" for one in agent.questions)
    command = [sys.executable, "-c", RUN, str(folder / agent.main), str(path), json.dumps(options), questions]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else f"{done.stdout}\n{done.stderr}"


def try_agent(agent: Published, checkout: Path, folder: Path, url: str) -> None:
    """Record an agent, replay it, change a word of its prompt, and go on with that from the first step that has it."""
    copy = folder / agent.checkout
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
    tools = copy / agent.tools
    lines = list[str]()
    for line in tools.read_text().splitlines():
        lines += [f"@{decorator}" for start, decorator in agent.declared.items() if line.startswith(start)]
        lines.append(line)
    tools.write_text("\n".join(lines))
    old, new, other = (folder / f"{agent.checkout}-{name}.yaml" for name in ("old", "new", "other"))
    recorded = run(agent, copy, url, old, record="once")
    replayed = run(agent, copy, DEAD_URL, old)
    # Swarm prints the time.
    assert re.sub(r"\d\d:\d\d:\d\d", "", replayed) == re.sub(r"\d\d:\d\d:\d\d", "", recorded), replayed
    prompt, before, after = agent.prompt
    text = (copy / prompt).read_text()
    assert before in text, f"{agent.checkout}/{prompt} has no {before!r}"
    (copy / prompt).write_text(text.replace(before, after))
    changed = run(agent, copy, DEAD_URL, old)
    assert re.search(rf"^First difference at step {agent.changed} of \d+: another prompt", changed, re.MULTILINE), (
        changed
    )
    run(agent, copy, url, new, record="once")
    run(agent, copy, url, old, live_from=agent.changed, into=str(other))
    sys.stdout.write(f"== {agent.checkout}\n{_cassettes('diff', old, new)}")
    # From the changed step on, the run is the one that was recorded with the changed prompt.
    assert "~" not in _cassettes("diff", new, other), _cassettes("diff", new, other)


def _cassettes(*arguments: object) -> str:
    command = [sys.executable, "-m", "memzoo", "cassettes", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        for agent in AGENTS:
            here = f"http://127.0.0.1:{server.server_port}/v1"
            try_agent(agent, Path(sys.argv[1]) / agent.checkout, Path(folder), here)
