"""The offline model as a WSGI application with OpenAI's HTTP interface."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from memzoo.memories.models.offline.wire import RequestError, chat_completion, chat_stream, embeddings, models

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

__all__ = ["MOST_BYTES", "application"]

MOST_BYTES = 64 * 1024 * 1024
"""The longest request that is read."""

_JSON = "application/json"
_EVENTS = "text/event-stream; charset=utf-8"
_STATUS = {
    200: "200 OK",
    400: "400 Bad Request",
    404: "404 Not Found",
    405: "405 Method Not Allowed",
    413: "413 Content Too Large",
}
_METHODS = {"/v1/chat/completions": "POST", "/v1/embeddings": "POST", "/v1/models": "GET"}


class _Answer(NamedTuple):
    kind: str
    body: Iterable[bytes]


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Answer one request: chat completions, embeddings, or the list of models.

    It keeps no state, so any number of threads may call it.
    """
    status = 200
    try:
        kind, body = _answer(environ)
    except RequestError as error:
        status = error.status
        kind, body = _json(error.body)
    headers = [("Content-Type", kind)]
    if isinstance(body, list):
        headers.append(("Content-Length", str(sum(map(len, body)))))
    start_response(_STATUS[status], headers)
    return body


def _json(value: dict[str, Any]) -> _Answer:
    return _Answer(_JSON, [json.dumps(value).encode()])


def _answer(environ: "WSGIEnvironment") -> _Answer:
    path = _checked_path(environ)
    if path == "/v1/models":
        return _json(models())
    body = _read(environ)
    request = _object(body)
    if path == "/v1/embeddings":
        return _json(embeddings(request))
    if request.get("stream"):
        return _Answer(_EVENTS, chat_stream(body, request))
    return _json(chat_completion(body, request))


def _checked_path(environ: "WSGIEnvironment") -> str:
    path, method = str(environ.get("PATH_INFO", "")), environ["REQUEST_METHOD"]
    if path not in _METHODS:
        raise RequestError(f"there is nothing at {path}; there is {', '.join(_METHODS)}", status=404, code="not_found")
    if method != _METHODS[path]:
        raise RequestError(f"{path} takes {_METHODS[path]}, not {method}", status=405, code="method_not_allowed")
    return path


def _read(environ: "WSGIEnvironment") -> bytes:
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise RequestError("the Content-Length header is not a number") from None
    if length > MOST_BYTES:
        raise RequestError(f"the request has {length} bytes; {MOST_BYTES} are read at most", status=413)
    return environ["wsgi.input"].read(length) if length > 0 else b""


def _object(body: bytes) -> dict[str, Any]:
    try:
        request: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body of the request is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise RequestError("the body of the request must be a JSON object")
    return cast("dict[str, Any]", request)
