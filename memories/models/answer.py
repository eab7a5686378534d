"""Reads an endpoint's answer from the completion or the response that the `openai` client returns."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.errors import MemoryZooWarning, ModelReplyError
from memzoo.memories.models.cleaning import is_sendable, split_answer
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.responses import Api, Item, read_items
from memzoo.memories.text.thoughts import THOUGHT_PARTS, name_thoughts
from memzoo.stores import Message
from memzoo.text import DEEPEST, is_too_deep
from memzoo.warned import warn_caller

MOST_BESIDES = 256 * 1024
"""The most bytes that an answer may have beside its words and calls; of more, a warning says that none are kept."""

# Members of a message, of a call and of its function that are read on their own, or that only the client has.
_MESSAGE = frozenset({"role", "content", "tool_calls", "function_call", "parsed"})
_CALL = frozenset({"id", "type", "function", "index"})
_FUNCTION = frozenset({"name", "arguments", "parsed_arguments"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer, with its tool calls and its cost.

    Attributes:
        message: The assistant message, with its tool calls.
        finish_reason: The endpoint's `finish_reason`.
        spent: The cost of the call.
        model: The model's name as the endpoint returned it; "" if missing.
        counted: The factors that correct later token estimates; `None` before the first correction.
    """

    message: Message
    finish_reason: str
    spent: Spent
    model: str = ""
    counted: Mapping[str, Any] | None = None


def read_answer(said: Any, seconds: float, asked: str, outcome: str = "", *, api: Api = "chat") -> Answer:
    """Return the answer in a chat completion or a response, with the model's thoughts separated from its words.

    Args:
        said: The object from the client.
        seconds: The duration of the call.
        asked: Text for the beginning of an error message: the names of the model and the prompt.
        outcome: Text for the end of an error message, such as "; nothing was changed".
        api: The API of the request.

    Raises:
        ModelReplyError: The object is not an answer, or the answer failed, was withheld, or cannot be stored.
    """
    spent = Spent.of(said, seconds)
    kind, read = ("response", _read_response) if api == "responses" else ("chat completion", _read_completion)
    try:
        message, finish_reason = read(said)
        model = getattr(said, "model", None)
    except (AttributeError, TypeError, LookupError, ValueError):
        raise unusable(asked, f"did not send a {kind}: {str(said)[:200]!r}{outcome}", spent) from None
    if finish_reason == "failed":
        raise unusable(asked, f"failed: {getattr(getattr(said, 'error', None), 'message', None)}{outcome}", spent)
    if finish_reason == "content_filter":
        raise unusable(asked, f"was stopped by a content filter{outcome}", spent)
    if message["content"]:
        thoughts, message["content"] = split_answer(message["content"])
        message |= name_thoughts(message, _join_halves(thoughts))
    if message.get("tool_calls"):
        message["content"] = message["content"] or None
    if not is_sendable(json.dumps(message, ensure_ascii=False)):
        raise unusable(asked, f"sent half a character, which cannot be sent or stored{outcome}", spent)
    return Answer(_within_bounds(message), finish_reason, spent, model if isinstance(model, str) else "")


def unusable(asked: str, fault: str, spent: Spent, *, cut_after: int | None = None) -> ModelReplyError:
    """Return the error for a reply that cannot be used, with the cost of the reply.

    If the reply was cut off, `cut_after` is the number of characters received.
    """
    error = ModelReplyError(f"{asked}, {fault}")
    error.spent, error.cut_after = spent, cut_after
    return error


