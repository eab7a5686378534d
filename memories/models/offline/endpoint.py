"""A WSGI application that offers the offline model through OpenAI's HTTP interface."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from memzoo.memories.models.hashing import DIMENSIONS, MAX_DIMENSIONS, MIN_DIMENSIONS, hash_embedding

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

CHAT_MODEL = "memzoo-offline-extractive"
EMBEDDING_MODEL = "memzoo-offline-hashing"

_BYTES_PER_TOKEN = 4
_MOST_BYTES = 2 * 1024 * 1024  # the rules process this much within a few seconds
_MOST_TEXTS = 2048
_PIECE = 24
_UNSUPPORTED = "unsupported_value"
_METHODS = {"/v1/chat/completions": "POST", "/v1/embeddings": "POST", "/v1/models": "GET"}


class RequestError(Exception):
    """A request that cannot be answered, with the HTTP status and the text of the error."""

    def __init__(self, message: str, param: str | None, code: str | None, status: int) -> None:
        super().__init__(message)
        self.status = HTTPStatus(status)
        self.body = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def _require(fine: object, message: str, param: str | None = None, code: str | None = None, status: int = 400) -> None:
    if not fine:
        raise RequestError(message, param, code, status)


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Answer a request for a chat completion, embeddings or the list of models. Safe to call from many threads."""
    try:
        status, answer = HTTPStatus.OK, _answer(environ)
    except RequestError as error:
        status, answer = error.status, error.body
    body = [json.dumps(answer).encode()] if isinstance(answer, dict) else answer
    length = [("Content-Length", str(len(body[0])))] if isinstance(body, list) else []
    kind = "application/json" if length else "text/event-stream; charset=utf-8"
    start_response(f"{status.value} {status.phrase}", [("Content-Type", kind), *length])
    return body


def _answer(environ: "WSGIEnvironment") -> dict[str, Any] | Iterator[bytes]:
    path, method = str(environ.get("PATH_INFO", "")), environ["REQUEST_METHOD"]
    _require(path in _METHODS, f"there is nothing at {path}; there is {', '.join(_METHODS)}", None, "not_found", 404)
    _require(method == _METHODS[path], f"{path} takes {_METHODS[path]}, not {method}", None, "method_not_allowed", 405)
    if path == "/v1/models":
        known = {"object": "model", "created": 0, "owned_by": "memzoo"}
        return {"object": "list", "data": [{"id": name, **known} for name in (CHAT_MODEL, EMBEDDING_MODEL)]}
    given = environ.get("CONTENT_LENGTH") or "0"
    _require(given.isdecimal(), "the Content-Length header is not a number")
    _require(int(given) <= _MOST_BYTES, f"the request has {given} bytes; the limit is {_MOST_BYTES}", status=413)
    try:
        body = environ["wsgi.input"].read(int(given))
        request: Any = json.loads(body)
    except (OSError, ValueError, RecursionError) as error:
        raise RequestError(f"the body of the request is not JSON: {error}", None, None, 400) from None
    _require(_is(request, dict), "the body of the request must be a JSON object")
    _require(_is(request.get("model"), str), "you must provide a model; any name will do", "model")
    if path == "/v1/embeddings":
        return _embeddings(request)
    found = completion(body, request)
    return _events(found, request.get("stream_options")) if request.get("stream") else found


def _is(value: Any, kind: type) -> bool:  # does not narrow, so parsed JSON stays Any
    return isinstance(value, kind)


