"""Reads OpenTelemetry spans of model calls, as several libraries write them."""

from dataclasses import replace
from typing import Any

from memzoo.hosts.exports.calls import LoggedCalls
from memzoo.hosts.exports.members import as_list, list_at, need, pick
from memzoo.hosts.messages import dict_of, dicts_of

_ASKED = "gen_ai.input.messages|gen_ai.prompt|llm.input_messages|ai.prompt.messages"
_ANSWERED = "gen_ai.output.messages|gen_ai.completion|llm.output_messages|ai.response.text|ai.response.toolCalls"
_THREAD = "gen_ai.conversation.id|session.id|thread.id|langfuse.session.id"
_USER = "user.id|enduser.id"
_KIND = "gen_ai.operation.name|openinference.span.kind|span_kind"
_CALLS = ("chat", "generate_content", "text_completion", "LLM")
_KINDS = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_otlp(document: Any) -> bool:
    """Return whether a value is a batch of OpenTelemetry spans, or a list of batches."""
    batches = as_list(document)
    return bool(batches) and all("resourceSpans" in dict_of(one) for one in batches)


def is_phoenix(document: Any) -> bool:
    """Return whether a value has spans in the form of Phoenix or OpenTelemetry's SDK."""
    spans = dicts_of(dict_of(document).get("data", document))
    return any(
        {"span_kind", "context"} & one.keys() and any(key.startswith("attributes") for key in one) for one in spans
    )


def _of_batches(document: Any) -> list[dict[str, Any]]:
    spans = [
        span
        for batch in as_list(document)
        for resource in _listed_at(batch, "resourceSpans")
        for scope in _listed_at(resource, "scopeSpans")
        for span in _listed_at(scope, "spans")
    ]
    entries: list[dict[str, Any]] = []
    for number, span in enumerate(spans, start=1):
        attributes = {one["key"]: _value(one["value"]) for one in dicts_of(span.get("attributes"))}
        times = [int(need(span, f"{end}TimeUnixNano", f"span {number}")) / 1e9 for end in ("start", "end")]
        entries.append(_entry(attributes, *times))
    return entries


def _listed_at(batch: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [] if key in batch and batch[key] is None else list_at(batch, key, "a batch of spans")


def _of_spans(document: Any) -> list[dict[str, Any]]:
    """Return spans whose attributes are nested, or named with points, or columns of a table."""
    entries: list[dict[str, Any]] = []
    for number, span in enumerate(dicts_of(dict_of(document).get("data", document)), start=1):
        attributes = {key.removeprefix("attributes."): value for key, value in span.items() if key != "attributes"}
        times = [need(span, f"{end}_time", f"span {number}") for end in ("start", "end")]
        entries.append(_entry(attributes | dict_of(span.get("attributes")), *times))
    return entries


def _entry(attributes: dict[str, Any], began: Any, ended: Any) -> dict[str, Any]:
    """Return the parts of a call; a span of an agent or a tool, which repeats the words of calls, is another kind."""
    told = _nest(attributes)
    kind, asked, system = pick(told, _KIND), _plain(pick(told, _ASKED)), pick(told, "gen_ai.system_instructions")
    return {
        "asked": {"system": system, "messages": asked} if system else asked,
        "answered": _plain(pick(told, _ANSWERED)),
        "began": began,
        "ended": ended,
        "thread": str(pick(told, _THREAD) or ""),
        "user": pick(told, _USER),
        "kind": "call" if kind in _CALLS or (kind is None and asked) else "other",
    }


OTLP = LoggedCalls(
    asked="asked",
    answered="answered",
    began="began",
    ended="ended",
    thread="thread",
    user="user",
    kind="kind",
    call="call",
    noun="span",
    entries=_of_batches,
)
PHOENIX = replace(OTLP, entries=_of_spans)


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
