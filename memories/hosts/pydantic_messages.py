"""Messages of Pydantic AI as chat messages, and the reverse: a response is one message, a request one for each part."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memzoo.memories.hosts.shared import HostMessage, host_module, host_text
from memzoo.stores import Message

__all__ = ["agents_parts", "merged", "said_of", "view_of"]

_messages = host_module("pydantic_ai.messages", "pydantic-ai")

# What is said in a conversation. The other parts of a request, system prompts and instructions, are the agent's.
_SAID = ("user-prompt", "tool-return", "retry-prompt", "retry-feedback")


def said_of(messages: Iterable[Any]) -> Iterator[tuple[HostMessage, Any]]:
    """Messages of a log, each with the response or the request of one part that it is.

    They are known by their run and what they say: a run has no other ids for them.
    """
    counts: Counter[str] = Counter()
    for message in messages:
        for piece in _pieces(message):
            chat = _chat(piece)
            digest = hashlib.sha256(json.dumps(chat, sort_keys=True).encode()).hexdigest()[:16]
            counts[key := f"{piece.run_id}:{digest}"] += 1
            (own,) = _messages.ModelMessagesTypeAdapter.dump_python([piece], mode="json")
            yield HostMessage(chat, own, f"{key}:{counts[key]}"), piece


def agents_parts(messages: Iterable[Any]) -> list[Any]:
    """The parts of requests that are the agent's, as one request; none if there are no such parts."""
    requests = [message for message in messages if message.kind == "request"]
    parts = [part for request in requests for part in request.parts if part.part_kind not in _SAID]
    return [_messages.ModelRequest(parts=parts)] if parts else []


def view_of(shown: Sequence[HostMessage], live: Mapping[str, Any]) -> list[Any]:
    """A view as messages: the very ones of this run, by key, and those of earlier runs as they were."""
    tools = {call["id"]: call["function"]["name"] for one in shown for call in one.message.get("tool_calls") or ()}
    return [live.get(one.key) or _message(one, tools) for one in shown]


def merged(messages: Iterable[Any]) -> list[Any]:
    """Requests that follow each other as one: providers want all results of one response together."""
    whole: list[Any] = []
    for message in messages:
        if whole and message.kind == whole[-1].kind == "request":
            whole[-1] = replace(message, parts=[*whole[-1].parts, *message.parts])
        else:
            whole.append(message)
    return whole


def _pieces(message: Any) -> list[Any]:
    if message.kind == "response":
        return [message]
    return [replace(message, parts=[part]) for part in message.parts if part.part_kind in _SAID]


def _chat(piece: Any) -> Message:
    if piece.kind == "response":
        calls = [_call(part) for part in piece.parts if part.part_kind == "tool-call"]
        text = "\n\n".join(part.content for part in piece.parts if part.part_kind == "text")
        return (
            {"role": "assistant", "content": text or None, "tool_calls": calls} if calls else _said("assistant", text)
        )
    (part,) = piece.parts
    if part.part_kind == "user-prompt":
        return _said("user", part.content if isinstance(part.content, str) else list(map(_part, part.content)))
    text = part.model_response_str() if part.part_kind == "tool-return" else part.model_response()
    return (
        _said("tool", text, tool_call_id=part.tool_call_id) if getattr(part, "tool_name", None) else _said("user", text)
    )


def _said(role: str, content: Any, **more: str) -> Message:
    return {"role": role, "content": content, **more}


def _call(part: Any) -> Message:
    function = {"name": part.tool_name, "arguments": part.args_as_json_str()}
    return {"id": part.tool_call_id, "type": "function", "function": function}


def _part(part: Any) -> Message:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = str(part.kind).replace("-", "_")
    return {"type": kind, kind: {"url": part.url}} if hasattr(part, "url") else {"type": kind}


def _message(said: HostMessage, tools: Mapping[str, str]) -> Any:
    """A message of an earlier run as it was; one that was derived, or saved another way, in Pydantic AI's form."""
    if said.own is not None:
        return _messages.ModelMessagesTypeAdapter.validate_python([said.own])[0]
    message, text = said.message, host_text(said.message["content"])
    if message["role"] == "assistant":
        calls = [(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
        asked = [_messages.ToolCallPart(one["name"], one["arguments"], tool_call_id=id_) for id_, one in calls]
        return _messages.ModelResponse(parts=[*([_messages.TextPart(text)] if text else []), *asked])
    if message["role"] == "tool":
        name = tools.get(message["tool_call_id"], "tool")
        return _messages.ModelRequest(parts=[_messages.ToolReturnPart(name, text, message["tool_call_id"])])
    part = _messages.UserPromptPart if message["role"] == "user" else _messages.SystemPromptPart
    return _messages.ModelRequest(parts=[part(text)])