def count_tokens(text: str) -> int:
    """Return the number of tokens as the offline model counts them: four bytes of UTF-8 are a token, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def completion(body: bytes, request: Any) -> dict[str, Any]:
    """Return the response to a request for a chat completion, with an id derived from the request's body."""
    # Imported at the first request, to keep the import of the package cheap.
    from memzoo.memories.models.offline.tasks import reply

    given, form = request.get("messages"), request.get("response_format")
    _require(_is(given, list) and given, "'messages' must be a list of at least one message", "messages")
    messages = [_message(message, f"messages[{place}]") for place, message in enumerate(given or [])]
    _require(request.get("n") in (None, 1), "the offline model gives one answer: n must be 1", "n", _UNSUPPORTED)
    plain = form in (None, {}, {"type": "text"})
    _require(plain, "the offline model answers in plain text only", "response_format", _UNSUPPORTED)
    kept = _cut(text := reply(messages), request)
    asked, said = sum(count_tokens(content) for _, content in messages), count_tokens(kept)
    message = {"role": "assistant", "content": kept, "refusal": None}
    finish = "stop" if kept == text else "length"
    return {
        "id": f"chatcmpl-{hashlib.blake2s(body, digest_size=12).hexdigest()}",
        "object": "chat.completion",
        "created": 0,
        "model": CHAT_MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


def _message(message: Any, where: str) -> tuple[str, str]:
    _require(_is(message, dict), f"{where} must be an object with 'role' and 'content'", where)
    role, content = message.get("role"), message.get("content") or ""
    _require(_is(role, str), f"{where}.role must be a string", f"{where}.role")
    parts: Any = [{"text": content}] if _is(content, str) else content
    _require(_is(parts, list), f"{where}.content must be a string or a list of parts", f"{where}.content")
    texts = [part.get("text") for part in parts if _is(part, dict)]
    return role, "\n".join(text for text in texts if _is(text, str))


def _cut(text: str, request: Any) -> str:
    for name in ("max_completion_tokens", "max_tokens"):
        room: Any = request.get(name)
        if room is not None:
            _require(type(room) is int and room > 0, f"{name} must be a positive number", name)
            return text.encode("utf-8", "replace")[: room * _BYTES_PER_TOKEN].decode("utf-8", "ignore")
    return text


def _events(found: Any, options: Any) -> Iterator[bytes]:
    choice, usage = found["choices"][0], found.pop("usage")
    text, finish = choice["message"]["content"], choice["finish_reason"]
    counted = _is(options, dict) and bool(options.get("include_usage"))
    pieces = [{"content": text[start : start + _PIECE]} for start in range(0, len(text), _PIECE)]
    head = found | {"object": "chat.completion.chunk"} | ({"usage": None} if counted else {})
    deltas = [{"role": "assistant", "content": ""}, *pieces, {}]
    parts = [{"index": 0, "delta": one, "logprobs": None, "finish_reason": None if one else finish} for one in deltas]
    chunks = [head | {"choices": [part]} for part in parts] + [head | {"choices": [], "usage": usage}] * counted
    yield from (f"data: {one}\n\n".encode() for one in (*map(json.dumps, chunks), "[DONE]"))


def _embeddings(request: Any) -> dict[str, Any]:
    given, size, form = request.get("input"), request.get("dimensions"), request.get("encoding_format")
    texts: Any = [given] if _is(given, str) else given
    fine = _is(texts, list) and 0 < len(texts) <= _MOST_TEXTS and all(_is(text, str) for text in texts)
    _require(fine, f"'input' must be a string or a list of 1 to {_MOST_TEXTS} strings", "input")
    fine = size is None or (type(size) is int and MIN_DIMENSIONS <= size <= MAX_DIMENSIONS)
    _require(fine, f"'dimensions' must be a number from {MIN_DIMENSIONS} to {MAX_DIMENSIONS}", "dimensions")
    _require(form in (None, "float", "base64"), "'encoding_format' must be 'float' or 'base64'", "encoding_format")
    rows = hash_embedding(texts, size or DIMENSIONS)
    sent = [base64.b64encode(row.astype("<f4")).decode() if form == "base64" else row.tolist() for row in rows]
    data = [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(sent)]
    usage = dict.fromkeys(("prompt_tokens", "total_tokens"), sum(map(count_tokens, texts)))
    return {"object": "list", "data": data, "model": EMBEDDING_MODEL, "usage": usage}
