"""Reads an endpoint's answer from the completion that the `openai` client returns."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.errors import CutReplyError, ModelReplyError
from memzoo.memories.models.cleaning import is_sendable, split_answer
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.thoughts import THOUGHT_PARTS, name_thoughts
from memzoo.stores import Message
from memzoo.text import DEEPEST, is_too_deep
from memzoo.warned import warn_caller

__all__ = ["Answer", "DroppedThoughtsWarning", "read_answer", "unusable", "within_bounds"]

MOST_BESIDES = 256 * 1024
"""The most bytes that an answer may have beside its words and calls; see `DroppedThoughtsWarning`."""

# Members of a message, of a call and of its function that are read on their own, or that only the client has.
_MESSAGE = frozenset({"role", "content", "tool_calls", "function_call", "parsed"})
_CALL = frozenset({"id", "type", "function", "index"})
_FUNCTION = frozenset({"name", "arguments", "parsed_arguments"})


class DroppedThoughtsWarning(UserWarning):
    """An answer came with too much beside its words (more than 256 KiB): thoughts and signatures were not kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer, with its tool calls and its cost.

    Attributes:
        message: The assistant message, with its tool calls.
        finish_reason: The endpoint's `finish_reason`.
        spent: The cost of the call.
        model: The model's name as the endpoint returned it; "" if missing.
        counted: The token estimate's correction by this answer's prompt tokens; `None` without one.
    """

    message: Message
    finish_reason: str
    spent: Spent
    model: str = ""
    counted: Mapping[str, Any] | None = None


def read_answer(completion: Any, seconds: float, asked: str, outcome: str = "") -> Answer:
    """Return the answer in a completion.

    Args:
        completion: The object from the client.
        seconds: The duration of the call.
        asked: The model and the prompt, for error messages.
        outcome: The end of error messages, with the consequence for the caller.

    Raises:
        ModelReplyError: The object is not a completion, the answer was withheld by a content filter, or it has half a
            character.
    """
    spent = Spent.of(completion, seconds)
    try:
        choice = completion.choices[0]
        answer = Answer(_message(choice.message), choice.finish_reason, spent, _model_name(completion))
    except (AttributeError, TypeError, LookupError, ValueError):
        raise unusable(asked, f"did not send a chat completion: {str(completion)[:200]!r}{outcome}", spent) from None
    if answer.finish_reason == "content_filter":
        raise unusable(asked, f"was stopped by a content filter{outcome}", spent)
    if not is_sendable(json.dumps(_words(answer.message), ensure_ascii=False)):
        raise unusable(asked, f"sent half a character, which cannot be sent or stored{outcome}", spent)
    return answer


def unusable(asked: str, fault: str, spent: Spent, *, cut_after: int | None = None) -> ModelReplyError:
    """Return the error for an unusable reply, with its cost; `cut_after` is the length of a cut-off reply."""
    error = ModelReplyError(f"{asked}, {fault}")
    if cut_after is not None:
        error = CutReplyError(str(error))
        error.characters = cut_after
    error.spent = spent
    return error


def _model_name(completion: Any) -> str:
    name = getattr(completion, "model", None)
    return name if isinstance(name, str) else ""


def _message(said: Any) -> Message:
    """Return the assistant message as the endpoint sent it, with its thoughts apart from its words.

    Members of the client, empty members and older forms of calls are left out.
    """
    sent: dict[str, Any] = said.to_dict(mode="json", warnings=False)
    content = said.content
    kept = _besides(sent, _MESSAGE)
    if isinstance(content, list):  # some endpoints send parts: thoughts, then text
        parts: list[Any] = content
        content = "".join(part["text"] for part in parts if part["type"] == "text")
        if thoughts := [part for part in parts if part["type"] in THOUGHT_PARTS]:
            kept |= _besides({"thinking": thoughts}, _MESSAGE)
    if not isinstance(content, (str, type(None))):
        raise TypeError("the content is not a text")
    message: Message = {"role": "assistant", "content": content, **kept}
    if content:
        thought, message["content"] = split_answer(content)
        message |= name_thoughts(message, _join_halves(thought))
    whole = sent.get("tool_calls") or ()
    if calls := [_call(call, all_of_it) for call, all_of_it in zip(said.tool_calls or (), whole, strict=True)]:
        # Some endpoints give no ids, or the same id to all calls: the calls' results would be indistinguishable.
        if len({call["id"] for call in calls} - {""}) < len(calls):
            calls = [call | {"id": f"call_{uuid.uuid4().hex}"} for call in calls]
        message |= {"content": message["content"] or None, "tool_calls": calls}
    return within_bounds(message)


def _call(call: Any, whole: dict[str, Any]) -> dict[str, Any]:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None) or "", getattr(function, "arguments", None)
    if not isinstance(arguments, str):  # some endpoints send the object itself
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    inner = _besides(whole.get("function") or {}, _FUNCTION)
    made = {"id": call.id or "", "type": "function", "function": {"name": name, "arguments": arguments, **inner}}
    return made | _besides(whole, _CALL)


def _besides(sent: dict[str, Any], read: frozenset[str]) -> dict[str, Any]:
    """Return the members that are neither read nor empty; two halves of a character are joined, one becomes a sign."""
    members = {name: value for name, value in sent.items() if value and name not in read}
    text = json.dumps(members, ensure_ascii=False)
    if is_sendable(text):
        return members
    whole: dict[str, Any] = json.loads(_join_halves(text))
    return whole


def _join_halves(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def within_bounds(message: Message) -> Message:
    """Return a message that can be stored: without the provider's members if they are too large or too deep."""
    words = _words(message)
    if words == message:
        return message
    if (besides := _size(message) - _size(words)) <= MOST_BESIDES and not is_too_deep(message):
        return message
    warn_caller(
        f"an answer has {besides} bytes beside its words and calls, in {', '.join(sorted(message.keys() - words))}; at "
        f"most {MOST_BESIDES} bytes, and {DEEPEST} levels of JSON, are kept. The words and calls are kept alone, and a "
        "provider that wants the rest back may refuse the next request",
        DroppedThoughtsWarning,
    )
    return words


def _words(message: Message) -> Message:
    """Return the words and the calls of a message, without members that only some providers send."""
    words: Message = {name: message[name] for name in ("role", "content", "refusal") if name in message}
    calls: list[Any] = message.get("tool_calls") or []
    made = [
        {
            "id": call["id"],
            "type": call["type"],
            "function": {name: call["function"][name] for name in ("name", "arguments")},
        }
        for call in calls
    ]
    return words | ({"tool_calls": made} if made else {})


def _size(message: Message) -> int:
    return len(json.dumps(message, ensure_ascii=False).encode(errors="replace"))
