"""A provider of chat completions that is as strict as OpenAI about messages, and stricter about system messages."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import openai

from memzoo.http_library import http
from memzoo.stores import Message

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PARTS: Mapping[str, Sequence[str]] = {
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
    "system": ("text",),
    "developer": ("text",),
    "tool": ("text",),
    "function": (),
}


def refusal(messages: Any, *, system_first: bool = True) -> str | None:
    """Why a provider answers 400 to these messages; `None` if it takes them.

    Args:
        messages: What was sent.
        system_first: System messages have to stand before all others: OpenAI takes them anywhere, others do not.
    """
    if not isinstance(messages, list) or not messages:
        return f"{messages!r} is too short - 'messages'"
    sent = cast("list[Message]", messages)
    waiting: list[str] = []
    begun = False
    for place, message in enumerate(sent):
        if fault := _form(message) or _order(message, waiting):
            return f"messages.[{place}]: {fault}"
        system = message["role"] in ("system", "developer")
        if system_first and system and begun:
            return f"messages.[{place}]: a system message must stand before all others"
        begun = begun or not system
        waiting = _waiting(message, waiting)
    return f"no results for {waiting}" if waiting else None


def _form(message: Message) -> str | None:
    role = str(message.get("role"))
    if role not in PARTS:
        return f"Invalid value: {role!r}"
    if "tool_calls" in message and (role != "assistant" or not message["tool_calls"]):
        return f"tool_calls must be a list with at least one call, not {message['tool_calls']!r}"
    content = message.get("content")
    if content is None:
        known = ("tool_calls", "function_call", "refusal", "audio")
        return None if any(message.get(name) for name in known) else "content must not be null"
    if isinstance(content, list):
        parts = cast("list[dict[str, Any]]", content)
        return next((f"part {part!r}" for part in parts if part.get("type") not in PARTS[role]), None)
    return None if isinstance(content, str) else f"content {content!r}"


def _order(message: Message, waiting: Sequence[str]) -> str | None:
    key = _answers(message)
    if key is None:
        return f"'tool_calls' must be followed by messages responding to each; without one: {waiting}" * bool(waiting)
    return None if key in waiting else f"a {message['role']} message must respond to a preceding call, not to {key!r}"


def _answers(message: Message) -> str | None:
    if message["role"] == "function":
        return f"function {message.get('name')}"
    return str(message.get("tool_call_id")) if message["role"] == "tool" else None


def _waiting(message: Message, waiting: Sequence[str]) -> list[str]:
    if key := _answers(message):
        return [one for one in waiting if one != key]
    legacy = message.get("function_call")
    return [one["id"] for one in message.get("tool_calls", ())] + ([f"function {legacy['name']}"] if legacy else [])


class Provider:
    """The endpoint: refuses what a provider refuses, otherwise replies what it is told to.

    Attributes:
        requests: The messages of each request, oldest first.
    """

    def __init__(self, reply: Callable[[], Message]) -> None:
        self.reply = reply
        self.requests: list[list[Message]] = []

    def client(self) -> openai.OpenAI:
        """A client of it, in this process."""
        transport = http.Client(transport=http.WSGITransport(app=self), trust_env=False)
        return openai.OpenAI(api_key="key", base_url="http://provider.invalid/v1", max_retries=0, http_client=transport)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer `POST /v1/chat/completions`."""
        body = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        self.requests.append(body["messages"])
        if fault := refusal(body["messages"]):
            answer: dict[str, Any] = {"error": {"message": fault, "type": "invalid_request_error", "code": None}}
        else:
            choice = {"index": 0, "message": self.reply(), "finish_reason": "stop"}
            answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        start_response("400 Bad Request" if fault else "200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answer).encode()]
