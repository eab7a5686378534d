"""Requests a model's next answer by OpenAI's Responses API, streamed or whole, with tools."""

import contextlib
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from memzoo.memories.chat.completions import PURPOSE
from memzoo.memories.models.answer import Answer, unusable, within_bounds
from memzoo.memories.models.chat import ChatModel
from memzoo.memories.models.cleaning import is_sendable, split_answer
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.responses import Item, read_items
from memzoo.memories.text.thoughts import Speech, name_thoughts
from memzoo.stores import Message
from memzoo.sync import each, settled

__all__ = ["ask_by_responses"]

_TEXT = "response.output_text.delta"
_PIECES = (_TEXT, "response.refusal.delta")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


async def ask_by_responses(
    model: ChatModel, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, stream: bool
) -> AsyncGenerator[str | Answer]:
    """Do the same as `ask_model`, by the Responses API."""
    asked = model.asked_for(PURPOSE)
    with model.failing(PURPOSE):
        model.connect()
        start = time.perf_counter()
        said = await model.respond(messages, tools, stream=stream)
        if stream:
            async with contextlib.aclosing(_stream(said)) as pieces:
                async for said in pieces:
                    if isinstance(said, str):
                        yield said
    seconds = time.perf_counter() - start
    if said is None:
        raise unusable(asked, "ended its reply in the middle of it", Spent(calls=1, seconds=seconds))
    yield _read(said, seconds, asked)


async def _stream(events: Any) -> AsyncGenerator[Any]:
    """Yield the pieces of text in a stream; finally, the whole response, or `None` if the stream broke off."""
    response, speech = None, Speech()
    items, last = list[Any](), None
    try:
        async with contextlib.aclosing(each(events)) as received:
            async for event in received:
                if event.type in _PIECES and event.delta:
                    gap = ""
                    if event.type == _TEXT:
                        part = getattr(event, "output_index", 0), getattr(event, "content_index", 0)
                        # `read_items` puts an empty line between texts, too.
                        gap = "\n\n" if last not in (None, part) else ""
                        last = part
                    if text := speech.add(gap + event.delta):
                        yield text
                elif event.type == "response.output_item.done":
                    items.append(event.item)
                elif event.type in _ENDS:
                    response = event.response
                    # Some endpoints give the items only in the events before.
                    if response and not getattr(response, "output", None):
                        response.output = items
                elif event.type == "error":
                    raise RuntimeError(event.message)
        if text := speech.end():
            yield text
    finally:
        await settled(events.close())
    yield response


def _read(response: Any, seconds: float, asked: str) -> Answer:
    spent = _spent(response, seconds)
    try:
        message = read_items([_whole(item.to_dict(mode="json", warnings=False)) for item in response.output])
        model = response.model
    except (AttributeError, TypeError, LookupError):
        raise unusable(asked, f"did not send a response: {str(response)[:200]!r}", spent) from None
    reason = getattr(response.incomplete_details, "reason", None)
    if response.status == "failed":
        raise unusable(asked, f"failed: {getattr(response.error, 'message', None)}", spent)
    if reason == "content_filter":
        raise unusable(asked, "was stopped by a content filter", spent)
    if not is_sendable(json.dumps(message, ensure_ascii=False)):
        raise unusable(asked, "sent half a character, which cannot be sent or stored", spent)
    if message["content"]:
        thoughts, message["content"] = split_answer(message["content"])
        message |= name_thoughts(message, thoughts)
    if not any(message.get(part) for part in ("content", "tool_calls", "refusal")):
        raise unusable(asked, "sent an empty reply", spent)
    finish = "length" if reason else "tool_calls" if "tool_calls" in message else "stop"
    return Answer(within_bounds(message), finish, spent, model if isinstance(model, str) else "")


def _whole(item: Item) -> Item:
    """Return an item whose thoughts can be stored: half of a character in them becomes a sign.

    An endpoint may refuse encrypted thoughts whose item was changed: they are left out.
    """
    text = json.dumps(item, ensure_ascii=False)
    if item["type"] != "reasoning" or is_sendable(text):
        return item
    whole: Item = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return whole | {"encrypted_content": None}


def _spent(response: Any, seconds: float) -> Spent:
    """Return the cost, whose cached tokens are among the input's, as in chat completions."""
    usage = getattr(response, "usage", None)
    told = {
        "prompt_tokens": getattr(usage, "input_tokens", None),
        "completion_tokens": getattr(usage, "output_tokens", None),
        "prompt_tokens_details": getattr(usage, "input_tokens_details", None),
    }
    return Spent.of(SimpleNamespace(usage=told), seconds)
