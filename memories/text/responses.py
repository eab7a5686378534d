"""Converts chat messages to items of OpenAI's Responses API, and an answer's items to a chat message."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from memzoo.memories.text.families import Family
from memzoo.memories.text.grouping import is_instruction
from memzoo.memories.text.messages import text_of, tool_call
from memzoo.memories.text.order import add_speaker
from memzoo.memories.text.thoughts import extract_thoughts
from memzoo.stores import Message

Api: TypeAlias = Literal["chat", "responses"]
"""An API of OpenAI's for answers: chat completions or responses."""

Item: TypeAlias = dict[str, Any]
"""An item of the Responses API's input or output."""

# The member of a logged answer that holds the items of the output as they came, with thoughts and ids.
_ITEMS = "response_items"

# The members in which a reasoning item carries thoughts. Without them, only the server that stored it knows it.
_THOUGHTS = ("encrypted_content", "content")


def by_responses(family: Family) -> Family:
    """Return the given family, changed to send earlier answers back as the Responses API's original items."""
    return replace(family, returns=family.returns | {_ITEMS})


def as_request(messages: Sequence[Message]) -> dict[str, Any]:
    """Return chat messages as the arguments `instructions` and `input` of the Responses API.

    An answer from this API is sent back as its original items, which `read_items` keeps. It is sent without thoughts
    and ids if its words or calls were changed, or if the thoughts cannot be read.

    Example:
        >>> as_request([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi!"}])
        {'instructions': 'Be brief.', 'input': [{'role': 'user', 'content': 'Hi!'}]}
    """
    leads = bool(messages) and is_instruction(messages[0])
    items = [item for message in messages[leads:] for item in items_of(message)]
    return ({"instructions": text_of(messages[0])} if leads else {}) | {"input": items}


def as_tool(tool: Mapping[str, Any]) -> Item:
    """Return a tool's description for the Responses API. `strict` is false unless the description sets it."""
    return {"type": "function", "strict": False, **tool["function"]}


def read_items(items: Iterable[Item]) -> Message:
    """Return an answer's items as a chat message. The message also keeps the items, except empty ones.

    Example:
        >>> said = {"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}
        >>> read_items([said])["content"]
        'Hello.'
    """
    kept = [{name: value for name, value in item.items() if value is not None} for item in items]
    kept = [item for item in kept if item["type"] != "message" or item.get("content")]
    parts = [part for item in kept if item["type"] == "message" for part in item["content"]]
    texts = [part["text"] for part in parts if part["type"] == "output_text" and part["text"]]
    message: Message = {"role": "assistant", "content": "\n\n".join(texts) if texts else None}
    if refusal := "".join(part["refusal"] for part in parts if part["type"] == "refusal"):
        message["refusal"] = refusal
    calls = [one for one in kept if one["type"] == "function_call"]
    if calls:
        # Some endpoints give no ids, or the same id to all calls: the calls' results would be indistinguishable.
        if len({one.get("call_id", "") for one in calls} - {""}) < len(calls):
            for one in calls:
                one["call_id"] = f"call_{uuid.uuid4().hex}"
        message["tool_calls"] = [tool_call(one["call_id"], one["name"], one["arguments"]) for one in calls]
    return message | {_ITEMS: kept}


def items_of(message: Message) -> Iterator[Item]:
    """Yield the items of the Responses API for a chat message other than a system message."""
    if items := _unchanged_items(message):
        yield from items
    elif message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": text_of(message)}
    else:
        # The API has no names of speakers.
        named = {**message, "content": add_speaker(message, [])} if message["role"] == "user" else message
        if content := _content(named):
            yield {"role": message["role"], "content": content}
        for call in message.get("tool_calls") or ():
            custom = call.get("custom") or {}
            function = call.get("function") or {
                "name": custom.get("name") or "tool",
                "arguments": json.dumps({"input": custom.get("input") or ""}),
            }
            yield {
                "type": "function_call",
                "call_id": call["id"],
                "name": function["name"],
                "arguments": function["arguments"],
            }


def _unchanged_items(message: Message) -> Sequence[Item]:
    items: list[Item] = message.get(_ITEMS) or []
    if not items or message["role"] != "assistant":
        return ()
    said = read_items(items)
    # The log has the words without thoughts and without white space around them.
    said["content"] = extract_thoughts(said["content"] or "")[1].strip()
    if any((message.get(name) or None) != (said.get(name) or None) for name in ("content", "tool_calls", "refusal")):
        return ()
    thoughts = (item for item in items if item["type"] == "reasoning")
    return items if all(any(map(item.get, _THOUGHTS)) for item in thoughts) else ()


def _content(message: Message) -> str | list[Item]:
    content: Any = message.get("content")
    if message["role"] == "assistant" or not isinstance(content, list):
        # A refusal is text here, too.
        words = text_of({"role": "assistant", "content": content or ""})
        return "\n".join(filter(None, (words, message.get("refusal"))))
    parts: list[Item] = content
    return list(map(_part, parts))


def _part(part: dict[str, Any]) -> Item:
    match part:
        case {"type": "text", "text": text}:
            return {"type": "input_text", "text": text}
        case {"type": "image_url", "image_url": str(url)}:
            return {"type": "input_image", "image_url": url, "detail": "auto"}
        case {"type": "image_url", "image_url": {"url": url, **others}}:
            return {"type": "input_image", "image_url": url, "detail": others.get("detail") or "auto"}
        case {"type": "file", "file": dict() as file}:
            return {"type": "input_file", **file}
        case _:
            return part
