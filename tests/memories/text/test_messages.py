"""Which messages are legal, and how each reads as text."""

import copy
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from memzoo.errors import MemoryZooError, MessageError
from memzoo.memories import STRATEGIES, ConversationBufferMemory, VectorStoreRetrieverMemory, create_memory
from memzoo.memories.text.messages import Labels, checked
from memzoo.strategy import text_of
from tests.conversations import render

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}

LEGAL: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": ""},
    {"role": "user", "content": "hi", "name": "sam", "own_field": {"kept": [1, None, 2.5]}},
    {"role": "user", "content": [{"type": "text", "text": "What is it?"}, IMAGE]},
    {"role": "user", "content": []},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "content": "Wait.", "tool_calls": [CALL]},
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "assistant", "content": None, "refusal": "I will not."},
    {"role": "assistant", "content": None, "audio": {"id": "a1"}},
    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    {"role": "function", "name": "f", "content": "1"},
]


@pytest.mark.parametrize("message", LEGAL)
def test_accepts_all_kinds_of_chat_messages(message: dict[str, Any]) -> None:
    """Every kind of OpenAI chat message is legal and kept as it is, unknown fields too (T1)."""
    before = copy.deepcopy(message)
    accepted = checked(message)
    assert accepted == message == before
    assert accepted is not message


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("hi", "must be a dict"),
        (None, "must be a dict"),
        ([("role", "user")], "must be a dict"),
        ({}, "role None is unknown"),
        ({"role": "human", "content": "hi"}, "role 'human' is unknown; it must be one of system, .*user"),
        ({"role": ["user"], "content": "hi"}, "is unknown"),
        ({"role": "user"}, "content of a user message must be a string"),
        ({"role": "user", "content": None}, "not None"),
        ({"role": "user", "content": 7}, "not 7"),
        ({"role": "user", "content": {"type": "text"}}, "a string or a list of parts"),
        ({"role": "user", "content": ["hi"]}, "each part"),
        ({"role": "user", "content": [{"text": "hi"}]}, "'type'"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, "'text' of a part .*, not 5"),
        ({"role": "assistant", "content": None}, "content of an assistant message"),
        ({"role": "assistant", "content": None, "tool_calls": []}, "content of an assistant message"),
        ({"role": "assistant", "content": "x", "tool_calls": [{"type": "function"}]}, "'id'"),
        ({"role": "assistant", "content": "x", "tool_calls": ["c1"]}, "'id'"),
        ({"role": "assistant", "content": "x", "tool_calls": 5}, "tool_calls"),
        ({"role": "assistant", "content": "x", "tool_calls": [{"id": "c1", "function": "weather"}]}, "function"),
        ({"role": "tool", "content": "sunny"}, "tool_call_id"),
        ({"role": "tool", "tool_call_id": 3, "content": "sunny"}, "tool_call_id"),
        ({"role": "user", "content": "hi", "at": float("nan")}, "JSON"),
        ({"role": "user", "content": "hi", "at": b"bytes"}, "JSON"),
    ],
)
def test_refuses_what_is_none(message: Any, reason: str) -> None:
    """What a provider would refuse, or a store could not keep, is refused with the reason, and is not stored (T1)."""
    with pytest.raises(MessageError, match=reason):
        checked(message)
    memory = ConversationBufferMemory()
    with pytest.raises(MessageError):
        memory.add_messages([{"role": "user", "content": "fine"}, message])
    assert memory.history() == []


def test_a_message_is_kept_the_same_by_every_store() -> None:
    """A message survives JSON unchanged: a tuple in it, which JSON does not have, becomes a list at once."""
    assert checked({"role": "user", "content": "hi", "own": (1, 2)})["own"] == [1, 2]


@pytest.mark.parametrize("memory", [ConversationBufferMemory, VectorStoreRetrieverMemory])
def test_half_a_surrogate_pair_does_not_break_a_conversation(memory: Any) -> None:
    """Text cut in the middle of an emoji is refused as a whole, or it can be stored, searched and shown (I4)."""

    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0]] * len(texts)

    remembers = memory(**({"embedder": embed} if memory.name == "vector-retriever" else {}))
    try:
        remembers.save_context({"input": "cats \ud83d"}, {"output": "ok"})
    except MemoryZooError:
        assert remembers.history() == []
    else:
        assert "cats" in remembers.load_memory_variables({"input": "cats"})["history"]


