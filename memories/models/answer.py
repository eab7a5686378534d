"""Reads an endpoint's answer from the completion that the `openai` client returns."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.errors import CutReplyError, ModelReplyError
from memzoo.memories.models.cleaning import extract_spoken, is_sendable
from memzoo.memories.models.usage import Spent
from memzoo.stores import Message

__all__ = ["Answer", "read_answer", "unusable"]


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
    except (AttributeError, TypeError, LookupError):
        raise unusable(asked, f"did not send a chat completion: {str(completion)[:200]!r}{outcome}", spent) from None
    if answer.finish_reason == "content_filter":
        raise unusable(asked, f"was stopped by a content filter{outcome}", spent)
    if not is_sendable(json.dumps(answer.message, ensure_ascii=False)):
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
    """Return the assistant message with only the fields that an endpoint accepts in a later request."""
    content = said.content
    if isinstance(content, list):  # some endpoints send parts: thoughts, then text
        parts: list[Any] = content
        content = "".join(part["text"] for part in parts if part["type"] == "text")
    if not isinstance(content, (str, type(None))):
        raise TypeError("the content is not a text")
    message: Message = {"role": "assistant", "content": content and extract_spoken(content)}
    if said.refusal:
        message["refusal"] = said.refusal
    if calls := [_call(call) for call in said.tool_calls or ()]:
        # Some endpoints give no ids, or the same id to all calls: the calls' results would be indistinguishable.
        if len({call["id"] for call in calls} - {""}) < len(calls):
            calls = [call | {"id": f"call_{uuid.uuid4().hex}"} for call in calls]
        message["tool_calls"] = calls
    return message


def _call(call: Any) -> dict[str, Any]:
    function = getattr(call, "function", None)
    name, arguments = getattr(function, "name", None) or "", getattr(function, "arguments", None) or ""
    return {"id": call.id or "", "type": "function", "function": {"name": name, "arguments": arguments}}
