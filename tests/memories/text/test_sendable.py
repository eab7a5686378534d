"""Lists of messages that a provider accepts: each tool call with its results, each result behind its call."""

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.text.messages import sendable
from memzoo.stores import Message
from tests.conversations import call, legacy_call, legacy_result, result, said


@some.composite
def conversations(draw: some.DrawFn) -> list[Message]:
    """Any order of any messages; ids of calls are unique, results may have any id, or none that was called."""
    kinds = draw(some.lists(some.sampled_from(["user", "assistant", "system", "call", "result"]), max_size=14))
    messages: list[Message] = []
    for place, kind in enumerate(kinds):
        if kind == "call":
            count = draw(some.integers(1, 3))
            messages.append(call(*(f"{place}-{number}" for number in range(count))))
        elif kind == "result":
            messages.append(result(f"{draw(some.integers(0, 14))}-{draw(some.integers(0, 2))}", f"r{place}"))
        else:
            messages.append(said(kind, f"{place}"))
    return messages


def is_accepted(messages: Sequence[Message]) -> bool:
    """The provider's rule: behind each message with calls come its results, all of them; no result stands elsewhere."""
    rest = list(messages)
    while rest:
        message = rest.pop(0)
        ids = [made["id"] for made in message.get("tool_calls", [])]
        if message["role"] == "tool" or [answer.get("tool_call_id") for answer in rest[: len(ids)]] != ids:
            return False
        del rest[: len(ids)]
    return True


def others(messages: Sequence[Message], *roles: str) -> list[Message]:
    """The messages of some roles, without tool calls."""
    return [message for message in messages if message["role"] in roles and not message.get("tool_calls")]


@given(conversations())
def test_whatever_was_said_can_be_sent(messages: list[Message]) -> None:
    """No orphan result, no call without results, order kept, nothing doubled or changed; twice is as once (I6, T2)."""
    before = copy.deepcopy(messages)
    sent = sendable(messages)
    assert is_accepted(sent)
    assert others(sent, "user", "assistant") == others(messages, "user", "assistant")
    assert others(sent, "system") == others(messages, "system") == sent[: len(others(messages, "system"))]
    calls = [message for message in messages if message.get("tool_calls")]
    assert [message for message in sent if message.get("tool_calls")] == [made for made in calls if made in sent]
    assert all(sent.count(message) <= messages.count(message) for message in sent)
    assert sendable(sent) == sent
    assert messages == before


def turn(draw: some.DrawFn, number: int) -> list[Message]:
    """A turn as a program makes it: a question, perhaps tools with their results, an answer."""
    ids = [f"{number}-{call}" for call in range(draw(some.integers(0, 3)))]
    used = [call(*ids), *map(result, ids)] if ids else []
    return [said("user", f"q{number}"), *used, said("assistant", f"a{number}")]


@some.composite
def well_formed(draw: some.DrawFn) -> list[Message]:
    """A conversation as a program makes it."""
    return [message for number in range(draw(some.integers(0, 4))) for message in turn(draw, number)]


@given(well_formed())
def test_what_can_be_sent_already_stays_as_it_is(messages: list[Message]) -> None:
    """Nothing is left out of a conversation that is complete (I6)."""
    assert sendable(messages) == messages


def test_results_stand_behind_their_call() -> None:
    """Results that came late or in another order stand behind their call, in the order of the calls (T2)."""
    late = [call("a", "b"), said("user"), result("b"), result("a")]
    assert sendable(late) == [call("a", "b"), result("a"), result("b"), said("user")]


def test_ids_may_be_used_again() -> None:
    """Endpoints that number the calls of each reply from 0 get each call with its own result (T2)."""
    messages = [call("0"), result("0", "first"), said("user"), call("0"), result("0", "second")]
    assert sendable(messages) == messages


def test_a_result_answers_one_call_only() -> None:
    """A call that was abandoned does not take the result of a later call with the same id (T2)."""
    abandoned: list[dict[str, Any]] = [said("user"), call("0"), said("user"), call("0"), result("0")]
    assert sendable(abandoned) == [said("user"), said("user"), call("0"), result("0")]


def test_calls_with_one_id_have_their_results_in_order() -> None:
    """The first call of a message has the first result; the message is sent once all its results are there."""
    messages = [call("0", "0"), result("0", "first"), result("0", "second")]
    assert sendable(messages) == messages
    assert sendable(messages[:2]) == []


def test_function_calls_of_old_are_matched_by_name() -> None:
    """A function message stands behind the call of its function, and neither is sent without the other."""
    late = [legacy_result("f"), legacy_call("f"), said("user"), legacy_call("g"), legacy_result("f")]
    assert sendable(late) == [legacy_call("f"), legacy_result("f"), said("user")]


def test_a_result_is_sent_once() -> None:
    """A second result of one call is left out, as endpoints refuse it."""
    assert sendable([call("a"), result("a", "1"), result("a", "2")]) == [call("a"), result("a", "1")]


def test_calls_that_are_none_are_not_sent() -> None:
    """The openai client hands out `"tool_calls": None`; endpoints take no such list."""
    messages: list[Message] = [said("assistant", "hi") | {"tool_calls": None}, call(text="ho")]
    before = copy.deepcopy(messages)
    assert sendable(messages) == [said("assistant", "hi"), said("assistant", "ho")]
    assert messages == before
