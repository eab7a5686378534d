"""Messages as other libraries make them: each is refused with what to write instead."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage

from memzoo.errors import MessageError
from memzoo.memories import ConversationBufferMemory


@dataclass
class Typed:
    """A message as LangChain makes them: its class and its `type` say who speaks."""

    type: str
    content: str


Typed.__module__ = "langchain_core.messages"


class Role(StrEnum):
    """A role as LlamaIndex has them."""

    USER = "user"


@dataclass
class Chat:
    """A message as LlamaIndex makes them."""

    role: Role
    content: str


OBJECTS = [
    (Typed("human", "hi"), r'{"role": "user", "content": message\.content}, or .*convert_to_openai_messages'),
    (Typed("ai", "hi"), r'{"role": "assistant", "content": message\.content}'),
    (Chat(Role.USER, "hi"), r'{"role": "user", "content": message\.content}$'),
    (ChatCompletionMessage(role="assistant", content="hi"), r'{"role": "assistant", "content": message\.content}$'),
    ("hi", r'{"role": "user", "content": \.\.\.}'),
]


@pytest.mark.parametrize(("given", "advice"), OBJECTS)
def test_objects_are_no_messages(given: Any, advice: str) -> None:
    """Wherever a message is wanted, an object of another library is an error that says what to write."""
    memory = ConversationBufferMemory()
    with pytest.raises(MessageError, match=advice):
        memory.add_messages([given])
    assert memory.history() == []


@pytest.mark.parametrize("given", [given for given, _ in OBJECTS[:-1]])
def test_objects_are_no_contents(given: Any) -> None:
    """An exchange of such objects is refused too, and what the error says is what works."""
    memory = ConversationBufferMemory()
    for inputs, outputs in (({"input": given}, {"output": "hello"}), ({"input": "hi"}, {"output": given})):
        with pytest.raises(MessageError, match=r"of an? (user|assistant) message .*write message\.content$"):
            memory.save_context(inputs, outputs)
    memory.save_context({"input": given.content}, {"output": "hello"})
    assert len(memory.history()) == 2


@pytest.mark.parametrize(
    ("inputs", "outputs", "wrong"),
    [("hi", "there", "inputs"), ({"input": "hi"}, "there", "outputs"), (None, {"output": "x"}, "inputs")],
)
def test_exchanges_are_dicts(inputs: Any, outputs: Any, wrong: str) -> None:
    """Texts instead of dicts are refused with the call that is right."""
    memory = ConversationBufferMemory()
    with pytest.raises(MessageError, match=rf"^{wrong} must be a dict .*save_context\({{"):
        memory.save_context(inputs, outputs)
    assert memory.history() == []
