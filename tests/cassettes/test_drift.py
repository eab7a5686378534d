"""What two recordings of the same test differ in."""

import json

from memzoo.cassettes.http import HttpRequest, Recorded
from memzoo.cassettes.ignoring import Ignored
from memzoo.cassettes.library import drift


def call(asked: str, answer: str, **options: str) -> Recorded:
    """A question and its answer."""
    kind = {"content-type": ["application/json"]}
    body = json.dumps({"messages": [{"role": "user", "content": asked}], **options}).encode()
    reply = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
    response = {"status": {"code": 200, "message": "OK"}, "headers": kind, "body": {"string": reply}}
    return Recorded(HttpRequest("POST", "http://recorded/v1/chat/completions", body, kind), response)


def test_another_order_is_no_drift() -> None:
    """What is sent at once comes in any order, and each question is compared with itself."""
    assert drift([call("a", "1"), call("b", "2")], [call("b", "2"), call("a", "1")]) == []


def test_a_changed_question_is_told_with_its_answer() -> None:
    """The one that nobody asks any more stands beside the new one; the others stay out of it."""
    found = drift([call("a", "1"), call("b", "2")], [call("c", "3"), call("a", "1")])
    assert len(found) == 2
    assert found[0].startswith("another request:")
    assert found[1] == "answer: '2' -> '3'"


def test_what_may_vary_is_no_drift() -> None:
    """Another model was asked the same; only what it answered is told."""
    old, new = [call("a", "1", model="big")], [call("a", "2", model="small")]
    assert drift(old, new, Ignored(["$.model"])) == ["answer: '1' -> '2'"]


def test_a_call_less_is_told() -> None:
    """How many there were is told first."""
    assert drift([call("a", "1"), call("b", "2")], [call("b", "2")]) == ["calls: 2 -> 1"]
