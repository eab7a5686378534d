"""Reads spans of calls to models: OpenTelemetry's GenAI conventions, OpenInference (Phoenix), OpenLLMetry."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.calls import Call, conversations_of, words_in
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.fields import need, pick
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_otlp", "is_phoenix", "read_otlp", "read_phoenix"]

_ASKED = "gen_ai.input.messages|gen_ai.prompt|llm.input_messages"
_ANSWERED = "gen_ai.output.messages|gen_ai.completion|llm.output_messages"
_THREAD = "gen_ai.conversation.id|session.id|thread.id|langfuse.session.id"
_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_otlp(document: Any) -> bool:
    """Return whether an object, or each of a list, is a batch of OpenTelemetry's spans."""
    batches = document if isinstance(document, list) else [document]
    return bool(batches) and all("resourceSpans" in dict_of(one) for one in batches)


def is_phoenix(document: Any) -> bool:
    """Return whether an object is a page of Phoenix's spans, or a list has such spans."""
    spans = dict_of(document).get("data") if isinstance(document, dict) else document
    return isinstance(spans, list) and any(
        any(key.startswith("attributes") for key in dict_of(one)) and "span_kind" in one for one in spans
    )


def read_otlp(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in batches of spans."""
    batches = document if isinstance(document, list) else [document]
    spans = [
        span
        for batch in batches
        for resource in batch["resourceSpans"]
        for scope in resource.get("scopeSpans") or ()
        for span in scope.get("spans") or ()
    ]
    calls = [
        _call(
            {one["key"]: _value(one["value"]) for one in span.get("attributes") or ()},
            *(_nanoseconds(need(span, f"{end}TimeUnixNano", number)) for end in ("start", "end")),
        )
        for number, span in enumerate(spans, start=1)
    ]
    yield from conversations_of([call for call in calls if call.asked or call.answered], title)


def read_phoenix(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in spans, whose attributes are nested, or named with points, or columns of a table."""
    spans = document["data"] if isinstance(document, dict) else document
    calls: list[Call] = []
    for number, span in enumerate(spans, start=1):
        attributes = {key.removeprefix("attributes."): value for key, value in span.items() if key != "attributes"}
        times = [date_of(need(span, f"{end}_time", number)) for end in ("start", "end")]
        calls.append(_call(attributes | dict_of(span.get("attributes")), *times))
    yield from conversations_of([call for call in calls if call.asked or call.answered], title)


def _call(attributes: Mapping[str, Any], began: datetime | None, ended: datetime | None) -> Call:
    told = _nest(attributes)
    system = words_in(pick(told, "gen_ai.system_instructions"), "system")
    asked = [*system, *words_in(_plain(pick(told, _ASKED)), "user")]
    answered = words_in(_plain(pick(told, _ANSWERED)), "assistant")
    return Call(asked, answered, str(pick(told, _THREAD) or ""), began, ended)


def _nest(value: Any) -> Any:
    """Return a value with names with points as dicts within dicts, and with lists in place of dicts by number."""
    if isinstance(value, list):
        return [_nest(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    nested: dict[str, Any] = {}
    for key, one in value.items():
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
    whole = {key: _listed(one) for key, one in value.items()}
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


def _nanoseconds(value: Any) -> datetime | None:
    return date_of(int(value) / 1e9)
