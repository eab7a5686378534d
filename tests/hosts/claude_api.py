"""A scripted model behind Anthropic's API, on loopback, for the CLI that the Claude Agent SDK brings."""

import json
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memzoo.stores import Message
from tests.hosts.contract import Call, Step, told

REMINDED = "From earlier sessions:\n"


class Api(ThreadingHTTPServer):
    """Does what the script says, and keeps what it was sent.

    Attributes:
        script: What comes next.
        sent: The messages of each request, as chat messages.
    """

    def __init__(self, script: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.sent = list(script), list[list[Message]]()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def served(script: Sequence[Step]) -> Generator[Api]:
    """A server for the time of the block."""
    api = Api(script)
    thread = threading.Thread(target=api.serve_forever, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        api.shutdown()
        api.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Api  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *_: Any) -> None:  # noqa: A002
        """Nothing."""

    def do_HEAD(self) -> None:
        """The CLI looks whether somebody is there."""
        self._reply(200, b"", "application/json")

    def do_POST(self) -> None:
        """A request for an answer."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.sent.append([chat for message in body["messages"] for chat in _as_chat(message)])
        step = self.server.script[0]
        # The CLI may ask again after an error.
        if not isinstance(step, Exception):
            del self.server.script[0]
        else:
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": str(step)}}
            self._reply(400, json.dumps(error).encode(), "application/json")
            return
        events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(step))
        self._reply(200, events.encode(), "text/event-stream")

    def _reply(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _events(step: str | Call) -> Iterator[dict[str, Any]]:
    is_call = isinstance(step, Call)
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "usage": usage,
    }
    block: Any = {"type": "text", "text": ""}
    delta: Any = {"type": "text_delta", "text": step}
    if isinstance(step, Call):
        block = {"type": "tool_use", "id": step.id, "name": "mcp__tools__weather", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"place": step.place})}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _as_chat(message: Any) -> Iterator[Message]:
    """A message of the request, without what the CLI adds of its own; what the hook told, as messages."""
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "tool_use":
            yield {"role": "assistant", "content": None, "tool_calls": [{"id": block["id"]}]}
        elif block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": str(block["content"])}
        elif block["type"] == "text" and REMINDED in block["text"]:
            lines = block["text"].partition(REMINDED)[2].partition("\n</system-reminder>")[0].splitlines()
            said = told(line for line in lines if not line.startswith("tool: "))
            yield from ({"role": role, "content": text} for role, text in said)
        elif block["type"] == "text" and not block["text"].startswith("<system-reminder>"):
            yield {"role": message["role"], "content": block["text"]}
