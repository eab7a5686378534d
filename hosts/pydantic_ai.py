"""A memory in Pydantic AI: as a capability of an agent."""

import contextlib
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from memzoo.hosts.messages import HostMessage, chat_of, dict_of, host_text, make_call
from memzoo.hosts.shared import HostLog, Memories, host_module, in_order, memory_of
from memzoo.stores import Message
from memzoo.strategy import BaseMemory

__all__ = ["MemoryCapability"]

_capabilities = host_module("pydantic_ai.capabilities", "pydantic-ai")
_messages = host_module("pydantic_ai.messages", "pydantic-ai")

# The kinds of parts that belong to a conversation. System prompts and instructions belong to the agent.
_SAID = ("user-prompt", "speech", "tool-return", "retry-prompt", "retry-feedback")


class MemoryCapability(_capabilities.AbstractCapability):  # type: ignore[misc, name-defined]
    """A capability that sends the model the memory's view of the conversation, and keeps all messages in the log.

    The newest user prompt is the question, so memories that search work too. System prompts belong to the agent and are
    not kept. A run with the `run_id` of a failed run is a retry, and its prompt is not stored again.

    Example:
        `Agent(model, capabilities=[MemoryCapability(MemoryProvider("summary-buffer", llm="gpt-5-mini"))])`, and then
        `agent.run("Hello!", conversation_id="anna")`, without a `message_history`.
    """

    def __init__(self, memories: Memories) -> None:
        """Make a capability for all conversations, or for one.

        Args:
            memories: A `MemoryProvider`, which returns the memory for a run's `conversation_id`; or the memory of a
                single conversation.
        """
        self._memories = memories

    def get_default_conversation_id(self, run_id: str) -> str | None:
        """Return the memory's conversation id if a single memory was given, else `None`."""
        return self._memories.conversation_id if isinstance(self._memories, BaseMemory) else None

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        """Save new messages to the log, and send the view to the model."""
        log, live = self._log(ctx), request_context.messages
        said = list(_to_messages(live))
        await log.afollow([one for one, _ in said], thread=_thread(ctx, live))
        asked = [one.message["content"] for one, _ in said if one.message["role"] == "user"]
        own = _agents_parts(live)
        groups = in_order(await log.aread_view(host_text(asked[-1]) if asked else None), leads=bool(own))
        # Send this run's own parts, unless the memory redacts messages.
        pieces = {} if log.memory.redact else {one.key: piece for one, piece in said}
        view = _merge([*own, *_view([one for group in groups for one in group], pieces)])
        return await handler(replace(request_context, messages=view))

    async def after_run(self, ctx: Any, *, result: Any) -> Any:
        """Save the answer, and learn from the exchange."""
        messages = result.all_messages()
        said = [one for one, _ in _to_messages(messages)]
        await self._log(ctx).afollow(said, ended=True, thread=_thread(ctx, messages))
        return result

    def _log(self, ctx: Any) -> HostLog:
        return HostLog(memory_of(self._memories, ctx.conversation_id), "pydantic-ai")


def _thread(ctx: Any, messages: Sequence[Any]) -> str:
    """Return the conversation id if the application passes in a history, and "" otherwise.

    A history that is passed in overrides the log.
    """
    handed_over = any(message.run_id != ctx.run_id for message in messages)
    return str(ctx.conversation_id) if handed_over else ""


def _to_messages(messages: Iterable[Any]) -> Iterator[tuple[HostMessage, Any]]:
    """Yield messages for the log, each with its Pydantic AI object: a response, or a request with a single part.

    A message's key consists of the run's id and a hash of the content, because Pydantic AI has no ids for messages.
    """
    counts: Counter[str] = Counter()
    for message in messages:
        for piece in _pieces(message):
            chat = _chat(piece)
            digest = hashlib.sha256(json.dumps(chat, sort_keys=True, default=str).encode()).hexdigest()[:16]
            # Two messages with the same words in a run get different keys.
            counts[key := f"{piece.run_id}:{digest}"] += 1
            yield HostMessage(chat, _own(piece), f"{key}:{counts[key]}"), piece


def _own(piece: Any) -> Any:
    """Return a response or request as JSON; `None` if Pydantic cannot serialize one of its values."""
    try:
        (own,) = _messages.ModelMessagesTypeAdapter.dump_python([piece], mode="json")
    except (TypeError, ValueError):
        return None
    return own


def _agents_parts(messages: Iterable[Any]) -> list[Any]:
    """Return a list with one request that has the agent's own parts of all requests; empty without such parts."""
    requests = [message for message in messages if message.kind == "request"]
    parts = [part for request in requests for part in request.parts if part.part_kind not in _SAID]
    return [_messages.ModelRequest(parts=parts)] if parts else []


