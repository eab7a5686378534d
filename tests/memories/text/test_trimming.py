"""`trim_messages`: the last or the first messages that fit, and nothing that cannot be sent."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import MessageError, OptionError, OverBudgetError
from memzoo.memories import trim_messages
from memzoo.memories.text.messages import sendable
from memzoo.stores import Message
from tests.conversations import Chatter, call, result, said
from tests.memories.strategies.windows import A1, A2, AB, RA, RB, RC, U1, U2, U3, C, S, one, words
from tests.provider import refusal

NEMO = [
    said("user", "Hey there! I'm Nemo."),
    said("assistant", "Hello!"),
    said("user", "How are you today?"),
    said("assistant", "Fine thanks!"),
    said("user", "What is my name?"),
]


def test_keeps_the_two_most_recent_messages() -> None:
    """LangChain.js' example: each message counts as one token, two are kept."""
    assert trim_messages(NEMO, 2, one, strategy="last") == NEMO[-2:]


def listed(messages: list[Message]) -> int:
    """Counts a list, and something for the request itself, as OpenAI does."""
    return 3 + sum(words(message) for message in messages)


def sized(messages: "list[Message]") -> int:
    """Counts a list by its length."""
    return len(messages)


def letters(message: Any) -> int:
    """Counts letters, without saying of what."""
    return len(message["content"])


def letters_of_all(messages: Any) -> int:
    """Counts the letters of a list, without saying so."""
    return sum(map(letters, messages))


def written(message: dict[str, Any]) -> int:
    """Counts a message as it is written."""
    return len(str(message))


@pytest.mark.parametrize(
    ("counter", "limit", "kept"),
    [
        (len, 2, 2),
        (sized, 2, 2),
        (one, 2, 2),
        (listed, 10, 2),
        (listed, 7, 1),
        (listed, 2, 0),
        (letters_of_all, 29, 2),
        (letters, 29, 2),
        (written, 10_000, 5),
        (written, 60, 1),
        ("approximate", 16, 2),
    ],
)
def test_counts_messages_or_lists(counter: Any, limit: int, kept: int) -> None:
    """What LangChain takes for a counter is understood: `len`, functions of a list, functions of one message."""
    assert trim_messages(NEMO, limit, token_counter=counter) == NEMO[len(NEMO) - kept :]
    assert trim_messages(NEMO, max_tokens=10_000, token_counter=counter, strategy="first") == NEMO


def test_counts_each_message_once() -> None:
    """However many messages there are, one by one they are counted once, and only those that are looked at."""
    counted: list[Message] = []

    def count(message: dict[str, Any]) -> int:
        counted.append(message)
        return words(message)

    trim_messages(NEMO * 100, 20, count)
    assert len(counted) <= 20


class HumanMessage:
    """A class of messages by LangChain's name."""


