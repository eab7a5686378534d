"""Items of OpenAI's Responses API as chat messages, and the reverse: the items are kept beside them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from memzoo.memories.hosts.shared import HostMessage, host_text
from memzoo.stores import Message

__all__ = ["Item", "items_of", "said_of"]

Item: TypeAlias = dict[str, Any]
"""An item, a plain dict."""

_TEXT = ("input_text", "output_text")


def said_of(items: Sequence[Item]) -> Iterator[HostMessage]:
    """Items as messages, with the items beside them.

    What has no chat form, such as reasoning, stays with the item behind it: they are shown and left out together.
    """
    waiting: list[Item] = []
    for place, item in enumerate(items, 1):
        waiting.append(item)
        if (message := _message(item)) or place == len(items):
            yield HostMessage(message or {"role": "assistant", "content": ""}, waiting)
            waiting = []


def items_of(said: Iterable[HostMessage]) -> list[Item]:
    """Messages as items: the very items that they came from, if they did."""
    return list(chain.from_iterable(_converted(one.message) if one.own is None else one.own for one in said))


def _message(item: Item) -> Message | None:
    if role := item.get("role"):
        content: Any = item["content"]
        parts = content if isinstance(content, str) else list(map(_part, content))
        return {"role": role, "content": host_text(content) if role == "assistant" else parts}
    if not (call := item.get("call_id")):
        return None
    if item["type"].endswith("_output"):
        return {"role": "tool", "tool_call_id": call, "content": host_text(item["output"])}
    function = {"name": item.get("name", item["type"]), "arguments": item.get("arguments", item.get("input", "{}"))}
    calls = [{"id": call, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _part(part: Item) -> Item:
    if part["type"] == "input_image" and isinstance(part.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    return {**part, "type": "text"} if part["type"] in _TEXT else part


def _converted(message: Message) -> Iterator[Item]:
    text = host_text(message.get("content"))
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": text}
    elif text:
        yield {"role": message["role"], "content": text}
    for call in message.get("tool_calls") or ():
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        yield {"type": "function_call", "call_id": call["id"], "name": name, "arguments": arguments}