def _view(shown: Sequence[HostMessage], live: Mapping[str, Any]) -> list[Any]:
    """Return a view as Pydantic AI's messages: the objects in `live`, found by key, and converted messages."""
    calls = [call for one in shown for call in one.message.get("tool_calls") or ()]
    tools = {call["id"]: str(dict_of(call.get("function")).get("name") or "a tool") for call in calls}
    return [live.get(one.key) or _message(one, tools) for one in shown]


def _merge(messages: Iterable[Any]) -> list[Any]:
    """Merge consecutive requests, because providers need all tool results for one response together.

    The prompts of a request become one, because some models refuse two messages of one role.
    """
    whole: list[Any] = []
    for kind, following in itertools.groupby(messages, attrgetter("kind")):
        run = list(following)
        if kind == "request":
            parts = itertools.groupby((part for message in run for part in message.parts), attrgetter("part_kind"))
            merged = [one for part_kind, same in parts for one in _merge_prompts(part_kind, list(same))]
            run = [replace(run[-1], parts=merged)]
        whole += run
    return whole


def _merge_prompts(kind: str, parts: list[Any]) -> list[Any]:
    if kind not in ("system-prompt", "user-prompt") or not parts[1:]:
        return parts
    contents = [part.content for part in parts]
    if all(isinstance(content, str) for content in contents):
        return [replace(parts[-1], content="\n\n".join(contents))]
    joined = [one for content in contents for one in ([content] if isinstance(content, str) else content)]
    return [replace(parts[-1], content=joined)]


def _pieces(message: Any) -> list[Any]:
    if message.kind == "response":
        return [message]
    return [replace(message, parts=[part]) for part in message.parts if part.part_kind in _SAID]


def _chat(piece: Any) -> Message:
    """Return the chat message for a response, or for a request with a single part."""
    if piece.kind == "response":
        asked = [part for part in piece.parts if part.part_kind == "tool-call"]
        calls = [make_call(part.tool_call_id, part.tool_name, part.args_as_json_str()) for part in asked]
        text = "\n\n".join(text for part in piece.parts if (text := _words(part)))
        (chat,) = chat_of(
            "assistant", [text], calls=calls, others=["file" for p in piece.parts if p.part_kind == "file"]
        )
        return chat
    (part,) = piece.parts
    if part.part_kind in ("user-prompt", "speech"):
        content = _words(part) if part.part_kind == "speech" else part.content
        said = content if isinstance(content, str) else [_part(one) for one in content if _kind(one) != "cache-point"]
        return {"role": "user", "content": said}
    text = part.model_response_str() if part.part_kind == "tool-return" else part.model_response()
    if not getattr(part, "tool_name", None):
        return {"role": "user", "content": text}
    return {"role": "tool", "content": text, "tool_call_id": part.tool_call_id}


def _words(part: Any) -> str:
    """Return the text of a text part, or the transcript of speech; "" for other parts."""
    words = {"text": "content", "speech": "transcript"}
    return getattr(part, words[part.part_kind]) or "" if part.part_kind in words else ""


def _kind(part: Any) -> str:
    return str(getattr(part, "kind", "text"))


def _part(part: Any) -> Message:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = _kind(part).replace("-", "_")
    if isinstance(text := getattr(part, "content", None), str):
        return {"type": "text", "text": text}
    return {"type": kind, kind: {"url": part.url}} if hasattr(part, "url") else {"type": kind}


def _message(said: HostMessage, tools: Mapping[str, str]) -> Any:
    """Return the original Pydantic AI message; without an original, return a new Pydantic AI message."""
    if said.own is not None:
        with contextlib.suppress(ValueError):  # from another version of Pydantic AI
            return _messages.ModelMessagesTypeAdapter.validate_python([said.own])[0]
    message, text = said.message, host_text(said.message["content"])
    if message["role"] == "assistant":
        calls = [(call["id"], dict_of(call.get("function"))) for call in message.get("tool_calls") or ()]
        asked = [
            _messages.ToolCallPart(one.get("name") or "a tool", one.get("arguments"), tool_call_id=id_)
            for id_, one in calls
        ]
        return _messages.ModelResponse(parts=[*([_messages.TextPart(text)] if text else []), *asked])
    if message["role"] == "tool":
        name = tools.get(message["tool_call_id"], "tool")
        return _messages.ModelRequest(parts=[_messages.ToolReturnPart(name, text, message["tool_call_id"])])
    part = _messages.UserPromptPart if message["role"] == "user" else _messages.SystemPromptPart
    return _messages.ModelRequest(parts=[part(text)])
