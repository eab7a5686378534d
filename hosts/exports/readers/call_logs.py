"""Reads logs of model calls: Langfuse's observations, and the requests and answers logged by gateways."""

from typing import Any

from memzoo.hosts.exports.calls import LoggedCalls
from memzoo.hosts.exports.members import as_list, need, pick
from memzoo.hosts.messages import dict_of, dicts_of

THREADS = ("thread_id", "session_id", "conversation_id")
"""The names of the id of a conversation."""
_USERS = ("user_id", "end_user", "user")
_REQUEST = "request.body|request|body|input"
_ANSWER = "response.body|response|output|completion"
_INSIDE = "choices|candidates|generations|output|message|role|content"
_MEMBERS = ("messages", "contents", "input", "system", "systemInstruction")
_PLACES = ("", "metadata.", "request.metadata.", "request.", "body.metadata.")


def is_langfuse(document: Any) -> bool:
    """Return whether a value is a Langfuse export: a session, a trace, or a list of observations or traces."""
    known = dict_of(document)
    if known:
        return isinstance(known.get("observations"), list) or {"traces", "projectId"} <= known.keys()
    return any({"traceId", "type", "input"} <= dict_of(one).keys() for one in document) or (
        bool(document) and all({"observations", "input"} <= dict_of(one).keys() for one in document)
    )


def _observations(document: Any) -> list[Any]:
    """Return the observations of traces; of a session, the traces themselves, as calls."""
    session = dict_of(document)
    if "traces" in session:
        calls = {"type": "GENERATION", "sessionId": session.get("id")}
        traces = enumerate(dicts_of(session["traces"]), start=1)
        return [one | calls | {"startTime": need(one, "timestamp", f"trace {number}")} for number, one in traces]
    seen: list[Any] = [
        {"sessionId": pick(one, "sessionId|trace.sessionId"), "userId": pick(one, "userId|trace.userId")} | each
        for one in dicts_of(as_list(document))
        for each in dicts_of(one.get("observations", [one]))
    ]
    # A function that calls a model can be logged as a call, too.
    outer = {one.get("parentObservationId") for one in seen if one.get("type") == "GENERATION"} - {None}
    return [one | {"type": "SPAN"} if one.get("id") in outer and "type" in one else one for one in seen]


LANGFUSE = LoggedCalls(
    asked="input",
    answered="output",
    began="startTime",
    ended="endTime?",
    thread="sessionId",
    user="userId",
    kind="type",
    call="GENERATION",
    noun="observation",
    entries=_observations,
)


def is_gateway(document: Any) -> bool:
    """Return whether a value is a logged request with its answer, or a list of such requests."""
    lines = as_list(document)
    return all(isinstance(one, dict) for one in lines) and any(_request(one) and _answer(one) for one in lines)


def _request(line: Any) -> Any:
    """Return the request in a line of a log; `None` if there is none."""
    for one in (dict_of(line), *(dict_of(pick(line, path)) for path in _REQUEST.split("|"))):
        if isinstance(one.get("messages") or one.get("contents") or one.get("input"), list):
            return {key: one[key] for key in _MEMBERS if key in one}
    return None


def _answer(line: Any) -> Any:
    found = pick(line, _ANSWER)
    return found if isinstance(found, str) or pick(found, _INSIDE) is not None else None  # pyright: ignore[reportUnknownVariableType]


GATEWAY = LoggedCalls(
    asked="asked",
    answered="answered",
    began="startTime|start_time|request.created_at|timestamp|created_at|created?",
    ended="endTime|end_time|response.created_at?",
    thread="|".join(f"{place}{name}" for place in _PLACES for name in THREADS),
    user="|".join(f"{place}{name}" for place in _PLACES for name in _USERS),
    entries=lambda document: [
        line | {"asked": _request(line), "answered": _answer(line)} for line in as_list(document)
    ],
)
