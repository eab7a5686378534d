"""Reads logs of calls to models: LangSmith's runs, Langfuse's observations, and gateways' requests with answers."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.calls import Call, conversations_of, words_in
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.members import as_list, date_at, id_at, mark_of, need, pick
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = [
    "THREAD",
    "is_gateway",
    "is_history",
    "is_langfuse",
    "is_langsmith",
    "read_gateway",
    "read_history",
    "read_langfuse",
    "read_langsmith",
]

THREAD = "thread_id|config.configurable.thread_id|checkpoint.thread_id"
"""The places of a thread's id in a state of LangGraph."""


_THREADS = ("thread_id", "session_id", "conversation_id")
_USERS = ("user_id", "end_user", "user")
_REQUEST = "request.body|request|body|input"
_ANSWER = "response.body|response|output|completion"
_INSIDE = "choices|candidates|generations|output|message|role|content"
_MEMBERS = ("messages", "contents", "input", "system", "systemInstruction")
_BEGAN = "startTime|start_time|request.created_at|timestamp|created_at|created"
_ENDED = "endTime|end_time|response.created_at"


def is_langsmith(items: Any) -> bool:
    """Return whether values are runs of LangSmith."""
    return bool(items) and all({"run_type", "inputs"} <= dict_of(one).keys() for one in items)


def read_langsmith(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations of the runs that are calls of a model."""
    calls: list[Call] = []
    for number, run in enumerate(document, start=1):
        if need(run, "run_type", f"run {number}") == "llm":
            asked, answered = words_in(run["inputs"], "user"), words_in(run.get("outputs"), "assistant")
            thread = pick(run, "|".join(f"extra.metadata.{name}" for name in _THREADS))
            times = date_at(run, "start_time", f"run {number}"), date_of(run.get("end_time"))
            user = str(pick(run, "extra.metadata.user_id") or "")
            calls.append(Call(asked, answered, str(thread or ""), *times, user))
    yield from conversations_of(calls, title, len(document) - len(calls), "run")


def is_langfuse(document: Any) -> bool:
    """Return whether an object is a trace of Langfuse, or a list has observations or traces."""
    known = dict_of(document)
    if known:
        return isinstance(known.get("observations"), list) or {"traces", "projectId"} <= known.keys()
    return any({"traceId", "type", "input"} <= dict_of(one).keys() for one in document) or (
        bool(document) and all({"observations", "input"} <= dict_of(one).keys() for one in document)
    )


def read_langfuse(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations of generations; of a session, its traces' inputs and outputs."""
    session = dict_of(document)
    if "traces" in session:
        traces = dicts_of(session["traces"])
        told = [
            one | {"type": "GENERATION", "startTime": need(one, "timestamp", f"trace {n}")}
            for n, one in enumerate(traces)
        ]
        seen = [one | {"sessionId": session.get("id")} for one in told]
    else:
        seen = [
            {"sessionId": pick(one, "sessionId|trace.sessionId"), "userId": pick(one, "userId|trace.userId")} | each
            for one in dicts_of(as_list(document))
            for each in dicts_of(one.get("observations", [one]))
        ]
    # A function that calls a model can be logged as a call, too.
    outer = {one.get("parentObservationId") for one in seen if one.get("type") == "GENERATION"} - {None}
    calls = [
        Call(
            words_in(one.get("input"), "user"),
            words_in(one.get("output"), "assistant"),
            str(pick(one, "sessionId") or ""),
            date_at(one, "startTime", f"observation {number}"),
            date_of(one.get("endTime")),
            str(one.get("userId") or ""),
        )
        for number, one in enumerate(seen, start=1)
        if need(one, "type", f"observation {number}") == "GENERATION" and one.get("id") not in outer
    ]
    yield from conversations_of(calls, title, len(seen) - len(calls), "observation")


def is_gateway(document: Any) -> bool:
    """Return whether an object is a logged request with its answer, or any of a list of objects is."""
    lines = as_list(document)
    return all(isinstance(one, dict) for one in lines) and any(_request(one) and _answer(one) for one in lines)


def read_gateway(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations of requests and answers."""
    lines = as_list(document)
    inside = ("", "metadata.", "request.metadata.", "request.", "body.metadata.")
    threads, users = ("|".join(f"{place}{name}" for place in inside for name in names) for names in (_THREADS, _USERS))
    calls = [
        Call(
            words_in(_request(line), "user"),
            words_in(_answer(line), "assistant"),
            str(pick(line, threads) or ""),
            date_of(pick(line, _BEGAN)),
            _ended(line, number),
            str(pick(line, users) or ""),
        )
        for number, line in enumerate(lines, start=1)
    ]
    yield from conversations_of(calls, title)


def is_history(items: Any) -> bool:
    """Return whether values are several states of LangGraph."""
    return len(items) > 1 and all(isinstance(pick(one, "values.messages"), list) for one in items)


def read_history(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations in the states of threads: each state repeats the messages before."""
    told = [(need(one, "values.messages", "a state", list), one) for one in document]
    states = [(words_in(messages, "user"), one) for messages, one in told if messages]
    calls = [
        Call(said, None, id_at(one, THREAD, f"state {number}"), date_at(one, "created_at", f"state {number}"))
        for number, (said, one) in enumerate(states, start=1)
    ]
    yield from conversations_of(calls, title)


def _ended(line: Any, number: int) -> datetime | None:
    mark_of(line, "endTime", f"call {number}")
    return date_at(line, _ENDED, f"call {number}") if pick(line, _ENDED) is not None else None


def _request(line: Any) -> Any:
    """Return the request in a line of a log; `None` if there is none."""
    for one in (dict_of(line), *(dict_of(pick(line, path)) for path in _REQUEST.split("|"))):
        if isinstance(one.get("messages") or one.get("contents") or one.get("input"), list):
            return {key: one[key] for key in _MEMBERS if key in one}
    return None


def _answer(line: Any) -> Any:
    found = pick(line, _ANSWER)
    return found if isinstance(found, str) or pick(found, _INSIDE) is not None else None  # pyright: ignore[reportUnknownVariableType]