@pytest.mark.parametrize(
    ("messages", "limit", "options", "expected"),
    [
        ([S, U1, A1, U2], 3, {"include_system": True, "start_on": HumanMessage}, [S, U2]),
        ([S, U1, A1, U2], 3, {"include_system": True, "start_on": [HumanMessage, "tool"]}, [S, U2]),
        ([S, U1, A1, U2], 3, {}, [U1, A1, U2]),
        ([S, U1, A1, U2], 3, {"include_system": True}, [S, A1, U2]),
        ([S, U1, A1, U2], 3, {"include_system": True, "start_on": "user"}, [S, U2]),
        ([S, U1, A1, U2], 3, {"include_system": True, "start_on": "human"}, [S, U2]),
        ([S, U1, A1, U2], 4, {"include_system": True}, [S, U1, A1, U2]),
        ([U1, A1, U2, A2, U3], 2, {"end_on": "assistant"}, [U2, A2]),
        ([U1, A1, U2, A2, U3], 2, {"end_on": ["ai"]}, [U2, A2]),
        ([U1, A1, U2], 3, {"end_on": ("user", "tool")}, [U1, A1, U2]),
        ([U1, A1, U2], 0, {}, []),
        ([], 5, {"include_system": True}, []),
        ([U1, A1, U2], 2, {"start_on": "tool"}, []),
        ([S, U1, A1, U2], 3, {"strategy": "first"}, [S, U1, A1]),
        ([S, U1, A1, U2], 3, {"strategy": "first", "end_on": "user"}, [S, U1]),
        ([U1, C, RC, A1], 2, {}, [A1]),
        ([U1, C, RC, A1], 3, {}, [C, RC, A1]),
        ([U1, AB, RA, RB, A1], 3, {"strategy": "first"}, [U1]),
        ([U1, AB, RA, RB, A1], 5, {"end_on": "tool"}, [U1, AB, RA, RB]),
        ([U1, AB, RA, RB, A1], 3, {"end_on": "tool"}, [AB, RA, RB]),
        ([U1, AB, RA, RB, A1], 2, {"end_on": "tool"}, []),
        ([U1, C, RC, A1, U2], 3, {"start_on": "user"}, [U2]),
    ],
)
def test_follows_its_options(
    messages: list[Message], limit: int, options: dict[str, Any], expected: list[Message]
) -> None:
    """The options are LangChain's; a call and its results stay together."""
    assert trim_messages(messages, limit, one, **options) == expected


def test_messages_are_indivisible() -> None:
    """The first that does not fit ends it, though an older one would fit."""
    messages = [said("user", "hi"), said("assistant", "one two three four"), said("user", "what now")]
    assert trim_messages(messages, 5, words) == messages[2:]
    assert trim_messages(messages, 5, words, "first") == messages[:2]
    assert trim_messages(messages, 8, token_counter="approximate") == messages[2:]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"strategy": "middle"}, OptionError, "strategy must be 'last' or 'first', not 'middle'"),
        ({"strategy": "first", "start_on": "user"}, OptionError, "only for strategy='last'"),
        ({"strategy": "first", "include_system": True}, OptionError, "only for strategy='last'"),
        ({"start_on": "robot"}, OptionError, "start_on must be of system, .*, not 'robot'"),
        ({"max_tokens": -1}, OptionError, "max_tokens"),
        ({"max_tokens": 1, "include_system": True, "token_counter": words}, OverBudgetError, "2 tokens, 1 more than"),
        ({"messages": [said("robot")]}, MessageError, "'robot'"),
    ],
)
def test_refuses_what_cannot_work(options: dict[str, Any], error: type[Exception], text: str) -> None:
    """What is wrong is named, with what would be right."""
    given_: dict[str, Any] = {"messages": [S, U1], "max_tokens": 9, "token_counter": one}
    with pytest.raises(error, match=text):
        trim_messages(**(given_ | options))


@given(some.randoms(use_true_random=False), some.integers(0, 12), some.data())
def test_whatever_can_be_sent_can_be_sent_trimmed(random: Any, limit: int, data: some.DataObject) -> None:
    """Of a list that a provider accepts a provider accepts what is left, within the limit; the list stays as it was."""
    chatter = Chatter(random)
    messages = sendable([chatter.message() for _ in range(random.randrange(12))])
    before = copy.deepcopy(messages)
    roles = some.sampled_from([None, "user", "assistant", ("user", "tool")])
    options: dict[str, Any] = {"end_on": data.draw(roles), "strategy": data.draw(some.sampled_from(["last", "first"]))}
    if options["strategy"] == "last":
        options["start_on"] = data.draw(roles)
    left = trim_messages(messages, limit, one, **options)
    assert not left or refusal(left) is None
    assert len(left) <= limit
    assert messages == before
    places = [place for place, message in enumerate(messages) if any(message == kept for kept in left)]
    assert len(places) >= len(left)


def test_leaves_the_callers_messages_alone() -> None:
    """What comes back can be changed without changing what was handed in."""
    mine = [call("a"), result("a")]
    trim_messages(mine, 2, one)[1]["content"] = "changed"
    assert mine == [call("a"), result("a")]
