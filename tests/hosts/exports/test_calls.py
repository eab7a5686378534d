"""One conversation comes of many calls to a model."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.hosts.exports.calls import Call, conversations_of, words_in
from memzoo.stores import Message

TEN = datetime(2026, 5, 4, 10, tzinfo=UTC)


def user(text: str) -> Message:
    """A user's message."""
    return {"role": "user", "content": text}


def model(text: str) -> Message:
    """A model's message."""
    return {"role": "assistant", "content": text}


def call(minute: int, *asked: Message, answer: str, thread: str = "t") -> Call:
    """A call that takes no time."""
    return Call(list(asked), [model(answer)], thread, TEN + timedelta(minutes=minute))


def texts(calls: Sequence[Call]) -> list[list[str]]:
    """The words of each conversation."""
    return [[message["content"] for message in log.messages] for log in conversations_of(calls, "log")]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1), st.integers(1, 4), st.randoms())
def test_a_conversation_is_read_once(turns: list[tuple[str, str]], shown: int, random: Random) -> None:
    """Each call repeats all or the newest turns; the lines of a log may stand in any order."""
    said = [message for asked, answered in turns for message in (user(asked), model(answered))]
    calls = [
        call(n, *said[max(0, 2 * (n - shown)) : 2 * n + 1], answer=answered) for n, (_, answered) in enumerate(turns)
    ]
    whole = [call(n, *said[: 2 * n + 1], answer=answered) for n, (_, answered) in enumerate(turns)]
    random.shuffle(whole)
    assert texts(whole) == [[message["content"] for message in said]]
    assert [len(one) for one in texts(calls)] == [len(said)]


def test_a_changed_message_is_another_branch() -> None:
    """The answer to the message before the change is left out, and counted."""
    hens = [user("Hi"), model("Hello"), user("I have hens."), model("How many?")]
    calls = [call(1, hens[0], answer="Hello"), call(2, *hens[:3], answer="How many?")]
    (log,) = conversations_of([*calls, call(3, *hens[:2], user("I have geese."), answer="Since when?")], "log")
    assert [message["content"] for message in log.messages] == ["Hi", "Hello", "I have geese.", "Since when?"]
    assert log.notes == ["1 other branch left out"]


def test_messages_alone_are_one_conversation() -> None:
    """Some servers keep the history themselves, so a call has only the new message."""
    assert texts([call(1, user("Hi"), answer="Hello"), call(2, user("Bye"), answer="See you")]) == [
        ["Hi", "Hello", "Bye", "See you"]
    ]


def test_a_call_with_another_task_is_a_conversation_of_its_own() -> None:
    """A call for a title repeats nothing of the conversation."""
    calls = [call(1, user("Hi"), answer="Hello"), call(2, user("Name this: Hi"), answer="Greeting")]
    calls.append(call(3, user("Hi"), model("Hello"), user("Bye"), answer="See you"))
    assert texts(calls) == [["Hi", "Hello", "Bye", "See you"], ["Name this: Hi", "Greeting"]]


def test_calls_of_no_thread_belong_together_if_all_is_repeated() -> None:
    """Two people who begin alike have two conversations."""
    calls = [call(n, user("Hi"), answer=answer, thread="") for n, answer in enumerate(("Hello", "Good day"))]
    calls.append(call(3, user("Hi"), model("Hello"), user("Bye"), answer="See you", thread=""))
    assert texts(calls) == [["Hi", "Hello", "Bye", "See you"], ["Hi", "Good day"]]


def test_calls_of_other_users_are_other_conversations() -> None:
    """Also where both say the same."""
    calls = [Call([user("Hi")], [model("Hello")], "", TEN + timedelta(minutes=n), user=f"u{n}") for n in range(2)]
    calls.append(
        Call([user("Hi"), model("Hello"), user("Bye")], [model("Ciao")], "", TEN + timedelta(hours=1), user="u0")
    )
    assert texts(calls) == [["Hi", "Hello", "Bye", "Ciao"], ["Hi", "Hello"]]


def test_other_instructions_and_missing_words_are_told() -> None:
    """The first instructions are kept."""
    system = {"role": "system", "content": "Be short."}
    calls = [
        Call([system, user("Hi")], [], "t"),
        Call([user("Hi"), user("Well?")], [model("Hello")], "t"),
    ]
    (log,) = conversations_of([*calls, Call([], [])], "log")
    assert [message["content"] for message in log.messages] == ["Be short.", "Hi", "Well?", "Hello"]
    assert set(log.notes) == {
        "the instructions differ in 1 call; the first ones are kept",
        "1 call without an answer in the log",
        "1 call without text left out",
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Hi", ["Hi"]),
        ('{"messages": [{"role": "user", "content": "Hi"}]}', ["Hi"]),
        ("[Hi", ["[Hi"]),
        ([[{"role": "user", "content": "Hi"}]], ["Hi"]),
        ({"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}, ["Hi"]),
        ({"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}, ["Hi"]),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}, ["Hi"]),
        (
            {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}]},
            ["Hi"],
        ),
        ({"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}}}, ["Hi"]),
        ({"content": [{"type": "text", "text": "Hi"}]}, ["Hi"]),
        ({"role": "assistant", "content": {"role": "model", "parts": [{"text": "Hi"}]}}, ["Hi"]),
        (
            {"config": {"system_instruction": "Be short."}, "contents": [{"parts": [{"text": "Hi"}], "role": "user"}]},
            ["Be short.", "Hi"],
        ),
        ({"instructions": "Be short.", "input": "Hi"}, ["Be short.", "Hi"]),
        ({"args": ["Hi"], "kwargs": {}}, ["Hi"]),
        ({"prompt": "Hi"}, ["Hi"]),
        (None, []),
    ],
)
def test_words_of_each_provider_are_found(value: object, said: list[str]) -> None:
    """A request or an answer is logged as an object, a list, JSON in a text, or as words."""
    assert [message["content"] for message in words_in(value, "user")] == said


def test_the_work_of_tools_in_logs_is_known() -> None:
    """Langfuse's callbacks write definitions as messages, and names of tools as roles; the AI SDK has calls alone."""
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    logged: list[Any] = [
        {"role": "tool", "content": {"type": "function", "function": {"name": "look", "parameters": {}}}},
        user("Is it fig?"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "look", "content": "fig"},
    ]
    asked, called, result = words_in(logged, "user")
    assert (asked["content"], called["tool_calls"]) == ("Is it fig?", [call])
    assert result == {"role": "function", "name": "look", "content": "fig"}
    (alone,) = words_in([{"toolCallId": "c", "toolName": "look", "input": "{}"}], "assistant")
    assert alone["tool_calls"] == [call]
