"""A local server with OpenAI's HTTP interface, through which a contender calls the comparison's model.

The calls are counted, and kept within the spending limit.
"""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memzoo.memories import HashEmbedder, Model, Usage
from memzoo.sync import drive
from memzoo.types import Spent


class ModelPort:
    """A local server, in a separate thread, through which one contender asks a model.

    Attributes:
        model: The model that answers, set for each run.
        usage: The contender's calls in this run.
        failure: The error of the latest call; `None` if the model answered.
    """

    def __init__(self) -> None:
        self.model: Model | None = None
        self.usage = Usage()
        self.failure: Exception | None = None
        port = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet: a second one waits 40 ms for the first to be acknowledged

            def do_POST(self) -> None:
                asked: Any = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, found = port.answer(self.path, asked)
                body = json.dumps(found).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("x-should-retry", "false")  # the comparison's model has its own retries
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class has
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the HTTP status and the answer to a request."""
        if path == "/v1/embeddings":
            return 200, self._embed(asked)
        odd = sorted({"tools", "functions", "response_format", "stream"} & {name for name in asked if asked[name]})
        if path != "/v1/chat/completions" or odd or self.model is None:
            wrong = f"the port of a comparison answers only plain chats and embeddings, not {path} with {odd}"
            return 400, {"error": {"message": wrong, "type": "invalid_request_error"}}
        try:
            found = drive(self.model.complete(asked["messages"], "contender"))
        except Exception as error:  # noqa: BLE001 - raised again by the run, which waits for the contender
            self.failure = error
            return 500, {"error": {"message": "the comparison's model failed", "type": "server_error"}}
        self.failure = None
        self.usage.add("contender", found.spent)
        message = {"role": "assistant", "content": found.text}
        sent, received = found.spent.prompt_tokens, found.spent.completion_tokens
        return 200, {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 0,
            "model": str(asked.get("model")),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
        }

    def _embed(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return hashed embeddings, which need no model."""
        import numpy

        given = asked["input"]
        texts: list[str] = [given] if isinstance(given, str) else given
        sent = sum(len(text.encode()) // 4 for text in texts)  # four bytes a token, as with the offline model
        found = drive(HashEmbedder().embed(texts))
        self.usage.add("embedding", Spent(1, sent))
        as_text = asked.get("encoding_format") == "base64"
        rows = [
            base64.b64encode(one).decode() if as_text else numpy.frombuffer(one, "<f4").tolist()
            for one in found.vectors
        ]
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        usage = dict.fromkeys(("prompt_tokens", "total_tokens"), sent)
        return {"object": "list", "data": data, "model": str(asked.get("model")), "usage": usage}
