"""What two recordings of the same test differ in."""

import json
from pathlib import Path

from memzoo.cassettes.format import CassetteFile
from memzoo.cassettes.http import HttpRequest, Recorded
from memzoo.cassettes.library import drift


def call(asked: str, answer: str, **options: str) -> Recorded:
    """A question and its answer."""
    kind = {"content-type": ["application/json"]}
    body = json.dumps({"messages": [{"role": "user", "content": asked}], **options}).encode()
    reply = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
    response = {"status": {"code": 200, "message": "OK"}, "headers": kind, "body": {"string": reply}}
    return Recorded(HttpRequest("POST", "http://recorded/v1/chat/completions", body, kind), response)


def drift_of(old: list[Recorded], new: list[Recorded], **head: object) -> list[str]:
    """The drift between two cassettes with a header."""
    return list(drift(CassetteFile(head, old, Path("old")), CassetteFile(head, new, Path("new"))))


A, B = call("a", "1"), call("b", "2")


def test_another_order_is_no_drift() -> None:
    """What is sent at once comes in any order; a run whose order counts has another step first."""
    assert drift_of([A, B], [B, A]) == []
    assert drift_of([A, B, A], [A, A, B]) == drift_of([A, B, A], [A, B, A]) == []
    assert drift_of([A, B], [B, A], in_order=True)[0].startswith("+ step 1:")


def test_a_changed_question_is_told_with_its_answer() -> None:
    """The one that nobody asks any more stands beside the new one; the others stay out of it."""
    shown = ["= step 1", "~ step 2, now 2: model /v1/chat/completions", "    - user: b", "    + user: c"]
    assert drift_of([A, B], [A, call("c", "3")]) == [*shown, "    - -> 2", "    + -> 3"]


def test_what_may_vary_is_no_drift() -> None:
    """Another model was asked the same; only what it answered is told."""
    old, new = [call("a", "1", model="big")], [call("a", "2", model="small")]
    told = drift_of(old, new, ignored=["$.model", "module:function"])
    assert told == ["~ step 1, now 1: model big, now small", "    - -> 1", "    + -> 2"]
    assert drift_of(old, [call("a", "1", model="small")], ignored=["$.model"]) == []


def test_a_call_less_and_another_type_are_told() -> None:
    """A step that is gone, and a field of the answers whose type changed."""
    assert drift_of([A, B], [B]) == ["- step 1: model /v1/chat/completions user: a", "= step 2"]
    other = call("a", "1")
    other.response["body"]["string"] = b'{"choices": "1", "id": 1}'
    changed = ["new field: $.id", "type changed: $.choices: list -> str"]
    assert set(changed) <= set(drift_of([A], [other]))