class TestWords:
    """A message in words."""

    @pytest.mark.parametrize(
        ("message", "words"),
        [
            ({"role": "user", "content": "hi"}, "hi"),
            ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
            ({"role": "assistant", "content": None, "tool_calls": [CALL]}, '[calls weather({"city": "Oslo"})]'),
            ({"role": "assistant", "content": "Wait.", "tool_calls": [CALL, CALL | {"id": "c2"}]}, None),
            ({"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}, "[calls a tool()]"),
            (
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c", "custom": {"name": "s", "input": "x"}}],
                },
                "[calls s(x)]",
            ),
            ({"role": "assistant", "content": None, "refusal": "I will not."}, "I will not."),
            ({"role": "tool", "tool_call_id": "c1", "content": "sunny"}, "sunny"),
        ],
    )
    def test_spells_out_tool_calls(self, message: dict[str, Any], words: str | None) -> None:
        """Tool calls read as calls, never as Python's repr of a dict (reference 2.10)."""
        call = '[calls weather({"city": "Oslo"})]'
        assert text_of(message) == (words if words is not None else f"Wait.\n{call}\n{call}")

    @pytest.mark.parametrize(
        ("part", "words"),
        [
            (IMAGE, "[image]"),
            (IMAGE | {"caption": "a cat"}, "[image: a cat]"),
            (IMAGE | {"alt_text": "a dog"}, "[image: a dog]"),
            ({"type": "input_image", "file_id": "f"}, "[image]"),
            ({"type": "input_audio", "input_audio": {"data": ""}}, "[audio]"),
            ({"type": "file", "file": {"file_id": "f"}}, "[file]"),
        ],
    )
    def test_names_pictures_and_files(self, part: dict[str, Any], words: str) -> None:
        """What is no text does not vanish: it is named, by its caption if it has one (T3)."""
        message = {"role": "user", "content": [{"type": "text", "text": "Look:"}, part]}
        assert text_of(checked(message)) == f"Look:\n{words}"


class TestLabels:
    """Who speaks."""

    def test_name_every_role(self) -> None:
        """Each role has its label; developer messages are system messages by another name (reference 2.10)."""
        messages = [{"role": role, "content": "x"} for role in ("system", "developer", "user", "assistant", "tool")]
        assert render(messages, Labels()) == "System: x\nSystem: x\nHuman: x\nAI: x\nTool: x"
        assert render([{"role": "function", "content": "x"}], Labels()) == "Function: x"

    def test_are_the_users_choice(self) -> None:
        """The two prefixes of a memory are the labels of its transcript."""
        memory = ConversationBufferMemory(human_prefix="Friend", ai_prefix="Bot")
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert memory.load_memory_variables({}) == {"history": "Friend: hi\nBot: hello"}

    @pytest.mark.parametrize(
        ("message", "speaker"),
        [
            ({"role": "user"}, "Human"),
            ({"role": "user", "name": "sam"}, "sam"),
            ({"role": "user", "name": "human"}, "human"),
            ({"role": "assistant", "name": "helper"}, "helper"),
            ({"role": "user", "name": "ai"}, "Human"),
            ({"role": "user", "name": "System"}, "Human"),
            ({"role": "assistant", "name": "Human"}, "AI"),
            ({"role": "user", "name": "sam\nAI"}, "Human"),
            ({"role": "user", "name": "sam:"}, "Human"),
            ({"role": "user", "name": ""}, "Human"),
            ({"role": "user", "name": 7}, "Human"),
        ],
    )
    def test_give_way_to_a_name_that_is_nobody_elses(self, message: dict[str, Any], speaker: str) -> None:
        """A message is said by its `name`, unless that is another's label or no name at all (I8)."""
        assert Labels().speaker(message) == speaker

    def test_each_turn_has_one_line_at_least(self) -> None:
        """An empty message is still a turn."""
        empty = [{"role": role, "content": ""} for role in itertools.islice(itertools.cycle(["user", "assistant"]), 3)]
        assert render(empty, Labels()) == "Human: \nAI: \nHuman: "


def nested(levels: int) -> list[Any]:
    """Lists in lists."""
    deep: list[Any] = []
    for _ in range(levels - 1):
        deep = [deep]
    return deep


@pytest.mark.parametrize("levels", [100, 600, 100_000])
@pytest.mark.parametrize("member", ["metadata", "content", "tool_calls", "role"])
def test_too_many_levels_are_refused(member: str, levels: int) -> None:
    """The error names the member, and nothing is stored."""
    memory = ConversationBufferMemory()
    message: dict[str, Any] = {"role": "user", "content": "hi", member: nested(levels)}
    attempts: list[Callable[[], object]] = [
        lambda: memory.add_messages([LEGAL[0], message]),
        lambda: memory.turn(message),
        lambda: checked(message),
    ]
    for attempt in attempts:
        with pytest.raises(MessageError, match=f"the {member!r} of a message has more than 100 levels"):
            attempt()
    with pytest.raises(MessageError, match="a message has more than 100 levels"):
        checked(nested(levels + 1))
    assert memory.history() == []


@pytest.mark.parametrize("name", STRATEGIES)
def test_as_many_levels_as_are_allowed_can_be_read(name: str) -> None:
    """By every strategy, and by what redacts them."""
    memory = create_memory(name, redact={"x": "y"})
    message: dict[str, Any] = {"role": "user", "content": "hi", "metadata": nested(99)}
    memory.add_messages([message, {"role": "assistant", "content": "ok"}])
    assert memory.history()[0] == message
    assert memory.entries()[0].message == message
    memory.messages("hi")
    assert "hi" in str(memory.explain("hi"))
