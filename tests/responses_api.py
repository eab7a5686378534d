"""A loopback server of OpenAI's Responses API that stores nothing, and keeps the rules it is documented to have.

The errors are those that OpenAI's endpoint gave in 2025 and 2026.
"""

import json
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Item: TypeAlias = dict[str, Any]

_PARTS = {
    "user": {"input_text", "input_image", "input_file"},
    "assistant": {"output_text", "refusal"},
    "system": {"input_text"},
    "developer": {"input_text"},
}
USAGE = {
    "input_tokens": 90,
    "input_tokens_details": {"cached_tokens": 40},
    "output_tokens": 12,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 102,
}


class ResponsesApi(ThreadingHTTPServer):
    """The server: a model that thinks, calls each tool twice at once, and then answers.

    Attributes:
        requests: The accepted requests, oldest first.
        refused: The errors.
        ending: Members of each response that replace the usual ones, such as a status.
        breaks: Streams end before their last event.
        outputs: Outputs for the next responses, in place of the usual ones.
        bare: The last event of a stream has no items.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.ending: dict[str, Any] = {}
        self.breaks = self.bare = False
        self.outputs: list[list[Item]] = []
        self._given: dict[str, tuple[Item, str]] = {}

    @property
    def base_url(self) -> str:
        """The URL for clients."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the response to a request.

        Raises:
            ValueError: The request breaks a rule.
        """
        try:
            self._check(body)
        except ValueError as error:
            self.refused.append(str(error))
            raise
        self.requests.append(body)
        output = self.outputs.pop(0) if self.outputs else self._output(body)
        thoughts = ""
        for item in output:
            if "id" in item:
                self._given[item["id"]] = item, thoughts
            thoughts = item["id"] if item["type"] == "reasoning" else thoughts
        response = {"id": f"resp_{len(self.requests)}", "object": "response", "created_at": 0, "model": body["model"]}
        response |= {"status": "completed", "error": None, "incomplete_details": None, "output": output, "usage": USAGE}
        return response | self.ending

    def _output(self, body: Mapping[str, Any]) -> list[Item]:
        number, last = len(self.requests), body["input"][-1]
        thoughts: Item = {
            "id": f"rs_{number}",
            "type": "reasoning",
            "summary": [],
            "encrypted_content": f"gAAA{number}==",
        }
        thoughts["status"] = None
        if body.get("tools") and last.get("type") != "function_call_output":
            said = [self._call(f"{number}_{place}", body["tools"][0]["name"], place) for place in range(2)]
        else:
            said = [self._message(f"msg_{number}", f"Answer {number}.")]
        return [thoughts, *said]

    @staticmethod
    def _call(id_: str, name: str, place: int) -> Item:
        arguments = json.dumps({"city": ("Oslo", "Leeds")[place]})
        kept = {"id": f"fc_{id_}", "type": "function_call", "call_id": f"call_{id_}", "status": "completed"}
        return {**kept, "name": name, "arguments": arguments}

    @staticmethod
    def _message(id_: str, text: str) -> Item:
        part: Item = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        kept = {"id": id_, "type": "message", "role": "assistant", "status": "completed", "phase": "final_answer"}
        return {**kept, "content": [part]}

    def _check(self, body: Mapping[str, Any]) -> None:
        if body.get("store") is not False:
            raise ValueError("this server stores nothing")
        for place, tool in enumerate(body.get("tools", ())):
            if not tool.get("name"):
                raise ValueError(f"Missing required parameter: 'tools[{place}].name'.")
        known = {"model", "input", "instructions", "store", "stream", "include", "tools", "temperature", "reasoning"}
        if unknown := body.keys() - known - {"max_output_tokens"}:
            raise ValueError(f"Unknown parameter: {unknown.pop()!r}.")
        items: list[Item] = body["input"]
        for place, item in enumerate(items):
            self._check_item(item, f"input[{place}]")
            self._check_id(item)
        self._check_pairs(items)
        calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
        results = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
        for one in results:
            if one not in calls:
                raise ValueError(f"No tool call found for function call output with call_id {one}.")
        for one in calls:
            if one not in results:
                raise ValueError(f"No tool output found for function call {one}.")

    @staticmethod
    def _check_item(item: Item, where: str) -> None:
        kind = item.get("type", "message")
        if kind not in ("message", "function_call", "function_call_output", "reasoning"):
            raise ValueError(f"Invalid value: {kind!r}. Supported values are: 'message', 'function_call', ...")
        content: list[Item] | str = item.get("content", "")
        if kind == "message" and isinstance(content, list):
            for part in content:
                if part["type"] not in _PARTS[item["role"]]:
                    raise ValueError(f"Invalid value: {part['type']!r} at {where}.content.")
        elif kind == "message" and not content:
            raise ValueError(f"Invalid content at {where}.")
        if None in item.values():
            raise ValueError(f"Invalid type for {where!r}: expected a value, but got null instead.")
        if kind == "reasoning" and "summary" not in item:
            raise ValueError(f"Missing required parameter: '{where}.summary'.")

    def _check_id(self, item: Item) -> None:
        if (id_ := item.get("id")) is None:
            return
        if id_ not in self._given or (item["type"] == "reasoning" and not item.get("encrypted_content")):
            raise ValueError(f"Item with id '{id_}' not found. Items are not persisted when `store` is set to false.")
        given = {name: value for name, value in self._given[id_][0].items() if value is not None}
        if given != item:
            raise ValueError(f"The item '{id_}' could not be verified.")

    def _check_pairs(self, items: list[Item]) -> None:
        ids = [item.get("id", "") for item in items]
        for place, item in enumerate(items):
            kind, id_ = item.get("type"), item.get("id", "")
            begun = self._given[id_][1] if id_ else ""
            if begun and begun not in ids[:place]:
                told = f"Item '{id_}' of type '{kind}' was provided without its required 'reasoning' item: '{begun}'."
                raise ValueError(told)
            if kind == "reasoning" and (place + 1 == len(items) or self._given.get(ids[place + 1], ({}, ""))[1] != id_):
                raise ValueError(f"Item '{id_}' of type 'reasoning' was provided without its required following item.")


class _Handler(BaseHTTPRequestHandler):
    server: ResponsesApi  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        """Answer `POST /v1/responses`."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            response = self.server.answer(body)
        except ValueError as error:
            refusal = {"message": str(error), "type": "invalid_request_error", "param": "input", "code": None}
            self._send(400, "application/json", json.dumps({"error": refusal}).encode())
            return
        if not body.get("stream"):
            self._send(200, "application/json", json.dumps(response).encode())
            return
        events = list(_events(response))[: -1 if self.server.breaks else None]
        if self.server.bare:
            events[-1]["response"] = response | {"output": []}
        said = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events]
        self._send(200, "text/event-stream; charset=utf-8", "".join(said).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
        """Say nothing."""


def _events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream, as the endpoint numbers them."""
    begun: Item = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(response["output"]):
        events.append({"type": "response.output_item.added", "output_index": place, "item": item})
        for part in item.get("content") or ():
            where: Item = {"item_id": item.get("id", ""), "output_index": place, "content_index": 0, "logprobs": []}
            pieces = part["text"].partition(" ")
            events += [{"type": "response.output_text.delta", **where, "delta": piece} for piece in pieces]
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": f"response.{response['status']}", "response": response})
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


@contextmanager
def serving() -> Generator[ResponsesApi]:
    """Serve while the block runs."""
    with ResponsesApi() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
