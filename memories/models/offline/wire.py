"""Requests and answers of the OpenAI HTTP interface, as JSON: what is accepted, and what is said back."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from memzoo.memories.models.hashing import DIMENSIONS, MAX_DIMENSIONS, MIN_DIMENSIONS, hash_embedding
from memzoo.memories.models.offline.text import Turn

__all__ = [
    "CHAT_MODEL",
    "EMBEDDING_MODEL",
    "RequestError",
    "chat_completion",
    "chat_stream",
    "count_tokens",
    "embeddings",
    "error_body",
    "models",
]

CHAT_MODEL = "memzoo-offline-extractive"
EMBEDDING_MODEL = "memzoo-offline-hashing"

_BYTES_PER_TOKEN = 4
_MOST_TEXTS = 2048
_PIECE = 24


class RequestError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: The HTTP status.
        body: The error, as the answer carries it.
    """

    def __init__(self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = error_body(message, param=param, code=code)


def error_body(
    message: str, *, param: str | None = None, code: str | None = None, kind: str = "invalid_request_error"
) -> dict[str, Any]:
    """An error in OpenAI's form."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def count_tokens(text: str) -> int:
    """How many tokens a text is taken for: one for every four bytes of its UTF-8 form, the last one perhaps shorter."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class _Reply:
    """What is said to a chat request, however it is sent."""

    id: str
    text: str
    finish_reason: str
    usage: dict[str, int]

    @classmethod
    def to(cls, body: bytes, request: dict[str, Any]) -> "_Reply":
        # The rules are read at the first request: importing the package should cost next to nothing.
        from memzoo.memories.models.offline.tasks import reply

        messages = _messages(request)
        _refuse_unsupported(request)
        text = reply(messages)
        room = _room(request)
        kept = text if room is None else _cut(text, room)
        asked, said = sum(count_tokens(message.text) for message in messages), count_tokens(kept)
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        digest = hashlib.blake2s(body, digest_size=12).hexdigest()
        return cls(f"chatcmpl-{digest}", kept, "stop" if kept == text else "length", usage)

    def envelope(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": 0, "model": CHAT_MODEL, **fields}


def chat_completion(body: bytes, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to `POST /v1/chat/completions`."""
    said = _Reply.to(body, request)
    message = {"role": "assistant", "content": said.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": said.finish_reason}
    return said.envelope("chat.completion", choices=[choice], usage=said.usage)


def chat_stream(body: bytes, request: dict[str, Any]) -> Iterator[bytes]:
    """The same answer in pieces, as server-sent events. The request is checked before the first piece is asked for."""
    said = _Reply.to(body, request)
    options = request.get("stream_options")
    return _events(said, usage=_is_object(options) and bool(options.get("include_usage")))


def _events(said: _Reply, *, usage: bool) -> Iterator[bytes]:
    pieces = [said.text[start : start + _PIECE] for start in range(0, len(said.text), _PIECE)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in pieces]
    for delta, finish in [*deltas, ({}, said.finish_reason)]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        yield _event(said.envelope("chat.completion.chunk", choices=[choice], **({"usage": None} if usage else {})))
    if usage:
        yield _event(said.envelope("chat.completion.chunk", choices=[], usage=said.usage))
    yield b"data: [DONE]\n\n"


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _messages(request: dict[str, Any]) -> list[Turn]:
    _model(request)
    messages = request.get("messages")
    if not _is_list(messages) or not messages:
        raise RequestError("'messages' must be a list with at least one message", param="messages")
    return [_message(message, place) for place, message in enumerate(messages)]


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _model(request: dict[str, Any]) -> None:
    if not isinstance(request.get("model"), str):
        raise RequestError("you must provide a model; any name will do", param="model")


def _message(message: Any, place: int) -> Turn:
    where = f"messages[{place}]"
    if not _is_object(message):
        raise RequestError(f"{where} must be an object with 'role' and 'content'", param=where)
    if not isinstance(message.get("role"), str):
        raise RequestError(f"{where}.role must be a string", param=f"{where}.role")
    return Turn(message["role"], _content(message.get("content"), f"{where}.content"))


def _content(content: Any, where: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not _is_list(content):
        raise RequestError(f"{where} must be a string or a list of parts", param=where)
    texts = [part.get("text") for part in content if _is_object(part)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _refuse_unsupported(request: dict[str, Any]) -> None:
    if request.get("n") not in (None, 1):
        raise RequestError("the offline model gives one answer: n must be 1", param="n", code="unsupported_value")
    form = request.get("response_format")
    if _is_object(form) and form.get("type") not in (None, "text"):
        raise RequestError(
            "the offline model answers in plain text only", param="response_format", code="unsupported_value"
        )


def _room(request: dict[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        room: Any = request.get(name)
        if room is not None:
            if not isinstance(room, int) or isinstance(room, bool) or room < 1:
                raise RequestError(f"{name} must be a positive number", param=name)
            return room
    return None


def _cut(text: str, tokens: int) -> str:
    return text.encode("utf-8", "replace")[: tokens * _BYTES_PER_TOKEN].decode("utf-8", "ignore")


def embeddings(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to `POST /v1/embeddings`."""
    _model(request)
    texts = _texts(request.get("input"))
    vectors = hash_embedding(texts, _dimensions(request.get("dimensions")))
    packed = _encoding(request.get("encoding_format")) == "base64"
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode() if packed else vector.tolist(),
        }
        for place, vector in enumerate(vectors)
    ]
    tokens = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": EMBEDDING_MODEL, "usage": usage}


def _texts(given: Any) -> Sequence[str]:
    texts = [given] if isinstance(given, str) else given
    if not _is_list(texts) or not 0 < len(texts) <= _MOST_TEXTS or not all(isinstance(text, str) for text in texts):
        raise RequestError(f"'input' must be a string or a list of 1 to {_MOST_TEXTS} strings", param="input")
    return texts


def _dimensions(given: Any) -> int:
    if given is None:
        return DIMENSIONS
    if not isinstance(given, int) or isinstance(given, bool) or not MIN_DIMENSIONS <= given <= MAX_DIMENSIONS:
        raise RequestError(
            f"'dimensions' must be a number from {MIN_DIMENSIONS} to {MAX_DIMENSIONS}", param="dimensions"
        )
    return given


def _encoding(given: Any) -> str:
    if given not in (None, "float", "base64"):
        raise RequestError("'encoding_format' must be 'float' or 'base64'", param="encoding_format")
    return given or "float"


def models() -> dict[str, Any]:
    """The answer to `GET /v1/models`."""
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": "memzoo"} for name in (CHAT_MODEL, EMBEDDING_MODEL)
    ]
    return {"object": "list", "data": listed}
