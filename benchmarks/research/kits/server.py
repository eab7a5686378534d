"""A model server on loopback that sends prepared answers."""

import json
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """A prepared response: its chunks and content type, and whether the stream ends properly."""

    chunks: list[str]
    kind: str = "application/json"
    ends: bool = True


@dataclass
class Server:
    """A running server. Without a prepared answer, it answers with the number of requests so far."""

    url: str
    answers: deque[Answer] = field(default_factory=deque[Answer])
    count: int = 0

    def next(self) -> Answer:
        """Return the answer to the next request."""
        self.count += 1
        return self.answers.popleft() if self.answers else Answer([json.dumps({"answer": self.count})])


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True
    block_on_close = False


class _Handler(BaseHTTPRequestHandler):
    server_state: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = self.server_state.next()
        self.send_response(200)
        self.send_header("content-type", answer.kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in [*answer.chunks, *([""] if answer.ends else [])]:
            self.wfile.write(f"{len(chunk.encode()):x}\r\n{chunk}\r\n".encode())
        self.close_connection = not answer.ends

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Log nothing."""


@contextmanager
def server() -> Generator[Server]:
    """Run a server during the block, and yield the server."""
    state = Server("")
    listener = _Listener(("127.0.0.1", 0), type("Handler", (_Handler,), {"server_state": state}))
    state.url = f"http://127.0.0.1:{listener.server_port}/v1"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()
