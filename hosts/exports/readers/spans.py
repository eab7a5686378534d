"""Reads spans of calls to models: OpenTelemetry's GenAI conventions, OpenInference (Phoenix), OpenLLMetry."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.calls import Call, conversations_of, words_in
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.members import as_list, date_at, list_at, need, pick
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_otlp", "is_phoenix", "read_otlp", "read_phoenix"]

_ASKED = "gen_ai.input.messages|gen_ai.prompt|llm.input_messages|ai.prompt.messages"
_ANSWERED = "gen_ai.output.messages|gen_ai.completion|llm.output_messages|ai.response.text|ai.response.toolCalls"
_THREAD = "gen_ai.conversation.id|session.id|thread.id|langfuse.session.id"
_USER = "user.id|enduser.id"
_KIND = "gen_ai.operation.name|openinference.span.kind|span_kind"
_CALLS = ("chat", "generate_content", "text_completion", "LLM")
_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_otlp(document: Any) -> bool:
    """Return whether an object, or each of a list, is a batch of OpenTelemetry's spans."""
    batches = as_list(document)
    return bool(batches) and all("resourceSpans" in dict_of(one) for one in batches)


def is_phoenix(document: Any) -> bool:
    """Return whether an object is a page of Phoenix's spans, or a list has such, or spans of OpenTelemetry's SDK."""
    spans = dicts_of(dict_of(document).get("data", document))
    return any(
        {"span_kind", "context"} & one.keys() and any(key.startswith("attributes") for key in one) for one in spans
    )


def read_otlp(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in batches of spans."""
    spans = [
        span
        for batch in as_list(document)
        for resource in _listed_at(batch, "resourceSpans")
        for scope in _listed_at(resource, "scopeSpans")
        for span in _listed_at(scope, "spans")
    ]
    calls: list[Call] = []
    for number, span in enumerate(spans, start=1):
        attributes = {one["key"]: _value(one["value"]) for one in dicts_of(span.get("attributes"))}
        times = [date_of(int(need(span, f"{end}TimeUnixNano", f"span {number}")) / 1e9) for end in ("start", "end")]
        calls += _calls(attributes, *times)
    yield from conversations_of(calls, title, len(spans) - len(calls), "span")


def _listed_at(batch: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [] if key in batch and batch[key] is None else list_at(batch, key, "a batch of spans")


def read_phoenix(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in spans, whose attributes are nested, or named with points, or columns of a table."""
    spans = dicts_of(dict_of(document).get("data", document))
    calls: list[Call] = []
    for number, span in enumerate(spans, start=1):
        attributes = {key.removeprefix("attributes."): value for key, value in span.items() if key != "attributes"}
        times = [date_at(span, f"{end}_time", f"span {number}") for end in ("start", "end")]
        calls += _calls(attributes | dict_of(span.get("attributes")), *times)
    yield from conversations_of(calls, title, len(spans) - len(calls), "span")


def _calls(attributes: dict[str, Any], began: datetime | None, ended: datetime | None) -> Iterator[Call]:
    """Yield the call of a span; nothing for a span of an agent or a tool, which repeats the words of calls."""
    told = _nest(attributes)
    kind = pick(told, _KIND)
    system = words_in(pick(told, "gen_ai.system_instructions"), "system")
    asked = [*system, *words_in(_plain(pick(told, _ASKED)), "user")]
    answered = words_in(_plain(pick(told, _ANSWERED)), "assistant")
    if kind in _CALLS or (kind is None and asked):
        yield Call(asked, answered, str(pick(told, _THREAD) or ""), began, ended, str(pick(told, _USER) or ""))


def _nest(value: Any) -> Any:
    """Return a value with names with points as dicts within dicts, and with lists in place of dicts by number."""
    if isinstance(value, list):
        return [_nest(one) for one in as_list(value)]
    if not isinstance(value, dict):
        return value  # a text or a number
    nested: dict[str, Any] = {}
    for key, one in dict_of(value).items():
        place, (*path, last) = nested, str(key).split(".")
        for step in path:
            if not isinstance(place.get(step), dict):
                place[step] = {}
            place = place[step]
        both = isinstance(place.get(last), dict) and isinstance(one, dict)
        place[last] = place[last] | _nest(one) if both else _nest(one)
    return _listed(nested)


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    whole = {key: _listed(one) for key, one in dict_of(value).items()}
    return [whole[key] for key in sorted(whole, key=int)] if whole and all(map(str.isdecimal, whole)) else whole


def _plain(messages: Any) -> Any:
    """Return OpenInference's messages in OpenAI's form; others unchanged."""
    if not isinstance(messages, list):
        return messages
    plain: list[dict[str, Any]] = []
    for one in dicts_of(messages):
        message = dict_of(one.get("message", one))
        if "contents" in message:
            message |= {"content": [part.get("message_content", part) for part in dicts_of(message["contents"])]}
        if calls := dicts_of(message.get("tool_calls")):
            message |= {"tool_calls": [call.get("tool_call", call) for call in calls]}
        plain.append(message)
    return plain


def _value(value: Any) -> Any:
    if "arrayValue" in value:
        return [_value(one) for one in value["arrayValue"].get("values") or ()]
    if "kvlistValue" in value:
        return {one["key"]: _value(one["value"]) for one in value["kvlistValue"].get("values") or ()}
    return next((value[kind] for kind in _KINDS if kind in value), None)