def _read_completion(completion: Any) -> tuple[Message, str]:
    """Return the assistant message as the endpoint sent it, and the reason for its end.

    Members that the client added, empty members and older forms of calls are left out.
    """
    choice = completion.choices[0]
    sent: dict[str, Any] = choice.message.to_dict(mode="json", warnings=False)
    content = sent.get("content")
    message: Message = {"role": "assistant", "content": content, **_besides(sent, _MESSAGE)}
    if isinstance(content, list):  # some endpoints send parts: thoughts, then text
        parts: list[Any] = content
        message["content"] = "".join(part["text"] for part in parts if part["type"] == "text")
        message |= _besides({"thinking": [part for part in parts if part["type"] in THOUGHT_PARTS]}, _MESSAGE)
    if not isinstance(message["content"], (str, type(None))):
        raise TypeError("the content is not a string")
    if calls := [_call(one) for one in sent.get("tool_calls") or ()]:
        # Some endpoints give no ids, or the same id to all calls: the calls' results would be indistinguishable.
        if len({call["id"] for call in calls} - {""}) < len(calls):
            calls = [call | {"id": f"call_{uuid.uuid4().hex}"} for call in calls]
        message["tool_calls"] = calls
    return message, choice.finish_reason


def _read_response(response: Any) -> tuple[Message, str]:
    """Return the chat message for a response, and the reason for its end by the names of chat completions."""
    message = read_items([_with_whole_thoughts(item.to_dict(mode="json", warnings=False)) for item in response.output])
    reason = getattr(response.incomplete_details, "reason", None)
    if response.status == "failed":
        return message, "failed"
    if reason:
        return message, "content_filter" if reason == "content_filter" else "length"
    return message, "tool_calls" if "tool_calls" in message else "stop"


def _with_whole_thoughts(item: Item) -> Item:
    """Return an item whose thoughts can be stored: half of a character in the thoughts becomes a replacement sign.

    Encrypted thoughts of an item changed so are left out, since an endpoint may refuse them.
    """
    whole = _whole(item) if item["type"] == "reasoning" else item
    return item if whole is item else whole | {"encrypted_content": None}


def _call(sent: dict[str, Any]) -> dict[str, Any]:
    function: dict[str, Any] = sent.get("function") or {}
    arguments = function.get("arguments")
    if not isinstance(arguments, str):  # some endpoints send the object itself
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    named = {"name": function.get("name") or "", "arguments": arguments, **_besides(function, _FUNCTION)}
    return {"id": sent.get("id") or "", "type": "function", "function": named, **_besides(sent, _CALL)}


def _besides(sent: dict[str, Any], read: frozenset[str]) -> dict[str, Any]:
    """Return the members of `sent` that are neither empty nor in `read`; half characters are joined or replaced."""
    return _whole({name: value for name, value in sent.items() if value and name not in read})


def _whole(members: dict[str, Any]) -> dict[str, Any]:
    """Return JSON in which half characters are joined or replaced: the same object if there are none."""
    text = json.dumps(members, ensure_ascii=False)
    if is_sendable(text):
        return members
    whole: dict[str, Any] = json.loads(_join_halves(text))
    return whole


def _join_halves(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _within_bounds(message: Message) -> Message:
    """Return a message that can be stored: without the provider's members if they are too large or too deep."""
    words = _words(message)
    if (besides := _size(message) - _size(words)) <= MOST_BESIDES and not is_too_deep(message):
        return message
    warn_caller(
        f"an answer has {besides} bytes besides its text and tool calls, in "
        f"{', '.join(sorted(message.keys() - words))}; at most {MOST_BESIDES} bytes, and {DEEPEST} levels of JSON, are "
        "kept. Only the text and calls were kept, and a provider that needs the rest may refuse the next request",
        MemoryZooWarning,
    )
    return words


def _words(message: Message) -> Message:
    """Return the words and the calls of a message, without members that only some providers send."""
    words: Message = {name: message[name] for name in ("role", "content", "refusal") if name in message}
    for call in message.get("tool_calls") or ():
        function = {name: call["function"][name] for name in ("name", "arguments")}
        words.setdefault("tool_calls", []).append({"id": call["id"], "type": call["type"], "function": function})
    return words


def _size(message: Message) -> int:
    return len(json.dumps(message, ensure_ascii=False).encode(errors="replace"))
